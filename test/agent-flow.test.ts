// The flow of the seeds, end to end, without a screen: a model reads, is refused with a hint, asks with a reason, the loop stops, a
// person answers, the loop goes on. In both modes of asking, on every store.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createAgent, type Agent } from "../src/agent/agent.ts";
import { scriptedModel, type Script } from "../src/agent/models/scripted.ts";
import type { Store, StoredAsk, StoredChat } from "../src/agent/ports.ts";
import type { ToolCall } from "../src/agent/transcript.ts";
import { askId } from "../src/core/names.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { emptyPolicy } from "../src/core/policy/rule.ts";
import { createMemoryStore } from "../src/store/memory.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { tree, type Tree } from "./tree.ts";

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => Promise.resolve(createMemoryStore()),
  SQLite: () => {
    const dir = mkdtempSync(join(tmpdir(), "hallpass-flow-"));
    cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
    return openSqliteStore({ file: join(dir, "hallpass.db") });
  },
};

interface Stage {
  readonly agent: Agent;
  readonly store: Store;
  readonly chat: StoredChat;
  readonly at: Tree;
  calls(): Promise<readonly ToolCall[]>;
  openAsks(): Promise<readonly StoredAsk[]>;
  status(): Promise<string | undefined>;
}

async function stage(
  make: () => Promise<Store>,
  script: (at: Tree) => Script,
  asking: "by-model" | "by-guard" = "by-model",
): Promise<Stage> {
  const at = tree([
    "ws/",
    "ws/a.txt: inside",
    "lib/.git/",
    "lib/go.mod: module lib",
    "lib/src/x.go: package x",
    "lib/.env: TOKEN",
    "plain/p.txt: plain",
  ]);
  const store = await make();
  const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root] }, "/home/nobody-here");
  const agent = createAgent({ store, model: scriptedModel(script(at)), home: "/home/nobody-here", policyFor: () => policy });
  cleanups.push(async () => {
    await agent.close();
    await store.close();
    at.remove();
  });
  const session = await agent.newSession({ workspace: at.path("ws"), asking });
  const chat = await agent.newChat(session.id);
  return {
    agent,
    store,
    chat,
    at,
    calls: async () => (await store.transcript(chat.id)).flatMap((message) => (message.role === "agent" ? message.calls : [])),
    openAsks: () => store.asks({ session: session.id, state: "open" }),
    status: async () => (await store.chat(chat.id))?.status,
  };
}

const outcome = (call: ToolCall | undefined) => (call?.state.at === "done" ? call.state.outcome : call?.state.at);
const read = (path: string) => ({ calls: [{ name: "read_file", input: { path } }] });
const request = (path: string) => ({ calls: [{ name: "request_read_access", input: { path, reason: "to compare versions" } }] });

/** The smoke plan's script: read, ask as the hint says, read again. */
const asking = (at: Tree): Script => [read(at.path("lib/go.mod")), request(at.path("lib/go.mod")), read(at.path("lib/go.mod")), "done"];

for (const [name, make] of Object.entries(stores)) {
  describe(`the smoke plan of the first seed, on ${name}`, () => {
    test("1. refused with a hint, asked with a reason, allowed, and the read succeeds", async () => {
      const it = await stage(make, asking);
      await it.agent.say(it.chat.id, "look at the library");
      expect(await it.status()).toBe("waiting_for_input");
      const [first, second] = await it.calls();
      expect(outcome(first)).toMatchObject({ ok: false, code: "out-of-scope", hint: expect.stringContaining("request_read_access") });
      expect(second?.state).toMatchObject({ at: "waiting", kind: "pending_grant" });
      const [ask] = await it.openAsks();
      expect(ask).toMatchObject({
        words: "to compare versions",
        proposal: { dir: it.at.path("lib"), because: ".git" },
        offers: "session",
        right: "read",
      });
      const answered = await it.agent.answer(ask!.id, { verdict: "allow", until: "session", by: "me" });
      expect(answered.ok).toBe(true);
      await it.agent.settled();
      expect(outcome((await it.calls())[1])).toEqual({ ok: true, output: `granted: ${it.at.path("lib")}` });
      expect(outcome((await it.calls())[2])).toMatchObject({ ok: true, output: expect.stringContaining("module lib") });
      expect((await it.store.session(it.chat.session))?.allowedReadPaths).toEqual([it.at.path("lib")]);
      expect(await it.status()).toBe("idle");
    });

    test("2a. denied: until the person speaks, a plain read says so too, and nothing tells the model to ask again", async () => {
      const it = await stage(make, (at) => [
        request(at.path("lib/go.mod")),
        read(at.path("lib/go.mod")),
        "then not",
        read(at.path("lib/go.mod")),
        "well",
      ]);
      await it.agent.say(it.chat.id, "look");
      const [ask] = await it.openAsks();
      await it.agent.answer(ask!.id, { verdict: "deny", by: "me" });
      await it.agent.settled();
      const after = outcome((await it.calls())[1]);
      expect(after).toMatchObject({ ok: false, code: "recently-denied" });
      expect(JSON.stringify(after)).not.toContain("request_read_access");
      expect((await it.store.transcript(it.chat.id)).filter(({ role }) => role === "reminder")).toEqual([]);
      await it.agent.say(it.chat.id, "try once more");
      await it.agent.settled();
      expect(outcome((await it.calls())[2])).toMatchObject({ ok: false, code: "out-of-scope" });
      // Only the request was put to a person: no other decision names an ask.
      const decisions = (await it.store.audit({ kind: "decision" })).map(({ event }) => event);
      expect(decisions.map((event) => (event.kind === "decision" ? [event.tool, event.verdict, event.ask] : []))).toEqual([
        ["request_read_access", "ask", ask!.id],
        ["read_file", "ask", null],
        ["read_file", "ask", null],
      ]);
    });

    test("2. denied: nothing changes, and the model reads the note", async () => {
      const it = await stage(make, (at) => [read(at.path("lib/go.mod")), request(at.path("lib/go.mod")), "then not"]);
      await it.agent.say(it.chat.id, "look");
      const [ask] = await it.openAsks();
      await it.agent.answer(ask!.id, { verdict: "deny", by: "me", note: "use the docs" });
      await it.agent.settled();
      expect(outcome((await it.calls())[1])).toEqual({ ok: false, code: "person-declined", hint: "denied. The person says: use the docs" });
      expect((await it.store.session(it.chat.session))?.allowedReadPaths).toEqual([]);
      expect(await it.status()).toBe("idle");
    });

    test("3. a second file under the granted root needs no second ask", async () => {
      const it = await stage(make, (at) => [request(at.path("lib/go.mod")), read(at.path("lib/src/x.go")), "done"]);
      await it.agent.say(it.chat.id, "look");
      await it.agent.answer((await it.openAsks())[0]!.id, { verdict: "allow", until: "session", by: "me" });
      await it.agent.settled();
      expect(outcome((await it.calls())[1])).toMatchObject({ ok: true, output: expect.stringContaining("package x") });
      expect(await it.openAsks()).toEqual([]);
    });

    test("4. another session asks again", async () => {
      const it = await stage(
        make,
        (at) => async (transcript) => (transcript.some(({ role }) => role === "agent") ? "done" : request(at.path("lib/go.mod"))),
      );
      await it.agent.say(it.chat.id, "look");
      await it.agent.answer((await it.openAsks())[0]!.id, { verdict: "allow", until: "session", by: "me" });
      await it.agent.settled();
      const other = await it.agent.newSession({ workspace: it.at.path("ws") });
      const chat = await it.agent.newChat(other.id);
      await it.agent.say(chat.id, "look");
      expect((await it.store.asks({ session: other.id, state: "open" })).length).toBe(1);
    });

    test("5. a secret in the granted repository stays shut", async () => {
      const it = await stage(make, (at) => [request(at.path("lib/go.mod")), read(at.path("lib/.env")), "done"]);
      await it.agent.say(it.chat.id, "look");
      await it.agent.answer((await it.openAsks())[0]!.id, { verdict: "allow", until: "session", by: "me" });
      await it.agent.settled();
      expect(outcome((await it.calls())[1])).toMatchObject({ ok: false, code: "secret-file" });
    });

    test("6. what can never be granted is refused without bothering anyone", async () => {
      const it = await stage(make, () => [request("/etc/passwd"), "done"]);
      await it.agent.say(it.chat.id, "look");
      expect(outcome((await it.calls())[0])).toMatchObject({ ok: false, code: "out-of-whitelist" });
      expect(await it.store.asks({ session: it.chat.session })).toEqual([]);
      expect(await it.status()).toBe("idle");
    });
  });

  describe(`asking by the guard, on ${name}`, () => {
    test("the read itself waits, and goes on after the yes", async () => {
      const it = await stage(make, (at) => [read(at.path("lib/go.mod")), "done"], "by-guard");
      await it.agent.say(it.chat.id, "look");
      expect(await it.status()).toBe("waiting_for_input");
      await it.agent.answer((await it.openAsks())[0]!.id, { verdict: "allow", until: "call", by: "me" });
      await it.agent.settled();
      expect(outcome((await it.calls())[0])).toMatchObject({ ok: true, output: expect.stringContaining("module lib") });
      expect((await it.store.session(it.chat.session))?.allowedReadPaths).toEqual([]);
    });

    test("a yes for once is used up: the next read asks again", async () => {
      const it = await stage(make, (at) => [read(at.path("lib/go.mod")), read(at.path("lib/go.mod")), "done"], "by-guard");
      await it.agent.say(it.chat.id, "look");
      await it.agent.answer((await it.openAsks())[0]!.id, { verdict: "allow", until: "call", by: "me" });
      await it.agent.settled();
      expect((await it.openAsks()).length).toBe(1);
      expect(await it.status()).toBe("waiting_for_input");
    });

    test("two reads of one repository in one turn make one card that names both", async () => {
      const it = await stage(
        make,
        (at) => [{ calls: [...read(at.path("lib/go.mod")).calls, ...read(at.path("lib/src/x.go")).calls, ...read("a.txt").calls] }, "done"],
        "by-guard",
      );
      await it.agent.say(it.chat.id, "look");
      const asks = await it.openAsks();
      expect(asks.map(({ requested }) => requested)).toEqual([[it.at.path("lib/go.mod"), it.at.path("lib/src/x.go")]]);
      expect(outcome((await it.calls())[2])).toMatchObject({ ok: true });
      await it.agent.answer(asks[0]!.id, { verdict: "allow", until: "session", by: "me" });
      await it.agent.settled();
      expect((await it.calls()).map((call) => outcome(call))).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
    });
  });

  describe(`answers, on ${name}`, () => {
    test("of two answers one wins, and the other learns the final state", async () => {
      const it = await stage(make, asking);
      await it.agent.say(it.chat.id, "look");
      const [ask] = await it.openAsks();
      const both = await Promise.all([
        it.agent.answer(ask!.id, { verdict: "allow", until: "session", by: "phone" }),
        it.agent.answer(ask!.id, { verdict: "deny", by: "laptop" }),
      ]);
      await it.agent.settled();
      expect(both.filter(({ ok }) => ok).length).toBe(1);
      expect(both.find(({ ok }) => !ok)).toMatchObject({ code: "request-closed", ask: { state: "answered" } });
    });

    test("an answer to an unknown ask, and a late one, change nothing", async () => {
      const it = await stage(make, asking);
      await it.agent.say(it.chat.id, "look");
      const [ask] = await it.openAsks();
      expect(await it.agent.answer(askId("nothing"), { verdict: "deny", by: "me" })).toMatchObject({ ok: false, code: "not-found" });
      await it.agent.answer(ask!.id, { verdict: "deny", by: "me" });
      expect(await it.agent.answer(ask!.id, { verdict: "allow", until: "session", by: "me" })).toMatchObject({
        ok: false,
        code: "request-closed",
      });
    });

    test("what changed between the ask and the yes is not granted", async () => {
      const it = await stage(make, asking);
      await it.agent.say(it.chat.id, "look");
      rmSync(join(it.at.path("lib"), ".git"), { recursive: true });
      rmSync(join(it.at.path("lib"), "go.mod"));
      const answered = await it.agent.answer((await it.openAsks())[0]!.id, { verdict: "allow", until: "session", by: "me" });
      await it.agent.settled();
      expect(answered).toMatchObject({ ok: false, code: "grant-changed" });
      // The record says what the person said, and what it came to.
      const [, id] = [answered, answered.ok ? "" : (answered.ask?.id ?? "")];
      expect(await it.store.ask(askId(id))).toMatchObject({ state: "answered", answer: { verdict: "allow", until: "session", by: "me" } });
      expect((await it.store.audit({})).map(({ event }) => event).filter(({ kind }) => kind !== "decision")).toMatchObject([
        { kind: "answer", verdict: "allow", by: "me", note: null, ask: id },
        { kind: "grant-refused", code: "grant-changed", ask: id },
      ]);
      expect((await it.calls()).map((call) => outcome(call))).toContainEqual(expect.objectContaining({ ok: false, code: "grant-changed" }));
      expect((await it.store.session(it.chat.session))?.allowedReadPaths).toEqual([]);
    });

    test("a denial is remembered until the person speaks", async () => {
      const it = await stage(make, (at) => [
        request(at.path("lib/go.mod")),
        request(at.path("lib/src/x.go")),
        "sorry",
        request(at.path("lib/go.mod")),
        "done",
      ]);
      await it.agent.say(it.chat.id, "look");
      await it.agent.answer((await it.openAsks())[0]!.id, { verdict: "deny", by: "me" });
      await it.agent.settled();
      expect(outcome((await it.calls())[1])).toMatchObject({ ok: false, code: "recently-denied" });
      await it.agent.say(it.chat.id, "well, try again");
      expect((await it.openAsks()).length).toBe(1);
    });

    test("deny and stop ends the turn", async () => {
      const it = await stage(make, asking);
      await it.agent.say(it.chat.id, "look");
      await it.agent.answer((await it.openAsks())[0]!.id, { verdict: "deny", by: "me", stop: true });
      await it.agent.settled();
      expect((await it.calls()).length).toBe(2);
      expect(await it.status()).toBe("idle");
    });

    test("a revoked grant is gone for the next read, and the model is told", async () => {
      const it = await stage(make, (at) => [request(at.path("lib/go.mod")), "ok", read(at.path("lib/go.mod")), "done"]);
      await it.agent.say(it.chat.id, "look");
      const answered = await it.agent.answer((await it.openAsks())[0]!.id, { verdict: "allow", until: "session", by: "me" });
      await it.agent.settled();
      expect(await it.agent.revoke((answered.ok === true ? answered.grant : null)!.id, "me")).toBe(true);
      await it.agent.say(it.chat.id, "again");
      expect(outcome((await it.calls())[1])).toMatchObject({ ok: false, code: "out-of-scope" });
      expect(
        (await it.store.transcript(it.chat.id)).some((message) => message.role === "reminder" && message.text.includes("revoked")),
      ).toBe(true);
    });

    test("a question of the model's waits the same way", async () => {
      const it = await stage(make, () => [
        { calls: [{ name: "ask_user_input", input: { question: "which?", options: ["a", "b"] } }] },
        "thanks",
      ]);
      await it.agent.say(it.chat.id, "choose");
      const [ask] = await it.openAsks();
      expect(ask).toMatchObject({ kind: "pending_question", question: "which?", options: ["a", "b"] });
      expect(await it.agent.answer(ask!.id, { verdict: "allow", until: "session", by: "me" })).toMatchObject({
        ok: false,
        code: "bad-request",
      });
      await it.agent.answer(ask!.id, { verdict: "reply", by: "me", text: "b" });
      await it.agent.settled();
      expect(outcome((await it.calls())[0])).toEqual({ ok: true, output: "b" });
    });
  });

  describe(`budgets and mistakes, on ${name}`, () => {
    test("a model that repeats a refused call is told so, and then stopped", async () => {
      const it = await stage(make, () => async () => read("/etc/passwd"));
      await it.agent.say(it.chat.id, "look");
      const calls = await it.calls();
      expect(calls.length).toBe(3);
      expect(outcome(calls[1])).toMatchObject({ hint: expect.stringContaining("You made this same call before") });
      expect(await it.status()).toBe("idle");
    });

    test("a wrong tool name is answered with the nearest ones, a wrong input with what is wrong", async () => {
      const it = await stage(make, () => [
        {
          calls: [
            { name: "raed_file", input: {} },
            { name: "read_file", input: { file: "a" } },
          ],
        },
        "done",
      ]);
      await it.agent.say(it.chat.id, "look");
      expect((await it.calls()).map((call) => outcome(call))).toMatchObject([
        { ok: false, code: "unknown-tool", hint: expect.stringContaining("read_file") },
        { ok: false, code: "invalid-path" },
      ]);
    });

    test("a model that fails leaves the chat failed, and saying something starts anew", async () => {
      const it = await stage(make, () => [new Error("no connection"), "hello"]);
      await it.agent.say(it.chat.id, "look");
      expect(await it.status()).toBe("failed");
      await it.agent.say(it.chat.id, "again");
      expect(await it.status()).toBe("idle");
    });

    test("cancelling closes what is open", async () => {
      const it = await stage(make, asking);
      await it.agent.say(it.chat.id, "look");
      await it.agent.cancel(it.chat.id);
      expect(await it.openAsks()).toEqual([]);
      expect((await it.calls()).every(({ state }) => state.at === "done")).toBe(true);
      expect(await it.status()).toBe("idle");
    });
  });
}
