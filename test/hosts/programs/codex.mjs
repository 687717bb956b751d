// Codex: its own sandbox off, so that what holds is held by the hook; it reads through its shell and has no tool for it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

export const codex = {
  title: "Codex",
  package: "@openai/codex",
  version: "0.166.0",
  bin: "codex",
  minutes: 2,
  // Its shell is led into the sandbox by what `hallpass install` writes.
  confined: true,
  variants: ["without", "with", "untrusted", "profile", "run", "without, asked", "inbox", "inbox, with a rule"],
  own: ({ home }) => [join(home, ".codex")],
  prepare({ home, address, naive }) {
    const text = `model = "fake"\nmodel_provider = "fake"\n\n[model_providers.fake]\nname = "fake"\nbase_url = "${address}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\n\n[analytics]\nenabled = false\n`;
    const server =
      naive === null ? "" : `\n[mcp_servers.hallpass]\ncommand = ${JSON.stringify(naive.command)}\nargs = ${JSON.stringify(naive.args)}\n`;
    writeFileSync(join(home, ".codex", "config.toml"), text + server);
  },
  words: ({ variant, again }) => [
    "exec",
    "--skip-git-repo-check",
    "-C",
    ".",
    ...(variant === "profile" ? [] : ["-s", "danger-full-access"]),
    ...(variant === "untrusted" ? [] : ["--dangerously-bypass-hook-trust"]),
    ...(again ? ["resume", "--last"] : []),
    "go",
  ],
  env: ({ home }) => ({ FAKE_KEY: "none", CODEX_HOME: join(home, ".codex") }),
  tools(names) {
    const shell = (command) =>
      names.includes("exec_command")
        ? { tool: "exec_command", args: { cmd: command } }
        : names.includes("shell_command")
          ? { tool: "shell_command", args: { command } }
          : { tool: "shell", args: { command: ["bash", "-lc", command] } };
    return {
      shell,
      write(path) {
        const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-before\n+changed\n*** End Patch\n`;
        return names.includes("apply_patch") ? { tool: "apply_patch", text: patch } : shell(`apply_patch <<'EOF'\n${patch}EOF`);
      },
      ours: (name, args) => (names.includes(`mcp__hallpass/${name}`) ? { tool: `mcp__hallpass/${name}`, args } : null),
    };
  },
};
