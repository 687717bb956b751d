// Signals between instances: that something changed, and frames on their way to whoever watches. A signal is a hint, not a fact: what is
// so is in the store. Everybody who listens hears every signal, in the process that sent it too.

/**
 * A chat, a session or an ask changed; a chat is to stop, wherever it runs; a piece of a chat's stream, already serialised; a look that a
 * machine is asked for, and what was seen there.
 */
export type Signal =
  | { readonly kind: "chat" | "stop" | "session" | "ask"; readonly id: string }
  | { readonly kind: "frame"; readonly chat: string; readonly text: string }
  | { readonly kind: "look"; readonly id: string; readonly machine: string; readonly text: string }
  | { readonly kind: "seen"; readonly id: string; readonly text: string };

/** `gap`: signals may have been missed, so everything that depends on them is read again. */
export type SignalOrGap = Signal | { readonly kind: "gap" };

export interface Signals {
  /** Done when it is on its way. Those of one sender are heard in the order they were sent; one may be heard twice, after a gap. */
  send(signal: Signal): Promise<void>;
  /** A listener must not throw. After `close` it hears nothing more. */
  listen(listener: (signal: SignalOrGap) => void): { close(): Promise<void> };
  close(): Promise<void>;
}

/** Those who listen, and how they are told. */
export interface SignalListeners {
  readonly listen: Signals["listen"];
  readonly tell: (signal: SignalOrGap) => void;
  readonly clear: () => void;
}

export function createListeners(): SignalListeners {
  const all = new Set<{ readonly listener: (signal: SignalOrGap) => void }>();
  return {
    listen: (listener) => {
      // An object of its own, so that a listener may listen twice.
      const entry = { listener };
      all.add(entry);
      return { close: async () => void all.delete(entry) };
    },
    tell: (signal) => {
      for (const { listener } of all) listener(signal);
    },
    clear: () => all.clear(),
  };
}

/** For one process alone, where the store is a file. */
export function createLocalSignals(): Signals {
  const { listen, tell, clear } = createListeners();
  return {
    // Not from within `send`: who sends is not interrupted by those who listen, here as elsewhere.
    send: async (signal) => queueMicrotask(() => tell(signal)),
    listen,
    close: async () => clear(),
  };
}
