// The answer of a route, fetched for as long as a component shows it.

import { useEffect, useState } from "react";
import type { z } from "zod";
import { messageOf } from "../../../src/core/record.ts";
import type { Input } from "../../../src/wire/client.ts";
import type { Route } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";

/**
 * Fetched when it is first shown, and again whenever the input or one of `again` is another; not while the input is null. `answer` is null until it
 * has come, `problem` where it has not; `set` is for what another request brings.
 */
export function useAnswer<R extends Route>(route: R, input: Input<R> | null, ...again: readonly unknown[]) {
  const { client } = useApp();
  const [answer, set] = useState<z.output<R["answer"]> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (input === null) return;
    const left = new AbortController();
    const fetching = async (): Promise<void> => {
      try {
        set(await client.send(route, { ...input, signal: left.signal }));
        setProblem(null);
      } catch (error) {
        if (!left.signal.aborted) setProblem(messageOf(error));
      }
    };
    void fetching();
    return () => left.abort();
  }, [client, route, JSON.stringify(input), ...again]);
  return { answer, problem, set };
}

/** Do `work` when nothing of `on` has changed for `milliseconds`; its signal aborts as soon as something does. */
export function useDebounced(milliseconds: number, work: (signal: AbortSignal) => Promise<void>, on: readonly unknown[]): void {
  useEffect(() => {
    const left = new AbortController();
    const timer = setTimeout(() => void work(left.signal), milliseconds);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, on);
}
