// Kysely on one PostgreSQL connection. It writes the SQL and hands it on: who has the connection and where a transaction begins and ends is
// the store's own business (`postgres.ts`).

import { type Dialect, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { driverOn } from "./driver.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** A dialect for each connection. They have one adapter, by which statements that are built once know that they are of one kind. */
export function postgresDialects(): (connection: PostgresConnection) => Dialect {
  const adapter = new PostgresAdapter();
  return (connection) => ({
    createDriver: () => driverOn(connection),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: (db) => new PostgresIntrospector(db),
  });
}
