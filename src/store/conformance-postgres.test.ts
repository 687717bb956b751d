// The suite of every store, on a real PostgreSQL.

import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { testPostgres, withClient } from "../../test/support/postgres.ts";
import { buildStoreProgram, startStoreProgram } from "../../test/support/store-process.ts";
import type { Shared } from "../../test/store-conformance/sharing.ts";
import { describeStore } from "../../test/store-conformance/suite.ts";
import { openPostgresStore } from "./postgres.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-store-pg-"));
const built = { program: "" };
beforeAll(async () => {
  built.program = await buildStoreProgram(sandbox);
});
afterAll(async () => {
  rmSync(sandbox, { recursive: true, force: true });
  await (await testPostgres()).end();
});

const newDatabase = async (): Promise<string> => (await testPostgres()).createDatabase();

describeStore(
  "in PostgreSQL",
  async () => openPostgresStore({ url: await (await testPostgres()).createSchema(), connections: 4 }),
  async () => sharedPostgres(await newDatabase()),
);

function sharedPostgres(url: string): Shared {
  const children: ChildProcess[] = [];
  return {
    open: async () => {
      await withClient(url, atRest);
      return openPostgresStore({ url, connections: 4 });
    },
    start: (task, ...args) => {
      const child = startStoreProgram(built.program, [url, task, ...args]);
      children.push(child);
      return child;
    },
    execute: (statement, options) =>
      withClient(url, async (client) => {
        // Triggers do not fire on what a replica is told.
        if (options?.unguarded === true) await client.query("set session_replication_role = replica");
        await client.query(statement);
      }),
    isSound: () => withClient(url, async (client) => (await client.query("reindex schema public")).command === "REINDEX"),
    end: async () => {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}

/** The server notices that a client was killed when it next looks; what that one had begun is over then, one way or the other. */
async function atRest(client: pg.Client): Promise<void> {
  const busy = "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'";
  while ((await client.query(busy)).rows.length > 0) await sleep(10);
}
