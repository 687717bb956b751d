// hallpass policy keep: a grant kept for its workspace, as a rule in the operator's own policy file. A second, deliberate act: nothing an ask
// offers lasts longer than its session.

import { grantName, isNetwork } from "../core/guard/explain.ts";
import { show } from "../core/path/show.ts";
import { routes } from "../wire/http.ts";
import { exitCodes } from "./exit-codes.ts";
import { type Host, UsageError } from "./host.ts";
import { allGrants } from "./listing.ts";
import { needByPrefix, withRecords } from "./records.ts";

export async function keepGrant(prefix: string | undefined, json: boolean, host: Host): Promise<number> {
  if (prefix === undefined) throw new UsageError("policy keep takes the id of one grant; `hallpass grants` lists them");
  return withRecords(host, async ({ client }) => {
    const grant = needByPrefix(await allGrants(client), prefix, "grant", "grants");
    const rule = await client.send(routes.keepGrant, { id: grant.id });
    host.output.write(
      json
        ? `${JSON.stringify(rule)}\n`
        : `${grantName(grant.path)} ${isNetwork(grant.path) ? "is open from now on to" : "may be read from now on by"} every agent in the same workspace: ${show(rule.file)}:${rule.line}\nRevoke the grant, or take the line out, to end it.\n`,
    );
    return exitCodes.done;
  });
}
