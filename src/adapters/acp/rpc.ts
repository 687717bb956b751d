// JSON-RPC messages as the proxy sees them: a line is a request, a notification, a response, or nothing. Only what is looked at is read.

import { isRecord, parseJson } from "../../core/record.ts";

export type Id = string | number;

export type RpcMessage =
  | { readonly kind: "request"; readonly id: Id; readonly method: string; readonly params: Fields; readonly whole: Fields }
  | { readonly kind: "notification"; readonly method: string; readonly params: Fields; readonly whole: Fields }
  | { readonly kind: "response"; readonly id: Id; readonly result: Fields | null; readonly whole: Fields }
  | { readonly kind: "other" };

export type Fields = Readonly<Record<string, unknown>>;

/** Never throws: what is no message is `other`, and so is a list of messages, which this protocol does not have. */
export function readMessage(line: string): RpcMessage {
  const whole = fieldsOf(parseJson(line));
  if (whole === null) return { kind: "other" };
  const id = whole["id"];
  const named = typeof id === "string" || typeof id === "number" ? id : null;
  // An id that is none (`null`, a list …) makes a notification to one program and a request to another: it is neither.
  if (named === null && Object.hasOwn(whole, "id")) return { kind: "other" };
  const method = whole["method"];
  if (typeof method === "string") {
    // Parameters have names in this protocol. A list or a text of them is nothing that could be judged.
    const params = fieldsOf(whole["params"] ?? {});
    if (params === null) return { kind: "other" };
    return named === null ? { kind: "notification", method, params, whole } : { kind: "request", id: named, method, params, whole };
  }
  if (named === null || Object.hasOwn(whole, "method")) return { kind: "other" };
  return { kind: "response", id: named, result: fieldsOf(whole["result"]), whole };
}

export function fieldsOf(value: unknown): Fields | null {
  return isRecord(value) ? { ...value } : null;
}

export const textAt = (fields: Fields, key: string): string | null => {
  const value = fields[key];
  return typeof value === "string" ? value : null;
};

export const listAt = (fields: Fields, key: string): readonly unknown[] => {
  const value: unknown = fields[key];
  return Array.isArray(value) ? value : [];
};

/** The protocol's own words for a refusal: the agent's call failed, and here is why. */
export const refusal = (id: Id, code: string, message: string): Fields => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32_602, message, data: { code } },
});

export const answer = (id: Id, result: Fields): Fields => ({ jsonrpc: "2.0", id, result });
