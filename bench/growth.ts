// How costs grow: with records, chats, messages, earlier answers, grants and files, the first call beside the warm ones. Nothing is gated here (`npm run
// scale` has the goals); a figure is a median of some calls, so read the growth and not the single number. `npm run bench -- --report` writes
// docs/figures.md from it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Amounts, chatOf, fillStore } from "../scripts/fill-store.ts";
import { openSession } from "../src/core/session/session.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { assemble } from "../src/server/assemble.ts";
import { backupSqlite } from "../src/store/backup.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { createClient } from "../src/wire/client.ts";
import { routes } from "../src/wire/http.ts";
import { cacheDir } from "./lib/cache.ts";
import type { Line } from "./lib/plot.ts";
import { findFiles, grepFiles } from "./lib/product.ts";
import { ensureTree, LITERAL, type TreeSize } from "./lib/tree.ts";

export interface Growth {
  readonly name: string;
  /** What is done. */
  readonly what: string;
  readonly across: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

/** What was timed at a size, by its name: the first call, and the median of those after it; null where there are none. */
type Timed = readonly [size: number, name: string, first: number, warm: number | null];

const quick = process.argv.includes("--quick");
const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-growth-")));
const TIMES = 15;
const TOKEN = "T".repeat(43);
let places = 0;
const newName = (): string => `place-${(places += 1)}`;
let own: { readonly client: object; readonly session: string } | null = null;

try {
  for (const dir of ["ws", "lib/.git"]) mkdirSync(join(place, dir), { recursive: true });
  writeFileSync(join(place, "ws/a.txt"), "a\n");
  writeFileSync(join(place, "lib/far.txt"), "far\n");
  // Once for nothing: the first call of all meets code that was never run, which no size is to blame for.
  await measured("small");
  const growths = await measured(quick ? "quick" : "full");
  for (const growth of growths) console.log(`growth ${JSON.stringify(growth)}`);
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}

interface Sizes {
  readonly records: readonly number[];
  readonly chats: readonly number[];
  readonly messages: readonly number[];
  readonly answers: readonly number[];
  readonly grants: readonly number[];
  readonly trees: readonly TreeSize[];
}

async function measured(pace: "small" | "quick" | "full"): Promise<readonly Growth[]> {
  const { records, chats, messages, answers, grants, trees } = sizesOf(pace);
  return [
    ...(await byRecords(records)),
    await byChats(chats),
    await byMessages(messages),
    await byAnswers(answers),
    await byGrants(grants),
    ...(await byFiles(trees)),
  ];
}

function sizesOf(pace: "small" | "quick" | "full"): Sizes {
  const decades = (from: number, quickly: number, fully: number): readonly number[] =>
    Array.from({ length: { small: 1, quick: quickly, full: fully }[pace] }, (_, index) => from * 10 ** index);
  return {
    records: decades(1000, 2, 4),
    chats: decades(1000, 2, 3),
    messages: decades(100, 2, 3),
    answers: decades(10, 2, 4),
    grants: decades(1, 2, 4),
    trees: (["1k", "10k", "100k"] as const).slice(0, { small: 1, quick: 2, full: 3 }[pace]),
  };
}

async function timed(size: number, name: string, work: () => Promise<unknown>, times = TIMES): Promise<Timed> {
  const took: number[] = [];
  for (let time = 0; time <= times; time += 1) {
    const began = performance.now();
    await work();
    took.push(performance.now() - began);
  }
  const [first = 0, ...warm] = took;
  console.log(`${name}, ${size}: first ${first.toFixed(1)} ms`);
  return [size, name, first, warm.toSorted((a, b) => a - b)[warm.length >> 1] ?? null];
}

/** A line of each name's warm calls, and one of its first calls beside it. */
function linesOf(measured: readonly Timed[]): readonly Line[] {
  return [...new Set(measured.map(([, name]) => name))].flatMap((name) => {
    const own = measured.filter(([, its]) => its === name);
    const first: Line = { name: `${name}, first`, beside: name, points: own.map(([size, , its]) => [size, its] as const) };
    const warm = own.flatMap(([size, , , its]) => (its === null ? [] : [[size, its] as const]));
    return warm.length === 0 ? [{ name, points: first.points }] : [{ name, points: warm }, first];
  });
}

/** An app on a store of its own, and an agent in it; it may be asked about what is in `ceilings`, too. */
async function opened(name = newName(), ceilings: readonly string[] = []) {
  const home = join(place, name, "home");
  mkdirSync(join(home, ".config/hallpass"), { recursive: true });
  writeFileSync(join(home, ".config/hallpass/policy.json"), JSON.stringify({ ceilings: [place, ...ceilings] }));
  const store = await openSqliteStore({ file: join(place, name, "hallpass.db") });
  const server = await assemble({
    store,
    storeKind: "sqlite",
    home,
    env: {},
    platform: process.platform,
    token: TOKEN,
    asksPerMinute: 1_000_000,
  });
  const fetch = (request: Request): Promise<Response> => server.app.fetch(request);
  const client = createClient({ address: "http://127.0.0.1", token: TOKEN, fetch, via: "bench" });
  let [agents, calls] = [0, 0];
  const agent = async () => {
    const body = { host: "bench", hostSession: `run-${(agents += 1)}`, workspace: join(place, "ws") };
    const { credential } = await client.send(routes.register, { body });
    const its = createClient({ address: "http://127.0.0.1", token: credential, fetch, via: "bench" });
    return {
      decide: (path = join(place, "ws/a.txt")) =>
        its.send(routes.decide, { body: { call: `c${(calls += 1)}`, tool: "Read", operation: "read", path } }),
      async ask(path: string, call: string) {
        const asked = await its.send(routes.agentAsk, { body: { call, tool: "Read", operation: "read", path, reason: null } });
        return asked.state === "waiting" ? asked.ask.id : null;
      },
    };
  };
  return { server, client, agent, ...(await agent()) };
}

/** An app on a store that was filled with so much. */
async function filled(amounts: Partial<Amounts>) {
  const name = newName();
  const file = join(place, name, "hallpass.db");
  mkdirSync(join(place, name));
  await fillStore({ databaseUrl: null, file }, { records: 0, sessions: 100, chats: 0, messages: 0, ...amounts });
  return { file, ...(await opened(name)) };
}

async function byRecords(sizes: readonly number[]): Promise<readonly Growth[]> {
  const [some, all]: [Timed[], Timed[]] = [[], []];
  for (const size of sizes) {
    const { file, server, client, decide } = await filled({ records: size });
    const filter = (query: object) => () => client.send(routes.audit, { query: { limit: 50, ...query } });
    some.push(await timed(size, "a decision", () => decide()));
    some.push(await timed(size, "the newest records", filter({})));
    some.push(await timed(size, "a rare kind", filter({ kind: "session-ended" })));
    some.push(await timed(size, "a path nobody asked for", filter({ path: "/no/such/path" })));
    all.push(await timed(size, "verified", () => server.store.verifyAudit(), 0));
    all.push(await timed(size, "exported", () => drained(client.lines(routes.exportAudit, {})), 0));
    all.push(await timed(size, "backed up", async () => backupSqlite({ file, to: `${file}.copy` }), 0));
    await server.close();
    rmSync(dirname(file), { recursive: true });
  }
  const across = "records in the store";
  return [
    { name: "records", what: "One decision, and one page of the record", across, unit: "ms", lines: linesOf(some) },
    { name: "whole-record", what: "The whole record", across, unit: "ms", lines: linesOf(all) },
  ];
}

async function drained(lines: AsyncIterable<string>): Promise<void> {
  for await (const _ of lines);
}

async function byChats(sizes: readonly number[]): Promise<Growth> {
  const measured: Timed[] = [];
  for (const size of sizes) {
    const { server, client } = await filled({ sessions: size / 10, chats: size });
    const get = (query: object) => () => client.send(routes.listChats, { query: { limit: 50, ...query } });
    const [middle] = (await client.send(routes.listChats, { query: { limit: 1000 } })).slice(-1);
    measured.push(await timed(size, "the newest chats", get({})));
    measured.push(await timed(size, "an earlier page", get({ before: middle?.id })));
    measured.push(
      await timed(
        size,
        "one more chat",
        async () => void (await client.send(routes.addChat, { body: { session: await ownSession(client) } })),
      ),
    );
    await server.close();
  }
  return { name: "chats", what: "Chats", across: "chats in the store", unit: "ms", lines: linesOf(measured) };
}

/** One session of ours a client, to begin chats in. */
async function ownSession(client: Awaited<ReturnType<typeof opened>>["client"]): Promise<string> {
  if (own?.client !== client)
    own = { client, session: (await client.send(routes.addSession, { body: { workspace: join(place, "ws") } })).id };
  return own.session;
}

async function byMessages(sizes: readonly number[]): Promise<Growth> {
  const measured: Timed[] = [];
  for (const size of sizes) {
    const { server, client } = await filled({ chats: 1, messages: size });
    measured.push(await timed(size, "the newest messages", () => client.send(routes.messages, { id: chatOf(0), query: { limit: 50 } })));
    measured.push(await timed(size, "searched for a text", () => client.send(routes.searchChats, { query: { text: "never said" } })));
    await server.close();
  }
  return { name: "messages", what: "One long chat", across: "messages in the chat", unit: "ms", lines: linesOf(measured) };
}

async function byAnswers(sizes: readonly number[]): Promise<Growth> {
  const { server, client, decide, ask } = await opened();
  const measured: Timed[] = [];
  let done = 0;
  for (const size of sizes) {
    for (; done < size; done += 1) {
      const id = await ask(join(place, "lib/far.txt"), `ask-${done}`);
      if (id !== null) await client.send(routes.answer, { id, body: { decision: done % 2 === 0 ? "deny" : "allow_once" } });
      await decide(join(place, "lib/far.txt"));
    }
    measured.push(await timed(size, "inside the workspace", () => decide()));
    measured.push(await timed(size, "outside of it", () => decide(join(place, "lib/far.txt"))));
  }
  await server.close();
  return { name: "answers", what: "One decision", across: "earlier answers in the session", unit: "ms", lines: linesOf(measured) };
}

async function byGrants(sizes: readonly number[]): Promise<Growth> {
  const { server, client, decide, ask } = await opened();
  const measured: Timed[] = [];
  let done = 0;
  for (const size of sizes) {
    for (; done < size; done += 1) {
      const file = join(place, `repo-${done}`, "a.txt");
      mkdirSync(join(place, `repo-${done}`, ".git"), { recursive: true });
      writeFileSync(file, "a\n");
      const id = await ask(file, `ask-${done}`);
      if (id !== null) await client.send(routes.answer, { id, body: { decision: "allow" } });
    }
    measured.push(await timed(size, "a decision under a grant", () => decide(join(place, "repo-0/a.txt"))));
    measured.push(await timed(size, "the list of grants", () => client.send(routes.listGrants, { query: { limit: 50 } })));
  }
  await server.close();
  return { name: "grants", what: "One decision", across: "grants of the session", unit: "ms", lines: linesOf(measured) };
}

async function byFiles(sizes: readonly TreeSize[]): Promise<readonly Growth[]> {
  const [searches, others]: [Timed[], Timed[]] = [[], []];
  const { sandbox, why } = await detect();
  for (const size of sizes) {
    const { root, files } = ensureTree(size, cacheDir(process.cwd(), process.env));
    searches.push(await timed(files, "find, many", () => findFiles(root, "**/*.test.ts")));
    searches.push(await timed(files, "find, none", () => findFiles(root, "**/no-such-name.ts")));
    searches.push(await timed(files, "grep, few", () => grepFiles(root, LITERAL)));
    const session = openSession({ workspace: root, home: "/nonexistent" });
    if (!session.ok) throw new Error(session.message);
    const options = {
      session: session.session,
      cwd: session.session.workspace.dir,
      network: "none",
      time: 60_000,
      outputBytes: 65_536,
    } as const;
    if (why === null) others.push(await timed(files, "a confined command", () => sandbox.run("true", options)));
    // A repository that nobody was asked about yet, each time by another agent.
    const { server, agent } = await opened(newName(), [root]);
    others.push(await timed(files, "an ask for a repository", async () => (await agent()).ask(join(root, "README.md"), "survey")));
    await server.close();
  }
  const across = "files in the workspace or repository";
  return [
    { name: "searches", what: "Searches", across, unit: "ms", lines: linesOf(searches) },
    { name: "files", what: "One command, and one ask", across, unit: "ms", lines: linesOf(others) },
  ];
}
