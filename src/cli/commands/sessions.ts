// hallpass sessions [end ID]: every session of every agent, with where it works and what it may read besides; or the end of one.

import { systemClock } from "../../core/clock.ts";
import { show } from "../../core/path/show.ts";
import type { Client } from "../../wire/client.ts";
import { routes } from "../../wire/http.ts";
import { sessionEndWords } from "../../wire/record-words.ts";
import type { WireSession } from "../../wire/values.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { allGrants, allSessions, isLiveGrant } from "../listing.ts";
import { paintFor } from "../paint.ts";
import { withProgress } from "../progress.ts";
import { needByPrefix, withRecords } from "../records.ts";
import { ago, writeRows } from "../table.ts";

export async function sessions({ values, words: [verb, id] }: Call<"sessions">, host: Host): Promise<number> {
  if (verb !== undefined) {
    if (verb !== "end" || id === undefined) throw new UsageError("usage: hallpass sessions, or hallpass sessions end ID");
    return end(id, host);
  }
  const { found, counts } = await withProgress(host, "reading sessions", () =>
    withRecords(host, async ({ client }) => {
      const open = await allSessions(client, "false");
      const found = values.all === true ? [...open, ...(await allSessions(client, "true"))] : open;
      return { found, counts: await grantCounts(client) };
    }),
  );
  const now = systemClock();
  const { dim } = paintFor(host.output, host.env);
  return writeRows<WireSession>(
    host,
    [...new Map(found.map((one) => [one.id, one])).values()],
    [
      { name: "id", value: ({ id }) => id.slice(0, 8) },
      { name: "agent", value: nameOf, cut: true },
      { name: "workspace", value: ({ workspace }) => show(workspace), cut: true },
      { name: "grants", value: ({ id }) => String(counts.get(id) ?? 0) },
      { name: "mounts", value: ({ mounts }) => String(mounts.length) },
      { name: "commands", value: ({ shell }) => shell ?? "" },
      { name: "since", value: ({ at }) => ago(at, now) },
      { name: "", value: stateOf, paint: dim },
    ],
    { json: values.json, none: "no session is open; `hallpass chat` starts one" },
  );
}

/** How many grants each session has, or one: directories, and the network, which is in no list of directories. */
async function grantCounts(client: Client, session?: string): Promise<ReadonlyMap<string, number>> {
  const [counts, now] = [new Map<string, number>(), systemClock()];
  for (const grant of await allGrants(client, session))
    if (isLiveGrant(grant, now)) counts.set(grant.session, (counts.get(grant.session) ?? 0) + 1);
  return counts;
}

/** Its agent, and the machine with its files where that is another one. */
const nameOf = ({ label, host, machine }: WireSession): string =>
  show(`${label ?? host ?? "chat"}${machine === null ? "" : ` on ${machine}`}`);

function stateOf({ archivedAt, ended, attended }: WireSession): string {
  if (archivedAt === null) return attended ? "" : "nobody there";
  return ended === undefined ? "ended" : `ended: ${sessionEndWords[ended]}`;
}

/** The first characters of its id will do. */
async function end(prefix: string, host: Host): Promise<number> {
  return withRecords(host, async ({ client }) => {
    const found = needByPrefix(await allSessions(client, "false"), prefix, "open session", "sessions");
    const counts = await grantCounts(client, found.id);
    await client.send(routes.archiveSession, { id: found.id, query: {} });
    const length = counts.get(found.id) ?? 0;
    const grants = length === 0 ? "" : `; ${length} ${length === 1 ? "grant" : "grants"} ended with it`;
    host.output.write(`ended: ${nameOf(found)} in ${show(found.workspace)}${grants}\n`);
    return exitCodes.done;
  });
}
