// Two confined commands together: one moves a directory with a secret in it about at full speed, the other's sandbox is set up
// meanwhile. Neither can read the secret alone, and together they must not either. Without the pause they do.

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { reopenGrants } from "../src/core/session/grant.ts";
import { reanchor, type Session } from "../src/core/session/session.ts";
import { createBubblewrap } from "../src/sandbox/bubblewrap.ts";
import { whyNoKeeper } from "../src/sandbox/keeper.ts";
import { isJournalRecord } from "../src/sandbox/journal-record.ts";
import type { CommandOutcome, Sandbox } from "../src/sandbox/port.ts";
import { type ProcessId, signal } from "../src/sandbox/processes.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { loadCorpus } from "./corpus.ts";
import { program, startHallpass } from "./line-process.ts";
import { rawClient } from "./mcp/raw-client.ts";
import { counter, scene, type Scene } from "./scene.ts";
import { compileC } from "./support/compile-c.ts";

const { why } = await detect();
const mover = compileC(join(import.meta.dirname, "support/mover.c"), join(import.meta.dirname, "../node_modules/.cache/hallpass"));
const confined = describe.skipIf((why !== null || mover === null) && process.env["CI"] === undefined);

/** The rows of the attack table about this, each with how its mover evades being stopped. */
const rows = loadCorpus().flatMap(({ id, title, attempts = 0, args }) => {
  const way = args?.["mover"];
  return typeof way === "string" ? [{ id, title, attempts, way }] : [];
});
/** Run below by themselves. */
const APART = ["RAC-19"];

interface Stage extends Scene {
  /** A session that works elsewhere and was granted the workspace. */
  readonly reader: Session;
}

/** A workspace with a secret in a directory that can be exchanged with another, and enough between the two that a look takes a while. */
function stage(): Stage {
  const between = Array.from({ length: 150 }, (_, index) => `ws/m${index}/`);
  const it = scene(["ws/.git/", "ws/a/w/.env: SECRET-ENV", "ws/b/w/", "other/.git/", ...between]);
  if (mover !== null) fs.copyFileSync(mover, it.path("ws/mover"));
  const elsewhere = reanchor(it.session, it.path("other"));
  if (!elsewhere.ok) throw new Error(elsewhere.code);
  return { ...it, reader: reopenGrants(elsewhere.session, [it.path("ws")], { clock: Date.now, ids: counter() }).session };
}

const moving = (way: string): string => `./mover ${way} a/w b/w & sleep 300`;
const reading = (it: Stage): string =>
  `for i in {1..12}; do cat ${it.path("ws/a/w/.env")} ${it.path("ws/b/w/.env")} 2>/dev/null; done; echo over`;

function run(sandbox: Sandbox, session: Session, command: string, signal?: AbortSignal): Promise<CommandOutcome> {
  const options = { session, cwd: session.workspace.dir, network: "none", time: 120_000, outputBytes: 65_536 } as const;
  return sandbox.run(command, signal === undefined ? options : { ...options, signal });
}

const changed = (it: Stage): bigint => fs.statSync(it.path("ws/a"), { bigint: true }).ctimeNs;

/** Wait until directories are being moved. */
async function untilMoving(it: Stage): Promise<void> {
  const before = changed(it);
  await expect.poll(() => changed(it) !== before, { interval: 5 }).toBe(true);
}

/** A command that moves directories in the workspace, until the test is over. */
async function startMover(it: Stage, sandbox: Sandbox, way: string): Promise<void> {
  const off = new AbortController();
  const ended = run(sandbox, it.session, moving(way), off.signal);
  onTestFinished(async () => {
    off.abort();
    await ended;
  });
  await untilMoving(it);
}

/** The first process of the one command that is noted. */
function firstNoted(it: Stage): ProcessId {
  const place = it.path("home/.local/share/hallpass/commands");
  const notes = fs.readdirSync(place).filter((name) => name.endsWith(".json"));
  const note: unknown = JSON.parse(fs.readFileSync(join(place, notes[0] ?? ""), "utf8"));
  const first = isJournalRecord(note) ? note.firsts?.[0] : undefined;
  if (notes.length !== 1 || first === undefined) throw new Error(`no such note: ${notes.join(" ")}`);
  return first;
}

const told = (ran: CommandOutcome): string => (ran.ok ? ran.stdout : `${ran.code}: ${ran.why}`);

confined("in one process", () => {
  test.each(rows.filter(({ id }) => !APART.includes(id)))("$id $title", async ({ way, attempts }) => {
    const it = stage();
    const sandbox = createBubblewrap();
    await startMover(it, sandbox, way);
    const said = new Set<string>();
    for (let left = attempts; left > 0; left -= 1) said.add(told(await run(sandbox, it.reader, reading(it))));
    expect([...said]).toEqual(["over\n"]);
    await untilMoving(it);
    expect(fs.readdirSync(it.path("home/.local/share/hallpass/commands"))).toHaveLength(1);
  });

  test("without that the two read the secret together", { timeout: 180_000 }, async () => {
    const it = stage();
    const sandbox = createBubblewrap({ quieten: () => Promise.resolve({ disturbed: false, holds: () => true, end: () => {} }) });
    await startMover(it, sandbox, "slow");
    let leaks = 0;
    for (let left = 150; left > 0 && leaks === 0; left -= 1)
      if (told(await run(sandbox, it.reader, reading(it))).includes("SECRET-ENV")) leaks += 1;
    expect(leaks).toBe(1);
  });

  test.runIf(whyNoKeeper() === null).each([
    { program: "one with a single thread", waiting: "cat ../other/x" },
    // The kernel may hand a signal to the thread that waits, and that one does not take it.
    { program: "one with several threads", waiting: `${process.execPath} -e 'require("node:fs").readFileSync("../other/x")'` },
  ])("a command of which a program waits for a person's answer is stopped as well: $program", { timeout: 180_000 }, async ({ waiting }) => {
    const it = stage();
    const sandbox = createBubblewrap({ path: dirname(process.execPath) });
    let asked = 0;
    const asking = { patience: 100_000, ask: () => ((asked += 1), new Promise<null>(() => {})) };
    const off = new AbortController();
    const options = { session: it.session, cwd: it.session.workspace.dir, network: "none", time: 120_000, outputBytes: 65_536 } as const;
    const ended = sandbox.run(`${waiting} & ${moving("slow")}`, { ...options, asking, signal: off.signal });
    onTestFinished(async () => {
      off.abort();
      await ended;
    });
    await untilMoving(it);
    await expect.poll(() => asked, { timeout: 60_000 }).toBe(1);
    const said = new Set<string>();
    for (let left = 25; left > 0; left -= 1) said.add(told(await run(sandbox, it.reader, reading(it))));
    expect([...said]).toEqual(["over\n"]);
    await untilMoving(it);
  });

  test("what an earlier command of the same session left running is stopped as well", { timeout: 180_000 }, async () => {
    const it = stage();
    const sandbox = createBubblewrap({ lasting: true });
    onTestFinished(() => sandbox.endSession(it.session.id));
    expect(await run(sandbox, it.session, "./mover slow a/w b/w >/dev/null 2>&1 & sleep 0.1")).toMatchObject({
      ok: true,
      left: [expect.stringContaining("mover")],
    });
    await untilMoving(it);
    const said = new Set<string>();
    for (let left = 12; left > 0; left -= 1) said.add(told(await run(sandbox, it.session, reading(it))));
    expect([...said]).toEqual(["over\n"]);
  });

  test("a command that was stopped by somebody who is gone goes on", async () => {
    const it = stage();
    await startMover(it, createBubblewrap(), "plain");
    const { pid } = firstNoted(it);
    signal(pid, "SIGSTOP");
    const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ");
    for (const child of children) signal(Number(child), "SIGSTOP");
    await expect.poll(() => /^State:\s+T/m.test(fs.readFileSync(`/proc/${pid}/status`, "latin1")), { interval: 20 }).toBe(false);
    await untilMoving(it);
  });

  test("where no notes can be kept, the commands of one process know of each other all the same", async () => {
    const it = stage();
    fs.writeFileSync(it.path("home/.local"), "");
    const sandbox = createBubblewrap();
    await startMover(it, sandbox, "plain");
    for (let left = 5; left > 0; left -= 1) expect(told(await run(sandbox, it.reader, reading(it)))).toBe("over\n");
  });
});

confined("in two", () => {
  const env = (it: Stage): Record<string, string> => ({ PATH: process.env["PATH"] ?? "", HOME: it.path("home") });

  /** `hallpass run` with these words: what it printed. */
  function hallpassRun(it: Stage, ...words: string[]): { readonly child: ReturnType<typeof spawn>; readonly said: Promise<string> } {
    const child = spawn(process.execPath, [program, "run", "-q", "--network", "none", "--", ...words], {
      cwd: it.path("ws"),
      env: env(it),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const output of [child.stdout, child.stderr]) output.setEncoding("utf8").on("data", (text: string) => (said += text));
    return { child, said: new Promise((resolve) => child.on("close", () => resolve(said))) };
  }

  /** The same, moving directories until the test is over. */
  async function startRun(it: Stage): Promise<number> {
    const { child, said } = hallpassRun(it, "bash", "-c", moving("plain"));
    onTestFinished(async () => {
      child.kill("SIGTERM");
      await said;
    });
    await untilMoving(it);
    return child.pid ?? 0;
  }

  test("RAC-19 `hallpass run` beside `hallpass run`", async () => {
    const it = stage();
    await startRun(it);
    const said = await Promise.all([1, 2, 3].map(() => hallpassRun(it, "bash", "-c", reading(it)).said));
    expect(said).toEqual(["over\n", "over\n", "over\n"]);
    await untilMoving(it);
  });

  test("RAC-19 a tool beside `hallpass run`, also after the one that had the directories stopped was killed in the middle", async () => {
    const it = stage();
    await startRun(it);
    const tools = startHallpass("tool", { env: env(it) });
    onTestFinished(() => tools.stop());
    const line = { workspace: it.path("ws"), home: it.path("home"), tool: "bash", input: { command: reading(it) } };
    for (let left = 4; left > 0; left -= 1) {
      const { text } = await tools.ask(line, 60_000);
      expect(text).toContain("over");
      expect(text).not.toContain("SECRET-ENV");
      // Another is killed at some moment of its setting up; nobody stays stopped for it, and nobody waits for it.
      const { child, said } = hallpassRun(it, "bash", "-c", reading(it));
      setTimeout(() => child.kill("SIGKILL"), 150 + left * 40);
      expect(await said).not.toContain("SECRET-ENV");
    }
    await untilMoving(it);
  });

  test("RAC-19 `hallpass mcp` beside `hallpass mcp`", async () => {
    const it = stage();
    const flags = ["--alone", "--workspace", it.path("ws")];
    const [mover, reader] = await Promise.all([1, 2].map(() => rawClient(it.path("home"), flags, "2025-11-25", {})));
    onTestFinished(async () => void (await Promise.all([mover?.stop(), reader?.stop()])));
    void mover?.request("tools/call", { name: "bash", arguments: { command: moving("slow") } });
    await untilMoving(it);
    for (let left = 5; left > 0; left -= 1) {
      const said = await reader?.request("tools/call", { name: "bash", arguments: { command: reading(it) } });
      expect(JSON.stringify(said)).toContain("over");
      expect(JSON.stringify(said)).not.toContain("SECRET-ENV");
    }
  });
});
