// The last frames, for clients that come back: bounded in number and in bytes. A cursor is `<epoch>.<number>`; the epoch is this hub's
// own, so that a cursor of another process, or of this one before a gap, is never taken for one of these.

import type { SessionId } from "../core/names.ts";
import type { Packet } from "./packet.ts";

/** Whom a frame concerns: those who listen to the chat; where there is none, to any chat of the session; and who listens to all. */
export type Audience = { readonly chat: string; readonly session?: never } | { readonly session: SessionId; readonly chat?: never };

export interface KeptFrame {
  readonly number: number;
  readonly audience: Audience;
  readonly packet: Packet;
}

export interface Ring {
  /** The number the next frame gets is one more. */
  readonly last: number;
  cursor(number: number): string;
  add(audience: Audience, packet: Packet): void;
  /** The number a cursor stands for, if everything after it is still here; else null. */
  numberOf(cursor: string): number | null;
  /** Everything after a number, oldest first; null where some of it is no longer here. */
  after(number: number): readonly KeptFrame[] | null;
  /** Nothing before now can be replayed: every older cursor is unknown from here on. */
  reset(epoch: string): void;
}

export function createRing(epoch: string, { frames, bytes }: { readonly frames: number; readonly bytes: number }): Ring {
  let current = epoch;
  let entries: (KeptFrame | undefined)[] = [];
  let first = 0;
  let totalBytes = 0;
  let last = 0;
  let floor = 0;
  const drop = (): void => {
    for (
      let oldest = entries[first];
      oldest !== undefined && (entries.length - first > frames || totalBytes > bytes);
      oldest = entries[first]
    ) {
      totalBytes -= oldest.packet.size;
      floor = oldest.number;
      // Let go of at once: what is only passed over would be held until the list is moved, however many bytes it has.
      entries[first] = undefined;
      first += 1;
    }
    // Moved together seldom, so that adding stays cheap.
    if (first > frames) {
      entries = entries.slice(first);
      first = 0;
    }
  };
  return {
    get last() {
      return last;
    },
    cursor: (number) => `${current}.${number}`,
    add(audience, packet) {
      last += 1;
      totalBytes += packet.size;
      entries.push({ number: last, audience, packet });
      drop();
    },
    numberOf(cursor) {
      const dot = cursor.lastIndexOf(".");
      const digits = cursor.slice(dot + 1);
      if (dot === -1 || cursor.slice(0, dot) !== current || !/^\d{1,15}$/.test(digits)) return null;
      const number = Number(digits);
      return number >= floor && number <= last ? number : null;
    },
    after(number) {
      if (number < floor) return null;
      return entries.slice(first + (number - floor)).filter((entry) => entry !== undefined);
    },
    reset(next) {
      current = next;
      entries = [];
      first = 0;
      totalBytes = 0;
      floor = last;
    },
  };
}
