// `hallpass run`: what the program reaches for while it runs is put before the person through the daemon's inbox, as one ask of a session of its own.

import { lookupTool } from "../core/access.ts";
import { randomIds } from "../core/clock.ts";
import { type GrantId, type SessionId, sessionId } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import type { Session } from "../core/session/session.ts";
import { findHostSessions } from "./host-sessions.ts";
import type { Host } from "./host.ts";

/** Milliseconds for which a lookup waits: hosts give their shells two minutes, and the program is to see the refusal before that. */
const PATIENCE = 100_000;
/** Milliseconds for which an answer is waited for. The card is closed with the session, when the program has ended. */
const DAY = 24 * 3_600_000;
/** As much of a command as a session keeps for its name. */
const LONGEST_LABEL = 120;

/** What is told of the end of grants and sessions: the sandbox. */
interface Told {
  revoke(grant: GrantId): void;
  endSession(session: SessionId): void;
}

interface Reached {
  readonly path: string;
  readonly operation: "list" | "read";
  readonly who: string;
}

export interface RunAsking {
  /** As the sandbox takes it. */
  readonly asking: { readonly patience: number; ask(reached: Reached): Promise<Session | null> };
  /** The session under the daemon's name for it. */
  readonly session: Session;
  close(): Promise<void>;
}

/** Null where no daemon runs: nobody could be asked. */
export async function openRunAsking(host: Host, session: Session, command: readonly string[], sandbox: Told): Promise<RunAsking | null> {
  const sessions = await findHostSessions(host, {
    via: "run",
    alone: false,
    ended: (grant) => sandbox.revoke(grant),
    over: (ended) => sandbox.endSession(ended),
  });
  if (!sessions.shared) {
    await sessions.close();
    return null;
  }
  const label = show(command.join(" ")).slice(0, LONGEST_LABEL);
  const hostSession = await sessions.open({ hostSession: randomIds(), workspace: session.workspace.dir, label, leaves: true });
  const { projects } = await hostSession.session(randomIds());
  const over = new AbortController();
  return {
    session: { ...session, id: sessionId(hostSession.id), projects: [...session.projects, ...projects] },
    asking: {
      patience: PATIENCE,
      async ask({ path, operation, who }) {
        const call = randomIds();
        const asked = await hostSession.ask({ call, tool: lookupTool.ofHost, operation, path }, `${who} reached for it`);
        if (asked.state === "waiting") await hostSession.wait(asked.ask.id, DAY, over.signal);
        const { grants } = await hostSession.session(call);
        const lasting = grants.filter(({ until }) => until === "session");
        return lasting.length === 0 ? null : { ...session, grants: [...session.grants, ...lasting] };
      },
    },
    async close() {
      over.abort();
      await hostSession.close();
      await sessions.close();
    },
  };
}
