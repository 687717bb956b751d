// What a slash command does. The sentence it gives back is shown above the composer, for the person alone.

import type { Client } from "../../../src/wire/client.ts";
import { routes } from "../../../src/wire/http.ts";
import { explainRevoked } from "../../../src/core/guard/explain.ts";
import { show } from "../../../src/core/path/show.ts";
import type { Daemon } from "../state/daemon.ts";
import { count } from "../words/counts.ts";
import { readMount } from "./commands.ts";

export interface CommandPorts {
  readonly client: Client;
  readonly daemon: Daemon;
  readonly session: string;
  readonly openPane: () => void;
  readonly openXray: () => void;
  readonly goTo: (place: string) => void;
}

export async function runCommand(name: string, argument: string, ports: CommandPorts): Promise<string> {
  const { client, daemon, session } = ports;
  switch (name) {
    case "/grants": {
      ports.openPane();
      const grants = (await client.send(routes.listGrants, { query: { session } })).filter(({ revokedAt }) => revokedAt === null);
      if (grants.length === 0) return "nothing has been granted in this session";
      return `${count(grants.length, "grant")}: ${grants.map(({ path, reads }) => `${show(path)} (${count(reads, "read")})`).join(", ")}`;
    }
    case "/revoke": {
      if (argument === "") return "say which: /revoke <id or path>";
      const grants = await client.send(routes.listGrants, { query: { session } });
      const meant = grants.filter(
        ({ id, path, revokedAt }) => revokedAt === null && (id === argument || id.startsWith(argument) || path === argument),
      );
      const [grant] = meant;
      if (grant === undefined) return `no grant is called \`${show(argument)}\``;
      if (meant.length > 1) return `\`${show(argument)}\` means several grants; say more of it`;
      return explainRevoked(grant.path, await daemon.revoke(grant.id)).text;
    }
    case "/clear_grants": {
      const { revoked } = await client.send(routes.revokeAll, { id: session });
      daemon.session(await client.send(routes.session, { id: session }));
      return revoked === 0 ? "there was nothing to revoke" : `revoked ${count(revoked, "grant")}`;
    }
    case "/mount": {
      if (argument === "") return "say what: /mount <path> [read_only|extend|sandboxed]";
      const { path, mode } = readMount(argument);
      daemon.session(await client.send(routes.addMount, { id: session, body: { path, mode } }));
      return `mounted ${show(path)} (${mode})`;
    }
    case "/end":
      await daemon.endSession(session);
      return "the session has ended";
    case "/scope":
      ports.openXray();
      return "";
    default:
      ports.goTo(argument === "" ? "/policy" : `/policy/${encodeURIComponent(argument)}`);
      return "";
  }
}
