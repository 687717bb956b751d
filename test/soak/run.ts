// npm run soak: a daemon at work for half an hour (`-- --minutes N`) with everything that is asked of it at once: hooks, an MCP server, chats,
// answers and revocations, page loads, and a workspace that changes. At the end memory, descriptors, the write-ahead log and the processor time
// of a decision are within a tenth of what they were at minute five (of a shorter run: after a sixth of it), every decision is recorded, and the
// chain is whole. `--heap DIR` leaves snapshots of the daemon's heap there, one each sixth of the time: what is in all of the later ones and grows is a leak.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve as resolvePath } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client as McpClient } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { connectDaemon } from "../../src/cli/daemon-connection.ts";
import { openStore } from "../../src/store/open.ts";
import { createClient } from "../../src/wire/client.ts";
import type { AppConnection } from "../../src/wire/connection.ts";
import { routes } from "../../src/wire/http.ts";
import { cpuOf, memoryOf } from "../support/cpu-of.ts";
import { judgeSoak, type Sample, type SoakEnd } from "./judge-soak.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "30" }, files: { type: "string" }, heap: { type: "string" } },
});
const MINUTES = Number(values.minutes);
const FILES = Number(values.files ?? (MINUTES >= 15 ? 100_000 : 2000));
const program = join(import.meta.dirname, "../../bin/hallpass.js");
const hook = join(import.meta.dirname, "../../bin/hallpass-hook");
const root = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-soak-")));
const at = (...names: string[]): string => join(root, ...names);
const env = { PATH: process.env["PATH"] ?? "", HOME: at("home"), CI: "1", HALLPASS_DATA: at("data"), HALLPASS_NODE: process.execPath };

let faults = 0;
/** How often each kind of work was done. */
const done: Record<string, number> = {};
/** The calls that were answered by a decision, by the names that the record has for them; an MCP server names its calls itself. */
const answered = new Set<string>();
let mcpReads = 0;
/** Repositories that are denied: a no counts for five minutes, and is not asked about again until then. */
const DENIED = 600;
/** What waits longer waits in vain. */
const PATIENCE = 60_000;
const over = new AbortController();

/** Do it again and again until the end; what fails is counted and told once for each kind. */
async function repeat(kind: string, every: number, work: (number: number) => Promise<unknown>): Promise<void> {
  const told = new Set<string>();
  done[kind] = 0;
  for (let number = 1; !over.signal.aborted; number += 1) {
    try {
      await work(number);
      done[kind] += 1;
    } catch (error) {
      faults += 1;
      if (!told.has(kind)) console.log(`a fault of ${kind}: ${error instanceof Error ? error.message : "unknown"}`);
      told.add(kind);
    }
    await sleep(every);
  }
}

try {
  process.exitCode = (await soaked()) ? 0 : 1;
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}

async function soaked(): Promise<boolean> {
  prepare();
  const { heap } = values;
  if (heap !== undefined) mkdirSync(heap, { recursive: true });
  const flags = heap === undefined ? [] : ["--heapsnapshot-signal=SIGUSR2", `--diagnostic-dir=${resolvePath(heap)}`];
  const child = spawn(process.execPath, [...flags, program, "serve", "--no-open", "--link", "--port", "0", "--asks-per-minute", "10000"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended: Promise<(number | null)[]> = once(child, "exit");
  process.on("exit", () => child.kill("SIGKILL"));
  const [, address = "", token = ""] = await new Promise<RegExpExecArray>((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (text: Buffer) => {
      said += text.toString();
      const found = /(https?:\/\/\S+)\/#token=([^\s&]+)/.exec(said);
      if (found !== null) resolve(found);
    });
    child.on("exit", () => reject(new Error("the daemon did not start")));
  });
  const app = connectDaemon({ address, token, socketPath: null }, "test");
  const mcp = await startMcp();
  const work = [
    repeat("hooks", 500, callHook),
    repeat("MCP reads", 50, (number) => readByMcp(mcp, `d1/name-${1 + (number % 10)}.txt`)),
    repeat("answers", 250, askAndRevoke(app)),
    repeat("chats", 3000, () => chat(app)),
    repeat("pages", 1000, () => loadPage(app)),
    repeat("changes", 20, changeWorkspace),
  ];
  const samples = await sampled(child.pid ?? 0);
  over.abort();
  await Promise.all(work);
  await mcp.close();
  await app.close();
  child.kill("SIGTERM");
  const [exitCode = null] = await ended;
  const checks = judgeSoak(samples, MINUTES, { faults, exitCode, ...(await recorded()) });
  for (const { name, isOk, says } of checks) console.log(`${isOk ? "ok  " : "BAD "} ${name.padEnd(16)} ${says}`);
  return checks.every(({ isOk }) => isOk);
}

/** What the record has of it, once nobody writes to it any more. */
async function recorded(): Promise<Pick<SoakEnd, "brokenAt" | "recorded" | "unrecorded">> {
  const file = at("data/hallpass.db");
  if (statSync(file, { throwIfNoEntry: false }) === undefined) throw new Error("there is no store");
  const store = await openStore({ databaseUrl: null, file });
  try {
    const missing = new Set(answered);
    let [decisions, ofMcp] = [0, 0];
    for (let page: Awaited<ReturnType<typeof store.audit>> | null = null; page === null || page.length > 0;) {
      page = await store.audit({ kind: "decision", after: page?.at(-1)?.sequence ?? 0, limit: 1000 });
      for (const { event } of page) {
        if (event.kind !== "decision") continue;
        decisions += 1;
        missing.delete(event.call);
        if (event.call.startsWith("mcp-") && event.verdict === "allow") ofMcp += 1;
      }
    }
    const unrecorded = ofMcp >= mcpReads ? [...missing] : [...missing, `${mcpReads - ofMcp} reads of the MCP server`];
    return { brokenAt: await store.verifyAudit(), recorded: decisions, unrecorded };
  } finally {
    await store.close();
  }
}

function prepare(): void {
  const repositories = ["lib", ...Array.from({ length: DENIED }, (_, number) => `denied/r${number}`)];
  for (const dir of ["home/.config/hallpass", "data", ...repositories.map((name) => `${name}/.git`)])
    mkdirSync(at(dir), { recursive: true, mode: 0o700 });
  writeFileSync(at("home/.config/hallpass/policy.json"), JSON.stringify({ ceilings: [root] }));
  for (const name of repositories) writeFileSync(at(name, "far.txt"), "far\n");
  for (let dir = 1; dir <= 100; dir += 1) {
    mkdirSync(at("ws", `d${dir}`), { recursive: true });
    for (let number = 1; number <= FILES / 100; number += 1) writeFileSync(at("ws", `d${dir}`, `name-${number}.txt`), "text\n");
  }
}

async function startMcp(): Promise<McpClient> {
  const client = new McpClient({ name: "soak", version: "1" }, { capabilities: {} });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, "mcp", "--workspace", at("ws")], env, stderr: "ignore" }),
  );
  return client;
}

async function callHook(number: number): Promise<void> {
  const child = spawn(hook, ["claude-code"], {
    cwd: at("ws"),
    env: { ...env, CLAUDE_PROJECT_DIR: at("ws") },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.on("error", () => {});
  const call = `hook-${number}`;
  const asked = { session_id: "soak", hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "d1/name-1.txt" } };
  child.stdin.end(JSON.stringify({ ...asked, cwd: at("ws"), tool_use_id: call, permission_mode: "default" }));
  const [code]: (number | null)[] = await once(child, "exit");
  if (code !== 0) throw new Error(`the hook ended with ${code}`);
  answered.add(call);
}

async function readByMcp(mcp: McpClient, path: string): Promise<void> {
  const { isError } = await mcp.callTool({ name: "read_file", arguments: { path } });
  if (isError === true) throw new Error(`${path} was not read`);
  mcpReads += 1;
}

/** One session in which much is asked, answered in each way, and taken back. */
function askAndRevoke(app: AppConnection): (number: number) => Promise<void> {
  const registered = app.client.send(routes.register, { body: { host: "soak", hostSession: "one", workspace: at("ws") } });
  return async (number) => {
    const { credential } = await registered;
    const agent = createClient({ address: app.client.address, token: credential, fetch: app.fetch, via: "soak" });
    const decision = (["deny", "allow_once", "allow"] as const)[number % 3] ?? "deny";
    const path = decision === "deny" ? at(`denied/r${(number / 3) % DENIED}`, "far.txt") : at("lib/far.txt");
    const access = { call: `c${number}`, tool: "Read", operation: "read" as const, path };
    const asked = await agent.send(routes.agentAsk, { body: { ...access, reason: null } });
    if (asked.state !== "waiting") throw new Error(`nobody was asked: ${asked.text}`);
    const { grant } = await app.client.send(routes.answer, { id: asked.ask.id, body: { decision } });
    const { verdict } = await agent.send(routes.decide, { body: access });
    answered.add(access.call);
    if ((verdict === "allow") !== (decision !== "deny")) throw new Error(`${verdict} after ${decision}`);
    if (grant !== null) await app.client.send(routes.revoke, { id: grant.id });
  };
}

async function chat({ client }: AppConnection): Promise<void> {
  const { id: session } = await client.send(routes.addSession, { body: { workspace: at("ws") } });
  const { id } = await client.send(routes.addChat, { body: { session, title: "soak" } });
  await client.send(routes.say, { id, body: { text: "read d1/name-1.txt" } });
  for (const until = performance.now() + PATIENCE; ;) {
    const { messages } = await client.send(routes.messages, { id, query: { limit: 50 } });
    const last = messages.at(-1);
    if (last?.role === "agent" && last.calls.length === 0 && last.error === null) break;
    if (performance.now() > until) throw new Error("a chat did not end");
    await sleep(100);
  }
  await client.send(routes.archiveSession, { id: session });
}

/** What a page asks for when it is opened: everything that is listed, and a socket. */
async function loadPage(app: AppConnection): Promise<void> {
  const { client } = app;
  await Promise.all([
    client.send(routes.listSessions, {}),
    client.send(routes.listAsks, { query: { state: "open" } }),
    client.send(routes.listGrants, {}),
    client.send(routes.audit, { query: { limit: 100 } }),
  ]);
  let socket: { close(): void } | null = null;
  const live = new Promise<true>((resolve) => {
    socket = app.subscribe({ chats: "all", frame: () => {}, connection: (state) => void (state === "live" && resolve(true)) });
  });
  const timer = new AbortController();
  const isLive = await Promise.race([live, sleep(PATIENCE, false, { signal: timer.signal }).catch(() => false)]);
  timer.abort();
  (socket as { close(): void } | null)?.close();
  if (!isLive) throw new Error("a page's socket did not come up");
}

async function changeWorkspace(number: number): Promise<void> {
  const file = at("ws", `d${1 + (number % 100)}`, `changing-${number % 500}.txt`);
  writeFileSync(file, `${number}\n`);
  if (number % 3 === 0) renameSync(file, `${file}.moved`);
  if (number % 3 === 1) rmSync(file);
}

async function sampled(pid: number): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const [began, pause] = [performance.now(), Math.min(15_000, (MINUTES * 60_000) / 48)];
  let snapshots = 0;
  console.log("minute  memory  descriptors     log  decisions  CPU a decision");
  while (performance.now() - began < MINUTES * 60_000) {
    await sleep(pause);
    const log = statSync(at("data/hallpass.db-wal"), { throwIfNoEntry: false })?.size ?? null;
    const sample: Sample = {
      minute: (performance.now() - began) / 60_000,
      memory: memoryOf(pid)?.now ?? null,
      descriptors: descriptorsOf(pid),
      log: log === null ? null : log / 1_048_576,
      cpu: cpuOf(pid),
      done: { ...done },
      decisions: answered.size + mcpReads,
    };
    const last = samples.at(-1) ?? { cpu: sample.cpu, decisions: 0 };
    samples.push(sample);
    const cpu = ((sample.cpu ?? 0) - (last.cpu ?? 0)) / Math.max(1, sample.decisions - last.decisions);
    const words = [sample.minute.toFixed(1), sample.memory?.toFixed(0), sample.descriptors, sample.log?.toFixed(2), sample.decisions];
    const widths = [6, 6, 11, 6, 9];
    console.log(`${words.map((word, at) => String(word).padStart(widths[at] ?? 0)).join("  ")}  ${cpu.toFixed(2).padStart(11)} ms`);
    if (values.heap !== undefined && sample.minute >= ((snapshots + 1) * MINUTES) / 6 - 0.1) {
      snapshots += 1;
      process.kill(pid, "SIGUSR2");
    }
  }
  return samples;
}

function descriptorsOf(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return null;
  }
}
