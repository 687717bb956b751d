// Kysely on one PostgreSQL connection. It writes the SQL and hands it on: who has the connection and where a transaction begins and ends is
// the store's own business (`postgres.ts`).

import { type Dialect, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { driverOn } from "./driver.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

export function postgresDialect(connection: PostgresConnection): Dialect {
  return {
    createDriver: () => driverOn(connection),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}
