// The part of the suite about going back in a chat, and about chats that are archived, deleted, searched and counted.

import { expect, test } from "vitest";
import type { Store } from "../../src/agent/ports.ts";
import type { Message } from "../../src/agent/transcript.ts";
import { askId, callId } from "../../src/core/names.ts";
import { done, eachStore, fails, started, statusOf } from "./steps.ts";
import {
  agentMessage,
  closing,
  endOf,
  event,
  grantAsk,
  question,
  SESSION,
  someChat,
  someGrant,
  someSaid,
  someSession,
  yes,
} from "./values.ts";

const person = (id: string, text: string): Message => ({ role: "person", id, at: 1_763_200_000_003, text });
const reminder = (id: string, turns: number | null): Message => ({ role: "reminder", id, at: 1, text: "so", dedupeKey: null, turns });
const ids = (messages: readonly Message[]): readonly string[] => messages.map(({ id }) => id);

export function keeping(make: () => Promise<Store>): void {
  const { store } = eachStore(make);
  const all = (chat = "chat") => store().messagePage(chat, { after: null, rewound: true, limit: 100 });

  /** message (2 calls) · p1 · a1 (call-8) · forever · soon · p2, with asks of the first and of the later calls. */
  const conversation = async (): Promise<void> => {
    await started(store(), 2);
    await store().openAsk(grantAsk(0));
    await store().answerAsk(askId("ask-0"), yes, { grant: someGrant({ ask: askId("ask-0") }), calls: [], events: [] });
    await store().append("chat", person("p1", 'say "it"\n\u0000 \ud800'), null);
    await store().append("chat", agentMessage("a1", [callId("call-8")]), "running");
    await store().openAsk(grantAsk(8));
    await store().closeAsks(SESSION, [closing(8, { calls: [{ call: callId("call-8"), to: done("closed") }] })]);
    for (const message of [reminder("forever", null), reminder("soon", 3), person("p2", "and now")])
      await store().append("chat", message, "idle");
  };

  test("going back marks what came since, keeps every row, and says the same again or something else", async () => {
    await conversation();
    await store().say(someSaid({ id: "unheard" }), []);
    const back = await store().rewind("chat", "p1", { id: "again", at: 50, text: null });
    expect(back).toEqual({
      messages: ["p1", "a1", "soon", "p2", "unheard"],
      asks: ["ask-8"],
      said: { chat: "chat", id: "again", at: 50, text: 'say "it"\n\u0000 \ud800' },
    });
    expect(ids(await store().transcript("chat"))).toEqual(["message", "forever"]);
    expect(ids((await store().chatInSession("chat"))?.transcript ?? [])).toEqual(["message", "forever"]);
    expect(ids(await store().messagePage("chat", { limit: 10 }))).toEqual(["message", "forever"]);
    const kept = await all();
    expect(ids(kept)).toEqual(["message", "p1", "a1", "forever", "soon", "p2", "unheard"]);
    expect(kept.map(({ rewoundAt }) => rewoundAt)).toEqual([undefined, 50, 50, undefined, 50, 50, 50]);
    expect(kept[2]).toMatchObject({ calls: [{ id: "call-8" }] });
    expect((await store().ask(askId("ask-8")))?.rewoundAt).toBe(50);
    expect((await store().ask(askId("ask-0")))?.rewoundAt).toBeUndefined();
    // What was granted stays granted.
    expect(await store().grants(SESSION)).toHaveLength(1);
    expect(ids(await store().hear("chat", "running"))).toEqual(["again"]);
    expect((await store().rewind("chat", "again", { id: "else", at: 60, text: "no" }))?.said.text).toBe("no");
    expect(ids(await store().transcript("chat"))).toEqual(["message", "forever"]);
  });

  test("what is not there, is no person's, or was rewound before cannot be gone back to, and nothing changes", async () => {
    await conversation();
    await store().say(someSaid(), []);
    const before = await all();
    for (const message of ["a1", "forever", "nobody", "a\0"])
      expect(await store().rewind("chat", message, { id: "x", at: 1, text: null })).toBeNull();
    expect(await store().rewind("no such chat", "p1", { id: "x", at: 1, text: null })).toBeNull();
    for (const id of ["p2", "a\0"])
      await expect(store().rewind("chat", "p1", { id, at: 1, text: null })).rejects.toEqual(fails("bad-request"));
    expect(await all()).toEqual(before);
    expect(await store().said("chat")).toEqual([someSaid()]);
    expect(await store().rewind("chat", "p1", { id: "new", at: 1, text: "\0" })).not.toBeNull();
    expect(await store().rewind("chat", "p1", { id: "x", at: 1, text: null })).toBeNull();
    await store().archiveSession(endOf());
    await expect(store().rewind("chat", "p2", { id: "y", at: 1, text: null })).rejects.toEqual(fails("session-closed"));
  });

  test("what waits to be heard can be gone back to as well", async () => {
    await started(store());
    await store().say(someSaid(), []);
    expect((await store().rewind("chat", "said", { id: "other", at: 2, text: "rather" }))?.messages).toEqual(["said"]);
    expect(await store().said("chat")).toEqual([{ chat: "chat", id: "other", at: 2, text: "rather" }]);
  });

  test("an archived chat is in the list of those alone, until it is restored", async () => {
    await started(store());
    await store().addChat(someChat({ id: "other" }));
    expect(await store().changeChat("chat", { archivedAt: 5 })).toMatchObject({ id: "chat", archivedAt: 5, status: "running" });
    const listed = async (filter: Parameters<Store["chatPage"]>[0]) => (await store().chatPage(filter)).map(({ id }) => id);
    expect(await listed({ limit: 5 })).toEqual(["other"]);
    expect(await listed({ session: SESSION, limit: 5 })).toEqual(["other"]);
    expect(await listed({ archived: true, limit: 5 })).toEqual(["chat"]);
    expect(await store().changeChat("chat", { archivedAt: null })).not.toHaveProperty("archivedAt");
    expect(await listed({ limit: 5 })).toEqual(["other", "chat"]);
    expect(await listed({ archived: true, limit: 5 })).toEqual([]);
  });

  test("a deleted chat is gone with its messages; its grants, their asks and the record stay", async () => {
    await conversation();
    await store().append("chat", agentMessage("a2", [callId("call-5"), callId("call-6")]), "running");
    await store().openAsk(question(5));
    await store().openAsk(grantAsk(6));
    await store().say(someSaid(), []);
    expect(await store().deleteChat("chat", 70, [event(1)])).toBe(true);
    expect(await store().chat("chat")).toBeNull();
    expect(await store().chatInSession("chat")).toBeNull();
    expect(await store().chats(null)).toEqual([]);
    expect(await store().chatPage({ limit: 5 })).toEqual([]);
    expect(await all()).toEqual([]);
    expect(await store().said(null)).toEqual([]);
    expect(await store().ask(askId("ask-5"))).toBeNull();
    expect((await store().asks({})).map(({ id, state }) => [id, state])).toEqual([
      ["ask-0", "answered"],
      ["ask-8", "closed"],
      ["ask-6", "closed"],
    ]);
    expect(await store().grants(SESSION)).toHaveLength(1);
    expect((await store().audit({})).at(-1)?.event).toEqual(event(1));
    expect(await store().verifyAudit()).toBeNull();
    expect(await store().deleteChat("chat", 71, [event(2)])).toBe(false);
    expect(await store().changeChat("chat", { title: "back" })).toBeNull();
    await expect(store().say(someSaid(), [])).rejects.toEqual(fails("session-closed"));
    expect(await store().archiveSession(endOf())).toBe(true);
  });

  test("a text is found in titles first, newest first, then in what was said, page by page", async () => {
    await store().addSession(someSession(), []);
    for (const [id, title] of [
      ["c1", "The harbour"],
      ["c2", "other"],
      ["c3", "HARBOUR plans"],
      ["c4", "100%_sure"],
    ] as const)
      await store().addChat(someChat({ id, title }));
    await store().append("c2", person("m1", `${"before ".repeat(30)}the "Harbour"\nof é${" after".repeat(30)}`), null);
    await store().append("c2", agentMessage("m2"), null);
    await store().append("c4", { ...agentMessage("m3"), text: "no harbour here" }, null);
    await store().append("c1", person("m4", "harbour again"), null);
    const search = async (text: string, limit = 10) => {
      const found: string[] = [];
      let pages = 0;
      for (let after: string | null = null; ; pages += 1) {
        const page: Awaited<ReturnType<Store["searchChats"]>> = await store().searchChats({ text, after, limit });
        found.push(...page.found.map(({ chat, message }) => `${chat.id}${message === null ? "" : ` ${message.id}`}`));
        after = page.next;
        if (after === null || pages > 20) return found;
      }
    };
    expect(await search("harbour")).toEqual(["c3", "c1", "c4 m3", "c2 m1"]);
    expect(await search("harbour", 1)).toEqual(["c3", "c1", "c4 m3", "c2 m1"]);
    expect(await search('"harbour"\nof É')).toEqual(["c2 m1"]);
    expect(await search("100%")).toEqual(["c4"]);
    expect(await search("%_s")).toEqual(["c4"]);
    for (const nowhere of ["usage", "text", "h%r", "\0", "\ud800", "zzz"]) expect(await search(nowhere)).toEqual([]);
    const { found } = await store().searchChats({ text: "harbour", after: null, limit: 10 });
    expect(found.at(-1)?.message?.text).toMatch(/^….{70,}the "Harbour" of é.{70,}…$/u);
    // What was rewound or deleted is not found.
    await store().rewind("c2", "m1", { id: "x", at: 1, text: "quiet" });
    await store().deleteChat("c3", 1, []);
    expect(await search("harbour")).toEqual(["c1", "c4 m3"]);
  });

  test("tokens are added up by model, rewound turns too, and what was not counted is left out", async () => {
    await started(store());
    expect(await store().usage("nobody")).toEqual([]);
    const turn = (id: string, model: string | null, input: number | null): Message => ({
      ...agentMessage(id),
      text: '\u0000 \ud800 "',
      usage: input === null ? null : { input, output: 2 },
      ...(model === null ? {} : { model }),
    });
    await store().append("chat", person("p", "x"), null);
    for (const one of [turn("t1", "a/b", 10), turn("t2", "c/d", 5), turn("t3", "a/b", 7), turn("t4", "a/b", null)])
      await store().append("chat", one, "idle");
    await store().rewind("chat", "p", { id: "q", at: 1, text: null });
    expect(await store().usage("chat")).toEqual([
      { model: null, turns: 1, input: 1200, output: 34 },
      { model: "a/b", turns: 2, input: 17, output: 4 },
      { model: "c/d", turns: 1, input: 5, output: 2 },
    ]);
    expect(await statusOf(store())).toBe("idle");
  });
}
