// Grants that have ended, read from the record: the store lists only grants in force, the record keeps all.

import { textAt } from "../core/record.ts";
import type { Client } from "../wire/client.ts";
import { routes } from "../wire/http.ts";
import type { WireGrant, WireSession } from "../wire/values.ts";
import { newestRecords } from "./listing.ts";

const PAGE = 1000;

/** How a grant ended: a person revoked it, its time was over, a later yes to the same took its place, or its session ended. */
export type GrantEnding = "revoked" | "expired" | "replaced" | "with-session";

export type EndedGrant = WireGrant & { readonly ended: GrantEnding };

/** Every grant for a session that is not among `holding`, oldest first. */
export async function endedGrants(client: Client, holding: readonly WireGrant[]): Promise<readonly EndedGrant[]> {
  const known = new Set(holding.map(({ id }) => id));
  const ends = [...(await newestRecords(client, { kind: "revocation" })), ...(await newestRecords(client, { kind: "grant-ended" }))];
  const endOf = new Map(ends.map(({ event }) => [textAt(event, "grant"), event]));
  const given = (await newestRecords(client, { kind: "grant" })).filter(({ event }) => event["until"] !== "call");
  const grantRecords = given.filter(({ event }) => !known.has(textAt(event, "grant")));
  const isReplaced = (event: (typeof given)[number]["event"]): boolean =>
    given.some(
      ({ event: later }) =>
        later.at > event.at && textAt(later, "path") === textAt(event, "path") && textAt(later, "session") === textAt(event, "session"),
    );
  const sessions = new Map<string, WireSession>();
  const ended: EndedGrant[] = [];
  for (const { event } of grantRecords) {
    const id = textAt(event, "grant");
    const session = textAt(event, "session");
    const grantSession = sessions.get(session) ?? (await client.send(routes.session, { id: session }));
    sessions.set(session, grantSession);
    const reads = await client.send(routes.grantReads, { id, query: { limit: PAGE } });
    const end = endOf.get(id);
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
      expires: typeof event["expires"] === "number" ? event["expires"] : null,
      revokedAt: end?.at ?? grantSession.archivedAt ?? event.at,
      ended: end !== undefined ? (end.kind === "revocation" ? "revoked" : "expired") : isReplaced(event) ? "replaced" : "with-session",
      words: null,
      live: false,
      reads: reads.length,
      lastRead: reads[0]?.at ?? null,
    });
  }
  return ended;
}
