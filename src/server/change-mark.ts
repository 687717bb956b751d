// A word in the data directory that is another one after every change of what agents may do: a grant, its end, a root, the end of a session.
// A program that judges for the agent it runs keeps what the daemon told it for as long as the word stands, and asks again when it is another.
//
// How changes and reads are ordered: the daemon commits a change, then replaces the word, and only then answers whoever made the change. A
// program looks at the word, then asks, and looks at the word again before each call. A write to a file is seen by every process of the machine
// from the moment it returns, so a call that begins after the answer sees another word. No socket is waited for and no clock is compared.
// Where there is no word (no daemon, a database that other machines change too) the daemon is asked at every call.

import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import type { StoreChange } from "./changes.ts";

/** Changes that no session is judged by. */
const others: ReadonlySet<StoreChange["type"]> = new Set(["chat-added", "message-added", "said", "call-changed", "recorded"]);

/** Does what agents may do change by it? */
export const isOfAgents = ({ type }: Pick<StoreChange, "type">): boolean => !others.has(type);

/** A word of this daemon's; one that an earlier daemon left is another. */
export function makeChangeMark(file: string) {
  removeChangeMark(file);
  const handle = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  const replace = (): void => {
    try {
      // Random, so that a look in the middle of a write sees no word that was there before.
      if (writeSync(handle, randomUUID(), 0) === LENGTH) return;
    } catch {
      // As below.
    }
    // INVARIANT: a word that cannot be replaced is taken away. Where that fails too, whoever made the change is told so.
    removeChangeMark(file);
  };
  replace();
  return {
    /** Replace the word, if that is a change of what agents may do. */
    changed(change: Pick<StoreChange, "type">): void {
      if (isOfAgents(change)) replace();
    },
    /** Take it away: the daemon stops. */
    remove(): void {
      removeChangeMark(file);
      closeSync(handle);
    },
  };
}

/** From now on everybody asks, until a daemon makes another: for whoever changes the store beside the daemon. */
export function removeChangeMark(file: string): void {
  rmSync(file, { force: true });
}

/** The current mark; null where there is none. */
export function readChangeMark(file: string): string | null {
  try {
    const mark = readFileSync(file, "utf8");
    return mark.length === LENGTH ? mark : null;
  } catch {
    return null;
  }
}

const LENGTH = 36;
