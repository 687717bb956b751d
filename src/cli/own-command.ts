// The shell command that starts this program, for messages that tell a person what to type next.

import { realpathSync } from "node:fs";
import { programIn } from "../adapters/install/found-hosts.ts";
import { ownPrograms, PROGRAM, quoted } from "../adapters/install/programs.ts";
import type { Host } from "./host.ts";

/** By its name where that is in the PATH and leads to this very program, else by its file. */
export function ownCommand(from: string, { env, platform }: Pick<Host, "env" | "platform">): string {
  const { entry } = ownPrograms(from, process.execPath, platform);
  return programIn(env["PATH"] ?? "", PROGRAM) === realpathSync(entry) ? PROGRAM : `node ${quoted(entry)}`;
}
