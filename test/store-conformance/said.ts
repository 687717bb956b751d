// The part of the suite about what a person said and a chat has not heard yet.

import { expect, test } from "vitest";
import type { Store, StoredAsk } from "../../src/agent/ports.ts";
import { callId, sessionId } from "../../src/core/names.ts";
import { callStates, done, eachStore, fails, started, statusOf, waitingFor } from "./steps.ts";
import { agentMessage, closing, endOf, grantAsk, no, question, SESSION, someChat, someSaid, someSession } from "./values.ts";

export function said(make: () => Promise<Store>): void {
  const { store } = eachStore(make);

  test("what is said waits whole and in order, apart from the transcript, and leaves the chat as it is", async () => {
    await started(store());
    await store().addChat(someChat({ id: "other" }));
    const [first, second, elsewhere] = [
      someSaid({ id: "z", text: 'it\'s "so"\n\u0000 \ud800 😀' }),
      someSaid({ id: "a", at: 1, text: "" }),
      someSaid({ chat: "other", id: "z" }),
    ];
    const before = await store().transcript("chat");
    for (const one of [first, elsewhere, second]) expect(await store().say(one, [])).toEqual([]);
    expect(await store().said("chat")).toEqual([first, second]);
    expect(await store().said(null)).toEqual([first, elsewhere, second]);
    expect(await store().said("no such chat")).toEqual([]);
    expect(await store().transcript("chat")).toEqual(before);
    expect(await statusOf(store())).toBe("running");
  });

  test("it is heard once: every word of the chat becomes a message at the end, with the status, and waits no longer", async () => {
    await started(store());
    await store().addChat(someChat({ id: "other" }));
    const elsewhere = someSaid({ chat: "other" });
    await store().say(someSaid({ id: "z" }), []);
    await store().say(elsewhere, []);
    await store().say(someSaid({ id: "a", text: "and this" }), []);
    const messages = [
      { role: "person", id: "z", at: someSaid().at, text: "wait" },
      { role: "person", id: "a", at: someSaid().at, text: "and this" },
    ];
    expect(await store().hear("chat", "idle")).toEqual(messages);
    expect((await store().transcript("chat")).slice(1)).toEqual(messages);
    expect(await statusOf(store())).toBe("idle");
    expect(await store().hear("chat", "failed")).toEqual([]);
    expect(await statusOf(store())).toBe("idle");
    expect(await store().said(null)).toEqual([elsewhere]);
    expect(await store().hear("no such chat", "idle")).toEqual([]);
  });

  test("of many who hear at once, one does", async () => {
    await started(store());
    await store().say(someSaid(), []);
    const heard = await Promise.all(Array.from({ length: 20 }, () => store().hear("chat", "running")));
    expect(heard.flat()).toHaveLength(1);
    expect(await store().transcript("chat")).toHaveLength(2);
  });

  test("whoever speaks instead of answering closes the ask in the same breath", async () => {
    await started(store(), 2);
    await store().openAsk(grantAsk(0));
    await store().openAsk(grantAsk(1));
    await store().closeAsks(SESSION, [closing(1)]);
    const instead = [0, 1, 9].map((number) =>
      closing(number, { why: "withdrawn", calls: [{ call: callId(`call-${number}`), to: done("closed") }] }),
    );
    expect(await store().say(someSaid(), instead)).toEqual(["ask-0"]);
    expect((await store().asks({})).map((ask) => ask.closed)).toEqual(["withdrawn", "not-needed"]);
    expect(await callStates(store())).toEqual({ "call-0": done("closed"), "call-1": { at: "proposed" } });
  });

  test("what cannot be said leaves no trace", async () => {
    await started(store());
    await store().openAsk(grantAsk(0));
    const instead = [closing(0)];
    await store().say(someSaid({ id: "there" }), []);
    await expect(store().say(someSaid({ chat: "no such chat" }), instead)).rejects.toEqual(fails("not-found"));
    await expect(store().say(someSaid({ id: "there" }), instead)).rejects.toEqual(fails("bad-request"));
    await expect(store().say(someSaid({ id: "message" }), instead)).rejects.toEqual(fails("bad-request"));
    await expect(store().say(someSaid({ id: "a\0" }), instead)).rejects.toEqual(fails("bad-request"));
    const waitOn = [closing(0, { calls: [{ call: callId("call-0"), to: waitingFor(grantAsk(0)) }] })];
    await expect(store().say(someSaid(), waitOn)).rejects.toEqual(fails("bad-request"));
    expect(await store().said(null)).toEqual([someSaid({ id: "there" })]);
    expect(await store().openAsks()).toBe(1);
  });

  test("the end of a session puts what was said last into its transcript; nothing can be said afterwards", async () => {
    const other = sessionId("other");
    await started(store());
    await store().addSession(someSession({ id: other }), []);
    await store().addChat(someChat({ id: "other", session: other }));
    const elsewhere = someSaid({ chat: "other" });
    await store().say(someSaid(), []);
    await store().say(elsewhere, []);
    expect(await store().archiveSession(endOf())).toBe(true);
    expect((await store().transcript("chat")).at(-1)).toMatchObject({ role: "person", id: "said", text: "wait" });
    expect(await store().said(null)).toEqual([elsewhere]);
    await expect(store().say(someSaid({ id: "late" }), [])).rejects.toEqual(fails("session-closed"));
    expect(await store().hear("chat", "running")).toEqual([]);
    expect(await statusOf(store())).toBe("archived");
  });

  test("a session whose last words have the id of a message does not end, and nothing of it has changed", async () => {
    await started(store());
    await store().say(someSaid({ id: "twice" }), []);
    await store().append("chat", agentMessage("twice", []), "running");
    await expect(store().archiveSession(endOf())).rejects.toEqual(fails("bad-request"));
    expect((await store().session(SESSION))?.archivedAt).toBeNull();
    expect(await statusOf(store())).toBe("running");
    await store().addChat(someChat({ id: "other" }));
  });

  test("what was answered before for the same thing is found, newest first, and nothing else", async () => {
    await started(store(), 9);
    const dir = { dir: '/with "quotes", \\\\ and é', dev: 1, ino: 2, because: "x" };
    const asks = [
      grantAsk(0, { proposal: dir, at: 1 }),
      grantAsk(1, { at: 1 }),
      grantAsk(2, { proposal: dir, at: 2 }),
      grantAsk(3, { proposal: null, offers: "once", at: 2 }),
      grantAsk(4, { proposal: null, offers: "once", right: "write", at: 2 }),
      question(5),
      grantAsk(6, { proposal: dir, at: 9 }),
      grantAsk(7, { proposal: dir, at: 3 }),
    ];
    for (const ask of asks) await store().openAsk(ask);
    for (const { id } of asks.slice(0, 7)) await store().answerAsk(id, no, { grant: null, calls: [], events: [] });
    const earlier = async (ask: StoredAsk, limit = 5) => (await store().earlierAsks(ask, limit)).map(({ id }) => id);
    expect(await earlier(grantAsk(7, { proposal: dir, at: 3 }))).toEqual(["ask-2", "ask-0"]);
    expect(await earlier(grantAsk(7, { proposal: dir, at: 9 }), 2)).toEqual(["ask-6", "ask-2"]);
    expect(await earlier(grantAsk(2, { proposal: dir, at: 2 }))).toEqual(["ask-0"]);
    expect(await earlier(grantAsk(8, { proposal: null, offers: "once" }))).toEqual(["ask-3"]);
    expect(await earlier(grantAsk(8, { session: sessionId("other"), proposal: dir }))).toEqual([]);
  });

  test("open asks are counted", async () => {
    expect(await store().openAsks()).toBe(0);
    await started(store(), 3);
    for (const number of [0, 1, 2]) await store().openAsk(grantAsk(number));
    await store().closeAsks(SESSION, [closing(1)]);
    expect(await store().openAsks()).toBe(2);
  });
}
