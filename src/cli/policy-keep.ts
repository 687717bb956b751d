// hallpass policy keep: a grant kept for its workspace, as a rule in the operator's own policy file. A second, deliberate act: nothing an ask
// offers lasts longer than its session.

import { show } from "../core/path/show.ts";
import { routes } from "../wire/http.ts";
import { exitCodes } from "./exit-codes.ts";
import { readWords } from "./flags.ts";
import { type Host, UsageError } from "./host.ts";
import { byPrefix, withRecords } from "./store-backend.ts";

export async function keepGrant(words: readonly string[], host: Host): Promise<number> {
  const { values, positionals } = readWords(words, { json: { type: "boolean" } } as const);
  const [prefix, ...more] = positionals;
  if (prefix === undefined || more.length > 0) throw new UsageError("policy keep takes the id of one grant; `hallpass grants` lists them");
  return withRecords(host, async ({ client }) => {
    const grant = byPrefix(await client.send(routes.listGrants, { query: {} }), prefix);
    if (typeof grant === "string")
      throw new UsageError(
        `${grant === "none" ? "no grant's" : "more than one grant's"} id begins with ${show(prefix)}; \`hallpass grants\` lists them`,
      );
    const kept = await client.send(routes.keepGrant, { id: grant.id });
    host.output.write(
      values.json === true
        ? `${JSON.stringify(kept)}\n`
        : `${show(grant.path)} may be read from now on by every agent in the same workspace: ${show(kept.file)}:${kept.line}\nRevoke the grant, or take the line out, to end it.\n`,
    );
    return exitCodes.done;
  });
}
