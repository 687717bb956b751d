// Who drives which chat in this process: one run a chat. A wake while it runs makes it look once more before it ends. Between processes
// the right to a chat is a lease.

import type { StoredSession } from "./ports.ts";

export interface Lease {
  /** Aborts when the right is lost. */
  readonly signal: AbortSignal;
  end(): Promise<void>;
}

/**
 * The right to a chat, which one process has at a time. To `run` it: null where another one has it, or its files are elsewhere; whoever it
 * is has then been told to look. To `stop` it: ends its run wherever that is, and waits for that. `session` is the chat's, where it is at
 * hand.
 */
export type TakeLease = (chat: string, purpose: "run" | "stop", session?: StoredSession | null) => Promise<Lease | null>;

export interface DrivingPorts {
  /** One run of a chat. Gives another chat that can go on now. */
  readonly drive: (chat: string, signal: AbortSignal, session: StoredSession | null) => Promise<string | null>;
  readonly lease: TakeLease | null;
  readonly fault: (chat: string, error: unknown) => void;
}

export interface Driving {
  /** Drive a chat, by itself. `session` is the chat's, where somebody has just read it: then it is known where to look. */
  wake(chat: string, session?: StoredSession | null): void;
  /** As `wake`, and waits until the chat is not driven here any more; ends that when the signal aborts. */
  run(chat: string, signal: AbortSignal): Promise<void>;
  /** End the run of a chat, do `work` while nobody here drives it, and look again if somebody woke it meanwhile. */
  alone(chat: string, work: () => Promise<void>): Promise<void>;
  /** End the run of a chat, soon. */
  interrupt(chat: string): void;
  /** Resolves when nothing is driven here. */
  settled(): Promise<void>;
  readonly runs: number;
  /** Nothing new; what runs is told to end. */
  close(): Promise<void>;
}

interface Run {
  again: boolean;
  readonly abort: AbortController;
  /** Never rejects. */
  readonly done: Promise<void>;
}

export function createDriving({ drive, lease, fault }: DrivingPorts): Driving {
  const running = new Map<string, Run>();
  let isClosed = false;
  const isOpen = (): boolean => !isClosed;

  const enter = (chat: string, work: (run: Run) => Promise<void>): Run => {
    const begun = async (): Promise<void> => {
      // It begins after it is entered, so that it finds itself there.
      await Promise.resolve();
      try {
        await work(run);
      } catch (error) {
        fault(chat, error);
      } finally {
        running.delete(chat);
        // RACE: woken between its last look and here.
        if (run.again) wake(chat);
      }
    };
    const run: Run = { again: false, abort: new AbortController(), done: begun() };
    running.set(chat, run);
    return run;
  };

  const wake = (chat: string, session: StoredSession | null = null): void => {
    if (isClosed) return;
    const active = running.get(chat);
    if (active !== undefined) {
      active.again = true;
      return;
    }
    enter(chat, async (run) => {
      do {
        run.again = false;
        const held = lease === null ? ALWAYS : await lease(chat, "run", session);
        if (held === null) continue;
        try {
          const signal = held === ALWAYS ? run.abort.signal : AbortSignal.any([run.abort.signal, held.signal]);
          const other = await drive(chat, signal, session);
          if (other !== null) wake(other);
        } finally {
          await held.end();
        }
      } while (run.again && isOpen());
    });
  };

  const settled = async (): Promise<void> => {
    while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
  };

  return {
    wake,
    async run(chat, signal) {
      const end = (): void => running.get(chat)?.abort.abort();
      signal.addEventListener("abort", end);
      try {
        wake(chat);
        for (let active = running.get(chat); active !== undefined; active = running.get(chat)) {
          if (signal.aborted) end();
          await active.done;
        }
      } finally {
        signal.removeEventListener("abort", end);
      }
    },
    async alone(chat, work) {
      for (let active = running.get(chat); active !== undefined; active = running.get(chat)) {
        active.abort.abort();
        await active.done;
      }
      // What fails here is told to whoever asked for it, and is no fault of the chat's.
      let worked: Promise<void> = Promise.resolve();
      await enter(chat, async () => {
        worked = work();
        await worked.catch(() => {});
      }).done;
      await worked;
    },
    interrupt: (chat) => running.get(chat)?.abort.abort(),
    settled,
    get runs() {
      return running.size;
    },
    async close() {
      isClosed = true;
      for (const { abort } of running.values()) abort.abort();
      await settled();
    },
  };
}

/** Alone on a store: nobody takes a chat away. */
const ALWAYS: Lease = { signal: new AbortController().signal, end: () => Promise.resolve() };
