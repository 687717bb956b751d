// Carries planned changes out: the record first, a backup beside the file, then the file in one step; and back.

import { dirname } from "node:path";
import { isInside } from "../../core/path/contain.ts";
import { bytesIn, isThere, makeDirectories, missingDirectories, removeDirectories } from "./disk.ts";
import { originalOf, type PlannedChange } from "./planned-change.ts";
import { type ChangeRecord, digest, type Records } from "./records.ts";
import { clearLeftovers, replaceFile, writeNew } from "./replace-file.ts";

/** Write one change. */
export function applyChange(change: PlannedChange, owner: string, records: Records): void {
  const { file, before, after, mode, original, containers, others } = change;
  if (after === null) return;
  const known = records.find(owner, file);
  const directories = [...new Set([...(known?.directories ?? []), ...missingDirectories(dirname(file))])];
  for (const other of others) keepWithBackup(other, records);
  keepWithBackup(
    {
      version: 1,
      owner,
      file,
      before: original === null ? null : original.toString("base64"),
      after: digest(after),
      directories,
      containers: containers.map((path) => [...path]),
      backup: null,
    },
    records,
  );
  // RACE: recorded before they are made, so that one who is interrupted here leaves none that nobody takes away.
  makeDirectories(dirname(file), mode === 0o644 ? 0o755 : 0o700);
  replaceFile(file, { before, after, mode });
}

/** Take one change back: the file as planned, then what we laid beside it. The backup stays where the file is not what it was. */
export function revertChange(change: PlannedChange, owner: string, records: Records): void {
  const { file, before, after, mode, others, note } = change;
  const record = records.find(owner, file);
  if (note !== null && after === null && before !== null) layBackup(freeName(file, before), before);
  replaceFile(file, { before, after, mode });
  for (const other of others) keepWithBackup(other, records);
  if (note === null) return forgetAll(file, owner, records);
  if (after === null) leaveDirectories(removeDirectories(record?.directories ?? []), records);
  if (record !== null) records.forget(owner, file);
}

/** Directories we made that still hold something of ours: whoever takes that away takes them away. */
function leaveDirectories(left: readonly string[], records: Records): void {
  const [outermost] = left;
  if (outermost === undefined) return;
  for (const record of records.below(outermost))
    records.keep({ ...record, directories: [...new Set([...left.filter((dir) => isInside(dir, record.file)), ...record.directories])] });
}

/** Nothing of ours is in the file any more: what lies beside it goes, directories that were made for it, and last the record of all that. */
export function forgetAll(file: string, owner: string, records: Records): void {
  const record = records.find(owner, file);
  if (record === null) return;
  clearLeftovers(file);
  removeBackup(record, records);
  if (!isThere(file)) leaveDirectories(removeDirectories(record.directories), records);
  records.forget(owner, file);
}

/** A record, with the backup of what it says was there; the backup of what it said before goes. */
function keepWithBackup(record: ChangeRecord, records: Records): void {
  const known = records.find(record.owner, record.file);
  if (known !== null && known.before !== record.before) removeBackup(known, records);
  const same = known !== null && known.before === record.before ? known.backup : null;
  const original = originalOf(record);
  const backup = original === null ? null : (same ?? freeName(record.file, original));
  // RACE: recorded before it is laid there, so that one who is interrupted here leaves none that nobody takes away.
  records.keep({ ...record, backup });
  if (backup !== null && original !== null) layBackup(backup, original);
}

/** Only what we laid there, only if it is still that or the beginning of it, and only if no other record has it too. */
function removeBackup({ owner, file, backup, before }: ChangeRecord, records: Records): void {
  if (backup === null || before === null) return;
  if (records.of(file).some((other) => other.owner !== owner && other.backup === backup)) return;
  const copy = bytesIn(backup);
  if (copy !== null && beginsWith(Buffer.from(before, "base64"), copy)) replaceFile(backup, { before: copy, after: null, mode: 0o600 });
}

/** The name of a file's backup beside it: the first that is not taken, or that has these bytes already. */
function freeName(file: string, original: Buffer): string {
  for (let number = 0; ; number += 1) {
    const name = `${file}.hallpass-backup${number === 0 ? "" : `-${number}`}`;
    if (!isThere(name) || bytesIn(name)?.equals(original) === true) return name;
  }
}

/** The file as it was, for its owner alone; one that was interrupted while we wrote it is written anew. */
function layBackup(name: string, original: Buffer): void {
  const existing = bytesIn(name);
  if (existing === null ? isThere(name) : existing.equals(original) || !beginsWith(original, existing)) return;
  if (existing !== null) replaceFile(name, { before: existing, after: null, mode: 0o600 });
  writeNew(name, original, 0o600);
}

const beginsWith = (whole: Buffer, part: Buffer): boolean => whole.subarray(0, part.length).equals(part);
