// Where things stand, for a client that begins or has missed too much.

import type { Store } from "../agent/ports.ts";
import type { SessionId } from "../core/names.ts";
import type { WireAsk } from "../wire/values.ts";
import { type BareFrame, waitingMessage, wireMessage } from "./frames.ts";
import type { Views } from "./ports.ts";

/** So many messages are in a snapshot; earlier ones are fetched. */
const MESSAGES = 200;

/** A chat's snapshot; null where there is no such chat, or it belongs to another session than `only`. */
export async function chatSnapshot(
  { store, views }: { readonly store: Store; readonly views: Views },
  id: string,
  only: SessionId | null,
): Promise<{ readonly frame: BareFrame; readonly session: SessionId } | null> {
  const stored = await store.chat(id);
  if (stored === null || (only !== null && stored.session !== only)) return null;
  const chat = await views.chat(id);
  const session = await views.session(stored.session);
  if (chat === null || session === null) return null;
  // Before the transcript: what is heard in between is then there twice, and is shown once, rather than not at all.
  const said = await store.said(id);
  const last = await store.messagePage(id, { limit: MESSAGES + 1 });
  const waiting = said.filter((one) => !last.some((message) => message.id === one.id)).map(waitingMessage);
  const messages = [...last.slice(-MESSAGES).map(wireMessage), ...waiting];
  const asks = await viewed(views, await store.asks({ chat: id, state: "open" }));
  return {
    frame: { type: "snapshot", chat, session, messages, earlier: last.length > MESSAGES, asks },
    session: stored.session,
  };
}

/** Every open ask, for a client that hears of all chats. */
export async function inboxSnapshot({ store, views }: { readonly store: Store; readonly views: Views }): Promise<BareFrame> {
  return { type: "inbox", asks: await viewed(views, await store.asks({ state: "open" })) };
}

async function viewed(views: Views, asks: readonly Parameters<Views["ask"]>[0][]): Promise<WireAsk[]> {
  const shown: WireAsk[] = [];
  for (const ask of asks) shown.push(await views.ask(ask));
  return shown;
}
