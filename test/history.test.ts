// A decision does not get slower with what was answered before it in its session: it makes the same statements and reads the same rows, which
// is the same on every machine. `npm run bench server` has the time of it.

import Database from "libsql";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../src/agent/agent.ts";
import { scriptedModel } from "../src/agent/models/scripted.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { emptyPolicy } from "../src/core/policy/rule.ts";
import { migrateSqlite } from "../src/store/migrate.ts";
import { createSqlStore } from "../src/store/sql-store.ts";
import { sqliteBackend } from "../src/store/sqlite.ts";
import { tree } from "./tree.ts";

const ANSWERS = 120;

/** A store in memory, and how many statements it has made and rows it has read. */
function countedStore() {
  const connection = new Database(":memory:");
  connection.exec("PRAGMA foreign_keys = ON");
  migrateSqlite(connection);
  const count = { statements: 0, rows: 0 };
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((sql: string) => {
    const statement = prepare(sql);
    for (const name of ["all", "get", "run"] as const) {
      const act = statement[name].bind(statement);
      Object.assign(statement, {
        [name]: (...given: unknown[]) => {
          const got = act(...given);
          count.statements += 1;
          if (name === "all") count.rows += (got as readonly unknown[]).length;
          if (name === "get" && got !== undefined && got !== null) count.rows += 1;
          return got;
        },
      });
    }
    return statement;
  }) as typeof connection.prepare;
  return { store: createSqlStore(sqliteBackend(connection, null, 0)), count };
}

test("after many answers in a session a decision makes as many statements and reads as many rows as in a new one", async () => {
  // What was denied is not asked about again for a while: each no is about a repository of its own.
  const denied = Array.from({ length: ANSWERS / 3 }, (_, number) => [`n${number * 3}/.git/`, `n${number * 3}/x: X`]);
  const at = tree(["ws/a: A", "r/.git/", "r/x: X", ...denied.flat()]);
  const { store, count } = countedStore();
  const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root] }, "/home/nobody-here");
  const agent = createAgent({
    store,
    model: scriptedModel([]),
    home: "/home/nobody-here",
    policyFor: () => policy,
    asksPerMinute: 100_000,
  });
  onTestFinished(async () => {
    await agent.close();
    at.remove();
  });
  const { hosted } = agent;
  const registered = async (hostSession: string) =>
    (await hosted.register({ host: "test", hostSession, workspace: at.path("ws") })).session.id;
  const [old, fresh] = [await registered("old"), await registered("fresh")];
  const access = (call: string, path: string) => ({ call, tool: "Read", operation: "read" as const, path: at.path(path) });
  // Each kind of answer: a no, a yes for once that is used, and a grant that is revoked.
  for (let number = 0; number < ANSWERS; number += 1) {
    const its = access(`before-${number}`, number % 3 === 0 ? `n${number}/x` : "r/x");
    const asked = await hosted.ask(old, its, null);
    if (asked.state !== "waiting") throw new Error("nobody was asked");
    const until = number % 3 === 1 ? "call" : "session";
    await agent.answer(asked.ask.id, number % 3 === 0 ? { verdict: "deny", by: "me" } : { verdict: "allow", until, by: "me" });
    await hosted.decide(old, its);
    for (const { id } of await store.grants(old)) await agent.revoke(id, "me");
  }
  expect((await store.audit({ session: old, kind: "answer" })).length).toBe(ANSWERS);
  const cost = async (session: typeof old, call: string, path: string) => {
    const before = { ...count };
    const { verdict } = await hosted.decide(session, access(call, path));
    return { verdict, statements: count.statements - before.statements, rows: count.rows - before.rows };
  };
  for (const path of ["ws/a", "r/x"]) {
    const [after, without] = [await cost(old, `last-${path}`, path), await cost(fresh, `last-${path}`, path)];
    expect(after).toEqual(without);
  }
});
