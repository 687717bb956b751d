// Which store: PostgreSQL where its address is given, otherwise the file. Loads a database's driver only when it is opened.

import type { Store } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";

/** `databaseUrl` is what `HALLPASS_DATABASE_URL` says, null if it is not set. Never another store than was asked for. */
export async function openStore({ databaseUrl, file }: { readonly databaseUrl: string | null; readonly file: string }): Promise<Store> {
  if (databaseUrl !== null)
    throw new HallpassError("bad-request", "HALLPASS_DATABASE_URL is set, and this version stores in SQLite alone: unset it");
  const { openSqliteStore } = await import("./sqlite.ts");
  return openSqliteStore({ file });
}
