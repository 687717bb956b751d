// The attack table against the two doors `hallpass tool --stdin` and `hallpass check --stdin`, each row a test; then the
// same rows with the guard taken out, and against two weak guards, to show that the table tells good from bad.

import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { accepts, build, callOf, decisionOf, faults, harm, loadCorpus, operationOf, remember, setting, unfit, userFor } from "./corpus.ts";
import type { Row, Scene } from "./corpus.ts";
import { keepAlive, repository, startHallpass, startLines } from "./line-process.ts";
import type { LineProcess, Reply } from "./line-process.ts";

type Door = Pick<LineProcess, "ask" | "stop">;

const rows = loadCorpus();
const ours = rows.filter(({ runner }) => ["fs", "policy", "grant"].includes(runner));
const tool = keepAlive(() => startHallpass("tool"));
const check = keepAlive(() => startHallpass("check"));
const naive = (guard: string) =>
  keepAlive(() => startLines([process.execPath, "--import", "tsx", join(repository, "test", "naive.ts"), guard]));
const [none, lexical, realpath] = [naive("none"), naive("lexical"), naive("realpath")];
const weighed = ours.filter((one) => one.runner === "fs" && unfit(one) === null && userFor(one) === null);
const passed = new Map<string, number>();
const ran = new Map<string, number>();
const failing = { lexical: [] as string[], realpath: [] as string[] };

afterAll(async () => {
  await Promise.all([tool, check, none, lexical, realpath].map((door) => door.stop()));
  const skipped = ours.filter((row) => unfit(row) !== null);
  const lines = [...ran].map(([runner, count]) => `  ${runner.padEnd(7)} ran ${count}, passed ${passed.get(runner) ?? 0}`);
  lines.push(`  skipped ${skipped.length} (other platforms): ${skipped.map(({ id }) => id).join(" ")}`);
  lines.push(`  of ${weighed.length} fs rows a lexical guard fails ${failing.lexical.length}, a realpath guard ${failing.realpath.length}`);
  console.log(`attack table\n${lines.join("\n")}`);
});

/** Runs `body` in the row's scene; counts the row as run, and as passed when nothing was thrown. */
function row(one: Row, body: (scene: Scene) => Promise<void>): void {
  test.skipIf(unfit(one) !== null)(`${one.id} ${one.title}`, { timeout: 30_000 }, async () => {
    ran.set(one.runner, (ran.get(one.runner) ?? 0) + 1);
    const scene = await build(one);
    try {
      await body(scene);
      passed.set(one.runner, (passed.get(one.runner) ?? 0) + 1);
    } finally {
      scene.remove();
    }
  });
}

/** The row through a door; a door that hangs or dies is an answer too, and never the right one. */
async function through(door: Door, { row: placed }: Scene): Promise<string[]> {
  const before = remember(placed);
  try {
    const reply = await door.ask({ ...setting(placed), ...callOf(placed) }, Math.max(2 * (placed.timeout_ms ?? 0), 5000));
    return faults(placed, reply, before);
  } catch (error) {
    return [`no answer: ${(error as Error).message}`, ...harm(placed, "", before)];
  }
}

/** Rows of other users go through doors of their own. */
async function asUserOf(one: Row, command: "tool" | "check", shared: Door, body: (door: Door) => Promise<void>): Promise<void> {
  const user = userFor(one);
  if (user === null) return body(shared);
  const own = startHallpass(command, user);
  try {
    await body(own);
  } finally {
    await own.stop();
  }
}

describe("fs rows through both doors", () => {
  for (const one of ours.filter(({ runner }) => runner === "fs")) {
    row(one, async (scene) => {
      await asUserOf(one, "check", check, async (door) => {
        const { answer } = await door.ask({ ...setting(scene.row), operation: operationOf(scene.row), path: scene.row.path });
        expect(verdictFaults(one, answer.verdict ?? null)).toEqual([]);
      });
      await asUserOf(one, "tool", tool, async (door) => {
        expect(await through(door, scene)).toEqual([]);
      });
    });
  }
});

/** `check` only judges: it may allow what the doing then finds missing, and never what the table refuses. */
function verdictFaults(one: Row, verdict: string | null): string[] {
  const may = [one.expect, ...(one.alt ?? [])].includes("allow");
  if (verdict === "allow" && !may && one.expect !== "error") return [`check: expected ${one.expect}, got allow`];
  if (verdict !== "allow" && one.expect === "allow" && one.alt === undefined) return [`check: expected allow, got ${verdict}`];
  return [];
}

describe("policy rows: a pattern that does not match, quickly", () => {
  for (const one of ours.filter(({ runner }) => runner === "policy")) {
    row(one, async ({ row: placed }) => {
      const { pattern, rules, input } = placed.args as { readonly pattern?: string; readonly rules?: number; readonly input: string };
      const patterns = pattern === undefined ? Array.from({ length: rules ?? 0 }, (_, i) => `/r${i}/**/x*`) : [pattern];
      const policy = { read: Object.fromEntries(patterns.map((glob) => [glob, "allow"])) };
      const ask = (path: string, given: object): Promise<Reply> =>
        check.ask({ ...setting(placed), policy: given, operation: "read", path });
      await ask(input, {}); // the program is up
      const { answer, ms } = await ask(input, policy);
      expect(["ask", "deny", "invalid-policy"]).toContain(answer.verdict ?? answer.error?.code); // refusing so many rules is right too
      expect(ms).toBeLessThan(placed.timeout_ms ?? Infinity);
    });
  }
});

describe("grant rows: what an ask for access would grant", () => {
  for (const one of ours.filter(({ runner }) => runner === "grant")) {
    row(one, async (scene) => {
      const { row: placed } = scene;
      const { answer, text, ms } = await tool.ask({ ...setting(placed), ...callOf(placed) });
      expect(faults(placed, { answer, text, ms }, remember(placed))).toEqual([]);
      if (placed.prompts === 0) expect(answer.verdict).not.toBe("ask");
      if (decisionOf(answer) === "ask") {
        if (placed.grant_root !== undefined) expect(answer.proposal).toBe(placed.grant_root);
        const flags = (placed.flags ?? []).map((flag) => flag.replaceAll("_", "-"));
        expect(answer.flags ?? []).toEqual(expect.arrayContaining(flags));
      }
      if (placed.then === undefined) return;
      const next: Row = { ...placed, ...placed.then, grants: [...placed.grants, placed.grant_root ?? ""] };
      const after = await tool.ask({ ...setting(next), ...callOf(next) });
      expect(accepts({ ...next, alt: [] }, decisionOf(after.answer))).toBe(true);
      expect(after.text).not.toContain("SECRET-OUTSIDE");
    });
  }
});

/** Refused rows that show no harm even without a guard, and why in a word. */
const alwaysFails: Readonly<Record<string, string>> = {
  "SYM-17": "dangling",
  "SPC-04": "socket",
  "SPC-05": "endless",
  "SPC-06": "driverless",
  "SPC-07": "endless",
  "SPC-08": "stdin",
  "SPC-12": "sink",
  "PRC-06": "stdin",
  "PRC-10": "harmless",
  "SEC-36": "not-directory",
  "SEC-37": "not-directory",
  "POL-07": "harmless",
  "DSC-16": "missing",
};
/** Not to be tried without a guard: the environment of a process that is not ours. */
const untried = new Set(["PRC-07"]);

describe("without a guard the same call does the harm", () => {
  const refused = ours.filter((one) => one.runner === "fs" && ["ask", "deny"].includes(one.expect) && unfit(one) === null);
  const harmful = refused.filter((one) => typeof one.leak === "string" || one.must_not_exist !== undefined || one.unchanged !== undefined);
  for (const one of harmful) {
    const harmless = alwaysFails[one.id];
    const name = `${one.id} ${one.title}${harmless === undefined ? "" : ` (none: ${harmless})`}`;
    test.skipIf(untried.has(one.id))(name, { timeout: 30_000 }, async () => {
      const scene = await build(one);
      try {
        const before = remember(scene.row);
        const { text } = await none.ask({ ...setting(scene.row), ...callOf(scene.row) }, 2000);
        expect(harm(scene.row, text, before).length > 0).toBe(harmless === undefined);
      } finally {
        scene.remove();
      }
    });
  }
});

describe("the table has teeth", () => {
  test.each([
    { name: "lexical" as const, door: lexical, atLeast: 40 },
    { name: "realpath" as const, door: realpath, atLeast: 40 },
  ])("a $name guard fails more than $atLeast fs rows", { timeout: 120_000 }, async ({ name, door, atLeast }) => {
    for (const one of weighed) {
      const scene = await build(one);
      try {
        // Only what was decided and done: a weak guard need not know our codes.
        const { code: _, ...placed } = scene.row;
        if ((await through(door, { ...scene, row: placed })).length > 0) failing[name].push(one.id);
      } finally {
        scene.remove();
      }
    }
    expect(failing[name].length).toBeGreaterThan(atLeast);
  });
});

test("no row of the table was lost", () => {
  expect(rows.length).toBe(225);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(225);
});
