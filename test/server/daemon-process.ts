// A daemon as a person starts it: the real program in a process of its own, on a home and a data directory of the test's. Killed or
// stopped as the test likes, started again on the same directory, and gone when the test is over.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { connectDaemon } from "../../src/cli/daemon-connection.ts";
import type { Client } from "../../src/wire/client.ts";
import type { AppConnection } from "../../src/wire/connection.ts";
import type { Frame } from "../../src/wire/frames.ts";
import { type FramePorts, subscribe } from "../../src/wire/socket.ts";
import { program } from "../line-process.ts";

export interface Stage {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly library: string;
  /** A data directory of this name. */
  data(name?: string): string;
}

/** A home with a workspace, a repository beside it, and a policy that lets the repository be granted. */
export function stage(): Stage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-daemon-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const at = (...names: string[]): string => join(root, ...names);
  mkdirSync(at("home/.config/hallpass"), { recursive: true });
  mkdirSync(at("ws"));
  mkdirSync(at("lib/.git"), { recursive: true });
  writeFileSync(at("ws/notes.txt"), "inside the workspace\n");
  writeFileSync(at("lib/far.txt"), "outside the workspace\n");
  writeFileSync(at("home/.config/hallpass/policy.json"), JSON.stringify({ ceilings: [root] }));
  return { root, home: at("home"), workspace: at("ws"), library: at("lib"), data: (name = "data") => at(name) };
}

export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly address: string;
  readonly token: string;
  readonly connection: AppConnection;
  readonly client: Client;
  /** Milliseconds from being started to saying where it is. */
  readonly took: number;
  errors(): string;
  /** Frames as they come. */
  listen(chats: "all" | readonly string[]): Heard;
  /** As a power cut: SIGKILL, and waited for. */
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

export interface Heard {
  readonly frames: readonly Frame[];
  /** The first frame that fits, of those that came and those that come. */
  until(fits: (frame: Frame) => boolean, within?: number): Promise<Frame>;
  close(): void;
}

export interface Start {
  readonly data: string;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What stands before the program. */
  readonly within?: readonly string[];
}

export const executable = process.env["HALLPASS_TEST_PROGRAM"] ?? program;

export function environmentOf({ home }: Stage, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: home, CI: "1", ...more };
}

/** Start it; resolves when it has said where it is. */
export async function startProgram(on: Stage, { data, words = [], env = {}, within = [] }: Start): Promise<Program> {
  const began = performance.now();
  const [started, ...before] = [...within, process.execPath];
  const child = spawn(started, [...before, executable, "serve", "--link", "--no-open", "--port", "0", "--data", data, ...words], {
    env: environmentOf(on, env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const ended = once(child, "exit");
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  const found = await new Promise<RegExpExecArray>((resolve, reject) => {
    const look = (): void => {
      const match = /(https?:\/\/\S+)\/#token=([^\s&]+)/.exec(said);
      if (match !== null) resolve(match);
    };
    child.stdout.on("data", look);
    child.on("exit", (code) => reject(new Error(`the daemon ended with ${code}: ${said}${errors}`)));
  });
  const [, address = "", token = ""] = found;
  const file = JSON.parse(readFileSync(join(data, "daemon.json"), "utf8")) as { socket: string | null };
  const connection = connectDaemon({ address, token, socketPath: file.socket }, "test");
  onTestFinished(() => connection.close());
  return {
    child,
    pid: child.pid ?? 0,
    address,
    token,
    connection,
    client: connection.client,
    took: performance.now() - began,
    errors: () => errors,
    listen: (chats) => hear({ connect: connection.connect, token }, chats),
    async kill() {
      child.kill("SIGKILL");
      await ended;
      await connection.close();
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
      await connection.close();
      return child.exitCode;
    },
  };
}

export function hear({ connect, token }: Pick<FramePorts, "connect" | "token">, chats: "all" | readonly string[]): Heard {
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  const subscription = subscribe(
    { connect, token, setTimeout },
    {
      chats,
      connection() {},
      frame(frame) {
        frames.push(frame);
        for (const look of waiting) look();
      },
    },
  );
  onTestFinished(() => subscription.close());
  return {
    frames,
    async until(fits, within = 60_000) {
      const until = performance.now() + within;
      for (;;) {
        const found = frames.find(fits);
        if (found !== undefined) return found;
        const left = until - performance.now();
        if (left <= 0) throw new Error(`no such frame in ${within} ms; came: ${frames.map(({ type }) => type).join(" ")}`);
        await new Promise<void>((resolve) => {
          const look = (): void => {
            waiting.delete(look);
            clearTimeout(timer);
            resolve();
          };
          const timer = setTimeout(look, left);
          waiting.add(look);
        });
      }
    },
    close: () => subscription.close(),
  };
}

/** Look until it is so. */
export async function eventually<T>(look: () => Promise<T | null>, within = 60_000): Promise<T> {
  const until = performance.now() + within;
  for (;;) {
    const found = await look().catch((error: unknown) => {
      if (performance.now() > until) throw error;
      return null;
    });
    if (found !== null) return found;
    if (performance.now() > until) throw new Error(`it did not come to be so within ${within} ms`);
    await sleep(20);
  }
}
