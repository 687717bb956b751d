// The attack table against the two doors `hallpass tool --stdin` and `hallpass check --stdin`, each row a test; then the
// same rows with the guard taken out, and against two weak guards, to show that the table tells good from bad.

import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { accepts, build, callOf, decisionOf, faults, harm, loadCorpus, operationOf, remember, setting, unfit, userFor } from "./corpus.ts";
import type { Row, Scene } from "./corpus.ts";
import { detect } from "../src/sandbox/sandbox.ts";
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
  if (failing.lexical.length + failing.realpath.length > 0)
    lines.push(
      `  of ${weighed.length} fs rows a lexical guard fails ${failing.lexical.length}, a realpath guard ${failing.realpath.length}`,
    );
  console.log(`attack table\n${lines.join("\n")}`);
});

/** Runs `body` in the row's scene; counts the row as run, and as passed when nothing was thrown. */
function row(one: Row, body: (scene: Scene) => Promise<void>): void {
  test.skipIf(unfit(one) !== null)(`${one.id} ${one.title}`, async () => {
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
      // The quickest of some, each with a policy the program has not seen, by the processors' time: a neighbour on this machine is not its fault.
      const quickest = async (read: object): Promise<number> => {
        const tries: Reply[] = [];
        for (const more of ["/one/x", "/two/x", "/three/x", "/four/x", "/five/x"])
          tries.push(await ask(input, { read: { ...read, [more]: "allow" } }));
        for (const { answer } of tries) expect(["ask", "deny", "invalid-policy"]).toContain(answer.verdict ?? answer.error?.code); // refusing so many rules is right too
        return Math.min(...tries.map(({ ms, cpu = ms }) => cpu));
      };
      // Nor is a slow machine: there many rules may take as much longer as there are more of them than of a tenth.
      const tenth = await quickest(Object.fromEntries(patterns.slice(0, patterns.length / 10).map((glob) => [glob, "allow"])));
      const limit = Math.max((placed.timeout_ms ?? Infinity) * 2, patterns.length < 10 ? 0 : tenth * 15);
      expect(await quickest(policy.read)).toBeLessThan(limit);
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

type BashRow = Row & {
  readonly env?: Readonly<Record<string, string>>;
  readonly host_action?: { readonly after_ms: number; readonly sh: string };
};
const bashRows: readonly BashRow[] = rows.filter(({ runner }) => runner === "bash");
const { why: unconfined } = await detect();
if (unconfined !== null) console.log(`bash rows need a sandbox: ${unconfined}`);

/** What happened around a command: whether anybody was reached on the port it was given, and what it left running. */
interface Around {
  readonly command: string;
  readonly cwd: unknown;
  reached(): boolean;
  running(): readonly string[];
  end(): Promise<void>;
}

/** A service on this machine for `$PORT`, a mark for every `sleep`, and the row's own deed of the host while the command runs. */
async function around({ args = {}, host_action: deed }: BashRow): Promise<Around> {
  let reached = false;
  const server = createServer((_request, response) => {
    reached = true;
    response.end("SERVED");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const mark = `300.${Math.floor(Math.random() * 1e9)}`;
  const command = String(args["command"])
    .replaceAll("$PORT", String((server.address() as AddressInfo).port))
    .replaceAll("sleep 300", `sleep ${mark}`);
  const timer = deed === undefined ? undefined : setTimeout(() => spawn("sh", ["-c", deed.sh], { stdio: "ignore" }), deed.after_ms);
  return {
    command,
    cwd: args["cwd"],
    reached: () => reached,
    running: () => (command.includes(mark) ? readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && lineOf(pid).includes(mark)) : []),
    async end() {
      clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function lineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return ""; // it has ended
  }
}

// A command that is to be denied may well exit with 0: denied means that it did no harm.
describe.skipIf(unconfined !== null && process.env["CI"] === undefined)("bash rows through the door, confined", () => {
  for (const one of bashRows) {
    row(one, async (scene) => {
      const placed: BashRow = scene.row;
      const outside = await around(placed);
      const user = userFor(one);
      const own = placed.env !== undefined || user !== null;
      const door = own ? startHallpass("tool", { ...user, ...(placed.env === undefined ? {} : { env: placed.env }) }) : tool;
      try {
        const before = remember(placed);
        const input = { command: outside.command, ...(outside.cwd === undefined ? {} : { cwd: outside.cwd }) };
        const reply = await door.ask({ ...setting(placed), tool: "bash", input }, 120_000);
        if (placed.code !== undefined) expect(faults(placed, reply, before)).toEqual([]);
        expect(harm(placed, reply.text, before)).toEqual([]);
        if (placed.expect === "allow" && placed.alt === undefined) expect(decisionOf(reply.answer)).toBe("allow");
        if (placed.must_contain !== undefined) expect(reply.text).toContain(placed.must_contain);
        expect([outside.reached(), outside.running()]).toEqual([false, []]);
        if (placed.then === undefined) return;
        const next: Row = { ...placed, ...placed.then };
        const after = await door.ask({ ...setting(next), ...callOf(next) });
        expect(accepts({ ...next, alt: [] }, decisionOf(after.answer))).toBe(true);
        expect(harm(placed, after.text, before)).toEqual([]);
      } finally {
        await outside.end();
        if (door !== tool) await door.stop();
      }
    });
  }
});

/** Bash rows that do no harm without a sandbox either, and why in a word. */
const harmlessCommands: Readonly<Record<string, string>> = {
  "BSH-10": "a link",
  "BSH-11": "a link",
  "BSH-13": "granted",
  "BSH-20": "its own",
  "BSH-21": "untried", // the environment of processes that are not ours
  "BSH-26": "no terminal",
  "BSH-29": "bubblewrap's",
  "BSH-35": "only a place",
};

describe("without a sandbox the same command does the harm", () => {
  for (const one of bashRows.filter(({ id }) => harmlessCommands[id] !== "untried")) {
    const harmless = harmlessCommands[one.id];
    test(`${one.id} ${one.title}${harmless === undefined ? "" : ` (none: ${harmless})`}`, async () => {
      const scene = await build(one);
      const outside = await around(scene.row);
      const held = openSync(scene.row.workspace, "r");
      try {
        const before = remember(scene.row);
        const cwd = typeof outside.cwd === "string" ? outside.cwd : scene.row.workspace;
        const text = await bare(outside.command, cwd, held);
        const left = outside.running();
        for (const pid of left) process.kill(Number(pid), "SIGKILL");
        expect(harm(scene.row, text, before).length > 0 || outside.reached() || left.length > 0).toBe(harmless === undefined);
      } finally {
        closeSync(held);
        await outside.end();
        scene.remove();
      }
    });
  }
});

/** What a command prints with nothing around it; descriptor 3 is the workspace, as careless programs leave it open. */
function bare(command: string, cwd: string, held: number): Promise<string> {
  const child = spawn("/bin/bash", ["-c", command], { cwd, stdio: ["ignore", "pipe", "pipe", held] });
  let text = "";
  child.stdout?.on("data", (data: Buffer) => (text += data.toString()));
  child.stderr?.on("data", (data: Buffer) => (text += data.toString()));
  return new Promise((resolve) => child.on("exit", () => setTimeout(() => resolve(text), 50)));
}

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
    test.skipIf(untried.has(one.id))(name, async () => {
      const scene = await build(one);
      try {
        const before = remember(scene.row);
        const { text } = await none.ask({ ...setting(scene.row), ...callOf(scene.row) });
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
  ])("a $name guard fails more than $atLeast fs rows", async ({ name, door, atLeast }) => {
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
  expect(rows.length, "if you added a row, raise this count").toBe(291);
  const ids = rows.map(({ id }) => id);
  expect(
    ids.filter((id, at) => ids.indexOf(id) !== at),
    "an id stands for one row",
  ).toEqual([]);
  // A row with another word would run nowhere.
  const runners = ["fs", "policy", "grant", "bash", "adapter", "race", "session", "http", "ui", "spec"];
  expect(
    rows.filter(({ runner }) => !runners.includes(runner)).map(({ id }) => id),
    `runner is one of ${runners.join(", ")}`,
  ).toEqual([]);
});
