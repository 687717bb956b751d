// Does git ignore this path? The .gitignore files from the root down are read through pins; used only where a policy cares.

import { pin, pinEntry, type Pin } from "../fs/pin.ts";
import { lendBytesAtOnce, Scratch, TOO_LARGE } from "../fs/read.ts";
import { below } from "../path/contain.ts";
import { type Ignores, rootIgnores } from "../policy/gitignore.ts";

/** Larger ignore files are not read: nobody writes them, and a repository must not make judging slow. */
const IGNORE_BYTES = 256 * 1024;
/** As much of all of them together is read to judge one path, which holds up the process. */
const JUDGED_BYTES = 64 * 1024;

/** Is `path` (in `root`) ignored, itself or through a directory above it? A last directory counts as one. Where there is too much to read, it is. */
export function isGitignored(root: string, path: string, isDirectory: boolean): boolean {
  const names = below(root, path).split("/");
  let at: Pin = pin(root);
  let left = JUDGED_BYTES;
  try {
    const top = readIgnores(at, left);
    if (top === TOO_LARGE) return true;
    left -= top?.length ?? 0;
    let ignores = rootIgnores(top);
    for (const [index, name] of names.entries()) {
      if (name === "") return false;
      const last = index === names.length - 1;
      if (ignores.ignores(name, last ? isDirectory : true)) return true;
      if (last) return false;
      const next = pinEntry(at, name);
      at.close();
      at = next;
      if (at.kind !== "dir") return false;
      const own = readIgnores(at, left);
      if (own === TOO_LARGE) return true;
      left -= own?.length ?? 0;
      ignores = ignores.enter(name, own);
    }
    return false;
  } catch {
    // A directory on the way is not there (a file about to be created): what could be read has not ignored it.
    return false;
  } finally {
    at.close();
  }
}

/** What the ignore files from `root` down say about the entries of the pinned directory at `path`; its own file included. */
export function ignoresAt(root: string | null, path: string, directory: Pin): Ignores {
  if (root === null || root === path) return rootIgnores(ignoreFileIn(directory));
  const names = below(root, path).split("/");
  let at: Pin = pin(root);
  try {
    let ignores = rootIgnores(ignoreFileIn(at));
    for (const name of names) {
      const next = pinEntry(at, name);
      at.close();
      at = next;
      ignores = ignores.enter(name, at.kind === "dir" ? ignoreFileIn(at) : null);
    }
    return ignores;
  } catch {
    return rootIgnores(ignoreFileIn(directory));
  } finally {
    at.close();
  }
}

/** The text of the directory's own .gitignore; null if it has none that can be read. A link in its place is not followed. */
export function ignoreFileIn(directory: Pin): string | null {
  const text = readIgnores(directory, IGNORE_BYTES);
  return text === TOO_LARGE ? null : text;
}

function readIgnores(directory: Pin, most: number): string | typeof TOO_LARGE | null {
  let file: Pin;
  try {
    file = pinEntry(directory, ".gitignore");
  } catch {
    return null;
  }
  try {
    return file.kind === "file" ? lendBytesAtOnce(file, Math.max(0, most), new Scratch(), (bytes) => bytes.toString("utf8")) : null;
  } catch {
    return null;
  } finally {
    file.close();
  }
}
