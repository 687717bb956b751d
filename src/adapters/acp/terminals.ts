// Terminals that were started through the proxy, and therefore in the sandbox. The agent may not read or end the editor's other terminals,
// which belong to the person.

import { type Fields, type Id, textAt } from "./rpc.ts";

export interface Terminals {
  /** The agent's request went on to the editor. */
  forwarded(id: Id): void;
  /** The editor answered a request of the agent's. */
  answered(id: Id, result: Fields | null): void;
  /** Is it about no terminal, or about one that was started through here? */
  mayUse(method: string, params: Fields): boolean;
}

const AFTER_CREATE: ReadonlySet<string> = new Set(["terminal/output", "terminal/release", "terminal/wait_for_exit", "terminal/kill"]);

export const isAfterCreate = (method: string): boolean => AFTER_CREATE.has(method);

export function createTerminals(): Terminals {
  const pendingCreates = new Set<Id>();
  const started = new Set<string>();
  return {
    forwarded: (id) => void pendingCreates.add(id),
    answered(id, result) {
      const terminal = pendingCreates.delete(id) && result !== null ? textAt(result, "terminalId") : null;
      if (terminal !== null) started.add(terminal);
    },
    mayUse: (method, params) => !isAfterCreate(method) || started.has(textAt(params, "terminalId") ?? ""),
  };
}
