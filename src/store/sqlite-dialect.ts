// Kysely on one libsql connection. It writes the SQL and hands it on: whose turn it is and where a transaction begins and ends is the
// store's own business (`sqlite.ts`), which has the connection to itself meanwhile.

import { type CompiledQuery, type Dialect, type Driver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { SqliteConnection } from "./sqlite-connection.ts";

export function sqliteDialect(connection: SqliteConnection): Dialect {
  return {
    createDriver: () => driverOf(connection),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

function driverOf(connection: SqliteConnection): Driver {
  const only = {
    executeQuery: <R>({ sql, parameters }: CompiledQuery) => connection.run<R>({ sql, parameters }),
    streamQuery() {
      throw new TypeError("the store reads page by page; nothing is streamed");
    },
  };
  const elsewhere = async (): Promise<void> => {
    throw new TypeError("a transaction is begun by the store");
  };
  return {
    init: async () => {},
    destroy: async () => {},
    acquireConnection: async () => only,
    releaseConnection: async () => {},
    beginTransaction: elsewhere,
    commitTransaction: elsewhere,
    rollbackTransaction: elsewhere,
  };
}
