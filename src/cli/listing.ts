// Whole lists from the daemon, page by page: sessions and grants of every agent, open asks, and chats until the one that is looked for.

import type { Client } from "../wire/client.ts";
import { routes } from "../wire/http.ts";
import type { WireAsk, WireChat, WireGrant, WireSession } from "../wire/values.ts";
import type { RecordRow, RecordPage } from "./audit-table.ts";

export interface RecordQuery {
  readonly session?: string;
  readonly kind?: string;
  readonly verdict?: "allow" | "ask" | "deny";
  readonly since?: number;
  readonly path?: string;
}

/** The most that one answer holds. */
const FULL = 1000;

async function* everyPage<T extends { readonly id: string }>(page: (last: string | null) => Promise<readonly T[]>): AsyncGenerator<T> {
  for (let last: string | null = null; ;) {
    const found: readonly T[] = await page(last);
    yield* found;
    last = found.at(-1)?.id ?? null;
    if (found.length < FULL) return;
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const one of items) found.push(one);
  return found;
}

const before = (last: string | null) => ({ limit: FULL, ...(last === null ? {} : { before: last }) });

/** Newest first: those that have ended, or those that have not. */
export const allSessions = (client: Client, archived: "true" | "false"): Promise<readonly WireSession[]> =>
  all(everyPage((last) => client.send(routes.listSessions, { query: { archived, ...before(last) } })));

/** The newest matching records, at most `most`, oldest first. `say` reports progress. */
export async function newestRecords(
  client: Client,
  query: RecordQuery,
  most = Infinity,
  say: (how: string) => void = () => {},
): Promise<readonly RecordRow[]> {
  const found: RecordRow[] = [];
  for (let before: number | null = null; ;) {
    const page: RecordPage = await recordsBefore(client, query, before, Math.min(FULL, most - found.length));
    found.push(...page.records);
    before = page.next;
    if (before === null || found.length >= most) return found.reverse();
    say(`down to record ${before.toLocaleString("en-US")}`);
  }
}

/** One page of them. */
export const recordsBefore = (client: Client, query: RecordQuery, before: number | null, limit: number): Promise<RecordPage> =>
  client.send(routes.audit, { query: { ...query, limit, ...(before === null ? {} : { before }) } });

/** Of all sessions or of one, in the order in which they were given. */
export const allGrants = (client: Client, session?: string): Promise<readonly WireGrant[]> =>
  all(
    everyPage((last) =>
      client.send(routes.listGrants, {
        query: { limit: FULL, ...(session === undefined ? {} : { session }), ...(last === null ? {} : { after: last }) },
      }),
    ),
  );

/** Does it hold at this time? */
export const isLiveGrant = ({ revokedAt, expires }: WireGrant, now: number): boolean =>
  revokedAt === null && (expires === null || expires > now);

/** In the order in which they came. */
export async function allOpenAsks(client: Client): Promise<readonly WireAsk[]> {
  const newest = async (last: string | null) =>
    (await client.send(routes.listAsks, { query: { state: "open", ...before(last) } })).toReversed();
  return (await all(everyPage(newest))).toReversed();
}

/** Newest first, fetched as they are taken: those that are in the lists, or those that were archived. */
export const everyChat = (client: Client, archived: "true" | "false" = "false"): AsyncGenerator<WireChat> =>
  everyPage((last) => client.send(routes.listChats, { query: { archived, ...before(last) } }));
