// The policy of a workspace with a preset on top, for one process. The preset is put in like a repository's own policy: it can make
// things stricter and nothing looser.

import { createPolicyFor, type PolicyFor } from "../config/policy-for.ts";
import type { Surroundings } from "../config/locations.ts";
import { HallpassError } from "../core/errors.ts";
import { parsePolicy } from "../core/policy/parse.ts";

export function createPresetPolicyFor(preset: "strict", around: Omit<Surroundings, "workspace">): PolicyFor {
  const parsed = parsePolicy({ preset }, { author: "project", home: around.home });
  if (!parsed.ok) throw new HallpassError("invalid-policy", `there is no preset ${preset}`);
  return createPolicyFor(around, [parsed.part]);
}
