// The store in memory: for tests, and for a chat without a daemon. It keeps and refuses exactly what a database would (one suite and
// one random comparison hold it to that) and lives as long as its process. A method runs through before another begins, so each of
// them looks first and changes afterwards: whatever it throws was thrown before the first change.

import type { Store } from "../agent/ports.ts";
import { asksIn } from "./memory-asks.ts";
import { auditIn } from "./memory-audit.ts";
import { chatsIn } from "./memory-chats.ts";
import { credentialsIn } from "./memory-credentials.ts";
import { grantsIn } from "./memory-grants.ts";
import { onceIn } from "./memory-once.ts";
import { emptyMemory } from "./memory-rows.ts";
import { saidIn } from "./memory-said.ts";
import { sessionsIn } from "./memory-sessions.ts";

export function createMemoryStore(): Store {
  const memory = emptyMemory();
  return {
    ...sessionsIn(memory),
    ...chatsIn(memory),
    ...saidIn(memory),
    ...asksIn(memory),
    ...onceIn(memory),
    ...grantsIn(memory),
    ...auditIn(memory),
    ...credentialsIn(memory),
    damage: () => [],
    close: async () => {},
  };
}
