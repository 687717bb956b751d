// hallpass browsers [sign-out ID…]: the browsers that are signed in to the daemon, and the end of one's access.

import { systemClock } from "../../core/clock.ts";
import { show } from "../../core/path/show.ts";
import { routes } from "../../wire/http.ts";
import { needDaemon } from "../daemon-connection.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { paintFor } from "../paint.ts";
import { byPrefix } from "../records.ts";
import { ago, table, windowWidth } from "../table.ts";

export async function browsers({ values, words: [verb, ...wanted] }: Call<"browsers">, host: Host): Promise<number> {
  if (verb !== undefined && (verb !== "sign-out" || wanted.length === 0))
    throw new UsageError("use it as `hallpass browsers` or `hallpass browsers sign-out ID…`");
  const { client, close } = await needDaemon(host, "terminal");
  try {
    const found = await client.send(routes.listBrowsers, {});
    if (verb === undefined) {
      host.output.write(values.json === true ? `${JSON.stringify(found, null, 2)}\n` : listed(found, host));
      return exitCodes.done;
    }
    for (const id of wanted) {
      const one = byPrefix(found, id);
      if (one === "none" || one === "several")
        throw new UsageError(
          `${one === "none" ? "no browser has" : "several browsers have"} an id that begins with ${show(id)}; \`hallpass browsers\` lists them`,
        );
      await client.send(routes.removeBrowser, { id: one.id });
      host.output.write(`signed out: ${show(one.name)}\n`);
    }
    return exitCodes.done;
  } finally {
    await close();
  }
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly at: number;
  readonly seenAt: number;
}

function listed(found: readonly Listed[], host: Host): string {
  if (found.length === 0) return "no browser is signed in; `hallpass pair` lets one in\n";
  const now = systemClock();
  return table<Listed>(
    found,
    [
      { name: "id", value: ({ id }) => id.slice(0, 8) },
      { name: "browser", value: ({ name }) => show(name), cut: true },
      { name: "since", value: ({ at }) => ago(at, now) },
      { name: "last seen", value: ({ seenAt }) => ago(seenAt, now) },
    ],
    { width: windowWidth(host.output), paint: paintFor(host.output, host.env) },
  );
}
