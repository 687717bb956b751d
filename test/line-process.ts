// A program that answers JSON lines, one for one and in order: `hallpass tool --stdin`, `hallpass check --stdin`, and
// the naive guards. Started once, asked many times, watched for descriptors, ended when told or when it is too slow.

import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cpuOf } from "./support/cpu-of.ts";

export const repository = join(import.meta.dirname, "..");
export const program = join(repository, "bin", "hallpass.js");

/** What either door may answer. Fields a door does not speak are absent. */
export interface Answer {
  readonly id?: unknown;
  readonly ok?: boolean;
  readonly output?: unknown;
  readonly code?: string;
  readonly verdict?: "allow" | "ask" | "deny" | null;
  readonly reason?: string;
  readonly real?: string | null;
  readonly proposal?: unknown;
  readonly flags?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** An answer with the line it came as, the time it took, and the processors' time, where `ask` asked and the kernel says it. */
export interface Reply {
  readonly answer: Answer;
  readonly text: string;
  readonly ms: number;
  readonly cpu?: number;
}

export interface LineProcess {
  readonly pid: number;
  /** Sends one line, waits for its answer. Rejects, and ends the process, when `within` milliseconds pass. */
  ask(line: object, within?: number): Promise<Reply>;
  /** Sends `count` lines with up to `window` of them under way, and hands over each answer as it comes. */
  stream(count: number, line: (index: number) => object, take: (reply: Reply, index: number) => void, window?: number): Promise<void>;
  /** How many descriptors the process holds open now (Linux). */
  descriptors(): number;
  readonly ended: boolean;
  stop(): Promise<void>;
}

export interface LineOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts `node bin/hallpass.js <command> --stdin`. */
export function startHallpass(command: "tool" | "check", options: LineOptions = {}): LineProcess {
  if (!existsSync(program)) throw new Error(`${program} does not exist: npm run build`);
  return startLines([process.execPath, program, command, "--stdin"], options);
}

export function startLines(argv: readonly [string, ...string[]], options: LineOptions = {}): LineProcess {
  const [file, ...args] = argv;
  const { env, cwd = repository, ...user } = options;
  // A clean environment: nothing of the test runner's reaches the program, and PATH is there to be leaked.
  const clean = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent", LANG: "C.UTF-8", ...env };
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"], env: clean, cwd, ...user });
  const waiting: Waiting[] = [];
  let [rest, errors, sent, ended] = ["", "", 0, false];

  const gone = new Promise<void>((resolve) => {
    const end = (why: string) => {
      if (ended) return;
      ended = true;
      for (const one of waiting.splice(0)) one.reject(new Error(`${args.join(" ")}: ${why}${errors === "" ? "" : `\n${errors}`}`));
      resolve();
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code, signal) => end(`ended with ${signal ?? code}`));
  });
  child.stdin.on("error", () => undefined); // the close event says it
  child.stderr.setEncoding("utf8").on("data", (data: string) => (errors = (errors + data).slice(-4000)));
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) take(text);
  });

  function take(text: string): void {
    const one = waiting.shift();
    if (one === undefined) return;
    const answer = parse(text);
    if (answer === null) one.reject(new Error(`not a JSON line: ${text.slice(0, 200)}`));
    else if (answer.id !== one.id) one.reject(new Error(`answer ${String(answer.id)} came where ${one.id} was due`));
    else one.resolve({ answer, text, ms: performance.now() - one.since });
  }

  function send(line: object): Promise<Reply> {
    if (ended) return Promise.reject(new Error(`${args.join(" ")}: has ended`));
    return new Promise((resolve, reject) => {
      const id = sent++;
      waiting.push({ id, since: performance.now(), resolve, reject });
      child.stdin.write(`${JSON.stringify({ id, ...line })}\n`);
    });
  }

  return {
    pid: child.pid ?? -1,
    get ended() {
      return ended;
    },
    async ask(line, within = 60_000) {
      const timer = setTimeout(() => child.kill("SIGKILL"), within);
      const before = cpuOf(child.pid ?? -1);
      try {
        const reply = await send(line);
        const after = cpuOf(child.pid ?? -1);
        return before === null || after === null ? reply : { ...reply, cpu: after - before };
      } finally {
        clearTimeout(timer);
      }
    },
    async stream(count, line, hand, window = 256) {
      let next = 0;
      const lane = async () => {
        while (next < count) {
          const index = next++;
          hand(await send(line(index)), index);
        }
      };
      await Promise.all(Array.from({ length: Math.min(window, count) }, lane));
    },
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    async stop() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), 2000);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** One process for many questions, started when first needed and started again when the last one ended. */
export function keepAlive(start: () => LineProcess): Pick<LineProcess, "ask" | "stop"> {
  let current: LineProcess | null = null;
  return {
    ask(line, within) {
      if (current === null || current.ended) current = start();
      return current.ask(line, within);
    },
    async stop() {
      await current?.stop();
      current = null;
    },
  };
}

function parse(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return null;
  }
}

interface Waiting {
  readonly id: number;
  readonly since: number;
  resolve(reply: Reply): void;
  reject(error: Error): void;
}
