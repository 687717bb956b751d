// A listening server over a tree on disk, for tests of the HTTP interface: the whole of it as the daemon has it, on a port of its own.

import { mkdirSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request as httpRequest } from "node:http";
import { onTestFinished } from "vitest";
import { scriptedModel, type Script } from "../../src/agent/models/scripted.ts";
import type { Store } from "../../src/agent/ports.ts";
import { assemble, type AssembledServer, type AssembleOptions } from "../../src/server/assemble.ts";
import { listen, type HttpListener } from "../../src/server/listen.ts";
import { createSockets } from "../../src/server/socket.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Client } from "../../src/wire/client.ts";
import { type AppConnection, connectApp } from "../../src/wire/connection.ts";
import { tree, type Tree } from "../tree.ts";

export const TOKEN = "person-token-0123456789abcdef";

/** What a body may hold; tests know what they sent for. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Said {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON it holds; null where it is none. */
  readonly json: Json;
  /** The code of a refusal. */
  readonly code: string | null;
}

export interface Sent {
  readonly method?: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The body as it is. */
  readonly raw?: string | Buffer;
}

export interface HttpStage {
  readonly at: Tree;
  readonly server: AssembledServer;
  readonly port: number;
  readonly client: Client;
  /** As a program has it that found the daemon. */
  readonly connection: AppConnection;
  readonly logged: string[];
  /** One request over a socket of its own, with exactly these headers. */
  send(path: string, sent?: Sent): Promise<Said>;
  agent(): Promise<{ readonly credential: string; readonly session: string; readonly chat: string }>;
}

export const spec: readonly string[] = [
  "ws/a.txt: inside",
  "ws/.env: WS_TOKEN",
  "ws/src/b.txt: b",
  "home/",
  "lib/.git/",
  "lib/go.mod: module lib",
  "lib/src/x.go: package x",
  "lib/.env: LIB_TOKEN",
  "other/.git/",
  "other/y.txt: y",
];

export interface StagePlan extends Partial<AssembleOptions> {
  readonly script?: (at: Tree) => Script;
  readonly policy?: object;
  readonly files?: readonly string[];
  readonly stored?: Store;
}

export async function httpStage({ script, policy, files = [], stored, ...options }: StagePlan = {}): Promise<HttpStage> {
  const operator = { ...policy, ceilings: ["$ROOT"] };
  const at = tree([...spec, ...files, "home/.config/hallpass/"]);
  mkdirSync(at.path("home/.config/hallpass"), { recursive: true });
  writeFileSync(
    at.path("home/.config/hallpass/policy.json"),
    `// mine\n${JSON.stringify(operator, null, 2).replaceAll("$ROOT", at.root)}\n`,
  );
  const logged: string[] = [];
  const note = (fields: Readonly<Record<string, unknown>>, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log = { info: () => {}, warn: note, error: note };
  let listening: HttpListener | null = null;
  const server = await assemble({
    store: stored ?? createMemoryStore(),
    storeKind: "memory",
    home: at.path("home"),
    env: {},
    platform: "linux",
    token: TOKEN,
    model: scriptedModel(script === undefined ? ["done"] : script(at)),
    hosts: () => listening?.hosts ?? [],
    log,
    version: "9.9.9",
    ...options,
  });
  const { app, hub } = server;
  listening = await listen(
    { app, sockets: (hosts) => createSockets({ hub, callerOf: app.callerOf, hosts, log }), log },
    { port: 0, socketPath: null },
  );
  const port = Number(new URL(listening.address).port);
  onTestFinished(async () => {
    await listening?.close(0);
    await server.close();
    at.remove();
  });
  const connection = connectApp({
    address: `http://127.0.0.1:${port}`,
    token: TOKEN,
    fetch: (one) => fetch(one),
    via: "test",
    connect: (protocols) => server.connect(protocols),
    where: "daemon",
    durable: true,
    close: async () => {},
  });
  const stage: HttpStage = {
    at,
    server,
    port,
    logged,
    client: connection.client,
    connection,
    send: (path, sent) => send(port, path, sent),
    async agent() {
      const { json } = await stage.send("/api/agents/register", {
        method: "POST",
        body: { host: "tests", hostSession: `run-${Math.random()}`, workspace: at.path("ws"), label: "tester" },
      });
      return { credential: json.credential, session: json.session.id, chat: json.chat.id };
    },
  };
  return stage;
}

export function send(port: number, path: string, { method = "GET", token = TOKEN, headers = {}, body, raw }: Sent = {}): Promise<Said> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent: false,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(content === undefined ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(content)) }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => void chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => resolve(read(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks).toString())));
      },
    );
    outgoing.on("upgrade", (incoming, socket) => {
      socket.destroy();
      resolve(read(incoming.statusCode ?? 0, incoming.headers, ""));
    });
    outgoing.on("error", reject);
    outgoing.end(content);
  });
}

export function read(status: number, headers: IncomingHttpHeaders, text: string): Said {
  let json: Json = null;
  try {
    json = JSON.parse(text);
  } catch {
    // Not JSON: some answers are not.
  }
  return { status, headers, text, json, code: json?.error?.code ?? null };
}
