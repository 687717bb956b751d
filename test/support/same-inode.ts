// Another directory with the inode of one that was removed, on a file system that gives inodes out again: ext4 does at once, tmpfs never.

import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How many directories are made until the inode has to have come back. */
const TRIES = 4000;

/**
 * Remove `dir` with everything in it and make an empty one of its name that has its inode. False, with nothing at `dir`, where that does
 * not come back: the file system does not give inodes out again, or somebody else has got it.
 */
export function replaceWithSameInode(dir: string): boolean {
  const { ino } = statSync(dir);
  rmSync(dir, { recursive: true });
  const others: string[] = [];
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const made = `${dir}-${tries}`;
      mkdirSync(made);
      if (statSync(made).ino === ino) {
        renameSync(made, dir);
        return true;
      }
      // It stays for now: what is taken does not come again.
      others.push(made);
    }
    return false;
  } finally {
    for (const other of others) rmdirSync(other);
  }
}

/** A place for trees in which inodes come back; null where this machine has none, said on the console. */
export function reusingSoil(): string | null {
  const places = [...new Set([tmpdir(), "/var/tmp"])];
  const found = places.find((place) => {
    try {
      const base = mkdtempSync(join(place, "hallpass-inode-"));
      try {
        mkdirSync(join(base, "d"));
        return replaceWithSameInode(join(base, "d"));
      } finally {
        rmSync(base, { recursive: true, force: true });
      }
    } catch {
      return false;
    }
  });
  if (found === undefined)
    console.log(`skipped: no inode came back in ${TRIES} tries in ${places.join(" or ")}; ext4 gives them out again`);
  return found ?? null;
}
