// What a command may know of the directories around its roots, told by the guard. A name is there only where it could be granted, or lies on the way to
// what could be; everything else looks as if it were missing.

import type { Code } from "../core/errors.ts";
import { createGuard, type Guard } from "../core/guard/guard.ts";
import { resolveDir } from "../core/fs/resolve.ts";
import { callId } from "../core/names.ts";
import { basename, isInside } from "../core/path/contain.ts";
import type { Session } from "../core/session/session.ts";
import type { Sight } from "./doors.ts";

export interface OutsideView {
  see(path: string): Sight;
  /** May a person be asked about this path? Not about secrets, nor what a rule denies. */
  mayAsk(path: string): boolean;
}

/** Refusals that say no more than that nothing here is to be granted: a repository may lie below. */
const TOO_HIGH: ReadonlySet<string> = new Set<Code>(["no-grant-root", "root-too-broad", "out-of-whitelist"]);

/** What a program does that reaches for the path: it lists a directory and reads everything else. */
export const operationOn = (path: string): "list" | "read" => (resolveDir(path).ok ? "list" : "read");

/** The directory that a person could grant for reading this path; null where there is none, or it can be read already. Not recorded. */
export function proposedFor(session: Session, path: string, guard: Guard = createGuard()): string | null {
  const decision = guard.judge({ call: callId("lookup"), tool: "lookup", operation: operationOn(path), path }, session);
  if (decision.verdict === "allow") decision.pass.close();
  return decision.verdict === "ask" && decision.ask.offers === "session" ? decision.ask.proposal.dir : null;
}

/** These looks are not recorded: a program makes thousands, and nothing is opened by one. The ask is, and so is what comes of it. */
export function lookOutside(session: Session, guard: Guard = createGuard()): OutsideView {
  const judge = (path: string, operation: "list" | "read") => {
    const decision = guard.judge({ call: callId("lookup"), tool: "lookup", operation, path }, session);
    if (decision.verdict === "allow") decision.pass.close();
    return decision;
  };
  return {
    see(path) {
      const resolved = resolveDir(path);
      if (!resolved.ok || resolved.dir !== path) return "nothing";
      const decision = judge(path, "list");
      if (decision.verdict === "ask") return decision.ask.offers === "session" && decision.ask.proposal.dir === path ? "door" : "nothing";
      if (decision.verdict === "allow" || !TOO_HIGH.has(decision.reason) || basename(path).startsWith(".")) return "nothing";
      return session.ceilings.some((ceiling) => isInside(ceiling, path) || isInside(path, ceiling)) ? "way" : "nothing";
    },
    mayAsk(path) {
      return judge(path, operationOn(path)).verdict === "ask";
    },
  };
}
