// Rows by the id a request named, or the one answer for everything that is not there.

import { askId, grantId, sessionId } from "../../core/names.ts";
import type { StoredAsk, StoredChat, StoredGrant, StoredSession } from "../../agent/ports.ts";
import { show } from "../../core/path/show.ts";
import type { WireSession } from "../../wire/values.ts";
import type { AppPorts } from "../ports.ts";
import { notFound, Refusal } from "../problem.ts";

type Found = Pick<AppPorts, "store" | "views">;

export async function foundSession({ store }: Found, id: string): Promise<StoredSession> {
  const session = await store.session(sessionId(id));
  if (session === null) throw notFound();
  return session;
}

/** A session that has not ended. */
export async function openedSession(ports: Found, id: string): Promise<StoredSession> {
  const session = await foundSession(ports, id);
  if (session.archivedAt !== null) throw new Refusal("session-closed", "the session has ended");
  return session;
}

/** The same, and its files are on this machine: what a path is, only the machine with the files can tell. */
export async function openedHere(ports: Found & Pick<AppPorts, "machine" | "elsewhere">, id: string): Promise<StoredSession> {
  const session = await openedSession(ports, id);
  if (ports.elsewhere !== null && session.machine !== ports.machine)
    throw new Refusal("files-elsewhere", `the files are on the machine \`${show(session.machine)}\`: do it there`);
  return session;
}

export async function foundChat({ store }: Found, id: string): Promise<StoredChat> {
  const chat = await store.chat(id);
  if (chat === null) throw notFound();
  return chat;
}

export async function foundAsk({ store }: Found, id: string): Promise<StoredAsk> {
  const ask = id === "" ? null : await store.ask(askId(id));
  if (ask === null) throw notFound();
  return ask;
}

export async function foundGrant({ store }: Found, id: string): Promise<StoredGrant> {
  const grant = await store.grant(grantId(id));
  if (grant === null) throw notFound();
  return grant;
}

export async function shownSession({ views }: Found, id: string): Promise<WireSession> {
  const session = await views.session(sessionId(id));
  if (session === null) throw notFound();
  return session;
}
