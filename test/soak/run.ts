// npm run soak: a daemon at work for half an hour (`-- --minutes N`) with everything that is asked of it at once: hooks, an MCP server, chats,
// answers and revocations, page loads, and a workspace that changes. At the end memory, descriptors, the write-ahead log and the processor time
// of an operation are within a tenth of what they were at minute five (of a shorter run: after a sixth of it), and the chain is whole.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" }, files: { type: "string" } } });
const MINUTES = Number(values.minutes);
const FILES = Number(values.files ?? (MINUTES >= 15 ? 100_000 : 2000));
const program = join(import.meta.dirname, "../../bin/hallpass.js");
const hook = join(import.meta.dirname, "../../bin/hallpass-hook");
const root = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-soak-")));
const at = (...names: string[]): string => join(root, ...names);
const env = { PATH: process.env["PATH"] ?? "", HOME: at("home"), CI: "1", HALLPASS_DATA: at("data"), HALLPASS_NODE: process.execPath };

interface Sample {
  readonly minute: number;
  /** Megabytes. */
  readonly memory: number;
  readonly descriptors: number;
  /** Megabytes. */
  readonly log: number;
  /** Milliseconds of the daemon's processor time for each operation since the sample before. */
  readonly cpu: number;
  readonly operations: number;
}

/** So much may anything grow. */
const SHARE = 1.1;
let [operations, faults] = [0, 0];
const over = new AbortController();

/** Do it again and again until the end; what fails is counted and told once. */
async function repeat(every: number, work: () => Promise<unknown>): Promise<void> {
  while (!over.signal.aborted) {
    try {
      await work();
      operations += 1;
    } catch (error) {
      if (!over.signal.aborted && (faults += 1) === 1) console.log(`a fault: ${error instanceof Error ? error.message : "unknown"}`);
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
  const child = spawn(process.execPath, [program, "serve", "--no-open", "--link", "--port", "0", "--asks-per-minute", "10000"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
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
    repeat(500, () => callHook(String(operations))),
    repeat(50, () => mcp.callTool({ name: "read_file", arguments: { path: `d1/name-${1 + (operations % 10)}.txt` } })),
    repeat(250, askAndRevoke(app)),
    repeat(3000, () => chat(app)),
    repeat(1000, () => loadPage(app)),
    repeat(20, changeWorkspace()),
  ];
  const samples = await sampled(child.pid ?? 0);
  over.abort();
  await Promise.all(work);
  await mcp.close();
  await app.close();
  child.kill("SIGTERM");
  await ended;
  const store = await openStore({ databaseUrl: null, file: at("data/hallpass.db") });
  const broken = await store.verifyAudit();
  await store.close();
  return judged(samples, broken);
}

function prepare(): void {
  for (const dir of ["home/.config/hallpass", "data", "lib/.git"]) mkdirSync(at(dir), { recursive: true, mode: 0o700 });
  writeFileSync(at("home/.config/hallpass/policy.json"), JSON.stringify({ ceilings: [root] }));
  writeFileSync(at("lib/far.txt"), "far\n");
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

async function callHook(call: string): Promise<void> {
  const child = spawn(hook, ["claude-code"], {
    cwd: at("ws"),
    env: { ...env, CLAUDE_PROJECT_DIR: at("ws") },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.on("error", () => {});
  const asked = { session_id: "soak", hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "d1/name-1.txt" } };
  child.stdin.end(JSON.stringify({ ...asked, cwd: at("ws"), tool_use_id: call, permission_mode: "default" }));
  await once(child, "exit");
}

/** One session in which much is asked, answered in each way, and taken back. */
function askAndRevoke(app: AppConnection): () => Promise<void> {
  let number = 0;
  const registered = app.client.send(routes.register, { body: { host: "soak", hostSession: "one", workspace: at("ws") } });
  return async () => {
    const { credential } = await registered;
    const agent = createClient({ address: app.client.address, token: credential, fetch: app.fetch, via: "soak" });
    number += 1;
    const access = { call: `c${number}`, tool: "Read", operation: "read" as const, path: at("lib/far.txt") };
    const asked = await agent.send(routes.agentAsk, { body: { ...access, reason: null } });
    if (asked.state !== "waiting") return;
    const decision = (["deny", "allow_once", "allow"] as const)[number % 3] ?? "deny";
    const { grant } = await app.client.send(routes.answer, { id: asked.ask.id, body: { decision } });
    await agent.send(routes.decide, { body: access });
    if (grant !== null) await app.client.send(routes.revoke, { id: grant.id });
  };
}

async function chat({ client }: AppConnection): Promise<void> {
  const { id: session } = await client.send(routes.addSession, { body: { workspace: at("ws") } });
  const { id } = await client.send(routes.addChat, { body: { session, title: "soak" } });
  await client.send(routes.say, { id, body: { text: "read d1/name-1.txt" } });
  await sleep(1000);
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
  const live = new Promise<void>((resolve) => {
    socket = app.subscribe({ chats: "all", frame: () => {}, connection: (state) => void (state === "live" && resolve()) });
  });
  await Promise.race([live, sleep(5000)]);
  (socket as { close(): void } | null)?.close();
}

function changeWorkspace(): () => Promise<void> {
  let number = 0;
  return async () => {
    number += 1;
    const file = at("ws", `d${1 + (number % 100)}`, `changing-${number % 500}.txt`);
    writeFileSync(file, `${number}\n`);
    if (number % 3 === 0) renameSync(file, `${file}.moved`);
    if (number % 3 === 1) rmSync(file);
  };
}

async function sampled(pid: number): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const [began, pause] = [performance.now(), Math.min(15_000, (MINUTES * 60_000) / 24)];
  let [cpu, done] = [cpuOf(pid) ?? 0, operations];
  console.log("minute  memory  descriptors     log  CPU an operation  operations");
  while (performance.now() - began < MINUTES * 60_000) {
    await sleep(pause);
    const used = cpuOf(pid) ?? 0;
    const sample = {
      minute: (performance.now() - began) / 60_000,
      memory: memoryOf(pid)?.now ?? 0,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      log: statSync(at("data/hallpass.db-wal"), { throwIfNoEntry: false })?.size ?? 0,
      cpu: (used - cpu) / Math.max(1, operations - done),
      operations,
    };
    samples.push({ ...sample, log: sample.log / 1_048_576 });
    [cpu, done] = [used, operations];
    const { minute, memory, descriptors, log, cpu: each } = samples.at(-1) ?? sample;
    console.log(
      `${minute.toFixed(1).padStart(6)}  ${memory.toFixed(0).padStart(6)}  ${String(descriptors).padStart(11)}  ${log.toFixed(2).padStart(6)}  ${each.toFixed(2).padStart(13)} ms  ${String(operations).padStart(10)}`,
    );
  }
  return samples;
}

function judged(samples: readonly Sample[], broken: number | null): boolean {
  const early = samples.filter(({ minute }) => minute >= MINUTES / 6 && minute <= MINUTES / 3);
  const late = samples.filter(({ minute }) => minute >= (MINUTES * 5) / 6);
  const median = (of: readonly Sample[], name: keyof Sample): number =>
    of.map((one) => one[name]).toSorted((a, b) => a - b)[of.length >> 1] ?? 0;
  let isWell = broken === null && faults === 0;
  for (const [name, room] of [
    ["memory", 5],
    ["descriptors", 2],
    ["log", 0.5],
    ["cpu", 0.05],
  ] as const) {
    const [before, after] = [median(early, name), median(late, name)];
    const isOk = after <= before * SHARE + room;
    isWell &&= isOk;
    console.log(`${isOk ? "ok  " : "GREW"} ${name.padEnd(12)} ${before.toFixed(2)} → ${after.toFixed(2)}`);
  }
  console.log(
    `${broken === null ? "ok   the chain is whole" : `BAD  the chain breaks at ${broken}`}; ${operations} operations, ${faults} faults`,
  );
  return isWell;
}
