// The part of the suite about asks, grants and archiving.

import { expect, test } from "vitest";
import type { Store, StoredAsk } from "../../src/agent/ports.ts";
import type { CallState } from "../../src/agent/transcript.ts";
import { askId, callId, grantId, sessionId } from "../../src/core/names.ts";
import { callStates, done, eachStore, fails, PROPOSED, started, statusOf, waitingFor } from "./steps.ts";
import {
  agentMessage,
  closing,
  decision,
  endOf,
  grantAsk,
  no,
  question,
  SESSION,
  someChat,
  someGrant,
  someSession,
  yes,
} from "./values.ts";

// ── Asks ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function asks(make: () => Promise<Store>): void {
  const { store } = eachStore(make);

  test("an open ask is there whole, its call waits for it, and so does the chat", async () => {
    await started(store(), 2);
    await store().setCall("chat", callId("call-1"), ["proposed"], { at: "started" });
    await store().openAsk(grantAsk(0));
    await store().openAsk(question(1));
    expect(await store().ask(askId("ask-0"))).toEqual(grantAsk(0));
    expect(await store().ask(askId("ask-1"))).toEqual(question(1));
    expect(await callStates(store())).toEqual({ "call-0": waitingFor(grantAsk(0)), "call-1": waitingFor(question(1)) });
    expect(await statusOf(store())).toBe("waiting_for_input");
  });

  test("an ask keeps the links on its way, and what a yes would start", async () => {
    await started(store(), 3);
    const survey = { repositories: 1, secrets: 2, files: 3, worktree: true, submodule: false, complete: true };
    const about = { what: "agent", task: "tidy up", survey, wasReadOnly: true } as const;
    const network = grantAsk(2, { path: "network", proposal: null, about: { what: "network" } });
    const whole = [grantAsk(0, { links: ["/home/a/link"], about }), grantAsk(1, { about: { what: "command" } }), network];
    for (const ask of whole) await store().openAsk(ask);
    expect(await store().asks({ state: "open" })).toEqual(whole);
  });

  test("a yes waits with an open ask, one at a time, until it is taken back or the ask is over", async () => {
    await started(store(), 2);
    for (const ask of [grantAsk(0), grantAsk(1)]) await store().openAsk(ask);
    const kept = { by: "me", at: 5, opens: "folder", keeps: true, lasts: 60_000 } as const;
    expect(await store().keepYes(askId("nobody's"), kept)).toBe(false);
    expect(await store().keepYes(askId("ask-0"), kept)).toBe(true);
    expect(await store().keepYes(askId("ask-0"), { ...kept, by: "another" })).toBe(false);
    expect(await store().waitingYeses()).toEqual([{ ...grantAsk(0), waitingYes: kept }]);
    expect((await store().askInSession(askId("ask-0")))?.ask).toEqual({ ...grantAsk(0), waitingYes: kept });
    expect(await store().keepYes(askId("ask-0"), null)).toBe(true);
    expect(await store().waitingYeses()).toEqual([]);
    expect(await store().keepYes(askId("ask-1"), { ...kept, lasts: null })).toBe(true);
    expect(await store().answerAsk(askId("ask-1"), no, { grant: null, calls: [], events: [] })).toBe(true);
    expect(await store().waitingYeses()).toEqual([]);
    expect(await store().keepYes(askId("ask-1"), kept)).toBe(false);
  });

  test("the decision to ask is recorded with the ask, or with the call that joins it, and not without", async () => {
    await started(store(), 3);
    await store().openAsk(grantAsk(0), [decision(1)]);
    await expect(store().openAsk(grantAsk(0), [decision(2)])).rejects.toEqual(fails("bad-request"));
    expect(await store().joinAsk(askId("ask-0"), callId("call-1"), "../other", [decision(3)])).toBe(true);
    expect(await store().joinAsk(askId("ask-0"), callId("call-1"), "../other", [decision(4)])).toBe(false);
    expect((await store().audit({})).map((record) => record.event)).toEqual([decision(1), decision(3)]);
    expect((await store().asks({})).map(({ id }) => id)).toEqual(["ask-0"]);
  });

  test("an ask that cannot be leaves no trace", async () => {
    await started(store(), 4);
    await store().setCall("chat", callId("call-1"), ["proposed"], done("x"));
    await store().openAsk(grantAsk(0));
    await store().closeAsks(SESSION, [closing(0)]);
    await store().openAsk(grantAsk(2));
    await store().setStatus("chat", ["waiting_for_input"], "running");
    await store().addSession(someSession({ id: sessionId("other") }), []);
    const before = [await store().asks({}), await store().transcript("chat"), await store().chats(null)];
    const refused: readonly [StoredAsk, string][] = [
      [grantAsk(0), "bad-request"],
      [grantAsk(3, { id: askId("ask-0") }), "bad-request"],
      [grantAsk(3, { state: "closed" }), "bad-request"],
      [grantAsk(3, { answer: no }), "bad-request"],
      [grantAsk(3, { calls: [] }), "bad-request"],
      [grantAsk(3, { chat: "no such chat" }), "not-found"],
      [grantAsk(3, { session: sessionId("other") }), "wrong-session"],
      [grantAsk(1), "not-found"],
      [grantAsk(9), "not-found"],
      [grantAsk(3, { calls: [callId("call-3"), callId("call-2")] }), "not-found"],
    ];
    for (const [ask, code] of refused) await expect(store().openAsk(ask), JSON.stringify(ask)).rejects.toEqual(fails(code));
    expect([await store().asks({}), await store().transcript("chat"), await store().chats(null)]).toEqual(before);
  });

  test("a further call joins an open ask, and only a call that is free", async () => {
    await started(store(), 4);
    const joined = (ask: string, call: string) => store().joinAsk(askId(ask), callId(call), `../${call}`);
    await store().openAsk(grantAsk(0));
    await store().setStatus("chat", ["waiting_for_input"], "running");
    await store().setCall("chat", callId("call-3"), ["proposed"], done("x"));
    expect(await joined("ask-0", "call-1")).toBe(true);
    expect(await statusOf(store())).toBe("waiting_for_input");
    expect(await joined("ask-0", "call-1")).toBe(false);
    expect(await joined("ask-0", "call-3")).toBe(false);
    expect(await joined("ask-0", "call-9")).toBe(false);
    const both = grantAsk(0, { calls: [callId("call-0"), callId("call-1")], requested: ["../library/index.js", "../call-1"] });
    expect(await store().ask(askId("ask-0"))).toEqual(both);
    await store().closeAsks(SESSION, [closing(0)]);
    expect(await joined("ask-0", "call-2")).toBe(false);
    expect(await store().ask(askId("ask-0"))).toEqual({ ...both, state: "closed", closed: "not-needed" });
    expect((await callStates(store()))["call-2"]).toEqual(PROPOSED);
  });

  test("asks are found by session, chat and state, in the order they came", async () => {
    const other = sessionId("other");
    await started(store(), 3);
    await store().addSession(someSession({ id: other }), []);
    await store().addChat(someChat({ id: "elsewhere", session: other }));
    await store().append("elsewhere", agentMessage("message", [callId("call-8")]), "running");
    const elsewhere = grantAsk(8, { session: other, chat: "elsewhere", at: 1 });
    for (const ask of [grantAsk(2), elsewhere, grantAsk(0), grantAsk(1)]) await store().openAsk(ask);
    await store().closeAsks(SESSION, [closing(0)]);
    const found = async (filter: Parameters<Store["asks"]>[0]) => (await store().asks(filter)).map(({ id }) => id);
    expect(await found({})).toEqual(["ask-2", "ask-8", "ask-0", "ask-1"]);
    expect(await found({ session: SESSION })).toEqual(["ask-2", "ask-0", "ask-1"]);
    expect(await found({ chat: "elsewhere" })).toEqual(["ask-8"]);
    expect(await found({ state: "open" })).toEqual(["ask-2", "ask-8", "ask-1"]);
    expect(await found({ session: SESSION, chat: "chat", state: "closed" })).toEqual(["ask-0"]);
    expect(await found({ session: other, chat: "chat" })).toEqual([]);
  });

  test("every answer comes back whole, with what became of the calls", async () => {
    await started(store(), 4);
    const answers = [
      yes,
      { ...yes, until: "call", expires: 12 },
      no,
      { verdict: "reply", by: "me", at: 3, text: '"\n\u0000\ud800' },
    ] as const;
    for (const [index, answer] of answers.entries()) {
      const [ask, call] = [grantAsk(index), callId(`call-${index}`)];
      await store().openAsk(ask);
      expect(await store().answerAsk(ask.id, answer, { grant: null, calls: [{ call, to: done(`${index}`) }], events: [] })).toBe(true);
      expect(await store().ask(ask.id)).toEqual({ ...ask, state: "answered", answer });
    }
    expect(await callStates(store())).toEqual({ "call-0": done("0"), "call-1": done("1"), "call-2": done("2"), "call-3": done("3") });
  });

  test("an ask is answered or closed once; what comes later changes nothing", async () => {
    await started(store(), 2);
    for (const number of [0, 1]) await store().openAsk(grantAsk(number));
    expect(
      await store().answerAsk(askId("ask-0"), no, { grant: null, calls: [{ call: callId("call-0"), to: done("no") }], events: [] }),
    ).toBe(true);
    const end = closing(1, { why: "expired", calls: [{ call: callId("call-1"), to: done("closed") }] });
    expect(await store().closeAsks(SESSION, [end])).toEqual(["ask-1"]);
    const before = [await store().asks({}), await store().transcript("chat"), await store().sessions()];
    for (const number of [0, 1]) {
      const [ask, call] = [askId(`ask-${number}`), callId(`call-${number}`)];
      const calls = [{ call, to: done("late") }];
      expect(await store().answerAsk(ask, yes, { grant: someGrant({ ask }), calls, events: [] })).toBe(false);
      expect(await store().closeAsks(SESSION, [closing(number, { calls })])).toEqual([]);
    }
    // That it was closed, and why, is kept with the ask and recorded with its end, and not without.
    expect(await store().ask(askId("ask-1"))).toEqual({ ...grantAsk(1), state: "closed", closed: "expired" });
    expect((await store().audit({})).map((record) => record.event)).toEqual([
      { kind: "ask-closed", at: 5, session: SESSION, ask: "ask-1", path: "/home/me/src/library", why: "expired" },
    ]);
    expect([await store().asks({}), await store().transcript("chat"), await store().sessions()]).toEqual(before);
    expect(await store().grants(SESSION)).toEqual([]);
  });

  test("several asks are closed together, those that are open, and all of it or nothing", async () => {
    await started(store(), 4);
    for (const number of [0, 1, 2, 3]) await store().openAsk(grantAsk(number));
    await store().answerAsk(askId("ask-1"), no, { grant: null, calls: [{ call: callId("call-1"), to: done("no") }], events: [] });
    const closings = (...numbers: readonly number[]) =>
      numbers.map((number) => closing(number, { calls: [{ call: callId(`call-${number}`), to: done("closed") }] }));
    const before = [await store().asks({}), await store().transcript("chat")];
    const bad = closing(2, { calls: [{ call: callId("call-2"), to: waitingFor(grantAsk(3)) }] });
    await expect(store().closeAsks(SESSION, [...closings(0), bad])).rejects.toEqual(fails("bad-request"));
    expect([await store().asks({}), await store().transcript("chat")]).toEqual(before);
    expect(await store().closeAsks(SESSION, closings(0, 1, 3, 0, 9))).toEqual(["ask-0", "ask-3"]);
    expect((await store().asks({})).map(({ state }) => state)).toEqual(["closed", "answered", "open", "closed"]);
    expect(await callStates(store())).toEqual({
      "call-0": done("closed"),
      "call-1": done("no"),
      "call-2": waitingFor(grantAsk(2)),
      "call-3": done("closed"),
    });
    expect(await store().closeAsks(SESSION, [])).toEqual([]);
  });

  test("what is said of a call first counts, and a call of which nothing is said is judged anew", async () => {
    await started(store(), 3);
    await store().openAsk(grantAsk(0, { calls: [callId("call-0"), callId("call-1"), callId("call-2")] }));
    const calls = [
      { call: callId("call-0"), to: done("first") },
      { call: callId("call-1"), to: PROPOSED },
      { call: callId("call-0"), to: PROPOSED },
      { call: callId("call-1"), to: done("second") },
    ];
    expect(await store().answerAsk(askId("ask-0"), yes, { grant: null, calls, events: [] })).toBe(true);
    expect(await callStates(store())).toEqual({ "call-0": done("first"), "call-1": PROPOSED, "call-2": PROPOSED });
  });

  test("of many answers at once exactly one wins, with its grant and its calls", async () => {
    await started(store());
    await store().openAsk(grantAsk(0));
    const won = await Promise.all(
      Array.from({ length: 20 }, async (_, person) => {
        const calls = [{ call: callId("call-0"), to: done(`${person}`) }];
        if (person % 5 === 4) return (await store().closeAsks(SESSION, [closing(0, { calls })])).length > 0;
        const grant = someGrant({ id: grantId(`grant-${person}`), path: `/granted/${person}` });
        return store().answerAsk(askId("ask-0"), { ...yes, by: `${person}` }, { grant, calls, events: [] });
      }),
    );
    expect(won.filter((one) => one)).toHaveLength(1);
    const winner = won.indexOf(true);
    expect(await callStates(store())).toEqual({ "call-0": done(`${winner}`) });
    expect((await store().ask(askId("ask-0")))?.answer).toEqual({ ...yes, by: `${winner}` });
    expect((await store().grants(SESSION)).map(({ path }) => path)).toEqual([`/granted/${winner}`]);
    expect((await store().session(SESSION))?.allowedReadPaths).toEqual([`/granted/${winner}`]);
  });

  test("a call of which the answer says nothing is judged anew, and one that no longer waits is let be", async () => {
    await started(store(), 4);
    await store().openAsk(grantAsk(0, { calls: [callId("call-0"), callId("call-1")] }));
    await store().joinAsk(askId("ask-0"), callId("call-2"), "../other");
    await store().setCall("chat", callId("call-1"), ["waiting"], done("cancelled"));
    const calls = [callId("call-0"), callId("call-1"), callId("call-3"), callId("call-9")].map((call) => ({ call, to: done("denied") }));
    expect(await store().answerAsk(askId("ask-0"), no, { grant: null, calls, events: [] })).toBe(true);
    expect(await callStates(store())).toEqual({
      "call-0": done("denied"),
      "call-1": done("cancelled"),
      "call-2": PROPOSED,
      "call-3": PROPOSED,
    });
  });

  test("a call may wait for an ask of another chat, and then only its own chat decides when it goes on", async () => {
    await started(store(), 1);
    await store().addChat(someChat({ id: "child" }));
    await store().append("child", agentMessage("message", [callId("call-5")]), "running");
    const ask = grantAsk(5, { chat: "child" });
    await store().openAsk(ask);
    expect(await store().setCall("chat", callId("call-0"), ["proposed"], waitingFor(ask))).toBe(true);
    await store().answerAsk(ask.id, no, { grant: null, calls: [{ call: callId("call-5"), to: done("no") }], events: [] });
    expect(await callStates(store())).toEqual({ "call-0": waitingFor(ask) });
    expect(await store().setCall("chat", callId("call-0"), ["waiting"], done("the child is done"))).toBe(true);
  });

  test("an answer that cannot be leaves no trace", async () => {
    await started(store(), 2);
    for (const number of [0, 1]) await store().openAsk(grantAsk(number));
    await store().answerAsk(askId("ask-1"), yes, { grant: someGrant({ ask: askId("ask-1") }), calls: [], events: [] });
    const before = [await store().asks({}), await store().transcript("chat"), await store().sessions(), await store().grants(SESSION)];
    const answer = (grant: ReturnType<typeof someGrant> | null, to: CallState = PROPOSED) =>
      store().answerAsk(askId("ask-0"), yes, { grant, calls: [{ call: callId("call-0"), to }], events: [] });
    await expect(answer(someGrant({ session: sessionId("other"), id: grantId("new") }))).rejects.toEqual(fails("wrong-session"));
    await expect(answer(someGrant({ ask: askId("ask-1"), id: grantId("new") }))).rejects.toEqual(fails("wrong-session"));
    await expect(answer(someGrant({ path: "/other" }))).rejects.toEqual(fails("bad-request"));
    await expect(answer(someGrant({ id: grantId("new"), path: "/home/me\0/src" }))).rejects.toEqual(fails("bad-request"));
    await expect(answer(someGrant({ id: grantId("new"), path: "/new" }), waitingFor(grantAsk(1)))).rejects.toEqual(fails("bad-request"));
    await expect(answer(null, waitingFor(grantAsk(0)))).rejects.toEqual(fails("bad-request"));
    expect([await store().asks({}), await store().transcript("chat"), await store().sessions(), await store().grants(SESSION)]).toEqual(
      before,
    );
  });
}

// ── Grants ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function grants(make: () => Promise<Store>): void {
  const { store } = eachStore(make);

  async function granted(...paths: readonly string[]): Promise<void> {
    await started(store(), paths.length);
    for (const [number, path] of paths.entries()) {
      await store().openAsk(grantAsk(number));
      await store().answerAsk(askId(`ask-${number}`), yes, { grant: numbered(number, path), calls: [], events: [] });
    }
  }
  const numbered = (number: number, path: string) =>
    someGrant({ id: grantId(`grant-${number}`), ask: askId(`ask-${number}`), path, expires: number === 1 ? 99 : null });
  const paths = async () => (await store().session(SESSION))?.allowedReadPaths;

  test("grants come back whole, in the order they were given, and their paths with the session", async () => {
    await granted("/z", "/a", '/with "quotes", \\ and \n');
    expect(await store().grants(SESSION)).toEqual([numbered(0, "/z"), numbered(1, "/a"), numbered(2, '/with "quotes", \\ and \n')]);
    expect(await paths()).toEqual(["/z", "/a", '/with "quotes", \\ and \n']);
    expect(await store().grants(sessionId("other"))).toEqual([]);
  });

  test("a grant comes back with the birth of its directory to the last bit, or with none", async () => {
    const births = [null, 0, 1_763_100_000_000 + 2 ** -11, 2 ** 40 + 1 / 3];
    await started(store(), births.length);
    for (const [number, born] of births.entries()) {
      await store().openAsk(grantAsk(number));
      const grant = { ...numbered(number, `/${number}`), born };
      await store().answerAsk(askId(`ask-${number}`), yes, { grant, calls: [], events: [] });
    }
    expect((await store().grants(SESSION)).map(({ born }) => born)).toEqual(births);
    expect(await Promise.all(births.map(async (_, number) => (await store().grant(grantId(`grant-${number}`)))?.born))).toEqual(births);
  });

  test("a proposal comes back with its birth, without one, and as an earlier version stored it", async () => {
    const earlier = { dir: "/home/me/src/library", dev: 1, ino: 2, because: ".git" };
    const proposals = [{ ...earlier, born: 1_763_100_000_000 + 2 ** -11 }, { ...earlier, born: null }, earlier];
    await started(store(), proposals.length);
    for (const [number, proposal] of proposals.entries()) await store().openAsk(grantAsk(number, { proposal }));
    expect(await Promise.all(proposals.map(async (_, number) => (await store().ask(askId(`ask-${number}`)))?.proposal))).toEqual(proposals);
  });

  test("a path that is granted again is listed once, and the later grant takes the place of the earlier", async () => {
    await granted("/z", "/a", "/z");
    expect(await paths()).toEqual(["/z", "/a"]);
    expect(await store().grants(SESSION)).toEqual([numbered(1, "/a"), numbered(2, "/z")]);
    expect(await store().revokeGrant(grantId("grant-0"), 9, [])).toBe(false);
    expect(await store().revokeGrant(grantId("grant-2"), 9, [])).toBe(true);
    expect(await paths()).toEqual(["/a"]);
  });

  test("a grant of the network is one like any other, and nothing to be read", async () => {
    await granted("network", "/a", "network");
    expect(await store().grants(SESSION)).toEqual([numbered(1, "/a"), numbered(2, "network")]);
    expect(await paths()).toEqual(["/a"]);
    expect(await store().revokeGrant(grantId("grant-2"), 9, [])).toBe(true);
    expect(await store().grants(SESSION)).toEqual([numbered(1, "/a")]);
  });

  test("a revoked grant is gone with its path, once", async () => {
    await granted("/z", "/a", "/m");
    expect(await store().revokeGrant(grantId("grant-1"), 9, [])).toBe(true);
    expect(await store().revokeGrant(grantId("grant-1"), 10, [])).toBe(false);
    expect(await paths()).toEqual(["/z", "/m"]);
    expect((await store().grants(SESSION)).map(({ id }) => id)).toEqual(["grant-0", "grant-2"]);
  });

  test("of many who revoke at once, one does", async () => {
    await granted("/z");
    const revoked = await Promise.all(Array.from({ length: 20 }, (_, at) => store().revokeGrant(grantId("grant-0"), at, [])));
    expect(revoked.filter((one) => one)).toHaveLength(1);
  });

  test("grants given at the same time are all there", async () => {
    await started(store(), 12);
    for (let number = 0; number < 12; number++) await store().openAsk(grantAsk(number));
    await Promise.all(
      Array.from({ length: 12 }, (_, number) =>
        store().answerAsk(askId(`ask-${number}`), yes, { grant: numbered(number, `/${number}`), calls: [], events: [] }),
      ),
    );
    expect(new Set(await paths())).toEqual(new Set(Array.from({ length: 12 }, (_, number) => `/${number}`)));
  });
}

// ── Archiving ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function archiving(make: () => Promise<Store>): void {
  const { store } = eachStore(make);
  const closed: CallState = {
    at: "done",
    outcome: { ok: false, code: "session-closed", hint: "the session was archived before this was answered" },
  };

  test("ends the session with its grants, its chats and its open asks, once, and no other session", async () => {
    const other = sessionId("other");
    await started(store(), 3);
    await store().addSession(someSession({ id: other, parent: SESSION }), []);
    await store().addChat(someChat({ id: "elsewhere", session: other }));
    await store().append("elsewhere", agentMessage("message", [callId("call-7"), callId("call-8")]), "running");
    const elsewhere = grantAsk(8, { session: other, chat: "elsewhere" });
    for (const ask of [grantAsk(0), grantAsk(1), elsewhere]) await store().openAsk(ask);
    await store().answerAsk(askId("ask-0"), yes, { grant: someGrant(), calls: [], events: [] });
    const ended = endOf(SESSION, 77);
    expect(await store().archiveSession(ended)).toBe(true);
    expect(await store().archiveSession({ ...ended, at: 78 })).toBe(false);
    expect((await store().audit({})).map((record) => record.event)).toEqual([ended]);
    expect(await store().session(SESSION)).toEqual(someSession({ archivedAt: 77 }));
    expect(await store().grants(SESSION)).toEqual([]);
    expect(await store().revokeGrant(grantId("grant"), 79, [])).toBe(false);
    expect(await store().asks({ state: "open" })).toEqual([elsewhere]);
    expect((await store().ask(askId("ask-0")))?.state).toBe("answered");
    expect(await store().ask(askId("ask-1"))).toMatchObject({ state: "closed", closed: "session-ended" });
    expect(
      await store().answerAsk(askId("ask-1"), yes, {
        grant: someGrant({ id: grantId("late"), ask: askId("ask-1") }),
        calls: [],
        events: [],
      }),
    ).toBe(false);
    expect(await callStates(store())).toEqual({ "call-0": PROPOSED, "call-1": closed, "call-2": PROPOSED });
    expect(await callStates(store(), "elsewhere")).toEqual({ "call-7": PROPOSED, "call-8": waitingFor(elsewhere) });
    expect((await store().chats(null)).map(({ status }) => status)).toEqual(["archived", "waiting_for_input"]);
    expect((await store().session(other))?.archivedAt).toBeNull();
  });

  test.each([
    ["person", "session-ended"],
    ["agent-left", "agent-left"],
    ["idle", "idle"],
  ] as const)("of a session that ended by %s the open asks say so", async (why, closedBy) => {
    await started(store(), 1);
    await store().openAsk(grantAsk(0));
    await store().archiveSession({ ...endOf(), why });
    expect((await store().ask(askId("ask-0")))?.closed).toBe(closedBy);
  });

  test("nothing goes on in it: no ask, no move, no other status by a turn that was still running", async () => {
    await started(store(), 1);
    await store().archiveSession(endOf(SESSION, 77));
    await expect(store().openAsk(grantAsk(0))).rejects.toEqual(fails("session-closed"));
    expect(await store().changeRoots(SESSION, "/elsewhere", [], [])).toBe(false);
    await store().append("chat", agentMessage("late"), "running");
    expect((await store().transcript("chat")).map(({ id }) => id)).toEqual(["message", "late"]);
    expect(await statusOf(store())).toBe("archived");
    expect(await store().setStatus("chat", ["running"], "idle")).toBe(false);
  });

  test("nothing is granted in it, even through a chat that was opened again", async () => {
    await started(store(), 1);
    await store().archiveSession(endOf(SESSION, 77));
    await store().setStatus("chat", ["archived"], "idle");
    await store().openAsk(grantAsk(0));
    await expect(store().answerAsk(askId("ask-0"), yes, { grant: someGrant(), calls: [], events: [] })).rejects.toEqual(
      fails("session-closed"),
    );
    expect((await store().ask(askId("ask-0")))?.state).toBe("open");
    expect(await store().grants(null)).toEqual([]);
    expect((await store().session(SESSION))?.allowedReadPaths).toEqual([]);
    const granted = someSession({ id: sessionId("late"), archivedAt: 77, allowedReadPaths: ["/a"] });
    await expect(store().addSession(granted, [])).rejects.toEqual(fails("bad-request"));
  });

  test("a call elsewhere that waits for an ask of the session does not wait for ever", async () => {
    const child = sessionId("child");
    await started(store(), 1);
    await store().addSession(someSession({ id: child, parent: SESSION }), []);
    await store().addChat(someChat({ id: "its", session: child }));
    await store().append("its", agentMessage("message", [callId("call-5")]), "running");
    const ask = grantAsk(5, { session: child, chat: "its" });
    await store().openAsk(ask);
    await store().setCall("chat", callId("call-0"), ["proposed"], waitingFor(ask));
    await store().archiveSession(endOf(child, 77));
    expect(await callStates(store())).toEqual({ "call-0": closed });
    expect(await callStates(store(), "its")).toEqual({ "call-5": closed });
  });
}
