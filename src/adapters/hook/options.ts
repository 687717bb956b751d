// Parses the arguments after `hallpass hook <host>`. An unknown argument is a fault, and a fault blocks.

import { show } from "../../core/path/show.ts";

export interface HookOptions {
  /** The workspace, if it is not the host's or where the hook was started. */
  readonly workspace: string | null;
  /** The operator's policy, if it is another file than the usual one. */
  readonly operatorFile: string | null;
  /** Tools that touch no files, by name or by a beginning of it with `*`. */
  readonly lets: readonly string[];
  /**
   * Directories granted for reading by whoever starts the hook, as `device:inode:birth:path`, or without the birth where it is not known;
   * only where no daemon answers.
   */
  readonly grants: readonly string[];
  /** Open an ask in the daemon's inbox for what may be granted, and wait for the answer a while. */
  readonly ask: boolean;
  /** Wait so many seconds for it, as long as the host allows; null: a few. */
  readonly wait: number | null;
  readonly attended: boolean;
  /** Start the daemon where none answers. */
  readonly start: boolean;
  /** The hook's own deadline. */
  readonly milliseconds: number;
}

const DEADLINE = 5_000;

export function readOptions(
  words: readonly string[],
): { readonly ok: true; readonly options: HookOptions } | { readonly ok: false; readonly why: string } {
  let options: HookOptions = {
    workspace: null,
    operatorFile: null,
    lets: [],
    grants: [],
    ask: false,
    wait: null,
    attended: true,
    start: false,
    milliseconds: DEADLINE,
  };
  const rest = words.flatMap((word) => {
    const at = word.startsWith("--") ? word.indexOf("=") : -1;
    return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
  });
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    if (word === "--ask") options = { ...options, ask: true };
    else if (word === "--start") options = { ...options, start: true };
    else if (word === "--unattended") options = { ...options, attended: false };
    else {
      at += 1;
      const value = rest[at];
      if (value === undefined || value === "") return { ok: false, why: `\`${show(word)}\` is not understood, or lacks its value` };
      if (word === "--workspace") options = { ...options, workspace: value };
      else if (word === "--policy" && value.startsWith("/")) options = { ...options, operatorFile: value };
      else if (word === "--let") options = { ...options, lets: [...options.lets, value] };
      else if (word === "--grant" && /^\d+:\d+:(?:\d+(?:\.\d+)?:)?\//u.test(value))
        options = { ...options, grants: [...options.grants, value] };
      else if (word === "--wait" && /^\d{1,4}$/u.test(value)) options = { ...options, wait: Number(value) };
      else if (word === "--deadline" && /^\d{3,5}$/u.test(value)) options = { ...options, milliseconds: Number(value) };
      else return { ok: false, why: `\`${show(word)} ${show(value)}\` is not understood` };
    }
  }
  return { ok: true, options };
}
