// What the daemon says of a session, kept for as long as it is known to be so: while its frames come, and none has told of a change.
// Without frames, while they are interrupted, and where another process's session has grants or mounts, it is asked for at every call.

import type { z } from "zod";
import { type GrantId, grantId } from "../../core/names.ts";
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
  close(): void;
}

export interface Frames {
  readonly connect: FramePorts["connect"];
  readonly token: string;
  readonly chat: string;
  /** Do they come from another process? */
  readonly far: boolean;
}

export function keepState(
  fetched: (call: string) => Promise<AgentState>,
  session: string,
  frames: Frames | null,
  ended: (grant: GrantId) => void = () => {},
  over: () => void = () => {},
): KeptState {
  let kept: AgentState | null = null;
  let live = false;
  let lost = false;
  // Counts changes: a state that was under way while one came is used for its call and not kept.
  let changes = 0;
  let grants: ReadonlySet<string> = new Set();

  const changed = (): void => {
    changes += 1;
    kept = null;
  };
  const fresh = async (call: string): Promise<AgentState> => {
    const before = changes;
    const state = await fetched(call);
    // A yes for one call is used up by that call, and an agent above may move its workspace: no frame of ours tells.
    const told = state.once.length === 0 && state.inherited.length === 0;
    // INVARIANT: what a person can take away is asked for at every call, for a frame from another process may come after the answer to
    // whoever took it away.
    const ours = frames?.far !== true || (state.session.mounts.length === 0 && state.grants.every(({ revokedAt }) => revokedAt !== null));
    if (live && before === changes && told && ours) kept = state;
    const now = new Set(state.grants.flatMap(({ id, revokedAt }) => (revokedAt === null ? [id] : [])));
    for (const id of grants) if (!now.has(id)) ended(grantId(id));
    grants = now;
    return state;
  };
  const subscription =
    frames === null
      ? null
      : subscribeAgent(
          { connect: frames.connect, token: frames.token, setTimeout: (work, milliseconds) => setTimeout(work, milliseconds).unref() },
          {
            chats: [frames.chat],
            frame(frame) {
              if (!telling.has(frame.type)) return;
              changed();
              if (frame.type === "session_updated" && frame.session.id === session && frame.session.archivedAt !== null) over();
              // Grants that ended are told at once, not at the next call: a command may be running under one.
              if (frame.type === "session_updated" && frame.session.id === session && grants.size > 0) fresh("frames").catch(() => {});
            },
            connection(state) {
              live = state === "live";
              if (!live) lost = true;
              changed();
            },
          },
        );

  return {
    async read(call) {
      if (kept === null) return fresh(call);
      // RACE: a revocation is answered once its frame is sent, and a call that comes after it may be read from its pipe before the
      // frame is read from its socket. Two turns of the event loop hold one whole look at every socket, so what was sent is known.
      if (frames?.far === true) {
        await turn();
        await turn();
      }
      return kept ?? fresh(call);
    },
    changed,
    wasLost: () => lost,
    close() {
      live = false;
      changed();
      subscription?.close();
    },
  };
}

/** Frames after which a state may be another one. */
const telling: ReadonlySet<string> = new Set(["session_updated", "snapshot", "ask_open", "ask_settled", "inbox", "live"]);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
