// What a yes would grant: the nearest registered project above the target that is not too broad, else the nearest directory with a repo
// marker, below a ceiling. Or nothing, and then nobody is bothered. Looks at each step on real, pinned directories.

import type { GrantCode } from "../errors.ts";
import { statEntry } from "../fs/at.ts";
import { type Pin, pin, stillThere } from "../fs/pin.ts";
import { resolveDir } from "../fs/resolve.ts";
import type { RealDir } from "../names.ts";
import { basename, isInside, parent } from "../path/contain.ts";
import type { LastingIdentity } from "./root.ts";
import type { Session } from "./session.ts";

/** A marker that is a link does not count; a `.git` file (worktree, submodule) does, and its pointer is never followed. */
export const markers = [".git", "package.json", "go.mod", "Cargo.toml"] as const;
export type Marker = (typeof markers)[number];

/** The directory that a yes would open. */
export interface Proposal extends LastingIdentity {
  readonly dir: RealDir;
  /** Why this directory: a registered project, or the marker found in it. */
  readonly because: "project" | Marker | "folder";
}

/** Why there is none. */
export type NoProposal = Extract<GrantCode, "out-of-whitelist" | "no-grant-root" | "root-too-broad">;

export type ProposeResult = { readonly ok: true; readonly proposal: Proposal } | { readonly ok: false; readonly code: NoProposal };

type Bounds = Pick<Session, "ceilings" | "projects" | "home" | "workspace">;

/**
 * The directory to grant for a read of the real path `path`, which need not exist. The answer is the same for a file that is there
 * and one that is not, so that asking tells nothing about what lies outside.
 */
export function propose(path: string, session: Bounds): ProposeResult {
  const ceiling = nearestAbove(session.ceilings, path);
  if (ceiling === null) return refuse("out-of-whitelist");
  const around = session.projects.filter((dir) => isInside(ceiling, dir) && isInside(dir, path));
  const project = nearestAbove(
    around.filter((dir) => !isTooBroad(dir, session)),
    path,
  );
  if (project !== null) return offer(project, "project", session);
  // INVARIANT: every step is strictly below the ceiling, so no link and no nesting carries the walk out of it.
  for (let dir = path; dir !== ceiling && isInside(ceiling, dir); dir = parent(dir)) {
    const marker = markerIn(dir);
    if (marker !== null) return offer(dir, marker, session);
  }
  return refuse(around.length === 0 ? "no-grant-root" : "root-too-broad");
}

/**
 * The whole repository that the proposed directory is only a part of, as a package in a monorepo is; null where it is one itself, or where
 * what holds it is too broad.
 */
export function wider({ dir }: Pick<Proposal, "dir">, session: Bounds): Proposal | null {
  const ceiling = nearestAbove(session.ceilings, dir);
  if (ceiling === null || markerIn(dir) === ".git") return null;
  for (let above = parent(dir); above !== ceiling && isInside(ceiling, above); above = parent(above)) {
    if (markerIn(above) !== ".git") continue;
    const offered = offer(above, ".git", session);
    return offered.ok ? offered.proposal : null;
  }
  return null;
}

/**
 * The folder of the proposed directory that alone would do. By its name: it is not looked for, so that offering it tells nothing about what
 * is there. Null where it is the whole directory.
 */
export function narrower({ dir }: Pick<Proposal, "dir">, path: string, isDirectory: boolean): string | null {
  const folder = isDirectory ? path : parent(path);
  return folder !== dir && isInside(dir, folder) ? folder : null;
}

/** A folder as a root, if it is a directory in the proposed one, reached through no link. */
export function folderIn({ dir }: Pick<Proposal, "dir">, folder: string): Proposal | null {
  const resolved = isInside(dir, folder) ? resolveDir(folder) : null;
  if (resolved?.ok !== true || resolved.dir !== folder) return null;
  return { dir: resolved.dir, dev: resolved.dev, ino: resolved.ino, born: resolved.born, because: "folder" };
}

function offer(dir: string, because: Proposal["because"], session: Bounds): ProposeResult {
  if (isTooBroad(dir, session)) return refuse("root-too-broad");
  const resolved = resolveDir(dir);
  if (!resolved.ok || resolved.dir !== dir) return refuse("no-grant-root");
  return { ok: true, proposal: { dir: resolved.dir, dev: resolved.dev, ino: resolved.ino, born: resolved.born, because } };
}

/** Never `/`, a top-level directory, the home directory or what holds it, a dot-directory of it, a ceiling, or what holds the workspace. */
export function isTooBroad(
  dir: string,
  { ceilings, home, workspace }: Pick<Bounds, "ceilings" | "home"> & { readonly workspace: { readonly dir: string } },
): boolean {
  return (
    dir === "/" ||
    parent(dir) === "/" ||
    isInside(dir, home) ||
    (parent(dir) === home && basename(dir).startsWith(".")) ||
    ceilings.some((ceiling) => isInside(dir, ceiling)) ||
    isInside(dir, workspace.dir)
  );
}

function nearestAbove(dirs: readonly RealDir[], path: string): RealDir | null {
  return dirs.reduce<RealDir | null>((nearest, dir) => (isInside(dir, path) && dir.length > (nearest?.length ?? 0) ? dir : nearest), null);
}

/** The first marker that stands in the real directory `dir`; null if there is none, or no such directory. */
function markerIn(dir: string): Marker | null {
  let pinned: Pin;
  try {
    pinned = pin(dir);
  } catch {
    return null;
  }
  try {
    if (pinned.kind !== "dir" || pinned.real !== dir || !stillThere(pinned)) return null;
    return markers.find((marker) => isMarker(pinned, marker)) ?? null;
  } catch {
    return null;
  } finally {
    pinned.close();
  }
}

function isMarker(dir: Pin, marker: Marker): boolean {
  const kind = statEntry(dir, marker)?.kind;
  return kind === "file" || (kind === "dir" && marker === ".git");
}

const refuse = (code: "out-of-whitelist" | "no-grant-root" | "root-too-broad"): ProposeResult => ({ ok: false, code });
