// The listener: an app and its sockets behind a loopback port, and behind a Unix socket that only its owner may open. Another address
// is refused unless what goes over it is encrypted, or somebody said in so many words that it need not be.

import { chmodSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { randomIds } from "../core/clock.ts";
import { errnoOf } from "../core/errno.ts";
import { messageOf } from "../core/record.ts";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { badHost } from "./auth.ts";
import type { App, Log } from "./ports.ts";
import { problemResponse } from "./problem.ts";
import type { Sockets } from "./socket.ts";

/** Where and how a server listens. */
export interface ListenOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Exactly this one; 0: any. Default: 7777, or the next that is free. */
  readonly port?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Somebody knows that it is not encrypted. */
  readonly insecureBind?: boolean;
  /** Further names clients may use for us: what a proxy in front of it is called. */
  readonly names?: readonly string[];
  /** The Unix socket's path; null: none. */
  readonly socketPath: string | null;
}

/** A server that listens. */
export interface HttpListener {
  /** `http://127.0.0.1:7777` */
  readonly address: string;
  readonly socketPath: string | null;
  /** What a client may call us. */
  readonly hosts: readonly string[];
  /** The address at which another device reaches us; null where we listen on this machine alone, and nothing stands in front of us. */
  readonly reachable: string | null;
  /** Take no more connections; let requests under way finish, for so many milliseconds. */
  close(milliseconds: number): Promise<void>;
}

const PORT = 7777;
const PORTS = 20;
/** A path longer than this cannot be a Unix socket's. */
const LONGEST_SOCKET = 103;
const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const EVERYWHERE = new Set(["0.0.0.0", "::"]);

const LIMITS: ServerOptions = {
  // Against clients that send a byte now and then: a head in ten seconds, a whole request in thirty.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16 * 1024,
};

/** Put a server behind a port, and a socket where one is named. */
export async function listen(
  { app, sockets, log }: { readonly app: App; readonly sockets: (hosts: () => readonly string[]) => Sockets; readonly log: Log },
  options: ListenOptions,
): Promise<HttpListener> {
  const { host = "127.0.0.1", tls, socketPath } = options;
  if (!LOOPBACK.has(host) && tls === undefined && options.insecureBind !== true)
    throw new HallpassError(
      "bad-request",
      `\`${show(host)}\` can be reached from other machines, and tokens would cross the network in the clear: give --tls-cert and --tls-key, or say --insecure-bind if something in front of it encrypts`,
    );
  const hosts: string[] = [];
  const upgrades = sockets(() => hosts);
  // INVARIANT: what goes further in has an address that can be read: everybody there reads it. One that cannot names no host of ours.
  const fetch = (request: Request): Promise<Response> | Response =>
    URL.canParse(request.url) ? app.fetch(request) : problemResponse(badHost(), { log, ids: randomIds });
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false });
  const handle: RequestListener = (incoming, outgoing) => void answer(incoming, outgoing);
  const servers: { readonly server: Server; readonly connections: Set<Socket> }[] = [];
  const make = (secured: ListenOptions["tls"]): Server => {
    const server = secured === undefined ? createServer(LIMITS, handle) : createTlsServer({ ...LIMITS, ...secured }, handle);
    const connections = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
      connections.add(socket.on("close", () => connections.delete(socket)).setNoDelay(true));
    });
    server.on("upgrade", (request, socket, head) => upgrades.upgrade(request, socket, head));
    // What is no HTTP at all is answered by closing.
    server.on("clientError", (_, socket) => {
      if (!socket.writable) return void socket.destroy();
      // Not left to the other side to finish: it may never do so.
      socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n", () => socket.destroy());
    });
    servers.push({ server, connections });
    return server;
  };

  const main = make(tls);
  const port = await bindPort(main, host, options.port);
  const hostInUrl = host.includes(":") ? `[${host}]` : host;
  const scheme = tls === undefined ? "http" : "https";
  const names = options.names ?? [];
  hosts.push(
    ...new Set([
      ...[hostInUrl, ...(LOOPBACK.has(host) ? ["127.0.0.1", "localhost", "[::1]"] : []), ...names].flatMap((name) =>
        hostHeaderForms(name, port),
      ),
      // What stands in front of us may listen on another port than ours.
      ...names.map((name) => name.toLowerCase()),
    ]),
  );
  const boundSocket = socketPath === null ? null : await bindUnixSocket(make(undefined), socketPath, log);
  const address = `${scheme}://${EVERYWHERE.has(host) ? "127.0.0.1" : hostInUrl}:${port}`;
  if (EVERYWHERE.has(host)) hosts.push(`127.0.0.1:${port}`, `localhost:${port}`);
  return {
    address,
    socketPath: boundSocket,
    hosts,
    reachable: reachableAt({ named: hostInUrl, names, port, tls: tls !== undefined, isOpen: !LOOPBACK.has(host) && !EVERYWHERE.has(host) }),
    async close(milliseconds) {
      const ended = servers.map(({ server }) => new Promise<void>((resolve) => server.close(() => resolve())));
      for (const { server } of servers) server.closeIdleConnections();
      const timer = setTimeout(() => servers.forEach(({ connections }) => connections.forEach((socket) => socket.destroy())), milliseconds);
      await Promise.all(ended);
      clearTimeout(timer);
      if (boundSocket !== null) rmSync(boundSocket, { force: true });
    },
  };
}

/** A name that was given, at our port where we encrypt ourselves, else at the usual one of what does; without a name the address itself. */
function reachableAt({ named, names: [name], port, tls, isOpen }: Reach): string | null {
  if (name !== undefined) return tls && !/:\d+$/.test(name) ? `https://${name}:${port}` : `https://${name}`;
  return isOpen && tls ? `https://${named}:${port}` : null;
}

interface Reach {
  readonly named: string;
  readonly names: readonly string[];
  readonly port: number;
  readonly tls: boolean;
  readonly isOpen: boolean;
}

/** As a Host header may have it: with the port, and without where the port goes without saying. */
function hostHeaderForms(name: string, port: number): readonly string[] {
  const low = name.toLowerCase();
  return /:\d+$/.test(low) && !low.endsWith("]") ? [low] : port === 80 || port === 443 ? [low, `${low}:${port}`] : [`${low}:${port}`];
}

async function bindPort(server: Server, host: string, requestedPort: number | undefined): Promise<number> {
  for (let port = requestedPort ?? PORT; ; port += 1) {
    try {
      await listenOn(server, { host, port });
      return portOf(server.address());
    } catch (error) {
      const isInUse = errnoOf(error) === "EADDRINUSE";
      if (isInUse && requestedPort === undefined && port < PORT + PORTS) continue;
      const why = isInUse ? "another program listens there; choose one with --port" : messageOf(error);
      throw new HallpassError("io-error", `${host}:${port} cannot be listened on: ${why}`, { cause: error });
    }
  }
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function bindUnixSocket(server: Server, path: string, log: Log): Promise<string | null> {
  if (process.platform === "win32" || Buffer.byteLength(path) > LONGEST_SOCKET) {
    log.warn({}, "the data directory's path is too long for a Unix socket; clients use the port");
    return null;
  }
  // Ours by the lock; what lies there is a dead daemon's.
  rmSync(path, { force: true });
  // RACE: between being made and being given its mode it must not be open to others.
  const earlierMask = process.umask(0o177);
  const ready = listenOn(server, { path });
  process.umask(earlierMask);
  await ready;
  chmodSync(path, 0o600);
  return path;
}

function listenOn(server: Server, address: { readonly host: string; readonly port: number } | { readonly path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
