// Projects, sessions and their mounts.

import { type Selectable, type SelectQueryBuilder, sql } from "kysely";
import type { SessionSettings, Store, StoredMount, StoredSession } from "../agent/ports.ts";
import { askEndOf } from "../core/audit.ts";
import { HallpassError } from "../core/errors.ts";
import type { SessionId } from "../core/names.ts";
import { recordIn } from "./audit.ts";
import { asIs, readable } from "./damage.ts";
import { type SqlBackend, changed, type Db, ONE, placeOf, type StoredPaths, type Tables } from "./db.ts";
import { hearLast } from "./hearing.ts";
import { list, parsed, text } from "./shape.ts";
import { exact, legible } from "./text.ts";
import { endWaiting } from "./transcripts.ts";

type SessionRows = Pick<
  Store,
  | "addProject"
  | "projects"
  | "addSession"
  | "session"
  | "sessionSettings"
  | "sessions"
  | "sessionOfHost"
  | "changeRoots"
  | "mounts"
  | "archiveSession"
>;

export function sessionRows(backend: SqlBackend): SessionRows {
  return {
    addProject: ({ id, path, name, at }) =>
      backend.write(null, async (db) => {
        await db
          .insertInto("projects")
          .values({ id: exact(id), path: exact(path), name: legible(name), at })
          .execute();
      }),

    projects: () => backend.read((db) => readable(backend.damage, () => allProjects(db).execute(), asIs)),

    addSession: (session, mounts) =>
      backend.write(null, async (db) => {
        await db
          .insertInto("sessions")
          .values({
            id: exact(session.id),
            project_id: session.project,
            parent_id: session.parent,
            workspace: exact(session.workspace),
            asking: session.asking,
            attended: session.attended ? 1 : 0,
            host: exactly(session.host),
            host_session: exactly(session.hostSession),
            label: session.label === null ? null : legible(session.label),
            machine: exact(session.machine),
            allowed_read_paths: backend.list([...new Set(session.allowedReadPaths.map(exact))]),
            at: session.at,
            archived_at: session.archivedAt,
          })
          .execute();
        await insertMounts(db, session.id, mounts);
      }),

    session: (id) =>
      backend.read(async (db) => {
        const row = await sessionById(db, id).executeTakeFirst();
        return row === undefined ? null : sessionOf(row);
      }),

    sessions: ({ archived, parent, before, limit, newestFirst = false } = {}) =>
      backend.read((db) => {
        let query = db
          .selectFrom("sessions")
          .selectAll()
          .orderBy("sequence", newestFirst ? "desc" : "asc");
        if (archived !== undefined) query = query.where("archived_at", archived ? "is not" : "is", null);
        if (parent !== undefined) query = query.where("parent_id", "=", parent);
        if (before !== undefined) query = query.where("sequence", "<", placeOf("sessions", before));
        return readable(backend.damage, (most) => (most === undefined ? query : query.limit(most)).execute(), sessionOf, limit);
      }),

    sessionSettings: (id) =>
      backend.read(async (db) => {
        const row = await settingsById(db, id).executeTakeFirst();
        return row === undefined ? null : settingsOf(row);
      }),

    sessionOfHost: (host, hostSession, workspace) =>
      backend.read(async (db) => {
        const row = await sessionByHost(db, host, hostSession, workspace).executeTakeFirst();
        return row === undefined ? null : settingsOf(row);
      }),

    changeRoots: (id, workspace, mounts, events) =>
      backend.write({ session: id }, async (db) => {
        const moved = await db
          .updateTable("sessions")
          .set({ workspace: exact(workspace) })
          .where("id", "=", id)
          .where("archived_at", "is", null)
          .executeTakeFirstOrThrow();
        if (!changed(moved)) return false;
        await db.deleteFrom("mounts").where("session_id", "=", id).execute();
        await insertMounts(db, id, mounts);
        await recordIn(backend, db, events);
        return true;
      }),

    mounts: (id) => backend.read(async (db) => await mountsOf(db, id).execute()),

    archiveSession: (ended) => {
      const { session: id, at, why } = ended;
      return backend.write({ session: id }, async (db) => {
        const archived = await db
          .updateTable("sessions")
          .set({ archived_at: at, allowed_read_paths: backend.list([]) })
          .where("id", "=", id)
          .where("archived_at", "is", null)
          .executeTakeFirstOrThrow();
        if (!changed(archived)) return false;
        await db.updateTable("grants").set({ revoked_at: at }).where("session_id", "=", id).where("revoked_at", "is", null).execute();
        await db.updateTable("chats").set({ status: "archived" }).where("session_id", "=", id).execute();
        // Before the asks are closed, since it is open asks that calls wait for.
        await endWaiting(db, id);
        await db
          .updateTable("asks")
          .set({ state: "closed", closed_why: askEndOf(why) })
          .where("session_id", "=", id)
          .where("state", "=", sql.lit("open"))
          .execute();
        await hearLast(db, id);
        await recordIn(backend, db, [ended]);
        return true;
      });
    },
  };
}

/** The session's list as it becomes by `change`, in a transaction that may write. */
export async function changeAllowedReadPaths(
  backend: SqlBackend,
  db: Db,
  id: SessionId,
  change: (paths: readonly string[]) => readonly string[],
): Promise<void> {
  const query = db.selectFrom("sessions").select(["allowed_read_paths", "archived_at"]).where("id", "=", id);
  const session = await query.executeTakeFirst();
  if (session === undefined || session.archived_at !== null)
    throw new HallpassError("session-closed", "the session is archived: nothing is granted in it any more");
  const paths = backend.list(change(listed(session.allowed_read_paths, id)));
  await db.updateTable("sessions").set({ allowed_read_paths: paths }).where("id", "=", id).execute();
}

const settingColumns = [
  "id",
  "project_id",
  "parent_id",
  "workspace",
  "asking",
  "attended",
  "host",
  "host_session",
  "label",
  "machine",
  "at",
  "archived_at",
] as const;
const projectColumns = ["id", "path", "name", "at"] as const;
const mountColumns = ["session_id as session", "path", "mode"] as const;

export const allProjects = (db: Db) => db.selectFrom("projects").select(projectColumns).orderBy("sequence");
const sessionById = (db: Db, id: SessionId) => db.selectFrom("sessions").selectAll().where("id", "=", id).limit(ONE);
const settingsById = (db: Db, id: SessionId) => db.selectFrom("sessions").select(settingColumns).where("id", "=", id).limit(ONE);
const sessionByHost = (db: Db, host: string, hostSession: string, workspace: string) =>
  db
    .selectFrom("sessions")
    .select(settingColumns)
    .where("host", "=", host)
    .where("host_session", "=", hostSession)
    .where("workspace", "=", workspace)
    .where("archived_at", "is", null)
    .orderBy("sequence")
    .limit(ONE);
/** The session of an ask, within a query. */
export type SessionOfAsk = SelectQueryBuilder<Tables, "asks", { session_id: SessionId }>;
export const mountsOf = (db: Db, id: SessionId | SessionOfAsk) =>
  db.selectFrom("mounts").select(mountColumns).where("session_id", "=", id).orderBy("position");
async function insertMounts(db: Db, session: SessionId, mounts: readonly StoredMount[]): Promise<void> {
  if (mounts.length === 0) return;
  await db
    .insertInto("mounts")
    .values(mounts.map(({ path, mode }, position) => ({ session_id: session, position, path: exact(path), mode })))
    .execute();
}

export function sessionOf(row: Selectable<Tables["sessions"]>): StoredSession {
  return { ...settingsOf(row), allowedReadPaths: listed(row.allowed_read_paths, row.id) };
}

function settingsOf(row: Pick<Selectable<Tables["sessions"]>, (typeof settingColumns)[number]>): SessionSettings {
  return {
    id: row.id,
    project: row.project_id,
    parent: row.parent_id,
    workspace: row.workspace,
    asking: row.asking,
    attended: row.attended === 1,
    host: row.host,
    hostSession: row.host_session,
    label: row.label,
    machine: row.machine,
    at: row.at,
    archivedAt: row.archived_at,
  };
}

const exactly = (text: string | null): string | null => (text === null ? null : exact(text));

function listed(paths: StoredPaths, row: SessionId): readonly string[] {
  return typeof paths === "string" ? parsed(paths, list(text), { table: "sessions", row, column: "allowed_read_paths" }) : paths;
}
