// hallpass browsers [sign-out ID…]: the browsers that are signed in to the daemon, and the end of one's access.

import { systemClock } from "../../core/clock.ts";
import { show } from "../../core/path/show.ts";
import { routes } from "../../wire/http.ts";
import { needDaemon } from "../daemon-connection.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { needByPrefix } from "../records.ts";
import { ago, writeRows } from "../table.ts";

export async function browsers({ values, words: [verb, ...prefixes] }: Call<"browsers">, host: Host): Promise<number> {
  if (verb !== undefined && (verb !== "sign-out" || prefixes.length === 0))
    throw new UsageError("usage: hallpass browsers, or hallpass browsers sign-out ID…");
  const { client, close } = await needDaemon(host, "terminal");
  try {
    const found = await client.send(routes.listBrowsers, {});
    if (verb === undefined) {
      const now = systemClock();
      return writeRows(
        host,
        found,
        [
          { name: "id", value: ({ id }) => id.slice(0, 8) },
          { name: "browser", value: ({ name }) => show(name), cut: true },
          { name: "since", value: ({ at }) => ago(at, now) },
          { name: "last seen", value: ({ seenAt }) => ago(seenAt, now) },
        ],
        { json: values.json, none: "no browser is signed in; `hallpass pair` lets one in" },
      );
    }
    for (const prefix of prefixes) {
      const { id, name } = needByPrefix(found, prefix, "browser", "browsers");
      await client.send(routes.removeBrowser, { id });
      host.output.write(`signed out: ${show(name)}\n`);
    }
    return exitCodes.done;
  } finally {
    await close();
  }
}
