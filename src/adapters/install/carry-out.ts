// Carries planned changes out: the record first, a backup beside the file, then the file in one step; and back.

import { dirname } from "node:path";
import { bytesOf, makeDirectories, removeDirectories, replaceFile, writeNew } from "./disk.ts";
import type { PlannedChange } from "./planned-change.ts";
import { digest, type Records } from "./records.ts";

/** Write one change. */
export function carryOut(change: PlannedChange, owner: string, records: Records): void {
  const { file, before, after, mode, original, containers } = change;
  if (after === null) return;
  const known = records.find(owner, file);
  const directories = [...(known?.directories ?? []), ...makeDirectories(dirname(file), mode === 0o644 ? 0o755 : 0o700)];
  const backup = original === null ? null : (known?.backup ?? keepBackup(file, original));
  records.keep({
    version: 1,
    owner,
    file,
    before: original === null ? null : original.toString("base64"),
    after: digest(after),
    directories,
    containers: containers.map((path) => [...path]),
    backup,
  });
  replaceFile(file, { before, after, mode });
}

/** Take one change back: the file as planned, then what we laid beside it. The backup stays where the file is not what it was. */
export function takeBack(change: PlannedChange, owner: string, records: Records): void {
  const { file, before, after, mode, note } = change;
  const record = records.find(owner, file);
  if (note !== null && after === null && before !== null) keepBackup(file, before);
  replaceFile(file, { before, after, mode });
  if (note === null) forgetAll(file, owner, records);
  else if (record !== null) records.forget(owner, file);
  if (after === null) removeDirectories(record?.directories ?? []);
}

/** Nothing of ours is in the file any more: the record and the backup go. */
export function forgetAll(file: string, owner: string, records: Records): void {
  const record = records.find(owner, file);
  if (record === null) return;
  const copy = record.backup === null ? null : bytesOf(record.backup);
  // Only what we laid there, and only if it is still that.
  if (record.backup !== null && copy !== null && copy.toString("base64") === record.before)
    replaceFile(record.backup, { before: copy, after: null, mode: 0o600 });
  records.forget(owner, file);
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
