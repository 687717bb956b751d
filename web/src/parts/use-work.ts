// Work that a press begins: whether it is under way, and what is to be said of it. What fails is said in its own words.

import { useState } from "react";

export interface SaidOfWork {
  readonly text: string;
  readonly bad: boolean;
}

/** One piece of work at a time; `say` tells how it ended. */
export function useWork() {
  const [busy, setBusy] = useState(false);
  const [said, say] = useState<SaidOfWork | null>(null);
  const during = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    say(null);
    try {
      await work();
    } catch (error) {
      say({ text: error instanceof Error ? error.message : String(error), bad: true });
    } finally {
      setBusy(false);
    }
  };
  return { busy, said, say, during };
}
