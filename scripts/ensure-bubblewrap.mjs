// Sees to it that bubblewrap, which confines commands, is on a machine that runs the tests: where it is missing and we are root on a
// Debian or Ubuntu, it is installed. Anywhere else it only says what is missing. Quick where there is nothing to do.
//   node scripts/ensure-bubblewrap.mjs      ends with 0 where bubblewrap is there afterwards, with 1 where it is not

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Where the sandbox looks (src/sandbox/ability.ts). Never PATH.
const PLACES = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
const MINUTES = 60_000;

/** Installs bubblewrap where that is ours to do. Gives whether it is there now, and a sentence about it. */
export function ensureBubblewrap() {
  if (process.platform !== "linux") return { present: false, said: "commands are confined on Linux only, for now" };
  const place = PLACES.find((path) => existsSync(path));
  if (place !== undefined) return { present: true, said: `bubblewrap is there: ${place}` };
  if (process.getuid?.() !== 0)
    return { present: false, said: "bubblewrap is missing, and only root can install it: apt install bubblewrap" };
  if (!existsSync("/usr/bin/apt-get"))
    return { present: false, said: "bubblewrap is missing, and this machine has no apt-get to install it with" };
  const first = install();
  // An image without lists of packages knows none.
  const second = first === null ? null : (apt(["update"]) ?? install());
  if (PLACES.some((path) => existsSync(path))) return { present: true, said: "bubblewrap was missing and has been installed with apt-get" };
  return { present: false, said: `bubblewrap is missing and could not be installed: ${second ?? first ?? "apt-get did not say why"}` };
}

const install = () => installed("bubblewrap");

/** Null where the packages are there now. */
export const installed = (...packages) => apt(["install", "-y", "--no-install-recommends", ...packages]);

/** Null where it went well, else the last thing apt-get complained about. */
export function apt(args) {
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stderr, error } = spawnSync("/usr/bin/apt-get", args, { encoding: "utf8", timeout: 3 * MINUTES, env: environment });
  if (status === 0) return null;
  const complaint = (stderr ?? "")
    .trim()
    .split("\n")
    .findLast((line) => line !== "");
  return complaint ?? error?.message ?? `apt-get ${args[0]} ended with ${status}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { present, said } = ensureBubblewrap();
  console.log(said);
  process.exitCode = present ? 0 : 1;
}
