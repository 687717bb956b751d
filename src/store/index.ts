// Where everything is remembered: in memory, or in SQLite. Named exports only.

export { createMemoryStore } from "./memory.ts";
export { openSqliteStore } from "./sqlite.ts";
