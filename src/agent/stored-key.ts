// What an ask is about, as one text. Two asks of the same one are the same question, whoever made them and whatever words they came with.

import type { StoredAsk } from "./ports.ts";

/** One root for the session, or one right on one path. INVARIANT: an index of each database works it out too, in the migrations. */
export function storedKey(ask: Pick<StoredAsk, "offers" | "proposal" | "right" | "path">): string {
  return ask.offers === "session" && ask.proposal !== null ? `root ${ask.proposal.dir}` : `${ask.right} ${ask.path ?? ""}`;
}
