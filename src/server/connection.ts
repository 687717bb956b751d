// One client's connection: its frames are read, its subscriptions kept, what it missed is replayed. Whatever a client sends, the worst
// that happens is a `problem` or the end of its own connection.

import type { Store } from "../agent/ports.ts";
import { createQueue } from "../agent/waiting.ts";
import type { SessionId } from "../core/names.ts";
import { messageOf, parseJson } from "../core/record.ts";
import { type ClientFrame, clientFrameSchema } from "../wire/frames.ts";
import { concerns, type Subscriber, type Subscribers } from "./audience.ts";
import type { Frame } from "../wire/frames.ts";
import type { BareFrame } from "./frames.ts";
import { packet } from "./packet.ts";
import type { Caller, Connection, Log, Views } from "./ports.ts";
import type { Ring } from "./ring.ts";
import { chatSnapshot, inboxSnapshot } from "./snapshot.ts";
import { framePacket } from "./views/frame-packet.ts";

export interface ConnectionPorts {
  readonly store: Store;
  readonly views: Views;
  readonly ring: Ring;
  readonly listeners: Subscribers;
  readonly speaking: ReadonlyMap<string, { readonly message: string; readonly text: string }>;
  readonly log: Log;
  readonly caller: Caller;
  readonly listener: Subscriber;
  readonly gone: () => void;
}

export interface ClientConnection extends Connection {
  /** Is it still there? Asked now and then; whoever does not answer twice is let go. */
  ping(): void;
  /** Send where things stand once more, for everything it listens to. */
  resync(): void;
  /** The browser was signed out: it hears no more. */
  signOut(): void;
}

type Chats = Extract<ClientFrame, { type: "subscribe" }>["chats"];

/** Frames of one client that may wait to be worked on; chats one client may listen to by name. */
const WAITING = 64;
const LISTENED = 1024;
const MISSES = 2;
const POLICY = 1008;
const GONE = 1001;
const FAULT = 1011;

const PING = packet(JSON.stringify({ type: "ping" }));

export function createConnection(ports: ConnectionPorts): ClientConnection {
  const { ring, listeners, speaking, log, caller, listener } = ports;
  const { sink } = listener;
  const only: SessionId | null = caller.role === "agent" ? caller.session : null;
  let open = true;
  let misses = 0;
  let waiting = 0;
  const queue = createQueue();

  const send = (frame: Frame): void => {
    if (open) sink.send(framePacket(frame));
  };
  const problem = (code: string, message: string): void => send({ type: "problem", code, message });
  const sendNumbered = (frame: BareFrame | { readonly type: "live" }, number: number): void =>
    send({ ...frame, cursor: ring.cursor(number) });
  const close = (): void => {
    if (!open) return;
    open = false;
    listeners.remove(listener);
    ports.gone();
  };
  const end = (code: number, why: string): void => {
    if (!open) return;
    close();
    sink.end(code, why);
  };

  /** The chats of these that the caller may hear of, with their sessions. */
  const allowedChats = async (chats: readonly string[]): Promise<Map<string, string>> => {
    const sessions = new Map<string, string>();
    for (const id of new Set(chats)) {
      const chat = await ports.store.chat(id);
      if (chat !== null && (only === null || chat.session === only)) sessions.set(id, chat.session);
      else problem("not-found", "there is no such chat");
    }
    return sessions;
  };

  /** Snapshots as of `ring.last`; frames that come while they are made are sent after them. */
  const sendSnapshots = async (sessions: "all" | ReadonlyMap<string, string>): Promise<void> => {
    for (;;) {
      const from = ring.last;
      const frames: BareFrame[] = [];
      if (sessions === "all") frames.push(await inboxSnapshot(ports));
      else {
        for (const id of sessions.keys()) {
          // What is being spoken is taken before the rows are read: had it ended meanwhile, the rest of it is in the replay.
          const openTurn = speaking.get(id);
          const partialTurn = openTurn === undefined ? null : { message: openTurn.message, text: openTurn.text };
          const takenAt = ring.last;
          const snapshot = await chatSnapshot(ports, id, only);
          if (snapshot === null) continue;
          frames.push(snapshot);
          if (partialTurn === null || takenAt !== from) continue;
          frames.push({ type: "turn_start", chat: id, message: partialTurn.message });
          if (partialTurn.text !== "") frames.push({ type: "text_delta", chat: id, message: partialTurn.message, text: partialTurn.text });
        }
      }
      const since = ring.after(from);
      // More happened meanwhile than is kept: what was read is too old to be of use.
      if (since === null) continue;
      for (const frame of frames) sendNumbered(frame, from);
      return replay(sessions, from);
    }
  };
  /** Everything after a number that concerns these, then `live`. From here on frames come as they are published: no wait in between. */
  const replay = (sessions: "all" | ReadonlyMap<string, string>, from: number): void => {
    const subscriber: Subscriber = { sink, all: sessions === "all", chats: new Map(sessions === "all" ? [] : sessions) };
    for (const { audience, packet: stored } of ring.after(from) ?? []) if (concerns(subscriber, audience)) sink.send(stored);
    listeners.hear(listener, sessions);
    sendNumbered({ type: "live" }, ring.last);
  };

  const subscribe = async (chats: Chats, after: string | null): Promise<void> => {
    if (chats === "all" && only !== null) return problem("forbidden", "an agent hears of its own session alone: name its chat");
    if (chats !== "all" && listener.chats.size + chats.length > LISTENED)
      return problem("bad-request", `at most ${LISTENED} chats on one connection; listen to all`);
    const sessions = chats === "all" ? chats : await allowedChats(chats);
    if (!open) return;
    // Looked up after the wait: a cursor may have gone meanwhile.
    const number = after === null ? null : ring.numberOf(after);
    return number === null ? sendSnapshots(sessions) : replay(sessions, number);
  };

  const handleFrame = async (text: string): Promise<void> => {
    const read = clientFrameSchema.safeParse(parseJson(text));
    if (!read.success) return problem("bad-request", "unknown frame");
    misses = 0;
    switch (read.data.type) {
      case "pong":
        return;
      case "unsubscribe":
        return listeners.forget(listener, read.data.chats);
      case "subscribe":
        return subscribe(read.data.chats, read.data.after);
    }
  };
  const enqueue = (task: () => Promise<void>): Promise<void> => {
    waiting += 1;
    return queue.add(async () => {
      waiting -= 1;
      if (!open) return;
      try {
        await task();
      } catch (error) {
        log.error({ error: messageOf(error) }, "handling a client's frame failed");
        end(FAULT, "something failed here; reconnect");
      }
    });
  };

  return {
    receive(text) {
      if (!open) return Promise.resolve();
      if (waiting >= WAITING) {
        end(POLICY, "too many frames at once");
        return Promise.resolve();
      }
      return enqueue(() => handleFrame(text));
    },
    resync() {
      void enqueue(async () => {
        const chats = new Map(listener.chats);
        if (listener.all) await sendSnapshots("all");
        if (chats.size > 0) await sendSnapshots(chats);
      });
    },
    ping() {
      if (misses >= MISSES) return end(GONE, "no answer to two pings");
      misses += 1;
      sink.send(PING);
    },
    signOut: () => end(POLICY, "this browser was signed out"),
    close,
  };
}
