// What a command reached for outside its roots, and what the agent is told of it afterwards: what a person was asked while it ran; or, where programs
// cannot be made to wait, what could be asked for.

import { show } from "../core/path/show.ts";
import type { RealPath } from "../core/names.ts";
import type { Session } from "../core/session/session.ts";
import { proposedFor } from "../sandbox/outside.ts";
import type { Asking } from "../sandbox/port.ts";

/** Milliseconds for which a program waits at most: a host gives its shell about two minutes. */
const LONGEST = 100_000;
/** The part of its time that a command may wait, so that it sees a refusal before it is stopped. */
const PART = 5 / 6;

export interface Reaches {
  readonly asking: Asking;
  /** In words for the model. */
  notes(): readonly string[];
}

/** `time`: the command's, in milliseconds. */
export function openReaches(ask: Asking["ask"], time: number): Reaches {
  const states = new Map<string, "waits" | "allowed" | "refused">();
  return {
    asking: {
      patience: Math.min(LONGEST, Math.floor(time * PART)),
      async ask(reached) {
        states.set(reached.path, "waits");
        const granted = await ask(reached).catch(() => null);
        states.set(reached.path, granted === null ? "refused" : "allowed");
        return granted;
      },
    },
    notes: () =>
      [...states].slice(0, NAMED).map(([path, state]) => {
        const shown = show(path);
        if (state === "allowed") return `A person was asked about ${shown} while the command ran, and allowed it.`;
        if (state === "refused") return `A person was asked about ${shown} while the command ran, and did not allow it.`;
        return `Nobody has answered yet whether ${shown} may be read. Ask with request_read_access, which waits for the answer.`;
      }),
  };
}

/** So many are named. */
const NAMED = 5;
/** So many words of a text are looked at. */
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
