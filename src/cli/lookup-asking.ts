// Asks for programs in the sandbox that reach for what lies outside their roots. Asking, waiting and withdrawing are the same wherever the session is kept: with
// a daemon that is spoken to over the wire (`run-asking.ts`), or in the daemon itself (`shell-entrance.ts`).

import { setTimeout as pause } from "node:timers/promises";
import { lookupTool } from "../core/access.ts";
import { randomIds } from "../core/clock.ts";
import type { Session } from "../core/session/session.ts";
import type { CommandAsking } from "../sandbox/port.ts";

/** The session of the program, as far as asking needs it. */
export interface AskingPort {
  /** As it stands now, with its lasting grants. */
  session(call: string): Promise<Session>;
  /** The name of the ask that now waits; null where nobody need be asked. */
  ask(
    access: { readonly call: string; readonly tool: string; readonly operation: "list" | "read"; readonly path: string },
    words: string,
  ): Promise<string | null>;
  /** Resolves when the ask is settled, or as it is after so many milliseconds or once the signal aborts. Is it still open? */
  isOpenAfter(ask: string, milliseconds: number, signal: AbortSignal): Promise<boolean>;
  /** This call is called off. The ask is closed, unless another call waits for it. */
  withdraw(ask: string, call: string): Promise<void>;
}

export interface LookupAsking {
  /** As the sandbox takes it. */
  readonly asking: Pick<CommandAsking, "patience" | "ask">;
  /** The program has ended: what nobody has answered is withdrawn. */
  close(): Promise<void>;
}

/** Milliseconds for which a lookup waits: hosts give their shells two minutes, and the program is to see the refusal before that. */
const PATIENCE = 100_000;
/** Milliseconds to wait for an answer. The card closes when the program has ended. */
const DAY = 24 * 3_600_000;
/** Milliseconds for a daemon to take in that nobody waits any more. */
const LEAVE_TIME = 2_000;

/** `runSessionOf`: gives the session the program runs in, from the one that is kept, with its lasting grants. */
export function openAsking(port: AskingPort, runSessionOf: (kept: Session) => Session): LookupAsking {
  const over = new AbortController();
  /** The asks that nobody has answered, with their calls. */
  const open = new Map<string, string>();
  return {
    asking: {
      patience: PATIENCE,
      async ask({ path, operation, who }) {
        const call = randomIds();
        const ask = await port.ask({ call, tool: lookupTool.ofHost, operation, path }, `${who} reached for it`);
        if (ask !== null) {
          open.set(ask, call);
          if (!(await port.isOpenAfter(ask, DAY, over.signal))) open.delete(ask);
        }
        const kept = await port.session(call);
        return kept.grants.length === 0 ? null : runSessionOf(kept);
      },
    },
    async close() {
      over.abort();
      const withdrawn = Promise.all([...open].map(([ask, call]) => port.withdraw(ask, call).catch(() => {})));
      // A daemon that does not answer keeps no program from ending.
      const giveUp = new AbortController();
      await Promise.race([withdrawn, pause(LEAVE_TIME, undefined, { signal: giveUp.signal }).catch(() => {})]);
      giveUp.abort();
    },
  };
}
