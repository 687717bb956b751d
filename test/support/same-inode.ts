// Another directory with the inode of one that was removed, on a file system that gives inodes out again: ext4 does at once, tmpfs never.
// Somebody else on the machine may get it first. Then nothing has been shown: what led there is made again from its beginning.

import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How many directories are made until the inode has to have come back. */
const TRIES = 4000;

/** How often somebody else may get it. */
const LOST = 50;

/** Somebody else has got the inode, or the file system does not give inodes out again. */
class InodeGone extends Error {}

/**
 * Remove `dir` with everything in it and make an empty one of its name that has its inode and is younger. Throws `InodeGone` where that does not
 * come back, with nothing at `dir`.
 */
export async function replaceWithSameInode(dir: string): Promise<void> {
  const { ino, birthtimeMs } = statSync(dir);
  await untilLater(dir, birthtimeMs);
  // Its own inode is the last to be given back, and asked for at once.
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
  const others: string[] = [];
  rmdirSync(dir);
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const made = `${dir}-${tries}`;
      mkdirSync(made);
      if (statSync(made).ino === ino) return renameSync(made, dir);
      // It stays for now: what is taken does not come again.
      others.push(made);
    }
    throw new InodeGone(`somebody else has got the inode of ${dir}`);
  } finally {
    for (const other of others) rmdirSync(other);
  }
}

/** Births are as fine as the kernel's clock ticks: until what is made beside `dir` is younger than this. */
async function untilLater(dir: string, born: number): Promise<void> {
  for (;;) {
    const beside = mkdtempSync(`${dir}-`);
    const now = statSync(beside).birthtimeMs;
    rmdirSync(beside);
    if (now > born || now === 0) return;
    await sleep(1);
  }
}

/** Do `work`, in which an inode is to come back, from its beginning until it has. Whatever else it throws is thrown. */
export async function whereInodeComesBack<T>(work: () => Promise<T>): Promise<T> {
  for (let lost = 1; ; lost += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof InodeGone) || lost === LOST) throw error;
    }
  }
}

/** A place for trees in which inodes come back; null where this machine has none, said on the console. */
export async function reusingSoil(): Promise<string | null> {
  const places = [...new Set([tmpdir(), "/var/tmp"])];
  for (const place of places) if (await reuses(place)) return place;
  console.log(`skipped: no inode came back in ${TRIES} tries in ${places.join(" or ")}; ext4 gives them out again`);
  return null;
}

async function reuses(place: string): Promise<boolean> {
  for (let lost = 0; lost < 3; lost += 1) {
    let base = "";
    try {
      base = mkdtempSync(join(place, "hallpass-inode-"));
      mkdirSync(join(base, "d"));
      await replaceWithSameInode(join(base, "d"));
      return true;
    } catch {
      // It may have been somebody else's turn.
    } finally {
      if (base !== "") rmSync(base, { recursive: true, force: true });
    }
  }
  return false;
}
