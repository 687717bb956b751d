// What the loop itself costs, without a model's time: milliseconds a tool call, in memory and on SQLite, beside one durable write;
// and what a chat that waits for a person holds. The goals are absolute: they are about what a person would notice. The store in memory is SQLite
// too, and the loop reads the whole transcript once a turn, so a call of a chat with 200 turns costs more than one of a short chat.
import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// @ts-ignore What is built has no types beside it; the next lines give it those of its source.
import * as builtAgent from "../dist/agent.js";
// @ts-ignore
import * as builtCore from "../dist/index.js";
// @ts-ignore
import * as builtStore from "../dist/store.js";
import type * as Agents from "../src/agent/index.ts";
import type * as Core from "../src/library/index.ts";
import type * as Stores from "../src/store/index.ts";

const { createAgent, scriptedModel }: typeof Agents = builtAgent;
const { compilePolicy, emptyPolicy }: typeof Core = builtCore;
const { createMemoryStore, openSqliteStore }: typeof Stores = builtStore;

const HOME = "/home/somebody";

const CALLS = 200;
const CHATS = 1000;

const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-agent-")));
const policy = compilePolicy({ ...emptyPolicy, ceilings: [place] }, HOME);
try {
  mkdirSync(join(place, "ws"));
  mkdirSync(join(place, "lib/.git"), { recursive: true });
  writeFileSync(join(place, "ws/a.txt"), "text\n");
  writeFileSync(join(place, "lib/x"), "x\n");
  const write = durableWrite();
  const memory = await perCall(() => Promise.resolve(createMemoryStore()));
  const sqlite = await perCall(() => openSqliteStore({ file: join(place, "bench.db") }));
  const kilobytes = await perWaitingChat();
  console.log(
    `\nagent\n  a tool call, store in memory   ${memory.toFixed(3)} ms\n  a tool call, store on SQLite   ${sqlite.toFixed(3)} ms (one durable write here: ${write.toFixed(3)} ms)`,
  );
  console.log(`  a chat that waits              ${kilobytes.toFixed(1)} KB`);
  goal("loop overhead in ms a call", 5, memory);
  goal("a waiting chat in KB", 20, kilobytes);
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** One turn with one read each, many times over: the fastest of three chats. */
async function perCall(make: () => Promise<Agents.Store>): Promise<number> {
  const store = await make();
  const model = scriptedModel(async (transcript) => {
    const turns = transcript.filter(({ role }) => role === "agent").length;
    return turns < CALLS ? { calls: [{ name: "read_file", input: { path: "a.txt", offset: turns + 1 } }] } : "done";
  });
  const agent = createAgent({ store, model, home: HOME, policyFor: () => policy, budget: { turns: CALLS * 2, calls: CALLS * 2 } });
  const session = await agent.newSession({ workspace: join(place, "ws") });
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const chat = await agent.newChat(session.id);
    const started = performance.now();
    await agent.say(chat.id, "read it all");
    best = Math.min(best, (performance.now() - started) / CALLS);
    if ((await store.chat(chat.id))?.status !== "idle") throw new Error("the chat did not come to its end");
  }
  await agent.close();
  await store.close();
  return best;
}

/** A thousand chats, each waiting for an answer: what the process holds for them, and that no timer runs. */
async function perWaitingChat(): Promise<number> {
  const store = createMemoryStore();
  const model = scriptedModel(async () => ({
    calls: [{ name: "request_read_access", input: { path: join(place, "lib/x"), reason: "to see" } }],
  }));
  const agent = createAgent({ store, model, home: HOME, policyFor: () => policy, asksPerMinute: CHATS * 2 });
  const one = async (): Promise<void> => {
    const session = await agent.newSession({ workspace: join(place, "ws") });
    const chat = await agent.newChat(session.id);
    await agent.say(chat.id, "look");
    if ((await store.chat(chat.id))?.status !== "waiting_for_input") throw new Error("the chat does not wait");
  };
  for (let warm = 0; warm < 20; warm += 1) await one();
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const timersBefore = timers();
  for (let at = 0; at < CHATS; at += 1) await one();
  globalThis.gc?.();
  const held = (process.memoryUsage().heapUsed - before) / CHATS / 1024;
  if (timers() > timersBefore) throw new Error(`${timers() - timersBefore} timers run for chats that wait`);
  await agent.close();
  return held;
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "Timeout" || kind === "Immediate").length;
}

function durableWrite(): number {
  const file = openSync(join(place, "floor"), "w");
  let best = Number.POSITIVE_INFINITY;
  for (let at = 0; at < 50; at += 1) {
    const started = performance.now();
    writeSync(file, "x");
    fdatasyncSync(file);
    best = Math.min(best, performance.now() - started);
  }
  closeSync(file);
  return best;
}

function goal(name: string, limit: number, measured: number): void {
  const fine = measured <= limit;
  console.log(`goal ${name} ≤ ${limit.toFixed(2)} measured ${measured.toFixed(2)} ${fine ? "ok" : "fail"}`);
  if (!fine) process.exitCode = 1;
}
