// Caches what the app says about a session for as long as it is known to be current: while the connection is live and the mark has not
// changed. `server/change-mark.ts` says why a call that begins after a revocation is judged without the grant. While frames are
// interrupted, and where there is no mark, the app is asked at every call.

import type { z } from "zod";
import { type GrantId, grantId } from "../../core/names.ts";
import type { GrantLoss } from "../../core/session/grant.ts";
import type { routes } from "../../wire/http.ts";
import { type FramePorts, subscribeAgent } from "../../wire/socket.ts";

export type AgentState = z.infer<typeof routes.agentState.answer>;

export interface KeptState {
  /** The state for a call, as of this moment. */
  read(call: string): Promise<AgentState>;
  /** Something was done that may have changed it. */
  changed(): void;
  /** Has the daemon been away since the beginning? */
  wasLost(): boolean;
  /** The grants that are known to hold. */
  grants(): ReadonlySet<string>;
  close(): void;
}

export interface Frames {
  readonly connect: FramePorts["connect"];
  readonly token: string;
  readonly chat: string;
  /** Another word after each change of what agents may do; null where there is none. */
  readonly mark: () => string | null;
}

export type GrantEndListener = (grant: GrantId, how: GrantLoss) => void;

export interface Endings {
  /** Grants that were known to hold before this began; those that have ended since are told. */
  readonly before?: ReadonlySet<string>;
  readonly ended?: GrantEndListener | undefined;
  /** The session has ended. */
  readonly over?: () => void;
  /** Milliseconds; for tests. */
  readonly away?: number;
}

/**
 * Milliseconds without the app after which its grants count as ended. Nobody could revoke one meanwhile, and whoever tried would take the
 * repository for shut. A daemon that is started anew is back sooner.
 */
const AWAY = 10_000;

export function keepState(
  fetchState: (call: string) => Promise<AgentState>,
  session: string,
  frames: Frames,
  { before = new Set(), ended = () => {}, over = () => {}, away = AWAY }: Endings = {},
): KeptState {
  let cached: { readonly state: AgentState; readonly mark: string } | null = null;
  let live = false;
  let lost = false;
  let grants = before;
  let missing: NodeJS.Timeout | null = null;

  const changed = (): void => void (cached = null);
  const refresh = async (call: string): Promise<AgentState> => {
    // INVARIANT: the mark is looked at before the state is asked for. What changes meanwhile replaces it, and the state is asked for again.
    const mark = frames.mark();
    const state = await fetchState(call);
    // A yes for one call is used up by that call.
    cached = live && mark !== null && state.once.length === 0 ? { state, mark } : null;
    const current = new Set(state.grants.flatMap(({ id, revokedAt }) => (revokedAt === null ? [id] : [])));
    for (const id of grants) if (!current.has(id)) ended(grantId(id), "ended");
    grants = current;
    return state;
  };
  /** Grants that ended are told at once, not at the next call: a command may be running under one. */
  const tellEnded = (): void => {
    if (grants.size > 0) refresh("frames").catch(() => {});
  };
  const miss = (): void => {
    missing ??= setTimeout(() => {
      for (const id of grants) ended(grantId(id), "unreachable");
      grants = new Set();
    }, away).unref();
  };
  const found = (): void => {
    if (missing !== null) clearTimeout(missing);
    missing = null;
  };
  miss();
  const subscription = subscribeAgent(
    { connect: frames.connect, token: frames.token, setTimeout: (work, milliseconds) => setTimeout(work, milliseconds).unref() },
    {
      chats: [frames.chat],
      frame(frame) {
        if (frame.type !== "session_updated" || frame.session.id !== session) return;
        if (frame.session.archivedAt !== null) over();
        tellEnded();
      },
      connection(state) {
        live = state === "live";
        changed();
        if (live) {
          found();
          tellEnded();
        } else {
          lost = true;
          miss();
        }
      },
    },
  );

  return {
    // The mark is read anew at each call: a file of 36 bytes, or a number of this process.
    read: (call) => (cached !== null && cached.mark === frames.mark() ? Promise.resolve(cached.state) : refresh(call)),
    changed,
    wasLost: () => lost,
    grants: () => grants,
    close() {
      live = false;
      found();
      changed();
      subscription.close();
    },
  };
}
