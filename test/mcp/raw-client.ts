// A client of `hallpass mcp` that says what it likes, line by line: for protocol versions no client library speaks any more, and for
// looking at the lines themselves.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { environment, program } from "./clients.ts";

export interface Line {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: Readonly<Record<string, unknown>>;
}

export interface RawClient {
  /** Send a message, or bytes as they are. */
  say(message: object | string): void;
  /** The first line that has come, or comes, and is like this. */
  hear(like: (line: Line) => boolean): Promise<Line>;
  request(method: string, params: object): Promise<Line>;
  readonly heard: Line[];
  /** When the server has ended. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** `early` is said before the client has introduced itself. */
export async function rawClient(
  home: string,
  flags: readonly string[],
  version: string,
  capabilities: object,
  early: readonly object[] = [],
): Promise<RawClient> {
  const child = spawn(process.execPath, [program, "mcp", ...flags], { env: environment(home), stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const heard: Line[] = [];
  const listeners = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    heard.push(JSON.parse(line) as Line);
    for (const listener of listeners) listener();
  });
  // A server that has ended hears nothing more.
  child.stdin.on("error", () => {});
  let last = 0;
  const say: RawClient["say"] = (message) =>
    void child.stdin.write(typeof message === "string" ? message : `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const hear: RawClient["hear"] = (like) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = heard.find(like);
        if (found === undefined) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
    });
  const request: RawClient["request"] = (method, params) => {
    const id = (last += 1);
    say({ id, method, params });
    return hear((line) => line.id === id && line.method === undefined);
  };
  for (const message of early) say(message);
  await request("initialize", { protocolVersion: version, capabilities, clientInfo: { name: "raw", version: "1" } });
  say({ method: "notifications/initialized" });
  return { say, hear, request, heard, ended, stop: () => (child.stdin.end(), ended) };
}
