// What a person changed of a session's roots, as the record has it.

import type { AuditEvent } from "../../core/audit.ts";
import type { SessionId } from "../../core/names.ts";

interface StoredPlaces {
  readonly workspace: string;
  readonly mounts: readonly { readonly path: string; readonly mode: string }[];
}

/** What a person changed, an event each: the workspace, and every mount that was added, has another mode or was taken out. */
export function rootChanges(
  before: StoredPlaces,
  after: StoredPlaces,
  common: { readonly at: number; readonly session: SessionId; readonly by: string },
): readonly AuditEvent[] {
  const event = (change: "moved" | "mounted" | "unmounted", path: string, rest: { before?: string; mode?: string } = {}): AuditEvent => ({
    kind: "roots-changed",
    ...common,
    change,
    path,
    before: rest.before ?? null,
    mode: rest.mode ?? null,
  });
  const isIn = ({ mounts }: StoredPlaces, path: string, mode?: string): boolean =>
    mounts.some((mount) => mount.path === path && (mode === undefined || mount.mode === mode));
  return [
    ...(before.workspace === after.workspace ? [] : [event("moved", after.workspace, { before: before.workspace })]),
    ...after.mounts.filter(({ path, mode }) => !isIn(before, path, mode)).map(({ path, mode }) => event("mounted", path, { mode })),
    ...before.mounts.filter(({ path }) => !isIn(after, path)).map(({ path }) => event("unmounted", path)),
  ];
}
