// How this program is called from a shell here, for what a person is told to type next.

import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ownPrograms, quoted } from "../adapters/install/programs.ts";
import type { Host } from "./host.ts";

/** By its name where that is in the PATH and leads to this very program, else by its file. */
export function ownCommand(from: string, { env, platform }: Pick<Host, "env" | "platform">): string {
  const { entry } = ownPrograms(from, process.execPath, platform);
  const found = (env["PATH"] ?? "")
    .split(delimiter)
    .map((directory) => join(directory, "hallpass"))
    .find((file) => existsSync(file));
  const isOurs = found !== undefined && realpathSync(found) === realpathSync(entry);
  return isOurs ? "hallpass" : `node ${quoted(entry)}`;
}
