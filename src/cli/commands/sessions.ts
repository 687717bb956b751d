// hallpass sessions [end ID]: every session of every agent, with where it works and what it may read besides; or the end of one.

import { systemClock } from "../../core/clock.ts";
import { show } from "../../core/path/show.ts";
import { routes } from "../../wire/http.ts";
import type { WireSession } from "../../wire/values.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { allSessions } from "../listing.ts";
import { paintFor } from "../paint.ts";
import { withProgress } from "../progress.ts";
import { needByPrefix, withRecords } from "../records.ts";
import { ago, writeRows } from "../table.ts";

export async function sessions({ values, words: [verb, id] }: Call<"sessions">, host: Host): Promise<number> {
  if (verb !== undefined) {
    if (verb !== "end" || id === undefined) throw new UsageError("use it as `hallpass sessions` or `hallpass sessions end ID`");
    return end(id, host);
  }
  const found = await withProgress(host, "reading sessions", () =>
    withRecords(host, async ({ client }) => {
      const open = await allSessions(client, "false");
      return values.all === true ? [...open, ...(await allSessions(client, "true"))] : open;
    }),
  );
  const now = systemClock();
  const { dim } = paintFor(host.output, host.env);
  return writeRows<WireSession>(
    host,
    [...new Map(found.map((one) => [one.id, one])).values()],
    [
      { name: "id", value: ({ id }) => id.slice(0, 8) },
      { name: "agent", value: ({ label, host: by }) => show(label ?? by ?? "chat"), cut: true },
      { name: "workspace", value: ({ workspace }) => show(workspace), cut: true },
      { name: "reads", value: ({ allowed_read_paths: paths }) => String(paths.length) },
      { name: "mounts", value: ({ mounts }) => String(mounts.length) },
      { name: "commands", value: ({ shell }) => shell ?? "" },
      { name: "since", value: ({ at }) => ago(at, now) },
      { name: "", value: ({ archivedAt, attended }) => (archivedAt !== null ? "ended" : attended ? "" : "nobody there"), paint: dim },
    ],
    { json: values.json, none: "no session is open; `hallpass chat` starts one" },
  );
}

/** The first characters of its id will do. */
async function end(prefix: string, host: Host): Promise<number> {
  return withRecords(host, async ({ client }) => {
    const found = needByPrefix(await allSessions(client, "false"), prefix, "open session", "sessions");
    await client.send(routes.archiveSession, { id: found.id, query: {} });
    const { length } = found.allowed_read_paths;
    const grants = length === 0 ? "" : `; ${length} ${length === 1 ? "grant" : "grants"} ended with it`;
    host.output.write(`ended: ${show(found.label ?? found.host ?? "chat")} in ${show(found.workspace)}${grants}\n`);
    return exitCodes.done;
  });
}
