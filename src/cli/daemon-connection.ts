// Finding the daemon of a data directory, and speaking with it: over its Unix socket where it has one, else over loopback, on connections
// that are kept open. What `chat`, `inbox`, `mcp`, `hook` and the others use.

import { close as closeFile, fdatasync, open as openFile } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { Readable } from "node:stream";
import WebSocket from "ws";
import { SPOOL, spoolCall } from "../adapters/hook/spool.ts";
import { readChangeMark } from "../server/change-mark.ts";
import { CHANGES, placeOf, type PlaceOptions, readDaemonFile, readToken } from "../server/daemon-place.ts";
import { HallpassError } from "../core/errors.ts";
import { type AppConnection, connectApp } from "../wire/connection.ts";
import type { SocketLike } from "../wire/socket.ts";
import type { Host } from "./host.ts";

export interface DaemonAddress {
  /** `http://127.0.0.1:7777` */
  readonly address: string;
  readonly socketPath: string | null;
  readonly token: string;
  /** Its data directory, where it lets programs keep what they decide. */
  readonly data?: string | null;
}

export interface FoundDaemon extends DaemonAddress {
  readonly pid: number;
  readonly version: string;
}

/**
 * How long a daemon that is well takes at the most to say so, in milliseconds, on a machine that has much else to do. Where none runs nobody
 * waits: what is left of one refuses at once. Given up too soon, a program would go on by itself, and its asks would reach nobody.
 */
const PATIENCE = 5000;

/** The daemon that runs on the data directory; null where none answers. */
export async function findDaemon(options: PlaceOptions): Promise<FoundDaemon | null> {
  const place = placeOf(options);
  const file = readDaemonFile(place);
  if (file === null) return null;
  const token = readToken(place, options.env);
  if (token === null) return null;
  const { address, socket: socketPath, pid, version } = file;
  const found = { address, socketPath, token, pid, version, data: file.takesSpool ? place.dir : null };
  return (await isWell(found)) ? found : null;
}

/** Does it answer, and to this token? */
export async function isWell(found: DaemonAddress): Promise<boolean> {
  const fetch = fetchOver(found.socketPath, null);
  try {
    const headers = { authorization: `Bearer ${found.token}` };
    const response = await fetch(new Request(`${found.address}/api/health`, { headers, signal: AbortSignal.timeout(PATIENCE) }));
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** The daemon of this user; null where none answers. `via` says where the person sits, for the record. */
export async function reachDaemon({ home, env, platform }: Host, via: string): Promise<AppConnection | null> {
  const found = await findDaemon({ home, env, platform });
  return found === null ? null : connectDaemon(found, via);
}

/** The same for what cannot do without it. Throws a sentence that says how to start one. */
export async function needDaemon(host: Host, via: string): Promise<AppConnection> {
  const daemon = await reachDaemon(host, via);
  if (daemon === null) throw new HallpassError("io-error", "no daemon is running; start it with `hallpass serve`");
  return daemon;
}

export function connectDaemon({ address, socketPath, token, data = null }: DaemonAddress, via: string): AppConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return connectApp({
    address,
    token,
    fetch: fetchOver(socketPath, agent),
    via,
    connect: (protocols) => webSocket(address, socketPath, protocols),
    where: "daemon",
    durable: true,
    ...(data === null ? {} : { mark: () => readChangeMark(join(data, CHANGES)), spool: spoolingIn(data) }),
    close: async () => agent.destroy(),
  });
}

/** How long a kept decision may take to the disk, in milliseconds: as a note of the store. */
const SYNCED_WITHIN = 250;

/** Keeps decisions in the spool. They are in the file at once and outlive this process, and on the disk soon. */
function spoolingIn(data: string): NonNullable<AppConnection["spool"]> {
  let timer: NodeJS.Timeout | null = null;
  // Gone: the daemon has moved it away, and brings its lines to the disk with the record.
  const sync = (): void =>
    openFile(join(data, SPOOL.dir, SPOOL.file), "r+", (fault, handle) => {
      if (fault === null) fdatasync(handle, () => closeFile(handle));
    });
  return (session, events) => {
    try {
      spoolCall(data, { session, events }, { isOnDisk: false });
    } catch (cause) {
      throw new HallpassError("io-error", cause instanceof Error ? cause.message : "the decision cannot be recorded", { cause });
    }
    timer ??= setTimeout(() => {
      timer = null;
      sync();
    }, SYNCED_WITHIN).unref();
  };
}

/** `fetch` over a Unix socket, or over the network where there is none; Node's own cannot do the first. */
function fetchOver(socketPath: string | null, agent: Agent | null): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    const send = url.protocol === "https:" && socketPath === null ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const outgoing = send({
        ...(socketPath === null ? { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port } : { socketPath }),
        ...(agent === null || send === httpsRequest ? {} : { agent }),
        method: request.method,
        path: url.pathname + url.search,
        // The name the daemon knows itself by, over the Unix socket too.
        headers: { ...Object.fromEntries(request.headers), host: url.host, ...(body === null ? {} : { "content-length": body.length }) },
        signal: request.signal,
      });
      outgoing.on("error", reject);
      outgoing.on("response", (incoming) => {
        const status = incoming.statusCode ?? 502;
        const headers = new Headers();
        for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2)
          headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
        const empty = status === 204 || status === 304 || request.method === "HEAD";
        if (empty) incoming.resume();
        const stream: ReadableStream<Uint8Array> | null = empty ? null : Readable.toWeb(incoming);
        resolve(new Response(stream, { status, headers }));
      });
      outgoing.end(body ?? undefined);
    });
  };
}

/** Milliseconds for a daemon to say goodbye. */
const CLOSED_WITHIN = 1000;

function webSocket(address: string, socketPath: string | null, protocols: readonly string[]): SocketLike {
  const { host, protocol } = new URL(address);
  const url = socketPath === null ? `${protocol === "https:" ? "wss" : "ws"}://${host}/api/socket` : `ws+unix://${socketPath}:/api/socket`;
  const socket = new WebSocket(url, [...protocols], { headers: { host }, perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 });
  return {
    send: (text) => void (socket.readyState === WebSocket.OPEN && socket.send(text)),
    close() {
      socket.close();
      // A daemon that does not answer, since it is stopped, keeps no program from ending.
      setTimeout(() => socket.terminate(), CLOSED_WITHIN).unref();
    },
    addEventListener(type: "open" | "close" | "error" | "message", listener: (event: { readonly data: unknown }) => void) {
      if (type === "message")
        socket.on("message", (data, isBinary) => listener({ data: isBinary || !Buffer.isBuffer(data) ? null : data.toString("utf8") }));
      else if (type === "open") socket.on("open", () => listener({ data: null }));
      else if (type === "close") socket.on("close", () => listener({ data: null }));
      else socket.on("error", () => listener({ data: null }));
    },
  };
}
