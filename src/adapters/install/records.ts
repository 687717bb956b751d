// What an installation changed, so that it can be taken back byte for byte: one file a changed file, in our data directory, where no agent
// reads or writes. Written before the change it speaks of.

import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isInside } from "../../core/path/contain.ts";
import { bytesOf, makeDirectories } from "./disk.ts";
import { replaceFile } from "./replace-file.ts";

const shape = z.strictObject({
  version: z.literal(1),
  /** Which command, and for whom: `install codex user`. */
  owner: z.string(),
  file: z.string(),
  /** The file as it was, in base64; null where there was none. */
  before: z.string().nullable(),
  /** The SHA-256 of what we wrote. */
  after: z.string(),
  /** Directories that were made for it. */
  directories: z.array(z.string()),
  /** Objects and lists of the file that were made for our entries. */
  containers: z.array(z.array(z.string())),
  backup: z.string().nullable(),
});

export type ChangeRecord = Readonly<z.infer<typeof shape>>;

export interface Records {
  /** The record of this owner for this file; null where there is none, or none that can be read. */
  find(owner: string, file: string): ChangeRecord | null;
  keep(record: ChangeRecord): void;
  forget(owner: string, file: string): void;
  all(owner: string): readonly ChangeRecord[];
  /** Those of every owner for this file. */
  of(file: string): readonly ChangeRecord[];
  /** Those of every owner for files in this directory. */
  below(dir: string): readonly ChangeRecord[];
}

/** `dir`: our data directory; it need not be there yet. */
export function createRecords(dir: string): Records {
  const place = join(dir, "installed");
  const fileOf = (owner: string, file: string): string => join(place, `${digest(Buffer.from(`${owner}\n${file}`)).slice(0, 32)}.json`);
  return {
    find: (owner, file) => {
      const record = read(fileOf(owner, file));
      return record?.owner === owner && record.file === file ? record : null;
    },
    keep: (record) => {
      makeDirectories(place, 0o700);
      const file = fileOf(record.owner, record.file);
      const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
      replaceFile(file, { before: bytesOf(file), after: bytes, mode: 0o600 });
    },
    forget: (owner, file) => {
      const record = fileOf(owner, file);
      replaceFile(record, { before: bytesOf(record), after: null, mode: 0o600 });
    },
    all: (owner) => every(place).filter((record) => record.owner === owner),
    of: (file) => every(place).filter((record) => record.file === file),
    below: (dir) => every(place).filter((record) => isInside(dir, record.file)),
  };
}

function every(place: string): readonly ChangeRecord[] {
  let names: readonly string[];
  try {
    names = readdirSync(place);
  } catch {
    return [];
  }
  // Not what one who was interrupted left there half written.
  const whole = names.filter((name) => /^[0-9a-f]{32}\.json$/u.test(name));
  return whole.map((name) => read(join(place, name))).filter((record) => record !== null);
}

export function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function read(file: string): ChangeRecord | null {
  const bytes = bytesOf(file);
  if (bytes === null) return null;
  try {
    return shape.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    return null;
  }
}
