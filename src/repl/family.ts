// The asks of agents that this chat's agent started. They belong to other chats and sessions, but the same person answers them.

import type { Client } from "../wire/client.ts";
import type { Frame } from "../wire/frames.ts";
import { routes } from "../wire/http.ts";
import type { WireAsk } from "../wire/values.ts";

/** Hears of every chat, and passes on the asks of sessions below `session`. */
export function createFamily(client: Client, session: string, pass: (frame: Frame) => void): (frame: Frame) => void {
  const known = new Map<string, boolean>([[session, true]]);
  const belongs = async (id: string, depth: number): Promise<boolean> => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const parent = depth > DEEPEST ? null : (await client.send(routes.session, { id })).parent;
    const below = parent !== null && (await belongs(parent, depth + 1));
    known.set(id, below);
    return below;
  };
  const hear = async (type: "ask_open" | "ask_settled", ask: WireAsk): Promise<void> => {
    if (ask.session === session) return;
    // A session that cannot be looked up is not ours to answer for.
    if (await belongs(ask.session, 0).catch(() => false)) pass({ type, cursor: "", chat: ask.chat, ask });
  };
  return (frame) => {
    if (frame.type === "ask_open" || frame.type === "ask_settled") void hear(frame.type, frame.ask);
    if (frame.type === "inbox") for (const ask of frame.asks) void hear("ask_open", ask);
  };
}

const DEEPEST = 16;
