// Frames from the daemon, kept coming: a lost connection is made again, from the last cursor, with a growing pause. The listener sees
// one order of frames whatever the network does; after a gap the daemon sends a snapshot instead of what was missed.

import type { z } from "zod";
import { parseJson } from "../core/record.ts";
import { type AgentFrame, agentFrameSchema, type ClientFrame, type Frame, frameSchema } from "./frames.ts";

/** What is used of a WebSocket: a browser's, that of `ws`, or one in this process. */
export interface SocketLike {
  send(text: string): void;
  close(): void;
  addEventListener(type: "open" | "close" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
}

/** How a subscription reaches the daemon. */
export interface FramePorts {
  /** Open a connection; it is told the token by its protocols. */
  readonly connect: (protocols: readonly string[]) => SocketLike;
  readonly token: string;
  readonly setTimeout: (work: () => void, milliseconds: number) => unknown;
}

/** What a subscriber wants to be told. */
export interface Subscription<F = Frame> {
  readonly chats: "all" | readonly string[];
  readonly frame: (frame: F) => void;
  /** The connection stands, or is lost and being made again. */
  readonly connection: (state: "live" | "lost") => void;
}

/** The protocols to ask for: the name, and the token, since a browser's WebSocket cannot send a header. */
export function socketProtocols(token: string): readonly string[] {
  return ["hallpass", `hallpass.token.${token}`];
}

const RETRY_DELAYS = [100, 250, 500, 1000, 2000, 5000];

/** Get events with the person's token, until closed. */
export function subscribe(ports: FramePorts, subscription: Subscription): { close(): void } {
  return follow(frameSchema, ports, subscription);
}

/** Get events with an agent's credential, until closed. */
export function subscribeAgent(ports: FramePorts, subscription: Subscription<AgentFrame>): { close(): void } {
  return follow(agentFrameSchema, ports, subscription);
}

function follow<F extends Frame | AgentFrame>(
  shape: z.ZodType<F>,
  { connect, token, setTimeout }: FramePorts,
  { chats, frame, connection }: Subscription<F>,
): { close(): void } {
  let cursor: string | null = null;
  let closed = false;
  let lostConnections = 0;
  let current: SocketLike | null = null;
  const openSocket = (): void => {
    if (closed) return;
    const socket = connect(socketProtocols(token));
    current = socket;
    socket.addEventListener("open", () => {
      const hello: ClientFrame = { type: "subscribe", chats: chats === "all" ? "all" : [...chats], after: cursor };
      socket.send(JSON.stringify(hello));
    });
    socket.addEventListener("message", ({ data }) => {
      const read = shape.safeParse(typeof data === "string" ? parseJson(data) : null);
      // A frame we cannot read is from a newer daemon: passed over, and the cursor stays before it.
      if (!read.success || closed) return;
      if (read.data.type === "ping") return socket.send(JSON.stringify({ type: "pong" } satisfies ClientFrame));
      if ("cursor" in read.data) cursor = read.data.cursor;
      if (read.data.type === "live") {
        lostConnections = 0;
        connection("live");
      }
      frame(read.data);
    });
    // What failed closes too; without a listener it would end the process.
    socket.addEventListener("error", () => {});
    socket.addEventListener("close", () => {
      if (closed || current !== socket) return;
      connection("lost");
      setTimeout(openSocket, RETRY_DELAYS[Math.min(lostConnections++, RETRY_DELAYS.length - 1)] ?? 5000);
    });
  };
  openSocket();
  return {
    close() {
      closed = true;
      current?.close();
    },
  };
}
