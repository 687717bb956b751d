// A connection to an app: the daemon's, or one in this process. Both speak the same wire, so whoever holds one need not know which it is.

import type { AuditEvent } from "../core/audit.ts";
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
  /** Who runs the app. The daemon's is shared with every other program of its user; one in this process is reached by nobody else. */
  readonly where: "daemon" | "process";
  /** Do asks wait until a person answers them elsewhere, and do grants and the record outlive this process? Else all of it ends with it. */
  readonly durable: boolean;
  /**
   * A word that is another one after every change of what agents may do, for a program that keeps what it judges with: `src/server/change-mark.ts`
   * says how changes and looks are ordered. Null where there is none: then it asks at every call.
   */
  readonly mark: () => string | null;
  /**
   * Keep what was decided in a session, in a file that the app adds to its record before the record is read. Throws `io-error` where it
   * cannot be kept. Null where there is no such file: then it is sent.
   */
  readonly spool: ((session: string, events: readonly SpoolableEvent[]) => void) | null;
  /** Get events as they happen, until closed. A connection that is lost is made again, and nothing is missed. */
  subscribe(subscription: Subscription): { close(): void };
  /** End every subscription and let go of the daemon, or end the app. */
  close(): Promise<void>;
}

/** What may be kept so: what was decided, and what could not be opened then. */
export type SpoolableEvent = Extract<AuditEvent, { readonly kind: "decision" | "open-failed" }>;

/** What a connection is made of. */
export interface AppConnectionPorts
  extends ClientPorts, Pick<AppConnection, "connect" | "where" | "durable" | "close">, Partial<Pick<AppConnection, "mark" | "spool">> {}

export function connectApp({
  connect,
  where,
  durable,
  close,
  mark = () => null,
  spool = null,
  ...ports
}: AppConnectionPorts): AppConnection {
  const { token, fetch } = ports;
  const subscriptions = new Set<{ close(): void }>();
  return {
    client: createClient(ports),
    fetch,
    connect,
    where,
    durable,
    mark,
    spool,
    subscribe(subscription) {
      const opened = subscribe({ connect, token, setTimeout: (work, pause) => setTimeout(work, pause) }, subscription);
      subscriptions.add(opened);
      return {
        close() {
          subscriptions.delete(opened);
          opened.close();
        },
      };
    },
    close() {
      // Else each would try to come back to an app that is gone.
      for (const subscription of subscriptions) subscription.close();
      return close();
    },
  };
}
