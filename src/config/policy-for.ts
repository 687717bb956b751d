// The policy that holds in a workspace, freshly read at every call: what the operator saved a moment ago counts in the next judgement.
// Compiling is done once for the same files; telling that they are the same takes one look at each.

import { lstatSync, statSync } from "node:fs";
import { HallpassError } from "../core/errors.ts";
import { combinePolicies } from "../core/policy/combine.ts";
import { type CompiledPolicy, compilePolicy } from "../core/policy/compile.ts";
import type { Preset } from "../core/policy/policy-part.ts";
import { findingLine, loadPolicy, type LoadedPolicy, sayAsOperator } from "./load.ts";
import { policyLocations, type ConfigContext } from "./locations.ts";
import { keepingOwn, ownFilesOf } from "./own-files.ts";
import { namesOnTheWay } from "./reached.ts";
import { ownLocations } from "./untrusted-locations.ts";

export interface PolicyFor {
  /** `mounts`: what the session has besides the workspace, so that no policy is taken from where its agents write. */
  (workspace: string, inherited: readonly string[], mounts?: ConfigContext["mounts"]): CompiledPolicy;
  /** The names by which our own files are reached: no mount matters that holds none of them. */
  readonly ownNames?: () => readonly string[];
}

/** How many workspaces' policies are kept compiled. */
const MAX_CACHED = 64;

/**
 * A reader of policies. The project policies of `inherited` workspaces hold on top of the workspace's own. `preset` is said in the
 * place of the one in the operator's file.
 * Throws `invalid-policy` where any of the files is malformed: then nothing is done until it is mended.
 */
export function createPolicyFor(surroundings: Omit<ConfigContext, "workspace">, preset: Preset | null = null): PolicyFor {
  const cache = new Map<string, CachedPolicy>();
  const policyFor: PolicyFor = (workspace, inherited, mounts = []) => {
    const key = inherited.length + mounts.length === 0 ? workspace : JSON.stringify([workspace, inherited, mounts]);
    const cached = cache.get(key);
    if (cached !== undefined && areUnchanged(cached.looks)) return cached.compiled;
    const locations = [workspace, ...inherited].flatMap((directory) => policyLocations({ ...surroundings, workspace: directory }));
    const files = locations.flatMap((location) => location.files.map((path) => lookAt(path, statSync)));
    // A place that has become a link says something, though no file be in it.
    const looks = [...files, ...locations.map(({ place }) => lookAt(place, lstatSync))];
    const current = { ...surroundings, workspace, mounts };
    const own = valid(loadPolicy(current));
    const inheritedParts = inherited.flatMap((directory) =>
      valid(loadPolicy({ ...surroundings, workspace: directory })).parts.filter(({ author }) => author === "project"),
    );
    const parts = preset === null ? own.parts : sayAsOperator(own.parts, { preset }, surroundings.home);
    const combined = combinePolicies([...parts, ...inheritedParts]);
    const compiled = compilePolicy(keepingOwn(combined, ownFilesOf(current)), surroundings.home);
    if (cache.size >= MAX_CACHED) cache.clear();
    // RACE: a file changed between the look and the reading is looked at again next time, since its look will differ.
    cache.set(key, { looks, compiled });
    return compiled;
  };
  let own: { readonly looks: readonly PolicySnapshot[]; readonly names: readonly string[] } | null = null;
  const ownNamesNow = (): readonly string[] => {
    if (own !== null && areUnchanged(own.looks)) return own.names;
    const places = ownLocations({ ...surroundings, workspace: null });
    // As with a policy that is kept: looked at before it is read.
    const looks = places.map((path) => lookAt(path, lstatSync));
    own = { looks, names: places.flatMap(namesOnTheWay) };
    return own.names;
  };
  return Object.assign(policyFor, { ownNames: ownNamesNow });
}

interface CachedPolicy {
  /** How each file that may say something looked, and each place where one may be. */
  readonly looks: readonly PolicySnapshot[];
  readonly compiled: CompiledPolicy;
}

function areUnchanged(looks: CachedPolicy["looks"]): boolean {
  return looks.every(({ path, by, was }) => lookAt(path, by).was === was);
}

function valid(loaded: LoadedPolicy): Extract<LoadedPolicy, { ok: true }> {
  if (!loaded.ok) throw new HallpassError("invalid-policy", loaded.errors.map(findingLine).join("; "));
  return loaded;
}

interface PolicySnapshot {
  readonly path: string;
  readonly by: typeof statSync;
  /** What tells one state of a file from another: which file it is, its size, owner and mode, and its two times. Null where nothing was there. */
  readonly was: string | null;
}

/** Throws where it cannot be told what is there: then nothing is done. */
function lookAt(path: string, by: typeof statSync): PolicySnapshot {
  const stat = by(path, { throwIfNoEntry: false });
  if (stat === undefined) return { path, by, was: null };
  const { dev, ino, size, mtimeMs, ctimeMs, uid, mode } = stat;
  return { path, by, was: `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs} ${uid} ${mode}` };
}
