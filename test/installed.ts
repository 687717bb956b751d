// Is a program on this machine? Tests that run it are skipped where it is not; those that the tables are held to must be there in CI.

import { accessSync, constants } from "node:fs";

const REQUIRED: ReadonlySet<string> = new Set(["git", "node", "gcc", "tar", "curl"]);

/** Throws in CI for a program that must be there: a test that is skipped there would never run. */
export function isInstalled(program: string): boolean {
  const found = (process.env["PATH"] ?? "").split(":").some((directory) => isExecutable(`${directory}/${program}`));
  if (!found && process.env["CI"] !== undefined && REQUIRED.has(program))
    throw new Error(`\`${program}\` is missing, and the tests need it: node scripts/ensure-programs.mjs installs it`);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
