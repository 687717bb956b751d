// Which directory this is, whatever it is called by now, and whatever has its inode by now: file systems give the inode of what was
// removed to the next thing made (ext4 at once), so device and inode tell apart only what exists at the same time. The birth does the rest.

import type { Facts } from "./platform.ts";

/** Device and inode: which of the things that exist now. While one is pinned, nothing else gets its inode. */
export interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/** The same, to be kept for longer than the thing may exist: in a session, a store, a question that waits for its answer. */
export interface LastingIdentity extends Identity {
  /** When it was made, in milliseconds; null where nobody can tell. A change of it, of its entries or of its name is no birth. */
  readonly born: number | null;
}

/** As it is read back: what was kept by an earlier version has no birth. */
export interface KeptIdentity extends Identity {
  readonly born?: number | null;
}

/**
 * Is it the one that was kept? Where no birth was kept, device and inode decide.
 * INVARIANT: a birth that was kept and cannot be told any more is not the same one. Whoever is in doubt asks again.
 */
export function isSame(stored: KeptIdentity, now: LastingIdentity): boolean {
  return now.ino === stored.ino && now.dev === stored.dev && isSameBirth(stored.born, now.born);
}

/** The same, asked of what the kernel says of a thing: no look more than the one that gave the facts. */
export function isStillIt(stored: KeptIdentity, facts: Facts): boolean {
  return facts.ino === stored.ino && facts.dev === stored.dev && isSameBirth(stored.born, facts.birthtimeMs);
}

/** Do two looks at a name show the same thing? For platforms that cannot hold one: between the two it may have been replaced. */
export function isUnreplaced({ dev, ino, birthtimeMs }: Facts, later: Facts): boolean {
  return isStillIt({ dev, ino, born: birthtimeMs }, later);
}

const isSameBirth = (stored: number | null | undefined, now: number | null): boolean =>
  stored === undefined || stored === null || now === stored;
