// Yeses for one call in the store in memory: what has become of each, beside its ask.

import { mayUse, onceRevocations } from "../agent/once-yes.ts";
import type { OnceYes, Store } from "../agent/ports.ts";
import type { AskId, CallId, SessionId } from "../core/names.ts";
import { record } from "./memory-audit.ts";
import type { Memory } from "./memory-rows.ts";

export function onceIn(memory: Memory) {
  const { asks, once } = memory;
  /** Null where it was taken back, or there is no such yes. */
  const yesOf = (id: AskId): OnceYes | null => {
    const ask = asks.get(id);
    const { keptBy = null, usedBy = null, isEnded = false } = once.get(id) ?? {};
    const isOnce = ask?.answer?.verdict === "allow" && ask.answer.until === "call";
    return ask === undefined || !isOnce || isEnded ? null : { ask, keptBy, usedBy };
  };
  const become = (id: AskId, now: { readonly keptBy?: CallId; readonly usedBy?: CallId; readonly isEnded?: true }): void => {
    once.set(id, { ...once.get(id), ...now });
  };
  const yesesOf = (session: SessionId): readonly OnceYes[] =>
    [...asks.values()].flatMap((ask) => (ask.session === session ? (yesOf(ask.id) ?? []) : []));
  return {
    onceYeses: async (session, call) => {
      const yeses = yesesOf(session);
      return [...yeses.filter(({ usedBy }) => usedBy === null), ...yeses.filter(({ usedBy }) => usedBy !== null && usedBy === call)];
    },
    keepOnce: async (id, call) => {
      const yes = yesOf(id);
      if (yes === null || yes.usedBy !== null || (yes.keptBy !== null && yes.keptBy !== call)) return false;
      become(id, { keptBy: call });
      return true;
    },
    useOnce: async (id, call, use, again) => {
      const yes = yesOf(id);
      if (yes === null || (yes.usedBy !== null && !again) || !mayUse(yes, call)) return false;
      become(id, { usedBy: call });
      record(memory, [use]);
      return true;
    },
    endOnceYeses: async (session, at, by) => {
      const yeses = yesesOf(session);
      const unused = yeses.filter(({ usedBy }) => usedBy === null).map(({ ask }) => ask.id);
      for (const { ask } of yeses) become(ask.id, { isEnded: true });
      record(memory, onceRevocations(session, unused, at, by));
      return unused;
    },
  } satisfies Partial<Store>;
}
