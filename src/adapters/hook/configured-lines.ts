// Recognises commands that a host starts because its settings say so: hooks and MCP servers. Some hosts start them the same way as the
// model's commands; they pass if they equal a configured line exactly. A model's command never does: hosts wrap it in text of their own.

import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "jsonc-parser";
import { isRecord } from "./host-call.ts";
import { type HostName, hostTable } from "./host-table.ts";
import { configText } from "./server-claims.ts";
import { wordsOf } from "./shell-frame.ts";

interface Surroundings {
  readonly workspace: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How deep below a host's directory its plugins and extensions keep theirs. */
const DEPTH = 7;

export function isConfiguredLine(host: HostName, text: string, surroundings: Surroundings): boolean {
  const words = wordsOf(text);
  return filesOf(host, surroundings).some((file) => {
    const read = configText(file);
    if (read === undefined || read === null) return false;
    const value: unknown = parse(read, [], { allowTrailingComma: true });
    return isConfigured(value, text, words, { ...surroundings.env, ...rootsOf(file) });
  });
}

/** Its settings, a person's and a project's, and those of what was added to it. */
function filesOf(host: HostName, { workspace, home, env }: Surroundings): readonly string[] {
  const { settings, servers = [] } = hostTable[host];
  if (settings === undefined) return [];
  const { dir, variable = "", files } = settings;
  const own = env[variable]?.startsWith("/") === true ? (env[variable] ?? "") : join(home, dir);
  const projects = [...files.map((name) => join(dir, name)), ...servers.filter((name) => !name.includes("*"))];
  return [
    ...files.map((name) => join(own, name)),
    join(own, ".claude.json"),
    join(home, ".claude.json"),
    ...projects.map((name) => join(workspace, name)),
    ...[...files, "managed-settings.json", "managed-mcp.json"].flatMap((name) => SYSTEM.map((at) => join(at, name))),
    ...["plugins", "extensions"].flatMap((name) => configurationsIn(join(own, name), DEPTH)),
  ];
}

const SYSTEM = ["/etc/claude-code", "/etc/gemini-cli"];
const ADDED: ReadonlySet<string> = new Set(["hooks.json", ".mcp.json", "plugin.json", "gemini-extension.json"]);

function configurationsIn(dir: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  try {
    return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
      if (entry.isDirectory() && entry.name !== "node_modules" && entry.name !== ".git")
        return configurationsIn(join(dir, entry.name), depth - 1);
      return ADDED.has(entry.name) ? [join(dir, entry.name)] : [];
    });
  } catch {
    return [];
  }
}

/** What its own directory is called in a plugin's or an extension's words. */
function rootsOf(file: string): Readonly<Record<string, string>> {
  const dir = dirname(file);
  const root = /\/(?:hooks|\.claude-plugin)$/u.test(dir) ? dirname(dir) : dir;
  return { CLAUDE_PLUGIN_ROOT: root, extensionPath: root };
}

function isConfigured(value: unknown, text: string, words: readonly string[] | null, env: Surroundings["env"]): boolean {
  if (Array.isArray(value)) return value.some((item) => isConfigured(item, text, words, env));
  if (!isRecord(value)) return false;
  const { command, args } = value;
  if (typeof command === "string") {
    const rest = Array.isArray(args) ? args.filter((arg) => typeof arg === "string") : [];
    if (rest.length === 0 && (command === text || expandVariables(command, env) === text)) return true;
    const line = [command, ...rest].map((word) => expandVariables(word, env));
    if (words !== null && line.length === words.length && line.every((word, at) => word === words[at])) return true;
  }
  return Object.values(value).some((item) => isConfigured(item, text, words, env));
}

/** With the variables of the environment in it, as hosts write them out. */
function expandVariables(text: string, env: Surroundings["env"]): string {
  return text.replaceAll(/\$\{(\w+)(?::-([^}]*))?\}/gu, (whole, name: string, other?: string) => env[name] ?? other ?? whole);
}
