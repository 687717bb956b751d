// Is a path under one of N granted roots? Growth from 1 to 10 000 grants, all sizes in one
// paired run. An operation is one hit (under the last root) and one miss (a sibling of it).
// Then the same of a whole decision, judged and recorded by the server on SQLite: with many grants, mounts and
// unused yeses for once in its session, against one of each.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, normalize, resolve, sep } from "node:path";
// @ts-ignore What is built has no types beside it; the next lines give it those of its source.
import * as builtStore from "../dist/store.js";
import { sessionId } from "../src/core/names.ts";
import { assemble } from "../src/server/assemble.ts";
import type * as Stores from "../src/store/index.ts";
import { createClient } from "../src/wire/client.ts";
import { routes } from "../src/wire/http.ts";
import { underGrant } from "./lib/product.ts";
import { runSuite, type Suite } from "./lib/suite.ts";

const { openSqliteStore }: typeof Stores = builtStore;

type Contains = (path: string) => boolean;

const PAIRS = 8;
const COUNTS = [1, 10, 100, 1_000, 10_000];
const PEERS_AT = 1_000;

await runSuite("grants", async (suite) => {
  const name = (count: number) => `hallpass, ${count} grants`;
  const growth = COUNTS.map((count) => variant(name(count), underGrant(makeRoots(count)), count));
  const roots = makeRoots(PEERS_AT);
  const peers = [
    variant(`ancestors in a Set, ${PEERS_AT}`, ancestorsInSet(roots), PEERS_AT),
    variant(`linear startsWith, ${PEERS_AT}`, linear(roots), PEERS_AT),
    variant(`every root normalised (MCP-shaped), ${PEERS_AT}`, normalisingEach(roots), PEERS_AT),
  ];
  await suite.run({
    title: "one hit and one miss",
    anchor: name(1),
    operations: PAIRS,
    by: "slices",
    variants: [...growth, ...peers],
    goals: [{ name: "grants growth 1 to 10000", limit: 1.2, variant: name(10_000), against: name(1) }],
  });
  await measureDecisions(suite);
});

/** A decision under what is open to a session: one of it, or many. Limit and sizes: docs/decisions/0062. */
async function measureDecisions(suite: Suite): Promise<void> {
  const many = suite.pace === "quick" ? 200 : 1000;
  const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-grants-")));
  const home = join(place, "home");
  const names = Array.from({ length: many }, (_, number) => `repo-${number}`);
  for (const dir of ["ws", "home/.config/hallpass", ...names.map((name) => `${name}/.git`)])
    mkdirSync(join(place, dir), { recursive: true });
  for (const name of names) writeFileSync(join(place, name, "a.txt"), "a\n");
  writeFileSync(join(home, ".config/hallpass/policy.json"), JSON.stringify({ ceilings: [place] }));
  const store = await openSqliteStore({ file: join(place, "hallpass.db") });
  const token = "G".repeat(43);
  const server = await assemble({
    store,
    storeKind: "sqlite",
    home,
    env: {},
    platform: process.platform,
    token,
    asksPerMinute: 1_000_000,
  });
  const connection = { address: "http://127.0.0.1", fetch: (request: Request) => server.app.fetch(request), via: "bench" };
  const person = createClient({ ...connection, token });
  let calls = 0;
  const agent = async (hostSession: string) => {
    const body = { host: "bench", hostSession, workspace: join(place, "ws") };
    const { session, credential } = await person.send(routes.register, { body });
    const client = createClient({ ...connection, token: credential });
    const access = (name: string) => {
      const call = `call-${(calls += 1)}`;
      return { call, tool: "Read", operation: "read" as const, path: join(place, name, "a.txt") };
    };
    return {
      id: sessionId(session.id),
      async answer(name: string, decision: "allow" | "allow_once") {
        const asked = await client.send(routes.agentAsk, { body: { ...access(name), reason: null } });
        if (asked.state === "waiting") await person.send(routes.answer, { id: asked.ask.id, body: { decision } });
      },
      decides: (verdict: string) => async (): Promise<void> => {
        const decision = await client.send(routes.decide, { body: access("repo-0") });
        if (decision.verdict !== verdict) throw new Error(`judged otherwise: ${decision.verdict}`);
      },
    };
  };
  const compared = async (
    what: string,
    verdict: string,
    open: (its: Awaited<ReturnType<typeof agent>>, few: readonly string[]) => Promise<void>,
  ) => {
    const [one, other] = [await agent(`${what}, 1`), await agent(`${what}, many`)];
    await open(one, names.slice(0, 1));
    await open(other, names);
    const label = (count: number): string => `${count} ${what}`;
    await suite.run({
      title: `a recorded decision, by ${what}`,
      anchor: label(1),
      operations: 1,
      by: "long-slices",
      variants: [
        { name: label(1), kind: "async", run: one.decides(verdict) },
        { name: label(many), kind: "async", run: other.decides(verdict) },
      ],
      goals: [{ name: `a decision with ${label(many)}, of one with 1`, limit: 1.1, variant: label(many), against: label(1) }],
    });
  };
  try {
    await compared("grants", "allow", async (its, open) => {
      for (const name of open) await its.answer(name, "allow");
    });
    await compared("mounts", "allow", async (its, open) => {
      const mounts = open.map((name) => ({ session: its.id, path: join(place, name), mode: "extend" as const }));
      await store.changeRoots(its.id, join(place, "ws"), mounts, []);
    });
    // They are for other files: what is measured uses none of them up.
    await compared("unused yeses for once", "ask", async (its, open) => {
      for (const name of open.slice(1)) await its.answer(name, "allow_once");
    });
  } finally {
    await server.close();
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Compares the answers first, on the timed paths and on one path a root. */
function variant(name: string, contains: Contains, count: number) {
  const roots = makeRoots(count);
  const paths = makePairs(roots);
  const reference = linear(roots);
  const edges = [...roots.slice(0, 50), ...roots.slice(-50)].flatMap((root) => [root, `${root}/a.ts`, `${root}x/a.ts`, `${root}x`]);
  for (const path of [...paths, ...edges, "/", "/home"]) {
    if (contains(path) !== reference(path)) throw new Error(`${name} gives another answer for ${path}`);
  }
  return {
    name,
    kind: "sync",
    run: () => {
      let under = 0;
      for (const path of paths) if (contains(path)) under += 1;
      return under;
    },
  } as const;
}

function makeRoots(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const team = String(index % 100).padStart(2, "0");
    return `/home/user/src/team-${team}/project-${String(index).padStart(5, "0")}`;
  });
}

/** Hit, miss, hit, miss: as deep and as long as each other, and at every count. */
function makePairs(roots: readonly string[]): readonly string[] {
  const last = roots.at(-1) ?? "/";
  const sibling = last.replace(/project-\d+$/, "elsewhere-000");
  return Array.from({ length: PAIRS }, (_, pair) => [
    `${last}/packages/shop/src/cart-${pair}.ts`,
    `${sibling}/packages/shop/src/cart-${pair}.ts`,
  ]).flat();
}

/** The reference. */
function linear(roots: readonly string[]): Contains {
  return (path) => roots.some((root) => path === root || path.startsWith(root + sep));
}

function ancestorsInSet(roots: readonly string[]): Contains {
  const known = new Set(roots);
  return (path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (known.has(path.slice(0, end))) return true;
    }
    return false;
  };
}

function normalisingEach(roots: readonly string[]): Contains {
  return (path) => {
    const asked = resolve(normalize(path));
    return roots.some((root) => {
      const allowed = resolve(normalize(root));
      return asked === allowed || asked.startsWith(allowed + sep);
    });
  };
}
