// A wanted file × the disk → one change, or none, or why not. Nothing is written here; `apply-change.ts` writes.

import { isUtf8 } from "node:buffer";
import { HallpassError } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import { findFile, type FoundFile, mustBeWritable } from "./disk.ts";
import { fitting } from "./fitting.ts";
import { faultOf } from "./json-faults.ts";
import { addEntries, hasEntries, missingContainers, removeEntries } from "./json-text.ts";
import { type MergedFile, keepingAdded } from "./kept-keys.ts";
import { type ChangeRecord, digest, type Records } from "./records.ts";
import { addBlock, addLines, hasBlock, removeBlock } from "./toml-text.ts";
import type { EditedText, WantedFile } from "./wanted-file.ts";

export interface PlannedChange {
  /** Where it really is. */
  readonly file: string;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
  readonly mode: number;
  /** What the file was before we ever touched it, as far as it can be told. */
  readonly original: Buffer | null;
  readonly containers: readonly (readonly string[])[];
  /** What other commands of ours recorded of this file, as it would be had this one never written: each can then be taken back by itself. */
  readonly others: readonly ChangeRecord[];
  /** For the person: what is not as it was, though we took our part out. */
  readonly note: string | null;
  /** For the person: what they added to our entries and is kept there, and what is not. */
  readonly added: Pick<MergedFile, "kept" | "dropped">;
}

const NOTHING_ADDED: PlannedChange["added"] = { kept: [], dropped: [] };

/** What writing `wanted` would change; null where everything is there already. Throws `bad-request` with the place of a fault. */
export function planInstallation(requested: WantedFile, owner: string, records: Records, within: string | null): PlannedChange | null {
  const found = findWanted(requested, within);
  const record = records.find(owner, found.file);
  const text = textOf(found);
  const { wanted: withOwnerKeys, added } = withAdded(requested, text, record, found.file);
  const wanted = fitting(withOwnerKeys, text ?? "", found.file);
  if (wanted === null) return null;
  if (text !== null && isWritten(text, wanted)) return null;
  if (wanted.kind === "own" && text !== null && !text.includes(wanted.mark))
    throw new HallpassError("bad-request", `\`${show(found.file)}\` is somebody else's file; it was left alone`);
  // What was there first is known if nobody wrote since; else it is what stays when our part is taken out.
  const isUntouched = record !== null && found.bytes !== null && digest(found.bytes) === record.after;
  const original =
    isUntouched && record !== null ? originalOf(record) : found.bytes === null ? null : withoutOurPart(found, wanted, record);
  const base = original === null ? "" : withoutMark(original.toString("utf8"));
  const edited = write(base, wanted, found.file);
  if (!edited.ok) throw new HallpassError("bad-request", edited.why);
  const after = encode(edited.text, original);
  if (found.bytes?.equals(after) === true) return null;
  mustBeWritable(found);
  const containers = wanted.kind === "json" ? missingContainers(base.trim() === "" ? "{}" : base, wanted.entries) : [];
  const others = record === null || isUntouched ? [] : recordsWithout(wanted, record, { found, after: original, records });
  const mode = wanted.kind === "own" && wanted.isProgram === true ? 0o700 : found.mode;
  return { file: found.file, before: found.bytes, after, mode, original, containers, others, note: null, added };
}

/**
 * What is wanted, with what was added to our entries. INVARIANT: only from a file this installation wrote: a repository could bring an entry
 * that looks like ours, with words that let other code in.
 */
function withAdded(
  requested: WantedFile,
  text: string | null,
  record: ChangeRecord | null,
  file: string,
): { readonly wanted: WantedFile; readonly added: PlannedChange["added"] } {
  if (text === null || text.trim() === "") return { wanted: requested, added: NOTHING_ADDED };
  const why = requested.kind === "json" ? faultOf(text, file) : null;
  if (why !== null) throw new HallpassError("bad-request", why);
  const { wanted, kept, dropped } = keepingAdded(requested, text);
  return record === null
    ? { wanted: requested, added: { kept: [], dropped: [...kept, ...dropped] } }
    : { wanted, added: { kept, dropped } };
}

/** What taking `wanted` out would change; null where nothing of it is there. */
export function planRemoval(wanted: WantedFile, owner: string, records: Records, within: string | null): PlannedChange | null {
  const found = findWanted(wanted, within);
  const record = records.find(owner, found.file);
  const { file, bytes: before, mode } = found;
  if (before === null || (wanted.kind === "own" && !(textOf(found) ?? "").includes(wanted.mark))) return null;
  const change = { file, before, mode, original: null, containers: [], others: [], added: NOTHING_ADDED };
  mustBeWritable(found);
  if (record !== null && digest(before) === record.after) return { ...change, after: originalOf(record), note: null };
  if (record !== null && originalOf(record)?.equals(before) === true) return null;
  const after = withoutOurPart(found, wanted, record);
  if (after?.equals(before) === true) return null;
  const others = record === null ? [] : recordsWithout(wanted, record, { found, after, records });
  // Another command of ours wrote last, and nobody since: nothing of anybody else's is touched.
  if (record !== null && records.of(file).some((other) => other.owner !== owner && other.after === digest(before)))
    return { ...change, after, others, note: null };
  const outcome = after === null ? "it was removed, and a copy lies beside it" : "only our part was taken out";
  return { ...change, after, others, note: `\`${show(file)}\` was changed since; ${outcome}` };
}

/** The records of other commands for the file, without what `record` stands for: `after` is the file with our part taken out. */
function recordsWithout(
  wanted: WantedFile,
  record: ChangeRecord,
  { found, after, records }: { readonly found: FoundFile; readonly after: Buffer | null; readonly records: Records },
): readonly ChangeRecord[] {
  const currentDigest = found.bytes === null ? "" : digest(found.bytes);
  return records
    .of(found.file)
    .filter(({ owner }) => owner !== record.owner)
    .map((other) => {
      const before = originalOf(other);
      const original =
        before === null
          ? null
          : digest(before) === record.after
            ? originalOf(record)
            : withoutOurPart({ ...found, bytes: before }, wanted, record);
      return {
        ...other,
        before: original === null ? null : original.toString("base64"),
        after: other.after === currentDigest && after !== null ? digest(after) : other.after,
        // What was made for our part and is still needed is theirs to take away.
        directories: [...new Set([...record.directories, ...other.directories])],
        containers: [...record.containers, ...other.containers],
      };
    });
}

export function originalOf({ before }: ChangeRecord): Buffer | null {
  return before === null ? null : Buffer.from(before, "base64");
}

/** Of several names the one that exists. Two of them are one too many: hosts differ in which they read. */
function findWanted(wanted: WantedFile, within: string | null): FoundFile {
  const candidates = wanted.files.map((file) => findFile(file, wanted.kind === "own" && wanted.isOurs === true ? null : within));
  const [existing, second] = candidates.filter(({ bytes }) => bytes !== null);
  if (existing !== undefined && second !== undefined)
    throw new HallpassError("bad-request", `\`${show(existing.file)}\` and \`${show(second.file)}\` both exist; keep one of them`);
  const [first] = candidates;
  if (existing === undefined && first === undefined) throw new HallpassError("guard-fault", "no file was named");
  return existing ?? first ?? { file: "", bytes: null, mode: 0o600 };
}

function isWritten(text: string, wanted: WantedFile): boolean {
  if (wanted.kind === "own") return text === wanted.text;
  if (wanted.kind === "lines") return hasBlock(text, { name: wanted.name, head: [], body: wanted.lines });
  return wanted.kind === "json" ? text.trim() !== "" && hasEntries(text, wanted.entries) : hasBlock(text, wanted.block);
}

function write(base: string, wanted: WantedFile, file: string): EditedText {
  if (wanted.kind === "own") return { ok: true, text: wanted.text };
  if (wanted.kind === "lines") return addLines(base, wanted.name, wanted.lines, file);
  return wanted.kind === "json" ? addEntries(base, wanted.entries, file) : addBlock(base, wanted.block, file, wanted.refuse);
}

/** The file with our part taken out; null where nothing else is in it and we made it. */
function withoutOurPart(found: FoundFile, wanted: WantedFile, record: ChangeRecord | null): Buffer | null {
  const text = textOf(found) ?? "";
  if (wanted.kind === "own" || text.trim() === "") return wanted.kind === "own" ? null : found.bytes;
  const edited =
    wanted.kind === "json"
      ? removeEntries(text, wanted.entries, record?.containers ?? [], found.file)
      : removeBlock(text, wanted.kind === "lines" ? wanted.name : wanted.block.name, found.file);
  if (!edited.ok) throw new HallpassError("bad-request", edited.why);
  const empty = /^\s*(?:\{\s*\})?\s*$/u.test(edited.text);
  return empty && record?.before === null ? null : encode(edited.text, found.bytes);
}

const MARK = "\u{FEFF}";

function textOf({ file, bytes }: FoundFile): string | null {
  if (bytes === null) return null;
  // What cannot be read as text would come back changed.
  if (!isUtf8(bytes)) throw new HallpassError("bad-request", `${show(file)}:1:1: this is not UTF-8 text`);
  return withoutMark(bytes.toString("utf8"));
}

const withoutMark = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text);

/** With a byte order mark if there was one. */
function encode(text: string, like: Buffer | null): Buffer {
  return Buffer.from(like?.toString("utf8").startsWith(MARK) === true ? MARK + text : text);
}
