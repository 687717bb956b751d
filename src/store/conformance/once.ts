// The part of the suite about yeses for once: used by one call, whoever asks and however many at once; and about what is read together.

import { expect, test } from "vitest";
import type { Store, StoredAsk } from "../../agent/ports.ts";
import { askId, type CallId, callId, grantId } from "../../core/names.ts";
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

export function onceYeses(make: () => Promise<Store>): void {
  const { store } = eachStore(make);
  const [one, other] = [callId("one"), callId("other")];
  const use = (ask: string, call: CallId, number?: number) => store().useOnce(askId(ask), call, useBy(call, number));
  const recorded = async () => (await store().audit({})).map(({ event }) => event);

  test("a yes for once is used by the first call, and by no other after it", async () => {
    await answered(await started(store()), grantAsk(0), once);
    expect(await use("ask-0", one)).toBe(true);
    expect(await use("ask-0", other)).toBe(false);
    // The same call, judged again.
    expect(await use("ask-0", one, 11)).toBe(true);
    expect(await recorded()).toEqual([useBy(one), useBy(one, 11)]);
    expect(await store().verifyAudit()).toBeNull();
  });

  test("of many calls that use it at once exactly one does, and one use is recorded", async () => {
    await answered(await started(store()), grantAsk(0), once);
    const calls = Array.from({ length: 20 }, (_, number) => callId(`use-${number}`));
    const won = await Promise.all(calls.map((call) => use("ask-0", call)));
    expect(won.filter((each) => each)).toHaveLength(1);
    expect(await recorded()).toEqual([useBy(calls[won.indexOf(true)] ?? one)]);
  });

  test("what was recorded of it otherwise counts too, and what is of another path or was before it does not", async () => {
    await answered(await started(store(), 2), grantAsk(0), once);
    await store().record([
      decision(10, { call: other, reason: "answered", real: "/elsewhere" }),
      useBy(other, 4),
      decision(10, { call: other }),
    ]);
    expect(await use("ask-0", one)).toBe(true);
    await answered(store(), grantAsk(1), { ...once, at: once.at + 10 });
    await store().record([useBy(other, 20)]);
    expect(await use("ask-1", one, 21)).toBe(false);
  });

  test("one that was ended is used by nobody", async () => {
    await answered(await started(store()), grantAsk(0), once);
    await store().record([{ kind: "revocation", at: 1, session: SESSION, grant: grantId("ask-0"), by: "roots changed" }]);
    expect([await use("ask-0", one), await use("ask-0", callId("call-0"))]).toEqual([false, false]);
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
    await its.changeRoots(SESSION, "/other", [someMount({ path: "/m/é" }), someMount({ path: "/a" })]);
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
