// A daemon in a process of its own that is watched while it works: how long its event loop was held up, and how long another client waited.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectDaemon } from "../../src/cli/daemon-connection.ts";
import type { AppConnection } from "../../src/wire/connection.ts";

export const program = join(import.meta.dirname, "../../bin/hallpass.js");

export interface ProbedDaemon {
  readonly app: AppConnection;
  readonly pid: number;
  readonly by: ProbedStart["by"];
  /** Milliseconds from being started to saying where it is. */
  readonly took: number;
  /** The longest that the event loop was held up since this was last asked, in milliseconds. */
  longest(): Promise<number>;
  stop(): Promise<void>;
}

export interface ProbedStart {
  readonly data: string;
  readonly home: string;
  /** Is the loop's delay told by the clock, or by the processor time of a turn, which a busy machine changes little? Then nobody else asks. */
  readonly by: "clock" | "work";
  readonly words?: readonly string[];
}

export async function startProbed({ data, home, by, words = [] }: ProbedStart): Promise<ProbedDaemon> {
  const began = performance.now();
  const serve = ["serve", "--link", "--no-open", "--port", "0", "--data", data, ...words];
  const child = spawn(process.execPath, ["--import", join(import.meta.dirname, "loop-delay.mjs"), program, ...serve], {
    env: { PATH: process.env["PATH"], HOME: home, CI: "1", HALLPASS_STALL: by },
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  const ended = once(child, "exit");
  let said = "";
  const [, address = "", token = ""] = await new Promise<RegExpExecArray>((resolve, reject) => {
    child.stdout?.on("data", (text: Buffer) => {
      said += text.toString();
      const match = /(https?:\/\/\S+)\/#token=([^\s&]+)/.exec(said);
      if (match !== null) resolve(match);
    });
    child.on("exit", () => reject(new Error(`the daemon did not start: ${said}`)));
  });
  const took = performance.now() - began;
  const app = connectDaemon({ address, token, socketPath: null }, "test");
  return {
    app,
    pid: child.pid ?? 0,
    by,
    took,
    async longest() {
      child.send("longest");
      const [message]: unknown[] = await once(child, "message");
      if (typeof message !== "object" || message === null || !("longest" in message)) throw new Error("the daemon said something else");
      return Number(message.longest);
    },
    async stop() {
      await app.close();
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** How others fared while something was done: the longest that the loop was held up, and the longest that one of them waited. */
export interface Held {
  readonly loop: number;
  readonly probe: number;
}

const PROBE = 5;

/** Do it while another client asks, one question after the other, how the daemon is. */
export async function probing(daemon: ProbedDaemon, act: () => Promise<unknown>): Promise<Held> {
  const { client } = daemon.app;
  const over = new AbortController();
  let probe = 0;
  await daemon.longest();
  const probes = (async () => {
    while (daemon.by === "clock" && !over.signal.aborted) {
      const began = performance.now();
      await fetched(client, "health");
      probe = Math.max(probe, performance.now() - began);
      await sleep(PROBE);
    }
  })();
  try {
    await act();
  } finally {
    over.abort();
    await probes;
  }
  return { loop: await daemon.longest(), probe };
}

/** A request whose answer nobody keeps: what this process does with it must not look like the daemon's work. Gives its size in bytes. */
export function fetched({ address, token }: { readonly address: string; readonly token: string }, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${address}/api/${path}`, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      let bytes = 0;
      response.on("data", (piece: Buffer) => (bytes += piece.length));
      response.on("end", () => (response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${path}: ${response.statusCode}`))));
      response.on("error", reject);
    });
    asked.on("error", reject).end();
  });
}

/**
 * So many empty files: in one directory, or as a repository has them, twenty a directory in packages of a hundred directories, with a secret
 * among five hundred.
 */
export function manyFiles(dir: string, count: number, spread: "as-a-repository" | "in-one"): void {
  let last = "";
  for (let number = 0; number < count; number += 1) {
    const group = Math.floor(number / 20);
    const its = spread === "in-one" ? dir : join(dir, `package-${Math.floor(group / 100)}`, `part-${group % 100}`);
    if (its !== last) mkdirSync(its, { recursive: true });
    last = its;
    const name = spread === "as-a-repository" && number % 500 === 250 ? ".env" : fileName(number);
    closeSync(openSync(join(its, name), "wx"));
  }
}

export const fileName = (number: number): string => `name-${String(number).padStart(7, "0")}.txt`;
