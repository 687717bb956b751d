// What a person should know before saying yes to a directory: other repositories inside it, secrets and files that stay withheld, whether
// it is a worktree or a submodule. A bounded look on pinned directories; where it stops early it says so.

import { entriesIn } from "../fs/at.ts";
import { type Pin, pin, pinEntry } from "../fs/pin.ts";
import { lendBytesAtOnce, Scratch, TOO_LARGE } from "../fs/read.ts";
import { child } from "../path/contain.ts";
import type { CompiledPolicy, NameWalk } from "../policy/compile.ts";
import { evaluate } from "../policy/evaluate.ts";
import type { Verdict } from "../policy/rule.ts";

/** What is in a directory that a yes would open, counted. */
export interface Survey {
  /** Repositories below the root, not counting the root itself. */
  readonly repositories: number;
  /** Files and directories that stay withheld after a yes. */
  readonly secrets: number;
  /** Files that a yes opens. */
  readonly files: number;
  /** Files and directories that a rule denies, and files that a rule asks about each time; missing where there are none. */
  readonly shut?: number | undefined;
  readonly asked?: number | undefined;
  /** What the policy says about files that git ignores, and about files with several names, where it does not allow them. */
  readonly gitignored?: "ask" | "deny" | undefined;
  readonly hardlinks?: "ask" | "deny" | undefined;
  /** There is a `node_modules`, in which nothing was counted. */
  readonly uncounted?: true | undefined;
  readonly worktree: boolean;
  readonly submodule: boolean;
  /** False where the look stopped before the end; then every count is "at least". */
  readonly complete: boolean;
}

/** What a person should know about a directory before a yes, the most important first. */
export type Flag = "contains-repos" | "contains-secrets" | "worktree" | "submodule";

/** What a person should know about a directory before a yes. */
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
  const pending: { readonly at: Pin; readonly path: string; readonly names: NameWalk; readonly top: boolean }[] = [];
  const verdictOn = rulesIn(dir, policy);
  let repositories = 0;
  let secrets = 0;
  let files = 0;
  let shut = 0;
  let askedAbout = 0;
  let uncounted = false;
  let seen = 0;
  let pointer: string | null = null;
  try {
    pending.push({ at: pin(dir), path: dir, names: policy.secrets.walk(dir), top: true });
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      const { at, path, names, top } = next;
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
          } else if ((kind === "dir" || kind === "file") && verdictOn(child(path, name)) === "deny") {
            shut += 1;
          } else if (kind === "dir" && name === "node_modules") {
            uncounted = true;
          } else if (kind === "dir") {
            // Every directory to come is held; a wide tree must not use up what the process may hold.
            if (pending.length >= HELD) {
              seen = ENTRIES + 1;
              break;
            }
            pending.push({ at: pinEntry(at, name), path: child(path, name), names: names.enter(name), top: false });
          } else if (kind === "file") {
            if (verdictOn(child(path, name)) === "ask") askedAbout += 1;
            else files += 1;
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
  const { gitignored, hardlinks } = policy.policy;
  return {
    repositories,
    secrets,
    files,
    ...(shut === 0 ? {} : { shut }),
    ...(askedAbout === 0 ? {} : { asked: askedAbout }),
    ...(gitignored === "allow" ? {} : { gitignored }),
    ...(hardlinks === "allow" ? {} : { hardlinks }),
    ...(uncounted ? { uncounted } : {}),
    worktree: /\/worktrees\//.test(pointer ?? ""),
    submodule: /\/modules\//.test(pointer ?? ""),
    complete: seen <= ENTRIES,
  };
}

/** What rules will say about reading a path in `dir`, were it granted. */
function rulesIn(dir: string, policy: CompiledPolicy): (path: string) => Verdict | null {
  const hasRules = policy.layers.some(({ read }) => read.anywhere.size + read.rooted.size + read.outside.size > 0);
  if (!hasRules) return () => null;
  const place = { root: dir, outsideWorkspace: true, outsideScope: false };
  return (path) => evaluate(policy, path, "read", place).strictest?.verdict ?? null;
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
