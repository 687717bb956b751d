// The policy that holds in a workspace, freshly read at every call: what the operator saved a moment ago counts in the next judgement.
// Compiling is done once for the same files; telling that they are the same takes one look at each.

import { statSync } from "node:fs";
import { HallpassError } from "../core/errors.ts";
import { combinePolicies } from "../core/policy/combine.ts";
import { type CompiledPolicy, compilePolicy } from "../core/policy/compile.ts";
import type { PolicyPart } from "../core/policy/parse.ts";
import { findingLine, loadPolicy, type LoadedPolicy } from "./load.ts";
import { policyLocations, type Surroundings } from "./locations.ts";

export type PolicyFor = (workspace: string, inherited: readonly string[]) => CompiledPolicy;

/** How many workspaces' policies are kept compiled. */
const KEPT = 64;

/**
 * A reader of policies. The project policies of `inherited` workspaces hold on top of the workspace's own, and `besides` on top of all.
 * Throws `invalid-policy` where any of the files is malformed: then nothing is done until it is mended.
 */
export function createPolicyFor(around: Omit<Surroundings, "workspace">, besides: readonly PolicyPart[] = []): PolicyFor {
  const kept = new Map<string, Kept>();
  return (workspace, inherited) => {
    const key = inherited.length === 0 ? workspace : JSON.stringify([workspace, ...inherited]);
    const before = kept.get(key);
    const files = before?.files ?? filesOf(around, [workspace, ...inherited]);
    const looks = files.map(lookOf);
    if (before !== undefined && looks.every((look, index) => look === before.looks[index])) return before.compiled;
    const own = valid(loadPolicy({ ...around, workspace }));
    const above = inherited.flatMap((one) =>
      valid(loadPolicy({ ...around, workspace: one })).parts.filter(({ author }) => author === "project"),
    );
    const more = [...above, ...besides];
    const combined = combinePolicies([...own.parts, ...more]);
    // What loading added of itself stays: our own files and directories.
    const protect = { ...combined.protect, add: [...own.policy.protect.add, ...more.flatMap((part) => part.protect.add)] };
    const secrets = { ...combined.secrets, add: [...own.policy.secrets.add, ...more.flatMap((part) => part.secrets.add)] };
    const compiled = compilePolicy({ ...combined, protect, secrets }, around.home);
    if (kept.size >= KEPT) kept.clear();
    // RACE: a file changed between the look and the reading is looked at again next time, since its look will differ.
    kept.set(key, { files, looks, compiled });
    return compiled;
  };
}

interface Kept {
  readonly files: readonly string[];
  readonly looks: readonly string[];
  readonly compiled: CompiledPolicy;
}

function filesOf(around: Omit<Surroundings, "workspace">, workspaces: readonly string[]): readonly string[] {
  return [...new Set(workspaces.flatMap((workspace) => policyLocations({ ...around, workspace }).flatMap((place) => place.files)))];
}

function valid(loaded: LoadedPolicy): Extract<LoadedPolicy, { ok: true }> {
  if (!loaded.ok) throw new HallpassError("invalid-policy", loaded.errors.map(findingLine).join("; "));
  return loaded;
}

/** What tells one state of a file from another: which file it is, its size, owner and mode, and its two times. */
function lookOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.uid} ${stat.mode}`;
}
