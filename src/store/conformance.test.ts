import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildStoreProgram, lean, startStoreProgram } from "../../test/support/store-process.ts";
import { describeStore } from "../../test/store-conformance/suite.ts";
import type { Shared } from "../../test/store-conformance/sharing.ts";
import type { Task } from "../../test/store-conformance/tasks.ts";
import { agentMessage, grantAsk, onceAsk, someChat, someSession, yes } from "../../test/store-conformance/values.ts";
import { callId } from "../core/names.ts";
import { NOTED } from "./db.ts";
import { createMemoryStore } from "./memory.ts";
import { openSqliteStore } from "./sqlite.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-store-"));
afterAll(() => rmSync(sandbox, { recursive: true, force: true }));

const places = { made: 0 };
const newFile = (): string => join(sandbox, `${++places.made}`, "hallpass.db");

const built = { program: "" };
beforeAll(async () => {
  built.program = await buildStoreProgram(sandbox);
});

describeStore("in memory", async () => createMemoryStore(), null);
describeStore(
  "in SQLite",
  () => openSqliteStore({ file: newFile() }),
  async () => sharedSqlite(newFile()),
);

function sharedSqlite(file: string): Shared {
  const children: ChildProcess[] = [];
  return {
    open: () => openSqliteStore({ file }),
    start: (task: Task, ...args) => {
      const child = startStoreProgram(built.program, [file, task, ...args]);
      children.push(child);
      return child;
    },
    execute: async (statement, options) =>
      past(file, (connection) => {
        if (options?.unguarded !== true) connection.exec(statement);
        else unguarded(connection, statement);
      }),
    isSound: async () =>
      past(file, (connection) => {
        const found = [...rowsOf(connection, "PRAGMA integrity_check"), ...rowsOf(connection, "PRAGMA foreign_key_check")];
        return JSON.stringify(found) === '[{"integrity_check":"ok"}]';
      }),
    end: async () => {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}

function past<T>(file: string, work: (connection: Database.Database) => T): T {
  const connection = new Database(file);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

const rowsOf = (connection: Database.Database, sql: string): readonly unknown[] => connection.prepare(sql).all([]);

function unguarded(connection: Database.Database, statement: string): void {
  const triggers = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all([]) as {
    name: string;
    sql: string;
  }[];
  connection.exec("BEGIN IMMEDIATE");
  for (const { name } of triggers) connection.exec(`DROP TRIGGER ${name}`);
  connection.exec(statement);
  for (const { sql } of triggers) connection.exec(sql);
  connection.exec("COMMIT");
}

describe("what is acknowledged is on the disk", () => {
  const traced = (): boolean => {
    try {
      execFileSync("strace", ["-o", join(sandbox, "probe"), "true"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };

  /** How often a task has the disk synchronised, from its start to its end. */
  const synchronised = (file: string, ...task: readonly string[]): number => {
    const log = join(sandbox, "trace");
    const command = [process.execPath, built.program, file, ...task];
    execFileSync("strace", ["-f", "-qq", "-e", "trace=fsync,fdatasync,sync_file_range", "-o", log, ...command], { env: lean() });
    return readFileSync(log, "utf8").match(/\bf(?:data)?sync\(\d+/g)?.length ?? 0;
  };

  test("each write is synchronised once, and so is an answer with its grant and their records; notes wait for nothing", async (context) => {
    if (!traced()) {
      console.log("skipped: strace is not on this machine, or may not trace");
      context.skip();
    }
    const file = newFile();
    const store = await openSqliteStore({ file });
    const calls = Array.from({ length: 60 }, (_, number) => callId(`call-${number}`));
    await store.addSession(someSession(), []);
    await store.addChat(someChat());
    await store.append("chat", agentMessage("message", calls), "idle");
    for (const number of calls.keys()) await store.openAsk(grantAsk(number));
    const onces = Array.from({ length: 60 }, (_, number) => 100 + number);
    await store.append(
      "chat",
      agentMessage(
        "onces",
        onces.map((number) => callId(`call-${number}`)),
      ),
      "idle",
    );
    for (const number of onces) {
      await store.openAsk(onceAsk(number));
      await store.answerAsk(onceAsk(number).id, { ...yes, until: "call" }, { grant: null, calls: [], events: [] });
    }
    await store.setStatus("chat", ["waiting_for_input"], "idle");
    await store.close();
    expect(synchronised(file, "commit", "0", "40") - synchronised(file, "commit", "1", "20")).toBe(20);
    // What can be worked out again waits for no disk, and is there soon all the same. How often depends on how long it takes.
    const opened = synchronised(file, "note", "0", "0");
    expect(synchronised(file, "note", "0", "40") - opened).toBeLessThan(20);
    expect(synchronised(file, "note", "0", "1", `${4 * NOTED}`) - opened).toBeGreaterThan(0);
    expect(synchronised(file, "grant", "0", "0", "40") - synchronised(file, "grant", "0", "40", "60")).toBe(20);
    // Revocations, and uses of yeses for once: what would count again if it were lost.
    expect(synchronised(file, "record", "0", "a", "40") - synchronised(file, "record", "0", "b", "20")).toBe(20);
    expect(synchronised(file, "use", "0", "a", "100", "140") - synchronised(file, "use", "0", "a", "140", "160")).toBe(20);
    const after = await openSqliteStore({ file });
    expect(await after.grants(null)).toHaveLength(60);
    expect(await after.audit({ reason: "answered" })).toHaveLength(60);
    expect(await after.audit({})).toHaveLength(120 + 60 + 60);
    await after.close();
  });
});
