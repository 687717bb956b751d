// Which store: PostgreSQL where its address is given, otherwise the file. Loads a database's driver only when it is opened.

import type { Store } from "../agent/ports.ts";
import type { SqlBackend } from "./db.ts";

export interface StorePlace {
  /** What `HALLPASS_DATABASE_URL` says, null if it is not set. */
  readonly databaseUrl: string | null;
  readonly file: string;
  /** Of a file: see `SqliteOptions`. */
  readonly mayBeReadOnly?: boolean;
}

/** Never another store than was asked for. */
export async function openStore(place: StorePlace): Promise<Store> {
  const { createSqlStore } = await import("./sql-store.ts");
  return createSqlStore(await openBackend(place));
}

/** The database of the store, for what moves it whole. */
export async function openBackend({ databaseUrl, ...options }: StorePlace): Promise<SqlBackend> {
  if (databaseUrl !== null) return (await import("./postgres.ts")).openPostgresBackend({ url: databaseUrl });
  return (await import("./sqlite.ts")).openSqliteBackend(options);
}
