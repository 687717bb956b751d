// Policy × path × right → the authors' verdicts. Pure. Within one author's list the first match counts; between authors the
// strictest verdict counts; an author whose list has nothing about the path gives none.

import type { Right } from "../access.ts";
import type { RuleId } from "../names.ts";
import { below as pathBelow } from "../path/contain.ts";
import type { CompiledLayer, CompiledList, CompiledPolicy } from "./compile.ts";
import { NONE } from "./index-of-rules.ts";
import { type Source, stricter, type Verdict } from "./rule.ts";

/** Where the path lies, as far as rules care. */
export interface RulePlace {
  /** The root that holds it (or would, were the proposal granted); null if none. */
  readonly root: string | null;
  readonly outsideWorkspace: boolean;
  readonly outsideScope: boolean;
}

/** What one layer said. */
export interface LayerVerdict {
  readonly layer: string;
  readonly verdict: Verdict;
  readonly rule: RuleId;
  readonly glob: string;
  readonly why: string | null;
  readonly source: Source | null;
  /** A list's `*`, not a rule that matched. */
  readonly byDefault: boolean;
}

export interface Evaluation {
  /** The strictest of what was said; null when nobody spoke. */
  readonly strictest: LayerVerdict | null;
  /** The strictest of what the machine's owners said. A repository's own ask tightens what they allow; it opens nothing they do not. */
  readonly owners: LayerVerdict | null;
  readonly layerVerdicts: readonly LayerVerdict[];
}

export function evaluate(policy: CompiledPolicy, path: string, right: Right, place: RulePlace): Evaluation {
  if (policy.layers.length === 0) return NOTHING;
  const layerVerdicts: LayerVerdict[] = [];
  let strictest: LayerVerdict | null = null;
  let owners: LayerVerdict | null = null;
  for (const compiled of policy.layers) {
    const layerVerdict = verdictOf(compiled, path, right, place);
    if (layerVerdict === null) continue;
    layerVerdicts.push(layerVerdict);
    strictest = stricterOf(strictest, layerVerdict);
    if (compiled.layer.name !== "project") owners = stricterOf(owners, layerVerdict);
  }
  return { strictest, owners, layerVerdicts };
}

/** Of two who say the same, who said it first. */
function stricterOf(before: LayerVerdict | null, next: LayerVerdict): LayerVerdict {
  return before !== null && stricter(before.verdict, next.verdict) === before.verdict ? before : next;
}

function verdictOf({ layer, ...lists }: CompiledLayer, path: string, right: Right, place: RulePlace): LayerVerdict | null {
  const order = firstMatch(lists[right], path, place);
  const rule = order === NONE ? undefined : layer.rules[order];
  if (rule !== undefined) {
    return {
      layer: layer.name,
      verdict: rule.verdict,
      rule: rule.id,
      glob: rule.glob,
      why: rule.why,
      source: rule.source,
      byDefault: false,
    };
  }
  const last = layer.defaults[right];
  if (last === null || !place.outsideScope) return null;
  return { layer: layer.name, verdict: last.verdict, rule: last.id, glob: "*", why: null, source: last.source, byDefault: true };
}

/** The order of the first rule in the list that matches, or NONE. */
export function firstMatch(list: CompiledList, path: string, place: RulePlace): number {
  let order = list.anywhere.first(path);
  if (place.root !== null && list.rooted.size > 0) order = Math.min(order, list.rooted.first(`/${pathBelow(place.root, path)}`));
  if (place.outsideWorkspace && list.outside.size > 0) order = Math.min(order, list.outside.first(path));
  return order;
}

const NOTHING: Evaluation = { strictest: null, owners: null, layerVerdicts: [] };
