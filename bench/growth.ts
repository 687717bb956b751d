// How costs grow: with records, chats, earlier answers, grants and files, the first call beside the warm ones. Nothing is gated here; a figure is a
// median of some calls, so read the growth and not the single number. `npm run bench -- --report` writes docs/figures.md from it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillStore } from "../scripts/fill-store.ts";
import { assemble } from "../src/server/assemble.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { createClient } from "../src/wire/client.ts";
import { routes } from "../src/wire/http.ts";
import { cacheDir } from "./lib/cache.ts";
import { findFiles } from "./lib/product.ts";
import type { Line } from "./lib/plot.ts";
import { ensureTree } from "./lib/tree.ts";

export interface Growth {
  readonly name: string;
  readonly across: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

const quick = process.argv.includes("--quick");
const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-growth-")));
const TIMES = 15;
const TOKEN = "T".repeat(43);

try {
  for (const dir of ["home/.config/hallpass", "ws", "lib/.git"]) mkdirSync(join(place, dir), { recursive: true });
  writeFileSync(join(place, "ws/a.txt"), "a\n");
  writeFileSync(join(place, "lib/far.txt"), "far\n");
  writeFileSync(join(place, "home/.config/hallpass/policy.json"), JSON.stringify({ ceilings: [place] }));
  const sizes = quick ? [1000, 10_000] : [1000, 10_000, 100_000];
  const growths = [
    () => byRecords(sizes),
    () => byChats(sizes),
    () => byAnswers(quick ? [10, 100] : [10, 100, 1000]),
    () => byGrants([1, 10, 100]),
    () => byFiles(),
  ];
  for (const measure of growths) console.log(`growth ${JSON.stringify(await measure())}`);
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}

/** The first call's milliseconds, and the median of those after it. */
async function timed(work: () => Promise<unknown>): Promise<readonly [first: number, warm: number]> {
  const times: number[] = [];
  for (let time = 0; time <= TIMES; time += 1) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  const [first = 0, ...warm] = times;
  return [first, warm.toSorted((a, b) => a - b)[warm.length >> 1] ?? 0];
}

/** Lines of the first and the warm calls, by name, from what was timed at each size. */
function linesOf(measured: readonly (readonly [size: number, name: string, times: readonly [number, number]])[]): readonly Line[] {
  const names = [...new Set(measured.map(([, name]) => name))];
  return names.flatMap((name) => {
    const own = measured.filter(([, its]) => its === name);
    return [
      { name: `${name}, first`, points: own.map(([size, , [first]]) => [size, first] as const) },
      { name, points: own.map(([size, , [, warm]]) => [size, warm] as const) },
    ];
  });
}

/** An app on a store of its own, and an agent in it. */
async function opened(name: string) {
  const store = await openSqliteStore({ file: join(place, name, "hallpass.db") });
  const server = await assemble({
    store,
    storeKind: "sqlite",
    home: join(place, "home"),
    env: {},
    platform: process.platform,
    token: TOKEN,
    asksPerMinute: 1_000_000,
  });
  const fetch = (request: Request): Promise<Response> => server.app.fetch(request);
  const client = createClient({ address: "http://127.0.0.1", token: TOKEN, fetch, via: "bench" });
  const { credential } = await client.send(routes.register, { body: { host: "bench", hostSession: "one", workspace: join(place, "ws") } });
  const agent = createClient({ address: "http://127.0.0.1", token: credential, fetch, via: "bench" });
  let calls = 0;
  const decide = (path = join(place, "ws/a.txt")) =>
    agent.send(routes.decide, { body: { call: `c${(calls += 1)}`, tool: "Read", operation: "read", path } });
  const ask = async (path: string, call: string) => {
    const asked = await agent.send(routes.agentAsk, { body: { call, tool: "Read", operation: "read", path, reason: null } });
    return asked.state === "waiting" ? asked.ask.id : null;
  };
  return { server, client, decide, ask };
}

async function byRecords(sizes: readonly number[]): Promise<Growth> {
  const measured: [number, string, readonly [number, number]][] = [];
  for (const size of sizes) {
    mkdirSync(join(place, `records-${size}`));
    await fillStore(
      { databaseUrl: null, file: join(place, `records-${size}`, "hallpass.db") },
      { records: size, sessions: 100, chats: 0, messages: 0 },
    );
    const { server, client, decide } = await opened(`records-${size}`);
    measured.push([size, "a decision", await timed(() => decide())]);
    measured.push([size, "a rare filter", await timed(() => client.send(routes.audit, { query: { kind: "session-ended", limit: 50 } }))]);
    await server.close();
  }
  return { name: "records", across: "records in the store", unit: "ms", lines: linesOf(measured) };
}

async function byChats(sizes: readonly number[]): Promise<Growth> {
  const measured: [number, string, readonly [number, number]][] = [];
  for (const size of sizes) {
    mkdirSync(join(place, `chats-${size}`));
    await fillStore(
      { databaseUrl: null, file: join(place, `chats-${size}`, "hallpass.db") },
      { records: 0, sessions: size / 10, chats: size, messages: 0 },
    );
    const { server, client } = await opened(`chats-${size}`);
    measured.push([size, "a page of chats", await timed(() => client.send(routes.listChats, { query: { limit: 50 } }))]);
    await server.close();
  }
  return { name: "chats", across: "chats in the store", unit: "ms", lines: linesOf(measured) };
}

async function byAnswers(sizes: readonly number[]): Promise<Growth> {
  const { server, client, decide, ask } = await opened("answers");
  const measured: [number, string, readonly [number, number]][] = [];
  let done = 0;
  for (const size of sizes) {
    for (; done < size; done += 1) {
      const id = await ask(join(place, "lib/far.txt"), `ask-${done}`);
      if (id !== null) await client.send(routes.answer, { id, body: { decision: done % 2 === 0 ? "deny" : "allow_once" } });
      await decide(join(place, "lib/far.txt"));
    }
    measured.push([size, "a decision", await timed(() => decide())]);
  }
  await server.close();
  return { name: "answers", across: "earlier answers in the session", unit: "ms", lines: linesOf(measured) };
}

async function byGrants(sizes: readonly number[]): Promise<Growth> {
  const { server, client, decide, ask } = await opened("grants");
  const measured: [number, string, readonly [number, number]][] = [];
  let done = 0;
  for (const size of sizes) {
    for (; done < size; done += 1) {
      const file = join(place, `repo-${done}`, "a.txt");
      mkdirSync(join(place, `repo-${done}`, ".git"), { recursive: true });
      writeFileSync(file, "a\n");
      const id = await ask(file, `ask-${done}`);
      if (id !== null) await client.send(routes.answer, { id, body: { decision: "allow" } });
    }
    measured.push([size, "a decision under a grant", await timed(() => decide(join(place, "repo-0/a.txt")))]);
  }
  await server.close();
  return { name: "grants", across: "grants of the session", unit: "ms", lines: linesOf(measured) };
}

async function byFiles(): Promise<Growth> {
  const measured: [number, string, readonly [number, number]][] = [];
  for (const size of quick ? (["1k", "10k"] as const) : (["1k", "10k", "100k"] as const)) {
    const { root, files } = ensureTree(size, cacheDir(process.cwd(), process.env));
    measured.push([files, "find, many", await timed(() => findFiles(root, "**/*.test.ts"))]);
    measured.push([files, "find, none", await timed(() => findFiles(root, "**/no-such-name.ts"))]);
  }
  return { name: "files", across: "files in the workspace", unit: "ms", lines: linesOf(measured) };
}
