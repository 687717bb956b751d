import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeStore } from "./conformance/suite.ts";
import type { Shared } from "./conformance/sharing.ts";
import type { Task } from "./conformance/tasks.ts";
import { someChat, someSession } from "./conformance/values.ts";
import { createMemoryStore } from "./memory.ts";
import { openSqliteStore } from "./sqlite.ts";

const project = resolve(import.meta.dirname, "../..");
const sandbox = mkdtempSync(join(tmpdir(), "hallpass-store-"));
afterAll(() => rmSync(sandbox, { recursive: true, force: true }));

const places = { made: 0 };
const newFile = (): string => join(sandbox, `${++places.made}`, "hallpass.db");

/** The program of the other processes: bundled as the package is, in a `dist/` with `migrations/` beside it. */
const program = join(sandbox, "package", "dist", "program.js");

beforeAll(async () => {
  mkdirSync(dirname(program), { recursive: true });
  cpSync(join(project, "migrations"), join(sandbox, "package", "migrations"), { recursive: true });
  symlinkSync(join(project, "node_modules"), join(sandbox, "package", "node_modules"));
  await build({
    stdin: {
      contents: `
        import { perform } from "./conformance/tasks.ts";
        import { openSqliteStore } from "./sqlite.ts";
        const [file, ...rest] = process.argv.slice(2);
        await perform(() => openSqliteStore({ file }), rest);`,
      resolveDir: import.meta.dirname,
      loader: "ts",
    },
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: ["libsql"],
    logLevel: "error",
  });
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
      const child = spawn(process.execPath, [program, file, task, ...args], { stdio: ["ignore", "pipe", "pipe"], env: lean() });
      children.push(child);
      return child;
    },
    execute: (statement, options) =>
      past(file, (connection) => {
        if (options?.unguarded !== true) connection.exec(statement);
        else unguarded(connection, statement);
      }),
    isSound: () =>
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

/** Node reads a machine's whole list of certificates at its start where it is told to. */
function lean(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...rest } = process.env;
  return rest;
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

  test("each commit is synchronised once", async (context) => {
    if (!traced()) {
      console.log("skipped: strace is not on this machine, or may not trace");
      context.skip();
    }
    const file = newFile();
    const store = await openSqliteStore({ file });
    await store.addSession(someSession(), []);
    await store.addChat(someChat());
    await store.close();
    const synchronised = (commits: number): number => {
      const log = join(sandbox, `trace-${commits}`);
      const command = [process.execPath, program, file, "commit", "0", `${commits}`];
      execFileSync("strace", ["-f", "-qq", "-e", "trace=fsync,fdatasync,sync_file_range", "-o", log, ...command], { env: lean() });
      return readFileSync(log, "utf8").match(/\bf(?:data)?sync\(\d+/g)?.length ?? 0;
    };
    expect(synchronised(40) - synchronised(20)).toBe(20);
  });
});
