// Secrets that their own name does not give away: a file that holds a token only sometimes, and a second name (hard link) of a
// secret nearby. Looked for only where the name or the link count gives cause.

import { entriesIn, statEntry } from "../fs/at.ts";
import { type Pin, pin } from "../fs/pin.ts";
import { lendBytesAtOnce, Scratch } from "../fs/read.ts";
import { basename, parent } from "../path/contain.ts";
import { fold } from "../path/fold.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { secretByContent } from "../policy/secret-content.ts";
import { Names, TooManyNames } from "./looked-through.ts";

const LOOK_BYTES = 1024 * 1024;

/** Why the pinned regular file is a secret in spite of its name; null if it is not, as far as can be told. */
export function hiddenSecret(file: Pin, path: string, root: string | null, policy: CompiledPolicy): string | null {
  const isSecret = secretByContent.get(fold(basename(path)));
  if (isSecret !== undefined && holds(file, isSecret)) return "holds a token";
  return file.facts.nlink > 1 ? aliasOf(file, [...new Set([parent(path), ...(root === null ? [] : [root])])], policy) : null;
}

function aliasOf(file: Pin, dirs: readonly string[], policy: CompiledPolicy): string | null {
  try {
    return namesSecret(file, dirs, policy) ? "another name of a secret" : null;
  } catch (error) {
    if (error instanceof TooManyNames) return "a file with several names, among too many names to check";
    throw error;
  }
}

function holds(file: Pin, isSecret: (text: string) => boolean): boolean {
  const mayBeSecret = lendBytesAtOnce(file, LOOK_BYTES, new Scratch(), (bytes) => isSecret(bytes.toString("latin1")));
  // Too large to look at is answered with care: such files are a few lines long.
  return mayBeSecret !== false;
}

/** Does a secret in one of these directories have the same inode? Other places cannot be searched at every read (limit L1). Throws `TooManyNames`. */
function namesSecret(file: Pin, dirs: readonly string[], policy: CompiledPolicy): boolean {
  const seen = new Names();
  return dirs.some((dir) => {
    const names = policy.secrets.walk(dir);
    const at = pin(dir);
    try {
      for (const entry of entriesIn(at)) {
        seen.count();
        if (entry?.kind !== "file" || !names.has(entry.name)) continue;
        const facts = statEntry(at, entry.name)?.facts;
        if (facts !== undefined && facts.ino === file.facts.ino && facts.dev === file.facts.dev) return true;
      }
      return false;
    } finally {
      at.close();
    }
  });
}
