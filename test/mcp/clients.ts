// Real clients of `hallpass mcp` for tests: the official ones of both lines, in both eras, over both transports, each with a person at
// its dialogs who says what the test says. And a daemon in this process, with that person's own client.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { offlineModel } from "../../src/agent/models/offline.ts";
import { connectDaemon } from "../../src/cli/daemon-connection.ts";
import { createHookSocket } from "../../src/cli/hook-socket.ts";
import type { Client as WireClient } from "../../src/wire/client.ts";
import { startDaemon } from "../../src/server/daemon.ts";
import { silentLog } from "../../src/server/log.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireAsk } from "../../src/wire/values.ts";
import { program as built } from "../line-process.ts";
import { slowClock } from "../support/slow-clock.ts";
import { tree, type Tree } from "../tree.ts";

export const program = process.env["HALLPASS_PROGRAM"] ?? built;

/** What the person at a client's dialog does with one. */
export type Person = (asked: {
  readonly message: string;
  readonly url: string | undefined;
  /** What the dialog asks for, where it is a form. */
  readonly schema: unknown;
  readonly signal: AbortSignal;
}) => Promise<Said> | Said;
export interface Said {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string>;
}

export const kinds = ["v2, 2026-07-28", "v2, 2025-11-25", "v1"] as const;
export type Kind = (typeof kinds)[number];

export interface Options {
  readonly kind?: Kind;
  /** Null: the client shows no dialogs. */
  readonly person?: Person | null;
  /** Says what it says before anybody can have read what is asked, by the server's clock. */
  readonly hasty?: boolean;
  readonly dialog?: "form" | "url";
  readonly roots?: readonly string[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly http?: Http;
}

export interface Outcome {
  readonly text: string;
  readonly failed: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Agent {
  readonly version: string;
  readonly client: Client | FirstClient;
  /** Messages of progress that came. */
  readonly progress: string[];
  call(name: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

/** As long as a person takes to read a card, at the least. */
export const reading = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 600));

/** A home with a workspace in it, a repository beside it, and what nobody may have. */
export function world(): Tree & { readonly home: string; readonly workspace: string; readonly beside: string } {
  const grown = tree([
    "home/ws/a.txt: INSIDE",
    "home/ws/.env: SECRET",
    "home/lib/.git/HEAD: x",
    "home/lib/go.mod: OUTSIDE",
    "home/lib/.env: SECRET",
    ...[1, 2, 3, 4].flatMap((number) => [`home/other-${number}/.git/HEAD: x`, `home/other-${number}/a.txt: OUTSIDE`]),
  ]);
  return { ...grown, home: grown.path("home"), workspace: grown.path("home/ws"), beside: grown.path("home/lib/go.mod") };
}

export function environment(home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home, HALLPASS_DATA: join(home, "data"), ...more };
}

export async function connect(home: string, options: Options = {}): Promise<Agent> {
  const { kind = "v2, 2026-07-28", person = null, hasty = false, dialog = "form", roots, flags = [], env, cwd = home, http } = options;
  const capabilities = { ...(person === null ? {} : { elicitation: { [dialog]: {} } }), ...(roots === undefined ? {} : { roots: {} }) };
  const start = {
    command: process.execPath,
    args: [program, "mcp", ...flags],
    env: environment(home, { ...env, ...(hasty ? slowClock : {}) }),
    cwd,
    stderr: "ignore" as const,
  };
  const address = http === undefined ? null : new URL(http.address);
  const init = http === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${http.token}` } } };
  const progress: string[] = [];
  const heard = { onprogress: ({ message }: { message?: string | undefined }) => void progress.push(message ?? ""), timeout: 120_000 };
  const listed = { roots: (roots ?? []).map((uri) => ({ uri })) };
  const answer = async (params: object, signal: AbortSignal) => {
    const url = "url" in params && typeof params.url === "string" ? params.url : undefined;
    const message = "message" in params ? String(params.message) : "";
    const schema = "requestedSchema" in params ? params.requestedSchema : null;
    const said = await (person ?? (() => ({ action: "cancel" as const })))({ message, url, schema, signal });
    if (!hasty && said.action === "accept") await reading();
    return { ...said };
  };
  if (kind === "v1") {
    const client = new FirstClient({ name: "first", version: "1" }, { capabilities });
    if (person !== null) client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => answer(params, signal));
    if (roots !== undefined) client.setRequestHandler(ListRootsRequestSchema, () => listed);
    await client.connect(address === null ? new FirstStdio(start) : new FirstHttp(address, init));
    const call: Agent["call"] = async (name, input, signal) =>
      outcome(await client.callTool({ name, arguments: input }, undefined, { ...heard, ...(signal === undefined ? {} : { signal }) }));
    return { version: "v1", client, progress, call, close: () => client.close() };
  }
  const mode = kind === "v2, 2026-07-28" ? "auto" : "legacy";
  const client = new Client({ name: "second", version: "1" }, { capabilities, versionNegotiation: { mode } });
  if (person !== null) client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => answer(params, mcpReq.signal));
  if (roots !== undefined) client.setRequestHandler("roots/list", () => listed);
  await client.connect(address === null ? new StdioClientTransport(start) : new StreamableHTTPClientTransport(address, init));
  const call: Agent["call"] = async (name, input, signal) =>
    outcome(await client.callTool({ name, arguments: input }, { ...heard, ...(signal === undefined ? {} : { signal }) }));
  return { version: client.getNegotiatedProtocolVersion() ?? "", client, progress, call, close: () => client.close() };
}

export function outcome(result: object): Outcome {
  const { content, isError, structuredContent } = result as {
    readonly content?: readonly { readonly type: string; readonly text?: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: Record<string, unknown>;
  };
  return { text: (content ?? []).map(({ text = "" }) => text).join("\n"), failed: isError === true, data: structuredContent ?? {} };
}

export interface Http {
  readonly address: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** `hallpass mcp --http 0`, as it says where it is. */
export async function startHttp(home: string, flags: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Http> {
  const child = spawn(process.execPath, [program, "mcp", "--http", "0", ...flags], {
    env: environment(home, env),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  const token = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = /Bearer (\S+)\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(`ended: ${said}`)));
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return { address: /http:\S+/.exec(said)?.[0] ?? "", token, stop: async () => (child.kill("SIGTERM"), ended) };
}

export interface Keeper {
  readonly person: WireClient;
  /** The one open ask, as soon as it is there. */
  openAsk(): Promise<WireAsk>;
  grants(): Promise<readonly { readonly id: string; readonly path: string }[]>;
  stop(): Promise<void>;
}

export async function keepDaemon(home: string): Promise<Keeper> {
  mkdirSync(join(home, "data"), { recursive: true, mode: 0o700 });
  const options = {
    home,
    env: { HALLPASS_DATA: join(home, "data") },
    platform: process.platform,
    port: 0,
    pid: process.pid,
    version: "test",
  };
  const hookSocket = createHookSocket(options);
  const started = await startDaemon({ ...options, model: offlineModel(), pages: null, log: silentLog, databaseUrl: null, hookSocket }, () =>
    Promise.resolve(false),
  );
  if (started.state !== "started") throw new Error("a daemon is there already");
  const { daemon } = started;
  const { client: person, close } = connectDaemon(daemon, "test");
  return {
    person,
    async openAsk() {
      for (;;) {
        const [ask] = await person.send(routes.listAsks, { query: { state: "open" } });
        if (ask !== undefined) return ask;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    grants: () => person.send(routes.listGrants, {}),
    async stop() {
      await close();
      await daemon.stop();
    },
  };
}
