// The server: an answer until its grant is on the disk and the chat goes on, in milliseconds, beside a bare POST that is echoed; a
// store of ten thousand sessions against one of ten, and a session with ten thousand answers against a new one; an event to a thousand sockets against a thousand raw writes; and what the daemon
// holds when nobody uses it. Taken from the source, like the sandbox, since the server has no entry point of its own; the stores as shipped.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request as httpRequest } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
// @ts-ignore What is built has no types beside it; the next lines give it those of its source.
import * as builtStore from "../dist/store.js";
import type { Model, Store } from "../src/agent/ports.ts";
import { sessionId } from "../src/core/names.ts";
import { assemble, type AssembledServer, type AssembleOptions } from "../src/server/assemble.ts";
import { openLeases } from "../src/server/leases.ts";
import { listen } from "../src/server/listen.ts";
import { silentLog } from "../src/server/log.ts";
import { packet } from "../src/server/packet.ts";
import { createSockets } from "../src/server/socket.ts";
import type * as Stores from "../src/store/index.ts";
import { openPostgresSignals } from "../src/store/postgres-signals.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { runSuite, type Suite } from "./lib/suite.ts";

const { createMemoryStore, openPostgresStore, openSqliteStore }: typeof Stores = builtStore;

const BODY = JSON.stringify({ decision: "allow" });
const TOKEN = "B".repeat(43);
/** Answers in one call of the harness, and sockets that hear one event. */
const ANSWERS = 10;
const SOCKETS = 1000;
const SESSIONS = 10_000;
const ASKS = 100_000;
const ANSWERED = 10_000;

const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-server-")));
mkdirSync(join(place, "home/.config/hallpass"), { recursive: true });
mkdirSync(join(place, "ws"));
mkdirSync(join(place, "lib/.git"), { recursive: true });
writeFileSync(join(place, "lib/far.txt"), "far\n");
writeFileSync(join(place, "home/.config/hallpass/policy.json"), JSON.stringify({ ceilings: [place] }));

try {
  await runSuite("server", async (suite) => {
    await measureAnswers(suite);
    await measureGrowth(suite);
    await measureDecisions(suite);
    await measureFanOut(suite);
  });
  await idle();
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}

// ── An answer ──

interface Answering {
  /** Nanoseconds from the answer's first byte until the chat goes on. Returns when whoever answered has been told, too. */
  readonly answer: () => Promise<number>;
  readonly close: () => Promise<void>;
}

async function measureAnswers(suite: Suite): Promise<void> {
  // Rounds, warming up and attempts that were void, each with its answers.
  const stock = ANSWERS * (suite.pace === "quick" ? 12 : 24) * 3;
  const echo = await echoing();
  const postgres = await startPostgres({ durable: true });
  const url = await postgres.createDatabase();
  const memory = await answering({ store: createMemoryStore(), storeKind: "memory" }, stock);
  const sqlite = await answering(
    { store: await openSqliteStore({ file: join(place, "answers/hallpass.db") }), storeKind: "sqlite" },
    stock,
  );
  const pg = await answering(
    {
      store: await openPostgresStore({ url }),
      storeKind: "postgres",
      shared: { signals: await openPostgresSignals({ url }), leases: await openLeases({ url, log: silentLog, machine: "local" }) },
    },
    stock,
  );
  const many = (work: () => Promise<void>) => async (): Promise<void> => {
    for (let at = 0; at < ANSWERS; at += 1) await work();
  };
  const sum = (work: () => Promise<number>) => async (): Promise<number> => {
    let nanoseconds = 0;
    for (let at = 0; at < ANSWERS; at += 1) nanoseconds += await work();
    return nanoseconds;
  };
  try {
    await suite.run({
      title: "allow, stored, resumed",
      anchor: "POST echo",
      operations: ANSWERS,
      by: "calls",
      variants: [
        { name: "POST echo", kind: "async", run: many(echo.post) },
        { name: "hallpass, memory", kind: "self-timed", run: sum(memory.answer) },
        { name: "hallpass, SQLite", kind: "self-timed", run: sum(sqlite.answer) },
        { name: "hallpass, PostgreSQL", kind: "self-timed", run: sum(pg.answer) },
      ],
      // See docs/decisions/0013.
      goals: [
        { name: "allow → stored → resumed on SQLite, in ms", limit: 5, variant: "hallpass, SQLite" },
        { name: "allow → stored → resumed on PostgreSQL, in ms", limit: 10, variant: "hallpass, PostgreSQL" },
      ],
    });
  } finally {
    for (const one of [memory, sqlite, pg]) await one.close();
    echo.close();
    await postgres.end();
  }
}

/** A server with so many chats that wait for a yes. One answer: until it is answered and the model is called again with it. */
async function answering(stores: Pick<AssembleOptions, "store" | "storeKind" | "shared">, stock: number): Promise<Answering> {
  const resumed = new Map<string, () => void>();
  const model: Model = {
    name: "bench/waits",
    async turn({ transcript }, { signal }) {
      const [first] = transcript;
      if (transcript.every(({ role }) => role !== "agent"))
        return {
          text: "",
          calls: [{ id: "c", name: "request_read_access", input: { path: join(place, "lib/far.txt"), reason: "to see" } }],
          usage: null,
        };
      resumed.get(first?.role === "person" ? first.text : "")?.();
      // What comes after is not measured, and must not be in the way of what is.
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
      throw new Error("aborted");
    },
  };
  const server = await assembled({ ...stores, model });
  const { port, close } = await served(server);
  const waiting: { readonly ask: string; readonly text: string }[] = [];
  for (let at = 0; at < stock; at += 1) {
    const session = await server.agent.newSession({ workspace: join(place, "ws") });
    const chat = await server.agent.newChat(session.id);
    await server.agent.hear(chat.id, `look ${at}`);
  }
  while (server.agent.runs > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const ask of await server.store.asks({ state: "open" })) {
    const [first] = await server.store.transcript(ask.chat);
    waiting.push({ ask: ask.id, text: first?.role === "person" ? first.text : "" });
  }
  if (waiting.length !== stock) throw new Error(`${waiting.length} chats wait, not ${stock}`);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    async answer() {
      const next = waiting.pop();
      if (next === undefined) throw new Error("there is nothing left to answer");
      const began = process.hrtime.bigint();
      const goesOn = new Promise<bigint>((resolve) => resumed.set(next.text, () => resolve(process.hrtime.bigint())));
      const [said, ended] = await Promise.all([post(agent, port, `/api/asks/${next.ask}/answer`, BODY), goesOn]);
      if (!said.includes('"granted"') && !said.includes('"state":"answered"')) throw new Error(`not answered: ${said}`);
      resumed.delete(next.text);
      return Number(ended - began);
    },
    async close() {
      agent.destroy();
      await close();
    },
  };
}

async function echoing(): Promise<{ readonly post: () => Promise<void>; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body: unknown = JSON.parse(Buffer.concat(pieces).toString());
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    async post() {
      if ((await post(agent, port, "/echo", BODY)) !== BODY) throw new Error("it is no echo");
    },
    close() {
      agent.destroy();
      server.close();
    },
  };
}

function post(agent: Agent, port: number, path: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        agent,
        host: "127.0.0.1",
        port,
        path,
        method: "POST",
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body), authorization: `Bearer ${TOKEN}` },
      },
      (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        incoming.on("end", () => resolve(text));
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

// ── A large store ──

async function measureGrowth(suite: Suite): Promise<void> {
  const small = await grown(10, 100);
  const large = await grown(SESSIONS, ASKS);
  const reads = async (server: AssembledServer, path: string): Promise<void> => {
    const response = await server.app.fetch(new Request(`http://bench${path}`, { headers: { authorization: `Bearer ${TOKEN}` } }));
    const asks: unknown = await response.json();
    if (!Array.isArray(asks) || asks.length !== 10) throw new Error(`not ten open asks: ${JSON.stringify(asks).slice(0, 200)}`);
  };
  const judges = async ({ server, session }: Awaited<ReturnType<typeof grown>>): Promise<void> => {
    const response = await server.app.fetch(
      new Request(`http://bench/api/sessions/${session}/explain`, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify({ path: join(place, "lib/far.txt") }),
      }),
    );
    const text = await response.text();
    if (!text.includes('"verdict":"ask"')) throw new Error(`not judged: ${text.slice(0, 200)}`);
  };
  try {
    await suite.run({
      title: `${SESSIONS} sessions, ${ASKS} asks`,
      anchor: "ten: open asks",
      operations: 1,
      by: "long-slices",
      variants: [
        { name: "ten: open asks", kind: "async", run: () => reads(small.server, "/api/asks?state=open") },
        { name: "many: open asks", kind: "async", run: () => reads(large.server, "/api/asks?state=open") },
        { name: "ten: a judgement", kind: "async", run: () => judges(small) },
        { name: "many: a judgement", kind: "async", run: () => judges(large) },
      ],
      goals: [
        { name: "the open asks of many, of ten", limit: 2, variant: "many: open asks", against: "ten: open asks" },
        { name: "a judgement among many, of ten", limit: 2, variant: "many: a judgement", against: "ten: a judgement" },
      ],
    });
  } finally {
    for (const { server } of [small, large]) await server.close();
  }
}

/** A store with so many sessions and answered asks, and ten that are open: one of each made by the program, the rest copies of it. */
async function grown(sessions: number, asks: number): Promise<{ readonly server: AssembledServer; readonly session: string }> {
  const file = join(place, `grown-${sessions}/hallpass.db`);
  const store = await openSqliteStore({ file });
  const model: Model = {
    name: "bench/asks",
    turn: () =>
      Promise.resolve({
        text: "",
        calls: [{ id: "c", name: "request_read_access", input: { path: join(place, "lib/far.txt"), reason: "x" } }],
        usage: null,
      }),
  };
  const server = await assembled({ store, storeKind: "sqlite", model, asksPerMinute: 1000 });
  const opened: string[] = [];
  for (let at = 0; at < 10; at += 1) {
    const { id } = await server.agent.newSession({ workspace: join(place, "ws") });
    opened.push(id);
    const chat = await server.agent.newChat(id);
    await server.agent.say(chat.id, "look");
  }
  await multiply(store, file, sessions, asks);
  return { server, session: opened[5] ?? "" };
}

/** Adds copies of a table's first row: `changes` has what is another thing in each, as SQL with its number `i`. */
function copierOf(db: InstanceType<typeof Database>) {
  const columns = (table: string): readonly string[] =>
    db
      .prepare(`select name from pragma_table_info('${table}')`)
      .all()
      .map((row) => String((row as { name: string }).name))
      .filter((name) => name !== "sequence");
  return (table: string, changes: Readonly<Record<string, string>>, count: number): void => {
    const names = columns(table);
    const values = names.map((name) => changes[name] ?? `t.${name}`);
    db.exec(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
       insert into ${table} (${names.join(", ")}) select ${values.join(", ")} from n, (select * from ${table} limit 1) t`,
    );
  };
}

async function multiply(store: Store, file: string, sessions: number, asks: number): Promise<void> {
  const db = new Database(file);
  const copy = copierOf(db);
  const answer = JSON.stringify({ verdict: "deny", by: "bench", at: 1, note: null, stop: false }).replaceAll("'", "''");
  const answeredAsks = (name: string, session: string, chat: string, count: number): void =>
    copy("asks", { id: `'${name}-' || i`, session_id: session, chat_id: chat, state: "'answered'", answer: `'${answer}'`, at: "1" }, count);
  db.exec("pragma synchronous = off; pragma foreign_keys = off; begin");
  // Ten in each of the ten sessions, in both stores: what is looked at is the same, what lies around it is not.
  const nth = (table: string): string => `(select id from ${table} where sequence = 1 + i % 10)`;
  answeredAsks("near", nth("sessions"), nth("chats"), 100);
  if (sessions > 10) {
    copy("sessions", { id: "'session-' || i", host_session: "null" }, sessions - 10);
    copy("chats", { id: "'chat-' || i", session_id: "'session-' || i", status: "'idle'" }, sessions - 10);
    const others = `(1 + i % ${sessions - 10})`;
    answeredAsks("far", `'session-' || ${others}`, `'chat-' || ${others}`, asks - 100);
  }
  db.exec("commit; pragma wal_checkpoint(truncate)");
  db.close();
  if ((await store.session(sessionId(sessions > 10 ? "session-1" : "none"))) === null && sessions > 10)
    throw new Error("nothing was copied");
}

// ── A long session ──

/** A recorded decision in a session in which so much was answered before, against one in a new session of the same store. */
async function measureDecisions(suite: Suite): Promise<void> {
  const file = join(place, "decisions/hallpass.db");
  const server = await assembled({ store: await openSqliteStore({ file }), storeKind: "sqlite" });
  const send = async (token: string, path: string, body: object): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await server.app.fetch(new Request(`http://bench${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
    return response.text();
  };
  const register = async (hostSession: string): Promise<string> => {
    const said = await send(TOKEN, "/api/agents/register", { host: "bench", hostSession, workspace: join(place, "ws") });
    return /"credential":"([^"]+)"/.exec(said)?.[1] ?? "";
  };
  const access = { tool: "Read", operation: "read", path: join(place, "lib/far.txt") };
  let calls = 0;
  const decides = (credential: string) => async (): Promise<void> => {
    const said = await send(credential, "/api/agent/decide", { ...access, call: `call-${(calls += 1)}` });
    if (!said.includes('"verdict":"ask"')) throw new Error(`not judged: ${said.slice(0, 200)}`);
  };
  try {
    const [old, fresh] = [await register("old"), await register("new")];
    const asked = await send(old, "/api/agent/asks", { ...access, call: "first", reason: null });
    const id = /"id":"([^"]+)"/.exec(asked)?.[1] ?? "";
    await send(TOKEN, `/api/asks/${id}/answer`, { decision: "deny" });
    const db = new Database(file);
    // Every other one a no, and a yes for once that was used.
    const once = JSON.stringify({ verdict: "allow", until: "call", by: "bench", at: 1 });
    db.exec("pragma synchronous = off; begin");
    copierOf(db)(
      "asks",
      { id: "'copy-' || i", at: "1", answer: `iif(i % 2, t.answer, '${once}')`, used_by: "iif(i % 2, null, 'used-' || i)" },
      ANSWERED,
    );
    db.exec("commit; pragma wal_checkpoint(truncate)");
    db.close();
    await suite.run({
      title: `a recorded decision, after ${ANSWERED} answers`,
      anchor: "in a new session",
      operations: 1,
      by: "long-slices",
      variants: [
        { name: "in a new session", kind: "async", run: decides(fresh) },
        { name: "in a long session", kind: "async", run: decides(old) },
      ],
      goals: [
        {
          name: `a decision after ${ANSWERED} answers, of one in a new session`,
          limit: 1.1,
          variant: "in a long session",
          against: "in a new session",
        },
      ],
    });
  } finally {
    await server.close();
  }
}

// ── Fan-out ──

async function measureFanOut(suite: Suite): Promise<void> {
  const server = await assembled({ store: createMemoryStore(), storeKind: "memory" });
  const { port, close } = await served(server);
  const session = await server.agent.newSession({ workspace: join(place, "ws") });
  const chat = await server.agent.newChat(session.id);
  const text = "x".repeat(160);
  const heard = await listeners(port, chat.id);
  const raw = await rawSockets();
  // As long as the hub's own message, to the byte that its number takes.
  const frame = { type: "text_delta", chat: chat.id, message: "m", text, cursor: `${"e".repeat(12)}.10000` };
  const bytes = Buffer.from(packet(JSON.stringify(frame)).bytes());
  try {
    await suite.run({
      title: `an event to ${SOCKETS} sockets`,
      anchor: "raw TCP",
      operations: 1,
      by: "calls",
      variants: [
        { name: "raw TCP", kind: "async", run: () => raw.write(bytes) },
        {
          name: "hallpass",
          kind: "async",
          run: () => heard.next(() => server.hub.heard({ type: "text-delta", chat: chat.id, message: "m", text })),
        },
      ],
      goals: [{ name: `an event to ${SOCKETS} sockets, of raw writes`, limit: 1.2, variant: "hallpass", against: "raw TCP" }],
    });
  } finally {
    raw.close();
    heard.close();
    await close();
  }
}

/** Clients that do the handshake and from then on only look whether something came: both sides of the comparison read alike. */
async function listeners(
  port: number,
  chat: string,
): Promise<{ readonly next: (work: () => void) => Promise<void>; readonly close: () => void }> {
  const sockets: Socket[] = [];
  const counter = arrivals();
  for (let at = 0; at < SOCKETS; at += 1) {
    const socket = connect(port, "127.0.0.1").setNoDelay(true);
    sockets.push(socket);
    const hello = `GET /api/socket HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;
    socket.write(hello);
    await once(socket, "data");
    socket.write(masked(JSON.stringify({ type: "subscribe", chats: [chat], after: null })));
    await new Promise<void>((resolve) => {
      let text = "";
      const look = (data: Buffer): void => {
        text += data.toString("latin1");
        if (!text.includes('"live"')) return;
        socket.off("data", look);
        resolve();
      };
      socket.on("data", look);
    });
    socket.on("data", counter.came);
  }
  return {
    next(work) {
      const all = counter.expect(SOCKETS);
      work();
      return all;
    },
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}

async function rawSockets(): Promise<{ readonly write: (bytes: Buffer) => Promise<void>; readonly close: () => void }> {
  const ends: Socket[] = [];
  const server = createTcpServer((socket) => void ends.push(socket.setNoDelay(true))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const counter = arrivals();
  const sockets: Socket[] = [];
  for (let at = 0; at < SOCKETS; at += 1) {
    const socket = connect(port, "127.0.0.1").setNoDelay(true);
    sockets.push(socket);
    await once(socket, "connect");
    socket.on("data", counter.came);
  }
  while (ends.length < SOCKETS) await new Promise((resolve) => setTimeout(resolve, 5));
  return {
    write(bytes) {
      const all = counter.expect(SOCKETS);
      for (const end of ends) end.write(bytes);
      return all;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function arrivals(): { readonly came: () => void; readonly expect: (count: number) => Promise<void> } {
  let left = 0;
  let done = (): void => {};
  return {
    came() {
      left -= 1;
      if (left === 0) done();
    },
    expect(count) {
      left = count;
      return new Promise((resolve) => (done = resolve));
    },
  };
}

/** A client's message, masked with zeros. */
function masked(text: string): Buffer {
  const body = Buffer.from(text);
  const head = body.length < 126 ? Buffer.from([0x81, 0x80 | body.length]) : Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255]);
  return Buffer.concat([head, Buffer.alloc(4), body]);
}

// ── At rest ──

async function idle(): Promise<void> {
  const child = spawn(process.execPath, ["bin/hallpass.js", "serve", "--no-open", "--port", "0", "--data", join(place, "idle")], {
    env: { PATH: process.env["PATH"], HOME: join(place, "home"), CI: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    await once(child.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const pages = Number(readFileSync(`/proc/${child.pid}/statm`, "utf8").split(" ")[1]);
    const megabytes = (pages * 4096) / 1e6;
    console.log(`goal the idle daemon in MB ≤ 150.00 measured ${megabytes.toFixed(2)} ${megabytes <= 150 ? "ok" : "fail"}`);
    if (megabytes > 150) process.exitCode = 1;
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

function assembled(options: Pick<AssembleOptions, "store" | "storeKind"> & Partial<AssembleOptions>): Promise<AssembledServer> {
  return assemble({ home: join(place, "home"), env: {}, platform: process.platform, token: TOKEN, asksPerMinute: 1_000_000, ...options });
}

async function served(server: AssembledServer): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const listening = await listen(
    {
      app: server.app,
      log: silentLog,
      sockets: (hosts) => createSockets({ hub: server.hub, callerOf: server.app.callerOf, hosts, log: silentLog }),
    },
    { port: 0, socketPath: null },
  );
  return {
    port: Number(new URL(listening.address).port),
    async close() {
      await server.drain();
      await listening.close(100);
      await server.close();
    },
  };
}
