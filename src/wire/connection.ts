// A connection to an app: the daemon's, or one in this process. Both speak the same wire, so whoever holds one need not know which it is.

import { type Client, type ClientPorts, createClient } from "./client.ts";
import { type FramePorts, subscribe, type Subscription } from "./socket.ts";

/** A connection to an app, with the person's rights: requests, events, and what an agent's own client is made with. */
export interface AppConnection {
  /** Sends requests: `client.send(routes.answer, { id, body: { decision: "deny" } })`. */
  readonly client: Client;
  /** What the client sends through. */
  readonly fetch: ClientPorts["fetch"];
  /** Opens a socket for events. */
  readonly connect: FramePorts["connect"];
  /** A daemon is shared with every other program of its user and has an inbox; an app in this process is reached by nobody else. */
  readonly where: "daemon" | "process";
  /** Get events as they happen, until closed. */
  subscribe(subscription: Subscription): { close(): void };
  /** Let go of the daemon, or end the app. */
  close(): Promise<void>;
}

/** What a connection is made of. */
export interface AppConnectionPorts extends ClientPorts, Pick<AppConnection, "connect" | "where" | "close"> {}

export function connectApp({ connect, where, close, ...ports }: AppConnectionPorts): AppConnection {
  const { token, fetch } = ports;
  return {
    client: createClient(ports),
    fetch,
    connect,
    where,
    subscribe: (subscription) => subscribe({ connect, token, setTimeout: (work, pause) => setTimeout(work, pause) }, subscription),
    close,
  };
}
