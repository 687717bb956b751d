// Computes what a write would make of the files that are there, beforehand and from the files themselves. Writes nothing.
// INVARIANT: a file is read as the session may read it. Of one that it may not read nothing is told, not even whether it is there.

import { createTwoFilesPatch, type StructuredPatch } from "diff";
import { z } from "zod";
import type { PlannedEdit, PlannedSection, PlannedWrite } from "../core/access.ts";
import type { FileChange } from "../core/guard/card-ask.ts";
import { applyFilePatch, namesOf, parsePatchText } from "./patch.ts";
import { decodeText, hasMark } from "./text.ts";
import type { ToolContext } from "./tool.ts";
import { type UndoFile, undoFile } from "./undo-file.ts";

/** What becomes of one file, and the difference as a unified diff; null where none can be shown. */
export interface ShownChange extends FileChange {
  readonly diff: string | null;
  /** By what it could be taken back; null where no difference can be shown. */
  readonly undo: UndoFile | null;
}

export type ChangeContext = Pick<ToolContext, "guard" | "session" | "call" | "limits">;

const text = z.string();
const loose = z.boolean();
/** Planned writes as they were stored or sent; everything else is none. */
export const plannedWrites: z.ZodType<readonly PlannedWrite[]> = z.array(
  z.discriminatedUnion("what", [
    z.object({ what: z.literal("whole"), path: text, content: text }),
    z.object({ what: z.literal("edits"), path: text, edits: z.array(z.object({ old: text, new: text, all: z.boolean() })), loose }),
    z.object({
      what: z.literal("sections"),
      path: text,
      sections: z.array(z.object({ after: z.array(text), old: z.array(text), new: z.array(text) })),
      loose,
    }),
    z.object({ what: z.literal("patch"), patch: text }),
    z.object({ what: z.literal("removal"), path: text }),
    z.object({ what: z.literal("untold"), path: text, why: z.enum(["not-told", "too-large"]) }),
  ]),
);

/** The text of a file, null for one that is not there; or why it cannot be had. */
type OriginalFile = { readonly text: string | null; readonly mark: boolean } | { readonly unshown: NonNullable<ShownChange["unshown"]> };

/** Longer texts are not compared: that could take long, and nobody reads so much on a card. */
const LONGEST = 256 * 1024;
const LONGEST_DIFF = 128 * 1024;
/** Milliseconds. */
const PATIENCE = 250;
/** Of lines, in looking for a place. */
const COMPARISONS = 4_000_000;

/** What these would make of the files as they are now. Never throws: for the person's eyes alone, so a fault shows nothing. */
export async function changesOf(tool: string, planned: readonly PlannedWrite[], looking: ChangeContext): Promise<readonly ShownChange[]> {
  const changes: ShownChange[] = [];
  try {
    for (const one of planned) changes.push(...(await changesBy(tool, one, looking)));
  } catch {
    return [];
  }
  return changes;
}

async function changesBy(tool: string, planned: PlannedWrite, looking: ChangeContext): Promise<readonly ShownChange[]> {
  if (planned.what !== "patch") return [await changeBy(tool, planned, looking)];
  const changes: ShownChange[] = [];
  for (const file of parsePatchText(planned.patch) ?? []) {
    const { before, after } = namesOf(file);
    if (after !== null) changes.push(await changeBy(tool, { what: "hunks", path: after, isNew: before === null, file }, looking));
  }
  return changes;
}

type FileWrite =
  | Exclude<PlannedWrite, { readonly what: "patch" }>
  | { readonly what: "hunks"; readonly path: string; readonly isNew: boolean; readonly file: StructuredPatch };

async function changeBy(tool: string, planned: FileWrite, looking: ChangeContext): Promise<ShownChange> {
  const { path } = planned;
  if (planned.what === "untold") return unshownChange(path, "unknown", planned.why);
  const before = await textBefore(tool, path, looking);
  if (!("text" in before))
    return unshownChange(path, before.unshown === "not-readable" ? "unknown" : doesTo(planned, true), before.unshown);
  const after = textAfter(planned, before.text);
  if (after !== null) return changeTo(path, doesTo(planned, before.text !== null), before, after);
  const isLoose = "loose" in planned && planned.loose;
  return unshownChange(path, doesTo(planned, true), isLoose ? "not-told" : "does-not-fit");
}

function doesTo(planned: FileWrite, isThere: boolean): ShownChange["does"] {
  switch (planned.what) {
    case "removal":
      return "removes";
    case "whole":
      return isThere ? "overwrites" : "creates";
    case "hunks":
      return planned.isNew ? "creates" : "changes";
    case "edits":
    case "sections":
    case "untold":
      return isThere ? "changes" : "creates";
  }
}

/** Null where it does not fit. */
function textAfter(planned: FileWrite, before: string | null): string | null {
  switch (planned.what) {
    case "whole":
      return planned.content;
    case "removal":
      return before === null ? null : "";
    case "edits":
      return planned.edits.reduce<string | null>(
        (text, edit, index) => (index > 0 && text === null ? null : applyEdit(text, edit)),
        before,
      );
    case "sections":
      return before === null ? null : withSections(before, planned.sections);
    case "hunks": {
      // A new file must not be there, and any other one must.
      if (planned.isNew !== (before === null)) return null;
      const text = applyFilePatch(before ?? "", planned.file);
      return typeof text === "string" ? text : null;
    }
    case "untold":
      return null;
  }
}

function applyEdit(text: string | null, { old, new: now, all }: PlannedEdit): string | null {
  if (old === "") return (text ?? "") === "" ? now : null;
  const parts = text?.split(old) ?? [];
  return parts.length === 2 || (parts.length > 2 && all) ? parts.join(now) : null;
}

function withSections(before: string, sections: readonly PlannedSection[]): string | null {
  const lines = before.split("\n");
  let from = 0;
  for (const { after, old, new: now } of sections) {
    for (const line of after) {
      const found = lines.indexOf(line, from);
      if (found === -1) return null;
      from = found + 1;
    }
    // Lines that only come in are put at the end, which the last line's own end is not.
    const at = old.length === 0 ? lines.length - (lines.at(-1) === "" ? 1 : 0) : placeOf(lines, old, from);
    if (at === -1) return null;
    lines.splice(at, old.length, ...now);
    from = at + now.length;
  }
  return lines.join("\n");
}

/** Where these lines stand one after the other, not before `from`; -1 where they do not. */
function placeOf(lines: readonly string[], block: readonly string[], from: number): number {
  let comparisonsLeft = COMPARISONS;
  for (let at = from; at + block.length <= lines.length && comparisonsLeft > 0; at += 1) {
    let same = 0;
    while (same < block.length && lines[at + same] === block[same]) same += 1;
    if (same === block.length) return at;
    comparisonsLeft -= same + 1;
  }
  return -1;
}

async function textBefore(tool: string, path: string, { guard, session, call, limits }: ChangeContext): Promise<OriginalFile> {
  const read = await guard.use({ call, tool, operation: "read", path }, session, (file) =>
    file.lend(Math.min(limits.fileBytes, LONGEST), (bytes) => ({ text: decodeText(bytes), mark: hasMark(bytes) })),
  );
  if (read.verdict !== "allow") return { unshown: "not-readable" };
  // It may be read, and is not there: that the session may know.
  if (!read.done.ok) return read.done.code === "not-found" ? { text: null, mark: false } : { unshown: "not-readable" };
  const { value: content } = read.done;
  if (!content.ok) return { unshown: content.code === "too-large" ? "too-large" : "not-readable" };
  const { text: found, mark } = content.value;
  return found === null ? { unshown: "not-text" } : { text: found, mark };
}

/** The change from what is there to `after`. */
async function changeTo(
  path: string,
  does: ShownChange["does"],
  { text, mark }: Exclude<OriginalFile, { readonly unshown: unknown }>,
  after: string,
): Promise<ShownChange> {
  const before = text ?? "";
  const diff =
    before.length > LONGEST || after.length > LONGEST
      ? undefined
      : createTwoFilesPatch(path, path, before, after, undefined, undefined, { context: 3, timeout: PATIENCE });
  if (diff === undefined || diff.length > LONGEST_DIFF) return unshownChange(path, does, "too-large");
  return { path, does, unshown: null, diff, undo: await undoFile(path, text, mark, after) };
}

const unshownChange = (path: string, does: ShownChange["does"], unshown: NonNullable<ShownChange["unshown"]>): ShownChange => ({
  path,
  does,
  unshown,
  diff: null,
  undo: null,
});

/** All of them as one text; null where none can be shown. */
export function wholeDiff(changes: readonly ShownChange[]): string | null {
  const diffs = changes.flatMap(({ diff }) => (diff === null ? [] : [diff]));
  return diffs.length === 0 ? null : diffs.join("\n");
}
