// The life of a grant under attack: the rows of the attack table with runner `session`, through the agent. Rows about the server's
// credentials and PATCH wait for the server.

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Agent, createAgent, type AgentPorts } from "../src/agent/agent.ts";
import { scriptedModel, type Script } from "../src/agent/models/scripted.ts";
import type { Store } from "../src/agent/ports.ts";
import type { SessionId } from "../src/core/names.ts";
import { createPathScopeGuard } from "../src/core/guard/path-scope.ts";
import { createGuard } from "../src/core/guard/guard.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { emptyPolicy } from "../src/core/policy/rule.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { type StoreChange, observeStore } from "../src/server/changes.ts";
import { createMemoryStore } from "../src/store/memory.ts";
import { replaceWithSameInode, reusingSoil, whereInodeComesBack } from "./support/same-inode.ts";
import { tree, type Tree } from "./tree.ts";
import { endOf } from "./store-conformance/values.ts";

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

async function scene(script: (at: Tree) => Script, more: Partial<AgentPorts> = {}) {
  const at = tree(["ws/", "r/.git/", "r/x: X", "r/y: Y", "r2/.git/", "r2/z: Z"]);
  const store = createMemoryStore();
  const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root] }, "/home/nobody-here");
  const agent = createAgent({ store, model: scriptedModel(script(at)), home: "/home/nobody-here", policyFor: () => policy, ...more });
  cleanups.push(async () => {
    await agent.close();
    at.remove();
  });
  const session = await agent.newSession({ workspace: at.path("ws") });
  const chat = await agent.newChat(session.id);
  await agent.say(chat.id, "go");
  const outcomes = async () =>
    (await store.transcript(chat.id))
      .flatMap((message) => (message.role === "agent" ? message.calls : []))
      .map(({ state }) => (state.at === "done" ? state.outcome : state.at));
  const open = async () => (await store.asks({ session: session.id, state: "open" }))[0]!;
  const allow = async () => {
    const answered = await agent.answer((await open()).id, { verdict: "allow", until: "session", by: "me" });
    await agent.settled();
    return answered;
  };
  return { at, store, agent, session, chat, outcomes, open, allow };
}

const request = (path: string) => ({ calls: [{ name: "request_read_access", input: { path, reason: "why not" } }] });
const read = (path: string) => ({ calls: [{ name: "read_file", input: { path } }] });

test("LIF-01 one yes, and a sibling is read without another ask", async () => {
  const it = await scene((at) => [request(at.path("r/x")), read(at.path("r/x")), read(at.path("r/y")), "done"]);
  await it.allow();
  expect(await it.outcomes()).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
  expect((await it.store.asks({ session: it.session.id })).length).toBe(1);
});

const { why } = await detect();

test.skipIf(why !== null && process.env["CI"] === undefined)("LIF-06 revoking a grant ends the command that sees it", async () => {
  const it = await scene((at) => [
    request(at.path("r/x")),
    { calls: [{ name: "bash", input: { command: `cat ${at.path("r/x")}; touch started; sleep 60; cat ${at.path("r/y")}` } }] },
    "done",
  ]);
  const answered = await it.agent.answer((await it.open()).id, { verdict: "allow", until: "session", by: "me" });
  await expect.poll(() => existsSync(it.at.path("ws/started"))).toBe(true);
  await it.agent.revoke((answered.ok === true ? answered.grant : null)!.id, "me");
  await it.agent.settled();
  expect((await it.outcomes())[1]).toMatchObject({ ok: false, code: "grant-revoked" });
});

test("LIF-10 a second answer neither opens nor doubles anything", async () => {
  const it = await scene((at) => [request(at.path("r/x")), "done"]);
  const { id } = await it.open();
  await it.allow();
  expect(await it.agent.answer(id, { verdict: "allow", until: "session", by: "me" })).toMatchObject({
    ok: false,
    code: "request-closed",
    ask: { state: "answered" },
  });
  expect((await it.store.grants(it.session.id)).length).toBe(1);
});

test("LIF-14 a marker taken away between ask and yes does not widen the grant: it fails", async () => {
  const it = await scene((at) => [request(at.path("r/x")), "done"]);
  writeFileSync(join(it.at.root, "package.json"), "{}");
  rmSync(it.at.path("r/.git"), { recursive: true });
  expect(await it.allow()).toMatchObject({ ok: false, code: "grant-changed" });
  expect(await it.store.grants(it.session.id)).toEqual([]);
});

test("LIF-15 another directory in the granted one's place is asked about anew", async () => {
  const it = await scene((at) => [request(at.path("r/x")), "ok", read(at.path("r/x")), "done"]);
  await it.allow();
  renameSync(it.at.path("r"), it.at.path("r.old"));
  mkdirSync(it.at.path("r/.git"), { recursive: true });
  writeFileSync(it.at.path("r/x"), "OTHER");
  await it.agent.say(it.chat.id, "again");
  expect((await it.outcomes())[1]).toMatchObject({ ok: false, code: "grant-stale" });
});

const reuses = (await reusingSoil()) === tmpdir();

test.skipIf(!reuses)("LIF-15 so is one that has the inode of the granted one", () =>
  whereInodeComesBack(async () => {
    const it = await scene((at) => [request(at.path("r/x")), "ok", read(at.path("r/x")), "done"]);
    await it.allow();
    await replaceWithSameInode(it.at.path("r"));
    mkdirSync(it.at.path("r/.git"));
    writeFileSync(it.at.path("r/x"), "OTHER");
    await it.agent.say(it.chat.id, "again");
    expect((await it.outcomes())[1]).toMatchObject({ ok: false, code: "grant-stale" });
  }),
);

test("LIF-16 a yes that comes too late grants nothing", async () => {
  let now = 1_000_000;
  const it = await scene((at) => [request(at.path("r/x")), "done"], { clock: () => now, askLife: 300_000 });
  const { id } = await it.open();
  now += 300_001;
  expect(await it.agent.answer(id, { verdict: "allow", until: "session", by: "me" })).toMatchObject({ ok: false, code: "grant-expired" });
  expect(await it.store.grants(it.session.id)).toEqual([]);
  // Nothing was ever granted: that is not what the agent is told.
  expect((await it.outcomes())[0]).toMatchObject({
    ok: false,
    hint: expect.stringContaining("nobody answered in time, so nothing was granted"),
  });
});

test("LIF-18 a storm of asks is cut short, and one root makes one card", async () => {
  const it = await scene(
    (at) => {
      for (let n = 0; n < 50; n += 1) mkdirSync(at.path(`many/${n}/.git`), { recursive: true });
      return [{ calls: Array.from({ length: 50 }, (_, n) => request(at.path(`many/${n}/f`)).calls[0]!) }, "done"];
    },
    { asksPerMinute: 10 },
  );
  expect((await it.store.asks({ session: it.session.id })).length).toBe(10);
  expect((await it.outcomes()).filter((one) => typeof one === "object" && !one.ok && one.code === "rate-limited").length).toBe(40);
});

test("LIF-19 after a no the same thing is not asked again in this turn", async () => {
  const it = await scene((at) => [request(at.path("r/x")), request(at.path("r/y")), "done"]);
  await it.agent.answer((await it.open()).id, { verdict: "deny", by: "me" });
  await it.agent.settled();
  expect(await it.outcomes()).toMatchObject([{ code: "person-declined" }, { code: "recently-denied" }]);
});

test("LIF-22 without a session nothing is allowed", () => {
  const scope = createPathScopeGuard(createGuard());
  scope.registerPathScopeGuard();
  expect(scope.beforeTool("Read", { path: "/anything" }, null)).toMatchObject({ action: "deny" });
});

test("a yes settles every other open ask it covers", async () => {
  const it = await scene((at) => [
    { calls: [request(at.path("r/x")).calls[0]!, request(at.path("r2/z")).calls[0]!, request(at.path("r/y")).calls[0]!] },
    "done",
  ]);
  expect((await it.store.asks({ session: it.session.id, state: "open" })).map(({ requested }) => requested.length)).toEqual([2, 1]);
  await it.allow();
  const open = await it.store.asks({ session: it.session.id, state: "open" });
  expect(open.map(({ requested }) => requested)).toEqual([[it.at.path("r2/z")]]);
  expect((await it.store.chat(it.chat.id))?.status).toBe("waiting_for_input");
});

test("a no that stops the agent closes what else its chat asks: it stops, and no later yes has it go on", async () => {
  const it = await scene((at) => [{ calls: [request(at.path("r/x")).calls[0]!, request(at.path("r2/z")).calls[0]!] }, "done"]);
  const [first, second] = await it.store.asks({ session: it.session.id, state: "open" });
  await it.agent.answer(first!.id, { verdict: "deny", stop: true, by: "me" });
  await it.agent.settled();
  expect(await it.store.ask(second!.id)).toMatchObject({ state: "closed", closed: "stopped" });
  expect(await it.outcomes()).toMatchObject([{ code: "person-declined", stops: true }, { code: "stopped" }]);
  expect((await it.store.chat(it.chat.id))?.status).toBe("idle");
  expect(await it.agent.answer(second!.id, { verdict: "allow", until: "session", by: "me" })).toMatchObject({ code: "request-closed" });
  expect(await it.store.grants(it.session.id)).toEqual([]);
});

test("an archived session does nothing any more", async () => {
  const it = await scene((at) => [request(at.path("r/x")), "done"]);
  await it.store.archiveSession(endOf(it.session.id, 2));
  await expect(it.agent.say(it.chat.id, "hello?")).rejects.toMatchObject({ code: "session-closed" });
  expect((await it.store.transcript(it.chat.id)).filter(({ role }) => role === "agent").length).toBe(1);
});

test("a yes for once, given to a request, is used up by the first read of that path, whatever it is called", async () => {
  const it = await scene((at) => [request(at.path("r/x")), read(at.path("r/x")), read(`${at.path("ws")}/../r/x`), "done"]);
  await it.agent.answer((await it.open()).id, { verdict: "allow", until: "call", by: "me" });
  await it.agent.settled();
  expect(await it.outcomes()).toMatchObject([
    { ok: true, output: expect.stringContaining("once") },
    { ok: true },
    { ok: false, code: "out-of-scope" },
  ]);
});

test("a yes for once is not another chat's", async () => {
  const it = await scene((at) => async (transcript) => {
    const said = transcript.filter(({ role }) => role === "agent").length;
    const first = transcript.find((message) => message.role === "person")?.text === "go";
    return said > 0 ? "done" : first ? request(at.path("r/x")) : read(at.path("r/x"));
  });
  await it.agent.answer((await it.open()).id, { verdict: "allow", until: "call", by: "me" });
  await it.agent.settled();
  const other = await it.agent.newChat(it.session.id);
  await it.agent.say(other.id, "and you?");
  const [call] = (await it.store.transcript(other.id)).flatMap((message) => (message.role === "agent" ? message.calls : []));
  expect(call?.state).toMatchObject({ at: "done", outcome: { ok: false, code: "out-of-scope" } });
});

test("a long chat is put in short without being given a new budget", async () => {
  const it = await scene(() => async () => ({ text: "x".repeat(500), calls: [{ name: "list_dir", input: { path: "." } }] }), {
    compactAt: 2_000,
    budget: { turns: 12, calls: 100 },
  });
  const transcript = await it.store.transcript(it.chat.id);
  expect(transcript.some(({ role }) => role === "summary")).toBe(true);
  expect(transcript.filter(({ role }) => role === "agent").length).toBe(12);
  expect((await it.store.chat(it.chat.id))?.status).toBe("idle");
});

test.skipIf(why !== null && process.env["CI"] === undefined)("stopping a chat ends the command it runs", async () => {
  const at = tree(["ws/"]);
  cleanups.push(() => at.remove());
  const store = createMemoryStore();
  const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root] }, "/home/nobody-here");
  const script: Script = [{ calls: [{ name: "bash", input: { command: "touch began; sleep 30; touch ended" } }] }, "done"];
  const agent = createAgent({ store, model: scriptedModel(script), home: "/home/nobody-here", policyFor: () => policy });
  cleanups.push(() => agent.close());
  const session = await agent.newSession({ workspace: at.path("ws") });
  const chat = await agent.newChat(session.id);
  const said = agent.say(chat.id, "go");
  while (!existsSync(at.path("ws/began"))) await new Promise((resolve) => setTimeout(resolve, 20));
  await agent.cancel(chat.id);
  await said;
  expect(existsSync(at.path("ws/ended"))).toBe(false);
  expect((await store.chat(chat.id))?.status).toBe("idle");
});

test("a workspace that is moved while a chat runs counts from its next call on", async () => {
  const at = tree(["ws/a: A", "r/.git/", "r/x: X"]);
  cleanups.push(() => at.remove());
  const store = createMemoryStore();
  const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root] }, "/home/nobody-here");
  const turns: Script = [
    { calls: [{ name: "read_file", input: { path: at.path("ws/a") } }] },
    { calls: [{ name: "read_file", input: { path: at.path("ws/a") } }] },
    "done",
  ];
  const scripted = scriptedModel(turns);
  const moving: AgentPorts["model"] = {
    name: "moving",
    async turn(prompt, options) {
      // Between the first call and the second somebody moves it.
      if (prompt.transcript.some(({ role }) => role === "agent")) await store.changeRoots(session.id, at.path("r"), [], []);
      return scripted.turn(prompt, options);
    },
  };
  const agent = createAgent({ store, model: moving, home: "/home/nobody-here", policyFor: () => policy });
  cleanups.push(() => agent.close());
  const session = await agent.newSession({ workspace: at.path("ws") });
  const chat = await agent.newChat(session.id);
  await agent.say(chat.id, "go");
  const outcomes = (await store.transcript(chat.id))
    .flatMap((message) => (message.role === "agent" ? message.calls : []))
    .map(({ state }) => state.at === "done" && state.outcome.ok);
  expect(outcomes).toEqual([true, false]);
});

// ── What is said while the agent works ──

/** A chat whose model can be spoken over: `during` is called in the middle of the turn of this number. */
async function spokenOver(
  script: (at: Tree) => Script,
  during: (turn: number, it: Spoken) => Promise<void>,
  more: Partial<AgentPorts> = {},
) {
  const at = tree(["ws/a: A", "ws/sub/", "r/.git/", "r/x: X"]);
  const store = createMemoryStore();
  const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root] }, "/home/nobody-here");
  const scripted = scriptedModel(script(at));
  const model: AgentPorts["model"] = {
    name: "spoken over",
    async turn(prompt, options) {
      await during(prompt.transcript.filter(({ role }) => role === "agent").length, it);
      return scripted.turn(prompt, options);
    },
  };
  const agent = createAgent({ store, model, home: "/home/nobody-here", policyFor: () => policy, ...more });
  cleanups.push(async () => {
    await agent.close();
    at.remove();
  });
  const session = await agent.newSession({ workspace: at.path("ws") });
  const chat = await agent.newChat(session.id);
  const it: Spoken = { at, store, agent, session: session.id, chat: chat.id };
  const told = async () =>
    (await store.transcript(chat.id)).flatMap((message) =>
      message.role === "person"
        ? [`person: ${message.text}`]
        : message.role === "agent"
          ? [`agent: ${message.text}${message.calls.map(({ name, state }) => `${name} ${state.at}`).join(", ")}`]
          : [],
    );
  return { ...it, told };
}

interface Spoken {
  readonly at: Tree;
  readonly store: Store;
  readonly agent: Agent;
  readonly session: SessionId;
  readonly chat: string;
}

test("what is said while the agent works is stored at once, and heard before the next turn, when the calls of this one are done", async () => {
  const waiting: number[] = [];
  const it = await spokenOver(
    (at) => [read(at.path("ws/a")), "done"],
    async (turn, { agent, store, chat }) => {
      if (turn === 0) await agent.hear(chat, "and be quick");
      waiting.push((await store.said(chat)).length);
    },
  );
  await it.agent.say(it.chat, "go");
  expect(waiting).toEqual([1, 0]);
  expect(await it.told()).toEqual(["person: go", "agent: read_file done", "person: and be quick", "agent: done"]);
});

test("what is said in the last turn is gone on with, without the chat coming to rest in between", async () => {
  const statuses: string[] = [];
  const it = await spokenOver(
    () => ["done", "more"],
    async (turn, { agent, chat }) => {
      if (turn === 0) await agent.hear(chat, "more?");
    },
    { listener: (event) => void (event.type === "status-change" && statuses.push(event.status)) },
  );
  await it.agent.say(it.chat, "go");
  expect(await it.told()).toEqual(["person: go", "agent: done", "person: more?", "agent: more"]);
  expect(statuses.filter((status) => status === "idle")).toEqual(["idle"]);
});

test("what was said before a question was put does not answer it: it is heard after the answer", async () => {
  const it = await spokenOver(
    (at) => [request(at.path("r/x")), "done"],
    async (turn, { agent, chat }) => {
      if (turn === 0) await agent.hear(chat, "the library will do");
    },
  );
  await it.agent.say(it.chat, "go");
  const [ask] = await it.store.asks({ state: "open" });
  expect(await it.told()).toEqual(["person: go", "agent: request_read_access waiting"]);
  await it.agent.answer(ask!.id, { verdict: "allow", until: "session", by: "me" });
  await it.agent.settled();
  expect(await it.told()).toEqual(["person: go", "agent: request_read_access done", "person: the library will do", "agent: done"]);
});

test("whoever speaks instead of answering has closed the question, also that of an agent which was started", async () => {
  const own = await spokenOver(
    (at) => [request(at.path("r/x")), "done"],
    async () => {},
  );
  await own.agent.say(own.chat, "go");
  await own.agent.say(own.chat, "never mind");
  expect(await own.told()).toEqual(["person: go", "agent: request_read_access done", "person: never mind", "agent: done"]);
  expect((await own.store.asks({})).map(({ state }) => state)).toEqual(["closed"]);

  const spawning = await spokenOver(
    (at) => async (transcript) => {
      const turn = transcript.filter(({ role }) => role === "agent").length;
      if (transcript.some(({ text }) => text === "look")) return [request(at.path("r/x")), "it was not allowed"][turn] ?? "";
      return [{ calls: [{ name: "spawn_agent", input: { path: at.path("ws/sub"), task: "look" } }] }, "done"][turn] ?? "";
    },
    async () => {},
  );
  await spawning.agent.say(spawning.chat, "go");
  expect(await spawning.told()).toEqual(["person: go", "agent: spawn_agent waiting"]);
  await spawning.agent.say(spawning.chat, "never mind");
  expect(await spawning.told()).toEqual(["person: go", "agent: spawn_agent done", "person: never mind", "agent: done"]);
});

test("stopping a chat stops its turn; what was said meanwhile is heard next, and a second stop stops that", async () => {
  const begun: (() => void)[] = [];
  const it = await spokenOver(
    () => [],
    async () => {
      // Long enough to be called off in the middle of it.
      begun.shift()?.();
      await pause(300);
    },
  );
  const turns = [0, 1].map(() => new Promise<void>((resolve) => void begun.push(resolve)));
  await it.agent.hear(it.chat, "go");
  await turns[0];
  await it.agent.hear(it.chat, "no: do this instead");
  await it.agent.cancel(it.chat);
  await turns[1];
  expect(await it.told()).toEqual(["person: go", "person: no: do this instead"]);
  await it.agent.cancel(it.chat);
  await it.agent.settled();
  expect((await it.store.chat(it.chat))?.status).toBe("idle");
  // Stopped is stopped: neither a look nor a new start sets it going again.
  await it.agent.wake(it.chat);
  await it.agent.takeUp();
  expect(await it.told()).toEqual(["person: go", "person: no: do this instead"]);
});

test("the end of a session takes what was said into the transcript, and nobody answers it", async () => {
  const it = await spokenOver(
    (at) => [request(at.path("r/x")), "done"],
    async (turn, { agent, chat }) => {
      if (turn === 0) await agent.hear(chat, "one more thing");
    },
  );
  await it.agent.say(it.chat, "go");
  await it.agent.cancel(it.chat, true);
  expect(await it.store.said(it.chat)).toHaveLength(1);
  await it.store.archiveSession(endOf(it.session, 9));
  await it.agent.settled();
  expect(await it.told()).toEqual(["person: go", "agent: request_read_access done", "person: one more thing"]);
  await expect(it.agent.hear(it.chat, "hello?")).rejects.toMatchObject({ code: "session-closed" });
});

test("an agent that was started is driven once, though its ask is answered while the one that started it still looks at it", async () => {
  const at = tree(["ws/sub/", "r/.git/", "r/x: X"]);
  cleanups.push(() => at.remove());
  const store = createMemoryStore();
  const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root] }, "/home/nobody-here");
  const turns: string[] = [];
  const model = scriptedModel(async (transcript) => {
    const turn = transcript.filter(({ role }) => role === "agent").length;
    const isChild = transcript.some(({ text }) => text === "look");
    turns.push(`${isChild ? "child" : "parent"} ${turn}`);
    // Still at work when the one that started it looks.
    if (isChild && turn > 0) await pause(150);
    if (isChild) return [request(at.path("r/x")), read(at.path("r/x")), "X it is"][turn] ?? "nothing left";
    return [{ calls: [{ name: "spawn_agent", input: { path: at.path("ws/sub"), task: "look" } }] }, "done"][turn] ?? "nothing left";
  });
  // Two processes on one store: a chat is driven by whoever has the right to it.
  const held = new Map<string, AbortController>();
  const faults: unknown[] = [];
  const others: Agent[] = [];
  // Slow to note that a chat waits: what happens in between can be anything.
  const slow: Store = {
    ...store,
    async setStatus(chat, from, to) {
      if (to === "waiting_for_input") await pause(50);
      return store.setStatus(chat, from, to);
    },
  };
  const instance = (tell: (change: StoreChange) => void = () => {}): Agent => {
    const one = createAgent({
      store: observeStore(slow, tell),
      model,
      home: "/home/nobody-here",
      policyFor: () => policy,
      fault: (_chat, error) => void faults.push(error),
      async lease(chat) {
        if (held.has(chat)) {
          for (const other of others) if (other !== one) void other.wake(chat);
          return null;
        }
        const right = new AbortController();
        held.set(chat, right);
        return { signal: right.signal, end: async () => void held.delete(chat) };
      },
    });
    others.push(one);
    cleanups.push(() => one.close());
    return one;
  };
  const second = instance();
  // Answered by the other one the moment it is there: before the first has noted that it waits.
  const first = instance((event) => {
    if (event.type === "ask-opened") void second.answer(event.ask.id, { verdict: "allow", until: "session", by: "me" });
  });
  const session = await first.newSession({ workspace: at.path("ws") });
  const chat = await first.newChat(session.id);
  await first.say(chat.id, "go");
  await expect.poll(async () => (await store.chat(chat.id))?.status).toBe("idle");
  expect(turns.toSorted()).toEqual(["child 0", "child 1", "child 2", "parent 0", "parent 1"]);
  expect(faults).toEqual([]);
  const [spawned] = (await store.transcript(chat.id)).flatMap((message) => (message.role === "agent" ? message.calls : []));
  expect(spawned?.state).toEqual({ at: "done", outcome: { ok: true, output: "X it is" } });
});
