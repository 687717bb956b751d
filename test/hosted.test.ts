// Agents that other programs drive: registered once, judged by the same guard, asking through the same rows, and never able to answer
// for themselves.

import { afterEach, expect, test } from "vitest";
import { createAgent } from "../src/agent/agent.ts";
import { scriptedModel } from "../src/agent/models/scripted.ts";
import { askId } from "../src/core/names.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { emptyPolicy } from "../src/core/policy/rule.ts";
import { type StoreChange, observeStore } from "../src/server/changes.ts";
import { createMemoryStore } from "../src/store/memory.ts";
import { tree } from "./tree.ts";
import { endOf } from "./store-conformance/values.ts";

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

async function desk() {
  const at = tree(["ws/a: A", "r/.git/", "r/x: X", "r/y: Y", "r/.env: S", "r2/.git/", "r2/z: Z"]);
  const events: StoreChange[] = [];
  const store = observeStore(createMemoryStore(), (change) => events.push(change));
  const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root] }, "/home/nobody-here");
  const agent = createAgent({
    store,
    model: scriptedModel([]),
    home: "/home/nobody-here",
    policyFor: () => policy,
  });
  cleanups.push(async () => {
    await agent.close();
    at.remove();
  });
  const { hosted } = agent;
  const plan = { host: "claude-code", hostSession: "s1", workspace: at.path("ws"), label: "explorer" };
  const { session, chat } = await hosted.register(plan);
  const read = (path: string, call = "c1") => ({ call, tool: "Read", operation: "read" as const, path: at.path(path) });
  return { at, store, agent, hosted, session, chat, plan, read, events };
}

test("the same program, run and workspace are one session; another run is another", async () => {
  const it = await desk();
  expect((await it.hosted.register(it.plan)).session.id).toBe(it.session.id);
  expect((await it.hosted.register(it.plan)).chat.id).toBe(it.chat.id);
  expect((await it.hosted.register({ ...it.plan, hostSession: "s2" })).session.id).not.toBe(it.session.id);
});

test("a workspace that is none cannot be registered", async () => {
  const it = await desk();
  await expect(it.hosted.register({ ...it.plan, hostSession: "s3", workspace: it.at.path("nowhere") })).rejects.toMatchObject({
    name: "HallpassError",
  });
});

test("every access is judged and recorded: inside allowed, elsewhere asked about, secrets denied", async () => {
  const it = await desk();
  const verdict = async (path: string, call: string) => (await it.hosted.decide(it.session.id, it.read(path, call))).verdict;
  expect([await verdict("ws/a", "1"), await verdict("r/x", "2"), await verdict("r/.env", "3")]).toEqual(["allow", "ask", "deny"]);
  const recorded = (await it.store.audit({ session: it.session.id })).map(({ event }) => event.kind === "decision" && event.verdict);
  expect(recorded).toEqual(["allow", "ask", "deny"]);
});

test("an ask waits in the inbox, a person's yes opens the repository for this session, and the call may go on", async () => {
  const it = await desk();
  const asked = await it.hosted.ask(it.session.id, it.read("r/x"), "comparing the two");
  if (asked.state !== "waiting") throw new Error("it should wait");
  expect(asked.ask).toMatchObject({ words: "comparing the two", tool: "Read", proposal: { dir: it.at.path("r") } });
  expect((await it.store.chat(it.chat.id))?.status).toBe("waiting_for_input");
  expect(await it.hosted.ask(it.session.id, it.read("r/x"), null)).toMatchObject({ state: "waiting", ask: { id: asked.ask.id } });
  await it.agent.answer(asked.ask.id, { verdict: "allow", until: "session", by: "me" });
  await it.agent.settled();
  expect(await it.hosted.ask(it.session.id, it.read("r/x"), null)).toEqual({ state: "done", outcome: { ok: true, output: "granted" } });
  expect((await it.hosted.decide(it.session.id, it.read("r/x", "c2"))).reason).toBe("in-grant");
  expect((await it.hosted.decide(it.session.id, it.read("r/.env", "c3"))).reason).toBe("secret-file");
  expect((await it.hosted.state(it.session.id, null)).grants.map(({ path }) => path)).toEqual([it.at.path("r")]);
  expect((await it.store.chat(it.chat.id))?.status).toBe("idle");
});

test("one yes settles the other open asks it covers, and says so", async () => {
  const it = await desk();
  const other = await it.agent.newChat(it.session.id);
  const first = await it.hosted.ask(it.session.id, it.read("r/x", "c1"), null);
  if (first.state !== "waiting") throw new Error("it should wait");
  await it.store.append(
    other.id,
    {
      role: "agent",
      id: "m",
      at: 1,
      text: "",
      usage: null,
      error: null,
      calls: [{ id: first.ask.calls[0]!, name: "Read", input: {}, state: { at: "proposed" } }],
    },
    "running",
  );
  await it.store.openAsk({ ...first.ask, id: askId("second"), chat: other.id });
  const answered = await it.agent.answer(first.ask.id, { verdict: "allow", until: "session", by: "me" });
  expect(answered).toMatchObject({ ok: true, also: [{ id: "second", state: "closed" }] });
  expect(it.events.filter(({ type }) => type === "ask-settled").length).toBe(2);
});

test("a yes for once opens that path for that call alone", async () => {
  const it = await desk();
  const asked = await it.hosted.ask(it.session.id, it.read("r/x", "c1"), null);
  if (asked.state !== "waiting") throw new Error("it should wait");
  await it.agent.answer(asked.ask.id, { verdict: "allow", until: "call", by: "me" });
  expect((await it.hosted.state(it.session.id, "c1")).once).toMatchObject([{ path: it.at.path("r/x"), right: "read" }]);
  expect((await it.hosted.state(it.session.id, "c2")).once).toEqual([]);
  expect((await it.hosted.decide(it.session.id, it.read("r/x", "c2"))).verdict).toBe("ask");
  expect((await it.hosted.decide(it.session.id, it.read("r/x", "c1"))).reason).toBe("answered");
  // Its name is the program's own choice, so the same name again is another use.
  for (const call of ["c1", "c1", "c2"]) expect((await it.hosted.decide(it.session.id, it.read("r/x", call))).verdict).toBe("ask");
  expect((await it.hosted.state(it.session.id, "c1")).once).toEqual([]);
});

test("a yes for once to a request serves the first that asked; another put to the same card must ask again", async () => {
  const it = await desk();
  const request = (path: string, call: string) => ({ ...it.read(path, call), tool: "request_read_access" });
  const first = await it.hosted.ask(it.session.id, request("r/x", "c1"), "one");
  const second = await it.hosted.ask(it.session.id, request("r/y", "c2"), "two");
  if (first.state !== "waiting" || second.state !== "waiting") throw new Error("both should wait");
  expect(second.ask.id).toBe(first.ask.id);
  await it.agent.answer(first.ask.id, { verdict: "allow", until: "call", by: "me" });
  expect(await it.hosted.ask(it.session.id, request("r/x", "c1"), "one")).toMatchObject({ state: "done", outcome: { ok: true } });
  expect(await it.hosted.ask(it.session.id, request("r/y", "c2"), "two")).toMatchObject({ state: "waiting" });
});

test("a no is told, and the same question is not put again", async () => {
  const it = await desk();
  const asked = await it.hosted.ask(it.session.id, it.read("r/x", "c1"), null);
  if (asked.state !== "waiting") throw new Error("it should wait");
  await it.agent.answer(asked.ask.id, { verdict: "deny", by: "me", note: "not that one" });
  expect(await it.hosted.ask(it.session.id, it.read("r/x", "c1"), null)).toMatchObject({
    state: "done",
    outcome: { ok: false, code: "person-declined" },
  });
  expect(await it.hosted.ask(it.session.id, it.read("r/x", "c2"), null)).toMatchObject({
    state: "done",
    outcome: { ok: false, code: "recently-denied" },
  });
});

test("what is in scope, secret or unreachable is answered at once and bothers nobody", async () => {
  const it = await desk();
  const at = async (path: string, call: string, tool: string) => it.hosted.ask(it.session.id, { ...it.read(path, call), tool }, "please");
  expect(await at("ws/a", "1", "Read")).toMatchObject({ state: "done", outcome: { ok: true } });
  expect(await at("ws/a", "2", "request_read_access")).toMatchObject({ outcome: { ok: false, code: "already-in-scope" } });
  expect(await at("r/.env", "3", "Read")).toMatchObject({ outcome: { ok: false, code: "secret-file" } });
  expect(await it.store.asks({ state: "open" })).toEqual([]);
});

test("an ask is found by its own session alone, and ends when the program no longer needs it", async () => {
  const it = await desk();
  const other = (await it.hosted.register({ ...it.plan, hostSession: "s2" })).session;
  const asked = await it.hosted.ask(it.session.id, it.read("r/x"), null);
  if (asked.state !== "waiting") throw new Error("it should wait");
  expect(await it.hosted.find(other.id, asked.ask.id)).toBeNull();
  await it.hosted.cancel(other.id, asked.ask.id);
  expect((await it.hosted.find(it.session.id, asked.ask.id))?.state).toBe("open");
  await it.hosted.cancel(it.session.id, asked.ask.id);
  expect((await it.hosted.find(it.session.id, asked.ask.id))?.state).toBe("closed");
});

test("our loop leaves such a chat alone, also after a restart", async () => {
  const it = await desk();
  await it.hosted.ask(it.session.id, it.read("r/x"), null);
  await it.agent.takeUp();
  expect((await it.store.chat(it.chat.id))?.status).toBe("waiting_for_input");
  await it.agent.say(it.chat.id, "hello");
  expect((await it.store.transcript(it.chat.id)).filter(({ role }) => role === "agent").length).toBe(1);
});

test("an ended session judges nothing", async () => {
  const it = await desk();
  await it.store.archiveSession(endOf(it.session.id, 1));
  await expect(it.hosted.decide(it.session.id, it.read("ws/a"))).rejects.toMatchObject({ code: "session-closed" });
});

test("of many calls at once exactly one uses a yes for once that a request was given", async () => {
  const it = await desk();
  const request = { ...it.read("r/x", "asking"), tool: "request_read_access" };
  const asked = await it.hosted.ask(it.session.id, request, "one look");
  if (asked.state !== "waiting") throw new Error("it should wait");
  await it.agent.answer(asked.ask.id, { verdict: "allow", until: "call", by: "me" });
  const calls = Array.from({ length: 12 }, (_, index) => `at-once-${index}`);
  const verdicts = await Promise.all(calls.map(async (call) => (await it.hosted.decide(it.session.id, it.read("r/x", call))).verdict));
  expect(verdicts.toSorted()).toEqual(["allow", ...calls.slice(1).map(() => "ask")]);
  const answered = await it.store.audit({ session: it.session.id, kind: "decision", reason: "answered" });
  // The record tells the same: one use beside the request's own.
  expect(answered.filter(({ event }) => event.kind === "decision" && event.call.startsWith("at-once")).length).toBe(1);
});
