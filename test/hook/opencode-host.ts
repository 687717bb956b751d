// opencode as far as its shell goes: a command is judged by our plugin, then run by bash as opencode does, with what the plugin says of its environment.

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { ownPrograms, pluginTextFor } from "../../src/adapters/install/index.ts";
import type { Hooks } from "../../src/adapters/opencode/host-types.ts";
import { routes } from "../../src/wire/http.ts";
import { environmentOf, type Program, type Stage, startProgram } from "../server/daemon-process.ts";

export const builtPlugin = (): string => readFileSync(resolve(import.meta.dirname, "../../dist/opencode-plugin.js"), "utf8");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HostShell {
  /** The host's tool: judged by the plugin, then run by bash with what the plugin says of its environment. Rejects where it is refused. */
  command(text: string, change?: Change): Promise<Ended>;
  /** The same, while it runs. */
  start(text: string, change?: Change): Promise<{ readonly pid: number; readonly ended: Promise<Ended> }>;
}

export interface Change {
  /** What another plugin makes of the command, after ours has judged it. */
  readonly rewritten?: string;
  /** What the host, or another plugin, makes of the environment. */
  readonly env?: (env: Record<string, string>) => Record<string, string>;
  /** What stands before the shell. */
  readonly before?: readonly string[];
  /** What its input is. A pipe of Node's is a socket. */
  readonly input?: "ignore" | "pipe";
}

/** `session`: opencode's name for it. */
export async function openHost(on: Stage, directory = on.workspace, session = "ses_1"): Promise<HostShell> {
  const env = Object.fromEntries(
    Object.entries(environmentOf(on)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const file = join(on.root, `plugin-${session}.mjs`);
  writeFileSync(file, pluginTextFor(builtPlugin(), ownPrograms(import.meta.url, process.execPath, process.platform), env));
  const { Hallpass } = (await import(pathToFileURL(file).href)) as { readonly Hallpass: (input: unknown) => Promise<Hooks> };
  const hooks = await Hallpass({ directory, client: {} });
  let calls = 0;
  const start: HostShell["start"] = async (
    text,
    { rewritten = text, env: changed = (same: Record<string, string>) => same, before = [], input = "ignore" } = {},
  ) => {
    const call = { tool: "bash", sessionID: session, callID: `${session}-${(calls += 1)}` };
    await hooks["tool.execute.before"](call, { args: { command: text, description: "x" } });
    const output = { env: {} as Record<string, string> };
    await hooks["shell.env"](call, output);
    const [program, ...words] = [...before, "/bin/bash", "-c", rewritten];
    const child = spawn(program, words, { cwd: directory, env: changed({ ...env, ...output.env }), stdio: [input, "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let [stdout, stderr] = ["", ""];
    child.stdout?.setEncoding("utf8").on("data", (part: string) => (stdout += part));
    child.stderr?.setEncoding("utf8").on("data", (part: string) => (stderr += part));
    const ended = new Promise<Ended>((done, fail) => {
      child.on("error", fail);
      child.on("close", (code) => done({ code, stdout, stderr }));
    });
    return { pid: child.pid ?? 0, ended };
  };
  return { start, command: async (text, change) => (await start(text, change)).ended };
}

/** `within`: what stands before the daemon's program. */
export const startDaemon = (on: Stage, within: readonly string[] = []): Promise<Program> =>
  startProgram(on, { data: join(on.home, ".local/share/hallpass"), within });
export const sessionsOf = ({ client }: Program) => client.send(routes.listSessions, { query: { archived: "false" } });
export const stateOf = async (daemon: Program) => (await sessionsOf(daemon)).map(({ host, shell }) => [host, shell]);
