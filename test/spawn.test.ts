// Agents that agents start: they need a yes outside the parent's scope, their asks reach the person, and they get no more than the
// parent has, or than the yes gave.

import { existsSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { createAgent } from "../src/agent/agent.ts";
import { scriptedModel, type ScriptedTurn } from "../src/agent/models/scripted.ts";
import type { Transcript } from "../src/agent/transcript.ts";
import { combinePolicies } from "../src/core/policy/combine.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { type Author, parsePolicy } from "../src/core/policy/parse.ts";
import type { Sandbox } from "../src/sandbox/port.ts";
import { createMemoryStore } from "../src/store/memory.ts";
import { tree, type Tree } from "./tree.ts";

const HOME = "/home/nobody-here";
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

/** Its commands are paths: each reaches for its own, and waits until somebody has answered. */
const reaching: Sandbox = {
  name: "bubblewrap",
  ready: async () => null,
  async run(path, { asking }) {
    const granted = await asking?.ask({ path, operation: "read", who: "cat" });
    return { ok: true, exitCode: granted === null ? 1 : 0, stdout: "", stderr: "", truncated: false, setAside: [], leftOut: [] };
  },
  revoke() {},
  endSession() {},
};

/** One script for parent and child: told apart by what the person said first. */
async function scene(
  parent: (at: Tree) => readonly ScriptedTurn[],
  child: (at: Tree) => readonly ScriptedTurn[],
  parentPolicy: object = {},
  grandchild: (at: Tree) => readonly ScriptedTurn[] = () => [],
) {
  const at = tree([
    "ws/.git/",
    "ws/sub/a: A",
    "lib/.git/",
    "lib/go.mod: module lib",
    "lib/private/p: P",
    "other/.git/",
    "other/o: O",
    "to-lib => lib",
  ]);
  const turns = { parent: parent(at), child: child(at), grandchild: grandchild(at) };
  const said = (transcript: Transcript) => transcript.find((message) => message.role === "person")?.text;
  const model = scriptedModel(async (transcript) => {
    const list = said(transcript) === "go" ? turns.parent : said(transcript) === "read" ? turns.grandchild : turns.child;
    return list[transcript.filter(({ role }) => role === "agent").length] ?? "nothing left";
  });
  const part = (author: Author, value: object) => {
    const parsed = parsePolicy(value, { author, home: HOME });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
    return parsed.part;
  };
  const asked: (readonly string[])[] = [];
  const store = createMemoryStore();
  const agent = createAgent({
    store,
    model,
    sandbox: reaching,
    home: HOME,
    policyFor: (workspace, inherited) => {
      asked.push([workspace, ...inherited]);
      const repositories = [workspace, ...inherited].includes(at.path("ws")) ? [part("project", parentPolicy)] : [];
      return compilePolicy(combinePolicies([part("operator", { ceilings: [at.root] }), ...repositories]), HOME);
    },
  });
  cleanups.push(async () => {
    await agent.close();
    at.remove();
  });
  const session = await agent.newSession({ workspace: at.path("ws") });
  const chat = await agent.newChat(session.id);
  // A command that waits for an answer keeps its chat running.
  if (turns.grandchild.length > 0) await agent.hear(chat.id, "go");
  else await agent.say(chat.id, "go");
  const calls = async (id: string) => (await store.transcript(id)).flatMap((message) => (message.role === "agent" ? message.calls : []));
  /** The agent that was started, and its only chat. */
  const started = async () => {
    const its = (await store.sessions()).find(({ parent: above }) => above === session.id)!;
    return { session: its, chat: (await store.chats(its.id))[0]! };
  };
  return { at, store, agent, chat, session, child: started, calls, asked, open: () => store.asks({ state: "open" }) };
}

const spawn = (path: string): ScriptedTurn => ({ calls: [{ name: "spawn_agent", input: { path, task: "find out its name" } }] });
const read = (path: string): ScriptedTurn => ({ calls: [{ name: "read_file", input: { path } }] });

test("inside the parent's scope no yes is needed, and the child's last words are the call's result", async () => {
  const it = await scene(
    (at) => [spawn(at.path("ws/sub")), "done"],
    () => [read("a"), "it says A"],
  );
  expect((await it.calls(it.chat.id))[0]?.state).toEqual({ at: "done", outcome: { ok: true, output: "it says A" } });
  expect(await it.open()).toEqual([]);
});

test("outside it the person is asked once, for that call; a no starts nothing", async () => {
  const it = await scene(
    (at) => [spawn(at.path("lib")), "done"],
    () => [read("go.mod"), "module lib"],
  );
  const [ask] = await it.open();
  expect(ask).toMatchObject({ tool: "spawn_agent", right: "write", offers: "once", path: it.at.path("lib") });
  expect(ask).toMatchObject({ about: { what: "agent", task: "find out its name", wasReadOnly: false, survey: { files: 2 } } });
  await it.agent.answer(ask!.id, { verdict: "deny", by: "me" });
  await it.agent.settled();
  expect((await it.calls(it.chat.id))[0]?.state).toMatchObject({ at: "done", outcome: { ok: false, code: "person-declined" } });
  expect((await it.store.sessions()).length).toBe(1);
});

test("the record names the question, and the yes that the agent was started by", async () => {
  const it = await scene(
    (at) => [spawn(at.path("lib")), "done"],
    () => ["nothing"],
  );
  const [ask] = await it.open();
  await it.agent.answer(ask!.id, { verdict: "allow", until: "call", by: "me" });
  await it.agent.settled();
  const decisions = (await it.store.audit({ kind: "decision" })).map(({ event }) => event);
  expect(decisions).toMatchObject([
    { tool: "spawn_agent", verdict: "ask", real: it.at.path("lib"), ask: ask!.id },
    { tool: "spawn_agent", verdict: "allow", reason: "answered", real: it.at.path("lib"), ask: ask!.id },
  ]);
});

test("where no guard asks, the record still names the question", async () => {
  const it = await scene(
    (at) => [
      { calls: [{ name: "request_read_access", input: { path: at.path("lib/go.mod"), reason: "to compare" } }] },
      spawn(at.path("lib")),
      "done",
    ],
    () => ["nothing"],
  );
  await it.agent.answer((await it.open())[0]!.id, { verdict: "allow", until: "session", by: "me" });
  await it.agent.settled();
  const [ask] = await it.open();
  const last = (await it.store.audit({ kind: "decision" })).at(-1)?.event;
  expect(last).toMatchObject({ tool: "spawn_agent", verdict: "ask", reason: "out-of-scope", real: it.at.path("lib"), ask: ask!.id });
});

test("a link on the way is named on its card; another directory on the way is not taken for the repository", async () => {
  const it = await scene(
    (at) => [spawn(`${at.path("lib")}/../other`), spawn(at.path("to-lib")), "done"],
    () => ["nothing"],
  );
  const [first] = await it.calls(it.chat.id);
  expect(first?.state).toMatchObject({ at: "done", outcome: { ok: false, code: "invalid-path" } });
  const [ask] = await it.open();
  expect(ask).toMatchObject({ path: it.at.path("lib"), links: [it.at.path("to-lib")] });
});

test("where only reading was granted the ask says so: a yes makes it writable for the child", async () => {
  const it = await scene(
    (at) => [
      { calls: [{ name: "request_read_access", input: { path: at.path("lib/go.mod"), reason: "to compare" } }] },
      spawn(at.path("lib")),
      "done",
    ],
    () => ["nothing"],
  );
  const [first] = await it.open();
  await it.agent.answer(first!.id, { verdict: "allow", until: "session", by: "me" });
  await it.agent.settled();
  const [ask] = await it.open();
  expect(ask).toMatchObject({ tool: "spawn_agent", about: { what: "agent", wasReadOnly: true } });
});

test("after a yes the child works there, asks under its own name, and the parent waits with it", async () => {
  const it = await scene(
    (at) => [spawn(at.path("lib")), "done"],
    (at) => [
      read("go.mod"),
      { calls: [{ name: "request_read_access", input: { path: at.path("other/o"), reason: "to compare" } }] },
      read(at.path("other/o")),
      "lib and O",
    ],
  );
  await it.agent.answer((await it.open())[0]!.id, { verdict: "allow", until: "call", by: "me" });
  await it.agent.settled();
  const [ask] = await it.open();
  expect(ask).toMatchObject({ words: "to compare", proposal: { dir: it.at.path("other") } });
  expect(await it.store.chat(ask!.chat)).toMatchObject({ title: `agent in ${it.at.path("lib")}` });
  expect((await it.calls(it.chat.id))[0]?.state).toMatchObject({ at: "waiting", ask: ask!.id });
  expect((await it.store.chat(it.chat.id))?.status).toBe("waiting_for_input");
  await it.agent.answer(ask!.id, { verdict: "allow", until: "session", by: "me" });
  await it.agent.settled();
  expect((await it.calls(it.chat.id))[0]?.state).toEqual({ at: "done", outcome: { ok: true, output: "lib and O" } });
  expect((await it.store.chat(it.chat.id))?.status).toBe("idle");
});

test("its session ends with its task: no grant is left, nobody can set it going again, and its chat stays", async () => {
  const it = await scene(
    (at) => [spawn(at.path("lib")), "done"],
    (at) => [
      { calls: [{ name: "request_read_access", input: { path: at.path("other/o"), reason: "to compare" } }] },
      { calls: [{ name: "write_file", input: { path: "new.txt", content: "N" } }] },
      "written",
    ],
  );
  await it.agent.answer((await it.open())[0]!.id, { verdict: "allow", until: "call", by: "me" });
  await it.agent.settled();
  const child = await it.child();
  expect(child.session.archivedAt).toBe(null);
  await it.agent.answer((await it.open())[0]!.id, { verdict: "allow", until: "session", by: "me" });
  await it.agent.settled();
  const ended = await it.child();
  expect([ended.session.archivedAt === null, ended.session.allowedReadPaths, ended.chat.status]).toEqual([false, [], "archived"]);
  expect((await it.store.grants(child.session.id)).filter(({ revokedAt }) => revokedAt === null)).toEqual([]);
  await expect(it.agent.hear(child.chat.id, "again")).rejects.toMatchObject({ code: "session-closed" });
  expect((await it.store.transcript(child.chat.id)).at(-1)).toMatchObject({ role: "agent", text: "written" });
  expect((await it.store.audit({ session: child.session.id, kind: "session-ended" }))[0]?.event).toMatchObject({ why: "task-ended" });
  // What it wrote can still be undone, by a person.
  const [, wrote] = await it.calls(child.chat.id);
  expect(existsSync(it.at.path("lib/new.txt"))).toBe(true);
  await it.agent.undo(child.chat.id, wrote!.id, "me");
  expect(existsSync(it.at.path("lib/new.txt"))).toBe(false);
  // The parent's goes on.
  expect((await it.store.session(it.session.id))?.archivedAt).toBe(null);
});

test.each([
  [true, "idle", ["spawn_agent done"]],
  [undefined, "idle", ["spawn_agent done", "done"]],
])(
  "a no to the agent that stops it (%s) reaches the parent as a refusal and stops that too; another lets both go on",
  async (stop, status, end) => {
    const it = await scene(
      (at) => [spawn(at.path("ws/sub")), "done"],
      (at) => [{ calls: [{ name: "request_read_access", input: { path: at.path("other/o"), reason: "why not" } }] }, "was denied"],
    );
    await it.agent.answer((await it.open())[0]!.id, { verdict: "deny", by: "me", note: "not there", ...(stop === true ? { stop } : {}) });
    await it.agent.settled();
    const told = (await it.store.transcript(it.chat.id)).flatMap((message) =>
      message.role === "agent"
        ? [...message.calls.map(({ name, state }) => `${name} ${state.at}`), ...(message.text === "" ? [] : [message.text])]
        : [],
    );
    expect([(await it.store.chat(it.chat.id))?.status, told]).toEqual([status, end]);
    const state = (await it.calls(it.chat.id))[0]?.state;
    expect(state).toEqual({
      at: "done",
      outcome:
        stop === true
          ? { ok: false, code: "person-declined", stops: true, hint: expect.stringContaining("The person says: not there") as string }
          : { ok: true, output: "was denied" },
    });
    expect((await it.child()).chat.status).toBe("archived");
  },
);

test.each([
  ["stops the agent in its own chat", "stopped"],
  ["ends the agent's session", "session-closed"],
])("a person %s: the parent is told, and goes on", async (_what, code) => {
  const it = await scene(
    (at) => [spawn(at.path("ws/sub")), "done"],
    (at) => [{ calls: [{ name: "request_read_access", input: { path: at.path("other/o"), reason: "why not" } }] }, "never"],
  );
  const { chat, session } = await it.child();
  if (code === "stopped") await it.agent.cancel(chat.id);
  else await it.agent.endSession(session.id, "me", "person");
  await it.agent.settled();
  expect((await it.calls(it.chat.id))[0]?.state).toMatchObject({ at: "done", outcome: { ok: false, code } });
  expect((await it.store.transcript(it.chat.id)).at(-1)).toMatchObject({ text: "done" });
  expect((await it.child()).chat.status).toBe("archived");
});

test.each([
  [
    { verdict: "allow", until: "session", by: "me" },
    { ok: true, output: "read it" },
  ],
  [
    { verdict: "deny", by: "me", stop: true },
    { ok: false, code: "person-declined", stops: true },
  ],
] as const)("what a command of an agent two below asks is asked in every chat above while it runs: %o", async (answer, outcome) => {
  const it = await scene(
    (at) => [spawn(at.path("ws/sub")), "done"],
    (at) => [{ calls: [{ name: "spawn_agent", input: { path: at.path("ws/sub"), task: "read" } }] }, "read it"],
    {},
    (at) => [{ calls: [{ name: "bash", input: { command: at.path("other/o") } }] }, "read it"],
  );
  await expect.poll(async () => (await it.open()).length).toBe(1);
  const [ask] = await it.open();
  const chats = await it.store.chats(null);
  const waiting = async () => Promise.all(chats.map(async ({ id }) => [(await it.store.chat(id))?.status, (await it.calls(id))[0]?.state]));
  const waits = ["waiting_for_input", { at: "waiting", ask: ask!.id, kind: "pending_grant" }];
  await expect.poll(waiting).toEqual([waits, waits, waits]);
  expect(ask!.chat).toBe(chats[2]!.id);
  await it.agent.answer(ask!.id, answer);
  await it.agent.settled();
  expect((await it.calls(it.chat.id))[0]?.state).toMatchObject({ at: "done", outcome });
  expect((await it.store.chats(null)).map(({ status }) => status)).toEqual(["idle", "archived", "archived"]);
});

test("the parent's grants are not the child's, nor the child's the parent's", async () => {
  const it = await scene(
    (at) => [
      { calls: [{ name: "request_read_access", input: { path: at.path("other/o"), reason: "x" } }] },
      spawn(at.path("ws/sub")),
      "done",
    ],
    (at) => [read(at.path("other/o")), "could not"],
  );
  await it.agent.answer((await it.open())[0]!.id, { verdict: "allow", until: "session", by: "me" });
  await it.agent.settled();
  const child = (await it.store.sessions()).find(({ parent }) => parent === it.session.id)!;
  expect(child.allowedReadPaths).toEqual([]);
  const [chat] = await it.store.chats(child.id);
  expect((await it.calls(chat!.id))[0]?.state).toMatchObject({ at: "done", outcome: { ok: false, code: "out-of-scope" } });
});

test("what the parent's repository denies is denied to the child as well", async () => {
  const it = await scene(
    (at) => [spawn(at.path("lib")), "done"],
    () => [read("private/p"), "denied"],
    { read: { "**/private": "deny" } },
  );
  await it.agent.answer((await it.open())[0]!.id, { verdict: "allow", until: "call", by: "me" });
  await it.agent.settled();
  const child = (await it.store.sessions()).find(({ parent }) => parent === it.session.id)!;
  const [chat] = await it.store.chats(child.id);
  expect((await it.calls(chat!.id))[0]?.state).toMatchObject({ at: "done", outcome: { ok: false, code: "policy-deny" } });
  expect(it.asked).toContainEqual([it.at.path("lib"), it.at.path("ws")]);
});

test("the end of the parent's session ends that of the agent it started, and closes what that one asked", async () => {
  const it = await scene(
    (at) => [spawn(at.path("ws/sub")), "done"],
    (at) => [{ calls: [{ name: "request_read_access", input: { path: at.path("other/o"), reason: "why not" } }] }, "never"],
  );
  await it.agent.endSession(it.session.id, "me", "person");
  await it.agent.settled();
  expect(await it.open()).toEqual([]);
  expect((await it.store.sessions({ archived: false })).length).toBe(0);
});

test("stopping the parent stops the agent it started, and closes what that one asked", async () => {
  const it = await scene(
    (at) => [spawn(at.path("ws/sub")), "done"],
    (at) => [{ calls: [{ name: "request_read_access", input: { path: at.path("other/o"), reason: "why not" } }] }, "never"],
  );
  expect((await it.open()).length).toBe(1);
  await it.agent.cancel(it.chat.id);
  expect(await it.open()).toEqual([]);
  const states = await Promise.all(
    (await it.store.chats(null)).map(async ({ id, status }) => [status, (await it.calls(id)).map(({ state }) => state.at)]),
  );
  expect(states).toEqual([
    ["idle", ["done"]],
    ["archived", ["done"]],
  ]);
});
