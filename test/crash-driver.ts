// A whole chat in a process of its own that dies, kill -9, just before its n-th write to the store. Started again without a number, it
// goes on from what is there. Told by its arguments: database, directory, n (0: never), and which chat: one in which the person speaks while
// the agent is at work (`spoken`), or one with an agent that asks and was started by another (`agents`).

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createAgent } from "../src/agent/agent.ts";
import { scriptedModel, type ScriptedTurn } from "../src/agent/models/scripted.ts";
import type { Model, Store } from "../src/agent/ports.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { emptyPolicy } from "../src/core/policy/rule.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { tools } from "../src/tools/registry.ts";
import { done } from "../src/tools/result.ts";
import { defineTool } from "../src/tools/tool.ts";

const [file = "", root = "", at = "0", which = "spoken"] = process.argv.slice(2);
const writes = [
  "addProject",
  "addSession",
  "changeRoots",
  "archiveSession",
  "addChat",
  "setStatus",
  "append",
  "say",
  "hear",
  "setCall",
  "openAsk",
  "joinAsk",
  "answerAsk",
  "closeAsks",
  "revokeGrant",
  "record",
];
let count = 0;

const store = await openSqliteStore({ file });
const mortal = new Proxy(store, {
  get(target, key, receiver): unknown {
    const method: unknown = Reflect.get(target, key, receiver);
    if (typeof method !== "function" || !writes.includes(String(key))) return method;
    return (...given: unknown[]) => {
      count += 1;
      if (count === Number(at)) process.kill(process.pid, "SIGKILL");
      return Reflect.apply(method, target, given) as unknown;
    };
  },
}) satisfies Store;

/** A tool whose every run can be counted afterwards. */
const note = defineTool({
  name: "note",
  description: "",
  writes: true,
  input: z.strictObject({ line: z.string() }),
  run({ line }) {
    appendFileSync(join(root, "notes"), `${line}\n`);
    return Promise.resolve(done("noted"));
  },
});

const lib = join(root, "lib/go.mod");
const spoken: readonly ScriptedTurn[] = [
  {
    calls: [
      { name: "note", input: { line: "one" } },
      { name: "read_file", input: { path: lib } },
    ],
  },
  {
    calls: [
      { name: "request_read_access", input: { path: lib, reason: "to see" } },
      { name: "note", input: { line: "two" } },
    ],
  },
  { calls: [{ name: "read_file", input: { path: lib } }] },
  { calls: [{ name: "note", input: { line: "three" } }] },
  "nearly done",
  "done",
];
const parent: readonly ScriptedTurn[] = [{ calls: [{ name: "spawn_agent", input: { path: join(root, "ws/sub"), task: "look" } }] }, "done"];
const child: readonly ScriptedTurn[] = [
  { calls: [{ name: "request_read_access", input: { path: lib, reason: "to see" } }] },
  { calls: [{ name: "read_file", input: { path: lib } }] },
  "it is module lib",
];
const script = scriptedModel(async (transcript) => {
  const turns = transcript.some(({ role, text }) => role === "person" && text === "look") ? child : which === "agents" ? parent : spoken;
  return turns[transcript.filter(({ role }) => role === "agent").length] ?? "nothing left";
});
/** What the person says during which turn: between calls, and when the agent believes that it is done. */
const interjections = which === "agents" ? {} : { 2: "and mind the gap", 4: "is that all?" };
const model: Model = {
  name: "scripted",
  async turn(prompt, options) {
    const turn = prompt.transcript.filter(({ role }) => role === "agent").length;
    for (const [during, text] of Object.entries(interjections)) if (turn === Number(during)) await sayOnce(text);
    return script.turn(prompt, options);
  },
};
/** A person who says it again only if it was not taken the first time. */
async function sayOnce(text: string): Promise<void> {
  const [only] = await store.chats(null);
  if (only === undefined) throw new Error("there is no chat");
  const taken = [...(await store.transcript(only.id)), ...(await store.said(only.id))];
  if (!taken.some((one) => one.text === text)) await agent.hear(only.id, text);
}
const policy = compilePolicy({ ...emptyPolicy, ceilings: [root] }, "/home/nobody-here");
const agent = createAgent({ store: mortal, model, home: "/home/nobody-here", policyFor: () => policy, tools: { ...tools, note } });

/** Milliseconds after which it says what it is at, and what it waits for. It ends in one or two; whoever started it gives up later. */
const PATIENCE = 60_000;
let stage = "taking up";
setTimeout(() => {
  console.error(`still running after ${PATIENCE} ms: ${stage}; it waits for ${process.getActiveResourcesInfo().join(", ") || "nothing"}`);
  process.exit(1);
}, PATIENCE).unref();

// Take up what is there; make what is not; answer what is open; until the chat is done.
await agent.takeUp();
const session = (await store.sessions())[0] ?? (await agent.newSession({ workspace: join(root, "ws") }));
const chat = (await store.chats(session.id))[0] ?? (await agent.newChat(session.id));
await sayOnce("begin");
stage = "the chat runs";
await agent.settled();
stage = "answering";
for (const ask of await store.asks({ state: "open" })) await agent.answer(ask.id, { verdict: "allow", until: "session", by: "me" });
stage = "the chat goes on";
await agent.settled();
stage = "telling";
const transcript = await store.transcript(chat.id);
const asks = await store.asks({});
const decided = (await store.audit({ kind: "decision" })).map(({ event }) => (event.kind === "decision" ? event.ask : null));
console.log(
  JSON.stringify({
    writes: count,
    status: (await store.chat(chat.id))?.status,
    last: transcript.at(-1),
    calls: transcript.flatMap((message) =>
      message.role === "agent" ? message.calls.map(({ name, state }) => [name, state.at === "done" ? state.outcome : state.at]) : [],
    ),
    said: transcript.flatMap((message) => (message.role === "person" ? [message.text] : [])),
    waiting: (await store.said(null)).length,
    asks: asks.map(({ state }) => state),
    undecided: asks.filter(({ id }) => !decided.includes(id)).length,
    chats: (await store.chats(null)).map((one) => one.status),
    granted: (await store.sessions()).flatMap(({ allowedReadPaths }) => allowedReadPaths),
    audit: await store.verifyAudit(),
  }),
);
stage = "closing the agent";
await agent.close();
stage = "closing the store";
await store.close();
stage = "closed";
