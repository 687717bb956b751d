// Git's own settings with a credential in them: without its settings git does nothing at all, so a command is shown them without the lines
// that hold one.

import { type Pin, pinEntry } from "../core/fs/pin.ts";
import { lendBytesAtOnce, Scratch } from "../core/fs/read.ts";
import { fold } from "../core/path/fold.ts";
import { secretByContent } from "../core/policy/secrets.ts";

const GIT_SETTINGS: ReadonlySet<string> = new Set(["config", "config.worktree", ".gitconfig", ".gitmodules"]);
const MOST_BYTES = 64 * 1024;

/** The text of the file `name` without lines that hold a credential; null where it is no such file, or no such text can be made. */
export function withoutCredentials(dir: Pin, name: string): string | null {
  const holds = GIT_SETTINGS.has(name) ? secretByContent.get(fold(name)) : undefined;
  if (holds === undefined) return null;
  let file: Pin;
  try {
    file = pinEntry(dir, name);
  } catch {
    return null; // gone meanwhile, which is seen when it is covered
  }
  try {
    // What has a second name may be a secret for that.
    const text =
      file.kind === "file" && file.facts.nlink === 1
        ? lendBytesAtOnce(file, MOST_BYTES, new Scratch(), (bytes) => bytes.toString("latin1"))
        : null;
    if (typeof text !== "string") return null;
    // A line goes on after a backslash at its end, and is left out as a whole.
    const remaining = text
      .split(/(?<!\\)\n/)
      .filter((line) => !holds(line))
      .join("\n");
    // INVARIANT: what is shown has been asked about as a whole; a credential may stand in several lines.
    return holds(remaining) ? null : remaining;
  } finally {
    file.close();
  }
}
