// Starts our programs for the plugin and reads what they say. Whatever is not a plain answer within the time is thrown.

import { execFile } from "node:child_process";
import { NODE_VARIABLES } from "../../core/node-variables.ts";
import { isRecord, parseJson } from "../../core/record.ts";
import { textAt } from "./host-types.ts";

/** Absolute paths, put before this module by the installation. */
export interface ProgramPaths {
  readonly node: string;
  readonly hook: string;
  readonly entry: string;
  /** What the host's bash reads before a command. */
  readonly shell: string;
  /** The file that says where the daemon listens for hooks and shells. */
  readonly socket: string;
  /** Words of the environment that lead to our own files, as they were at the installation: a project may set the host's. */
  readonly env: Readonly<Record<string, string>>;
  /** Seconds for which a person is waited for. */
  readonly wait: number;
}

export function installedOf(value: unknown): ProgramPaths {
  const [node, hook, entry, shell, socket] = ["node", "hook", "entry", "shell", "socket"].map((key) => textAt(value, key));
  const paths = { node: node ?? "", hook: hook ?? "", entry: entry ?? "", shell: shell ?? "", socket: socket ?? "" };
  if (Object.values(paths).includes(""))
    throw new Error("hallpass: hook-failed: the plugin was not put here by `hallpass install opencode`");
  const env = isRecord(value) && isRecord(value["env"]) ? Object.entries(value["env"]) : [];
  const wait = isRecord(value) && typeof value["wait"] === "number" ? value["wait"] : 0;
  return { ...paths, wait, env: Object.fromEntries(env.filter((pair): pair is [string, string] => typeof pair[1] === "string")) };
}

export interface ProgramExit {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramPlace {
  readonly cwd: string;
  readonly milliseconds: number;
  readonly env: ProgramPaths["env"];
  /** Ends the program: nobody wants its answer any longer. */
  readonly abort?: AbortSignal | undefined;
}

/** No answer of ours is larger. */
const ANSWER = 1024 * 1024;

export function run(argv: readonly string[], input: string, { cwd, milliseconds, env: pinned, abort }: ProgramPlace): Promise<ProgramExit> {
  return new Promise((resolve, reject) => {
    const [program = "", ...rest] = argv;
    // Other people's code must not come into the judge by way of the environment.
    const foreign: readonly string[] = NODE_VARIABLES;
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.includes(name)));
    const place = { cwd, env: { ...env, ...pinned }, signal: abort };
    const bounds = { timeout: milliseconds, killSignal: "SIGKILL", maxBuffer: ANSWER } as const;
    const child = execFile(program, rest, { ...place, ...bounds }, (error, stdout, stderr) => {
      if (child.pid !== undefined) resolve({ exit: child.exitCode, stdout, stderr });
      else reject(new Error(`hallpass: hook-failed: ${error?.message ?? "not started"}; what cannot be judged is denied`));
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** The one object a program printed; throws for anything else. */
export function objectOf({ exit, stdout, stderr }: ProgramExit, exits: readonly number[]): Readonly<Record<string, unknown>> {
  const value = exit !== null && exits.includes(exit) ? parseJson(stdout) : null;
  if (!isRecord(value))
    throw new Error(
      stderr.trim() === "" ? `hallpass: hook-failed: no answer (exit ${String(exit)}); what cannot be judged is denied` : stderr.trim(),
    );
  return value;
}
