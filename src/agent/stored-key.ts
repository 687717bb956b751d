// What an ask is about. Two asks about the same thing are the same question, whoever made them and whatever words they came with.

import type { StoredAsk } from "./ports.ts";
import { isAboutCommand } from "./unconfined.ts";

/** The parts of an ask that its key is made of, as the store has them or as they are on the wire. */
export type KeyedAsk = Pick<StoredAsk, "offers" | "right"> & {
  readonly path: string | null;
  readonly proposal: { readonly dir: string } | null;
};

/** One root for the session, or one right on one path. INVARIANT: an index of each database works it out too, in the migrations. */
export function storedKey(ask: KeyedAsk): string {
  return ask.offers === "session" && ask.proposal !== null ? `root ${ask.proposal.dir}` : `${ask.right} ${ask.path ?? ""}`;
}

/** Of commands that nothing confines, which all have one key: is it the same text? */
export function isSameCommand(one: Pick<StoredAsk, "about" | "requested">, other: Pick<StoredAsk, "about" | "requested">): boolean {
  return isAboutCommand(one) === isAboutCommand(other) && (!isAboutCommand(one) || one.requested[0] === other.requested[0]);
}

type Question = Pick<StoredAsk, "offers" | "proposal" | "right" | "path" | "about" | "requested" | "content">;

/** INVARIANT: an answer to one is an answer to the other, a no like a yes: of a command to its whole text, of a write to its content. */
export function isSameQuestion(one: Question, other: Question): boolean {
  return storedKey(one) === storedKey(other) && isSameCommand(one, other) && one.content === other.content;
}
