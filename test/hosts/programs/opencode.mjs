// opencode: everything allowed in its own configuration, our plugin in the project.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const opencode = {
  title: "opencode",
  package: "opencode-ai",
  version: "1.18.33",
  bin: "opencode",
  minutes: 4,
  ripgrep: true,
  // Its shell is led into the sandbox by the plugin.
  confined: true,
  level: "--project",
  variants: ["without", "with", "run", "without, asked", "dialog", "inbox"],
  // As the guide says: all of `.local` would hold our own data too, and nothing of ours is taken from what may be written.
  own: ({ home }) => [".local/share/opencode", ".local/state/opencode", ".cache/opencode"].map((dir) => join(home, dir)),
  prepare({ home, workspace, address, variant, naive }) {
    for (const dir of opencode.own({ home })) mkdirSync(dir, { recursive: true });
    const provider = {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "fake",
        options: { baseURL: `${address}/v1`, apiKey: "none" },
        models: { m: { name: "m", tool_call: true } },
      },
    };
    // With a person at its dialog, opencode's own question about what lies outside stays: the plugin must answer it.
    const all = { "*": "allow", external_directory: variant === "dialog" ? "ask" : "allow", doom_loop: "allow", read: "allow" };
    const config = {
      $schema: "https://opencode.ai/config.json",
      provider,
      model: "fake/m",
      small_model: "fake/m",
      permission: all,
      autoupdate: false,
      share: "disabled",
      ...(naive === null ? {} : { mcp: { hallpass: { type: "local", command: [naive.command, ...naive.args], enabled: true } } }),
    };
    writeFileSync(join(workspace, "opencode.json"), JSON.stringify(config, null, 2));
  },
  words: ({ again }) => ["run", ...(again ? ["--continue"] : []), "--model", "fake/m", "go"],
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  }),
  tools: (names) => ({
    read: (path) => ({ tool: "read", args: { filePath: path } }),
    search: (path) => ({ tool: "grep", args: { pattern: "MARK", path } }),
    names: (path) => ({ tool: "glob", args: { pattern: "*", path } }),
    write: (path) => ({ tool: "write", args: { filePath: path, content: "changed" } }),
    agent: () => ({ tool: "task", args: { description: "x", prompt: "go", subagent_type: "general" } }),
    prompt: (words) => ({ tool: "task", args: { description: "x", prompt: `go ${words}`, subagent_type: "general" } }),
    shell: (command) => ({ tool: "bash", args: { command, description: "x" } }),
    asks: (path) => (names.includes("request_read_access") ? { tool: "request_read_access", args: { path, reason: "to compare" } } : null),
    ours: (name, args) => (names.includes(`hallpass_${name}`) ? { tool: `hallpass_${name}`, args } : null),
  }),
};
