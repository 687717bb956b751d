// opencode: everything allowed in its own configuration, our plugin in the project.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { everywhere } from "../promises.mjs";
import { LOGIN } from "../scene.mjs";

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
  variants: ["without", "with", "run", "without, asked", "dialog", "inbox", ...everywhere],
  settings: ({ home }) => join(home, ".config", "opencode", "opencode.json"),
  login: true,
  prepare({ home, workspace, address, variant, naive }) {
    for (const dir of [".local/share/opencode", ".local/state/opencode"]) mkdirSync(join(home, dir), { recursive: true });
    const isAlone = variant === "run, asked";
    if (isAlone) writeFileSync(join(home, ".local/share/opencode/auth.json"), JSON.stringify({ fake: { type: "api", key: LOGIN } }));
    const provider = {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "fake",
        options: { baseURL: `${address}/v1`, ...(isAlone ? {} : { apiKey: "none" }) },
        models: { m: { name: "m", tool_call: true } },
      },
    };
    // With a person at its dialog, opencode's own question about what lies outside stays: the plugin must answer it.
    const all = { "*": "allow", external_directory: variant === "dialog" ? "ask" : "allow", doom_loop: "allow", read: "allow" };
    if (variant === "own rules") all.bash = { "*": "allow", "head *": "deny" };
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
  // Whichever of the two plugins is asked first.
  ignore: (around) =>
    addPlugin(
      around,
      '"shell.env": async (_, { env }) => { Object.defineProperty(env, "BASH_ENV", { get: () => undefined, set: () => {}, enumerable: false }); }',
    ),
  second: (around) =>
    addPlugin(
      around,
      `"tool.execute.before": async (call, output) => { if (output.args.command === "echo rewrite") output.args.command = "node read-rewritten.cjs"; }`,
    ),
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

/** Somebody else's plugin, which comes after ours. */
function addPlugin({ workspace }, hooks) {
  const dir = join(workspace, ".opencode", "plugins");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "second.js"), `export const Second = async () => ({ ${hooks} });\n`);
}
