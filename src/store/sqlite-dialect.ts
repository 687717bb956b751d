// Kysely on one libsql connection. It writes the SQL and hands it on: whose turn it is and where a transaction begins and ends is the
// store's own business (`sqlite.ts`), which has the connection to itself meanwhile.

import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { driverOn } from "./driver.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

export function sqliteDialect(connection: SqliteConnection): Dialect {
  return {
    createDriver: () => driverOn(connection),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}
