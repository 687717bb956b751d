// Grants that have ended, read from the record: the store lists only grants in force, the record keeps all.

import { textAt } from "../core/record.ts";
import type { Client } from "../wire/client.ts";
import { routes } from "../wire/http.ts";
import type { WireGrant, WireSession } from "../wire/values.ts";
import { newestRecords } from "./listing.ts";

const PAGE = 1000;

/** Every grant for a session that is not among `holding`, oldest first. */
export async function endedGrants(client: Client, holding: readonly WireGrant[]): Promise<readonly WireGrant[]> {
  const known = new Set(holding.map(({ id }) => id));
  const revoked = new Map((await newestRecords(client, { kind: "revocation" })).map(({ event }) => [textAt(event, "grant"), event.at]));
  const grantRecords = (await newestRecords(client, { kind: "grant" })).filter(
    ({ event }) => event["until"] === "session" && !known.has(textAt(event, "grant")),
  );
  const sessions = new Map<string, WireSession>();
  const ended: WireGrant[] = [];
  for (const { event } of grantRecords) {
    const id = textAt(event, "grant");
    const session = textAt(event, "session");
    const grantSession = sessions.get(session) ?? (await client.send(routes.session, { id: session }));
    sessions.set(session, grantSession);
    const reads = await client.send(routes.grantReads, { id, query: { limit: PAGE } });
    ended.push({
      id,
      session,
      host: grantSession.host,
      label: grantSession.label,
      workspace: grantSession.workspace,
      machine: grantSession.machine,
      ask: textAt(event, "ask"),
      path: textAt(event, "path"),
      by: textAt(event, "by"),
      at: event.at,
      expires: null,
      // One whose session ended without a word about it ended with it.
      revokedAt: revoked.get(id) ?? event.at,
      words: null,
      live: false,
      reads: reads.length,
      lastRead: reads[0]?.at ?? null,
    });
  }
  return ended;
}
