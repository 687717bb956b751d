// The store over a database, put together from the parts for each kind of row.

import type { Store } from "../agent/ports.ts";
import { askRows } from "./asks.ts";
import { auditRows } from "./audit.ts";
import { browserRows } from "./browsers.ts";
import { chatRows } from "./chats.ts";
import { credentialRows } from "./credentials.ts";
import type { SqlBackend } from "./db.ts";
import { grantRows } from "./grants.ts";
import { inSessionRows } from "./in-session.ts";
import { onceRows } from "./once.ts";
import { rewindRows } from "./rewind.ts";
import { saidRows } from "./said.ts";
import { searchRows } from "./search.ts";
import { sessionRows } from "./sessions.ts";
import { transcriptRows } from "./transcripts.ts";

export function createSqlStore(backend: SqlBackend): Store {
  return {
    ...sessionRows(backend),
    ...chatRows(backend),
    ...transcriptRows(backend),
    ...saidRows(backend),
    ...rewindRows(backend),
    ...searchRows(backend),
    ...inSessionRows(backend),
    ...askRows(backend),
    ...onceRows(backend),
    ...grantRows(backend),
    ...auditRows(backend),
    ...credentialRows(backend),
    ...browserRows(backend),
    damage: () => backend.damage.sentences(),
    close: () => backend.close(),
  };
}
