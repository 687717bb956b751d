// hallpass store export|import|stats: everything in the store as lines of JSON, and back into an empty one, which is how it moves between
// SQLite and PostgreSQL; and how much is in it.

import { closeSync, constants, createReadStream, existsSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { systemClock } from "../../core/clock.ts";
import { HallpassError } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import { isTooBroad } from "../../core/session/propose.ts";
import { realHome } from "../../core/session/session.ts";
import { placeOf } from "../../server/daemon-place.ts";
import { takeLock } from "../../server/lock.ts";
import { archiveRecords, type Retention } from "../../store/archive.ts";
import { vacuumSqlite } from "../../store/backup.ts";
import { openBackend } from "../../store/open.ts";
import { statsOf, type TableStats } from "../../store/stats.ts";
import { exportStore, type ImportCounts, importStore } from "../../store/transfer.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, placeOptions, UsageError } from "../host.ts";
import { retentionIn } from "../retention.ts";
import { ago, table, tableSpace } from "../table.ts";

export async function store({ values, words: [what, name] }: Call<"store">, host: Host): Promise<number> {
  const file = name === undefined ? null : resolve(host.cwd, name);
  const from = placeOf(placeOptions(values, host));
  const place = { databaseUrl: host.env["HALLPASS_DATABASE_URL"] ?? null, file: from.store };
  if (what === "export") return exportTo(file, place, host);
  if (what === "import" && file !== null) return importFrom(file, place, host);
  if (file === null && what === "stats") return stats(place, values.json === true, host);
  if (what === "archive" && file !== null) return archive(file, retentionOf(values), place, host);
  if (file === null && what === "vacuum") return vacuum(place, from, host);
  throw new UsageError("store takes `export [FILE]`, `import FILE`, `stats`, `archive DIR` or `vacuum`");
}

function retentionOf(values: Call<"store">["values"]): Retention {
  const { "older-than": age, "larger-than": size } = values;
  const retention = age === undefined || size === undefined ? retentionIn(age ?? size ?? "", systemClock()) : null;
  if (retention !== null && (age === undefined) === "largerThan" in retention) return retention;
  throw new UsageError("store archive takes `--older-than 90d` (or 12h) or `--larger-than 500MB` (or 2GB)");
}

async function archive(dir: string, retention: Retention, place: Place, host: Host): Promise<number> {
  refuseWithoutStore(place);
  if (!existsSync(dir)) throw new HallpassError("not-found", `there is no directory \`${show(dir)}\``);
  const backend = await openBackend(place);
  try {
    const progress = progressOn(host.errors, "archived");
    const part = await archiveRecords(backend, retention, { dir, by: "person (terminal)", now: systemClock(), progress });
    host.output.write(
      part === null
        ? "no record is to be archived\n"
        : `records ${part.first} to ${part.last} are archived in ${show(part.file)}; \`hallpass audit verify ${show(part.file)}\` checks them\n`,
    );
    return exitCodes.done;
  } finally {
    await backend.close();
  }
}

async function vacuum(place: Place, data: ReturnType<typeof placeOf>, host: Host): Promise<number> {
  refuseWithoutStore(place);
  if (place.databaseUrl !== null) throw new UsageError("PostgreSQL does this by itself (autovacuum)");
  const lock = takeLock(data.lock);
  if (lock === null) throw new HallpassError("bad-request", "a daemon is using the store: stop it first (`hallpass stop`)");
  try {
    const before = statSync(place.file).size;
    vacuumSqlite(place.file);
    host.output.write(`${Math.round((before - statSync(place.file).size) / 1000)} kB were freed\n`);
    return exitCodes.done;
  } finally {
    lock.release();
  }
}

interface Place {
  readonly databaseUrl: string | null;
  readonly file: string;
}

/** A command that reads makes no store. */
function refuseWithoutStore({ databaseUrl, file }: Place): void {
  if (databaseUrl === null && !existsSync(file)) throw new HallpassError("not-found", `there is no store at \`${show(file)}\``);
}

async function readStats(backend: Awaited<ReturnType<typeof openBackend>>): Promise<readonly TableStats[]> {
  try {
    return await statsOf(backend);
  } finally {
    await backend.close();
  }
}

async function stats(place: Place, json: boolean, host: Host): Promise<number> {
  refuseWithoutStore(place);
  const backend = await openBackend({ ...place, mayBeReadOnly: true });
  // Before the store is closed, which empties the log into the file.
  const wal = place.databaseUrl === null ? (statSync(`${place.file}-wal`, { throwIfNoEntry: false })?.size ?? 0) : null;
  const tables = await readStats(backend);
  if (json) {
    host.output.write(`${JSON.stringify({ tables, wal }, null, 2)}\n`);
    return exitCodes.done;
  }
  const now = systemClock();
  host.output.write(
    table<TableStats>(
      tables,
      [
        { name: "table", value: (one) => one.table },
        { name: "rows", value: ({ rows }) => `${rows}` },
        { name: "kB", value: ({ bytes }) => `${Math.round(bytes / 1000)}` },
        { name: "oldest", value: ({ oldest }) => (oldest === null ? "" : ago(oldest, now)) },
      ],
      tableSpace(host),
    ),
  );
  const all = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  host.output.write(`${Math.round(all / 1000)} kB in all${wal === null ? "" : `, ${Math.round(wal / 1000)} kB in the write-ahead log`}\n`);
  return exitCodes.done;
}

async function exportTo(file: string | null, place: Place, host: Host): Promise<number> {
  refuseWithoutStore(place);
  const progress = progressOn(host.errors, "exported");
  const backend = await openBackend({ ...place, mayBeReadOnly: true });
  try {
    const rows = file === null ? await exportStore(backend, writerTo(host), progress) : await toFile(file, backend, progress);
    host.errors.write(`exported ${rows} rows${file === null ? "" : ` to ${show(file)}`}\n`);
    return exitCodes.done;
  } finally {
    await backend.close();
  }
}

/** Written whole or not at all, for its owner alone, never over another. */
async function toFile(file: string, backend: Awaited<ReturnType<typeof openBackend>>, count: (rows: number) => void): Promise<number> {
  const handle = createFile(file);
  try {
    const rows = await exportStore(backend, async (lines) => writeAll(handle, lines), count);
    fsyncSync(handle);
    return rows;
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

function createFile(file: string): number {
  try {
    return openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  } catch (cause) {
    if (existsSync(file)) throw new HallpassError("bad-request", `\`${show(file)}\` already exists: choose another name`, { cause });
    throw new HallpassError("os-denied", `\`${show(file)}\` cannot be created`, { cause });
  }
}

function writeAll(handle: number, lines: string): void {
  const bytes = Buffer.from(lines);
  for (let written = 0; written < bytes.length;) written += writeSync(handle, bytes, written);
}

/** To standard output, no faster than it is read. */
function writerTo({ output }: Host): (lines: string) => Promise<void> {
  return (lines) =>
    new Promise((done, failed) => {
      output.write(lines, (error) => (error === null || error === undefined ? done() : failed(error)));
    });
}

async function importFrom(file: string, place: Place, host: Host): Promise<number> {
  if (!existsSync(file)) throw new HallpassError("not-found", `there is no file \`${show(file)}\``);
  const progress = progressOn(host.errors, "imported");
  // Ceilings and workspaces may have moved since a grant was given; what is too broad by these was at all times.
  const home = realHome(host.home);
  const bounds = { ceilings: [], home, workspace: { dir: home } };
  const backend = await openBackend(place);
  try {
    const came = await importStore(
      backend,
      () => linesOf(file),
      progress,
      (dir) => isTooBroad(dir, bounds),
    );
    host.errors.write(
      `imported ${came.rows} rows: ${countOf(came.sessions, "session")}, ${countOf(came.grants, "open grant")}; ${recordOf(came)}\n`,
    );
    return exitCodes.done;
  } finally {
    await backend.close();
  }
}

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function recordOf({ records, grants }: ImportCounts): string {
  if (records > 0) return `the record is whole (${countOf(records, "event")})`;
  return grants === 0
    ? "there is no record in it"
    : "there is no record in it, so nothing tells who gave its grants: `hallpass grants` lists them";
}

/** The lines of a file. Only a line feed ends one: text in JSON may hold the other characters that some take for an end. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of createReadStream(file, { encoding: "utf8" })) {
    const lines = (rest + String(piece)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest;
}

/** Report the number of rows so far, at most once a second. */
function progressOn(errors: Host["errors"], what: string): (rows: number) => void {
  let last = performance.now();
  return (rows) => {
    const now = performance.now();
    if (now - last < 1000) return;
    last = now;
    errors.write(`${what} ${rows} rows …\n`);
  };
}
