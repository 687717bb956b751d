// Who drives which chat in this process: one run a chat. A wake while it runs makes it look once more before it ends. Between processes
// the right to a chat is a lease.

import type { ChatInSession, StoredSession } from "./ports.ts";

/** Why a run's signal aborts where a person stopped it or ended its session; a program that ends gives no reason. Known by being itself. */
export const STOPPED_BY_PERSON = new DOMException("a person stopped it", "AbortError");

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
  readonly drive: (chat: string, signal: AbortSignal, look: ChatInSession | null) => Promise<string | null>;
  readonly lease: TakeLease | null;
  readonly fault: (chat: string, error: unknown) => void;
}

export interface Driving {
  /** Drive a chat, by itself. `session` is the chat's, where somebody has just read it: then it is known where to look. */
  wake(chat: string, session?: StoredSession | null): void;
  /** A chat may have something to do in a moment, once something has been stored: the right to it is got meanwhile. */
  prepare(chat: string, session: StoredSession): Prepared;
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

export interface Prepared {
  /** Resolves when the right has been asked for. */
  readonly sent: Promise<void>;
  /** Is the right had? Waits for that a moment, not longer. Who looks at the chat then may hand over what was seen. */
  isHeld(): Promise<boolean>;
  /** There is something to do, and the chat is driven as by `wake`; or not, and it is left as it was. The first word counts. */
  tell(goes: boolean, look?: ChatInSession | null): void;
}

interface Told {
  readonly goes: boolean;
  /** As it is after what was stored, read by whoever had the right to it then. */
  readonly look: ChatInSession | null;
}

/**
 * A chat that is driven here. It is entered before it begins, asks for the right to the chat, looks at it and does what there is to do; woken
 * meanwhile (`again`) it looks once more. Called off (`abort`) it ends at the next step, and whoever called it off waits for `done`.
 *
 *   entered ──▶ asks for the right ──▶ has it ──▶ drives ──▶ gives it back ──▶ gone
 *                  ▲      └─ another process has it, and is told ─┐   │
 *                  └────────────────── woken meanwhile ◀──────────┴───┘
 */
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
    enter(chat, (run) => driven(run, chat, session, null));
  };

  /** `first`, where something is still to be stored: hears whether the right is had, and tells whether there is anything to do then. */
  const driven = async (run: Run, chat: string, session: StoredSession | null, first: Preparing | null): Promise<void> => {
    let before = first;
    do {
      run.again = false;
      const held = lease === null ? ALWAYS : await lease(chat, "run", session);
      try {
        before?.isHeld(held !== null);
        // INVARIANT: the look comes after the right to the chat and after what was stored, whichever of the two took longer.
        const { goes, look } = before === null ? AT_ONCE : await before.told;
        // RACE: whoever has the right was told to look before the rows were there. Asked for once more, it is told once more.
        if (held === null && before !== null && goes) run.again = true;
        before = null;
        if (held === null || !goes) continue;
        const signal = held === ALWAYS ? run.abort.signal : AbortSignal.any([run.abort.signal, held.signal]);
        const other = await drive(chat, signal, look);
        if (other !== null) wake(other);
      } finally {
        await held?.end();
      }
    } while (run.again && isOpen());
  };

  const prepare = (chat: string, session: StoredSession): Prepared => {
    const whenStored = (goes: boolean): void => (goes ? wake(chat, session) : undefined);
    // Where the chat runs, it looks again.
    if (isClosed || running.has(chat)) return { sent: Promise.resolve(), isHeld: () => Promise.resolve(false), tell: whenStored };
    let [isHeld, tell]: [(held: boolean) => void, (told: Told) => void] = [() => {}, () => {}];
    const held = new Promise<boolean>((resolve) => (isHeld = resolve));
    const told = new Promise<Told>((resolve) => (tell = resolve));
    const run = enter(chat, (its) => driven(its, chat, session, { isHeld, told }));
    return {
      // Where it is always had, there is nothing to send.
      sent: lease === null ? Promise.resolve() : new Promise((resolve) => setImmediate(resolve)),
      isHeld: () => (lease === null ? held : soon(Promise.race([held, run.done.then(() => false)]))),
      tell(goes, look = null) {
        // RACE: it could not get the right, and has ended without having been told.
        if (running.get(chat) === run) tell({ goes, look });
        else whenStored(goes);
      },
    };
  };

  const settled = async (): Promise<void> => {
    while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
  };

  return {
    wake,
    prepare,
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
        active.abort.abort(STOPPED_BY_PERSON);
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
    interrupt: (chat) => running.get(chat)?.abort.abort(STOPPED_BY_PERSON),
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

/** What is between whoever stores something and the run that waits for it. */
interface Preparing {
  readonly isHeld: (held: boolean) => void;
  readonly told: Promise<Told>;
}

const AT_ONCE: Told = { goes: true, look: null };

/** Whoever answers is not kept waiting, in milliseconds, by a lock that is slow to come. */
const SOON = 25;

async function soon(held: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), SOON)));
  try {
    return await Promise.race([held, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Alone on a store: nobody takes a chat away. */
const ALWAYS: Lease = { signal: new AbortController().signal, end: () => Promise.resolve() };
