// Which calls of this process were put to an ask, and which of them still wait: several may be put to one card, and it is of use until
// the last of them is gone.

export interface Waiters {
  put(ask: string, call: string): void;
  /** This call no longer waits. Does another? */
  left(ask: string, call: string): boolean;
  /** How many calls were put to it, waiting or not. */
  all(ask: string): number;
}

/** As many asks as are remembered; an older one is taken for somebody else's, and stays open. */
const KEPT = 1_000;

export function createWaiters(): Waiters {
  const asks = new Map<string, { readonly all: Set<string>; readonly waiting: Set<string> }>();
  return {
    put(ask, call) {
      const known = asks.get(ask) ?? { all: new Set(), waiting: new Set() };
      known.all.add(call);
      known.waiting.add(call);
      asks.set(ask, known);
      const [oldest] = asks.keys();
      if (asks.size > KEPT && oldest !== undefined) asks.delete(oldest);
    },
    left(ask, call) {
      const known = asks.get(ask);
      known?.waiting.delete(call);
      return (known?.waiting.size ?? 0) > 0;
    },
    all: (ask) => asks.get(ask)?.all.size ?? 0,
  };
}
