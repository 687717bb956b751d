// GitHub Copilot CLI with a model provider of one's own and its network off, for which it wants no account.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changeJson, secondLine } from "../own-settings.mjs";
import { everywhere } from "../promises.mjs";

export const copilot = {
  title: "Copilot CLI",
  package: "@github/copilot",
  version: "1.0.102",
  bin: "copilot",
  confined: true,
  minutes: 3,
  variants: ["without", "with", "run", "without, asked", "inbox", ...everywhere],
  settings: ({ home }) => join(home, ".copilot", "settings.json"),
  prepare({ home, variant, naive }) {
    // As after a login, with nobody's account.
    if (variant === "run, asked") writeFileSync(join(home, ".copilot", "config.json"), '{ "trusted_folders": [] }\n');
    if (naive === null) return;
    const servers = { mcpServers: { hallpass: { type: "local", ...naive, tools: ["*"] } } };
    writeFileSync(join(home, ".copilot", "mcp-config.json"), JSON.stringify(servers, null, 2));
  },
  /** What leads its shell is a file of ours that our hook names, where it is there. */
  ignore: ({ home }) => rmSync(join(home, ".local", "share", "hallpass", "shells", "copilot")),
  /** It takes the words of the first hook that changes a call. */
  second: ({ home }) =>
    changeJson(join(home, ".copilot", "hooks", "a-second.json"), (value) => {
      Object.assign(value, { version: 1, hooks: { preToolUse: [{ type: "command", bash: secondLine("copilot"), timeoutSec: 20 }] } });
    }),
  words: ({ again, variant }) => [
    "--yolo",
    "--no-auto-update",
    "--no-color",
    ...(variant === "own rules" ? ["--deny-tool", "shell(head)"] : []),
    ...(again ? ["--continue"] : []),
    "-p",
    "go",
  ],
  env: ({ address }) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${address}/v1`,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: "gpt-4.1",
    COPILOT_AUTO_UPDATE: "false",
  }),
  tools: (names) => ({
    read: (path) => ({ tool: "view", args: { path } }),
    ...(names.includes("grep")
      ? { search: (path) => ({ tool: "grep", args: { pattern: "MARK", path, output_mode: "content" } }) }
      : names.includes("rg")
        ? { search: (path) => ({ tool: "rg", args: { pattern: "MARK", path, output_mode: "content" } }) }
        : {}),
    ...(names.includes("glob") ? { names: (path) => ({ tool: "glob", args: { pattern: "*", path } }) } : {}),
    write: (_, fresh) => ({ tool: "create", args: { path: fresh, file_text: "changed" } }),
    agent: () => ({ tool: "task", args: { description: "x", prompt: "go", agent_type: "general-purpose", name: "x", mode: "sync" } }),
    shell: (command) => ({ tool: "bash", args: { command, description: "x", mode: "sync", initial_wait: 10 } }),
    ours: (name, args) => (names.includes(`hallpass-${name}`) ? { tool: `hallpass-${name}`, args } : null),
  }),
};
