// The hub: one order of frames for everybody who listens in this process, and the way to those of other processes on the same store.
// A frame is made into text once. A client that comes back with a cursor gets what it missed, else where things stand; then `live`.

import type { Store } from "../agent/ports.ts";
import type { Ids } from "../core/clock.ts";
import { createListeners } from "./audience.ts";
import { createConnection, type ClientConnection } from "./connection.ts";
import { type BareFrame, createFramePublisher } from "./frames.ts";
import { createOthers } from "./others.ts";
import type { Hub, Log, Signals, Views } from "./ports.ts";
import { type Audience, createRing } from "./ring.ts";
import { createSettling } from "./settling.ts";
import { agentSink, framePacket } from "./views/frame-packet.ts";

export interface HubPorts {
  readonly store: Store;
  readonly views: Views;
  readonly ids: Ids;
  readonly log: Log;
  /** To the other processes on the store; null where there are none. */
  readonly signals: Signals | null;
  /** This machine. */
  readonly machine: string;
  /** Something of an ask has changed somewhere else. */
  readonly asked: (ask: string) => void;
  /** A chat may have something to do, or a session has changed, somewhere else. */
  readonly onSignal: (what: "chat" | "stop" | "session", id: string) => void;
  /** Something may have been missed. */
  readonly gap: () => void;
  /** Milliseconds between two looks whether a client is still there. */
  readonly beat?: number;
  /** The browsers that are signed in. */
  readonly signedIn: () => Promise<ReadonlySet<string>>;
}

const RING = { frames: 5000, bytes: 16 * 1024 * 1024 };
const BEAT = 25_000;
const MOST = 4096;
/** Close codes: going away; try again later. */
const AWAY = 1001;
const FULL = 1013;

/** Enough of an id to tell one process, and one stretch without a gap, from another; it is in every frame. */
const epoch = (ids: Ids): string => ids().replaceAll("-", "").slice(0, 12);

export function createHub(ports: HubPorts): Hub {
  const { store, views, ids, log, signals } = ports;
  const ring = createRing(epoch(ids), RING);
  let dropped = 0;
  const connections = new Map<object, ClientConnection & { readonly browser: string | null }>();
  const listeners = createListeners((listener) => {
    dropped += 1;
    connections.delete(listener);
    log.warn({ unsent: listener.sink.unsent() }, "a client did not keep up and was dropped");
  });
  const settling = createSettling(store);
  /** Turns that are being spoken: what a snapshot must add, since nothing of them is stored yet. */
  const speaking = new Map<string, { readonly message: string; text: string }>();

  const publish = (frame: BareFrame, audience: Audience): void => {
    follow(frame);
    const packet = framePacket({ ...frame, cursor: ring.cursor(ring.last + 1) });
    ring.add(audience, packet);
    listeners.deliver(audience, packet);
    if (frame.type === "ask_settled") settling.look(frame.ask.id);
  };
  const follow = (frame: BareFrame): void => {
    if (frame.type === "turn_start") speaking.set(frame.chat, { message: frame.message, text: "" });
    else if (frame.type === "turn_end") speaking.delete(frame.chat);
    else if (frame.type === "message" && speaking.get(frame.chat)?.message === frame.message.id) speaking.delete(frame.chat);
    else if (frame.type === "text_delta") {
      const turn = speaking.get(frame.chat);
      if (turn?.message === frame.message) turn.text += frame.text;
    }
  };
  /** Nothing can be replayed across it: everybody begins anew. */
  const gap = (): void => {
    ring.reset(epoch(ids));
    speaking.clear();
    settling.lookAll();
    for (const connection of connections.values()) connection.resync();
    ports.gap();
  };
  const publisher = createFramePublisher({
    store,
    views,
    log,
    publish(frame, audience) {
      publish(frame, audience);
      others.tell(frame, audience);
    },
    show: publish,
  });
  const others = createOthers({
    signals,
    instance: ids(),
    machine: ports.machine,
    log,
    publish(frame, audience) {
      if (publisher.follow(frame)) publish(frame, audience);
    },
    publishRemade(frame, audience) {
      if (publisher.follow(frame)) publisher.showRemade(frame, audience);
    },
    look(ask) {
      settling.look(ask);
      ports.asked(ask);
    },
    onSignal: ports.onSignal,
    gap,
  });

  const endSignedOut = async (): Promise<void> => {
    if ([...connections.values()].every(({ browser }) => browser === null)) return;
    const signedIn = await ports.signedIn();
    for (const connection of connections.values())
      if (connection.browser !== null && !signedIn.has(connection.browser)) connection.signOut();
  };
  const heart = setInterval(() => {
    for (const connection of connections.values()) connection.ping();
    // Another process may have signed a browser out.
    void endSignedOut().catch(() => {});
  }, ports.beat ?? BEAT);
  // Nothing is kept running for it.
  heart.unref();

  return {
    changed: (change) => publisher.changed(change),
    showAgain: (ask) => publisher.showAgain(ask),
    heard: (event) => publisher.heard(event),
    flushed: () => publisher.flushed(),
    settled: (ask, milliseconds, signal) => settling.settled(ask, milliseconds, signal),
    connect(caller, clientSink) {
      const sink = caller.role === "agent" ? agentSink(clientSink) : clientSink;
      const listener = { sink, all: false, chats: new Map<string, string>() };
      if (listeners.size >= MOST) {
        sink.end(FULL, "too many connections");
        return { receive: () => Promise.resolve(), close() {} };
      }
      listeners.add(listener);
      const connection = createConnection({
        store,
        views,
        ring,
        listeners,
        speaking,
        log,
        caller,
        listener,
        gone: () => connections.delete(listener),
      });
      connections.set(listener, { ...connection, browser: caller.role === "person" ? caller.browser : null });
      return connection;
    },
    get listeners() {
      return listeners.size;
    },
    hears: (session) => listeners.hears(session),
    signOut(browser) {
      for (const connection of connections.values()) if (connection.browser === browser) connection.signOut();
    },
    get dropped() {
      return dropped;
    },
    async close() {
      clearInterval(heart);
      settling.close();
      while (!publisher.isQuiet) await publisher.flushed();
      await others.close();
      listeners.each(({ sink }) => sink.end(AWAY, "the daemon stops"));
      connections.clear();
    },
  };
}
