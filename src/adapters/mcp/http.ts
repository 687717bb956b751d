// The server over HTTP, for clients that do not start programs: on this machine only, and only with the token. Both eras of the protocol
// at one address; the older one has sessions, which live here.

import { createHash, timingSafeEqual } from "node:crypto";
import { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { serve } from "@hono/node-server";
import { randomIds } from "../../core/clock.ts";
import { HallpassError } from "../../core/errors.ts";
import type { Mcp } from "./server.ts";

/** What an MCP server is put behind HTTP with. */
export interface McpHttpOptions {
  readonly mcp: Mcp;
  /** Whoever has it may do what the agent may. */
  readonly token: string;
  /** The port it listens on: a request that names another host is refused. */
  readonly port: () => number;
}

/** An MCP server over HTTP, for an HTTP server that you have. */
export interface McpHttp {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** Sessions of the older era kept at once; the one unused for longest makes room. */
const SESSIONS = 64;
/** As large as a file that may be written, and what is around it. */
const BODY = 16 * 1_048_576;

/** An MCP server at `/mcp`. Host, origin and token of a request are checked before its body is read. */
export function createMcpHttp({ mcp, token, port }: McpHttpOptions): McpHttp {
  const modern = createMcpHandler(mcp.factory, { legacy: "reject", maxRequestBodySize: BODY });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const expected = digestOf(token);

  const refusal = (request: Request): Response | null => {
    const hosts = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port()}`);
    const host = request.headers.get("host") ?? new URL(request.url).host;
    // A page elsewhere may have its own name lead here; a browser then sends that name.
    if (!hosts.includes(host)) return problem(403, "bad-host", "a host name this server does not answer to");
    const origin = request.headers.get("origin");
    if (origin !== null && !hosts.some((host) => origin === `http://${host}`))
      return problem(403, "bad-origin", "a page this server does not trust");
    if (!timingSafeEqual(digestOf(bearerOf(request)), expected))
      return problem(401, "unauthenticated", "send the token this server printed");
    return new URL(request.url).pathname === "/mcp" ? null : problem(404, "not-found", "the address is /mcp");
  };

  const legacy = async (request: Request): Promise<Response> => {
    const known = request.headers.get("mcp-session-id");
    const session = known === null ? undefined : sessions.get(known);
    if (known !== null && session === undefined) return problem(404, "session-closed", "there is no such session; initialize again");
    if (known !== null && session !== undefined) {
      sessions.delete(known);
      sessions.set(known, session);
      return session.handleRequest(request);
    }
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomIds,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
        const [oldest] = sessions;
        if (sessions.size <= SESSIONS || oldest === undefined) return;
        sessions.delete(oldest[0]);
        void oldest[1].close();
      },
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const server = await mcp.factory({ era: "legacy", requestInfo: request });
    await server.connect(transport);
    return transport.handleRequest(request);
  };

  return {
    async fetch(request) {
      const refused = refusal(request);
      if (refused !== null) return refused;
      return (await isLegacyRequest(request, undefined, { maxRequestBodySize: BODY })) ? legacy(request) : modern.fetch(request);
    },
    async close() {
      await modern.close();
      await Promise.allSettled([...sessions.values()].map((transport) => transport.close()));
    },
  };
}

function bearerOf(request: Request): string {
  return /^Bearer ([^\s]+)$/iu.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
}

/** Of equal length whatever came in, so that comparing takes the same time. */
const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

function problem(status: number, code: string, message: string): Response {
  const headers = new Headers();
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="hallpass"');
  return Response.json({ error: { code, message } }, { status, headers });
}

/** A server on a port. */
export interface McpListener {
  /** `http://127.0.0.1:7778/mcp` */
  readonly address: string;
  close(): Promise<void>;
}

/** Where a server listens. */
export interface McpListenOptions {
  readonly mcp: Mcp;
  /** Whoever sends it may do what the agent may. */
  readonly token: string;
  /** 0: any free one. */
  readonly port: number;
}

/** Listen on a port of this machine. Throws `io-error` where it is taken. */
export async function listenMcp({ mcp, token, port }: McpListenOptions): Promise<McpListener> {
  let actual = port;
  const http = createMcpHttp({ mcp, token, port: () => actual });
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const made = serve({ fetch: http.fetch, port, hostname: "127.0.0.1" }, (info) => {
      actual = info.port;
      resolve(made);
    });
    made.once("error", (cause: Error) => reject(new HallpassError("io-error", `port ${port} cannot be listened on`, { cause })));
  });
  return {
    address: `http://127.0.0.1:${actual}/mcp`,
    async close() {
      await http.close();
      const closed = new Promise((resolve) => server.close(resolve));
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
      await mcp.close();
    },
  };
}
