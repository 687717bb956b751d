// Carries planned changes out: the record first, a backup beside the file, then the file in one step; and back.

import { dirname } from "node:path";
import { isInside } from "../../core/path/contain.ts";
import { bytesOf, makeDirectories, removeDirectories, replaceFile, writeNew } from "./disk.ts";
import { originalOf, type PlannedChange } from "./planned-change.ts";
import { type ChangeRecord, digest, type Records } from "./records.ts";

/** Write one change. */
export function carryOut(change: PlannedChange, owner: string, records: Records): void {
  const { file, before, after, mode, original, containers, others } = change;
  if (after === null) return;
  const known = records.find(owner, file);
  const directories = [...(known?.directories ?? []), ...makeDirectories(dirname(file), mode === 0o644 ? 0o755 : 0o700)];
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
  replaceFile(file, { before, after, mode });
}

/** Take one change back: the file as planned, then what we laid beside it. The backup stays where the file is not what it was. */
export function takeBack(change: PlannedChange, owner: string, records: Records): void {
  const { file, before, after, mode, others, note } = change;
  const record = records.find(owner, file);
  if (note !== null && after === null && before !== null) keepBackup(file, before);
  replaceFile(file, { before, after, mode });
  for (const other of others) keepWithBackup(other, records);
  if (note === null) forgetAll(file, owner, records);
  else if (record !== null) records.forget(owner, file);
  if (after === null) leaveDirectories(removeDirectories(record?.directories ?? []), records);
}

/** Directories we made that still hold something of ours: whoever takes that away takes them away. */
function leaveDirectories(left: readonly string[], records: Records): void {
  const [outermost] = left;
  if (outermost === undefined) return;
  for (const record of records.below(outermost))
    records.keep({ ...record, directories: [...new Set([...left.filter((dir) => isInside(dir, record.file)), ...record.directories])] });
}

/** Nothing of ours is in the file any more: the record and the backup go. */
export function forgetAll(file: string, owner: string, records: Records): void {
  const record = records.find(owner, file);
  if (record === null) return;
  removeBackup(record, records);
  records.forget(owner, file);
}

/** A record, with the backup of what it says was there; the backup of what it said before goes. */
function keepWithBackup(record: ChangeRecord, records: Records): void {
  const known = records.find(record.owner, record.file);
  if (known !== null && known.before !== record.before) removeBackup(known, records);
  const same = known !== null && known.before === record.before ? known.backup : null;
  const original = originalOf(record);
  records.keep({ ...record, backup: original === null ? null : (same ?? keepBackup(record.file, original)) });
}

/** Only what we laid there, only if it is still that, and only if no other record has it too. */
function removeBackup({ owner, file, backup, before }: ChangeRecord, records: Records): void {
  if (backup === null || records.of(file).some((other) => other.owner !== owner && other.backup === backup)) return;
  const copy = bytesOf(backup);
  if (copy !== null && copy.toString("base64") === before) replaceFile(backup, { before: copy, after: null, mode: 0o600 });
}

/** The file as it was, beside it, for its owner alone. A name that is taken is left as it is. */
function keepBackup(file: string, original: Buffer): string {
  for (let number = 0; ; number += 1) {
    const name = `${file}.hallpass-backup${number === 0 ? "" : `-${number}`}`;
    const there = bytesOf(name);
    if (there?.equals(original) === true) return name;
    if (there !== null) continue;
    writeNew(name, original, 0o600);
    return name;
  }
}
