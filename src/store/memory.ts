// The store in memory: SQLite without a file. For tests, and for a chat or an agent's server without a daemon; it ends with the process.

import Database from "libsql";
import type { Store } from "../agent/ports.ts";
import { migrateSqlite } from "./migrate.ts";
import { createSqlStore } from "./sql-store.ts";
import { sqliteBackend } from "./sqlite.ts";

/** A store that ends with the process. */
export function createMemoryStore(): Store {
  const connection = new Database(":memory:");
  connection.exec("PRAGMA foreign_keys = ON");
  migrateSqlite(connection);
  return createSqlStore(sqliteBackend(connection, null, 0));
}
