// hallpass grants [list|revoke ID|revoke-all]: what may be read besides the workspaces, by whom it was given, and the end of it.

import { systemClock } from "../../core/clock.ts";
import { show } from "../../core/path/show.ts";
import { routes } from "../../wire/http.ts";
import type { WireGrant } from "../../wire/values.ts";
import { endedGrants } from "../ended-grants.ts";
import { exitCodes } from "../exit-codes.ts";
import { oneOf, readWords } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { paintFor } from "../paint.ts";
import { withProgress } from "../progress.ts";
import { byPrefix, withRecords } from "../store-backend.ts";
import { ago, table, windowWidth } from "../table.ts";

const options = { all: { type: "boolean", short: "a" }, session: { type: "string", short: "s" }, json: { type: "boolean" } } as const;

export async function grants(words: readonly string[], host: Host): Promise<number> {
  const { values, positionals } = readWords(words, options);
  const [what = "list", ...rest] = positionals;
  const verb = oneOf("grants", what, ["list", "revoke", "revoke-all"]);
  if (verb === "revoke" ? rest.length === 0 : rest.length > 0)
    throw new UsageError(
      verb === "revoke"
        ? "revoke which? `hallpass grants` lists them; then `hallpass grants revoke ID`"
        : `grants ${verb} takes no more words`,
    );
  return withProgress(host, "asking", () =>
    withRecords(host, async ({ client }) => {
      const all = ofOne(await client.send(routes.listGrants, { query: {} }), values.session);
      if (verb === "list") {
        const ended = values.all === true ? ofOne(await endedGrants(client, all), values.session) : [];
        return list(values.all === true ? [...ended, ...all] : all.filter(isLive), values.json === true, host);
      }
      const chosen = verb === "revoke" ? rest.map((prefix) => chosenBy(all, prefix)) : all.filter(({ revokedAt }) => revokedAt === null);
      const ended: WireGrant[] = [];
      for (const { id } of chosen) ended.push(await client.send(routes.revoke, { id }));
      if (values.json === true) host.output.write(`${JSON.stringify(ended, null, 2)}\n`);
      else if (ended.length === 0) host.output.write("nothing was granted\n");
      else for (const { id, path } of ended) host.output.write(`revoked ${id.slice(0, 8)}: ${show(path)} is shut again\n`);
      return exitCodes.done;
    }),
  );
}

const isLive = ({ revokedAt, expires }: WireGrant): boolean => revokedAt === null && (expires === null || expires > systemClock());

const ofOne = (all: readonly WireGrant[], session: string | undefined): readonly WireGrant[] =>
  session === undefined ? all : all.filter((one) => one.session.startsWith(session));

function chosenBy(all: readonly WireGrant[], prefix: string): WireGrant {
  const found = byPrefix(all, prefix);
  if (typeof found === "string")
    throw new UsageError(
      `${found === "none" ? "no grant's" : "more than one grant's"} id begins with ${show(prefix)}; \`hallpass grants\` lists them`,
    );
  return found;
}

function list(all: readonly WireGrant[], json: boolean, host: Host): number {
  if (json) {
    host.output.write(`${JSON.stringify(all, null, 2)}\n`);
    return exitCodes.done;
  }
  if (all.length === 0) {
    host.output.write("nothing is granted: agents read their workspaces and no more\n");
    return exitCodes.done;
  }
  const paint = paintFor(host.output, host.env);
  const now = systemClock();
  host.output.write(
    table<WireGrant>(
      all,
      [
        { name: "id", value: ({ id }) => id.slice(0, 8) },
        { name: "reads", value: ({ path }) => show(path), cut: true },
        { name: "given", value: ({ at }) => ago(at, now) },
        { name: "by", value: ({ by }) => show(by), cut: true },
        {
          name: "ends",
          value: ({ expires }) => (expires === null ? "with its session" : `in ${Math.max(0, Math.round((expires - now) / 60_000))} min`),
        },
        { name: "used", value: ({ reads }) => `${reads}×` },
        {
          name: "",
          value: ({ revokedAt, live }) => (revokedAt !== null ? "revoked" : live ? "" : "another directory stands there now"),
          paint: paint.dim,
        },
      ],
      { width: windowWidth(host.output), paint },
    ),
  );
  return exitCodes.done;
}
