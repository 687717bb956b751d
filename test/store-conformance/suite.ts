// What every store must do, as one suite: for the one in memory, for SQLite, and for the next. A store that several processes share
// (`share`) must also do it when they are several, and when one of them is killed.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Store } from "../../src/agent/ports.ts";
import type { Message } from "../../src/agent/transcript.ts";
import { askId, callId, grantId, sessionId } from "../../src/core/names.ts";
import { archiving, asks, grants } from "./asks.ts";
import { hosts } from "./hosts.ts";
import { keeping } from "./keeping.ts";
import { inSession, onceGrants } from "./once.ts";
import { record } from "./record.ts";
import { said } from "./said.ts";
import { type Shared, sharing } from "./sharing.ts";
import { callStates, done, eachStore, fails, PROPOSED, started, statusOf, waitingFor } from "./steps.ts";
import {
  agentMessage,
  closing,
  endOf,
  grantAsk,
  SESSION,
  someCall,
  someChat,
  someGrant,
  someMount,
  someProject,
  someSession,
  yes,
} from "./values.ts";

/** `make` a new, empty store; `share` a new place for one that several processes may open, null where there is no such thing. */
export function describeStore(name: string, make: () => Promise<Store>, share: (() => Promise<Shared>) | null): void {
  describe(name, () => {
    describe("projects, sessions and mounts", () => sessions(make));
    describe("chats", () => chats(make));
    describe("transcripts", () => transcripts(make));
    describe("what is said and not heard", () => said(make));
    describe("going back, and chats that are kept", () => keeping(make));
    describe("asks", () => asks(make));
    describe("grants", () => grants(make));
    describe("yeses for once", () => onceGrants(make));
    describe("what is read together", () => inSession(make));
    describe("archiving", () => archiving(make));
    describe("the record", () => record(make));
    describe("hosts and lists", () => hosts(make));
    if (share !== null) describe("shared by processes", () => sharing(share));
  });
}

// ── Sessions ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function sessions(make: () => Promise<Store>): void {
  const { store } = eachStore(make);

  test("an empty store has nothing, and unknown ids give nothing or false", async () => {
    const empty = store();
    const nobody = sessionId("nobody");
    expect(await empty.projects()).toEqual([]);
    expect(await empty.sessions()).toEqual([]);
    expect(await empty.session(nobody)).toBeNull();
    expect(await empty.mounts(nobody)).toEqual([]);
    expect(await empty.changeRoots(nobody, "/w", [], [])).toBe(false);
    expect(await empty.archiveSession(endOf(nobody, 1))).toBe(false);
    expect(await empty.chat("nobody")).toBeNull();
    expect(await empty.chats(null)).toEqual([]);
    expect(await empty.chats(nobody)).toEqual([]);
    expect(await empty.setStatus("nobody", ["idle"], "running")).toBe(false);
    expect(await empty.transcript("nobody")).toEqual([]);
    expect(await empty.setCall("nobody", callId("call"), ["proposed"], PROPOSED)).toBe(false);
    expect(await empty.ask(askId("nobody"))).toBeNull();
    expect(await empty.asks({})).toEqual([]);
    expect(await empty.joinAsk(askId("nobody"), callId("call"), "x")).toBe(false);
    expect(await empty.answerAsk(askId("nobody"), yes, { grant: null, calls: [], events: [] })).toBe(false);
    expect(await empty.closeAsks(nobody, [closing(0)])).toEqual([]);
    expect(await empty.grants(nobody)).toEqual([]);
    expect(await empty.revokeGrant(grantId("nobody"), 1, [])).toBe(false);
    expect(await empty.audit({})).toEqual([]);
    expect(await empty.verifyAudit()).toBeNull();
    expect(await empty.chat("a\0b")).toBeNull();
    expect(await empty.setStatus("half \ud800", ["idle"], "running")).toBe(false);
  });

  test("projects come back whole and in the order they came", async () => {
    const first = someProject({ id: "z", path: "/z", name: "O'Brien's \"it\" \\ ✓" });
    const second = someProject({ id: "a", path: "/a", at: 1 });
    await store().addProject(first);
    await store().addProject(second);
    expect(await store().projects()).toEqual([first, second]);
    await expect(store().addProject(someProject({ id: "z", path: "/other" }))).rejects.toEqual(fails("bad-request"));
    await expect(store().addProject(someProject({ id: "other", path: "/a" }))).rejects.toEqual(fails("bad-request"));
    expect(await store().projects()).toEqual([first, second]);
  });

  test("sessions come back whole, with their mounts in order", async () => {
    await store().addProject(someProject());
    const parent = someSession({ project: "project", asking: "by-guard", attended: false });
    const child = someSession({
      id: sessionId("a child"),
      parent: SESSION,
      workspace: "/w/with 'quotes' and \n lines",
      allowedReadPaths: ["/z", '/a "b"', "/z", "/a,b{}"],
    });
    const mounts = [someMount({ path: "/z", mode: "extend" }), someMount({ path: "/a", mode: "sandboxed" }), someMount()];
    await store().addSession(parent, mounts);
    await store().addSession(child, []);
    const kept = { ...child, allowedReadPaths: ["/z", '/a "b"', "/a,b{}"] };
    const { allowedReadPaths: _list, ...settings } = kept;
    expect(await store().sessionSettings(kept.id)).toEqual(settings);
    expect(await store().sessionSettings(sessionId("nobody"))).toBeNull();
    expect(await store().session(parent.id)).toEqual(parent);
    expect(await store().sessions()).toEqual([parent, kept]);
    expect(await store().mounts(parent.id)).toEqual(mounts);
    expect(await store().mounts(child.id)).toEqual([]);
  });

  test("a session that cannot be is not half there", async () => {
    await expect(store().addSession(someSession({ project: "nowhere" }), [])).rejects.toEqual(fails("not-found"));
    await expect(store().addSession(someSession({ parent: sessionId("nobody") }), [])).rejects.toEqual(fails("not-found"));
    await expect(store().addSession(someSession({ parent: SESSION }), [])).rejects.toEqual(fails("bad-request"));
    await expect(store().addSession(someSession(), [someMount(), someMount({ mode: "extend" })])).rejects.toEqual(fails("bad-request"));
    expect(await store().sessions()).toEqual([]);
    await store().addSession(someSession(), [someMount()]);
    await expect(store().addSession(someSession({ workspace: "/other" }), [])).rejects.toEqual(fails("bad-request"));
    expect(await store().sessions()).toEqual([someSession()]);
  });

  test("a path that would come back as another is refused", async () => {
    for (const path of ["/home/me\0/app", "/home/\ud800"]) {
      await expect(store().addSession(someSession({ workspace: path }), [])).rejects.toEqual(fails("bad-request"));
      await expect(store().addSession(someSession({ allowedReadPaths: [path] }), [])).rejects.toEqual(fails("bad-request"));
      await expect(store().addSession(someSession(), [someMount({ path })])).rejects.toEqual(fails("bad-request"));
      await expect(store().addProject(someProject({ path }))).rejects.toEqual(fails("bad-request"));
    }
    expect(await store().sessions()).toEqual([]);
  });

  test("moving the workspace puts the given mounts in place of the old ones", async () => {
    await store().addSession(someSession(), [someMount(), someMount({ path: "/gone" })]);
    const mounts = [someMount({ path: "/new", mode: "extend" }), someMount({ mode: "sandboxed" })];
    expect(await store().changeRoots(SESSION, "/elsewhere", mounts, [])).toBe(true);
    expect(await store().session(SESSION)).toEqual(someSession({ workspace: "/elsewhere" }));
    expect(await store().mounts(SESSION)).toEqual(mounts);
    await expect(store().changeRoots(SESSION, "/third", [someMount(), someMount()], [])).rejects.toEqual(fails("bad-request"));
    expect(await store().session(SESSION)).toEqual(someSession({ workspace: "/elsewhere" }));
    expect(await store().mounts(SESSION)).toEqual(mounts);
  });
}

// ── Chats ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function chats(make: () => Promise<Store>): void {
  const { store } = eachStore(make);

  test("a chat that a call started says which, and is found by it; a call starts one", async () => {
    await store().addSession(someSession(), []);
    await store().addChat(someChat({ id: "above" }));
    await store().addChat(someChat({ id: "other" }));
    const startedBy = { chat: "above", call: callId("c1") };
    const child = someChat({ id: "child", startedBy });
    await store().addChat(child);
    expect(await store().chat("child")).toEqual(child);
    expect((await store().chatInSession("child"))?.chat).toEqual(child);
    expect(await store().chatStartedBy("above", callId("c1"))).toEqual(child);
    // Another chat may have a call of the same name.
    expect(await store().chatStartedBy("other", callId("c1"))).toBeNull();
    expect(await store().chatStartedBy("above", callId("c2"))).toBeNull();
    await expect(store().addChat(someChat({ id: "twice", startedBy }))).rejects.toThrow();
  });

  test("a chat's title and model change, each by itself; a model that is taken back is no longer there", async () => {
    await store().addSession(someSession(), []);
    await store().addChat(someChat({ id: "a", title: "before", model: "ollama/llama3" }));
    await store().addChat(someChat({ id: "b" }));
    expect(await store().changeChat("a", { title: "after" })).toEqual(someChat({ id: "a", title: "after", model: "ollama/llama3" }));
    expect(await store().changeChat("a", { model: "openai/gpt" })).toEqual(someChat({ id: "a", title: "after", model: "openai/gpt" }));
    expect(await store().changeChat("a", { model: null })).toEqual(someChat({ id: "a", title: "after" }));
    expect(await store().chat("b")).toEqual(someChat({ id: "b" }));
    expect(await store().changeChat("none", { title: "x" })).toBeNull();
  });

  test("chats come back whole, all of them or a session's, in the order they came", async () => {
    const other = sessionId("other");
    await store().addSession(someSession(), []);
    await store().addSession(someSession({ id: other }), []);
    const [first, second, third] = [
      someChat({ id: "z", status: "failed" }),
      someChat({ id: "m", session: other }),
      someChat({ id: "a", at: 1 }),
    ];
    for (const chat of [first, second, third]) await store().addChat(chat);
    expect(await store().chat("m")).toEqual(second);
    expect(await store().chats(null)).toEqual([first, second, third]);
    expect(await store().chats(SESSION)).toEqual([first, third]);
  });

  test("a title may hold anything; what a database cannot hold is replaced", async () => {
    await store().addSession(someSession(), []);
    await store().addChat(someChat({ title: 'it\'s "A"\n\u0000 B \udc00 😀' }));
    expect((await store().chat("chat"))?.title).toBe('it\'s "A"\n\u{fffd} B \u{fffd} 😀');
  });

  test("a chat belongs to a session that is there and goes on", async () => {
    await expect(store().addChat(someChat())).rejects.toEqual(fails("not-found"));
    await store().addSession(someSession(), []);
    await store().addChat(someChat());
    await expect(store().addChat(someChat({ title: "again" }))).rejects.toEqual(fails("bad-request"));
    await store().archiveSession(endOf());
    await expect(store().addChat(someChat({ id: "late" }))).rejects.toEqual(fails("session-closed"));
    expect(await store().chats(null)).toEqual([someChat({ status: "archived" })]);
  });

  test("a status changes only from where it is said to be", async () => {
    await started(store());
    expect(await store().setStatus("chat", ["idle", "failed"], "archived")).toBe(false);
    expect(await store().setStatus("chat", [], "archived")).toBe(false);
    expect(await statusOf(store())).toBe("running");
    expect(await store().setStatus("chat", ["idle", "running"], "failed")).toBe(true);
    expect(await statusOf(store())).toBe("failed");
  });

  test("of many who take a chat over at once, one does", async () => {
    await started(store());
    await store().setStatus("chat", ["running"], "idle");
    const taken = await Promise.all(Array.from({ length: 20 }, () => store().setStatus("chat", ["idle"], "running")));
    expect(taken.filter((one) => one)).toHaveLength(1);
  });
}

// ── Transcripts ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

function transcripts(make: () => Promise<Store>): void {
  const { store } = eachStore(make);

  test("every kind of message and call comes back whole, and in order", async () => {
    await started(store());
    const ask = grantAsk(0);
    await store().openAsk(ask);
    const messages: readonly Message[] = [
      { role: "person", id: "z", at: 9, text: "" },
      agentMessage("y", [
        someCall(callId("z"), { input: null }),
        someCall(callId("a"), { state: { at: "started" }, name: "no such tool" }),
        someCall(callId("m"), { input: ["x", 1.5, { y: [] }], state: done("all\nof it") }),
        someCall(callId("b"), { state: { at: "done", outcome: { ok: false, code: "secret-file", hint: "no" } } }),
        someCall(callId("w"), { state: waitingFor(ask) }),
      ]),
      { role: "reminder", id: "x", at: 8, text: "mind the gap", dedupeKey: null, turns: null },
      { role: "reminder", id: "x2", at: 8, text: "mind the gap", dedupeKey: "gap", turns: 3 },
      { role: "summary", id: "a", at: 7, text: "in short" },
      { ...agentMessage("b"), usage: null, error: "the model is away" },
    ];
    for (const message of messages) await store().append("chat", message, "running");
    expect((await store().transcript("chat")).slice(1)).toEqual(messages);
  });

  test("appending sets the status in the same breath", async () => {
    await started(store());
    for (const status of ["idle", "failed", "running"] as const) {
      await store().append("chat", { role: "person", id: status, at: 1, text: "hello" }, status);
      expect(await statusOf(store())).toBe(status);
    }
  });

  test("whoever does not drive a chat appends without setting its status", async () => {
    await store().addSession(someSession(), []);
    await store().addChat(someChat({ status: "running" }));
    // It was read as running, and comes to rest before the message is there.
    await store().setStatus("chat", ["running"], "idle");
    await store().append("chat", agentMessage("message", []), null);
    expect((await store().chat("chat"))?.status).toBe("idle");
    expect((await store().transcript("chat")).length).toBe(1);
  });

  test("what cannot be appended leaves no trace", async () => {
    await started(store());
    const before = await store().transcript("chat");
    const append = (message: Message, chat = "chat") => store().append(chat, message, "idle");
    await expect(append(agentMessage("new"), "no such chat")).rejects.toEqual(fails("not-found"));
    await expect(append(agentMessage("message"))).rejects.toEqual(fails("bad-request"));
    await expect(append(agentMessage("new", [callId("new"), callId("call-0")]))).rejects.toEqual(fails("bad-request"));
    await expect(append(agentMessage("new", [callId("new"), callId("new")]))).rejects.toEqual(fails("bad-request"));
    await expect(append(agentMessage("new", [someCall(callId("new"), { state: waitingFor(grantAsk(7)) })]))).rejects.toEqual(
      fails("not-found"),
    );
    expect(await store().transcript("chat")).toEqual(before);
    expect(await statusOf(store())).toBe("running");
  });

  test("pages go on from where the last one ended, and together are the whole", async () => {
    const other = sessionId("other");
    for (const id of [SESSION, other]) await store().addSession(someSession({ id }), []);
    const chats = [1, 2, 3, 4, 5].map((number) =>
      someChat({ id: `chat-${number}`, session: number === 3 ? other : SESSION, at: 9 - number }),
    );
    for (const chat of chats) await store().addChat(chat);
    const messages = [1, 2, 3, 4, 5].map((number) =>
      agentMessage(`message-${number}`, [callId(`call-${number}`), callId(`more-${number}`)]),
    );
    for (const message of messages) await store().append("chat-1", message, "idle");
    const ids = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);
    expect(ids(await store().chatPage({ limit: 2 }))).toEqual(["chat-5", "chat-4"]);
    expect(ids(await store().chatPage({ before: "chat-4", limit: 2 }))).toEqual(["chat-3", "chat-2"]);
    expect(ids(await store().chatPage({ before: "chat-2", limit: 2 }))).toEqual(["chat-1"]);
    expect(ids(await store().chatPage({ session: SESSION, before: "chat-4", limit: 9 }))).toEqual(["chat-2", "chat-1"]);
    expect(await store().chatPage({ before: "nobody", limit: 9 })).toEqual([]);
    expect(await store().messagePage("chat-1", { limit: 2 })).toEqual(messages.slice(3));
    expect(await store().messagePage("chat-1", { before: "message-4", limit: 2 })).toEqual(messages.slice(1, 3));
    expect(await store().messagePage("chat-1", { before: "message-1", limit: 2 })).toEqual([]);
    expect(await store().messagePage("chat-2", { before: "message-4", limit: 2 })).toEqual([]);
    for (const number of [1, 2, 3]) {
      await store().openAsk(grantAsk(number, { chat: "chat-1" }));
      const grant = someGrant({ id: grantId(`grant-${number}`), ask: askId(`ask-${number}`), path: `/g/${4 - number}` });
      await store().answerAsk(askId(`ask-${number}`), yes, { grant, calls: [], events: [] });
    }
    expect(ids(await store().asks({ newestFirst: true, before: askId("ask-3"), limit: 1 }))).toEqual(["ask-2"]);
    expect(ids(await store().grantPage({ limit: 2 }))).toEqual(["grant-1", "grant-2"]);
    expect(ids(await store().grantPage({ session: SESSION, after: grantId("grant-1"), limit: 2 }))).toEqual(["grant-2", "grant-3"]);
    expect(ids(await store().sessions({ newestFirst: true, before: other }))).toEqual([SESSION]);
    await store().archiveSession(endOf());
    expect(ids(await store().chatPage({ limit: 9 }))).toEqual(["chat-3"]);
    expect(ids(await store().chatPage({ session: SESSION, limit: 2 }))).toEqual(["chat-5", "chat-4"]);
    expect(ids(await store().sessions({ archived: true, newestFirst: true, before: other }))).toEqual([SESSION]);
    expect(await store().grantPage({ limit: 9 })).toEqual([]);
  });

  test("the sessions below one, and the grants whose time is over, are found among all others", async () => {
    const [below, ended] = [sessionId("below"), sessionId("ended")];
    await store().addSession(someSession(), []);
    for (const id of [below, ended]) await store().addSession(someSession({ id, parent: SESSION }), []);
    await store().addSession(someSession({ id: sessionId("other") }), []);
    await store().addChat(someChat());
    const calls = [1, 2, 3, 4].map((number) => callId(`call-${number}`));
    await store().append("chat", agentMessage("message", calls), "idle");
    await store().archiveSession(endOf(ended));
    const children = await store().sessions({ archived: false, parent: SESSION });
    expect(children.map(({ id }) => id)).toEqual([below]);
    expect((await store().sessions({ parent: SESSION })).map(({ id }) => id)).toEqual([below, ended]);
    for (const [number, expires] of [
      [1, 30],
      [2, null],
      [3, 10],
      [4, 20],
    ] as const) {
      await store().openAsk(grantAsk(number));
      const grant = someGrant({ id: grantId(`grant-${number}`), ask: askId(`ask-${number}`), path: `/g/${number}`, expires });
      await store().answerAsk(askId(`ask-${number}`), yes, { grant, calls: [], events: [] });
    }
    const endingBy = async (time: number) => (await store().grantsEndingBy(time)).map(({ id }) => id);
    expect(await endingBy(9)).toEqual([]);
    expect(await endingBy(20)).toEqual(["grant-3", "grant-4"]);
    expect(await endingBy(Number.MAX_SAFE_INTEGER)).toEqual(["grant-3", "grant-4", "grant-1"]);
    await store().revokeGrant(grantId("grant-3"), 40, []);
    expect(await endingBy(20)).toEqual(["grant-4"]);
  });

  test("two chats may hold messages and calls of the same ids", async () => {
    await started(store());
    await store().addChat(someChat({ id: "fork" }));
    await store().append("fork", agentMessage("message", [callId("call-0")]), "idle");
    expect(await store().setCall("fork", callId("call-0"), ["proposed"], done("forked"))).toBe(true);
    expect(await callStates(store(), "fork")).toEqual({ "call-0": done("forked") });
    expect(await callStates(store())).toEqual({ "call-0": PROPOSED });
  });

  test("a call changes only from where it is said to be", async () => {
    await started(store(), 2);
    const call = callId("call-0");
    expect(await store().setCall("chat", call, ["started", "waiting", "done"], done("x"))).toBe(false);
    expect(await store().setCall("chat", call, [], done("x"))).toBe(false);
    expect(await store().setCall("chat", callId("call-9"), ["proposed"], done("x"))).toBe(false);
    expect(await store().setCall("chat", call, ["proposed"], { at: "waiting", ask: askId("nobody"), kind: "pending_grant" })).toBe(false);
    expect(await callStates(store())).toEqual({ "call-0": PROPOSED, "call-1": PROPOSED });
    expect(await store().setCall("chat", call, ["proposed"], { at: "started" })).toBe(true);
    expect(await store().setCall("chat", call, ["proposed", "started"], done("x"))).toBe(true);
    expect(await callStates(store())).toEqual({ "call-0": done("x"), "call-1": PROPOSED });
  });

  test("of many who begin a call at once, one does", async () => {
    await started(store());
    const begun = await Promise.all(
      Array.from({ length: 20 }, () => store().setCall("chat", callId("call-0"), ["proposed"], { at: "started" })),
    );
    expect(begun.filter((one) => one)).toHaveLength(1);
  });

  test("any text and any JSON comes back as it went in", async () => {
    await started(store());
    const units = fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 10, 34, 39, 92, 0xd800, 0xdfff, 0x1f)));
    const anyText = units.map((all) => String.fromCharCode(...all));
    const anyJson = fc.json().map((json): unknown => JSON.parse(json));
    let number = 0;
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyJson, async (words, output, input) => {
        number += 1;
        const message: Message = {
          ...agentMessage(`any-${number}`, [someCall(callId(`any-${number}`), { input, state: done(output) })]),
          text: words,
          error: words,
        };
        await store().append("chat", message, "running");
        expect((await store().transcript("chat")).at(-1)).toStrictEqual(message);
      }),
      { numRuns: 60 },
    );
  });

  test("large values come back whole", async () => {
    await started(store());
    const large = 'é"\n\u0000😀'.repeat(700_000);
    await store().append("chat", { role: "person", id: "large", at: 1, text: large }, "running");
    await store().setCall("chat", callId("call-0"), ["proposed"], done(large));
    const [message, person] = await store().transcript("chat");
    expect(person?.text === large).toBe(true);
    const state = message?.role === "agent" ? message.calls[0]?.state : undefined;
    expect(state?.at === "done" && state.outcome.ok && state.outcome.output === large).toBe(true);
  });

  test("what is done to a value after it was stored is not done to the store", async () => {
    await started(store());
    const input = { path: "as it was" };
    await store().append("chat", agentMessage("later", [someCall(callId("later"), { input })]), "running");
    input.path = "changed";
    const [, message] = await store().transcript("chat");
    expect(message?.role === "agent" ? message.calls[0]?.input : null).toEqual({ path: "as it was" });
  });
}
