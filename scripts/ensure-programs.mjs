// Sees to it that the programs which the hook's tables are held to are on a machine that runs the tests: where one is missing and we are root
// on a Debian or Ubuntu, it is installed. Quick where there is nothing to do.
//   node scripts/ensure-programs.mjs      ends with 0 where all of them are there afterwards, with 1 where one is not

import { existsSync } from "node:fs";
import { apt, installed } from "./ensure-bubblewrap.mjs";

// Each is the name of its package too. Node runs this.
const PROGRAMS = ["git", "gcc", "tar", "curl"];

const missing = () =>
  PROGRAMS.filter((name) => !(process.env["PATH"] ?? "").split(":").some((directory) => existsSync(`${directory}/${name}`)));

const before = missing();
if (before.length > 0 && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get") && installed(...before) !== null) {
  // An image without lists of packages knows none.
  apt(["update"]);
  installed(...before);
}
const after = missing();
if (after.length > 0) console.log(`the tests need ${after.join(", ")}: apt install ${after.join(" ")}`);
process.exitCode = after.length === 0 ? 0 : 1;
