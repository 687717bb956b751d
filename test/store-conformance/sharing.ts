// The part of the suite for stores that several processes share: what one wrote the others find, whoever starts, answers, records or
// dies at whatever moment.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../../src/agent/ports.ts";
import { askId, callId, grantId } from "../../src/core/names.ts";
import type { Task } from "./tasks.ts";
import {
  agentMessage,
  event,
  grantAsk,
  onceAsk,
  question,
  SESSION,
  someChat,
  someGrant,
  someMount,
  someProject,
  someSaid,
  someSession,
  yes,
} from "./values.ts";

/** A place for data that several processes may open. */
export interface Shared {
  /** A door of its own to the data, as another process has it. */
  open(): Promise<Store>;
  /** Another process, which does `perform` of tasks.ts with what it opens here. */
  start(task: Task, ...args: readonly string[]): ChildProcess;
  /** SQL past the store; `unguarded` with its triggers taken away meanwhile. */
  execute(statement: string, options?: { readonly unguarded: boolean }): Promise<void>;
  /** Does the database's own check of itself find nothing wrong? */
  isSound(): Promise<boolean>;
  end(): Promise<void>;
}

export function sharing(share: () => Promise<Shared>): void {
  const places: Shared[] = [];
  const doors: Store[] = [];
  beforeEach(async () => {
    places.push(await share());
  });
  afterEach(async () => {
    for (const store of doors.splice(0)) await store.close();
    for (const place of places.splice(0)) await place.end();
  });
  const shared = (): Shared => {
    const [place] = places;
    if (place === undefined) throw new Error("no place");
    return place;
  };
  const open = async (): Promise<Store> => {
    const store = await shared().open();
    doors.push(store);
    return store;
  };

  test("everything is there after reopening", async () => {
    const before = await open();
    await fill(before);
    const written = await everything(before);
    await before.close();
    const after = await open();
    expect(await everything(after)).toEqual(written);
    await after.record([event(9)]);
    expect(await after.verifyAudit()).toBeNull();
  });

  test("a closed store says so, and may be closed again", async () => {
    const store = await open();
    await store.close();
    await store.close();
    await expect(store.sessions()).rejects.toMatchObject({ code: "io-error", message: "the store is closed" });
    await expect(store.record([event(1)])).rejects.toMatchObject({ code: "io-error" });
  });

  test("closing waits for what was begun", async () => {
    const store = await open();
    const begun = Promise.all(Array.from({ length: 10 }, (_, number) => store.record([event(number)])));
    await store.close();
    await begun;
    expect(await (await open()).audit({})).toHaveLength(10);
  });

  test("what is written through one door is found through the other, and of two answers one wins", async () => {
    const [one, other] = [await open(), await open()];
    await one.addSession(someSession(), []);
    await other.addChat(someChat());
    await one.append("chat", agentMessage("message", [callId("call-0")]), "running");
    await other.openAsk(grantAsk(0));
    const won = await Promise.all(
      [one, other].map((store) => store.answerAsk(askId("ask-0"), yes, { grant: someGrant(), calls: [], events: [] })),
    );
    expect(won.filter((each) => each)).toHaveLength(1);
    expect(await one.revokeGrant(grantId("grant"), 9, [])).toBe(true);
    expect(await other.grants(SESSION)).toEqual([]);
    expect(await everything(one)).toEqual(await everything(other));
  });

  test("processes that start on a new place at the same moment all get in", async () => {
    const at = `${Date.now() + 700}`;
    const names = ["first", "second", "third", "fourth"];
    const ends = await Promise.all(names.map((name) => ended(shared().start("found", at, name))));
    expect(ends).toEqual(names.map(() => ({ code: 0, lines: ["done"], errors: "" })));
    expect((await (await open()).sessions()).map(({ id }) => id).toSorted()).toEqual(names.toSorted());
  });

  test("of two processes that answer the same asks, each ask is answered by one", async () => {
    const store = await open();
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    await store.addSession(someSession(), []);
    await store.addChat(someChat());
    await store.append(
      "chat",
      agentMessage(
        "message",
        numbers.map((number) => callId(`call-${number}`)),
      ),
      "running",
    );
    for (const number of numbers) await store.openAsk(grantAsk(number));
    const at = `${Date.now() + 700}`;
    const ends = await Promise.all(["one", "other"].map((name) => ended(shared().start("answer", at, name, "40"))));
    const won = ends.flatMap(({ lines }) => lines.filter((line) => line !== "done").map(Number));
    expect(won.toSorted((a, b) => a - b)).toEqual(numbers);
    expect(ends.map(({ code, errors }) => ({ code, errors }))).toEqual([
      { code: 0, errors: "" },
      { code: 0, errors: "" },
    ]);
  });

  test("of two processes that use the same yeses for once, each is used by one", async () => {
    const store = await open();
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    await store.addSession(someSession(), []);
    await store.addChat(someChat());
    const calls = numbers.map((number) => callId(`call-${number}`));
    await store.append("chat", agentMessage("message", calls), "running");
    for (const number of numbers) {
      await store.openAsk(onceAsk(number));
      await store.answerAsk(onceAsk(number).id, { ...yes, until: "call" }, { grant: null, calls: [], events: [] });
    }
    const at = `${Date.now() + 700}`;
    const ends = await Promise.all(["one", "other"].map((name) => ended(shared().start("use", at, name, "0", "40"))));
    expect(ends.map(({ code, errors }) => ({ code, errors }))).toEqual([
      { code: 0, errors: "" },
      { code: 0, errors: "" },
    ]);
    const won = ends.flatMap(({ lines }) => lines.filter((line) => line !== "done").map(Number));
    expect(won.toSorted((a, b) => a - b)).toEqual(numbers);
    const uses = (await store.audit({ reason: "answered" })).map(({ event }) => (event.kind === "decision" ? event.real : null));
    expect(uses).toHaveLength(numbers.length);
    expect(new Set(uses)).toEqual(new Set(numbers.map((number) => onceAsk(number).path)));
    expect(await store.verifyAudit()).toBeNull();
  });

  test("two processes that record at once make one chain", async () => {
    const at = `${Date.now() + 700}`;
    const ends = await Promise.all(["one", "other"].map((name) => ended(shared().start("record", at, name, "100"))));
    expect(ends.map(({ code, errors }) => ({ code, errors }))).toEqual([
      { code: 0, errors: "" },
      { code: 0, errors: "" },
    ]);
    const store = await open();
    expect((await store.audit({})).map(({ sequence }) => sequence)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    expect(await store.verifyAudit()).toBeNull();
  });

  test("a process that is killed while it writes loses nothing it acknowledged and leaves nothing half done", async () => {
    for (let round = 0; round < 5; round++) {
      const lines = await killed(shared().start("write", "0"), 3 + 4 * round);
      const store = await shared().open();
      try {
        await expectWhole(store, lines);
        expect(await shared().isSound()).toBe(true);
      } finally {
        await store.close();
      }
    }
  });

  test("the audit cannot be changed, thinned out or written in the middle", async () => {
    const store = await open();
    for (const number of [1, 2, 3]) await store.record([event(number)]);
    const before = await store.audit({});
    for (const statement of [
      "UPDATE audit SET event = replace(event, 'alice', 'mallory') WHERE sequence = 2",
      "DELETE FROM audit WHERE sequence = 3",
      "INSERT INTO audit (sequence, event, hash) SELECT 2, event, hash FROM audit WHERE sequence = 3",
      "INSERT INTO audit (sequence, event, hash) SELECT 5, event, hash FROM audit WHERE sequence = 3",
      "UPDATE audit_head SET sequence = 2, hash = (SELECT hash FROM audit WHERE sequence = 2)",
      "DELETE FROM audit_head",
    ])
      await expect(shared().execute(statement), statement).rejects.toThrow();
    expect(await store.audit({})).toEqual(before);
    expect(await store.verifyAudit()).toBeNull();
  });

  test.each([
    ["changed", "UPDATE audit SET event = replace(event, 'alice', 'mallory') WHERE sequence = 2", 2],
    ["spelled differently", "UPDATE audit SET event = replace(event, ',', ', ') WHERE sequence = 3", 3],
    ["given another hash", "UPDATE audit SET hash = (SELECT hash FROM audit WHERE sequence = 1) WHERE sequence = 4", 4],
    ["taken out", "DELETE FROM audit WHERE sequence = 2", 2],
    ["taken off the beginning", "DELETE FROM audit WHERE sequence = 1", 1],
    ["taken off the end", "DELETE FROM audit WHERE sequence = 4", 4],
    ["all taken away", "DELETE FROM audit", 1],
    [
      "exchanged",
      "UPDATE audit SET sequence = CASE sequence WHEN 2 THEN -3 ELSE -2 END WHERE sequence IN (2, 3); UPDATE audit SET sequence = -sequence WHERE sequence < 0",
      2,
    ],
    ["cut off with its head", "DELETE FROM audit_head", 5],
  ])("a record that was %s behind the store's back is found", async (_how, statement, first) => {
    const store = await open();
    for (const number of [1, 2, 3, 4]) await store.record([event(number)]);
    await shared().execute(statement, { unguarded: true });
    expect(await store.verifyAudit()).toBe(first);
    // Going on does not cover it up.
    await store.record([event(5)]).catch(() => {});
    expect(await store.verifyAudit()).toBe(first);
  });
}

// ── Other processes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

async function ended(process: ChildProcess): Promise<Ended> {
  const said = listen(process);
  await once(process, "close");
  return { code: process.exitCode, ...said() };
}

/** Let it write until it has acknowledged so many steps, then kill it wherever it is. All that it acknowledged. */
async function killed(process: ChildProcess, steps: number): Promise<readonly string[]> {
  const said = listen(process);
  const closed = once(process, "close");
  process.stdout?.on("data", () => {
    if (said().lines.length >= steps && !process.killed) setTimeout(() => process.kill("SIGKILL"), Math.random() * 5);
  });
  await closed;
  expect({ signal: process.signalCode, errors: said().errors }).toEqual({ signal: "SIGKILL", errors: "" });
  expect(said().lines.length).toBeGreaterThanOrEqual(steps);
  return said().lines;
}

function listen(process: ChildProcess): () => { readonly lines: readonly string[]; readonly errors: string } {
  let output = "";
  let errors = "";
  process.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  process.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
  // A last line without its end was cut off by the kill: it was not said.
  return () => ({ lines: output.split("\n").slice(0, -1), errors });
}

// ── Whole stores ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

async function fill(store: Store): Promise<void> {
  await store.addProject(someProject());
  await store.addSession(someSession({ project: "project" }), [someMount(), someMount({ path: "/x", mode: "extend" })]);
  await store.addChat(someChat());
  await store.append("chat", { role: "person", id: "person", at: 1, text: 'it\'s "so"\n\u0000 \ud800 😀' }, "idle");
  await store.append(
    "chat",
    agentMessage(
      "message",
      [0, 1, 2].map((number) => callId(`call-${number}`)),
    ),
    "running",
  );
  for (const ask of [grantAsk(0), question(1)]) await store.openAsk(ask);
  await store.answerAsk(askId("ask-0"), yes, { grant: someGrant(), calls: [], events: [] });
  for (const number of [1, 2, 3]) await store.record([event(number)]);
  await store.say(someSaid(), []);
}

async function everything(store: Store): Promise<unknown> {
  return {
    projects: await store.projects(),
    sessions: await store.sessions(),
    mounts: await store.mounts(SESSION),
    chats: await store.chats(null),
    transcript: await store.transcript("chat"),
    said: await store.said(null),
    asks: await store.asks({}),
    grants: await store.grants(SESSION),
    audit: await store.audit({}),
  };
}

/** After the task `write` was killed: what it said is there, and of its every step all or nothing. */
async function expectWhole(store: Store, said: readonly string[]): Promise<void> {
  const transcript = await store.transcript("chat");
  const asks = await store.asks({});
  const grants = await store.grants(SESSION);
  const listed = (await store.session(SESSION))?.allowedReadPaths;
  const records = await store.audit({});
  expect(await store.verifyAudit()).toBeNull();
  const there = new Set([
    ...transcript.map((_, step) => `message ${step}`),
    ...asks.map(({ id }) => id.replace("-", " ")),
    ...asks.flatMap(({ id, state }) => (state === "answered" ? [id.replace("ask-", "answer ")] : [])),
    ...records.map(({ event: { at } }) => `record ${at}`),
  ]);
  expect(said.filter((line) => !there.has(line))).toEqual([]);
  for (const [step, message] of transcript.entries()) {
    const ask = asks.find(({ id }) => id === askId(`ask-${step}`));
    const at = ask === undefined ? "proposed" : ask.state === "open" ? "waiting" : "started";
    const calls = [
      { id: `other-${step}`, state: { at: "proposed" } },
      { id: `call-${step}`, state: { at } },
    ];
    expect(message).toMatchObject({ id: `message-${step}`, calls });
  }
  // A round that was killed between the steps left an ask open, or a message without an ask; never a grant without its answer.
  const answered = asks.filter(({ state }) => state === "answered");
  expect(grants.map(({ ask }) => ask)).toEqual(answered.map(({ id }) => id));
  expect(listed).toEqual(grants.map(({ path }) => path));
}
