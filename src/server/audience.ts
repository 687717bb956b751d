// Which connection receives which frames: connections by chat, by session, and those that receive all. A frame goes to its audience alone.

import type { Packet } from "./packet.ts";
import type { Sink } from "./ports.ts";
import type { Audience } from "./ring.ts";

/** One connection as far as delivery goes. */
export interface Subscriber {
  readonly sink: Sink;
  all: boolean;
  /** The chats listened to, each with its session. */
  readonly chats: Map<string, string>;
}

export interface Subscribers {
  readonly size: number;
  add(listener: Subscriber): void;
  remove(listener: Subscriber): void;
  hear(listener: Subscriber, chats: "all" | ReadonlyMap<string, string>): void;
  forget(listener: Subscriber, chats: "all" | readonly string[]): void;
  /** Give a frame to everybody it concerns; who does not keep up is dropped. */
  deliver(audience: Audience, packet: Packet): void;
  /** Does somebody listen to a chat of this session, by name? */
  hears(session: string): boolean;
  each(work: (listener: Subscriber) => void): void;
}

/** As much may be waiting to leave on one connection. */
const UNSENT = 4 * 1024 * 1024;
const TOO_SLOW = 1013;

export function concerns(listener: Subscriber, audience: Audience): boolean {
  if (listener.all) return true;
  if (audience.chat !== undefined) return listener.chats.has(audience.chat);
  for (const session of listener.chats.values()) if (session === audience.session) return true;
  return false;
}

export function createListeners(dropped: (listener: Subscriber) => void): Subscribers {
  const every = new Set<Subscriber>();
  const all = new Set<Subscriber>();
  const byChat = new Map<string, Set<Subscriber>>();
  const bySession = new Map<string, Set<Subscriber>>();
  const addTo = (map: Map<string, Set<Subscriber>>, key: string, listener: Subscriber): void => {
    map.set(key, (map.get(key) ?? new Set()).add(listener));
  };
  const removeFrom = (map: Map<string, Set<Subscriber>>, key: string, listener: Subscriber): void => {
    const members = map.get(key);
    members?.delete(listener);
    if (members?.size === 0) map.delete(key);
  };
  const forget = (listener: Subscriber, chats: "all" | readonly string[]): void => {
    if (chats === "all") {
      listener.all = false;
      all.delete(listener);
    }
    for (const chat of chats === "all" ? [...listener.chats.keys()] : chats) {
      const session = listener.chats.get(chat);
      if (session === undefined) continue;
      listener.chats.delete(chat);
      removeFrom(byChat, chat, listener);
      if (![...listener.chats.values()].includes(session)) removeFrom(bySession, session, listener);
    }
  };
  const remove = (listener: Subscriber): void => {
    forget(listener, "all");
    every.delete(listener);
  };
  const give = (listener: Subscriber, packet: Packet): void => {
    if (listener.sink.unsent() > UNSENT) {
      remove(listener);
      listener.sink.end(TOO_SLOW, "too slow: too much was waiting to be sent; reconnect with your cursor");
      dropped(listener);
      return;
    }
    listener.sink.send(packet);
  };
  return {
    get size() {
      return every.size;
    },
    add: (listener) => void every.add(listener),
    remove,
    hear(listener, chats) {
      if (!every.has(listener)) return;
      if (chats === "all") {
        listener.all = true;
        all.add(listener);
        return;
      }
      for (const [chat, session] of chats) {
        listener.chats.set(chat, session);
        addTo(byChat, chat, listener);
        addTo(bySession, session, listener);
      }
    },
    forget,
    deliver(audience, packet) {
      for (const listener of all) give(listener, packet);
      const others = audience.chat !== undefined ? byChat.get(audience.chat) : bySession.get(audience.session);
      if (others === undefined) return;
      for (const listener of others) if (!listener.all) give(listener, packet);
    },
    hears: (session) => bySession.has(session),
    each: (work) => [...every].forEach(work),
  };
}
