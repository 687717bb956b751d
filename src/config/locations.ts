// Where policy files are. Pure: environment, home and platform come in, and nothing is looked up; `load.ts` reads.

import { posix, win32 } from "node:path";
import type { Author } from "../core/policy/policy-part.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The words of an environment that say where policies and data are; no other has a say in what a policy started by a host is. */
export const policyWords = ["HALLPASS_DATA", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "APPDATA"] as const;

export interface ConfigContext {
  /** Absolute. */
  readonly home: string;
  readonly env: Environment;
  /** Absolute; null where no workspace is meant, and then no project's policy is. */
  readonly workspace: string | null;
  /** The operator's policy, if it is another file than the usual one. Absolute. */
  readonly operatorFile?: string;
  readonly platform: NodeJS.Platform;
  /** Our own data directory, where it was put elsewhere than the environment says. Absolute. */
  readonly data?: string;
  /** The home directory by the system's list of users, where that is not to be looked up. Absolute. */
  readonly accountHome?: string;
  /** What the session has mounted besides the workspace; absolute. What may be written there is as little the user's own as the workspace. */
  readonly mounts?: readonly { readonly path: string; readonly mode: string }[];
  /** `host`: an agent's host started us, and a project may have set its environment, so that `PROJECT_ROOT_WHITELIST` is nobody's word. */
  readonly startedBy?: "host";
}

/**
 * Our own data directories that are not in their usual place, which is on the list of secrets by itself: whoever could read the token in one
 * could answer its own asks.
 */
export function ownPlaces({ env, data, platform }: Pick<ConfigContext, "env" | "data" | "platform">): readonly string[] {
  const path = platform === "win32" ? win32 : posix;
  const [named, shared] = [env["HALLPASS_DATA"], env["XDG_DATA_HOME"]];
  const places = [data, named, shared === undefined ? undefined : path.join(shared, "hallpass")];
  return places.filter((place): place is string => place !== undefined && path.isAbsolute(place));
}

export interface PolicyLocation {
  readonly author: Author;
  /** The same policy under either name; at most one of them may exist. */
  readonly files: readonly [string, ...string[]];
  /** Was it named on purpose? Then it must exist. */
  readonly named: boolean;
  /** Everything of this author's policy is in here: the directory, or the file that was named. */
  readonly place: string;
}

/** Where each author's policy would be, in the order in which they are combined: administrator, operator, project. */
export function policyLocations({ home, env, workspace, operatorFile, platform }: ConfigContext): readonly PolicyLocation[] {
  const path = platform === "win32" ? win32 : posix;
  const either = (author: Author, place: string): PolicyLocation => ({
    author,
    files: [path.join(place, "policy.json"), path.join(place, "policy.jsonc")],
    named: false,
    place,
  });
  const locations: PolicyLocation[] = [];
  // On Windows nothing we can look at tells an administrator's file from another, so none is read.
  if (platform !== "win32")
    locations.push({ author: "administrator", files: ["/etc/hallpass/policy.json"], named: false, place: "/etc/hallpass" });
  if (operatorFile === undefined) locations.push(either("operator", operatorDir({ home, env, platform })));
  else locations.push({ author: "operator", files: [operatorFile], named: true, place: operatorFile });
  if (workspace !== null) locations.push(either("project", path.join(workspace, ".hallpass")));
  return locations;
}

/** The operator's own directory. A relative path in the environment is passed over: it would be another place in each directory. */
export function operatorDir({ home, env, platform }: Pick<ConfigContext, "home" | "env" | "platform">): string {
  if (platform === "win32") {
    const roaming = env["APPDATA"];
    return win32.join(roaming !== undefined && win32.isAbsolute(roaming) ? roaming : win32.join(home, "AppData", "Roaming"), "hallpass");
  }
  const config = env["XDG_CONFIG_HOME"];
  if (config?.startsWith("/") === true) return posix.join(config, "hallpass");
  return platform === "darwin" ? posix.join(home, "Library", "Application Support", "hallpass") : posix.join(home, ".config", "hallpass");
}
