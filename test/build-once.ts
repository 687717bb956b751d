// Before the tests: builds the program, so that what is tested is what is there, and sees to what the tests need on the machine.

import { execFileSync, spawnSync } from "node:child_process";

export default function setup(): void {
  if (process.env["HALLPASS_SKIP_BUILD"] === "1") return;
  execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
  // They say themselves what is missing; tests that need it say so too, and in CI they fail.
  for (const script of ["scripts/ensure-bubblewrap.mjs", "scripts/ensure-programs.mjs", "scripts/chromium.mjs"])
    spawnSync(process.execPath, [script], { stdio: "inherit" });
  // Each project of the run has this set-up.
  process.env["HALLPASS_SKIP_BUILD"] = "1";
}
