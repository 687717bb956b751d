// What the pages know: projects, sessions, chats, asks and the conversations that were opened. Values only; a change makes a new one.

import type { WireDelay, WireFaultKind, WireProject, WireAsk, WireChat, WireMessage, WireSession } from "../../../src/wire/values.ts";

export interface LoadedChat {
  readonly messages: readonly WireMessage[];
  /** Are there messages before the first of these? */
  readonly earlier: boolean;
  /** The message whose text is arriving. */
  readonly streaming: string | null;
  /** The model's service did not take the turn, and it is tried again then. */
  readonly retry?: { readonly kind: WireFaultKind; readonly until: number } | null;
  /** Why a command that was called has not begun. */
  readonly delay?: WireDelay | null;
}

/** A session to try things on, and what there is to try in it, by the paths an agent would write. */
export interface Sample {
  readonly session: string;
  readonly asks: string;
  readonly link: string;
  readonly secret: string;
}

export interface AppState {
  /** `refused`: the daemon is there and does not know this browser. */
  readonly connection: "connecting" | "live" | "lost" | "refused";
  /** Null until they were fetched. */
  readonly projects: readonly WireProject[] | null;
  readonly sessions: Readonly<Record<string, WireSession>>;
  readonly chats: Readonly<Record<string, WireChat>>;
  /** The last chat of the pages that were fetched, where there are earlier ones. */
  readonly oldestChat: string | null;
  /** Chats that were looked for and are not there. */
  readonly missing: Readonly<Record<string, true>>;
  readonly asks: Readonly<Record<string, WireAsk>>;
  readonly conversations: Readonly<Record<string, LoadedChat>>;
  /** Asks whose X-ray was opened. */
  readonly looked: Readonly<Record<string, true>>;
  /** The sample that this browser is being shown around in. */
  readonly sample: Sample | null;
  /** Why a chat is in the state it is in, where the daemon said so. */
  readonly why: Readonly<Record<string, string>>;
}

export const empty: AppState = {
  connection: "connecting",
  projects: null,
  sessions: {},
  chats: {},
  oldestChat: null,
  missing: {},
  asks: {},
  conversations: {},
  looked: {},
  sample: null,
  why: {},
};

/** Open asks, oldest first: the order in which they are answered. */
export function openAsks(state: AppState): readonly WireAsk[] {
  return Object.values(state.asks)
    .filter(({ state: at }) => at === "open")
    .sort((a, b) => a.at - b.at || a.id.localeCompare(b.id));
}

/** Asks of one chat, oldest first, open and settled; and what an agent that it started asks, while the chat waits with it. */
export function asksOf(asks: AppState["asks"], chat: string, messages: readonly WireMessage[]): readonly WireAsk[] {
  const calls = messages.flatMap((message) => (message.role === "agent" ? message.calls : []));
  const waitingAsks = new Set(calls.flatMap((call) => (call.state.at === "waiting" ? [call.state.ask] : [])));
  return Object.values(asks)
    .filter((ask) => ask.chat === chat || (ask.state === "open" && waitingAsks.has(ask.id)))
    .sort((a, b) => a.at - b.at || a.id.localeCompare(b.id));
}

/** Open asks that would open the same directory (or touch the same path) stand together, in the order of the oldest of each group. */
export function byRoot(asks: readonly WireAsk[]): readonly { readonly root: string; readonly asks: readonly WireAsk[] }[] {
  const groups = new Map<string, WireAsk[]>();
  for (const ask of asks) {
    const root = rootOf(ask);
    groups.set(root, [...(groups.get(root) ?? []), ask]);
  }
  return [...groups].map(([root, group]) => ({ root, asks: group }));
}

/** What an ask is about, for grouping: the directory a yes would open, else the path itself, else nothing on disk. */
export function rootOf(ask: WireAsk): string {
  return ask.proposal?.dir ?? ask.path ?? ask.requested[0] ?? "";
}
