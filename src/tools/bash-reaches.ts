// The paths outside its roots that a command tried to read, and what the agent is told afterwards: what a person was asked while it ran; or, where
// programs cannot be made to wait, what could be asked for.

import type { Code } from "../core/errors.ts";
import { meanings } from "../core/guard/explain.ts";
import { isInside } from "../core/path/contain.ts";
import { show } from "../core/path/show.ts";
import type { RealPath } from "../core/names.ts";
import { listRoots, type Session } from "../core/session/session.ts";
import { proposedFor } from "../sandbox/outside.ts";
import type { ReachedPath } from "../sandbox/port.ts";

/** Milliseconds for which a program waits at most: a host gives its shell about two minutes. */
const LONGEST = 100_000;
/** The part of its time that a command may wait, so that it sees a refusal before it is stopped. */
const PART = 5 / 6;

/** What became of something that a command reached for while it ran. */
export type LookupEnd =
  /** A person allowed it, or had before it was reached for: `session` has the grant. */
  | { readonly came: "allowed" | "allowed-before"; readonly session: Session }
  /** The person said no now; they had before, and were not asked again; they said something else; it was closed; nobody has answered. */
  | { readonly came: "denied" | "denied-before" | "withdrawn" | "closed" | "unanswered" }
  /** The session can read it by now, but not by a grant, and only grants are shown to a command that runs. */
  | { readonly came: "in-scope" }
  /** A person was asked, and nothing was granted; or nobody was asked. `code`: why. */
  | { readonly came: "not-granted" | "not-asked"; readonly code: Code }
  /** Neither can be told. */
  | { readonly came: "failed" };

/** Puts what a command reaches for before a person. */
export type AskLookup = (reached: ReachedPath) => Promise<LookupEnd>;

/** What the session has of the path by now, after a person was asked or without; null where it has nothing. */
export function inSession(session: Session, path: string, wasAsked: boolean): LookupEnd | null {
  const roots = listRoots(session).filter(({ dir }) => isInside(dir, path));
  // A command that runs is shown grants alone.
  if (roots.some(({ from }) => from === "grant")) return { came: wasAsked ? "allowed" : "allowed-before", session };
  return roots.length === 0 ? null : { came: "in-scope" };
}

/** In words for the model. */
function noteOf(path: string, end: LookupEnd): string {
  const printable = show(path);
  const personWasAsked = `A person was asked about ${printable} while the command ran`;
  switch (end.came) {
    case "allowed":
      return `${personWasAsked}, and allowed it.`;
    case "allowed-before":
      return `${printable} was granted before the command reached for it. Nobody was asked again.`;
    case "denied":
      return `${personWasAsked}, and did not allow it.`;
    case "denied-before":
      return `A person had denied ${printable} before. Nobody was asked again while the command ran, and it was refused.`;
    case "withdrawn":
      return `${personWasAsked}, and said something else instead of answering. It was refused.`;
    case "closed":
      return `${personWasAsked}, and the question was closed without an answer. It was refused.`;
    case "unanswered":
      return `Nobody has answered yet whether ${printable} may be read. Ask with request_read_access, which waits for the answer.`;
    case "in-scope":
      return `The session can read ${printable} by now, but a command that had started is not shown it: it was refused. Run the command again, or read it with the file tools.`;
    case "not-granted":
      return `${personWasAsked}, and nothing was granted: it ${meanings[end.code]}.`;
    case "not-asked":
      return `Nobody was asked about ${printable} while the command ran, and it was refused: it ${meanings[end.code]}.`;
    case "failed":
      return `${printable} was refused, since asking a person about it failed.`;
  }
}

/** `time`: the command's, in milliseconds. */
export function openReaches(ask: AskLookup, time: number) {
  const ends = new Map<string, LookupEnd>();
  return {
    asking: {
      patience: Math.min(LONGEST, Math.floor(time * PART)),
      async ask(reached: ReachedPath): Promise<Session | null> {
        ends.set(reached.path, { came: "unanswered" });
        const end = await ask(reached).catch((): LookupEnd => ({ came: "failed" }));
        ends.set(reached.path, end);
        return "session" in end ? end.session : null;
      },
    },
    /** In words for the model. */
    notes: (): readonly string[] => [...ends].slice(0, NAMED).map(([path, end]) => noteOf(path, end)),
  };
}

/** So many are named. */
const NAMED = 5;
/** The most words of a text that are examined. */
const WORDS = 200;
const LONGEST_WORD = 1024;

/** What of the words in the text lies outside and could be granted: how to ask for it. */
export function outOfReach(session: Session, cwd: RealPath, text: string): readonly string[] {
  const words = text.slice(0, 64 * 1024).split(/[\s'"`=:;,|&<>(){}[\]]+/u);
  const likely = words.filter(
    (word) => word.length <= LONGEST_WORD && (word.startsWith("/") || word.startsWith("~/") || word.includes("..")),
  );
  const found = new Map<string, string>();
  for (const word of [...new Set(likely)].slice(0, WORDS)) {
    const path = word.startsWith("/") || word.startsWith("~/") ? word : `${cwd}/${word}`;
    const dir = proposedFor(session, path);
    if (dir !== null && !found.has(dir)) found.set(dir, path);
    if (found.size === NAMED) break;
  }
  return [...found].map(
    ([dir, path]) =>
      `The command cannot see ${show(dir)}. If it needs it, ask for ${show(path)} with request_read_access, and run it again after a yes.`,
  );
}
