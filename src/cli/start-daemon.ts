// Starts the daemon where none runs, for a hook or an MCP server that `hallpass install` told to: detached, with its output in a file of
// the data directory. The daemon's lock lets only one run; a file keeps others from trying again at once.

import { spawn } from "node:child_process";
import { closeSync, constants, existsSync, fstatSync, ftruncateSync, lstatSync, openSync, realpathSync, rmSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../config/locations.ts";
import { isInside } from "../core/path/contain.ts";

export interface StartPlan {
  /** The data directory. */
  readonly data: string;
  readonly home: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly workspace: string;
  /** A program of ours, as Node was started with it. */
  readonly from: string;
}

/** Written by `hallpass stop`, removed by the next `hallpass serve`: whoever stops the daemon does not want it back at once. */
export const STOPPED = "stopped";
const TRIED = "start-tried";
const LOG = "daemon.log";
/** Milliseconds until somebody tries again. */
const AGAIN = 60_000;
/** A daemon's output file starts over when it is longer. */
const LOG_BYTES = 4 * 1024 * 1024;

/** True where it was started, or is being started: it may still find another one there. Throws nothing: who cannot start it goes on without. */
export function startDaemon(plan: StartPlan): boolean {
  try {
    const { data, env } = plan;
    if (isOff(env) || existsSync(join(data, STOPPED)) || !isOwn(data)) return false;
    const entry = join(dirname(realpathSync(plan.from)), "..", "bin", "hallpass.cjs");
    // INVARIANT: nothing that the workspace holds is started, nor told where to keep its data.
    const places = [entry, process.execPath, data].map((place) => realpathSync(place));
    if (places.some((place) => isInside(realpathSync(plan.workspace), place))) return false;
    return isTurn(join(data, TRIED)) && start(entry, plan);
  } catch {
    return false;
  }
}

/** By the environment: in CI nothing is left running that nobody stops. */
const isOff = (env: Environment): boolean => env["HALLPASS_START"] === "never" || !["", "0", "false"].includes(env["CI"] ?? "");

/** Is it there, and this user's alone? */
function isOwn(data: string): boolean {
  const facts = lstatSync(data);
  return facts.isDirectory() && (process.getuid === undefined || (facts.uid === process.getuid() && (facts.mode & 0o022) === 0));
}

/** Has nobody tried a moment ago? Then we do. RACE: two may; the daemon's lock lets one of them run. */
function isTurn(file: string): boolean {
  try {
    closeSync(openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
    return true;
  } catch {
    const age = Date.now() - lstatSync(file).mtimeMs;
    // A time that is to come is a clock that was wrong.
    if (age >= 0 && age < AGAIN) return false;
    utimesSync(file, new Date(), new Date());
    return true;
  }
}

function start(entry: string, { data, home, env, platform }: StartPlan): boolean {
  const log = openSync(join(data, LOG), constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    if (fstatSync(log).size > LOG_BYTES) ftruncateSync(log);
    const child = spawn(process.execPath, [entry, "serve", "--no-open"], {
      cwd: home,
      env: ownEnvironment(home, env, platform),
      detached: true,
      windowsHide: true,
      stdio: ["ignore", log, log],
    });
    child.on("error", () => rmSync(join(data, TRIED), { force: true }));
    child.unref();
    return child.pid !== undefined;
  } finally {
    closeSync(log);
  }
}

/**
 * A host's environment may be a project's own: only what leads to our files is taken over, which was looked at before, and whose machine it is.
 * Everything else that a daemon may be told is a person's to say, with `hallpass serve`.
 */
function ownEnvironment(home: string, env: Environment, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  const names = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "HALLPASS_DATA", "USER", "LOGNAME", "LANG", "TZ"];
  const windows = ["USERPROFILE", "LOCALAPPDATA", "APPDATA", "SystemRoot", "TEMP", "TMP"];
  const entries = [...names, ...(platform === "win32" ? windows : [])].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const runtime = `/run/user/${process.getuid?.() ?? ""}`;
  return {
    ...Object.fromEntries(entries),
    HOME: home,
    PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(platform === "win32" ? ";" : ":"),
    ...(platform === "linux" && existsSync(runtime) ? { XDG_RUNTIME_DIR: runtime } : {}),
  };
}
