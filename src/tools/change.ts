// What a write would make of the files that are there: worked out beforehand, against the files themselves, and nothing is written.
// INVARIANT: a file is read as the session may read it. Of one that it may not read nothing is told, not even whether it is there.

import { createTwoFilesPatch } from "diff";
import type { FileChange } from "../core/guard/card-ask.ts";
import { decodeText } from "./text.ts";
import type { Surroundings } from "./tool.ts";

/** What becomes of one file, and the difference as a unified diff; null where none can be shown. */
export interface Change extends FileChange {
  readonly diff: string | null;
}

export type Looking = Pick<Surroundings, "guard" | "session" | "call" | "limits">;

/** The text of a file, null for one that is not there; or why it cannot be had. */
export type Before = { readonly text: string | null } | { readonly unshown: NonNullable<Change["unshown"]> };

/** Longer texts are not compared: that could take long, and nobody reads so much on a card. */
const LONGEST = 256 * 1024;
const LONGEST_DIFF = 128 * 1024;
/** Milliseconds. */
const PATIENCE = 250;

export async function textBefore(tool: string, path: string, { guard, session, call, limits }: Looking): Promise<Before> {
  const read = await guard.use({ call, tool, operation: "read", path }, session, (file) =>
    file.lend(Math.min(limits.fileBytes, LONGEST), decodeText),
  );
  if (read.verdict !== "allow") return { unshown: "not-readable" };
  // It may be read, and is not there: that the session may know.
  if (!read.done.ok) return read.done.code === "not-found" ? { text: null } : { unshown: "not-readable" };
  const { value: content } = read.done;
  if (!content.ok) return { unshown: content.code === "too-large" ? "too-large" : "not-readable" };
  return content.value === null ? { unshown: "not-text" } : { text: content.value };
}

/** The change from what is there to `after`. */
export function changeTo(path: string, does: Change["does"], before: string, after: string): Change {
  const diff =
    before.length > LONGEST || after.length > LONGEST
      ? undefined
      : createTwoFilesPatch(path, path, before, after, undefined, undefined, { context: 3, timeout: PATIENCE });
  if (diff === undefined || diff.length > LONGEST_DIFF) return unshownChange(path, does, "too-large");
  return { path, does, unshown: null, diff };
}

export const unshownChange = (path: string, does: Change["does"], unshown: NonNullable<Change["unshown"]>): Change => ({
  path,
  does,
  unshown,
  diff: null,
});

/** All of them as one text; null where none can be shown. */
export function wholeDiff(changes: readonly Change[]): string | null {
  const diffs = changes.flatMap(({ diff }) => (diff === null ? [] : [diff]));
  return diffs.length === 0 ? null : diffs.join("\n");
}
