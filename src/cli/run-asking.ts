// Asks for a program in the sandbox (`hallpass run`, or a host's command): what it tries to read outside its roots becomes an ask in the daemon's
// inbox, in a session of its own or in that of the host's hook.

import { lookupTool } from "../core/access.ts";
import { randomIds } from "../core/clock.ts";
import type { GrantId, SessionId } from "../core/names.ts";
import type { Session } from "../core/session/session.ts";
import type { HostIdentity } from "../adapters/host-session/host-session.ts";
import { findHostSessions } from "./host-sessions.ts";
import type { Host } from "./host.ts";

/** Milliseconds for which a lookup waits: hosts give their shells two minutes, and the program is to see the refusal before that. */
const PATIENCE = 100_000;
/** Milliseconds to wait for an answer. The card closes when the program has ended. */
const DAY = 24 * 3_600_000;

/** Notified when grants and sessions end: the sandbox. */
interface EndListener {
  revoke(grant: GrantId): void;
  endSession(session: SessionId): void;
}

interface ReachedPath {
  readonly path: string;
  readonly operation: "list" | "read";
  readonly who: string;
}

export interface RunAsking {
  /** As the sandbox takes it. */
  readonly asking: { readonly patience: number; ask(reached: ReachedPath): Promise<Session | null> };
  /** The session under the daemon's name for it. */
  readonly session: Session;
  close(): Promise<void>;
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
    ended: (grant) => sandbox.revoke(grant),
    over: (ended) => sandbox.endSession(ended),
  });
  if (!sessions.shared) {
    await sessions.close();
    return null;
  }
  const hostSession = await sessions.open(identity);
  const over = new AbortController();
  /** The asks that nobody has answered, with their calls. */
  const open = new Map<string, string>();
  const lasting = async (call: string): Promise<Session> => {
    const live = await hostSession.session(call);
    return { ...live, grants: live.grants.filter(({ until }) => until === "session") };
  };
  return {
    session: runSessionOf(await lasting(randomIds())),
    asking: {
      patience: PATIENCE,
      async ask({ path, operation, who }) {
        const call = randomIds();
        const result = await hostSession.ask({ call, tool: lookupTool.ofHost, operation, path }, `${who} reached for it`);
        if (result.state === "waiting") {
          open.set(result.ask.id, call);
          const { state } = await hostSession.wait(result.ask.id, DAY, over.signal);
          if (state !== "open") open.delete(result.ask.id);
        }
        const live = await lasting(call);
        return live.grants.length === 0 ? null : runSessionOf(live);
      },
    },
    async close() {
      over.abort();
      for (const [ask, call] of open) await hostSession.withdraw(ask, call).catch(() => {});
      await hostSession.close();
      await sessions.close();
    },
  };
}
