// A person is asked before something that is more than an access to a path: a command that nothing confines, another agent.

import { randomIds, systemClock } from "../core/clock.ts";
import type { Code } from "../core/errors.ts";
import { askId, type RealPath } from "../core/names.ts";
import type { OnceAsk } from "../core/session/ask.ts";
import { denied, type Failure } from "./result.ts";
import type { ToolContext } from "./tool.ts";

/** Once, and for writing: a yes is for this call alone. Denied where nobody can be asked is the caller's to say. */
export function askFirst(
  code: Code,
  hint: string,
  { session, call }: ToolContext,
  ask: Pick<OnceAsk, "tool" | "requested" | "path" | "links" | "reason" | "about"> & Partial<Pick<OnceAsk, "id">>,
): Failure {
  const header = { id: askId(randomIds()), session: session.id, call, at: systemClock() };
  return {
    ...denied(code, hint),
    category: null,
    verdict: "ask",
    ask: { ...header, ...ask, operation: "replace", offers: "once", right: "write" },
  };
}

/** Did a person say yes to it, for this very call? */
export const isAnswered = (path: RealPath | null, { session, call }: ToolContext): boolean =>
  session.grants.some((grant) => grant.until === "call" && grant.call === call && grant.right === "write" && grant.path === path);
