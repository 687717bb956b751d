// Refusals and faults as answers: one shape for all of them, with the code and one sentence. What we did not foresee says only that it
// happened and under which id the log has it: a message of the system's may hold paths and is nobody's business but the operator's.

import { type Code, HallpassError } from "../core/errors.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { WireProblem, WireAsk } from "../wire/values.ts";
import type { AppPorts } from "./ports.ts";
import { jsonResponse } from "./routes/respond.ts";
import { statusOf } from "./status.ts";

export interface RefusalOptions {
  /** Where the code's own status would say something else: a path in a body that does not exist is a bad request. */
  readonly status?: number;
  /** For an answer that came too late: the ask as it is. */
  readonly ask?: WireAsk;
  /** The methods an address takes. */
  readonly allow?: readonly string[];
}

/** Thrown by whoever answers a request; becomes a problem. */
export class Refusal extends HallpassError {
  readonly options: RefusalOptions;

  constructor(code: Code, message: string, options: RefusalOptions = {}) {
    super(code, message);
    this.name = "Refusal";
    this.options = options;
  }
}

/** The same answer for what is not there, what is somebody else's and what cannot be an id. */
export const notFound = (): Refusal => new Refusal("not-found", "not found");

/** The answer for whatever was thrown while a request was answered. */
export function problemResponse(thrown: unknown, { log, ids }: Pick<AppPorts, "log" | "ids">): Response {
  // The caller gave up: nobody reads this, and it is no fault.
  if (thrown instanceof DOMException && thrown.name === "AbortError") return problem("timeout", "the request was cancelled");
  if (!(thrown instanceof HallpassError) || thrown.code === "io-error") {
    const id = ids();
    log.error({ id, error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }, "a request failed");
    if (thrown instanceof StoreFault) return problem("io-error", thrown.message);
    return problem("io-error", `something went wrong; the log says what, under ${id}`);
  }
  return problem(thrown.code, thrown.message, thrown instanceof Refusal ? thrown.options : {});
}

function problem(code: Code, message: string, { status, ask, allow }: RefusalOptions = {}): Response {
  const body: WireProblem = { error: { code, message }, ask };
  return jsonResponse(body, status ?? statusOf[code], {
    ...(allow === undefined ? {} : { allow: allow.join(", ") }),
    ...(code === "unauthenticated" ? { "www-authenticate": "Bearer" } : {}),
    ...(code === "rate-limited" ? { "retry-after": "60" } : {}),
  });
}
