// The exit codes of the program. `check` and `explain` exit with the code of their verdict.

import type { Verdict } from "../core/policy/rule.ts";

export const exitCodes = { allow: 0, ask: 10, deny: 20, done: 0, usage: 2, fault: 1 } as const satisfies Record<Verdict, number> &
  Record<string, number>;
