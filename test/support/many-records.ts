// Very many records of decisions, as agents at work leave them.

import type { Store } from "../../src/agent/ports.ts";
import { callId, sessionId } from "../../src/core/names.ts";

const AT_ONCE = 1_000;

/** Add `count` decisions of a hundred sessions, a thousand at a time. */
export async function recordMany(store: Pick<Store, "record">, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE)
    await store.record(Array.from({ length: AT_ONCE }, (_, number) => decision(from + number)));
}

function decision(number: number) {
  const path = `/home/me/work/project/src/some/file-${number}.ts`;
  return {
    kind: "decision",
    at: number,
    session: sessionId(`s${number % 100}`),
    call: callId(`c${number}`),
    tool: "read_file",
    operation: "read",
    requested: path,
    real: path,
    verdict: "allow",
    reason: "in-workspace",
    rule: null,
    root: "/home/me/work/project",
    grant: null,
    ask: null,
    fault: null,
  } as const;
}
