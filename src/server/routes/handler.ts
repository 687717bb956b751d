// What a row of the routes' table needs to be answered: a handler whose input and answer are the row's own shapes. A row without a
// handler, or with one of another shape, does not compile.

import type { z } from "zod";
import type { Route, RouteName, Routes } from "../../wire/http.ts";
import type { Caller } from "../ports.ts";
import { notFound, Refusal } from "../problem.ts";

type IdOf<R extends Route> = R extends { readonly path: `${string}{id}${string}` } ? string : null;
type QueryOf<R extends Route> = R extends { readonly query: infer Q extends z.ZodType } ? z.output<Q> : null;
type BodyOf<R extends Route> = R extends { readonly body: infer B extends z.ZodType } ? z.output<B> : null;

/** One request, read and checked. */
export interface RequestOf<R extends Route> {
  readonly id: IdOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  /** From the token alone. */
  readonly caller: Extract<Caller, { readonly role: R["role"] }>;
  /** Who a person is, for the record: `person (web)`. */
  readonly by: string;
  /** Aborted when whoever asked is gone. Made when it is asked for: hardly anybody waits. */
  readonly signal: () => AbortSignal;
}

export type ResponseOf<R extends Route> = R extends { readonly media: string } ? string | ReadableStream<Uint8Array> : z.input<R["answer"]>;

export type Handler<R extends Route> = (call: RequestOf<R>) => Promise<ResponseOf<R>>;

export type Handlers = { readonly [N in RouteName]: Handler<Routes[N]> };

/** A request as it came, before its route's shapes were looked at. */
export interface RawCall {
  readonly id: string | null;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: Caller;
  readonly by: string;
  readonly signal: () => AbortSignal;
}

/** What could be an id at all: of ours, or of a call, which a program may name shortly. */
const ID = /^[A-Za-z0-9_-]{1,128}$/;

/** The call with its parts read by the row's own shapes. Throws a Refusal that says what is wrong. */
export function readCall<R extends Route>(route: R, raw: RawCall): RequestOf<R> {
  if (route.path.includes("{id}") && !ID.test(raw.id ?? "")) throw notFound();
  const read: RawCall = {
    ...raw,
    query: route.query === undefined ? null : shaped(route.query, raw.query, "the query"),
    body: route.body === undefined ? null : shaped(route.body, raw.body, "the body"),
  };
  if (raw.caller.role !== route.role) throw new Refusal("forbidden", wrongRole[route.role]);
  // Every part was read by the row's own shape above, and the role is the row's.
  return read as RawCall & RequestOf<R>;
}

export const wrongRole = {
  person: "an agent's credential cannot do this; a person must",
  agent: "only an agent's own credential can do this",
  anyone: "this is for those who have no token yet",
} as const;

function shaped(shape: z.ZodType, value: unknown, where: string): unknown {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const at = issue === undefined || issue.path.length === 0 ? where : `\`${issue.path.map(String).join(".").slice(0, 80)}\` in ${where}`;
  throw new Refusal("bad-request", `${at} was not understood: ${wording(issue)}`);
}

/** Never the value that was sent: an answer must not echo it. */
function wording(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case "unrecognized_keys":
      return `it has ${issue.keys.length === 1 ? "an unknown key" : "unknown keys"}`;
    case "invalid_type":
      return `it should be of type ${issue.expected}`;
    case "too_big":
      return `it is larger than ${String(issue.maximum)}`;
    case "too_small":
      return `it is smaller than ${String(issue.minimum)}`;
    case "invalid_value":
      return `it should be one of ${issue.values.map(String).join(", ")}`;
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
    case undefined:
      return "it does not have the shape that the interface describes";
  }
}
