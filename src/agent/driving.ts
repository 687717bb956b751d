// Drives chats in this process, with one run per chat. A wake during a run makes it check the chat once more before it ends. Between
// processes, a lease gives the right to drive a chat.

/** Why a run's signal aborts where a person stopped it, or its session ends; a program that ends gives no reason. Compared by identity. */
export const STOPPED_BY_PERSON = new DOMException("a person stopped it", "AbortError");
export const SESSION_ENDED = new DOMException("its session has ended", "AbortError");

export interface Lease {
  /** Aborts when the right is lost. */
  readonly signal: AbortSignal;
  end(): Promise<void>;
}

/**
 * The right to a chat, which one process has at a time. To `run` it: null where another one has it, or its files are elsewhere; whoever it
 * is has then been told to look. To `stop` it: ends its run wherever that is, and waits for that.
 */
export type TakeLease = (chat: string, purpose: "run" | "stop") => Promise<Lease | null>;

export interface DrivingPorts {
  /** One run of a chat. Gives another chat that can go on now. */
  readonly drive: (chat: string, signal: AbortSignal) => Promise<string | null>;
  readonly lease: TakeLease | null;
  readonly fault: (chat: string, error: unknown) => void;
}

export interface ChatDriver {
  /** Drive a chat, by itself. */
  wake(chat: string): void;
  /** As `wake`, and waits until the chat is not driven here any more; ends that when the signal aborts. */
  run(chat: string, signal: AbortSignal): Promise<void>;
  /** End the run of a chat for the reason given, do `work` while nobody here drives it, and look again if somebody woke it meanwhile. */
  alone(chat: string, why: DOMException, work: () => Promise<void>): Promise<void>;
  /** Do `work` while nobody here drives the chat, and look again if somebody woke it meanwhile. False where somebody drives it now. */
  resting(chat: string, work: (signal: AbortSignal) => Promise<void>): Promise<boolean>;
  /** End the run of a chat, soon. */
  interrupt(chat: string): void;
  /** Resolves when nothing is driven here. */
  settled(): Promise<void>;
  readonly runs: number;
  /** Nothing new; what runs is told to end. */
  close(): Promise<void>;
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

export function createDriving({ drive, lease, fault }: DrivingPorts): ChatDriver {
  const running = new Map<string, Run>();
  let isClosed = false;
  const isOpen = (): boolean => !isClosed;

  const enter = (chat: string, work: (run: Run) => Promise<void>): Run => {
    const start = async (): Promise<void> => {
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
    const run: Run = { again: false, abort: new AbortController(), done: start() };
    running.set(chat, run);
    return run;
  };

  const wake = (chat: string): void => {
    if (isClosed) return;
    const active = running.get(chat);
    if (active !== undefined) {
      active.again = true;
      return;
    }
    enter(chat, (run) => driveChat(run, chat));
  };

  const driveChat = async (run: Run, chat: string): Promise<void> => {
    do {
      run.again = false;
      const chatLease = lease === null ? ALWAYS : await lease(chat, "run");
      if (chatLease === null) continue;
      try {
        // INVARIANT: the chat is looked at after the right to it was got.
        const other = await drive(chat, chatLease === ALWAYS ? run.abort.signal : AbortSignal.any([run.abort.signal, chatLease.signal]));
        if (other !== null) wake(other);
      } finally {
        await chatLease.end();
      }
    } while (run.again && isOpen());
  };

  /** What fails here is told to whoever asked for it, and is no fault of the chat's. */
  const runExclusively = async (chat: string, work: (run: Run) => Promise<void>): Promise<void> => {
    let result: Promise<void> = Promise.resolve();
    await enter(chat, async (run) => {
      result = work(run);
      await result.catch(() => {});
    }).done;
    await result;
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
    async alone(chat, why, work) {
      for (let active = running.get(chat); active !== undefined; active = running.get(chat)) {
        active.abort.abort(why);
        await active.done;
      }
      await runExclusively(chat, work);
    },
    async resting(chat, work) {
      if (isClosed || running.has(chat)) return false;
      await runExclusively(chat, async (run) => {
        const chatLease = lease === null ? ALWAYS : await lease(chat, "run");
        if (chatLease === null) return;
        try {
          await work(AbortSignal.any([run.abort.signal, chatLease.signal]));
        } finally {
          await chatLease.end();
        }
      });
      return true;
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

/** Alone on a store: nobody takes a chat away. */
const ALWAYS: Lease = { signal: new AbortController().signal, end: () => Promise.resolve() };
