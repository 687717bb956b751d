// Finds rows by the id in a request; everything that does not exist gets the same answer.

import { askId, grantId, sessionId } from "../../core/names.ts";
import type { StoredAsk, StoredChat, StoredGrant, StoredSession } from "../../agent/ports.ts";
import { show } from "../../core/path/show.ts";
import type { WireSession } from "../../wire/values.ts";
import type { AppPorts } from "../ports.ts";
import { notFound, Refusal } from "../problem.ts";

type RowPorts = Pick<AppPorts, "store" | "views">;

/** What was looked for; throws where it is not there. */
export async function rowOf<T>(looked: Promise<T | null>): Promise<T> {
  const row = await looked;
  if (row === null) throw notFound();
  return row;
}

export const findSession = ({ store }: RowPorts, id: string): Promise<StoredSession> => rowOf(store.session(sessionId(id)));
export const findChat = ({ store }: RowPorts, id: string): Promise<StoredChat> => rowOf(store.chat(id));
export const findGrant = ({ store }: RowPorts, id: string): Promise<StoredGrant> => rowOf(store.grant(grantId(id)));
export const viewSession = ({ views }: RowPorts, id: string): Promise<WireSession> => rowOf(views.session(sessionId(id)));
export const findAsk = ({ store }: RowPorts, id: string): Promise<StoredAsk> =>
  rowOf(id === "" ? Promise.resolve(null) : store.ask(askId(id)));

/** A session that has not ended. */
export async function findOpenSession(ports: RowPorts, id: string): Promise<StoredSession> {
  const session = await findSession(ports, id);
  if (session.archivedAt !== null) throw new Refusal("session-closed", "the session has ended");
  return session;
}

/** The same, and its files are on this machine: what a path is, only the machine with the files can tell. */
export async function findOpenSessionHere(ports: RowPorts & Pick<AppPorts, "machine" | "elsewhere">, id: string): Promise<StoredSession> {
  const session = await findOpenSession(ports, id);
  if (ports.elsewhere !== null && session.machine !== ports.machine)
    throw new Refusal("files-elsewhere", `the files are on the machine \`${show(session.machine)}\`: do it there`);
  return session;
}
