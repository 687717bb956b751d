// Our own policy files and data, kept from every agent: no file tool writes the one or touches the other, wherever they are and whichever
// root holds them, and no exception of a policy lifts that.

import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { ruleId } from "../core/names.ts";
import type { Right } from "../core/access.ts";
import { isInside } from "../core/path/contain.ts";
import { parseGlob } from "../core/policy/glob.ts";
import type { AuthorLayer, Policy, Rule } from "../core/policy/rule.ts";
import { ownPlaces, type PolicyLocation, policyLocations, type ConfigContext } from "./locations.ts";
import { dataDirectory } from "./own-directory.ts";

/** As patterns: as they were named, and where they really are. */
export interface OwnFiles {
  /** The administrator's and the operator's policies. Never written. */
  readonly policies: readonly string[];
  /** Data directories that no name of the builtin list covers. Never read or written: whoever read the token could answer its own asks. */
  readonly data: readonly string[];
}

export function ownFilesOf(surroundings: ConfigContext): OwnFiles {
  return ownFilesAt(policyLocations(surroundings), [...ownPlaces(surroundings), ...linkedDataDirectories(surroundings)], surroundings.home);
}

/** The same for policies at these locations and data directories at these places. */
export function ownFilesAt(locations: readonly PolicyLocation[], places: readonly string[], home: string): OwnFiles {
  return {
    policies: locations.filter(({ author }) => author !== "project").flatMap((location) => patternsOf(location, home)),
    data: places.flatMap((place) => patternsOf({ place, files: [place] }, home)),
  };
}

/**
 * The policy with our own files shut. INVARIANT: whoever may write a policy file is its author, and whoever reads the data directory may
 * answer, so neither goes by an exception: where a list has any, rules deny the same, and a deny is lifted by nothing.
 */
export function keepingOwn(policy: Policy, { policies, data }: OwnFiles): Policy {
  const { secrets, protect } = policy;
  const denied = [
    ...(protect.except.length === 0 ? [] : policies.map((glob) => denial("write", glob))),
    ...(secrets.except.length === 0 ? [] : data.flatMap((glob) => [denial("read", glob), denial("write", glob)])),
  ];
  const layer: AuthorLayer = { name: "administrator", rules: denied, defaults: { read: null, write: null } };
  return {
    ...policy,
    layers: denied.length === 0 ? policy.layers : [...policy.layers, layer],
    secrets: { ...secrets, add: [...new Set([...secrets.add, ...data])] },
    protect: { ...protect, add: [...new Set([...protect.add, ...policies])] },
  };
}

const denial = (right: Right, glob: string): Rule<"deny"> => ({
  id: ruleId(`own:${right}:${glob}`),
  right,
  glob,
  verdict: "deny",
  outsideOnly: false,
  why: "Hallpass's own policy and data, which no exception opens",
  source: null,
});

/** The usual data directory, where a link leads it to a place whose name is on no list. */
function linkedDataDirectories(surroundings: ConfigContext): readonly string[] {
  const { platform } = surroundings;
  if (platform === "win32") return [];
  const usual = dataDirectory({ ...surroundings, env: {} });
  return realPlace(usual).endsWith(dataDirectory({ home: "", env: {}, platform })) ? [] : [usual];
}

function patternsOf({ place, files }: Pick<PolicyLocation, "place" | "files">, home: string): readonly string[] {
  const real = realPlace(place);
  const linked = files.map(realPlace).filter((file) => !isInside(real, file));
  // Two stars in a name would be no pattern; one matches them too.
  const patterns = new Set([place, real, ...linked].map((path) => path.replaceAll(/\*{2,}/g, "*")));
  return [...patterns].filter((pattern) => pattern.startsWith("/") && parseGlob(pattern, home).ok);
}

/** Where `place` is or would be, links followed as far as there are any. */
export function realPlace(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    const parent = dirname(place);
    return parent === place ? place : join(realPlace(parent), place.slice(parent.length));
  }
}
