// Kysely's driver on one connection of the store's own. It hands statements on and does nothing else: who has the connection and where a
// transaction begins and ends is the store's business.

import type { CompiledQuery, Driver, QueryResult } from "kysely";

/** What a connection of either store does. */
export interface QueryRunner {
  run<R>(query: Pick<CompiledQuery, "sql" | "parameters">): Promise<QueryResult<R>>;
}

export function driverOn(connection: QueryRunner): Driver {
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
