// Queues that run work in order, and a sleep that signals can end.

/** Work is done one after another, in the order in which it came; what fails holds up nobody. */
export interface Queue {
  add<T>(work: () => Promise<T> | T): Promise<T>;
  /** Resolves when everything that was added so far is done. */
  done(): Promise<void>;
  readonly isIdle: boolean;
}

export function createQueue(): Queue {
  let last: Promise<void> | null = null;
  return {
    add(work) {
      const result = last === null ? Promise.resolve().then(work) : last.then(work);
      const end = (): void => {
        if (last === settled) last = null;
      };
      const settled = result.then(end, end);
      last = settled;
      return result;
    },
    async done() {
      await last;
    },
    get isIdle() {
      return last === null;
    },
  };
}

/** A queue for each name: work of different names is done at once. */
export function createQueues(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, Queue>();
  return async (name, work) => {
    const queue = queues.get(name) ?? createQueue();
    queues.set(name, queue);
    try {
      return await queue.add(work);
    } finally {
      if (queue.isIdle) queues.delete(name);
    }
  };
}

/** For so many milliseconds, or until one of the signals aborts. Leaves no timer and no listener behind. */
export function sleep(milliseconds: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    for (const signal of signals) signal.addEventListener("abort", end);
    if (signals.some(({ aborted }) => aborted)) end();
  });
}
