// GitHub Copilot CLI with a model provider of one's own and its network off, for which it wants no account.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

export const copilot = {
  title: "Copilot CLI",
  package: "@github/copilot",
  version: "1.0.102",
  bin: "copilot",
  confined: true,
  minutes: 3,
  variants: ["without", "with", "run", "without, asked", "inbox"],
  own: ({ home }) => [join(home, ".copilot"), join(home, ".cache")],
  // Its `config.json` is on the list of secrets: where one is there, it does not start inside `hallpass run`.
  prepare({ home, naive }) {
    if (naive === null) return;
    const servers = { mcpServers: { hallpass: { type: "local", ...naive, tools: ["*"] } } };
    writeFileSync(join(home, ".copilot", "mcp-config.json"), JSON.stringify(servers, null, 2));
  },
  words: ({ again }) => ["--yolo", "--no-auto-update", "--no-color", ...(again ? ["--continue"] : []), "-p", "go"],
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
