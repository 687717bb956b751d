// Any sequence of methods does the same to SQLite and to PostgreSQL: same values, same refusals, same rows afterwards.
// `PARITY_RUNS=1500` looks longer.

import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { testPostgres } from "../../test/support/postgres.ts";
import type { Store, StoredAnswer } from "../agent/ports.ts";
import type { CallState, ChatStatus } from "../agent/transcript.ts";
import { HallpassError } from "../core/errors.ts";
import { askEnds } from "../core/audit.ts";
import { askId, callId, grantId, sessionId } from "../core/names.ts";
import {
  agentMessage,
  closing,
  decision,
  endOf,
  event,
  grantAsk,
  no,
  question,
  someCall,
  someChat,
  someGrant,
  someMount,
  someProject,
  someSaid,
  someSession,
  yes,
} from "../../test/store-conformance/values.ts";
import { createMemoryStore } from "./memory.ts";
import { openPostgresStore } from "./postgres.ts";

afterAll(async () => (await testPostgres()).end());

interface Step {
  readonly says: string;
  readonly take: (store: Store) => Promise<unknown>;
}

// Few names, so that steps meet; now and then one that cannot be stored.
const pick = <const T>(...values: readonly T[]) => fc.constantFrom(...values);
const session = pick("s0", "s0", "s0", "s0", "s1", "s1", "s2", "s1\0").map(sessionId);
const chat = pick("c0", "c0", "c1");
const call = pick("call-0", "call-1", "call-2", "call-3", "call-4", "call-5").map(callId);
const ask = pick(0, 1, 2, 3, 4);
const path = pick("/a", "/a", "/b", "/b", "/c", "/d\ud800");
const at = fc.nat(99);
const status = pick<ChatStatus>("idle", "running", "waiting_for_input", "failed", "archived");
const mounts = fc.array(fc.record({ path, mode: pick("read_only", "extend") }), { maxLength: 2 });
/** Which chat, of which session; the last is not so. */
const homes = ["00", "00", "00", "11", "01"].map(([one, other]) => ({ session: sessionId(`s${one}`), chat: `c${other}` }));
const askOf = (number: number) => askId(`ask-${number}`);
const state = fc.oneof(
  { weight: 4, arbitrary: pick<CallState>({ at: "proposed" }) },
  pick<CallState>({ at: "started" }, { at: "done", outcome: { ok: true, output: 'é"\0' } }),
  ask.map((number): CallState => ({ at: "waiting", ask: askOf(number), kind: "pending_grant" })),
);
const from = fc.subarray(["proposed", "started", "waiting", "done"] as const);
const changes = fc.array(fc.record({ call, to: state }), { maxLength: 2 });

function step<T>(name: string, values: fc.Arbitrary<T>, take: (store: Store, values: T) => Promise<unknown>): fc.Arbitrary<Step> {
  return values.map((given) => ({ says: `${name} ${JSON.stringify(given)}`, take: (store) => take(store, given) }));
}

const steps = fc.oneof(
  step("addProject", fc.record({ id: pick("p0", "p1"), path }), (store, given) => store.addProject(someProject(given))),
  {
    weight: 2,
    arbitrary: step(
      "addSession",
      fc.record({
        id: session,
        host: pick(null, "mcp", "a\0"),
        project: pick(null, null, "p0"),
        parent: fc.option(session),
        allowedReadPaths: fc.array(path),
        mounts,
      }),
      (store, { mounts: given, ...other }) =>
        store.addSession(someSession({ ...other, hostSession: other.host === null ? null : "run" }), given.map(someMount)),
    ),
  },
  step("changeRoots", fc.record({ session, path, mounts }), (store, given) =>
    store.changeRoots(given.session, given.path, given.mounts.map(someMount), [event(1, given.session)]),
  ),
  step("archiveSession", fc.record({ session, at }), (store, given) => store.archiveSession(endOf(given.session, given.at))),
  {
    weight: 2,
    arbitrary: step("addChat", fc.record({ id: chat, session, title: pick("t", "\0") }), (store, given) => store.addChat(someChat(given))),
  },
  step("setStatus", fc.record({ chat, from: fc.subarray(["idle", "running", "archived"] as const), status }), (store, given) =>
    store.setStatus(given.chat, given.from, given.status),
  ),
  {
    weight: 5,
    arbitrary: step(
      "append",
      fc.record({
        chat,
        id: pick(...Array.from({ length: 12 }, (_, number) => `m${number}`)),
        calls: fc.array(fc.record({ call, state }), { maxLength: 3 }),
        status,
      }),
      (store, given) => {
        const calls = given.calls.map((one) => someCall(one.call, { state: one.state, input: { by: one.call } }));
        return store.append(given.chat, agentMessage(given.id, calls), given.status);
      },
    ),
  },
  {
    weight: 2,
    arbitrary: step(
      "say",
      fc.record({ chat, id: pick("m0", "m1", "m\0", "w0", "w1", "w2"), at, asks: fc.array(fc.record({ ask, changes }), { maxLength: 1 }) }),
      (store, { asks: instead, ...given }) =>
        store.say(
          someSaid(given),
          instead.map((one) => closing(one.ask, { ask: askOf(one.ask), why: "withdrawn", calls: one.changes })),
        ),
    ),
  },
  step(
    "rewind",
    fc.record({ chat, message: pick("w0", "w1", "m0"), id: pick("w1", "w2", "m\0"), at, text: pick(null, "x\0") }),
    (store, given) => store.rewind(given.chat, given.message, { id: given.id, at: given.at, text: given.text }),
  ),
  step("deleteChat", fc.record({ chat: pick("c1", "c2"), at }), (store, given) =>
    store.deleteChat(given.chat, given.at, [event(given.at)]),
  ),
  step(
    "searchChats",
    fc.record({ text: pick("look", "T", "w", "\0", "usage"), limit: pick(1, 5) }),
    async (store, given) => (await store.searchChats({ ...given, after: null })).found,
  ),
  step("usage", fc.record({ chat }), (store, given) => store.usage(given.chat)),
  step("hear", fc.record({ chat, status }), (store, given) => store.hear(given.chat, given.status)),
  {
    weight: 3,
    arbitrary: step("setCall", fc.record({ chat, call, from, state }), (store, given) =>
      store.setCall(given.chat, given.call, given.from, given.state),
    ),
  },
  {
    weight: 5,
    arbitrary: step(
      "openAsk",
      fc.record({ ask, at: pick(...homes), calls: fc.array(call, { maxLength: 2 }), isQuestion: fc.boolean() }),
      (store, { ask: number, isQuestion, calls, at: home }) =>
        store.openAsk({ ...(isQuestion ? question(number) : grantAsk(number)), ...home, calls }, [decision(number)]),
    ),
  },
  {
    weight: 2,
    arbitrary: step("joinAsk", fc.record({ ask, call }), (store, given) =>
      store.joinAsk(askOf(given.ask), given.call, '"x\0', [decision(1)]),
    ),
  },
  {
    weight: 4,
    arbitrary: step(
      "answerAsk",
      fc.record({
        ask,
        answer: pick<StoredAnswer>(yes, no, { ...yes, until: "call" }),
        grant: fc.option(
          fc.record({ id: pick("g0", "g1", "g2", "g3").map(grantId), session, path, at, born: pick(null, 0, -1.5, 1e12 + 1 / 3) }),
        ),
        changes,
        events: fc.array(
          at.map((number) => decision(number)),
          { maxLength: 2 },
        ),
      }),
      (store, given) => {
        const grant = given.grant === null ? null : someGrant({ ...given.grant, ask: askOf(given.ask) });
        return store.answerAsk(askOf(given.ask), given.answer, { grant, calls: given.changes, events: given.events });
      },
    ),
  },
  {
    weight: 3,
    arbitrary: step(
      "closeAsks",
      fc.record({ asks: fc.array(fc.record({ ask, why: pick(...askEnds), changes }), { maxLength: 2 }) }),
      (store, given) =>
        store.closeAsks(
          sessionId("s0"),
          given.asks.map(({ ask: number, why, changes: calls }) => closing(number, { ask: askOf(number), why, calls })),
        ),
    ),
  },
  step("revokeGrant", fc.record({ id: pick("g0", "g1", "g2").map(grantId), at }), (store, given) =>
    store.revokeGrant(given.id, given.at, [event(given.at)]),
  ),
  step("onceGrants", fc.record({ session, call: fc.option(call) }), (store, given) => store.onceGrants(given.session, given.call)),
  step("claimOnce", fc.record({ ask, call }), (store, given) => store.claimOnce(askOf(given.ask), given.call)),
  step("useOnce", fc.record({ ask, call, number: at, again: fc.boolean() }), (store, given) =>
    store.useOnce(askOf(given.ask), given.call, decision(given.number, { call: given.call, reason: "answered" }), given.again),
  ),
  step("endOnceGrants", fc.record({ session, at }), (store, given) => store.endOnceGrants(given.session, given.at, "me")),
  step("askInSession", fc.record({ ask }), (store, given) => store.askInSession(askOf(given.ask))),
  step("chatInSession", fc.record({ chat }), (store, given) => store.chatInSession(given.chat)),
  step("addCredential", fc.record({ digest: pick("d0", "d1", "d\0"), session, at }), (store, given) => store.addCredential(given)),
  step("record", fc.record({ number: at, session }), (store, given) => store.record([event(given.number, given.session)])),
);

/** So that most steps find something: two sessions with a chat each, and in it a message with three calls. */
async function begin(store: Store): Promise<void> {
  for (const number of [0, 1]) {
    await store.addSession(someSession({ id: sessionId(`s${number}`) }), []);
    await store.addChat(someChat({ id: `c${number}`, session: sessionId(`s${number}`) }));
    await store.append(`c${number}`, agentMessage("m", [callId("call-0"), callId("call-1"), callId("call-2")]), "running");
  }
}

const outcomeOf = (take: Promise<unknown>): Promise<unknown> =>
  take.catch((error: unknown) => {
    if (error instanceof HallpassError) return { refused: error.code };
    throw error;
  });

async function everything(store: Store): Promise<unknown> {
  return {
    projects: await store.projects(),
    sessions: await Promise.all((await store.sessions()).map(async (one) => [one, await store.mounts(one.id), await store.grants(one.id)])),
    chats: await Promise.all((await store.chats(null)).map(async (one) => [one, await store.transcript(one.id)])),
    said: await store.said(null),
    asks: await store.asks({}),
    open: await store.openAsks(),
    grants: await store.grants(null),
    reads: await store.readsUnder([grantId("grant"), grantId("g0")]),
    credentials: await Promise.all(["d0", "d1", "d\0"].map((digest) => store.credential(digest))),
    hosted: await store.sessionOfHost("mcp", "run", "/home/me/src/app"),
    denied: await store.audit({ verdict: "deny", since: event(50).at, newestFirst: true, limit: 3 }),
    audit: await store.audit({}),
    broken: await store.verifyAudit(),
  };
}

test("SQLite and PostgreSQL cannot be told apart", async () => {
  const took = { runs: 0, steps: 0, done: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40, size: "max" }), async (sequence) => {
      const sqlite = createMemoryStore();
      const postgres = await openPostgresStore({ url: await (await testPostgres()).createSchema(), connections: 2 });
      took.runs += 1;
      try {
        for (const store of [sqlite, postgres]) await begin(store);
        for (const { says, take } of sequence) {
          const expected = await outcomeOf(take(sqlite));
          expect(await outcomeOf(take(postgres)), says).toEqual(expected);
          took.steps += 1;
          if (expected === true || expected === undefined) took.done += 1;
        }
        expect(await everything(postgres)).toEqual(await everything(sqlite));
      } finally {
        await Promise.all([sqlite.close(), postgres.close()]);
      }
    }),
    { numRuns: Number(process.env["PARITY_RUNS"] ?? 20) },
  );
  console.log(`${took.steps} steps in ${took.runs} runs, ${took.done} of them changed something`);
});
