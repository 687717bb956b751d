// An action that a button starts: whether it is running, and the message to show about it. An error is shown in its own words.

import { useCallback, useState } from "react";
import { messageOf } from "../../../src/core/record.ts";

export interface WorkMessage {
  readonly text: string;
  readonly bad: boolean;
}

/** One piece of work at a time; `say` tells how it ended. `during` is the same function each time. */
export function useWork() {
  const [busy, setBusy] = useState(false);
  const [message, say] = useState<WorkMessage | null>(null);
  const during = useCallback(async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    say(null);
    try {
      await work();
    } catch (error) {
      say({ text: messageOf(error), bad: true });
    } finally {
      setBusy(false);
    }
  }, []);
  return { busy, message, problem: message?.bad === true ? message.text : null, say, during };
}
