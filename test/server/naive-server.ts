// A server as it is written in an afternoon: it answers asks and keeps grants, and looks at nothing else. What the attack table sends is
// accepted here, which shows that the harm is real and not made up by the test.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import type { Json } from "./http-stage.ts";

export interface NaiveServer {
  readonly port: number;
  readonly asks: Map<string, string>;
  readonly grants: Set<string>;
  allowed: string[];
  readonly shown: string[];
}

export async function naiveServer(token: string): Promise<NaiveServer> {
  const state: NaiveServer = { port: 0, asks: new Map([["1", "open"]]), grants: new Set(["g1"]), allowed: ["/opt/a/b"], shown: [] };
  const server = createServer((request, response) => {
    void answer(request).then(
      (value) => response.end(JSON.stringify(value)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  const answer = async (request: IncomingMessage): Promise<unknown> => {
    const url = new URL(request.url ?? "/", "http://server");
    const method = request.headers["x-http-method-override"] ?? request.method;
    const given = (request.headers.authorization ?? "").replace("Bearer ", "");
    // Compared as far as it goes, and whoever sends none is taken for local.
    if (given !== "" && !token.startsWith(given) && given !== "agent") throw new Error("who are you");
    const text = await bodyOf(request);
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, Json>);
    if (url.pathname === "/v1/requests" && method === "GET") return [...state.asks.keys()];
    if (url.pathname === "/v1/requests") {
      // Another reader shows the first of two equal keys to the person.
      state.shown.push(/"path":"([^"]*)"/.exec(text)?.[1] ?? "");
      return { granted: body["path"] };
    }
    const ask = /^\/v1\/requests\/(\w+)\/decision$/.exec(url.pathname)?.[1];
    if (ask !== undefined) return [...state.asks.set(ask, String(body["decision"] ?? "allow"))];
    const grant = /^\/v1\/grants\/(\w+)$/.exec(url.pathname)?.[1];
    if (grant !== undefined && method === "DELETE") return { removed: state.grants.delete(grant) };
    if (url.pathname === "/v1/session" && method === "PATCH") return { allowed: (state.allowed = body["allowed_read_paths"]) };
    if (url.pathname === "/v1/session") return { session: request.headers["x-session-id"] ?? "mine" };
    if (url.pathname.startsWith("/v1/files/")) return readFileSync(`/usr/share/${decodeURIComponent(url.pathname.slice(10))}`, "utf8");
    if (url.pathname === "/v1/read") return readFileSync(url.searchParams.get("path") ?? "", "utf8");
    return { page: `<script>connect(${JSON.stringify(url.searchParams.get("api") ?? "")})</script>` };
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(state, { port: (server.address() as AddressInfo).port });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
