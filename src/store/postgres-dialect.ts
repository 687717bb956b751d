// Kysely on one PostgreSQL connection. It writes the SQL and hands it on: who has the connection and where a transaction begins and ends is
// the store's own business (`postgres.ts`).

import { type CompiledQuery, type Dialect, type Driver, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import type { PostgresConnection } from "./postgres-connection.ts";

/** A dialect for each connection. They have one adapter, by which statements that are built once know that they are of one kind. */
export function postgresDialects(): (connection: PostgresConnection) => Dialect {
  const adapter = new PostgresAdapter();
  return (connection) => ({
    createDriver: () => driverOf(connection),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: (db) => new PostgresIntrospector(db),
  });
}

function driverOf(connection: PostgresConnection): Driver {
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
