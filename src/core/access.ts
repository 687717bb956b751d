// What a tool wants, exactly as the model wrote it. Untrusted until resolved.

import type { CallId } from "./names.ts";

/** What an operation needs and what a root gives. */
export type Right = "read" | "write";

/** Which right each operation needs. Discovery needs read, exactly like reading. */
export const needs = {
  read: "read",
  list: "read",
  search: "read",
  create: "write",
  replace: "write",
  remove: "write",
} as const satisfies Record<string, Right>;

/** What a tool wants to do with a path. */
export type Operation = keyof typeof needs;

/** One operation a tool wants on one path. */
export interface Access<O extends Operation = Operation> {
  readonly call: CallId;
  readonly tool: string;
  readonly operation: O;
  readonly path: string;
}

/** Is this the name of an operation? */
export function isOperation(word: unknown): word is Operation {
  return typeof word === "string" && Object.hasOwn(needs, word);
}
