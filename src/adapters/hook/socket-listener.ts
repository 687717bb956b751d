// The daemon's side of the hook socket: a port on this machine, one call per connection. Promise: nothing is read beyond the length that
// a request states, nothing is answered without the token, and a caller that is slow, speaks another protocol or sends more than one
// request is disconnected without an answer. Not HTTP: a shell sends a request line by line, and each line would wake the daemon.

import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { answerText, type HookRequest, readHead, type RequestHead, waitingText } from "./socket-protocol.ts";
import type { HookSocket } from "./socket-file.ts";
import type { Words } from "./host-call.ts";

export interface HookListener {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Take nothing new, and let those go who have not asked yet. Whoever is being answered still is. */
  close(): void;
}

/** Callers at one time; the next are turned away, and judge for themselves. */
const MAX_CONNECTIONS = 256;
/** A request must be whole after so many milliseconds. */
const REQUEST_TIMEOUT = 10_000;
/** How often whoever waits for a person is told that somebody is there; a hook gives up after four seconds of silence. */
const KEEPALIVE_EVERY = 1_500;

/** A host's shell that talks with the daemon until its command has ended. */
export interface EnteringShell extends Pick<HookRequest, "host" | "payload"> {
  /** Its process, as it says. */
  readonly pid: number;
  readonly socket: Socket;
}

/** Shells at one time: each keeps its connection while its command runs. */
const MAX_SHELLS = 64;

/**
 * `answer` is not to throw; its signal aborts when the caller is gone. `enter` is given the connection of a host's shell, whole; where it is missing, or there are
 * too many, the shell is let go without an answer. Rejects where there is no port to be had.
 */
export async function listenForHooks(
  secrets: Pick<HookSocket, "token" | "proof">,
  answer: (request: HookRequest, gone: AbortSignal) => Promise<Words>,
  enter?: (shell: EnteringShell) => void,
): Promise<HookListener> {
  const token = Buffer.from(secrets.token);
  const sending = new Set<Socket>();
  const shells = new Set<Socket>();
  const server = createServer((socket) => {
    sending.add(socket);
    const timeout = setTimeout(() => socket.destroy(), REQUEST_TIMEOUT);
    const done = (): void => {
      clearTimeout(timeout);
      sending.delete(socket);
    };
    socket.on("error", () => socket.destroy());
    socket.on("close", done);
    const read = createReader(token);
    socket.on("data", (piece: Buffer) => {
      // A caller that has asked has nothing more to say.
      const request = sending.has(socket) ? read(piece) : "none";
      if (request === "more") return;
      done();
      if (request === "none") socket.destroy();
      else if (request.enters !== null) {
        socket.removeAllListeners("data");
        if (enter === undefined || shells.size >= MAX_SHELLS) return void socket.destroy();
        shells.add(socket);
        socket.on("close", () => shells.delete(socket));
        enter({ host: request.host, payload: request.payload, pid: request.enters, socket });
      } else {
        const gone = new AbortController();
        const keepalive = request.wait === null ? undefined : setInterval(() => socket.write(waitingText(secrets.proof)), KEEPALIVE_EVERY);
        socket.on("close", () => {
          clearInterval(keepalive);
          gone.abort();
        });
        const stop = (): void => clearInterval(keepalive);
        void answerIfThere(socket, () => answer(request, gone.signal))
          .finally(stop)
          .then((answerWords) => socket.end(answerWords === null ? "" : answerText(answerWords, secrets.proof)));
      }
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // What goes wrong with a connection before it is one is nobody's loss but the caller's.
  server.on("error", () => undefined);
  return {
    port: portOf(server.address()),
    close() {
      server.close();
      for (const socket of sending) socket.destroy();
    },
  };
}

/**
 * The answer, unless the caller is gone by now: it has waited in vain, then, and has decided for itself. A daemon that was held up finds the
 * request and the end of its connection together; the end is read in the turn after the request.
 */
async function answerIfThere(socket: Socket, answer: () => Promise<Words>): Promise<Words | null> {
  await turn();
  await turn();
  return socket.readableEnded || socket.destroyed ? null : answer();
}

/** Takes the pieces of one request as they come: the request when it is whole, and until then whether it still can be one. */
function createReader(token: Buffer): (piece: Buffer) => (RequestHead & HookRequest) | "more" | "none" {
  const pieces: Buffer[] = [];
  let size = 0;
  let head: RequestHead | null = null;
  return (piece) => {
    pieces.push(piece);
    size += piece.length;
    if (head === null) {
      const read = readHead(whole(pieces));
      if (typeof read === "string") return read;
      // Before another byte is taken: a payload is kept for nobody who has not shown the token.
      if (!isToken(read.token, token)) return "none";
      head = read;
    }
    const missing = head.from + head.length - size;
    if (missing !== 0) return missing > 0 ? "more" : "none";
    return { ...head, payload: whole(pieces).toString("utf8", head.from) };
  };
}

const whole = (pieces: Buffer[]): Buffer => {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  const joined = Buffer.concat(pieces);
  pieces.splice(0, pieces.length, joined);
  return joined;
};

/** In a time that tells nothing but how long the token is, which is no secret: all of them are equally long. */
function isToken(token: string, expected: Buffer): boolean {
  const bytes = Buffer.from(token, "latin1");
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

const portOf = (address: string | AddressInfo | null): number => (typeof address === "object" && address !== null ? address.port : 0);
