// hallpass acp: our agent for any editor that speaks the Agent Client Protocol; with `-- <agent command>` a guard between the editor
// and somebody else's agent. Nothing but the protocol is written to the standard output.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { randomIds, systemClock } from "../../core/clock.ts";
import { HallpassError } from "../../core/errors.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { callId } from "../../core/names.ts";
import { realHome } from "../../core/session/session.ts";
import type { AuditEvent } from "../../core/audit.ts";
import type { Desk } from "../../adapters/desk/desk.ts";
import type { ProxyPorts } from "../../adapters/acp/proxy.ts";
import { decodeText, windowOf } from "../../tools/text.ts";
import { exitCodes } from "../exit-codes.ts";
import { oneOf, readWords } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { packageAround } from "../package-around.ts";

const options = {
  model: { type: "string", short: "m" },
  ask: { type: "string" },
  alone: { type: "boolean" },
  confine: { type: "boolean" },
  network: { type: "string" },
  "no-tools": { type: "boolean" },
} as const;

/** How long a person is waited for within one request, in milliseconds. */
const PATIENCE = 10 * 60_000;

export async function acp(words: readonly string[], host: Host): Promise<number> {
  const end = words.indexOf("--");
  const { values, positionals } = readWords(end === -1 ? words : words.slice(0, end), options);
  if (positionals.length > 0) throw new UsageError("hallpass acp takes flags, and another agent's command after --");
  const asking = oneOf("--ask", values.ask ?? "by-guard", ["by-guard", "by-model"]);
  if (end === -1) return serve(host, { model: values.model ?? null, asking, alone: values.alone === true });
  const command = words.slice(end + 1);
  if (command.length === 0) throw new UsageError("say which agent: hallpass acp -- <command> [its arguments]");
  const network = oneOf("--network", values.network ?? "none", ["none", "host"]);
  return guard(host, {
    command,
    network,
    confine: values.confine === true,
    tools: values["no-tools"] !== true,
    alone: values.alone === true,
  });
}

interface ServeFlags {
  readonly model: string | null;
  readonly asking: "by-guard" | "by-model";
  readonly alone: boolean;
}

async function serve(host: Host, { model, asking, alone }: ServeFlags): Promise<number> {
  const { findDaemon } = await import("../daemon-backend.ts");
  const { openProcessBackend } = await import("../process-backend.ts");
  const { serveAcp } = await import("../../adapters/acp/serve.ts");
  // A model named here is this process's own; the daemon has one already.
  const daemon = alone || model !== null ? null : await findDaemon(host, "acp");
  const backend = daemon ?? (await openProcessBackend(host, { model, preset: null, remark: null }));
  try {
    await serveAcp({ reached: backend, version: packageAround(import.meta.url).version, asking }, host);
  } finally {
    await backend.close();
  }
  return exitCodes.done;
}

interface GuardFlags {
  readonly command: readonly string[];
  readonly network: "none" | "host";
  readonly confine: boolean;
  readonly tools: boolean;
  readonly alone: boolean;
}

async function guard(host: Host, { command, network, confine, tools, alone }: GuardFlags): Promise<number> {
  const { createProxy } = await import("../../adapters/acp/proxy.ts");
  const { createSandbox } = await import("../../sandbox/sandbox.ts");
  const unable = await createSandbox({}).ready();
  if (confine && unable !== null) throw new HallpassError("sandbox-unavailable", unable);
  const ours = [process.execPath, process.argv[1] ?? ""];
  const confined = (workspace: string, cwd: string, words: readonly string[], net: string): readonly string[] => [
    ...ours,
    "run",
    "-q",
    `--workspace=${workspace}`,
    `--cwd=${cwd}`,
    `--network=${net}`,
    "--",
    ...words,
  ];
  // The agent itself needs its model, so its own network stays open.
  const [program = "", ...words] = confine ? confined(host.cwd, host.cwd, command, "host") : command;
  const agent = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"], cwd: host.cwd });
  const ended = new Promise<number>((resolve) => {
    agent.on("error", (error) => {
      host.errors.write(`hallpass: the agent could not be started: ${error.message}\n`);
      resolve(exitCodes.fault);
    });
    agent.on("exit", (code) => resolve(code ?? exitCodes.fault));
  });
  const desks = await openDesks(host, alone, command[0] ?? "agent");
  const proxy = createProxy({
    openDesk: desks.open,
    toEditor: (line) => void host.output.write(`${line}\n`),
    toAgent: (line) => void agent.stdin.write(`${line}\n`),
    read,
    confined: unable === null ? (workspace, cwd, given) => confined(workspace, cwd, given, network) : null,
    mcpServer: tools
      ? (workspace) => ({ name: "hallpass", command: ours[0], args: [ours[1], "mcp", "--workspace", workspace], env: [] })
      : null,
    clock: systemClock,
    ids: randomIds,
    patience: PATIENCE,
  });
  agent.stdin.on("error", () => {});
  createInterface({ input: agent.stdout }).on("line", (line) => proxy.fromAgent(line));
  createInterface({ input: host.input })
    .on("line", (line) => proxy.fromEditor(line))
    .on("close", () => agent.stdin.end());
  const code = await ended;
  await proxy.close();
  await desks.close();
  return code;
}

async function openDesks(host: Host, alone: boolean, label: string): Promise<{ open: ProxyPorts["openDesk"]; close(): Promise<void> }> {
  const { daemonClient, findDaemon } = await import("../daemon-client.ts");
  const { openOwnApp } = await import("../own-app.ts");
  const { openDesk } = await import("../../adapters/desk/wire-desk.ts");
  const { createPolicyFor } = await import("../../config/policy-for.ts");
  const { env, platform } = host;
  const home = realHome(host.home);
  const found = alone ? null : await findDaemon({ home: host.home, env, platform });
  const daemon = found === null ? null : daemonClient(found, "acp");
  const own = daemon === null ? await openOwnApp({ home, env, platform, clock: systemClock, ids: randomIds, via: "acp" }) : null;
  const policyFor = createPolicyFor({ home, env, platform });
  return {
    open(workspace, session) {
      const way = own ?? (daemon === null ? null : { client: daemon, fetch: daemon.fetch, connect: daemon.connect });
      if (way === null) throw new HallpassError("io-error", "there is nowhere to keep the session");
      const visitor = { host: "acp", hostSession: session, workspace, label };
      return openDesk({ ...way, shared: daemon !== null, home, policyFor, clock: systemClock, ids: randomIds, visitor });
    },
    async close() {
      daemon?.close();
      await own?.close();
    },
  };
}

/** A file of a granted or mounted directory, opened through the guard: what is judged is what is read. */
const read: ProxyPorts["read"] = async (desk: Desk, { path, line, limit }) => {
  const events: AuditEvent[] = [];
  const access = { call: callId(`acp-${randomIds()}`), tool: "fs/read_text_file", operation: "read", path } as const;
  const session = await desk.session(access.call);
  const used = await createGuard({ audit: (event) => events.push(event) }).use(access, session, (file) => file.lend(LARGEST, decodeText));
  await desk.record(events);
  const text = used.verdict === "allow" && used.done.ok && used.done.value.ok ? used.done.value.value : null;
  if (text === null) throw new HallpassError("os-denied", "it cannot be read as text");
  return line === null && limit === null ? text : windowOf(text, line ?? 1, limit ?? Number.MAX_SAFE_INTEGER).text;
};

const LARGEST = 16 * 1024 * 1024;
