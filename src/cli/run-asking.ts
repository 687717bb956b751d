// Asks for a program in the sandbox (`hallpass run`, or a host's command): what it tries to read outside its roots becomes an ask in the daemon's
// inbox, in a session of its own or in that of the host's hook.

import { randomIds } from "../core/clock.ts";
import type { GrantId, SessionId } from "../core/names.ts";
import type { GrantLoss } from "../core/session/grant.ts";
import type { Session } from "../core/session/session.ts";
import type { HostIdentity } from "../adapters/host-session/host-session.ts";
import { findHostSessions } from "./host-sessions.ts";
import type { Host } from "./host.ts";
import { type AskingPort, type LookupAsking, openAsking } from "./lookup-asking.ts";

/** Notified when grants and sessions end: the sandbox. */
interface EndListener {
  revoke(grant: GrantId, how: GrantLoss): void;
  endSession(session: SessionId): void;
}

export interface RunAsking extends LookupAsking {
  /** The session under the daemon's name for it. */
  readonly session: Session;
}

/** Null where no daemon runs: nobody could be asked. `runSessionOf`: gives the session the program runs in, from the daemon's with its lasting grants. */
export async function openRunAsking(
  host: Host,
  { via, ...identity }: Omit<HostIdentity, "host"> & { readonly via: string },
  sandbox: EndListener,
  runSessionOf: (live: Session) => Session,
): Promise<RunAsking | null> {
  const sessions = await findHostSessions(host, {
    via,
    alone: false,
    ended: (grant, how) => sandbox.revoke(grant, how),
    over: (ended) => sandbox.endSession(ended),
  });
  if (!sessions.shared) {
    await sessions.close();
    return null;
  }
  const hostSession = await sessions.open(identity);
  const port: AskingPort = {
    async session(call) {
      const live = await hostSession.session(call);
      return { ...live, grants: live.grants.filter(({ until }) => until === "session") };
    },
    async ask(access, words) {
      const result = await hostSession.ask(access, words);
      return result.state === "waiting" ? result.ask.id : null;
    },
    isOpenAfter: async (ask, milliseconds, signal) => (await hostSession.wait(ask, milliseconds, signal)).state === "open",
    withdraw: (ask, call) => hostSession.withdraw(ask, call),
  };
  const lookups = openAsking(port, runSessionOf);
  return {
    ...lookups,
    session: runSessionOf(await port.session(randomIds())),
    async close() {
      await lookups.close();
      await hostSession.close();
      await sessions.close();
    },
  };
}
