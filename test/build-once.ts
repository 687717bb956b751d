// Before the tests: builds the program, so that what is tested is what is there.

import { execFileSync } from "node:child_process";

export default function setup(): void {
  if (process.env["HALLPASS_SKIP_BUILD"] === "1") return;
  execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
}
