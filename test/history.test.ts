// A decision does not get slower with what was answered before it in its session, nor with what else is open to it: it makes the same
// statements, reads the same rows and opens the same directories, which is the same on every machine. `npm run bench server` and `grants` have the
// time of it.

import { rmSync, symlinkSync } from "node:fs";
import Database from "libsql";
import { expect, onTestFinished, test, vi } from "vitest";
import { createAgent } from "../src/agent/agent.ts";
import { scriptedModel } from "../src/agent/models/scripted.ts";
import { platform } from "../src/core/fs/pin.ts";
import { type SessionId, sessionId } from "../src/core/names.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { emptyPolicy } from "../src/core/policy/rule.ts";
import { migrateSqlite } from "../src/store/migrate.ts";
import { createSqlStore } from "../src/store/sql-store.ts";
import { sqliteBackend } from "../src/store/sqlite.ts";
import { endExpired } from "../src/server/expiry.ts";
import { endIdle } from "../src/server/idle.ts";
import { silentLog } from "../src/server/log.ts";
import { someSession } from "./store-conformance/values.ts";
import { type Tree, tree } from "./tree.ts";

const ANSWERS = 120;

/** A store in memory, and how many statements it has made and rows it has read. */
function countedStore() {
  const connection = new Database(":memory:");
  connection.exec("PRAGMA foreign_keys = ON");
  migrateSqlite(connection);
  const count = { statements: 0, rows: 0, lists: 0, mostAtOnce: 0 };
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((sql: string) => {
    const statement = prepare(sql);
    for (const name of ["all", "get", "run"] as const) {
      const act = statement[name].bind(statement);
      Object.assign(statement, {
        [name]: (...given: unknown[]) => {
          const got = act(...given);
          count.statements += 1;
          // A session's own list of what it may read is as long as its grants are many.
          if (/^select .*(allowed_read_paths|\* from "sessions")/.test(sql)) count.lists += 1;
          const rows = name === "all" ? (got as readonly unknown[]).length : 0;
          count.rows += rows;
          count.mostAtOnce = Math.max(count.mostAtOnce, rows);
          if (name === "get" && got !== undefined && got !== null) count.rows += 1;
          return got;
        },
      });
    }
    return statement;
  }) as typeof connection.prepare;
  return { store: createSqlStore(sqliteBackend(connection, null, 0)), count };
}

/** An agent on a store that counts, and what is open in its sessions. */
async function desk(files: readonly string[], beforeJudging: (at: Tree) => void = () => {}) {
  const at = tree(["ws/a: A", ...files]);
  const { store, count } = countedStore();
  const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root] }, "/home/nobody-here");
  // Nothing of ours is below a mount here.
  const policyFor = Object.assign(
    () => {
      beforeJudging(at);
      return policy;
    },
    { ownNames: () => ["/home/nobody-here/.config/hallpass"] },
  );
  const agent = createAgent({ store, model: scriptedModel([]), home: "/home/nobody-here", policyFor, asksPerMinute: 100_000 });
  const hold = vi.spyOn(platform, "hold");
  onTestFinished(async () => {
    hold.mockRestore();
    await agent.close();
    at.remove();
  });
  const { hosted } = agent;
  const register = async (hostSession: string, mounts: readonly string[] = []) => {
    const plan = { host: "test", hostSession, workspace: at.path("ws") };
    const { id } = (await hosted.register(plan)).session;
    const stored = mounts.map((mount) => ({ session: id, path: at.path(mount), mode: "extend" as const }));
    if (stored.length > 0) await store.changeRoots(id, at.path("ws"), stored, []);
    return id;
  };
  const access = (call: string, path: string) => ({ call, tool: "Read", operation: "read" as const, path: at.path(path) });
  const answer = async (session: SessionId, path: string, until: "call" | "session") => {
    const asked = await hosted.ask(session, access(`ask ${path}`, path), null);
    if (asked.state !== "waiting") throw new Error("nobody was asked");
    await agent.answer(asked.ask.id, { verdict: "allow", until, by: "me" });
  };
  /** What a decision takes: statements, rows, and directories and files that are opened. */
  const cost = async (session: SessionId, path: string) => {
    const before = { ...count };
    hold.mockClear();
    const { verdict, reason } = await hosted.decide(session, access(`judged ${path}`, path));
    const opened = hold.mock.calls.length;
    const [statements, rows, lists] = [count.statements - before.statements, count.rows - before.rows, count.lists - before.lists];
    return { verdict, reason, opened, statements, rows, lists };
  };
  /** In the second session a decision about each of the paths takes as much as in the first. A third one has prepared the statements. */
  const expectSameCost = async ([warm, one, other]: readonly [SessionId, SessionId, SessionId], paths: readonly string[]) => {
    for (const path of paths) await cost(warm, path);
    for (const path of paths) expect(await cost(other, path), path).toEqual(await cost(one, path));
  };
  return { at, store, count, policyFor, agent, hosted, register, access, answer, cost, expectSameCost };
}

const MANY = 60;
const repositories = Array.from({ length: MANY }, (_, number) => `r${number}`);
const inRepositories = ["ws/m/b: B", ...repositories.flatMap((name) => [`${name}/.git/`, `${name}/x: X`])];

test("with many grants a decision opens, reads and asks the store for as much as with one", async () => {
  const { store, count, register, answer, cost, expectSameCost } = await desk([...inRepositories, "other/.git/", "other/x: X"]);
  const [warm, one, many] = [await register("warm"), await register("one"), await register("many")];
  for (const session of [warm, one]) await answer(session, "r0/x", "session");
  for (const name of repositories) await answer(many, `${name}/x`, "session");
  await expectSameCost([warm, one, many], ["r0/x", "ws/a", "other/x"]);
  expect(await cost(many, `r${MANY - 1}/x`)).toMatchObject({ verdict: "allow", reason: "in-grant", lists: 0 });
  await store.session(many);
  expect(count.lists, "the control").toBeGreaterThan(0);
});

test("with many mounts a decision opens, reads and asks the store for as much as with one", async () => {
  const { register, cost, expectSameCost } = await desk([...inRepositories, "other/.git/", "other/x: X"]);
  const [warm, one, many] = [await register("warm", ["r0"]), await register("one", ["r0"]), await register("many", repositories)];
  await expectSameCost([warm, one, many], ["r0/x", "ws/a", "other/x"]);
  expect(await cost(many, `r${MANY - 1}/x`)).toMatchObject({ verdict: "allow", reason: "in-mount" });
});

test("with many unused yeses for once a decision opens, reads and asks the store for as much as with one", async () => {
  const { register, answer, cost, expectSameCost } = await desk([...inRepositories, "other/.git/", "other/x: X"]);
  const [warm, one, many] = [await register("warm"), await register("one"), await register("many")];
  for (const session of [warm, one]) await answer(session, "r0/x", "call");
  for (const name of repositories) await answer(many, `${name}/x`, "call");
  await expectSameCost([warm, one, many], ["r0/x", "ws/a", "other/x"]);
  expect([await cost(many, "r1/x"), await cost(many, "r1/x")]).toMatchObject([{ reason: "answered" }, { verdict: "ask" }]);
});

test("with many projects a decision opens, reads and asks the store for as much as with one", async () => {
  const { at, store, register, cost } = await desk(inRepositories);
  const session = await register("one");
  const add = (name: string) => store.addProject({ id: name, path: at.path(name), name, at: 0 });
  await add("r0");
  for (const path of ["r0/x", "ws/a"]) await cost(session, path);
  const before = [await cost(session, "r0/x"), await cost(session, "ws/a")];
  for (const name of repositories.slice(1)) await add(name);
  expect([await cost(session, "r0/x"), await cost(session, "ws/a")]).toEqual(before);
});

test("a path is judged by the root that holds it, by whatever names it is reached", async () => {
  const { at, hosted, register, answer } = await desk([...inRepositories, "ws/to-r1 => ../r1", "ws/m/deep/", "out => r2"]);
  const session = await register("one", ["r3"]);
  for (const name of ["r1", "r2"]) await answer(session, `${name}/x`, "session");
  const reasonOf = async (path: string, operation: "read" | "create" = "read") =>
    (await hosted.decide(session, { call: path, tool: "Read", operation, path })).reason;
  expect(await reasonOf(at.path("ws/to-r1/x"))).toBe("in-grant");
  expect(await reasonOf("to-r1/x")).toBe("in-grant");
  expect(await reasonOf("../r1/x")).toBe("in-grant");
  expect(await reasonOf("m/deep/../../../r1/x")).toBe("in-grant");
  expect(await reasonOf(at.path("out/x"))).toBe("in-grant");
  // It leaves a directory by `..` that is open only for what is in it.
  expect(await reasonOf(`${at.root}/../${at.root.split("/").pop()}/r1/x`)).toBe("in-grant");
  expect(await reasonOf(`${at.root}/r1/../r2/x`)).toBe("in-grant");
  expect(await reasonOf(`${at.root}/r5/../r2/x`)).toBe("out-of-scope");
  expect(await reasonOf(at.path("r3/new"), "create")).toBe("in-mount");
  expect(await reasonOf(at.path("r4/x"))).toBe("out-of-scope");
  expect(await reasonOf("bad\0path")).toBe("invalid-path");
});

test("a link that is turned between the look at the path and the judgement: judged again, by the roots where it leads now, recorded once", async () => {
  let turns = 0;
  const turn = (at: Tree): void => {
    if (turns === 0) return;
    turns -= 1;
    rmSync(at.path("ws/link"));
    symlinkSync(at.path("r2"), at.path("ws/link"));
  };
  const { at, store, hosted, register, access, answer } = await desk([...inRepositories, "ws/link => ../r1"], turn);
  const session = await register("one");
  await answer(session, "r2/x", "session");
  const recorded = async () => (await store.audit({ session, kind: "decision" })).length;
  const before = await recorded();
  turns = 1;
  const decision = await hosted.decide(session, access("turned", "ws/link/x"));
  expect(decision).toMatchObject({ verdict: "allow", reason: "in-grant", real: at.path("r2/x") });
  expect(await recorded()).toBe(before + 1);
});

test("after many answers in a session a decision makes as many statements and reads as many rows as in a new one", async () => {
  // What was denied is not asked about again for a while: each no is about a repository of its own.
  const denied = Array.from({ length: ANSWERS / 3 }, (_, number) => [`n${number * 3}/.git/`, `n${number * 3}/x: X`]);
  const { store, agent, hosted, register, access, expectSameCost } = await desk(["r/.git/", "r/x: X", ...denied.flat()]);
  const [warm, old, fresh] = [await register("warm"), await register("old"), await register("fresh")];
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
  await expectSameCost([warm, fresh, old], ["ws/a", "r/x"]);
});

test("an agent's leaving, and the look for grants whose time is over, read as many rows however many sessions and grants there are", async () => {
  const { at, store, count, agent, hosted, register, answer } = await desk(inRepositories);
  const rowsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = count.rows;
    await work();
    return count.rows - before;
  };
  const leave = async (hostSession: string): Promise<number> => {
    await register(hostSession);
    return rowsOf(() => hosted.leave({ host: "test", hostSession, workspace: at.path("ws") }));
  };
  const look = () => rowsOf(() => endExpired({ store, agent, clock: Date.now, log: silentLog }));
  await leave("warm");
  const before = [await leave("one"), await look()];
  const session = await register("granted");
  for (const name of repositories) await answer(session, `${name}/x`, "session");
  for (let number = 0; number < MANY; number += 1) await store.addSession(someSession({ id: sessionId(`s${number}`) }), []);
  expect([await leave("other"), await look()]).toEqual(before);
  // Control: those that there are to end are read.
  await store.addSession(someSession({ id: sessionId("child"), parent: await register("last") }), []);
  await hosted.leave({ host: "test", hostSession: "last", workspace: at.path("ws") });
  expect((await store.session(sessionId("child")))?.archivedAt).not.toBeNull();
});

test("sessions that nobody uses are looked for page by page, and every one is seen", async () => {
  const { store, count, agent, policyFor } = await desk([]);
  const MORE_THAN_TWO_PAGES = 450;
  for (let number = 0; number < MORE_THAN_TWO_PAGES; number += 1)
    await store.addSession(someSession({ id: sessionId(`s${number}`), host: "test", hostSession: `${number}` }), []);
  const seen = new Set<string>();
  const hears = (session: string): boolean => seen.add(session).has("s7");
  const ports = { store, agent, policyFor, hub: { hears }, clock: () => 9e15, log: silentLog, machine: "machine" };
  count.mostAtOnce = 0;
  await endIdle(ports);
  expect(seen.size).toBe(MORE_THAN_TWO_PAGES);
  expect(count.mostAtOnce).toBeLessThanOrEqual(200);
});
