// Where our own data directory is, and whether home and environment lead to our files in the plainest way. Strings alone: the hook asks
// this at every call, and nothing is looked up.

import { win32 } from "node:path";
import { isInside } from "../core/path/contain.ts";
import { isSystemPlace } from "../core/policy/system-places.ts";
import type { Environment, ConfigContext } from "./locations.ts";

/** The directory the store, the token and the hook socket's file are in: as the environment says, else where the platform keeps such things. */
export function dataDirectory({ home, env, platform }: Pick<ConfigContext, "home" | "env" | "platform">): string {
  const named = env["HALLPASS_DATA"];
  if (named?.startsWith("/") === true) return named;
  if (platform === "win32") {
    if (named !== undefined && named !== "") return named;
    const local = env["LOCALAPPDATA"];
    return win32.join(local !== undefined && win32.isAbsolute(local) ? local : win32.join(home, "AppData", "Local"), "hallpass");
  }
  // Put together as they are: each of Node's functions that is used the first time is compiled first, and these need no other spelling.
  if (platform === "darwin") return `${home}/Library/Application Support/hallpass`;
  const data = env["XDG_DATA_HOME"];
  return `${data?.startsWith("/") === true ? data : `${home}/.local/share`}/hallpass`;
}

/**
 * Do home and environment lead to our own files without a detour: the home directory spelled as it really is and not in the workspace,
 * and no word that names another place? Then `whyUntrusted` has nothing to find. `real` are both as the session was opened on them.
 */
export function leadsPlainly(
  { home, env }: { readonly home: string; readonly env: Environment },
  real: { readonly home: string; readonly workspace: string },
): boolean {
  if (home !== real.home || isInside(real.workspace, home) || isSystemPlace(home)) return false;
  return (
    isUnset(env["HALLPASS_DATA"]) &&
    (isUnset(env["XDG_DATA_HOME"]) || env["XDG_DATA_HOME"] === `${home}/.local/share`) &&
    (isUnset(env["XDG_CONFIG_HOME"]) || env["XDG_CONFIG_HOME"] === `${home}/.config`)
  );
}

/** What does not begin with a slash is passed over wherever these words are read. */
const isUnset = (word: string | undefined): boolean => word === undefined || !word.startsWith("/");
