// The current state, for a client that has just connected or has missed too much.

import type { Store, StoredAsk } from "../agent/ports.ts";
import type { SessionId } from "../core/names.ts";
import type { WireAsk } from "../wire/values.ts";
import { type BareFrame, waitingMessage, wireMessage } from "./frames.ts";
import type { Views } from "./ports.ts";
import { wireChat } from "./views/views.ts";

/** So many messages are in a snapshot; earlier ones are fetched. */
const MESSAGES = 200;

/** A chat's snapshot; null where there is no such chat, or it belongs to another session than `only`. */
export async function chatSnapshot(
  { store, views }: { readonly store: Store; readonly views: Views },
  id: string,
  only: SessionId | null,
): Promise<BareFrame | null> {
  const chat = await store.chat(id);
  if (chat === null || (only !== null && chat.session !== only)) return null;
  const session = await views.session(chat.session);
  if (session === null) return null;
  // Before the transcript: what is heard in between is then there twice, and is shown once, rather than not at all.
  const said = await store.said(id);
  const last = await store.messagePage(id, { limit: MESSAGES + 1 });
  const waiting = said.filter((one) => !last.some((message) => message.id === one.id)).map(waitingMessage);
  const messages = [...last.slice(-MESSAGES).map(wireMessage), ...waiting];
  const asks = await viewAsks(views, await store.asks({ chat: id, state: "open" }));
  return { type: "snapshot", chat: wireChat(chat), session, messages, earlier: last.length > MESSAGES, asks };
}

/** Every open ask, for a client that hears of all chats. */
export async function inboxSnapshot({ store, views }: { readonly store: Store; readonly views: Views }): Promise<BareFrame> {
  return { type: "inbox", asks: await viewAsks(views, await store.asks({ state: "open" })) };
}

const viewAsks = (views: Views, asks: readonly StoredAsk[]): Promise<WireAsk[]> => Promise.all(asks.map((ask) => views.ask(ask)));
