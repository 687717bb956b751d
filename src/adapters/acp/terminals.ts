// Terminals that were started through the proxy, and so in the sandbox. What an editor has otherwise (the person's own) is not the agent's
// to read or to end.

import { type Fields, type Id, textAt } from "./rpc.ts";

export interface Terminals {
  /** The agent's request went on to the editor. */
  asked(id: Id): void;
  /** The editor answered a request of the agent's. */
  answered(id: Id, result: Fields | null): void;
  /** Is it about no terminal, or about one that was started through here? */
  mayUse(method: string, params: Fields): boolean;
}

const AFTER_CREATE: ReadonlySet<string> = new Set(["terminal/output", "terminal/release", "terminal/wait_for_exit", "terminal/kill"]);

export const isAfterCreate = (method: string): boolean => AFTER_CREATE.has(method);

export function createTerminals(): Terminals {
  const waiting = new Set<Id>();
  const started = new Set<string>();
  return {
    asked: (id) => void waiting.add(id),
    answered(id, result) {
      const terminal = waiting.delete(id) && result !== null ? textAt(result, "terminalId") : null;
      if (terminal !== null) started.add(terminal);
    },
    mayUse: (method, params) => !isAfterCreate(method) || started.has(textAt(params, "terminalId") ?? ""),
  };
}
