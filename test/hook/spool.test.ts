// No gaps in the record: what hooks decide while the daemon is away, silent or held up is in the record once, in order and marked late, whenever
// either of them is killed; and where the policy says so, nothing is decided without the daemon.

import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type DecisionEvent, SPOOL, SPOOL_BYTES, spoolLine } from "../../src/adapters/hook/spool.ts";
import { callId, sessionId } from "../../src/core/names.ts";
import { openStore } from "../../src/store/open.ts";
import { environmentOf, type Stage, stage, startProgram } from "../server/daemon-process.ts";

const script = join(import.meta.dirname, "../../bin/hallpass-hook");

interface Told {
  readonly exit: number | null;
  readonly text: string;
}

/** Claude Code's hook for one reading call of this name; killed after so many milliseconds, or never. */
function hook(on: Stage, call: string, { path = "notes.txt", killed = -1, session = "s1" } = {}): Promise<Told> {
  const env = { ...environmentOf(on), HALLPASS_DATA: on.data(), HALLPASS_NODE: process.execPath, CLAUDE_PROJECT_DIR: on.workspace };
  const child = spawn(script, ["claude-code"], { cwd: on.workspace, env, detached: true });
  let text = "";
  child.stdout.on("data", (piece: Buffer) => (text += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (text += piece.toString()));
  const asked = {
    session_id: session,
    hook_event_name: "PreToolUse",
    tool_name: "Read",
    tool_input: { file_path: path },
    cwd: on.workspace,
  };
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify({ ...asked, tool_use_id: call, permission_mode: "default" }));
  // The whole group: the shell, Node and whatever else it has started.
  const timer = killed < 0 ? null : setTimeout(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"), killed);
  return new Promise((resolve) => {
    child.on("close", (exit) => {
      if (timer !== null) clearTimeout(timer);
      resolve({ exit, text });
    });
  });
}

/** Every decision that is in the record, in its order; the chain must be whole. The daemon must be stopped. */
async function recordOf(on: Stage): Promise<readonly DecisionEvent[]> {
  const store = await openStore({ databaseUrl: null, file: join(on.data(), "hallpass.db") });
  try {
    expect(await store.verifyAudit()).toBeNull();
    return (await store.audit({})).flatMap(({ event }) => (event.kind === "decision" ? [event] : []));
  } finally {
    await store.close();
  }
}
const namesOf = (events: readonly DecisionEvent[]): readonly string[] => events.map(({ call }) => call);

const spoolOf = (on: Stage): string => join(on.data(), SPOOL.dir, SPOOL.file);
/** Neither a spool is left nor one that was moved away. */
const isTaken = (on: Stage) =>
  vi.waitFor(() => expect(readdirSync(join(on.data(), SPOOL.dir)).filter((name) => name.startsWith(SPOOL.file))).toEqual([]), {
    timeout: 60_000,
  });

/** Start the daemon, wait until it has taken everything, and stop it. */
async function takeAll(on: Stage): Promise<readonly DecisionEvent[]> {
  const daemon = await startProgram(on, { data: on.data() });
  await isTaken(on);
  await daemon.stop();
  return recordOf(on);
}

test("the daemon is gone and comes back: what was decided meanwhile, by two hooks at once too, is in the record once and late", async () => {
  const on = stage();
  const daemon = await startProgram(on, { data: on.data() });
  expect(await hook(on, "before")).toEqual({ exit: 0, text: "" });
  await daemon.kill();
  expect(await hook(on, "alone")).toEqual({ exit: 0, text: "" });
  expect((await hook(on, "refused", { path: ".env" })).text).toContain('"deny"');
  await Promise.all(["two-a", "two-b"].map((name) => hook(on, name)));
  const events = await takeAll(on);
  expect(namesOf(events).slice(0, 3)).toEqual(["before", "alone", "refused"]);
  expect(namesOf(events).slice(3).toSorted()).toEqual(["two-a", "two-b"]);
  expect(events.map(({ late }) => late !== undefined)).toEqual([false, true, true, true, true]);
  // The agent's own session: the daemon knew it.
  expect(new Set(events.map(({ session }) => session)).size).toBe(1);
}, 180_000);

test("a daemon that says nothing for four seconds is not obeyed later: the call is decided, and recorded, once", async () => {
  const on = stage();
  const daemon = await startProgram(on, { data: on.data() });
  await hook(on, "before");
  process.kill(daemon.pid, "SIGSTOP");
  try {
    expect(await hook(on, "silent")).toEqual({ exit: 0, text: "" });
  } finally {
    process.kill(daemon.pid, "SIGCONT");
  }
  await isTaken(on);
  await daemon.stop();
  const events = await recordOf(on);
  expect(events.map(({ call, late }) => [call, late !== undefined])).toEqual([
    ["before", false],
    ["silent", true],
  ]);
}, 180_000);

test("a hook that is killed at any moment is in the record once if it has spoken, and at most once if it has not", async () => {
  const on = stage();
  const began = performance.now();
  await hook(on, "first");
  const whole = performance.now() - began;
  const told = ["first"];
  for (let number = 0; number < 14; number += 1) {
    const name = `k${number}`;
    if ((await hook(on, name, { killed: (whole * 1.2 * number) / 14 })).exit === 0) told.push(name);
  }
  await hook(on, "last");
  const names = namesOf(await takeAll(on));
  expect(new Set(names).size).toBe(names.length);
  expect([...told, "last"].filter((name) => !names.includes(name))).toEqual([]);
}, 180_000);

test("a daemon that is killed at any moment while it adds the spool adds each decision once and in order", async () => {
  const on = stage();
  const wanted = Array.from({ length: 3_000 }, (_, number) => `c${number}`);
  mkdirSync(join(on.data(), SPOOL.dir), { recursive: true, mode: 0o700 });
  const lines = wanted.map((call) =>
    spoolLine({ host: "codex", workspace: on.workspace, sessionId: "s", agentId: null, events: [event(call)] }),
  );
  appendFileSync(spoolOf(on), Buffer.concat(lines), { mode: 0o600 });
  for (const milliseconds of [0, 20, 60, 120]) {
    const daemon = await startProgram(on, { data: on.data() });
    await new Promise((resolve) => void setTimeout(resolve, milliseconds));
    await daemon.kill();
  }
  // What hooks decide meanwhile goes to another file.
  await hook(on, "later");
  expect(namesOf(await takeAll(on))).toEqual([...wanted, "later"]);
}, 180_000);

test("where the policy says so, nothing is let through without the daemon; a hook is armed all the same", async () => {
  const on = stage();
  writeFileSync(join(on.home, ".config/hallpass/policy.json"), JSON.stringify({ hooks: { without_daemon: "deny" } }));
  const refused = await hook(on, "away");
  expect([refused.exit, refused.text]).toMatchObject([2, expect.stringMatching(/hooks\.without_daemon.*hallpass serve/)]);
  expect(existsSync(spoolOf(on))).toBe(false);
  expect(await hook(on, "canary", { session: "hallpass-canary" })).toEqual({ exit: 0, text: "" });
  const daemon = await startProgram(on, { data: on.data() });
  expect(await hook(on, "there")).toEqual({ exit: 0, text: "" });
  await daemon.stop();
  expect(namesOf(await recordOf(on))).toEqual(["there"]);
}, 180_000);

test("a spool that is full, or cannot be written, denies and says what to do; without that a call passes", async () => {
  const on = stage();
  mkdirSync(join(on.data(), SPOOL.dir), { recursive: true, mode: 0o700 });
  appendFileSync(spoolOf(on), Buffer.alloc(SPOOL_BYTES), { mode: 0o600 });
  const full = await hook(on, "full");
  expect([full.exit, full.text]).toMatchObject([2, expect.stringMatching(/spool` is full .*hallpass serve/)]);
  rmSync(spoolOf(on));
  mkdirSync(spoolOf(on));
  const shut = await hook(on, "shut");
  expect([shut.exit, shut.text]).toMatchObject([2, expect.stringMatching(/cannot be written/)]);
  rmSync(spoolOf(on), { recursive: true });
  expect(await hook(on, "well")).toEqual({ exit: 0, text: "" });
}, 180_000);

const event = (call: string): DecisionEvent => ({
  kind: "decision",
  at: 1,
  session: sessionId("session"),
  call: callId(call),
  tool: "shell",
  operation: "read",
  requested: "a",
  real: null,
  verdict: "allow",
  reason: "in-workspace",
  rule: null,
  root: null,
  grant: null,
  ask: null,
  fault: null,
});
