// What lists and pages say of how much a grant or a kept rule was used.

import { NETWORK } from "../core/access.ts";

/** `3 reads counted`; of the network, `3 commands`. `isComplete`: false where there may be more than were looked at. */
export function usedWords({ path, reads }: { readonly path: string; readonly reads: number }, isComplete = true): string {
  const number = reads === 0 ? "no" : reads.toLocaleString("en");
  const what = path === NETWORK ? "command" : "read";
  const counted = `${number} ${what}${reads === 1 ? "" : "s"}${isComplete ? "" : " or more"}`;
  return path === NETWORK ? counted : `${counted} counted`;
}

/** What a count of reads does not have: the sandbox shows a command the directory, and nobody sees what it reads there. */
export const UNCOUNTED = "What commands in the sandbox read is not counted.";
