// hallpass grants [list|revoke ID|revoke-all]: what agents may read besides their workspaces: every grant and every rule that keeps one, with
// what was read under each, and the end of it.

import { systemClock } from "../../core/clock.ts";
import { sessionName } from "../../core/guard/card.ts";
import { explainRevoked, grantName } from "../../core/guard/explain.ts";
import { basename } from "../../core/path/contain.ts";
import { show } from "../../core/path/show.ts";
import type { Client } from "../../wire/client.ts";
import { routes } from "../../wire/http.ts";
import { UNCOUNTED } from "../../wire/used-words.ts";
import type { WireAfterRevoke, WireGrant, WireKeptRule } from "../../wire/values.ts";
import { endedGrants, type GrantEnding } from "../ended-grants.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { allGrants, isLiveGrant } from "../listing.ts";
import { withProgress } from "../progress.ts";
import { needByPrefix, withRecords } from "../records.ts";
import { ago, writeRows } from "../table.ts";

/** One row of the list. */
type GrantOrRule = ({ readonly kind: "grant" } & WireGrant & { readonly ended?: GrantEnding }) | ({ readonly kind: "rule" } & WireKeptRule);

export async function grants({ values, words: [what = "list", ...rest] }: Call<"grants">, host: Host): Promise<number> {
  const verb = oneOf("grants", what, ["list", "revoke", "revoke-all"]);
  if (verb === "revoke" ? rest.length === 0 : rest.length > 0)
    throw new UsageError(
      verb === "revoke"
        ? "revoke which? `hallpass grants` lists them; then `hallpass grants revoke ID`"
        : `grants ${verb} takes no further arguments`,
    );
  return withProgress(host, "asking", () =>
    withRecords(host, async ({ client }) => {
      const all = ofOne(await allGrants(client), values.session);
      // A rule is no session's.
      const rules = values.session === undefined ? (await client.send(routes.listKeptRules, {})).map(asRule) : [];
      if (verb === "list") {
        const ended = values.all === true ? ofOne(await endedGrants(client, all), values.session) : [];
        const listed = values.all === true ? [...ended, ...all] : all.filter((one) => isLiveGrant(one, systemClock()));
        return list([...listed.map(asGrant), ...rules], values.json === true, host);
      }
      const listed: readonly GrantOrRule[] = [...all.map(asGrant), ...rules];
      const chosen = verb === "revoke" ? rest.map((prefix) => needByPrefix(listed, prefix, "grant", "grants")) : listed.filter(isHeld);
      const ended: (GrantOrRule & WireAfterRevoke)[] = [];
      for (const one of chosen) ended.push(...(await end(client, one)));
      if (values.json === true) host.output.write(`${JSON.stringify(ended, null, 2)}\n`);
      else if (ended.length === 0) host.output.write("nothing was granted\n");
      else for (const one of ended) host.output.write(`revoked ${one.id.slice(0, 8)}: ${explainRevoked(one.path, one).text}\n`);
      return exitCodes.done;
    }),
  );
}

/** Ends it; nothing where a rule went with the grant that it kept. */
async function end(client: Client, one: GrantOrRule): Promise<readonly (GrantOrRule & WireAfterRevoke)[]> {
  if (one.kind === "grant") return [{ ...one, ...(await client.send(routes.revoke, { id: one.id })) }];
  const still = (await client.send(routes.listKeptRules, {})).some(({ id }) => id === one.id);
  return still ? [{ ...one, ...(await client.send(routes.revokeKeptRule, { id: one.id })) }] : [];
}

const asGrant = (grant: WireGrant): GrantOrRule => ({ kind: "grant", ...grant });
const asRule = (rule: WireKeptRule): GrantOrRule => ({ kind: "rule", ...rule });

const isHeld = (one: GrantOrRule): boolean => one.kind === "rule" || one.revokedAt === null;

const ofOne = (all: readonly WireGrant[], session: string | undefined): readonly WireGrant[] =>
  session === undefined ? all : all.filter((one) => one.session.startsWith(session));

function list(all: readonly GrantOrRule[], json: boolean, host: Host): number {
  const now = systemClock();
  return writeRows<GrantOrRule>(
    host,
    all,
    [
      { name: "id", value: ({ id }) => id.slice(0, 8) },
      { name: "opens", value: ({ path }) => grantName(path), cut: true },
      { name: "who", value: who, cut: true },
      { name: "given", value: (one) => describeStart(one, now) },
      { name: "by", value: (one) => show(one.kind === "grant" ? one.by : (one.kept?.by ?? "")), cut: true },
      { name: "ends", value: (one) => describeEnd(one, now), cut: true, least: 20 },
      { name: "used", value: (one) => `${one.reads}×${one.kind === "rule" && !one.complete ? " or more" : ""}` },
    ],
    {
      json,
      none: "nothing is granted: agents read their workspaces, what is mounted and what rules of the policy allow",
      after: UNCOUNTED,
    },
  );
}

/** The agent that may read by it; a rule is for every agent in its workspace. */
function who(one: GrantOrRule): string {
  if (one.kind === "rule") return `every agent in ${show(one.workspace)}`;
  const name = show(sessionName(one));
  return one.machine === null ? name : `${name} on ${show(one.machine)}`;
}

const describeStart = (one: GrantOrRule, now: number): string =>
  one.kind === "grant" ? ago(one.at, now) : one.kept === null ? "written by hand" : ago(one.kept.at, now);

const endings: Readonly<Record<GrantEnding, string>> = {
  revoked: "revoked",
  expired: "its time is over",
  replaced: "a later yes took its place",
  "with-session": "ended with its session",
};

/** When it ends or ended. A rule does not end by itself: it is in a file. */
function describeEnd(one: GrantOrRule, now: number): string {
  if (one.kind === "rule") return `kept: ${show(basename(one.at.file))}:${one.at.line}`;
  if (one.revokedAt !== null) return endings[one.ended ?? "revoked"];
  if (one.expires !== null && one.expires <= now) return endings.expired;
  if (!one.live) return "another directory is there now";
  return one.expires === null ? "with its session" : `in ${Math.max(0, Math.round((one.expires - now) / 60_000))} min`;
}
