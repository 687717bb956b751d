// The part of the suite about sessions that other programs drive, the credentials of their agents, and the lists a daemon asks for.

import { expect, test } from "vitest";
import type { Store } from "../../src/agent/ports.ts";
import { askId, callId, grantId, sessionId } from "../../src/core/names.ts";
import { eachStore, fails, started } from "./steps.ts";
import { agentMessage, closing, endOf, grantAsk, no, SESSION, someCall, someChat, someGrant, someSession, yes } from "./values.ts";

export function hosts(make: () => Promise<Store>): void {
  const { store } = eachStore(make);
  const hosted = (id: string, other: Parameters<typeof someSession>[0] = {}) =>
    someSession({ id: sessionId(id), host: "claude-code", hostSession: "run 1", machine: "laptop", ...other });

  test("who drives a session, what its agent is called and where it is come back whole", async () => {
    const session = hosted("s", { label: "the 'tidy' one\n😀" });
    await store().addSession(session, []);
    expect(await store().session(session.id)).toEqual(session);
    await store().addSession(hosted("odd", { label: "a\0b \ud800" }), []);
    expect((await store().session(sessionId("odd")))?.label).toBe("a\u{fffd}b \u{fffd}");
    for (const other of [{ host: "a\0" }, { hostSession: "\ud800" }, { machine: "\0" }])
      await expect(store().addSession(hosted("no", other), [])).rejects.toEqual(fails("bad-request"));
  });

  test("a host finds its session by its own name for it and the workspace, until it ends", async () => {
    const find = async (host: string, name: string, workspace: string) => (await store().sessionOfHost(host, name, workspace))?.id ?? null;
    const { workspace } = someSession();
    await store().addSession(someSession(), []);
    await store().addSession(hosted("first"), []);
    await store().addSession(hosted("again"), []);
    await store().addSession(hosted("elsewhere", { workspace: "/elsewhere" }), []);
    await store().addSession(hosted("other", { host: "mcp" }), []);
    expect(await find("claude-code", "run 1", workspace)).toBe("first");
    expect(await find("claude-code", "run 1", "/elsewhere")).toBe("elsewhere");
    expect(await find("mcp", "run 1", workspace)).toBe("other");
    expect(await find("mcp", "run 2", workspace)).toBeNull();
    expect(await find("mcp", "run 1\0", workspace)).toBeNull();
    expect(await find("mcp\ud800", "run 1", workspace)).toBeNull();
    await store().archiveSession(endOf(sessionId("first"), 9));
    expect(await find("claude-code", "run 1", workspace)).toBe("again");
    await store().archiveSession(endOf(sessionId("again"), 9));
    expect(await find("claude-code", "run 1", workspace)).toBeNull();
  });

  test("a credential is found by its digest until its session ends", async () => {
    await store().addSession(someSession(), []);
    const credential = { digest: "abc", session: SESSION, at: 7 };
    await store().addCredential(credential);
    expect(await store().credential("abc")).toEqual(credential);
    expect(await store().credential("ab")).toBeNull();
    expect(await store().credential("abc\0")).toBeNull();
    await expect(store().addCredential({ ...credential, at: 8 })).rejects.toEqual(fails("bad-request"));
    await expect(store().addCredential({ ...credential, digest: "new", session: sessionId("nobody") })).rejects.toEqual(fails("not-found"));
    await store().archiveSession(endOf());
    expect(await store().credential("abc")).toBeNull();
    await expect(store().addCredential({ ...credential, digest: "late" })).rejects.toEqual(fails("session-closed"));
  });

  test("a browser is found by its digest until it is signed out, and listed with those of the same token", async () => {
    const browser = { id: "b1", digest: "abc", owner: "token", name: "Firefox on \u{1f4f1}", at: 7, seenAt: 7, push: null };
    await store().addBrowser(browser);
    await store().addBrowser({ ...browser, id: "b2", digest: "def", at: 5, name: "a\0b" });
    await store().addBrowser({ ...browser, id: "b3", digest: "ghi", owner: "another token" });
    expect(await store().browser("abc")).toEqual(browser);
    expect(await store().browser("ab")).toBeNull();
    expect(await store().browser("abc\0")).toBeNull();
    expect((await store().browsers("token")).map(({ id, name }) => [id, name])).toEqual([
      ["b2", "a\u{fffd}b"],
      ["b1", browser.name],
    ]);
    await expect(store().addBrowser({ ...browser, id: "b4" })).rejects.toEqual(fails("bad-request"));
    await store().changeBrowser("b1", { seenAt: 9 });
    await store().changeBrowser("b1", { push: "{}" });
    await store().changeBrowser("nobody", { seenAt: 9 });
    expect(await store().browser("abc")).toEqual({ ...browser, seenAt: 9, push: "{}" });
    expect(await store().removeBrowser("another token", "b1")).toBe(false);
    expect(await store().removeBrowser("token", "b1")).toBe(true);
    expect(await store().removeBrowser("token", "b1")).toBe(false);
    expect(await store().browser("abc")).toBeNull();
  });

  test("chats are found by where they stand, in one session or in all", async () => {
    const other = sessionId("other");
    for (const session of [someSession(), someSession({ id: other })]) await store().addSession(session, []);
    await store().addChat(someChat({ id: "a", status: "running" }));
    await store().addChat(someChat({ id: "b", status: "idle", session: other }));
    await store().addChat(someChat({ id: "c", status: "waiting_for_input" }));
    await store().addChat(someChat({ id: "d", status: "running", session: other }));
    const found = async (...asked: Parameters<Store["chats"]>) => (await store().chats(...asked)).map(({ id }) => id);
    expect(await found(null, ["running"])).toEqual(["a", "d"]);
    expect(await found(null, ["waiting_for_input", "running"])).toEqual(["a", "c", "d"]);
    expect(await found(other, ["running", "idle"])).toEqual(["b", "d"]);
    expect(await found(SESSION, ["failed"])).toEqual([]);
    expect(await found(SESSION, [])).toEqual([]);
    expect(await found(SESSION)).toEqual(["a", "c"]);
  });

  test("sessions are listed from either end, up to so many, ended or not", async () => {
    for (const id of ["a", "b", "c", "d"]) await store().addSession(someSession({ id: sessionId(id) }), []);
    await store().archiveSession(endOf(sessionId("b"), 9));
    const found = async (filter?: Parameters<Store["sessions"]>[0]) => (await store().sessions(filter)).map(({ id }) => id);
    expect(await found()).toEqual(["a", "b", "c", "d"]);
    expect(await found({ newestFirst: true, limit: 2 })).toEqual(["d", "c"]);
    expect(await found({ limit: 1 })).toEqual(["a"]);
    expect(await found({ archived: false, newestFirst: true, limit: 3 })).toEqual(["d", "c", "a"]);
    expect(await found({ archived: true })).toEqual(["b"]);
    expect(await found({ limit: 0 })).toEqual([]);
  });

  test("asks are listed from either end, up to so many, and from a time on", async () => {
    await started(store(), 4);
    for (const number of [0, 1, 2, 3]) await store().openAsk(grantAsk(number, { at: 100 - number }));
    await store().closeAsks(SESSION, [closing(2)]);
    const found = async (filter: Parameters<Store["asks"]>[0]) => (await store().asks(filter)).map(({ id }) => id);
    expect(await found({ newestFirst: true, limit: 2 })).toEqual(["ask-3", "ask-2"]);
    expect(await found({ state: "open", newestFirst: true, limit: 2 })).toEqual(["ask-3", "ask-1"]);
    expect(await found({ session: SESSION, state: "open", limit: 2 })).toEqual(["ask-0", "ask-1"]);
    expect(await found({ session: SESSION, since: 99 })).toEqual(["ask-0", "ask-1"]);
    expect(await found({ chat: "chat", since: 98, newestFirst: true })).toEqual(["ask-2", "ask-1", "ask-0"]);
    expect(await found({ session: sessionId("nobody"), since: 0 })).toEqual([]);
  });

  test("what was denied since a time is found, by when it was denied", async () => {
    await started(store(), 4);
    for (const number of [0, 1, 2, 3]) await store().openAsk(grantAsk(number));
    const answers = [
      { ...no, at: 30 },
      { ...yes, at: 31 },
      { ...no, at: 20 },
    ];
    for (const [number, answer] of answers.entries())
      await store().answerAsk(askId(`ask-${number}`), answer, { grant: null, calls: [], events: [] });
    const found = async (filter: Parameters<Store["asks"]>[0]) => (await store().asks(filter)).map(({ id }) => id);
    expect(await found({ chat: "chat", deniedSince: 0 })).toEqual(["ask-0", "ask-2"]);
    expect(await found({ chat: "chat", deniedSince: 20 })).toEqual(["ask-0", "ask-2"]);
    expect(await found({ chat: "chat", deniedSince: 20.5 })).toEqual(["ask-0"]);
    expect(await found({ chat: "chat", deniedSince: 31 })).toEqual([]);
    expect(await found({ chat: "another", deniedSince: 0 })).toEqual([]);
  });

  test("calls are found by their ids", async () => {
    await store().addSession(someSession(), []);
    for (const id of ["chat", "other"]) await store().addChat(someChat({ id }));
    const calls = [someCall(callId("a"), { name: "grep" }), someCall(callId("b")), someCall(callId("c"), { name: "it's" })];
    await store().append("chat", agentMessage("m", calls), "running");
    await store().append("other", agentMessage("m", [someCall(callId("a"), { name: "bash" })]), "running");
    const found = async (...ids: readonly string[]) => Object.fromEntries(await store().calls("chat", ids.map(callId)));
    const [a, , c] = calls;
    expect(await found("a")).toEqual({ a });
    expect(await found("c", "a", "nobody")).toEqual({ a, c });
    expect(await found()).toEqual({});
    expect(await found("nobody")).toEqual({});
    expect(await store().calls("nobody", [callId("a")])).toEqual(new Map());
  });

  test("live grants are listed over all sessions, and one is found by its id even when it is revoked", async () => {
    await started(store(), 2);
    for (const number of [0, 1]) {
      await store().openAsk(grantAsk(number));
      const grant = someGrant({ id: grantId(`grant-${number}`), ask: askId(`ask-${number}`), path: `/${number}` });
      await store().answerAsk(askId(`ask-${number}`), yes, { grant, calls: [], events: [] });
    }
    expect((await store().grants(null)).map(({ id }) => id)).toEqual(["grant-0", "grant-1"]);
    await store().revokeGrant(grantId("grant-0"), 9, []);
    expect((await store().grants(null)).map(({ id }) => id)).toEqual(["grant-1"]);
    expect(await store().grant(grantId("grant-0"))).toMatchObject({ id: "grant-0", path: "/0", revokedAt: 9 });
    expect(await store().grant(grantId("grant-1"))).toMatchObject({ id: "grant-1", revokedAt: null });
    expect(await store().grant(grantId("nobody"))).toBeNull();
  });
}
