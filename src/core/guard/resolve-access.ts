// The path of an access, as the kernel reads it and where it leads. `judge.ts` begins here; whoever keeps roots in a store looks first which
// names an access is judged by, and reads only the roots that hold one of them.

import { type Access, needs, type Operation } from "../access.ts";
import { type ResolvedPath, resolveEntry, resolveTarget } from "../fs/resolve.ts";
import { isInside, parent } from "../path/contain.ts";
import { parsePath } from "../path/parse.ts";
import type { Decision } from "./decision.ts";

export type ResolvedAccess =
  | { readonly ok: true; /** Absolute, as the kernel is to read it. */ readonly absolute: string; readonly resolved: ResolvedPath }
  | { readonly ok: false; readonly why: string };

/** What `access` names, seen from `base`. The caller closes the target's pin. */
export function resolveAccess<O extends Operation>(access: Access<O>, base: string, home: string): ResolvedAccess {
  const parsed = parsePath(access.path, base, home);
  if (!parsed.ok) return parsed;
  const resolved = needs[access.operation] === "read" ? resolveTarget(parsed.path) : resolveEntry(parsed.path);
  return { ok: true, absolute: parsed.path, resolved };
}

/**
 * The names that `access` would be judged by now: where its path leads comes first, then the links on the way and the directories that it
 * leaves by `..`. None where it is no path; nothing stays open. Null where the judgement takes every root of the session: a directory outside
 * `workspace` that is left by `..` is judged by the roots below it too.
 */
export function namesOf(access: Access, workspace: string, home: string): readonly string[] | null {
  const named = resolveAccess(access, workspace, home);
  if (!named.ok) return [];
  const { target, links, turns } = named.resolved;
  target.pin?.close();
  if (!turns.every((turn) => isInside(workspace, turn) || isInside(turn, workspace))) return null;
  return [target.path, ...links, ...turns];
}

/**
 * Was it judged by these names alone? RACE: between the look and the judgement a link may lead elsewhere, where other roots hold the path.
 * Such a decision was made without them, and must be made again.
 */
export function isJudgedBy({ trace: [first] }: Decision, names: readonly string[]): boolean {
  return first.at !== "resolve" || [first.real, ...first.links].every((name) => names.includes(name));
}

/** Each of these names and every directory above one of them: where a root must be to hold it. */
export function directoriesAround(names: readonly string[]): readonly string[] {
  const around = new Set<string>();
  for (const name of names) for (let at = name; !around.has(at); at = parent(at)) around.add(at);
  return [...around];
}
