// The part of the suite about the record: the chain, what is written with an answer, and how it is searched.

import { expect, test } from "vitest";
import type { AuditFilter, Store } from "../../src/agent/ports.ts";
import type { AuditEvent } from "../../src/core/audit.ts";
import { askId, grantId, sessionId } from "../../src/core/names.ts";
import { eachStore, fails, started } from "./steps.ts";
import { decision, event, grantAsk, no, SESSION, someGrant, yes } from "./values.ts";

export function record(make: () => Promise<Store>): void {
  const { store } = eachStore(make);
  const found = async (filter: AuditFilter) => (await store().audit(filter)).map(({ sequence }) => sequence);

  test("events come back whole, numbered from 1, each with a hash of its own", async () => {
    for (const number of [1, 2, 3]) await store().record([event(number)]);
    const records = await store().audit({});
    expect(records.map((one) => [one.sequence, one.event])).toEqual([1, 2, 3].map((number) => [number, event(number)]));
    expect(new Set(records.map(({ hash }) => hash)).size).toBe(3);
    for (const { hash } of records) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await store().verifyAudit()).toBeNull();
  });

  test("the chain is the same in every store, whether events come one by one or together", async () => {
    // As an earlier version recorded them: what they are chained by does not depend on what is known of them.
    const earlier = (by: object): AuditEvent => ({ session: SESSION, grant: grantId("g"), ...by, kind: "revocation" }) as AuditEvent;
    await store().record([earlier({ at: 1, by: "é\ud800" })]);
    await store().record([]);
    await store().record([earlier({ by: "b", at: 2 })]);
    expect((await store().audit({})).map(({ hash }) => hash)).toEqual(CHAIN);
    const more = [1, 2, 3].map((number) => event(number));
    await store().record(more);
    expect((await store().audit({ after: 2 })).map((one) => one.event)).toEqual(more);
    expect(await store().verifyAudit()).toBeNull();
  });

  test("an answer and a revocation are recorded with what they do, and not at all when they come too late", async () => {
    await started(store(), 1);
    await store().openAsk(grantAsk(0));
    const answer = (verdict: typeof yes | typeof no, number: number) =>
      store().answerAsk(askId("ask-0"), verdict, {
        grant: verdict === yes ? someGrant() : null,
        calls: [],
        events: [event(number), event(number + 1)],
      });
    expect(await answer(yes, 10)).toBe(true);
    expect(await answer(no, 20)).toBe(false);
    expect(await store().revokeGrant(grantId("grant"), 9, [event(30)])).toBe(true);
    expect(await store().revokeGrant(grantId("grant"), 9, [event(40)])).toBe(false);
    expect((await store().audit({})).map((one) => one.event)).toEqual([event(10), event(11), event(30)]);
    expect(await store().verifyAudit()).toBeNull();
  });

  test("an answer that cannot be is not recorded either", async () => {
    await started(store(), 1);
    await store().openAsk(grantAsk(0));
    const grant = someGrant({ session: sessionId("other") });
    await expect(store().answerAsk(askId("ask-0"), yes, { grant, calls: [], events: [event(1)] })).rejects.toEqual(fails("wrong-session"));
    expect(await store().audit({})).toEqual([]);
  });

  test("events are found by session, from a number on, up to so many, from either end", async () => {
    const other = sessionId("other");
    for (let number = 1; number <= 9; number++) await store().record([event(number, number % 3 === 0 ? other : SESSION)]);
    expect(await found({ session: other })).toEqual([3, 6, 9]);
    expect(await found({ after: 6 })).toEqual([7, 8, 9]);
    expect(await found({ before: 3 })).toEqual([1, 2]);
    expect(await found({ after: 3, before: 7 })).toEqual([4, 5, 6]);
    expect(await found({ limit: 2 })).toEqual([1, 2]);
    expect(await found({ limit: 0 })).toEqual([]);
    expect(await found({ session: SESSION, after: 2, limit: 3 })).toEqual([4, 5, 7]);
    expect(await found({ after: 9 })).toEqual([]);
    expect(await found({ newestFirst: true, limit: 3 })).toEqual([9, 8, 7]);
    expect(await found({ newestFirst: true, before: 7, limit: 2, session: SESSION })).toEqual([5, 4]);
    expect(await found({ since: event(8).at })).toEqual([8, 9]);
    expect(await found({ since: event(4).at, session: SESSION, newestFirst: true })).toEqual([8, 7, 5, 4]);
  });

  test("events are found by what they are, how it was decided, why, and by which grant", async () => {
    const [one, two] = [grantId("one"), grantId("two")];
    await store().record([
      decision(1, { grant: one }),
      decision(2, { grant: two, session: sessionId("other") }),
      decision(3, { grant: null, verdict: "deny", reason: "secret-file" }),
      decision(4, { grant: null, verdict: "ask", reason: "out-of-scope" }),
      { kind: "grant", at: 5, session: SESSION, grant: one, ask: askId("a"), until: "session", expires: null, path: "/a", by: "me" },
      event(6),
      { kind: "revocation", at: 7, session: SESSION, grant: one, path: "/a", ask: null, by: "me" },
      decision(8, { grant: one, verdict: "deny", reason: "secret-file" }),
    ]);
    expect(await found({ kind: "decision" })).toEqual([1, 2, 3, 4, 8]);
    expect(await found({ kind: "grant" })).toEqual([5]);
    expect(await found({ verdict: "deny" })).toEqual([3, 6, 8]);
    expect(await found({ kind: "decision", verdict: "deny", newestFirst: true })).toEqual([8, 3]);
    expect(await found({ kind: "answer", verdict: "deny" })).toEqual([6]);
    expect(await found({ kind: "answer", verdict: "allow" })).toEqual([]);
    expect(await found({ reason: "secret-file" })).toEqual([3, 8]);
    expect(await found({ reason: "out-of-scope", session: SESSION, kind: "decision", since: 0 })).toEqual([4]);
    expect(await found({ reason: "out-of-scope", session: sessionId("other") })).toEqual([]);
    expect(await found({ grant: one })).toEqual([1, 8]);
    expect(await found({ grant: one, verdict: "allow", session: SESSION })).toEqual([1]);
    expect(await found({ grant: two, session: SESSION })).toEqual([]);
    expect(await found({ grant: grantId("nobody\0") })).toEqual([]);
  });

  test("every filter finds what it would find one record at a time, also where a clock went back", async () => {
    const other = sessionId("other");
    const times = [5, 20_005, 45_000, 10_000, 30_000, 44_999, 60_000, 1, 70_000, 70_001, 61_000, 90_000];
    const events = times.flatMap((at, number): AuditEvent[] => [
      decision(0, {
        at,
        session: number % 3 === 0 ? other : SESSION,
        verdict: number % 2 === 0 ? "deny" : "allow",
        requested: `/a/${number}`,
      }),
      { ...event(0, number % 4 === 0 ? other : SESSION), at },
      {
        kind: "grant",
        at,
        session: SESSION,
        grant: grantId("g"),
        ask: askId("a"),
        until: "session",
        expires: null,
        path: `/b/${number}`,
        by: "/a/1",
      },
    ]);
    await store().record(events);
    const isAbout = (one: AuditEvent, text: string): boolean =>
      (one.kind === "decision" && (one.requested.includes(text) || (one.real?.includes(text) ?? false))) ||
      (one.kind === "grant" && one.path.includes(text));
    for (const since of [undefined, 0, 20_005, 20_006, 45_000, 69_999, 90_001])
      for (const session of [undefined, other])
        for (const kind of [undefined, "decision", "answer", "grant", "policy-changed"] as const)
          for (const [verdict, path] of [
            [undefined, undefined],
            ["deny", undefined],
            ["allow", "/a/1"],
            [undefined, "/b/1"],
          ] as const) {
            const fit = events.flatMap((one, index) =>
              (since === undefined || one.at >= since) &&
              (session === undefined || one.session === session) &&
              (kind === undefined || one.kind === kind) &&
              (verdict === undefined || ("verdict" in one && one.verdict === verdict)) &&
              (path === undefined || isAbout(one, path))
                ? [index + 1]
                : [],
            );
            const filter = { since, session, kind, verdict, path };
            const given: AuditFilter = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
            expect(await found(given), JSON.stringify(given)).toEqual(fit);
            const page = { ...given, newestFirst: true, skip: 1, limit: 2, before: 30 };
            expect(await found(page), JSON.stringify(page)).toEqual(
              fit
                .filter((one) => one < 30)
                .reverse()
                .slice(1, 3),
            );
          }
    expect(await found({ path: "nobody\0" })).toEqual([]);
    expect(await found({ path: '"verdict"' })).toEqual([]);
  }, 120_000);

  test("what was read under grants is counted, with the last time", async () => {
    const [one, two, three] = [grantId("one"), grantId("two"), grantId("three")];
    await store().record([
      decision(5, { grant: one }),
      decision(9, { grant: one }),
      decision(7, { grant: one }),
      decision(20, { grant: one, verdict: "deny" }),
      decision(3, { grant: two }),
      { kind: "revocation", at: 7, session: SESSION, grant: three, path: "/a", ask: null, by: "me" },
      decision(30, { grant: grantId("another") }),
    ]);
    expect(await store().readsUnder([three, two, one])).toEqual(
      new Map([
        [one, { reads: 3, last: decision(9).at }],
        [two, { reads: 1, last: decision(3).at }],
      ]),
    );
    expect(await store().readsUnder([])).toEqual(new Map());
    const many = Array.from({ length: 1200 }, (_, number) => grantId(`g${number}`));
    expect([...(await store().readsUnder([...many, two])).keys()]).toEqual([two]);
  });

  test("events recorded at once are one chain", async () => {
    await Promise.all(Array.from({ length: 40 }, (_, number) => store().record([event(number)])));
    expect(await found({})).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(await store().verifyAudit()).toBeNull();
  });

  test("a long record is verified from end to end", async () => {
    await store().record(Array.from({ length: 1001 }, (_, number) => event(number)));
    expect(await store().verifyAudit()).toBeNull();
  }, 120_000);
}

/** SHA-256 of `{"event":…,"previous":"…"}`, worked out by another program. */
const CHAIN = [
  "5bc062fd4d15c121e8f6d922c74b00cc4b65a2b38d4c2169974b8a2ac55cbe75",
  "54ba71290defa7a471705bc38db0ab9889a44b54e8bfc8b60872cd84cd6a9a10",
];
