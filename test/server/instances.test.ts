// Three instances on one real PostgreSQL: answers are taken by any of them, frames and revocations reach all, and a chat goes on when the
// instance that ran it is killed, when the database is restarted under load, and when a network stands still. Nothing is lost, and
// nothing is done twice.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { detect } from "../../src/sandbox/sandbox.ts";
import { openPostgresStore } from "../../src/store/postgres.ts";
import { WireError } from "../../src/wire/client.ts";
import type { Frame } from "../../src/wire/frames.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireMessage } from "../../src/wire/values.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { eventually, type Program, type Stage, stage, startProgram } from "./daemon-process.ts";
import { type SlowModel, slowModel } from "./slow-model.ts";
import { stallingProxy } from "./stalling-proxy.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.end());

const TOKEN = "S".repeat(43);

interface World {
  readonly on: Stage;
  readonly url: string;
  readonly model: SlowModel;
  readonly all: Program[];
}

/** Three instances on one machine, with one token, as behind one address. */
async function world(urls: (url: string) => readonly (string | null)[] = () => []): Promise<World> {
  const on = stage();
  const url = await postgres.createDatabase();
  const model = await slowModel();
  const start = (name: string, at = url): Promise<Program> =>
    startProgram(on, {
      data: on.data(name),
      words: ["--machine", "shared", "--asking", "by-guard", "--model", "openai-compatible/slow", "--asks-per-minute", "10000"],
      env: { HALLPASS_DATABASE_URL: at, HALLPASS_TOKEN: TOKEN, HALLPASS_MODEL_URL: model.urlFor(name) },
    });
  const given = urls(url);
  // At once: the tables are made by whoever comes first.
  const all = await Promise.all(NAMES.map((name, at) => start(name, given[at] ?? url)));
  return { on, url, model, all };
}

const NAMES = ["one", "two", "three"];

/** The instance whose turn the model holds, and the two others. Whoever hears of a chat first runs it. */
async function runnerOf(all: readonly Program[], model: SlowModel): Promise<readonly [Program, Program, Program]> {
  const name = await model.held();
  const running = all[NAMES.indexOf(name)] ?? expect.fail(`a turn was asked for by ${name}`);
  return [running, ...all.filter((program) => program !== running)] as unknown as [Program, Program, Program];
}

const messages = async (daemon: Program, chat: string): Promise<readonly WireMessage[]> =>
  (await daemon.client.send(routes.messages, { id: chat, query: { limit: 200 } })).messages;

/** What a chat came to: who spoke, and how each call ended. */
async function shape(daemon: Program, chat: string): Promise<readonly string[]> {
  return (await messages(daemon, chat)).flatMap((message) =>
    message.role === "agent"
      ? [
          `agent: ${message.error ?? message.text.slice(0, 30)}`,
          ...message.calls.map(({ state }) =>
            state.at === "done" ? (state.outcome.ok ? "call: done" : `call: ${state.outcome.code}`) : `call: ${state.at}`,
          ),
        ]
      : [message.role],
  );
}

const READ = ["person", "agent: ", "call: done", expect.stringMatching(/^agent: read: /)];

async function begun(daemon: Program, on: Stage): Promise<{ readonly session: string; readonly chat: string }> {
  const session = (await daemon.client.send(routes.addSession, { body: { workspace: on.workspace } })).id;
  return { session, chat: (await daemon.client.send(routes.addChat, { body: { session } })).id };
}

const isIdle = async (daemon: Program, chat: string): Promise<true | null> =>
  (await daemon.client.send(routes.chat, { id: chat })).status === "idle" && (await messages(daemon, chat)).length > 1 ? true : null;

test("said to one, asked on all, answered on another, seen by the third; a revocation is seen by all at once", async () => {
  const { on, all } = await world();
  const [one, two, three] = all as [Program, Program, Program];
  const { session, chat } = await begun(one, on);
  const heard = all.map((daemon) => daemon.listen([chat]));
  await Promise.all(heard.map((one) => one.until(({ type }) => type === "live")));
  await two.client.send(routes.say, { id: chat, body: { text: `read ${join(on.library, "far.txt")}` } });
  const opened = await Promise.all(heard.map((one) => one.until(({ type }) => type === "ask_open")));
  const asks = opened.flatMap((frame) => (frame.type === "ask_open" ? [frame.ask] : []));
  expect(new Set(asks.map(({ id }) => id)).size).toBe(1);
  await three.client.send(routes.answer, { id: asks[0]?.id ?? "", body: { decision: "allow", digest: asks[0]?.digest } });
  const isEnd = (frame: Frame): boolean => frame.type === "message" && frame.message.role === "agent" && frame.message.text !== "";
  await Promise.all(heard.map((one) => one.until(isEnd)));
  for (const one of heard) {
    expect(one.frames.filter(({ type }) => type === "tool_result")).toHaveLength(1);
    expect(one.frames.filter(({ type }) => type === "ask_settled")).toHaveLength(1);
  }
  expect(await shape(one, chat)).toEqual(READ);

  // Told, not found at the next look around: the best of a few takes no longer than a handful of requests.
  const seconds: number[] = [];
  const requests: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const listening = all.map((daemon) => daemon.listen([chat]));
    await Promise.all(listening.map((one) => one.until(({ type }) => type === "live")));
    const [grant] = await one.client.send(routes.listGrants, { query: { session } });
    const began = performance.now();
    await one.client.send(routes.revoke, { id: grant?.id ?? "" });
    await Promise.all(
      listening.map((one) => one.until((frame) => frame.type === "session_updated" && frame.session.allowed_read_paths.length === 0)),
    );
    const seen = performance.now();
    seconds.push(seen - began);
    for (const daemon of all) await daemon.client.send(routes.session, { id: session });
    requests.push(performance.now() - seen);
    // The next judgement, wherever it is made, knows it.
    for (const daemon of all)
      expect((await daemon.client.send(routes.explain, { id: session, body: { path: join(on.library, "far.txt") } })).verdict).toBe("ask");
    listening.forEach((one) => one.close());
    await two.client.send(routes.say, { id: chat, body: { text: `read ${join(on.library, "far.txt")}` } });
    const ask = await eventually(async () => (await three.client.send(routes.listAsks, { query: { state: "open" } }))[0] ?? null);
    await three.client.send(routes.answer, { id: ask.id, body: { decision: "allow" } });
    await eventually(() => isIdle(one, chat));
  }
  const shown = (times: readonly number[]): string => times.map((one) => `${one.toFixed(0)} ms`).join(", ");
  console.log(`a revocation was seen by all three after ${shown(seconds)}; a request to each took ${shown(requests)}`);
  expect(Math.min(...seconds)).toBeLessThan(Math.max(250, 10 * Math.max(...requests)));
}, 300_000);

test("a revocation taken by one instance ends the commands that see the grant on another", async () => {
  if ((await detect()).why !== null) return;
  const { on, all } = await world();
  const [one, two] = all as [Program, Program];
  const { session, chat } = await begun(one, on);
  await two.client.send(routes.say, { id: chat, body: { text: `read ${join(on.library, "far.txt")}` } });
  const ask = await eventually(async () => (await one.client.send(routes.listAsks, { query: { state: "open" } }))[0] ?? null);
  await two.client.send(routes.answer, { id: ask.id, body: { decision: "allow" } });
  await eventually(() => isIdle(one, chat));
  const heard = one.listen([chat]);
  await heard.until(({ type }) => type === "live");
  await two.client.send(routes.say, { id: chat, body: { text: `run touch begun; sleep 600; cat ${join(on.library, "far.txt")}` } });
  await heard.until((frame) => frame.type === "tool_call" && frame.call.name === "bash" && frame.call.state.at === "started");
  await eventually(async () => (existsSync(join(on.workspace, "begun")) ? true : null));
  const [grant] = await one.client.send(routes.listGrants, { query: { session } });
  const began = performance.now();
  await one.client.send(routes.revoke, { id: grant?.id ?? "" });
  const ended = await heard.until((frame) => frame.type === "tool_result");
  console.log(`a command on another instance was ended ${(performance.now() - began).toFixed(0)} ms after the revocation`);
  expect(ended).toMatchObject({ outcome: { ok: false, code: "grant-revoked" } });
}, 240_000);

test("the instance that runs a chat is killed in the middle of a turn: another one brings it to its end", async () => {
  const { on, all, model } = await world();
  const { chat } = await begun(all[0] as Program, on);
  const text = "read notes.txt";
  const go = model.hold();
  await (all[1] as Program).client.send(routes.say, { id: chat, body: { text } });
  const [running, one, three] = await runnerOf(all, model);
  const heard = three.listen([chat]);
  await heard.until(({ type }) => type === "live");
  // That it runs is written while the model is at work.
  await eventually(async () => ((await one.client.send(routes.chat, { id: chat })).status === "running" ? true : null));
  const began = performance.now();
  await running.kill();
  await eventually(async () => (model.turns(text) === 2 ? true : null));
  console.log(`taken over ${(performance.now() - began).toFixed(0)} ms after the kill`);
  go();
  await eventually(() => isIdle(one, chat));
  expect(await shape(one, chat)).toEqual(READ);
  expect(model.turns(text)).toBe(3);
  await heard.until((frame) => frame.type === "message" && frame.message.role === "agent" && frame.message.text !== "");
}, 240_000);

test.each([false, true])(
  "said to one while another runs the chat (killed then: %s): whoever drives it hears it, once",
  async (isKilled) => {
    const { on, all, model } = await world();
    const { chat } = await begun(all[0] as Program, on);
    const go = model.hold();
    await (all[1] as Program).client.send(routes.say, { id: chat, body: { text: "read notes.txt" } });
    const [running, one, three] = await runnerOf(all, model);
    const heard = one.listen([chat]);
    await heard.until(({ type }) => type === "live");
    await three.client.send(routes.say, { id: chat, body: { text: "read ./notes.txt" } });
    const waits = await heard.until(
      (frame) => frame.type === "message" && frame.message.role === "person" && frame.message.waiting === true,
    );
    expect(waits).toMatchObject({ type: "message" });
    expect((await messages(one, chat)).at(-1)).toMatchObject({ text: "read ./notes.txt", waiting: true });
    if (isKilled) await running.kill();
    go();
    await eventually(async () => {
      const now = await messages(one, chat);
      return now.at(-1)?.role === "agent" && now.at(-1)?.text !== "" && (await isIdle(one, chat)) ? true : null;
    });
    const [, ...rest] = READ;
    // Killed in its first turn, it is made again, and the person is heard before that.
    expect(await shape(one, chat)).toEqual(isKilled ? ["person", ...READ] : ["person", "agent: ", "call: done", "person", ...rest]);
    expect((await messages(one, chat)).every((message) => message.role !== "person" || message.waiting === undefined)).toBe(true);
  },
  240_000,
);

test("answered by an instance that is killed right then: the chat goes on elsewhere", async () => {
  const { on, all, model } = await world();
  const [one, two, three] = all as [Program, Program, Program];
  const { chat } = await begun(one, on);
  await one.client.send(routes.say, { id: chat, body: { text: `read ${join(on.library, "far.txt")}` } });
  const ask = await eventually(async () => (await two.client.send(routes.listAsks, { query: { state: "open" } }))[0] ?? null);
  const go = model.hold();
  await three.client.send(routes.answer, { id: ask.id, body: { decision: "allow" } });
  await three.kill();
  await one.kill();
  go();
  await eventually(() => isIdle(two, chat));
  expect(await shape(two, chat)).toEqual(READ);
}, 240_000);

/** As a client of any sense does it: what failed on the way is tried again, and what may have been done is looked for first. */
async function insist<T>(work: () => Promise<T>, done: () => Promise<T | null> = () => Promise.resolve(null)): Promise<T> {
  return eventually(async () => {
    try {
      return (await done()) ?? (await work());
    } catch (error) {
      if (error instanceof WireError && (error.status === 0 || error.status >= 500)) return null;
      throw error;
    }
  }, 180_000);
}

/** One chat from its beginning to its end, each step by another instance. Gives its id. */
async function whole(all: readonly Program[], on: Stage, at: number, started: () => void): Promise<string> {
  const daemon = (step: number): Program => all[(at + step) % all.length] ?? all[0]!;
  const text = `read ${join(on.library, "far.txt")} ${at}`;
  const session = (await insist(() => daemon(0).client.send(routes.addSession, { body: { workspace: on.workspace } }))).id;
  const chat = (await insist(() => daemon(0).client.send(routes.addChat, { body: { session } }))).id;
  started();
  await insist<unknown>(
    () => daemon(1).client.send(routes.say, { id: chat, body: { text } }),
    async () => (await messages(daemon(2), chat))[0] ?? null,
  );
  const ask = await eventually(
    async () => (await daemon(2).client.send(routes.listAsks, { query: { session, state: "open" } }))[0] ?? null,
    180_000,
  );
  try {
    await insist(() => daemon(2).client.send(routes.answer, { id: ask.id, body: { decision: "allow" } }));
  } catch (error) {
    // Taken the first time, and the word of it lost.
    if (!(error instanceof WireError && error.code === "request-closed")) throw error;
  }
  await eventually(() => isIdle(daemon(0), chat), 180_000);
  return chat;
}

async function checkAll(url: string, daemon: Program, chats: readonly string[]): Promise<void> {
  for (const chat of chats) expect([chat, await shape(daemon, chat)]).toEqual([chat, READ]);
  const store = await openPostgresStore({ url });
  try {
    expect(await store.verifyAudit()).toBeNull();
    const grants = await store.grants(null);
    expect(grants).toHaveLength(chats.length);
    for (const session of await store.sessions())
      expect(session.allowedReadPaths).toHaveLength(
        chats.some(() => grants.some((grant) => grant.session === session.id)) && grants.some((grant) => grant.session === session.id)
          ? 1
          : 0,
      );
    expect((await store.audit({ kind: "grant" })).length).toBe(chats.length);
    expect(await store.asks({ state: "open" })).toEqual([]);
  } finally {
    await store.close();
  }
}

test("PostgreSQL crashes and comes back under load: every chat comes to its end, once", async () => {
  const { on, all, url } = await world();
  let begunChats = 0;
  const chats = Promise.all(Array.from({ length: 24 }, (_, at) => whole(all, on, at, () => (begunChats += 1))));
  await eventually(async () => (begunChats >= 8 ? true : null));
  await postgres.stop("crash");
  // Until each of them has met it.
  for (const daemon of all)
    await eventually(() =>
      daemon.client.send(routes.listSessions, {}).then(
        () => null,
        () => true,
      ),
    );
  await postgres.start();
  await checkAll(url, all[0]!, await chats);
}, 480_000);

test("one instance's network stands still for a while, and is cut: every chat comes to its end, once", async () => {
  const proxy = await stallingProxy(postgres.port);
  const { on, all, url } = await world((direct) => [direct.replace(`:${postgres.port}/`, `:${proxy.port}/`)]);
  let begunChats = 0;
  const chats = Promise.all(Array.from({ length: 12 }, (_, at) => whole(all, on, at, () => (begunChats += 1))));
  await eventually(async () => (begunChats >= 4 ? true : null));
  proxy.stall();
  // So long nothing comes through; it is no wait for anything.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  proxy.flow();
  await new Promise((resolve) => setTimeout(resolve, 300));
  proxy.cut();
  await checkAll(url, all[1]!, await chats);
}, 480_000);
