// WebSockets on `/api/socket`: the same checks of Host, Origin and token as every request, then a connection of the hub's. And the
// same without a network, for a client in this process.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { messageOf } from "../core/record.ts";
import { HallpassError } from "../core/errors.ts";
import type { SocketLike } from "../wire/socket.ts";
import { bearerOf, checkHost, checkOrigin } from "./auth.ts";
import { packet } from "./packet.ts";
import type { App, Caller, Connection, Hub, Log, Sink } from "./ports.ts";
import { statusOf } from "./status.ts";

export interface SocketPorts {
  readonly hub: Hub;
  readonly callerOf: App["callerOf"];
  readonly hosts: () => readonly string[] | null;
  readonly log: Log;
}

export interface Sockets {
  /** Answer an upgrade. Never throws; whoever may not is told so and let go. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

const PATH = "/api/socket";
const PROTOCOL = "hallpass";
const TOKEN = "hallpass.token.";
const LARGEST = 64 * 1024;
/** A connection that is to end is cut if its other side has not done its part by then. */
const PARTING = 2000;

export function createSockets({ hub, callerOf, hosts, log }: SocketPorts): Sockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST,
    perMessageDeflate: false,
    clientTracking: false,
    // The token is offered as a protocol and never chosen: it must not come back in a header.
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  // A refusal has one shape, also where it is ws that refuses.
  server.on("wsClientError", (error, socket) => refuse(socket, new HallpassError("bad-request", error.message), log));
  const admitted = async (request: IncomingMessage): Promise<Caller> => {
    const headers = headersOf(request);
    // As it was sent: not every address of a request can be read as one, and there is one that is ours.
    if (request.url?.split("?", 1)[0] !== PATH) throw new HallpassError("not-found", "not found");
    checkHost(headers, hosts());
    checkOrigin(headers, hosts());
    const caller = await callerOf(tokenOf(headers));
    if (caller === null) throw new HallpassError("unauthenticated", "the token is not valid here");
    return caller;
  };
  return {
    upgrade(request, socket, head) {
      // Without a listener a reset by the other side would end the process.
      socket.on("error", () => socket.destroy());
      void admitted(request).then(
        (caller) =>
          server.handleUpgrade(request, socket, head, (client) => {
            const sink: Sink = {
              // INVARIANT: no extension is on and ws never holds a message back, so whole messages may be written beside its own.
              send: (made) => void (socket.writable && socket.write(made.bytes())),
              unsent: () => socket.writableLength,
              end(code, why) {
                client.close(code, why);
                setTimeout(() => client.terminate(), PARTING).unref();
              },
            };
            const connection = hub.connect(caller, sink);
            client.on("message", (data, isBinary) => {
              // Binary is nothing we know; it is answered like any other nonsense.
              void connection.receive(isBinary || !Buffer.isBuffer(data) ? "" : data.toString("utf8"));
            });
            client.on("error", () => client.terminate());
            client.on("close", () => connection.close());
          }),
        (error: unknown) => refuse(socket, error, log),
      );
    },
  };
}

function refuse(socket: Duplex, error: unknown, log: Log): void {
  const code = error instanceof HallpassError ? error.code : "io-error";
  const message = error instanceof HallpassError && code !== "io-error" ? error.message : "something went wrong";
  if (code === "io-error") log.error({ error: messageOf(error) }, "an upgrade failed");
  const body = JSON.stringify({ error: { code, message } });
  const head = `HTTP/1.1 ${statusOf[code]} ${code}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
  socket.end(`${head}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), PARTING).unref();
}

/** As fetch has them; a header that came twice is one with a comma in it, and so is no host, origin or token. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}

/** From the header, or from the protocols a browser asks for, since its WebSocket sends no header. */
function tokenOf(headers: Headers): string {
  if (headers.has("authorization")) return bearerOf(headers);
  const offered = (headers.get("sec-websocket-protocol") ?? "").split(",").map((one) => one.trim());
  const [token, another] = offered.filter((one) => one.startsWith(TOKEN));
  if (token === undefined || another !== undefined) throw new HallpassError("unauthenticated", "the connection carries no token");
  return token.slice(TOKEN.length);
}

/** A socket within the process. The token is looked at like any other; what is sent arrives a moment later, in order. */
export function socketWithin({ hub, callerOf }: Pick<SocketPorts, "hub" | "callerOf">, protocols: readonly string[]): SocketLike {
  const listeners = { open: new Set<() => void>(), close: new Set<() => void>(), error: new Set<() => void>() };
  const messages = new Set<(event: { readonly data: unknown }) => void>();
  let connection: Connection | null = null;
  let closed = false;
  const end = (): void => {
    if (closed) return;
    closed = true;
    connection?.close();
    queueMicrotask(() => listeners.close.forEach((listener) => listener()));
  };
  const sink: Sink = {
    send: ({ text }) => queueMicrotask(() => messages.forEach((listener) => void (closed || listener({ data: text })))),
    unsent: () => 0,
    end: () => end(),
  };
  const token = protocols.find((one) => one.startsWith(TOKEN))?.slice(TOKEN.length) ?? "";
  const begin = async (): Promise<void> => {
    const caller = await callerOf(token);
    if (closed) return;
    if (caller === null) {
      sink.send(packet(JSON.stringify({ type: "problem", code: "unauthenticated", message: "the token is not valid here" })));
      return queueMicrotask(end);
    }
    connection = hub.connect(caller, sink);
    listeners.open.forEach((listener) => listener());
  };
  begin().catch(() => end());
  return {
    send: (text) => void connection?.receive(text),
    close: end,
    addEventListener(type: "open" | "close" | "error" | "message", listener: (event: { readonly data: unknown }) => void) {
      if (type === "message") messages.add(listener);
      else listeners[type].add(() => listener({ data: null }));
    },
  };
}
