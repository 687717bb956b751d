import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket, connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { startPooler } from "../../test/support/pooler.ts";
import { startPostgres, testPostgres, withClient } from "../../test/support/postgres.ts";
import type { AuditFilter } from "../agent/ports.ts";
import { askId, callId, grantId, sessionId } from "../core/names.ts";
import {
  agentMessage,
  decision,
  endOf,
  event,
  grantAsk,
  no,
  SESSION,
  someChat,
  someGrant,
  someSession,
  yes,
} from "../../test/store-conformance/values.ts";
import { bodyOf } from "./ask-rows.ts";
import { migratePostgres, postgresSchema } from "./migrate-postgres.ts";
import { openStore } from "./open.ts";
import { recordsFound } from "./audit.ts";
import { openPostgresBackend, openPostgresStore } from "./postgres.ts";
import { createSqlStore } from "./sql-store.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-postgres-"));
afterAll(async () => {
  rmSync(sandbox, { recursive: true, force: true });
  await (await testPostgres()).end();
});

const refused = (code: string, message: string): unknown => expect.objectContaining({ code, message: expect.stringContaining(message) });
const newSchema = async (): Promise<string> => (await testPostgres()).createSchema();

test("a page of the record is read by an index, whatever is asked for", async () => {
  const url = await newSchema();
  const backend = await openPostgresBackend({ url, connections: 2 });
  const kinds = Array.from({ length: 4000 }, (_, number) =>
    number % 40 === 0 ? event(number) : decision(number, number % 9 === 0 ? { verdict: "deny" } : {}),
  );
  await createSqlStore(backend).record(kinds);
  await withClient(url, (client) => client.query("analyze audit"));
  const plan = (filter: AuditFilter): Promise<string> =>
    backend.read(async (db) =>
      JSON.stringify(await recordsFound(backend, db, { ...filter, newestFirst: true }, 5).explain("json", sql`costs off`)),
    );
  const sessions: AuditFilter[] = [{}, { session: SESSION }];
  const filters = sessions.flatMap((session) =>
    [{}, { kind: "decision" }, { kind: "answer", verdict: "deny" }, { verdict: "deny" }, { kind: "grant" }].flatMap((kind) =>
      [{}, { since: event(3000).at }, { before: 2000 }].map((when): AuditFilter => ({ ...session, ...(kind as AuditFilter), ...when })),
    ),
  );
  for (const filter of filters) {
    const said = await plan(filter);
    expect(said, JSON.stringify(filter)).not.toMatch(/"Node Type":"Seq Scan"[^{}]*"Relation Name":"audit"/);
    expect(said, JSON.stringify(filter)).toMatch(/"Index Name":"audit_(?:pkey|of_kind|of_session)"/);
  }
  await backend.close();
}, 120_000);

describe("opening", () => {
  test("HALLPASS_DATABASE_URL chooses PostgreSQL, and no file is made", async () => {
    const [databaseUrl, file] = [await newSchema(), join(sandbox, "not-made", "hallpass.db")];
    const store = await openStore({ databaseUrl, file });
    await store.addSession(someSession({ allowedReadPaths: ['/a "b"', "/c,{}"] }), []);
    await store.close();
    expect(existsSync(file)).toBe(false);
    const { rows } = await withClient(databaseUrl, (client) => client.query("select allowed_read_paths from sessions"));
    expect(rows).toEqual([{ allowed_read_paths: ['/a "b"', "/c,{}"] }]);
  });

  test("allowed_read_paths is text[], never null, empty unless told otherwise", async () => {
    const url = await newSchema();
    await (await openPostgresStore({ url })).close();
    const { rows } = await withClient(url, (client) =>
      client.query(
        "select data_type, udt_name, is_nullable, column_default from information_schema.columns where table_schema = current_schema() and column_name = 'allowed_read_paths'",
      ),
    );
    expect(rows).toEqual([{ data_type: "ARRAY", udt_name: "_text", is_nullable: "NO", column_default: "'{}'::text[]" }]);
  });

  test("many that start on an empty database at once all get in, and migrate it once", async () => {
    const url = await newSchema();
    const stores = await Promise.all(Array.from({ length: 12 }, () => openPostgresStore({ url, connections: 2 })));
    for (const store of stores) await store.close();
    const { rows } = await withClient(url, (client) => client.query("select number, name from hallpass_migrations"));
    expect(rows).toEqual([{ number: 1, name: "start" }]);
  });

  test("an ask is found by its index whatever escapes are in it, and what an event says is taken out of it", async () => {
    const url = await newSchema();
    await withClient(url, async (client) => {
      await migratePostgres(client);
      await client.query(
        "insert into sessions (id, workspace, asking, attended, machine, at) values ('session', '/w', 'by-guard', 1, '', 1)",
      );
      await client.query("insert into chats (id, session_id, title, status, at) values ('chat', 'session', '', 'idle', 1)");
      const asks = ["1", "2"].map((id) => ({ id, body: bodyOf({ ...grantAsk(1), words: `\0 "${id}" \ud800` }) }));
      for (const { id, body } of asks)
        await client.query(
          `insert into asks (id, session_id, chat_id, kind, state, at, calls, requested, body, answer)
           values ($1, 'session', 'chat', 'pending_grant', 'answered', 1, '["c"]', '["/a"]', $2, $3)`,
          [id, body, JSON.stringify(id === "1" ? yes : { ...no, note: "\0" })],
        );
      await client.query("select hallpass_record($1)", [[JSON.stringify(decision(1))]]);
    });
    const store = await openPostgresStore({ url });
    await store.record([decision(2)]);
    expect((await store.earlierAsks({ ...grantAsk(1), session: SESSION, at: 9 }, 5)).map(({ id }) => id)).toEqual(["2", "1"]);
    expect((await store.asks({ chat: "chat", deniedSince: 0 })).map(({ id }) => id)).toEqual(["2"]);
    expect((await store.audit({ kind: "decision", session: SESSION })).map(({ sequence }) => sequence)).toEqual([1, 2]);
    await store.close();
    await withClient(url, async (client) => {
      const forged = "insert into audit (sequence, event, hash, kind, session_id) values (3, $1, $2, 'forged', 'forged')";
      await expect(client.query(forged, ["[]", "0".repeat(64)])).rejects.toThrow("a record is an object");
      await client.query(forged, [JSON.stringify(decision(3)), "0".repeat(64)]);
      const { rows } = await client.query("select kind, session_id from audit where sequence = 3");
      expect(rows).toEqual([{ kind: "decision", session_id: SESSION }]);
      // As a maintenance of the database sees it: without a schema to look through.
      await client.query("set search_path = pg_catalog");
      const [schema] = /test_\d+/.exec(url) ?? [];
      await client.query(`analyze ${schema}.asks`);
      await client.query(`reindex table ${schema}.asks`);
    });
  });

  test("a newer version's and another program's database are refused and left as they are", async () => {
    const [newer, other] = [await newSchema(), await newSchema()];
    await (await openPostgresStore({ url: newer })).close();
    await withClient(newer, (client) => client.query("insert into hallpass_migrations values (99, 'later', 'x')"));
    await expect(openPostgresStore({ url: newer })).rejects.toEqual(refused("io-error", "a newer version of hallpass"));
    await withClient(other, (client) => client.query("create table bookmarks (url text)"));
    await expect(openPostgresStore({ url: other })).rejects.toEqual(refused("io-error", "another program"));
  });

  test("what is wrong with the address is said, without the address", async () => {
    const { port } = await testPostgres();
    const failure = async (url: string): Promise<{ code: string; message: string }> => {
      const error: unknown = await openPostgresStore({ url }).catch((thrown: unknown) => thrown);
      expect(JSON.stringify(error instanceof Error ? error.message : error)).not.toContain("letmein");
      return error as { code: string; message: string };
    };
    expect(await failure("postgres://hallpass:letmein@127.0.0.1:9/none")).toEqual(refused("io-error", "cannot be reached"));
    expect(await failure(`postgres://hallpass:letmein@127.0.0.1:${port}/none`)).toEqual(refused("io-error", "does not exist"));
    expect(await failure(`postgres://nobody:letmein@127.0.0.1:${port}/postgres`)).toEqual(refused("io-error", "refuses the login"));
  });
});

describe("the schema", () => {
  test("a pooler that shares connections between transactions is refused, with what to do", async () => {
    const url = await newSchema();
    for (const shared of [1, 2, 5]) {
      const pooler = await startPooler(url, shared);
      // Also where the pool has one connection: the check must not wait for another.
      for (const connections of [1, 10])
        await expect(openPostgresStore({ url: pooler.url, connections })).rejects.toEqual(refused("io-error", "`pool_mode = session`"));
      await pooler.end();
    }
    const { rows } = await withClient(url, (client) =>
      client.query("select 1 from pg_tables where tablename = 'hallpass_migrations' and schemaname = current_schema()"),
    );
    expect(rows, "nothing was made through it").toEqual([]);
    for (const connections of [1, 2]) await (await openPostgresStore({ url, connections })).close();
  });

  test("the dump is what the migrations make, and makes the same again", async () => {
    const dump = readFileSync(resolve(import.meta.dirname, "../../migrations/schema.postgres.sql"), "utf8");
    const migrated = await withClient(await newSchema(), async (client) => {
      await migratePostgres(client);
      return postgresSchema(client);
    });
    expect(dump.endsWith(`\n\n${migrated}`), "run `npm run db:schema` and commit what it writes").toBe(true);
    const restored = await withClient(await newSchema(), async (client) => {
      await client.query(dump);
      return postgresSchema(client);
    });
    expect(restored).toBe(migrated);
  });

  test.each([
    ["a path twice", `update sessions set allowed_read_paths = '{/a,/b,/a}'`],
    ["a path that is null", `update sessions set allowed_read_paths = '{null}'`],
    ["no paths at all", `update sessions set allowed_read_paths = null`],
    ["paths of an archived session", `update sessions set archived_at = 1, allowed_read_paths = '{/a}'`],
    ["a status that is none", "update chats set status = 'busy'"],
    ["a waiting call without an ask", "update tool_calls set ask_id = null"],
    ["a done call without an output", "update tool_calls set state = 'done', kind = null, ask_id = null"],
    ["an answered ask without an answer", "update asks set state = 'answered'"],
    ["calls that are no list", "update asks set calls = '{}'"],
    ["a body that is no JSON", "update asks set body = 'x'"],
    ["the record emptied", "truncate audit"],
    ["the head emptied", "truncate audit_head"],
    ["a second head", "insert into audit_head values (2, 0, '')"],
    ["a kind of its own for an event", "update audit set kind = 'x'"],
  ])("refuses %s", async (_what, statement) => {
    const url = await newSchema();
    const store = await openPostgresStore({ url, connections: 2 });
    await store.addSession(someSession(), []);
    await store.addChat(someChat());
    await store.append("chat", agentMessage("message", [callId("call-0")]), "running");
    await store.openAsk(grantAsk(0));
    await store.record([event(1)]);
    await store.close();
    await expect(withClient(url, (client) => client.query(statement))).rejects.toThrow();
  });

  test("paths as long as the system allows are stored, found and unique", async () => {
    const store = await openPostgresStore({ url: await newSchema(), connections: 2 });
    const units = Array.from({ length: 1000 }, (_, number) => `${(number * 7919) % 10_000}`.padStart(4, "0"));
    const long = `/${units.join("")}`;
    await store.addProject({ id: "p", path: long, name: "p", at: 1 });
    await expect(store.addProject({ id: "q", path: long, name: "p", at: 1 })).rejects.toEqual(refused("bad-request", "the id is taken"));
    await store.addSession(someSession({ workspace: long, host: "mcp", hostSession: units.join(" "), allowedReadPaths: [long] }), [
      { session: SESSION, path: long, mode: "extend" },
    ]);
    expect((await store.sessionOfHost("mcp", units.join(" "), long))?.id).toBe(SESSION);
    await store.close();
  });

  test("an event with a NUL in one field is still found by the others, and one in its session by that", async () => {
    const store = await openPostgresStore({ url: await newSchema(), connections: 2 });
    await store.record([
      decision(1, { requested: '\0\ud800\\u0000\\\\"😀', fault: "\\" }),
      decision(2, { session: sessionId("a\0b"), grant: null }),
      decision(3, { session: sessionId("a\\b"), reason: "\\u0000x" }),
    ]);
    const found = async (filter: Parameters<typeof store.audit>[0]) => (await store.audit(filter)).map(({ sequence }) => sequence);
    expect(await found({ grant: grantId("grant") })).toEqual([1, 3]);
    expect(await found({ session: sessionId("a\0b") })).toEqual([2]);
    expect(await found({ session: sessionId("a\\b"), reason: "\\u0000x" })).toEqual([3]);
    expect((await store.audit({}))[0]?.event).toEqual(decision(1, { requested: '\0\ud800\\u0000\\\\"😀', fault: "\\" }));
    expect(await store.verifyAudit()).toBeNull();
    await store.close();
  });
});

describe("several instances", () => {
  test("sessions do not wait for each other, and one session's changes go one after the other", async () => {
    const url = await newSchema();
    const store = await openPostgresStore({ url, patience: 300 });
    for (const id of ["one", "other"]) {
      await store.addSession(someSession({ id: sessionId(id) }), []);
      await store.addChat(someChat({ id, session: sessionId(id) }));
    }
    await withClient(url, async (client) => {
      await client.query("begin; select 1 from sessions where id = 'one' for update");
      await store.append("other", agentMessage("message", []), "running");
      const late = store.append("one", agentMessage("message", []), "running");
      await expect(late).rejects.toEqual(refused("timeout", "holds the store for too long"));
      // Where a chat stands is one row, and waits for nothing else.
      expect(await store.setStatus("one", ["idle"], "failed")).toBe(true);
      await client.query("commit");
    });
    await store.append("one", agentMessage("message", []), "running");
    expect((await store.chat("one"))?.status).toBe("running");
    await store.close();
  });

  test("answers, revocations and archiving from three instances at once collide without a deadlock and make one chain", async () => {
    const url = await newSchema();
    const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore({ url, connections: 4 })));
    const [first] = stores;
    if (first === undefined) throw new Error("no store");
    for (let number = 0; number < 6; number++) {
      const session = sessionId(`s${number}`);
      await first.addSession(someSession({ id: session }), []);
      await first.addChat(someChat({ id: `c${number}`, session }));
      await first.append(`c${number}`, agentMessage("m", [callId(`call-${number}`)]), "running");
      await first.openAsk(grantAsk(number, { session, chat: `c${number}` }));
    }
    const begun = performance.now();
    const won = await Promise.all(
      stores.flatMap((store, instance) =>
        Array.from({ length: 6 }, async (_, number) => {
          const [ask, session] = [askId(`ask-${number}`), sessionId(`s${number}`)];
          const grant = someGrant({ id: grantId(`g${number}-${instance}`), ask, session });
          const answered = await store.answerAsk(ask, yes, { grant, calls: [], events: [event(number, session)] });
          await store.revokeGrant(grant.id, 9, [event(100 + number, session)]);
          await store.archiveSession(endOf(session, 10));
          return answered;
        }),
      ),
    );
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(won.filter((one) => one).length).toBeLessThanOrEqual(6);
    const records = await first.audit({ kind: "answer" });
    expect(records.filter(({ event: { at } }) => at < event(100).at)).toHaveLength(won.filter((one) => one).length);
    expect(await first.verifyAudit()).toBeNull();
    expect(await first.grants(null)).toEqual([]);
    for (const store of stores) await store.close();
  });
});

describe("when PostgreSQL goes away", () => {
  test.each(["crash", "fast"] as const)(
    "a restart (%s) is waited for: nothing acknowledged is lost, nothing is done twice",
    async (how) => {
      const postgres = await startPostgres();
      try {
        const store = await openPostgresStore({ url: await postgres.createDatabase(), connections: 4, patience: 15_000 });
        await store.addSession(someSession(), []);
        const acknowledged = new Set<number>();
        const unknown = new Set<number>();
        const going = { on: true };
        const writers = [0, 1, 2].map(async (writer) => {
          for (let number = writer; going.on; number += 3) {
            try {
              await store.record([event(number)]);
              acknowledged.add(event(number).at);
            } catch (error) {
              // The only fault there may be: it is not known whether the last commit was done.
              expect(error).toEqual(refused("io-error", "look whether it was"));
              unknown.add(event(number).at);
            }
          }
        });
        for (let round = 0; round < 2; round++) {
          await sleep(150);
          await postgres.stop(how);
          await sleep(100);
          await postgres.start();
        }
        await sleep(150);
        going.on = false;
        await Promise.all(writers);
        const stored = (await store.audit({})).map(({ event: { at } }) => at);
        expect(new Set(stored).size).toBe(stored.length);
        expect([...acknowledged].filter((at) => !stored.includes(at))).toEqual([]);
        expect(stored.filter((at) => !acknowledged.has(at) && !unknown.has(at))).toEqual([]);
        expect(await store.verifyAudit()).toBeNull();
        console.log(`${how}: ${acknowledged.size} acknowledged, ${unknown.size} not known`);
        await store.close();
      } finally {
        await postgres.end();
      }
    },
  );

  test.each([
    ["a yes, done when the connection went", { isDone: true, isYes: true }],
    ["a yes, not done", { isDone: false, isYes: true }],
    ["a no, not done", { isDone: false, isYes: false }],
  ])("an answer of which no answer came is found out, and is there once: %s", async (_what, { isDone, isYes }) => {
    const { stores, proxy, end } = await asked();
    proxy.lose(isDone ? "answers" : "questions");
    const effects = { grant: isYes ? someGrant() : null, calls: [], events: [event(1)] };
    expect(await stores.behind.answerAsk(askId("ask-0"), isYes ? yes : no, effects)).toBe(true);
    expect(await stores.direct.grants(SESSION)).toHaveLength(isYes ? 1 : 0);
    expect(await stores.direct.audit({})).toHaveLength(1);
    expect(await stores.direct.answerAsk(askId("ask-0"), yes, { grant: null, calls: [], events: [] })).toBe(false);
    await end();
  });

  test("a no of which no answer came and that may be another's is said not to be known, and somebody else's is not ours", async () => {
    const first = await asked();
    first.proxy.lose("answers");
    await expect(first.stores.behind.answerAsk(askId("ask-0"), no, { grant: null, calls: [], events: [] })).rejects.toEqual(
      refused("io-error", "look whether it was"),
    );
    await first.end();
    const second = await asked();
    second.proxy.lose("everything");
    const answers = second.stores.behind.answerAsk(askId("ask-0"), no, { grant: null, calls: [], events: [event(1)] });
    expect(await second.stores.direct.answerAsk(askId("ask-0"), yes, { grant: null, calls: [], events: [event(2)] })).toBe(true);
    second.proxy.lose("nothing");
    expect(await answers).toBe(false);
    expect((await second.stores.direct.audit({})).map((one) => one.event)).toEqual([event(2)]);
    await second.end();
  });

  test("a grant that cannot be leaves the ask open: nothing of its answer is stored", async () => {
    const { stores, end } = await asked();
    const grant = someGrant({ session: sessionId("other") });
    await expect(stores.direct.answerAsk(askId("ask-0"), yes, { grant, calls: [], events: [event(1)] })).rejects.toEqual(
      refused("wrong-session", "for the session and the ask"),
    );
    expect((await stores.direct.ask(askId("ask-0")))?.state).toBe("open");
    expect(await stores.direct.audit({})).toEqual([]);
    await end();
  });

  test("one that stays away is an error with a sentence, and when it is back everything works again", async () => {
    const postgres = await startPostgres();
    try {
      const store = await openPostgresStore({ url: await postgres.createDatabase(), patience: 200 });
      await store.addSession(someSession(), []);
      await postgres.stop();
      await expect(store.sessions()).rejects.toEqual(refused("io-error", "PostgreSQL cannot be reached"));
      await expect(store.record([event(1)])).rejects.toMatchObject({ code: "io-error" });
      // Idle connections have been told that it stops; nobody listened, and the process lives.
      await sleep(100);
      await postgres.start();
      expect(await store.sessions()).toEqual([someSession()]);
      await store.record([event(2)]);
      await store.close();
    } finally {
      await postgres.end();
    }
  });

  test("an instance that stalls in the middle of a transaction does not hold up the others for long", async () => {
    const postgres = await testPostgres();
    const url = await postgres.createSchema();
    const proxy = await pausable(postgres.port);
    const stalling = await openPostgresStore({ url: url.replace(`:${postgres.port}/`, `:${proxy.port}/`), connections: 2, patience: 500 });
    const store = await openPostgresStore({ url, connections: 2, patience: 5000 });
    await store.addSession(someSession(), []);
    await store.addChat(someChat());
    const going = { on: true };
    const busy = (async () => {
      for (let number = 0; going.on; number++) await stalling.record([event(number)]).catch(() => {});
    })();
    await sleep(100);
    proxy.pause();
    const begun = performance.now();
    await store.record([event(10_000)]);
    expect(performance.now() - begun).toBeLessThan(3000);
    going.on = false;
    proxy.resume();
    await busy;
    expect(await store.verifyAudit()).toBeNull();
    for (const one of [stalling, store]) await one.close();
    proxy.close();
  });
});

/** One open ask; a store beside the proxy, and one behind it with a single connection, warm. */
async function asked() {
  const postgres = await testPostgres();
  const url = await postgres.createSchema();
  const proxy = await losing(postgres.port);
  const direct = await openPostgresStore({ url, connections: 2 });
  const behind = await openPostgresStore({ url: url.replace(`:${postgres.port}/`, `:${proxy.port}/`), connections: 1 });
  await direct.addSession(someSession(), []);
  await direct.addChat(someChat());
  await direct.append("chat", agentMessage("message", [callId("call-0")]), "running");
  await direct.openAsk(grantAsk(0));
  expect(await behind.openAsks()).toBe(1);
  return {
    stores: { direct, behind },
    proxy,
    end: async () => {
      for (const store of [direct, behind]) await store.close();
      proxy.close();
    },
  };
}

type Lost = "questions" | "answers" | "everything" | "nothing";

/** A TCP proxy that is told to lose the next question, or the answer to it, and cuts the connection then; or everything, until told so. */
async function losing(to: number): Promise<{ port: number; lose(what: Lost): void; close(): void }> {
  const sockets = new Set<Socket>();
  const told: { lose: Lost } = { lose: "nothing" };
  const server: Server = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    const cut = (): void => {
      if (told.lose !== "everything") told.lose = "nothing";
      for (const socket of [near, far]) socket.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    near
      .on("data", (data) => (told.lose === "questions" || told.lose === "everything" ? cut() : far.write(data)))
      .on("end", () => far.end());
    far.on("data", (data) => (told.lose === "answers" ? cut() : near.write(data))).on("end", () => near.end());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : 0,
    lose: (what) => void (told.lose = what),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A TCP proxy that stops carrying anything when it is told to. */
async function pausable(to: number): Promise<{ port: number; pause(): void; resume(): void; close(): void }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    near.on("data", (data) => far.write(data)).on("end", () => far.end());
    far.on("data", (data) => near.write(data)).on("end", () => near.end());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : 0,
    pause: () => sockets.forEach((socket) => socket.pause()),
    resume: () => sockets.forEach((socket) => socket.resume()),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
