// Two processes on one PostgreSQL, here two agents with a store each, and one yes for once between them.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { testPostgres } from "../../test/support/postgres.ts";
import { createPolicyFor } from "../config/policy-for.ts";
import type { SessionId } from "../core/names.ts";
import { openPostgresStore } from "../store/postgres.ts";
import { type Agent, createAgent } from "./agent.ts";
import type { Store } from "./ports.ts";

afterAll(async () => (await testPostgres()).end());

/** A repository beside a workspace, and two agents that could read in it by a yes. `lets`: what their stores do otherwise. The second clock may be behind. */
async function two(lets: (store: Store) => Partial<Store> = () => ({}), behind = 0) {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-once-")));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  for (const dir of ["home/.config/hallpass", "ws", "lib/.git"]) mkdirSync(join(place, dir), { recursive: true });
  writeFileSync(join(place, "lib/far.txt"), "far\n");
  writeFileSync(join(place, "home/.config/hallpass/policy.json"), JSON.stringify({ ceilings: [place] }));
  const url = await (await testPostgres()).createSchema();
  const policyFor = createPolicyFor({ home: join(place, "home"), env: {}, platform: process.platform });
  const time = { now: 1_763_200_000_000 };
  const agents: Agent[] = [];
  const stores: Store[] = [];
  for (const back of [0, behind]) {
    const store = await openPostgresStore({ url, connections: 3 });
    onTestFinished(() => store.close());
    stores.push(store);
    const model = { name: "none", turn: () => Promise.reject(new Error("nobody calls it")) };
    agents.push(
      createAgent({
        store: { ...store, ...lets(store) },
        model,
        home: join(place, "home"),
        policyFor,
        clock: () => (time.now += 1) - back,
      }),
    );
  }
  const [one, other] = agents;
  const [store] = stores;
  if (one === undefined || other === undefined || store === undefined) throw new Error("two of them");
  const { session } = await one.hosted.register({ host: "mcp", hostSession: "run", workspace: join(place, "ws") });
  const access = (call: string, tool: string) => ({ call, tool, operation: "read" as const, path: join(place, "lib/far.txt") });
  return { one, other, store, session: session.id, access };
}

/** A person says yes, once, to what a call asks for. */
async function yesFor(agent: Agent, session: SessionId, access: Parameters<Agent["hosted"]["ask"]>[1]): Promise<void> {
  const asked = await agent.hosted.ask(session, access, null);
  if (asked.state !== "waiting") throw new Error("nobody was asked");
  expect(await agent.answer(asked.ask.id, { verdict: "allow", until: "call", by: "me" })).toMatchObject({ ok: true });
}

test("of two calls that come to two processes at once, a yes for once lets one through, and the other has to ask", async () => {
  const { one, other, store, session, access } = await two();
  for (let round = 0; round < 12; round += 1) {
    await yesFor(one, session, access(`request-${round}`, "request_read_access"));
    const decided = await Promise.all([
      one.hosted.decide(session, access(`one-${round}`, "read_file")),
      other.hosted.decide(session, access(`other-${round}`, "read_file")),
    ]);
    expect(decided.map(({ verdict }) => verdict).toSorted()).toEqual(["allow", "ask"]);
    expect((await one.hosted.decide(session, access(`late-${round}`, "read_file"))).verdict).toBe("ask");
  }
  expect(await store.audit({ reason: "answered" })).toHaveLength(12);
  expect(await store.verifyAudit()).toBeNull();
});

test.each([500, 7_200_000, -500, -86_400_000])("clocks that are %i ms apart make no second use of it", async (behind) => {
  const { one, other, session, access } = await two(undefined, behind);
  await yesFor(one, session, access("request", "request_read_access"));
  const verdicts: string[] = [];
  for (const call of ["a", "b", "c", "d"]) verdicts.push((await other.hosted.decide(session, access(call, "read_file"))).verdict);
  verdicts.push((await one.hosted.decide(session, access("e", "read_file"))).verdict);
  expect(verdicts).toEqual(["allow", "ask", "ask", "ask", "ask"]);
});

test("a decision reads neither the answers, nor the record, nor the transcript of its session", async () => {
  const reads: string[] = [];
  const seen = (store: Store): Partial<Store> => ({
    asks: (filter) => (reads.push(`asks ${JSON.stringify(filter)}`), store.asks(filter)),
    audit: (filter) => (reads.push("audit"), store.audit(filter)),
    transcript: (chat) => (reads.push("transcript"), store.transcript(chat)),
  });
  const { one, session, access } = await two(seen);
  // By a yes for once, and after it was used.
  await yesFor(one, session, access("request", "request_read_access"));
  // The chat that was answered is looked at once more; that is no decision.
  await one.settled();
  reads.length = 0;
  for (const call of ["a", "b", "c"]) await one.hosted.decide(session, access(call, "read_file"));
  expect(reads).toEqual([]);
});

test("without the store's word both would be let through", async () => {
  const naive = (store: Store): Partial<Store> => ({
    async useOnce(_ask, _call, use) {
      await store.record([use]);
      return true;
    },
  });
  const { one, other, session, access } = await two(naive);
  await yesFor(one, session, access("request", "request_read_access"));
  expect((await one.hosted.decide(session, access("one", "read_file"))).verdict).toBe("allow");
  expect((await other.hosted.decide(session, access("other", "read_file"))).verdict).toBe("allow");
});

test("the call that a yes for once was given to goes by it once, however often its name is given, and asking uses nothing", async () => {
  const { one, other, store, session, access } = await two();
  await yesFor(one, session, access("own", "read_file"));
  for (const agent of [one, other])
    expect(await agent.hosted.ask(session, access("own", "read_file"), null)).toEqual({
      state: "done",
      outcome: { ok: true, output: "granted" },
    });
  const verdicts: string[] = [];
  for (const agent of [one, other, one]) verdicts.push((await agent.hosted.decide(session, access("own", "read_file"))).verdict);
  expect(verdicts).toEqual(["allow", "ask", "ask"]);
  expect((await other.hosted.decide(session, access("another", "read_file"))).verdict).toBe("ask");
  expect(await store.audit({ reason: "answered" })).toHaveLength(1);
});

test("of two that make a call again, at two processes at once, one is passed the yes of the first", async () => {
  const { one, other, store, session, access } = await two();
  for (let round = 0; round < 8; round += 1) {
    await yesFor(one, session, access(`given-up-${round}`, "read_file"));
    const decided = await Promise.all([
      one.hosted.decide(session, access(`one-${round}`, "read_file")),
      other.hosted.decide(session, access(`other-${round}`, "read_file")),
    ]);
    expect(decided.map(({ verdict }) => verdict).toSorted()).toEqual(["allow", "ask"]);
    expect((await other.hosted.decide(session, access(`given-up-${round}`, "read_file"))).verdict).toBe("ask");
  }
  expect(await store.audit({ reason: "answered" })).toHaveLength(8);
  // The same of programs that judge for themselves, and act on what they are told.
  await yesFor(one, session, access("given-up", "read_file"));
  const told = await Promise.all([
    one.hosted.ask(session, access("one", "read_file"), null),
    other.hosted.ask(session, access("other", "read_file"), null),
  ]);
  expect(told.map(({ state }) => state).toSorted()).toEqual(["done", "waiting"]);
  const once = await Promise.all(["one", "other", "given-up"].map(async (call) => (await other.hosted.state(session, call)).once));
  expect(once.flat()).toHaveLength(1);
});

test("without the store's word on who keeps it, both would be passed it", async () => {
  const naive = (store: Store): Partial<Store> => ({
    claimOnce: () => Promise.resolve(true),
    async useOnce(_ask, _call, use) {
      await store.record([use]);
      return true;
    },
  });
  const { one, other, session, access } = await two(naive);
  await yesFor(one, session, access("given-up", "read_file"));
  expect((await one.hosted.decide(session, access("one", "read_file"))).verdict).toBe("allow");
  expect((await other.hosted.decide(session, access("other", "read_file"))).verdict).toBe("allow");
});
