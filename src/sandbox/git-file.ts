// A `.git` that is a file: one line that says where the git directory is. Submodules, further worktrees and `--separate-git-dir` have one.

import { pinEntry } from "../core/fs/pin.ts";
import { lendBytesAtOnce, Scratch } from "../core/fs/read.ts";
import { resolveTarget } from "../core/fs/resolve.ts";
import { child, isInside, parent } from "../core/path/contain.ts";
import { gitDirectoryNamedIn } from "../core/policy/git-directory.ts";
import type { PinnedEntry } from "./inventory.ts";

const MOST_BYTES = 8192;

/** The real directory below `root` that the file points to; null if it points nowhere, or elsewhere. */
export function gitFileTarget(file: PinnedEntry, root: string): string | null {
  const written = pointerIn(file);
  if (written === null) return null;
  const { target } = resolveTarget(written.startsWith("/") ? written : child(parent(file.path), written));
  target.pin?.close();
  const found = target.state === "present" && target.kind === "dir" && target.path !== root && isInside(root, target.path);
  return found ? target.path : null;
}

function pointerIn({ dir, name }: PinnedEntry): string | null {
  try {
    const file = pinEntry(dir, name);
    try {
      if (file.kind !== "file") return null;
      const text = lendBytesAtOnce(file, MOST_BYTES, new Scratch(), (bytes) => bytes.toString("utf8"));
      return typeof text === "string" ? gitDirectoryNamedIn(text) : null;
    } finally {
      file.close();
    }
  } catch {
    return null; // not to be read by us, and so not by git
  }
}
