// The store: in memory, in SQLite or in PostgreSQL. Named exports only.

export { createMemoryStore } from "./memory.ts";
export { openPostgresStore } from "./postgres.ts";
export { openSqliteStore } from "./sqlite.ts";
