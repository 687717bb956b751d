// Do home and environment lead to our own files, or into what a repository wrote? A host may take a workspace's `.env` into its own
// environment and hand that to what it starts, so none of these words is the user's for certain.

import { userInfo } from "node:os";
import { posix } from "node:path";
import { show } from "../core/path/show.ts";
import { policyLocations, type ConfigContext } from "./locations.ts";
import { dataDirectory } from "./own-directory.ts";
import { isReachedBy, resolveLoosely } from "./reached.ts";

/**
 * Why nothing of ours may be taken from where home and environment lead; null where it may. INVARIANT: a policy, a socket file or a token is never
 * taken from a place in the workspace or in a mount that may be written, behind a link of either or behind /proc, but for the usual places in
 * the home directory that the system's own list of users names: there the guard keeps them from being written, and no environment chose
 * them. A policy that was named by hand is its operator's choice.
 */
export function whyUntrusted(surroundings: ConfigContext): string | null {
  const [first] = untrustedLocations(surroundings);
  return first === undefined ? null : `${first.says}, and everything is denied: ${first.remedy}`;
}

export interface UntrustedLocation {
  readonly what: "policy" | "data";
  readonly says: string;
  readonly remedy: string;
}

/** The same for each of our own places, with what to do about it. */
export function untrustedLocations(surroundings: ConfigContext): readonly UntrustedLocation[] {
  const { workspace, platform, mounts = [] } = surroundings;
  if (workspace === null || platform === "win32") return [];
  const written = mounts.filter(({ mode }) => mode !== "read_only").map(({ path }) => ({ path, where: MOUNT }));
  const roots = [{ path: workspace, where: WORKSPACE }, ...written].map(({ path, where }) => ({ root: resolveLoosely(path).real, where }));
  const untrusted = placesOf(surroundings).flatMap(({ isUsual, ...own }) => {
    // No session opens on all there is, and whoever only reads a policy there is not kept from it.
    const misleading = roots.find(({ root }) => root !== "/" && own.paths.some((path) => isReachedBy(root, path)));
    return misleading === undefined || isUsual() ? [] : [{ ...own, where: misleading.where }];
  });
  return untrusted.map(({ what, variable, paths, where }) => ({
    what,
    says: `${TITLES[what]} would be \`${show(paths[0])}\`, which lies in ${where} could have put it; nothing is taken from there`,
    remedy:
      variable === "HOME"
        ? "choose a folder of your home directory to work in, or set HOME to your own home directory"
        : variable === null
          ? "choose another"
          : `unset ${variable}, or set it to another place`,
  }));
}

/** Our own places: a root that holds none of the names by which one of them is reached misleads nobody. */
export function ownLocations(surroundings: ConfigContext): readonly string[] {
  return placesOf(surroundings).flatMap(({ paths }) => paths);
}

const WORKSPACE = "the workspace or is reached through it or through /proc, where a repository";
const MOUNT = "a mount that agents may write or is reached through it, where they";
const TITLES = { policy: "the operator's policy", data: "the data directory" } as const;

interface OwnPlace {
  readonly what: UntrustedLocation["what"];
  /** The word of the environment that led here; null where it was named otherwise. */
  readonly variable: string | null;
  readonly paths: readonly [string, ...string[]];
  /** Is it the usual place of the user whom the system knows? */
  readonly isUsual: () => boolean;
}

function placesOf(surroundings: ConfigContext): readonly OwnPlace[] {
  const { env, platform, data, operatorFile } = surroundings;
  const account = accountHome(surroundings);
  const usual = (): ConfigContext | null => {
    const home = account();
    return home === null ? null : { home: resolveLoosely(home).real, env: {}, workspace: null, platform };
  };
  const directory = data ?? dataDirectory(surroundings);
  const own: OwnPlace = {
    what: "data",
    variable: data !== undefined ? null : variableFor(env, ["HALLPASS_DATA", ...(platform === "darwin" ? [] : ["XDG_DATA_HOME"])]),
    paths: [directory],
    // By its very name: that is what is on the list of secrets.
    isUsual: () => {
      const usualPlace = usual();
      return usualPlace !== null && resolveLoosely(directory).real === dataDirectory(usualPlace);
    },
  };
  if (operatorFile !== undefined) return [own];
  const operator = policyLocations(surroundings).find(({ author }) => author === "operator");
  if (operator === undefined) return [own];
  const { place, files } = operator;
  return [
    {
      what: "policy",
      variable: variableFor(env, ["XDG_CONFIG_HOME"]),
      paths: [place, ...files],
      // Its owner may have linked it into the workspace; where it really is is protected there.
      isUsual: () => {
        const usualPlace = usual();
        const home = usualPlace === null ? undefined : policyLocations(usualPlace).find(({ author }) => author === "operator")?.place;
        return home !== undefined && (posix.normalize(place) === home || resolveLoosely(place).real === resolveLoosely(home).real);
      },
    },
    own,
  ];
}

const variableFor = (env: ConfigContext["env"], variables: readonly string[]): string =>
  variables.find((variable) => env[variable]?.startsWith("/")) ?? "HOME";

/** The home directory by the system's list of users, which no environment changes. Looked up where it is needed, once. */
function accountHome({ accountHome: configuredHome }: ConfigContext): () => string | null {
  return () => {
    if (configuredHome !== undefined) return configuredHome;
    try {
      return userInfo().homedir;
    } catch {
      // A user the system does not know has no usual place.
      return null;
    }
  };
}
