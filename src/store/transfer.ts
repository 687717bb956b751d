// A whole store as lines of JSON, and back: how it moves between SQLite and PostgreSQL. The first line says what it is, the last how many
// there are, so that half a file is noticed. What comes in is all of it or nothing, into a store that has nothing, with a sound chain.

import { sql } from "kysely";
import { NETWORK } from "../core/access.ts";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { baseOf, headOf } from "./audit.ts";
import { follow, type Link, START } from "./chain.ts";
import { DamagedRows } from "./damage.ts";
import type { SqlBackend, Db } from "./db.ts";
import { fields, list, number, parsed, perhaps, text, oneOf } from "./shape.ts";
import { exact } from "./text.ts";
import { type TableRow, type TransferTable, transferTables } from "./transfer-tables.ts";

/** The version of the lines. */
const VERSION = 1;
const HEADER = { hallpass: "store", version: VERSION } as const;
/** How many rows are read or written at a time. */
const PAGE = 200;

type Progress = (rows: number) => void;

/** Everything in the store as of one moment, line by line, each with its end. */
export async function exportStore(backend: SqlBackend, write: (lines: string) => Promise<void>, progress: Progress): Promise<number> {
  const totals = { begun: false, rows: 0 };
  await backend.snapshot(async (db) => {
    if (totals.begun) throw new HallpassError("io-error", "the database was lost while it was read: export again");
    totals.begun = true;
    const after = await baseOf(db);
    await write(`${JSON.stringify({ ...HEADER, ...(after.sequence === 0 ? {} : { after }) })}\n`);
    for (const table of transferTables) {
      for await (const rows of pagesOf(db, table)) {
        await write(rows.map((row) => `${JSON.stringify({ table: table.name, row })}\n`).join(""));
        totals.rows += rows.length;
        progress(totals.rows);
      }
    }
  });
  await write(`${JSON.stringify({ end: true, rows: totals.rows })}\n`);
  return totals.rows;
}

async function* pagesOf(db: Db, table: TransferTable): AsyncGenerator<readonly TableRow[]> {
  for (let page = await pageAfter(db, table, null); page.length > 0; page = await pageAfter(db, table, page.at(-1) ?? null))
    yield page.map((row) => lineOf(row, table));
}

type SelectedRow = Readonly<Record<string, unknown>>;

async function pageAfter(db: Db, { name, columns, key }: TransferTable, last: SelectedRow | null): Promise<readonly SelectedRow[]> {
  const keys = sql.join(key.map((column) => sql.ref(column)));
  const selected = sql.join([...new Set([...columns, ...key])].map((column) => sql.ref(column)));
  const from = last === null ? sql`` : sql`where (${keys}) > (${sql.join(key.map((column) => last[column]))})`;
  const query = sql<SelectedRow>`select ${selected} from ${sql.table(name)} ${from} order by ${keys} limit ${sql.lit(PAGE)}`;
  return (await query.execute(db)).rows;
}

function lineOf(selectedRow: SelectedRow, { name, key, columns, isRow }: TransferTable): TableRow {
  const placeOf = (column: string) => ({ table: name, row: key.map((column) => String(selectedRow[column])).join(" "), column });
  const row = Object.fromEntries(columns.map((column) => [column, selectedRow[column]]));
  // An array in PostgreSQL, JSON in SQLite: an array on the line.
  if (typeof row["allowed_read_paths"] === "string")
    row["allowed_read_paths"] = parsed(row["allowed_read_paths"], list(text), placeOf("allowed_read_paths"));
  if (!isRow(row)) throw new DamagedRows([{ ...placeOf(columns.join(", ")), fault: "shape" }]);
  return row;
}

/** What came in. */
export interface ImportCounts {
  readonly rows: number;
  readonly sessions: number;
  /** Those that are not revoked. */
  readonly grants: number;
  /** How many links the chain of the record has. */
  readonly records: number;
}

/**
 * Fill an empty store from lines. `lines` is called again where PostgreSQL wants the whole to be done again. Throws `bad-request` where
 * the store is not empty, or the lines are not those of a whole store of this version, or their record is broken, or a grant is of a
 * directory that `isTooBroad` to have been granted.
 */
export async function importStore(
  backend: SqlBackend,
  lines: () => AsyncIterable<string>,
  progress: Progress,
  isTooBroad: (dir: string) => boolean = () => false,
): Promise<ImportCounts> {
  return backend.write(null, async (db) => {
    const head = await backend.lockHead(db);
    if (head === undefined || head.sequence !== 0 || !(await isEmpty(db)))
      throw bad("the store is not empty: import into a new one, or remove what is there first");
    const filling = new StoreImport(backend, db, progress, isTooBroad);
    for await (const line of lines()) if (line !== "") await filling.take(line);
    return filling.end();
  });
}

async function isEmpty(db: Db): Promise<boolean> {
  for (const table of ["projects", "sessions", "audit"] as const)
    if ((await db.selectFrom(table).select("sequence").limit(1).executeTakeFirst()) !== undefined) return false;
  return true;
}

class StoreImport {
  readonly #backend: SqlBackend;
  readonly #db: Db;
  readonly #progress: Progress;
  readonly #isTooBroad: (dir: string) => boolean;
  #sessions = 0;
  #grants = 0;
  #begun = false;
  #end: number | null = null;
  #rows = 0;
  #table = 0;
  #page: TableRow[] = [];
  #last: Link = START;
  #base = START.sequence;

  constructor(backend: SqlBackend, db: Db, progress: Progress, isTooBroad: (dir: string) => boolean) {
    this.#isTooBroad = isTooBroad;
    this.#backend = backend;
    this.#db = db;
    this.#progress = progress;
  }

  async take(line: string): Promise<void> {
    if (this.#end !== null) throw bad("there is something after its last line");
    if (!this.#begun) {
      const header = parsedLine(line);
      if (!isHeader(header)) throw bad(`it is not a store's export, or not of version ${VERSION}`);
      if (header.after !== undefined) {
        this.#last = header.after;
        await this.#db
          .updateTable("audit_base")
          .set({ sequence: header.after.sequence, hash: exact(header.after.hash) })
          .execute();
      }
      this.#base = this.#last.sequence;
      this.#begun = true;
      return;
    }
    const value = parsedLine(line);
    if (isEnd(value)) {
      this.#end = value.rows;
      return;
    }
    if (!isLine(value)) throw bad("a line is neither a row nor the end");
    const at = transferTables.findIndex(({ name }) => name === value.table);
    const row = value.row;
    if (at < this.#table || transferTables[at]?.isRow(row) !== true) throw bad("a row is out of place, or not of its table's shape");
    this.#look(value.table, row);
    if (at > this.#table || this.#page.length >= PAGE) await this.#flush();
    this.#table = at;
    this.#page.push(row);
    this.#rows += 1;
  }

  /** A file may have been written by anybody, so a grant in it is looked at as one that is given. */
  #look(table: string, row: TableRow): void {
    if (table === "sessions") this.#sessions += 1;
    if (table !== "grants" || typeof row["revoked_at"] === "number") return;
    const dir = row["path"];
    if (typeof dir !== "string" || (dir !== NETWORK && this.#isTooBroad(dir)))
      throw bad(`it has a grant of \`${show(String(dir))}\`, which nobody can grant`);
    this.#grants += 1;
  }

  /** The end: everything in, and the chain whole. */
  async end(): Promise<ImportCounts> {
    if (!this.#begun || this.#end !== this.#rows) throw bad("it is incomplete: its last line, or other lines, are missing");
    await this.#flush();
    if (this.#last.sequence > this.#base)
      await this.#db.updateTable("audit_head").set({ sequence: this.#last.sequence, hash: this.#last.hash }).execute();
    const head = await headOf(this.#db);
    if (head?.hash !== this.#last.hash) throw bad("its record cannot be taken over");
    return { rows: this.#rows, sessions: this.#sessions, grants: this.#grants, records: this.#last.sequence - this.#base };
  }

  async #flush(): Promise<void> {
    const table = transferTables[this.#table];
    const rows = this.#page.splice(0);
    if (table === undefined || rows.length === 0) return;
    if (table.name === "audit") this.#follow(rows);
    const { columns } = table;
    const values = rows.map((row) => sql`(${sql.join(columns.map((column) => this.#value(row[column] ?? null, column)))})`);
    const into = sql.join(columns.map((column) => sql.ref(column)));
    await sql`insert into ${sql.table(table.name)} (${into}) values ${sql.join(values)}`.execute(this.#db);
    this.#progress(this.#rows);
  }

  #value(value: TableRow[string], column: string): unknown {
    if (typeof value === "string") return exact(value);
    return column === "allowed_read_paths" && isPaths(value) ? this.#backend.list(value.map(exact)) : value;
  }

  #follow(rows: readonly TableRow[]): void {
    const reached = follow(
      this.#last,
      rows.flatMap((row: unknown) => (isLink(row) ? [row] : [])),
    );
    if (typeof reached === "number") throw bad(`its record is broken at number ${reached}`);
    this.#last = reached;
  }
}

const bad = (why: string): HallpassError => new HallpassError("bad-request", `nothing was imported: ${why}`);

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new HallpassError("bad-request", "nothing was imported: a line is not JSON", { cause });
  }
}

const isHeader = fields<{ hallpass: "store"; version: typeof VERSION; after: Link | undefined }>({
  hallpass: oneOf("store"),
  after: perhaps(fields<Link>({ sequence: number, hash: text })),
  version: (value): value is typeof VERSION => value === VERSION,
});
const isEnd = fields<{ end: true; rows: number }>({ end: (value): value is true => value === true, rows: number });
const isLine = fields<{ table: string; row: TableRow }>({
  table: text,
  row: (value): value is TableRow => typeof value === "object" && value !== null,
});
const isLink = fields<Link & { event: string }>({ sequence: number, hash: text, event: text });
const isPaths = list(text);
