// Old records leave the store for files. The order is what keeps them: the file is whole and on the disk, then the chain says so, then records are
// deleted, page by page from the oldest on, each page with the base that it leaves. What is begun anew goes on from there.

import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../core/errno.ts";
import { HallpassError } from "../core/errors.ts";
import { sessionId } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import { baseOf, headOf, recordIn, recordsFound, rowsAfter } from "./audit.ts";
import { canonical, follow, type Link } from "./chain.ts";
import type { SqlBackend } from "./db.ts";

/** The first line of an archive, and of an export that begins after one: where it begins, and of an archive where it ends. */
export interface ArchiveHead {
  readonly hallpass: "audit";
  readonly after: Link;
  readonly last?: Link;
}

/** What is to go: what is older than a time, or as much as makes the record smaller than so many bytes. */
export type Retention = { readonly olderThan: number } | { readonly largerThan: number };

export interface ArchivePlan {
  readonly dir: string;
  readonly by: string;
  readonly now: number;
  /** How many bytes the record has, from whoever has counted them; counted here where it is not given, which goes through all of a SQLite file. */
  readonly recordBytes?: number;
  /** Called with how many records are written or deleted. */
  readonly progress: (records: number) => void;
}

export interface ArchivedPart {
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

/** Throws `bad-request` where there is another file of that name. Null where nothing is to go. */
export async function archiveRecords(backend: SqlBackend, retention: Retention, archiving: ArchivePlan): Promise<ArchivedPart | null> {
  await dropArchived(backend, archiving.progress);
  const base = await backend.read(baseOf);
  const to = await lastToArchive(backend, base, retention, archiving.recordBytes);
  if (to <= base.sequence) return null;
  const last = await linkAt(backend, to);
  const file = await writeArchive(backend, { hallpass: "audit", after: base, last }, archiving);
  const part = { file, first: base.sequence + 1, last: last.sequence };
  const { by, now: at } = archiving;
  const witness = { kind: "archived", at, session: sessionId("store"), ...part, hash: last.hash, by } as const;
  await backend.write(null, (db) => recordIn(backend, db, [witness]));
  archiving.progress(0);
  await dropArchived(backend, archiving.progress);
  return part;
}

async function lastToArchive(backend: SqlBackend, base: Link, retention: Retention, recordBytes: number | undefined): Promise<number> {
  return backend.snapshot(async (db) => {
    const head = (await headOf(db))?.sequence ?? base.sequence;
    if ("olderThan" in retention) {
      const [firstKept] = await recordsFound(backend, db, { since: retention.olderThan }, 1).execute();
      return firstKept === undefined ? head : firstKept.sequence - 1;
    }
    const bytes = recordBytes ?? Number((await backend.sizes.execute(db)).rows.find(({ table }) => table === "audit")?.bytes ?? 0);
    const records = head - base.sequence;
    return bytes <= retention.largerThan ? base.sequence : base.sequence + Math.ceil((records * (bytes - retention.largerThan)) / bytes);
  });
}

async function linkAt(backend: SqlBackend, sequence: number): Promise<Link> {
  const row = await backend.read((db) =>
    db.selectFrom("audit").select(["sequence", "hash"]).where("sequence", "=", sequence).executeTakeFirst(),
  );
  if (row === undefined) throw new HallpassError("io-error", `record ${sequence} is not in the store: \`hallpass audit verify\` says more`);
  return row;
}

/**
 * Whole and on the disk when this returns, for its owner alone. Nothing here waits for the disk in the event loop: the file may have gigabytes, and the
 * daemon archives while it serves.
 */
async function writeArchive(backend: SqlBackend, head: Required<ArchiveHead>, { dir, progress }: ArchivePlan): Promise<string> {
  const file = join(dir, `audit-${head.after.sequence + 1}-${head.last.sequence}.jsonl`);
  const first = `${JSON.stringify(head)}\n`;
  // The same records from the same store, left from an archiving that was cut short, may be written once more.
  if (!(await mayWrite(file, Buffer.from(first))))
    throw new HallpassError("bad-request", `\`${show(file)}\` already exists and holds other records: choose another directory`);
  const partial = join(dir, "audit.partial");
  await rm(partial, { force: true });
  const handle = await open(partial, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await handle.writeFile(first);
    for (let last = head.after; last.sequence < head.last.sequence;) {
      const rows = (await backend.read((db) => rowsAfter(db, last))).filter(({ sequence }) => sequence <= head.last.sequence);
      const reached = rows.length === 0 ? last.sequence + 1 : follow(last, rows);
      if (typeof reached === "number")
        throw new HallpassError("io-error", `the record is broken at number ${reached}: nothing was archived`);
      const lines = rows.map(({ sequence, event, hash }) => `{"sequence":${sequence},"hash":${canonical(hash)},"event":${event}}\n`);
      await handle.writeFile(lines.join(""));
      last = reached;
      progress(last.sequence - head.after.sequence);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
  await synchronise(dir);
  return file;
}

/** Is nothing there, or a file that begins with these bytes? */
async function mayWrite(file: string, bytes: Buffer): Promise<boolean> {
  const handle = await open(file, constants.O_RDONLY).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  });
  if (handle === null) return true;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(bytes.length), 0, bytes.length, 0);
    return bytesRead === bytes.length && buffer.equals(bytes);
  } finally {
    await handle.close();
  }
}

async function synchronise(dir: string): Promise<void> {
  const handle = await open(dir, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** How many records are deleted in one transaction: others write in between. */
const DROPPED = 500;

/** Delete what the chain says was archived, and is still here. */
async function dropArchived(backend: SqlBackend, progress: (records: number) => void): Promise<void> {
  const [newest] = await backend.read((db) => recordsFound(backend, db, { kind: "archived", newestFirst: true }, 1).execute());
  const event: unknown = newest === undefined ? null : JSON.parse(newest.event);
  const last = typeof event === "object" && event !== null && "last" in event && typeof event.last === "number" ? event.last : 0;
  for (let dropped = 0; ;) {
    const base = await backend.read(baseOf);
    if (base.sequence >= last) return;
    const next = await linkAt(backend, Math.min(last, base.sequence + DROPPED));
    await backend.write(null, async (db) => {
      await db.updateTable("audit_base").set({ sequence: next.sequence, hash: next.hash }).execute();
      await db.deleteFrom("audit").where("sequence", "<=", next.sequence).execute();
      // The last row of a time before the base still says where that time begins.
      const first = db
        .selectFrom("audit_times")
        .select((row) => row.fn.max("sequence").as("first"))
        .where("sequence", "<=", next.sequence);
      await db.deleteFrom("audit_times").where("sequence", "<", first).execute();
    });
    dropped += next.sequence - base.sequence;
    progress(dropped);
  }
}
