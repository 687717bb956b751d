// How much is in a store, table by table. Reads only.

import { sql } from "kysely";
import type { SqlBackend } from "./db.ts";
import { transferTables } from "./transfer-tables.ts";

export interface TableStats {
  readonly table: string;
  readonly rows: number;
  /** With its indexes. */
  readonly bytes: number;
  /** When the oldest row was made; null where there is none, or the rows have no time. */
  readonly oldest: number | null;
}

export function statsOf(backend: SqlBackend): Promise<readonly TableStats[]> {
  return backend.snapshot(async (db) => {
    const sizes = new Map((await backend.sizes.execute(db)).rows.map(({ table, bytes }) => [table, Number(bytes)]));
    const stats: TableStats[] = [];
    for (const { name, columns } of transferTables) {
      // The record's times are taken out of its events by the database.
      const at = name === "audit" || columns.includes("at") ? sql`min(at)` : sql`null`;
      const { rows } = await sql<{
        count: number;
        oldest: number | null;
      }>`select count(*) as count, ${at} as oldest from ${sql.table(name)}`.execute(db);
      const { count = 0, oldest = null } = rows[0] ?? {};
      stats.push({ table: name, rows: Number(count), bytes: sizes.get(name) ?? 0, oldest: oldest === null ? null : Number(oldest) });
    }
    return stats;
  });
}
