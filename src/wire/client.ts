// A typed client of the HTTP interface: over the network, over a Unix socket, or straight into an app of the same process, whichever
// `fetch` it is given. Answers are checked against the route's shape; a refusal is thrown as a WireError with its code.

import { z } from "zod";
import type { Route } from "./http.ts";
import { type WireProblem, problemSchema } from "./values.ts";

/** The daemon refused, could not be reached, or answered what it should not. `problem` holds what it said, where it said something. */
export class WireError extends Error {
  readonly code: string;
  readonly status: number;
  readonly problem: WireProblem | null;

  constructor(code: string, message: string, status: number, problem: WireProblem | null, options?: ErrorOptions) {
    super(message, options);
    this.name = "WireError";
    this.code = code;
    this.status = status;
    this.problem = problem;
  }
}

/** How a client reaches the daemon. */
export interface ClientPorts {
  /** `http://127.0.0.1:7777`; no slash at the end. */
  readonly address: string;
  readonly token: string;
  readonly fetch: (request: Request) => Promise<Response>;
  /** Where the person sits, for the record: `web`, `terminal`, `mcp` … */
  readonly via: string;
}

type Body<R extends Route> = R extends { readonly body: infer B extends z.ZodType }
  ? { readonly body: z.input<B> }
  : { readonly body?: never };
type Query<R extends Route> = R extends { readonly query: infer Q extends z.ZodObject }
  ? { readonly query?: z.input<Q> }
  : { readonly query?: never };
type Id<R extends Route> = R extends { readonly path: `${string}{id}${string}` } ? { readonly id: string } : { readonly id?: never };
/** What a route is called with. */
export type Input<R extends Route> = Body<R> & Query<R> & Id<R> & { readonly signal?: AbortSignal };

/** Calls the daemon's routes. */
export interface Client {
  readonly address: string;
  readonly token: string;
  /** Call a route: `client.send(routes.answer, { id, body: { decision: "deny" } })`. */
  send<R extends Route>(route: R, input: Input<R>): Promise<z.output<R["answer"]>>;
  /** The lines of a route that answers with text, one after the other as they come: the whole is never in memory. */
  lines<R extends Route>(route: R, input: Input<R>): AsyncGenerator<string, void, undefined>;
}

/** A client of one daemon. */
export function createClient({ address, token, fetch, via }: ClientPorts): Client {
  const answered = async <R extends Route>(route: R, { id, query, body, signal }: Input<R>): Promise<Response> => {
    const path = id === undefined ? route.path : route.path.replace("{id}", encodeURIComponent(id));
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(key, plain(value));
    const request = new Request(`${address}${path}${search.size === 0 ? "" : `?${search.toString()}`}`, {
      method: route.method,
      headers: {
        authorization: `Bearer ${token}`,
        "x-hallpass-via": via,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const response = await fetchOrThrow(fetch, request, signal);
    if (!response.ok) throw refusal(response.status, await contentOf(response));
    return response;
  };
  return {
    address,
    token,
    async *lines(route, input) {
      const reader = (await answered(route, input)).body?.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done || value === undefined) break;
        const pieces = (rest + value).split("\n");
        rest = pieces.pop() ?? "";
        yield* pieces;
      }
      if (rest !== "") yield rest;
    },
    async send<R extends Route>(route: R, input: Input<R>): Promise<z.output<R["answer"]>> {
      const body = await contentOf(await answered(route, input));
      const shape: R["answer"] = route.answer;
      const parsed = z.safeParse(shape, body);
      if (!parsed.success)
        throw new WireError("bad-request", `the daemon's answer to ${route.method} ${route.path} cannot be read`, 200, null);
      return parsed.data;
    },
  };
}

async function contentOf(response: Response): Promise<unknown> {
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
  return isJson ? response.json().catch(() => null) : response.text();
}

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

async function fetchOrThrow(fetch: ClientPorts["fetch"], request: Request, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await fetch(request);
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new WireError("unreachable", "the daemon cannot be reached; is it running? start it with `hallpass serve`", 0, null, { cause });
  }
}

function refusal(status: number, body: unknown): WireError {
  const problem = problemSchema.safeParse(body);
  if (!problem.success) return new WireError("bad-request", `the daemon answered ${status}`, status, null);
  return new WireError(problem.data.error.code, problem.data.error.message, status, problem.data);
}
