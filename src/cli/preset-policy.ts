// The policy of a workspace with a preset on top, for one process. The preset is put in like a repository's own policy: it can make
// things stricter and nothing looser.

import { type PolicyFor } from "../config/policy-for.ts";
import { findingLine, loadPolicy } from "../config/load.ts";
import type { Surroundings } from "../config/locations.ts";
import { HallpassError } from "../core/errors.ts";
import { combinePolicies } from "../core/policy/combine.ts";
import { compilePolicy } from "../core/policy/compile.ts";
import { parsePolicy, type PolicyPart } from "../core/policy/parse.ts";

export function createPresetPolicyFor(preset: "strict", around: Omit<Surroundings, "workspace">): PolicyFor {
  const parsed = parsePolicy({ preset }, { author: "project", home: around.home });
  if (!parsed.ok) throw new HallpassError("invalid-policy", `there is no preset ${preset}`);
  const partsOf = (workspace: string): readonly PolicyPart[] => {
    const loaded = loadPolicy({ ...around, workspace });
    if (!loaded.ok) throw new HallpassError("invalid-policy", loaded.errors.map(findingLine).join("; "));
    return loaded.parts;
  };
  // Read anew at every call: a terminal's chat makes few, and what was saved a moment ago counts.
  return (workspace, inherited) => {
    const above = inherited.flatMap((one) => partsOf(one).filter(({ author }) => author === "project"));
    return compilePolicy(combinePolicies([...partsOf(workspace), ...above, parsed.part]), around.home);
  };
}
