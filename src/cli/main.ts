// The program: a word, a command. Commands are loaded when they are asked for, so that the quick ones stay quick.

import type { Screen } from "../repl/screen.ts";
import type { Host } from "./host.ts";
import { type Commands, realHost, runCommand } from "./run-command.ts";

export const commands: Commands = {
  acp: async () => (await import("./commands/acp.ts")).acp,
  check: async () => (await import("./commands/check.ts")).check,
  explain: async () => (await import("./commands/explain.ts")).explain,
  run: async () => (await import("./commands/run.ts")).run,
  tool: async () => (await import("./commands/tool.ts")).tool,
  mcp: async () => (await import("./commands/mcp.ts")).mcp,
  policy: async () => (await import("./commands/policy.ts")).policy,
  chat: async () => (await import("./commands/chat.ts")).chat,
  inbox: async () => (await import("./commands/inbox.ts")).inbox,
  grants: async () => (await import("./commands/grants.ts")).grants,
  sessions: async () => (await import("./commands/sessions.ts")).sessions,
  audit: async () => (await import("./commands/audit.ts")).audit,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  completion: async () => (await import("./commands/completion.ts")).completion,
  store: async () => (await import("./commands/store.ts")).store,
  backup: async () => (await import("./commands/backup.ts")).backup,
  restore: async () => (await import("./commands/backup.ts")).restore,
  install: async () => (await import("./commands/install.ts")).install,
  uninstall: async () => (await import("./commands/uninstall.ts")).uninstall,
  sync: async () => (await import("./commands/sync.ts")).sync,
  tour: async () => (await import("./commands/tour.ts")).tour,
  serve: async () => (await import("./commands/serve.ts")).serve,
  service: async () => (await import("./commands/service.ts")).service,
  stop: async () => (await import("./commands/stop.ts")).stop,
  status: async () => (await import("./commands/status.ts")).status,
  version: async () => (await import("./commands/version.ts")).version,
};

/**
 * Run the program on its words; `drawn` is the screen with a chat's first picture, where there is one already. Sets the exit code; does not
 * end the process, so that everything written is written.
 */
export async function main(words: readonly string[], drawn: Screen | null = null): Promise<void> {
  process.exitCode = await run(words, drawn === null ? realHost() : { ...realHost(), drawn });
}

export function run(words: readonly string[], host: Host): Promise<number> {
  const helpFor = async (command: string): Promise<string | null> => (await import("./command-help.ts")).commandHelp[command] ?? null;
  const [first = "", ...rest] = words;
  return runCommand(commands, helpFor, first === "--version" || first === "-v" ? ["version", ...rest] : words, host);
}
