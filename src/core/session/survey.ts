// What a person should know before saying yes to a directory: other repositories inside it, secrets that stay withheld, whether it
// is a worktree or a submodule. A bounded look on pinned directories; where it stops early it says so.

import { entriesIn } from "../fs/at.ts";
import { type Pin, pin, pinEntry } from "../fs/pin.ts";
import { lendBytesAtOnce, Scratch, TOO_LARGE } from "../fs/read.ts";
import type { CompiledPolicy, NameWalk } from "../policy/compile.ts";

export interface Survey {
  /** Repositories below the root, not counting the root itself. */
  readonly repositories: number;
  /** Files and directories that stay withheld after a yes. */
  readonly secrets: number;
  readonly files: number;
  readonly worktree: boolean;
  readonly submodule: boolean;
  /** False where the look stopped before the end; then every count is "at least". */
  readonly complete: boolean;
}

/** Words for the wire and for screens, in the order a person should read them. */
export type Flag = "contains-repos" | "contains-secrets" | "worktree" | "submodule";

export function flagsOf(survey: Survey): readonly Flag[] {
  const flags: Flag[] = [];
  if (survey.repositories > 0) flags.push("contains-repos");
  if (survey.secrets > 0) flags.push("contains-secrets");
  if (survey.worktree) flags.push("worktree");
  if (survey.submodule) flags.push("submodule");
  return flags;
}

/** How many entries are looked at: enough for most repositories, and a few milliseconds at the most. */
const ENTRIES = 4000;
const HELD = 256;

/** Look at the real directory `dir`. Null if it cannot be looked at. */
export function survey(dir: string, policy: CompiledPolicy): Survey | null {
  const pending: { readonly at: Pin; readonly names: NameWalk; readonly top: boolean }[] = [];
  let repositories = 0;
  let secrets = 0;
  let files = 0;
  let seen = 0;
  let pointer: string | null = null;
  try {
    pending.push({ at: pin(dir), names: policy.secrets.walk(dir), top: true });
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      const { at, names, top } = next;
      try {
        for (const entry of entriesIn(at)) {
          if (++seen > ENTRIES) break;
          if (entry === null) continue;
          const { name, kind } = entry;
          if (name === ".git") {
            if (!top) repositories += 1;
            else if (kind === "file") pointer = pointerIn(at);
          } else if (names.has(name)) {
            secrets += 1;
          } else if (kind === "dir" && name !== "node_modules") {
            // Every directory to come is held; a wide tree must not use up what the process may hold.
            if (pending.length >= HELD) {
              seen = ENTRIES + 1;
              break;
            }
            pending.push({ at: pinEntry(at, name), names: names.enter(name), top: false });
          } else if (kind === "file") {
            files += 1;
          }
        }
      } finally {
        at.close();
      }
      if (seen > ENTRIES) break;
    }
  } catch {
    if (seen === 0) return null;
    seen = ENTRIES + 1;
  } finally {
    for (const { at } of pending) at.close();
  }
  return {
    repositories,
    secrets,
    files,
    worktree: /\/worktrees\//.test(pointer ?? ""),
    submodule: /\/modules\//.test(pointer ?? ""),
    complete: seen <= ENTRIES,
  };
}

/** What a `.git` file says, to name it a worktree or a submodule. Read as a label; it leads nowhere. */
function pointerIn(at: Pin): string | null {
  const file = pinEntry(at, ".git");
  try {
    const text = file.kind === "file" ? lendBytesAtOnce(file, 4096, new Scratch(), (bytes) => bytes.toString("utf8")) : "";
    return text === TOO_LARGE ? null : text;
  } finally {
    file.close();
  }
}
