// hallpass acp: our agent for any editor that speaks the Agent Client Protocol; with `-- <agent command>` a guard between the editor
// and somebody else's agent. Nothing but the protocol is written to the standard output.

import { spawn } from "node:child_process";
import { basename } from "node:path";
import { randomIds, systemClock } from "../../core/clock.ts";
import { HallpassError } from "../../core/errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { createFileReader } from "../file-reader.ts";
import { type Call, oneOf } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { findHostSessions } from "../host-sessions.ts";
import { packageAround } from "../package-around.ts";

/** How long a person is waited for within one request, in milliseconds. */
const PATIENCE = 10 * 60_000;
/** A line may hold a whole file, escaped. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** How long an agent may take to end after its editor is gone, in milliseconds. */
const LAST_MOMENT = 5_000;

export async function acp({ values, rest: command }: Call<"acp">, host: Host): Promise<number> {
  const asking = oneOf("--ask", values.ask ?? "by-guard", ["by-guard", "by-model"]);
  if (command === null) return serve(host, values, asking);
  if (command.length === 0) throw new UsageError("name the agent: hallpass acp -- <command> [its arguments]");
  return guard(host, values, command);
}

type Values = Call<"acp">["values"];

async function serve(host: Host, { model, alone = false }: Values, asking: "by-guard" | "by-model"): Promise<number> {
  const { reachDaemon } = await import("../daemon-connection.ts");
  const { serveAcp } = await import("../../adapters/acp/agent.ts");
  // A model named here is this process's own; the daemon has one already.
  const daemon = alone || model !== undefined ? null : await reachDaemon(host, "acp");
  const app = daemon ?? (await (await import("../own-app.ts")).openOwnApp(host, { via: "acp", model: model ?? null }));
  try {
    await serveAcp({ connection: app, version: packageAround(import.meta.url).version, asking }, host);
  } finally {
    await app.close();
  }
  return exitCodes.done;
}

async function guard(host: Host, values: Values, command: readonly string[]): Promise<number> {
  const { confine = false, alone = false } = values;
  const network = oneOf("--network", values.network ?? "none", ["none", "host"]);
  const { createProxy } = await import("../../adapters/acp/proxy.ts");
  const { commandWords } = await import("../../adapters/acp/inert-words.ts");
  const { listenToLines } = await import("../../adapters/stdio/lines.ts");
  const { createSandbox } = await import("../../sandbox/sandbox.ts");
  const unable = await createSandbox({}).ready();
  if (confine && unable !== null) throw new HallpassError("sandbox-unavailable", unable);
  const ownProgram = [process.execPath, process.argv[1] ?? ""];
  const confined = (workspace: string, cwd: string, words: readonly string[], net: string): readonly string[] => [
    ...ownProgram,
    "run",
    "-q",
    `--workspace=${workspace}`,
    `--network=${net}`,
    ...commandWords({ cwd, words }),
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
  const sessions = await findHostSessions(host, { via: "acp", alone });
  const label = basename(command[0] ?? "agent");
  const dropped = (why: string): void => void host.errors.write(`hallpass: a line from the agent was not passed on: ${why}\n`);
  const proxy = createProxy({
    dropped,
    openHostSession: (workspace, hostSession) => sessions.open({ workspace, hostSession, label, leaves: true }),
    toEditor: (line) => void host.output.write(`${line}\n`),
    toAgent: (line) => void agent.stdin.write(`${line}\n`),
    read: createFileReader({ clock: systemClock, ids: randomIds }),
    confined: unable === null ? (workspace, cwd, args) => confined(workspace, cwd, args, network) : null,
    mcpServer:
      values["no-tools"] !== true
        ? (workspace) => ({ name: "hallpass", command: ownProgram[0], args: [ownProgram[1], "mcp", "--workspace", workspace], env: [] })
        : null,
    clock: systemClock,
    ids: randomIds,
    patience: PATIENCE,
  });
  agent.stdin.on("error", () => {});
  const tooLong = (): void => dropped(`it is longer than ${LONGEST_LINE} bytes`);
  listenToLines(agent.stdout, LONGEST_LINE, { line: (line) => proxy.fromAgent(line), tooLong, end: () => {} });
  listenToLines(host.input, LONGEST_LINE, {
    line: (line) => proxy.fromEditor(line),
    tooLong: () => host.errors.write(`hallpass: a line from the editor was not passed on: it is longer than ${LONGEST_LINE} bytes\n`),
    end() {
      // Nobody is there to answer or to be told: what is asked is withdrawn, and an agent that stays is ended.
      void proxy.close();
      agent.stdin.end();
      setTimeout(() => agent.kill(), LAST_MOMENT).unref();
      // One that does not hear the word to end is ended.
      setTimeout(() => agent.kill("SIGKILL"), 2 * LAST_MOMENT).unref();
    },
  });
  const code = await ended;
  await proxy.close();
  await sessions.close();
  // The editor may leave our input open, and would wait for an agent that is gone.
  host.input.destroy();
  return code;
}
