// What an answer costs in the store, against the least that the same database can do durably: one row written and committed. Two real
// stores, as shipped, each with its floor on the same disk in the same run; and a row read by its id against the bare statement.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import pg from "pg";
// @ts-ignore What is built has no types beside it; the next lines give it those of its source.
import * as builtStore from "../dist/store.js";
import type { Store } from "../src/agent/ports.ts";
import { askId, type AskId, callId, grantId, sessionId } from "../src/core/names.ts";
import type * as Stores from "../src/store/index.ts";
import { decision, grantAsk, someChat, someGrant, someSession, agentMessage, yes } from "../test/store-conformance/values.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { runSuite, type Suite } from "./lib/suite.ts";

const { openPostgresStore, openSqliteStore }: typeof Stores = builtStore;

/** Answers in one call of the harness. */
const ANSWERS = 10;
const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-store-")));

try {
  await runSuite("store", async (suite) => {
    await measureSqlite(suite);
    await measurePostgres(suite);
  });
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}

async function measureSqlite(suite: Suite): Promise<void> {
  const store = await openSqliteStore({ file: join(place, "answers/hallpass.db") });
  const bare = new Database(join(place, "bare.db"));
  bare.exec("pragma journal_mode = wal; pragma synchronous = full; create table answers (id integer primary key, text text)");
  const insert = bare.prepare("insert into answers (text) values (?)");
  const select = bare.prepare("select * from answers where id = ?");
  const text = JSON.stringify(grantAsk(0));
  const answers = await stocked(store, stockOf(suite));
  try {
    await suite.run({
      title: "an answer, SQLite",
      anchor: "a durable row",
      operations: ANSWERS,
      by: "calls",
      variants: [
        { name: "a durable row", kind: "async", run: () => times(async () => void insert.run([text])) },
        { name: "an answer with its grant and record", kind: "async", run: () => times(answers) },
      ],
      goals: [
        {
          name: "an answer on SQLite, of a durable row",
          limit: 3,
          variant: "an answer with its grant and record",
          against: "a durable row",
        },
      ],
    });
    const known = askId("ask-0");
    await suite.run({
      title: "an ask by its id, SQLite",
      anchor: "the bare statement",
      operations: 1,
      by: "slices",
      variants: [
        { name: "the bare statement", kind: "async", run: async () => parsedText(select.get([1])) },
        { name: "store.ask", kind: "async", run: () => store.ask(known) },
      ],
      goals: [],
    });
  } finally {
    await store.close();
    bare.close();
  }
}

async function measurePostgres(suite: Suite): Promise<void> {
  const server = await startPostgres({ durable: true });
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  const bare = new pg.Client({ connectionString: await server.createDatabase() });
  await bare.connect();
  await bare.query("create table answers (id bigint generated always as identity primary key, text text)");
  const text = JSON.stringify(grantAsk(0));
  const answers = await stocked(store, stockOf(suite));
  try {
    await suite.run({
      title: "an answer, PostgreSQL",
      anchor: "a durable row",
      operations: ANSWERS,
      by: "calls",
      variants: [
        {
          name: "a durable row",
          kind: "async",
          run: () =>
            times(async () => void (await bare.query({ name: "insert", text: "insert into answers (text) values ($1)", values: [text] }))),
        },
        { name: "an answer with its grant and record", kind: "async", run: () => times(answers) },
      ],
      goals: [
        {
          name: "an answer on PostgreSQL, of a durable row",
          limit: 6,
          variant: "an answer with its grant and record",
          against: "a durable row",
        },
      ],
    });
  } finally {
    await store.close();
    await bare.end();
    await server.end();
  }
}

/** Rounds, warming up and attempts that were void, each with its answers. */
function stockOf({ pace }: Suite): number {
  return ANSWERS * (pace === "quick" ? 12 : 24) * 3;
}

async function times(work: () => Promise<void>): Promise<void> {
  for (let at = 0; at < ANSWERS; at += 1) await work();
}

/** So many sessions with an ask that is open each. Gives what answers the next of them. */
async function stocked(store: Store, count: number): Promise<() => Promise<void>> {
  const open: { readonly ask: AskId; readonly session: ReturnType<typeof sessionId>; readonly number: number }[] = [];
  for (let number = 0; number < count; number += 1) {
    const session = sessionId(`session-${number}`);
    const chat = `chat-${number}`;
    await store.addSession(someSession({ id: session }), []);
    await store.addChat(someChat({ id: chat, session }));
    await store.append(chat, agentMessage("message", [callId(`call-${number}`)]), "running");
    const ask = grantAsk(number, { session, chat });
    await store.openAsk(ask);
    open.push({ ask: ask.id, session, number });
  }
  return async () => {
    const next = open.pop();
    if (next === undefined) throw new Error("there is nothing left to answer");
    const { ask, session, number } = next;
    const grant = someGrant({ id: grantId(`grant-${number}`), ask, session });
    const calls = [{ call: callId(`call-${number}`), to: { at: "done", outcome: { ok: true, output: "granted" } } } as const];
    const events = [decision(number, { session }), decision(number, { session })];
    if (!(await store.answerAsk(ask, yes, { grant, calls, events }))) throw new Error("it was not open");
  };
}

function parsedText(row: unknown): unknown {
  return typeof row === "object" && row !== null && "text" in row && typeof row.text === "string" ? JSON.parse(row.text) : null;
}
