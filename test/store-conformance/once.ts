// The part of the suite about yeses for once: used by one call, whoever asks and however many at once; and about what is read together.

import { expect, test } from "vitest";
import type { Store, StoredAsk } from "../../src/agent/ports.ts";
import { askId, type CallId, callId, grantId, sessionId } from "../../src/core/names.ts";
import { eachStore, started } from "./steps.ts";
import { decision, grantAsk, no, question, SESSION, someGrant, someMount, someProject, someSaid, yes } from "./values.ts";

const once = { ...yes, until: "call" } as const;
/** The record of a call that a yes for once let through. */
export const useBy = (call: CallId, number = 10) => decision(number, { call, reason: "answered", grant: null });

/** An ask that was answered so. */
async function answered(store: Store, ask: StoredAsk, answer: typeof once | typeof yes | typeof no): Promise<StoredAsk> {
  await store.openAsk(ask);
  expect(await store.answerAsk(ask.id, answer, { grant: null, calls: [], events: [] })).toBe(true);
  return ask;
}

export function onceGrants(make: () => Promise<Store>): void {
  const { store } = eachStore(make);
  const [one, other] = [callId("one"), callId("other")];
  const use = (ask: string, call: CallId, number?: number) => store().useOnce(askId(ask), call, useBy(call, number), true);
  const recorded = async () => (await store().audit({})).map(({ event }) => event);

  test("a yes for once is used by the first call, and by no other after it", async () => {
    await answered(await started(store()), grantAsk(0), once);
    expect(await use("ask-0", one)).toBe(true);
    expect(await use("ask-0", other)).toBe(false);
    // The same call, judged again.
    expect(await use("ask-0", one, 11)).toBe(true);
    expect(await recorded()).toEqual([useBy(one), useBy(one, 11)].map((each) => ({ ...each, ask: "ask-0" })));
    expect(await store().verifyAudit()).toBeNull();
  });

  test("of many calls that use it at once exactly one does, and one use is recorded", async () => {
    await answered(await started(store()), grantAsk(0), once);
    const calls = Array.from({ length: 20 }, (_, number) => callId(`use-${number}`));
    const won = await Promise.all(calls.map((call) => use("ask-0", call)));
    expect(won.filter((each) => each)).toHaveLength(1);
    expect(await recorded()).toEqual([{ ...useBy(calls[won.indexOf(true)] ?? one), ask: "ask-0" }]);
  });

  test("whatever time a use is recorded at, it is one use: clocks that go back or differ revive nothing", async () => {
    await answered(await started(store()), grantAsk(0), { ...once, at: 7_200_000 });
    expect([await use("ask-0", one, 1), await use("ask-0", other, 2), await use("ask-0", other, 9_000_000)]).toEqual([true, false, false]);
    // The same name once more, where that must not be.
    expect(await store().useOnce(askId("ask-0"), one, useBy(one), false)).toBe(false);
    expect(await store().onceGrants(SESSION, null)).toEqual([]);
    expect((await store().onceGrants(SESSION, one)).map(({ ask, usedBy }) => [ask.id, usedBy])).toEqual([["ask-0", one]]);
  });

  test("kept for a call it is that call's alone, and of many that would keep it one does", async () => {
    await answered(await started(store(), 2), grantAsk(0, { tool: "read_file" }), once);
    const calls = Array.from({ length: 12 }, (_, number) => callId(`keep-${number}`));
    const kept = await Promise.all(calls.map((call) => store().claimOnce(askId("ask-0"), call)));
    expect(kept.filter((each) => each)).toHaveLength(1);
    const its = calls[kept.indexOf(true)] ?? one;
    expect(await store().claimOnce(askId("ask-0"), its)).toBe(true);
    expect((await store().onceGrants(SESSION, null)).map(({ claimedBy }) => claimedBy)).toEqual([its]);
    expect([await use("ask-0", callId("call-0")), await use("ask-0", its)]).toEqual([false, true]);
    expect(await store().claimOnce(askId("ask-0"), its)).toBe(false);
    await answered(store(), grantAsk(1), no);
    expect([await store().claimOnce(askId("ask-1"), one), await store().claimOnce(askId("nothing"), one)]).toEqual([false, false]);
  });

  test("those for one path are found by it, whatever is in its name", async () => {
    const odd = '/home/me/"é\\x';
    const its = await started(store(), 3);
    await answered(its, grantAsk(0, { path: odd }), once);
    await answered(its, grantAsk(1, { path: "/home/me/x" }), once);
    await answered(its, grantAsk(2, { path: odd }), once);
    const found = async (path: string, call: CallId | null = null) => (await its.onceGrants(SESSION, call, path)).map(({ ask }) => ask.id);
    expect([await found(odd), await found("/home/me/x"), await found("/home/me")]).toEqual([["ask-0", "ask-2"], ["ask-1"], []]);
    expect(await use("ask-0", one)).toBe(true);
    expect([await found(odd), await found(odd, one), await found("/home/me/x", one)]).toEqual([["ask-2"], ["ask-2", "ask-0"], ["ask-1"]]);
  });

  test("those that were taken back are used and kept by nobody, and recorded as ended where nobody had used them", async () => {
    await answered(await started(store(), 2), grantAsk(0), once);
    await answered(store(), grantAsk(1), once);
    await use("ask-1", one);
    expect(await store().endOnceGrants(SESSION, 9, null)).toEqual(["ask-0"]);
    expect(await recorded()).toEqual([
      { ...useBy(one), ask: "ask-1" },
      {
        kind: "grant-ended",
        at: 9,
        session: SESSION,
        grant: grantId("ask-0"),
        path: grantAsk(0).path,
        ask: askId("ask-0"),
        why: "roots-changed",
      },
    ]);
    for (const ask of ["ask-0", "ask-1"]) {
      expect([await use(ask, one), await use(ask, callId("call-0"))]).toEqual([false, false]);
      expect(await store().claimOnce(askId(ask), one)).toBe(false);
    }
    expect(await store().onceGrants(SESSION, one)).toEqual([]);
    expect(await store().endOnceGrants(SESSION, 10, null)).toEqual([]);
  });

  test("the call it was given to may use it, and where that is no request no other call", async () => {
    await answered(await started(store()), grantAsk(0, { tool: "read_file" }), once);
    expect([await use("ask-0", other), await use("ask-0", callId("call-0"))]).toEqual([false, true]);
  });

  test("what is no yes for once is not used: an open ask, a no, a yes for the session, a question, an ask that is not there", async () => {
    await started(store(), 4);
    await store().openAsk(grantAsk(0));
    await answered(store(), grantAsk(1), no);
    await answered(store(), grantAsk(2), yes);
    await answered(store(), question(3), once);
    for (const ask of ["ask-0", "ask-1", "ask-2", "ask-3", "nothing"]) expect(await use(ask, one)).toBe(false);
    expect(await recorded()).toEqual([]);
  });
}

export function inSession(make: () => Promise<Store>): void {
  const { store } = eachStore(make);

  test("an ask comes with its session and what that may see, as each is by itself", async () => {
    const its = await started(store(), 2);
    await its.addProject(someProject());
    await its.changeRoots(SESSION, "/other", [someMount({ path: "/m/é" }), someMount({ path: "/a" })], []);
    for (const number of [0, 1]) await its.openAsk(grantAsk(number, { words: 'é"\0\ud800 \\u0000' }));
    const grant = someGrant({ path: '/home/me/"é\\' });
    await its.answerAsk(askId("ask-0"), yes, { grant, calls: [], events: [] });
    const apart = { projects: await its.projects(), mounts: await its.mounts(SESSION), grants: await its.grants(SESSION) };
    expect(apart.grants).toEqual([grant]);
    for (const id of [askId("ask-0"), askId("ask-1")])
      expect(await its.askInSession(id)).toEqual({ ask: await its.ask(id), session: await its.session(SESSION), roots: apart });
    await its.revokeGrant(grant.id, 9, []);
    expect((await its.askInSession(askId("ask-0")))?.roots.grants).toEqual([]);
    expect(await its.askInSession(askId("nothing"))).toBeNull();
  });

  test("the roots at some directories are those of their very names, of this session, and not revoked", async () => {
    const its = await started(store(), 2);
    const odd = '/home/me/"é\\';
    await its.addProject(someProject());
    const mounts = [someMount({ path: "/m/é" }), someMount({ path: "/a" }), someMount({ path: "/a/b" })];
    await its.changeRoots(SESSION, "/other", mounts, []);
    await its.openAsk(grantAsk(0));
    const grant = someGrant({ path: odd });
    await its.answerAsk(askId("ask-0"), yes, { grant, calls: [], events: [] });
    const project = someProject().path;
    expect(await its.rootsAt(SESSION, ["/", "/a", "/m/é", odd, project, "/nowhere", "%"])).toEqual({
      projects: await its.projects(),
      mounts: mounts.slice(0, 2),
      grants: [grant],
    });
    expect(await its.rootsAt(SESSION, ["/home/me", `${odd}/below`, "/A"])).toEqual({ projects: [], mounts: [], grants: [] });
    expect(await its.rootsAt(SESSION, [])).toEqual({ projects: [], mounts: [], grants: [] });
    expect(await its.rootsAt(sessionId("nobody"), ["/a", odd])).toEqual({ projects: [], mounts: [], grants: [] });
    await its.revokeGrant(grant.id, 9, []);
    expect((await its.rootsAt(SESSION, [odd])).grants).toEqual([]);
  });

  test("a chat comes with its session, its transcript and what it has not heard, as each is by itself", async () => {
    const its = await started(store(), 3);
    await its.openAsk(grantAsk(0));
    await its.setCall("chat", callId("call-1"), ["proposed"], { at: "done", outcome: { ok: true, output: 'é"\0\ud800' } });
    await its.say(someSaid({ text: "\0 wait" }), []);
    expect(await its.chatInSession("chat")).toEqual({
      chat: await its.chat("chat"),
      session: await its.session(SESSION),
      transcript: await its.transcript("chat"),
      said: await its.said("chat"),
    });
    expect((await its.chatInSession("chat"))?.said).toEqual([someSaid({ text: "\0 wait" })]);
    expect(await its.chatInSession("nothing")).toBeNull();
  });
}
