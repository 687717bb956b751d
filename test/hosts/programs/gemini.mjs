// Gemini CLI with --yolo. Its own path check cannot be switched off and comes before the hook: what it holds by itself is named, since
// nothing is shown by it about ours; what is granted is read through its shell.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { changeJson, dropLines, secondLine } from "../own-settings.mjs";
import { everywhere } from "../promises.mjs";
import { LOGIN } from "../scene.mjs";

export const gemini = {
  title: "Gemini CLI",
  package: "@google/gemini-cli",
  version: "0.61.0",
  bin: "gemini",
  minutes: 3,
  // Its shell is led into the sandbox by what `hallpass install` writes.
  confined: true,
  variants: ["without", "with", "run", "without, asked", "inbox", ...everywhere],
  itself: () => [
    "read, outside",
    "read, through a link",
    "read, allowed by policy",
    "search, outside",
    "search, through a link",
    "write, outside",
    "write, through a link",
    "granted, its own reading tool",
    "granted, writing there",
  ],
  // What it says to a hook about a sub-agent's call is the same as about its parent's, so nobody can tell them apart.
  unpromised: ["granted to its parent, sub-agent", "a program of its own, sub-agent"],
  settings: ({ home }) => join(home, ".gemini", "settings.json"),
  login: true,
  prepare({ home, variant, naive }) {
    if (variant === "run, asked") writeFileSync(join(home, ".gemini", ".env"), `GEMINI_API_KEY=${LOGIN}\n`);
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      ...(naive === null ? {} : { mcpServers: { hallpass: naive } }),
      // Otherwise it takes its variables from the project's file, and from no other.
      ...(variant === "run, asked" ? { advanced: { ignoreLocalEnv: true } } : {}),
    };
    writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings, null, 2));
    if (variant !== "own rules") return;
    mkdirSync(join(home, ".gemini", "policies"), { recursive: true });
    const rule = '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "head"\ndecision = "deny"\npriority = 999\n';
    writeFileSync(join(home, ".gemini", "policies", "own.toml"), rule);
  },
  ignore: ({ home }) => dropLines(join(home, ".gemini", ".env"), "BASH_ENV"),
  second: (around) =>
    changeJson(gemini.settings(around), (value) => {
      value.hooks ??= {};
      const hook = { type: "command", name: "second", command: secondLine("gemini") };
      (value.hooks.BeforeTool ??= []).push({ matcher: "run_shell_command", hooks: [hook] });
    }),
  words: ({ again }) => ["--skip-trust", "--yolo", "-m", "gemini-2.5-flash", ...(again ? ["--resume", "latest"] : []), "-p", "go"],
  env: ({ address, variant }) => ({
    ...(variant === "run, asked" ? {} : { GEMINI_API_KEY: "none" }),
    GOOGLE_GEMINI_BASE_URL: address,
    GEMINI_TELEMETRY_ENABLED: "false",
  }),
  tools(names, { workspace }) {
    const shell = (command) => ({ tool: "run_shell_command", args: { command } });
    return {
      read: (path) => ({ tool: "read_file", args: { file_path: path } }),
      granted: (path) => shell(`cat ${path}`),
      search: (path) => ({ tool: "grep_search", args: { pattern: "MARK", dir_path: path } }),
      grantedSearch: (path) => shell(`grep -r MARK ${path}`),
      names: (path) => ({ tool: "glob", args: { pattern: `${relative(workspace, path)}/*` } }),
      write: (path) => ({ tool: "write_file", args: { file_path: path, content: "changed" } }),
      agent: () => ({ tool: "invoke_agent", args: { agent_name: "generalist", prompt: "go" } }),
      shell,
      ours: (name, args) => (names.includes(`mcp_hallpass_${name}`) ? { tool: `mcp_hallpass_${name}`, args } : null),
    };
  },
};
