// The part of the suite about sessions that other programs drive, the credentials of their agents, and the lists a daemon asks for.

import { expect, test } from "vitest";
import type { Store } from "../../agent/ports.ts";
import { askId, grantId, sessionId } from "../../core/names.ts";
import { eachStore, fails, started } from "./steps.ts";
import { grantAsk, SESSION, someChat, someGrant, someSession, yes } from "./values.ts";

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
    await store().archiveSession(sessionId("first"), 9);
    expect(await find("claude-code", "run 1", workspace)).toBe("again");
    await store().archiveSession(sessionId("again"), 9);
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
    await store().archiveSession(SESSION, 9);
    expect(await store().credential("abc")).toBeNull();
    await expect(store().addCredential({ ...credential, digest: "late" })).rejects.toEqual(fails("session-closed"));
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
