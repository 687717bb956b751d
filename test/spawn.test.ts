// Agents that agents start: they need a yes outside the parent's scope, their asks reach the person, and they get no more than the
// parent has, or than the yes gave.

import { afterEach, expect, test } from "vitest";
import { createAgent } from "../src/agent/agent.ts";
import { scriptedModel, type ScriptedTurn } from "../src/agent/models/scripted.ts";
import type { Transcript } from "../src/agent/transcript.ts";
import { combinePolicies } from "../src/core/policy/combine.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { type Author, parsePolicy } from "../src/core/policy/parse.ts";
import { createMemoryStore } from "../src/store/memory.ts";
import { tree, type Tree } from "./tree.ts";

const HOME = "/home/nobody-here";
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

/** One script for parent and child: told apart by what the person said first. */
async function scene(
  parent: (at: Tree) => readonly ScriptedTurn[],
  child: (at: Tree) => readonly ScriptedTurn[],
  parentPolicy: object = {},
) {
  const at = tree(["ws/.git/", "ws/sub/a: A", "lib/.git/", "lib/go.mod: module lib", "lib/private/p: P", "other/.git/", "other/o: O"]);
  const turns = { parent: parent(at), child: child(at) };
  const said = (transcript: Transcript) => transcript.find((message) => message.role === "person")?.text;
  const model = scriptedModel(async (transcript) => {
    const list = said(transcript) === "go" ? turns.parent : turns.child;
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
  await agent.say(chat.id, "go");
  const calls = async (id: string) => (await store.transcript(id)).flatMap((message) => (message.role === "agent" ? message.calls : []));
  return { at, store, agent, chat, session, calls, asked, open: () => store.asks({ state: "open" }) };
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
    ["idle", ["done"]],
  ]);
});
