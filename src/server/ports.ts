// What the parts of the server are to each other. `app.ts` answers requests, `hub.ts` tells listeners, `assemble.ts` puts them
// together; none of them listens on a port, so that the same app serves a daemon, a test and a terminal chat in one process.

import type { AskId, SessionId } from "../core/names.ts";
import type { Agent } from "../agent/agent.ts";
import type { AgentEvent } from "../agent/events.ts";
import type { StoredAsk } from "../agent/ports.ts";
import type { AssembleOptions } from "./assemble.ts";
import type { StoreChange } from "./changes.ts";
import type { RemoteLooks } from "./elsewhere.ts";
import type { Packet } from "./packet.ts";
import type { ShellReports } from "./shell-reports.ts";
import type { WireAsk, WireSession } from "../wire/values.ts";

export type { Signals } from "../store/signals.ts";

/** Rows as clients see them. */
export interface Views {
  ask(ask: StoredAsk): Promise<WireAsk>;
  session(id: SessionId): Promise<WireSession | null>;
}

/** Who is calling: told by the token alone, never by anything else in a request. */
export type Caller =
  | {
      readonly role: "person";
      /** The browser whose credential it is; null for the person's token itself. */
      readonly browser: string | null;
    }
  | { readonly role: "agent"; readonly session: SessionId }
  | { readonly role: "anyone" };

/** Tells everybody who listens what has happened, in this process and in every other one on the same store. */
export interface Hub {
  /** Rows have changed. */
  changed(change: StoreChange): void;
  /** Something happened that is no row. */
  heard(event: AgentEvent): void;
  /** Show the card of an open ask again to those who listen here. */
  showAgain(ask: AskId): void;
  /** Resolves when everything that has happened so far has been said to those who listen here. */
  flushed(): Promise<void>;
  /** The ask as soon as it is no longer open; as it is after so many milliseconds, or once the signal aborts. Null: no such ask. */
  settled(ask: StoredAsk["id"], milliseconds: number, signal?: AbortSignal): Promise<StoredAsk | null>;
  /** A new connection of this caller; frames go to its sink. */
  connect(caller: Caller, sink: Sink): Connection;
  readonly listeners: number;
  /** Connections that were dropped because they did not keep up. */
  readonly dropped: number;
  /** End the connections of a browser that was signed out. */
  signOut(browser: string): void;
  /** Does somebody here listen to a chat of this session, by name? */
  hears(session: SessionId): boolean;
  close(): Promise<void>;
}

/** Where a connection's frames go. */
export interface Sink {
  send(packet: Packet): void;
  /** Bytes that were given to it and have not left. */
  unsent(): number;
  /** End the connection, with a WebSocket close code and why. */
  end(code: number, why: string): void;
}

/** One WebSocket connection of a client. */
export interface Connection {
  /** A text from the client. */
  receive(text: string): Promise<void>;
  close(): void;
}

/** What of a server's options the app needs too, each as it was given or by its default. */
type SharedOption =
  | "store"
  | "storeKind"
  | "policyFor"
  | "home"
  | "env"
  | "platform"
  | "clock"
  | "ids"
  | "machine"
  | "hostAgent"
  | "models"
  | "version"
  | "token"
  | "hosts"
  | "reachable"
  | "pages"
  | "log";

/** Everything the app needs. */
export interface AppPorts extends Required<Pick<AssembleOptions, SharedOption>> {
  /** Was the last thing that was recorded kept? */
  readonly isStoreWell: () => boolean;
  readonly agent: Agent;
  readonly hub: Hub;
  readonly views: Views;
  readonly shells: ShellReports;
  /** How what lies on another machine is looked at; null where no machines share the store. */
  readonly elsewhere: Pick<RemoteLooks, "look"> | null;
  /** The model of chats that name none, as it is now. */
  readonly model: () => string;
  readonly startedAt: number;
  /** The key that push notices are signed with; null where none are sent. */
  readonly pushKey: string | null;
  /** Text for Prometheus. */
  readonly metrics: () => Promise<string>;
}

/** Structured lines; never a file's content, a token or an agent's words. */
export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** The server as a function from request to response. */
export interface App {
  /** Answer a request. */
  fetch(request: Request): Promise<Response>;
  /** Who a token belongs to; null: nobody. Compared in constant time. */
  callerOf(token: string): Promise<Caller | null>;
}
