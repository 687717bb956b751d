// What the guard decided, by call: two calls under way at once do not record each other's.

import type { AuditEvent } from "../../core/audit.ts";
import type { CallId } from "../../core/names.ts";

export interface Decided {
  readonly call: CallId;
  /** What was decided in this call so far. */
  readonly told: AuditEvent[];
}

export interface DecidedByCall {
  /** For the guard. What belongs to no call under way is left out. */
  tell(event: AuditEvent): void;
  begin(call: CallId): Decided;
  end(mine: Decided): void;
}

/**
 * A list and no map: it is short, the latest call is the one that is told of and the earliest the one that ends, and a map that gains and
 * loses a key with each call is built anew all the time.
 */
export function createDecided(): DecidedByCall {
  const all: Decided[] = [];
  return {
    tell(event) {
      if ("call" in event) all.findLast(({ call }) => call === event.call)?.told.push(event);
    },
    begin(call) {
      const mine = { call, told: [] };
      all.push(mine);
      return mine;
    },
    end(mine) {
      // A call that was done at once is the latest.
      if (all.at(-1) === mine) all.pop();
      else all.splice(all.indexOf(mine), 1);
    },
  };
}
