// The hooks of other people's agents: which are configured, whether each really stops what it must, and what it cannot see at all.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { fireCanary } from "../../adapters/hook/canary.ts";
import { type HostName, hostNames, isRecord } from "../../adapters/hook/host-call.ts";
import { hookHosts } from "../../adapters/hook/hosts/all.ts";
import { show } from "../../core/path/show.ts";
import type { Host } from "../host.ts";
import { type Finding, noted, well, wrong } from "./finding.ts";

interface HostPlace {
  readonly title: string;
  /** The program's own directory: is it used here at all? */
  readonly signs: readonly string[];
  /** Where its hooks are configured: files, or directories of them. */
  readonly files: readonly string[];
  /** Where its plugins are, for a host that has no hooks but plugins: ours is called after us, and runs this program. */
  readonly plugins?: readonly string[];
  /** What no hook of this host sees. */
  readonly blind: string;
}

const places = (home: string, cwd: string): Readonly<Record<HostName, HostPlace>> => ({
  "claude-code": {
    title: "Claude Code",
    signs: [join(home, ".claude")],
    files: [join(home, ".claude", "settings.json"), join(cwd, ".claude", "settings.json"), join(cwd, ".claude", "settings.local.json")],
    blind: "files named with @ in the prompt",
  },
  codex: {
    title: "Codex",
    signs: [join(home, ".codex")],
    files: [join(home, ".codex", "hooks.json"), join(cwd, ".codex", "hooks.json")],
    blind: "what a shell command reads without naming it",
  },
  gemini: {
    title: "Gemini CLI",
    signs: [join(home, ".gemini")],
    files: [join(home, ".gemini", "settings.json"), join(cwd, ".gemini", "settings.json")],
    blind: "what a shell command reads without naming it",
  },
  copilot: {
    title: "Copilot CLI",
    signs: [join(home, ".copilot")],
    files: [join(home, ".copilot", "hooks"), join(cwd, ".github", "hooks")],
    blind: "a hook that takes longer than the host waits",
  },
  cursor: {
    title: "Cursor",
    signs: [join(home, ".cursor")],
    files: [join(home, ".cursor", "hooks.json"), join(cwd, ".cursor", "hooks.json")],
    blind: "what a shell command reads without naming it",
  },
  opencode: {
    title: "opencode",
    signs: [join(home, ".config", "opencode")],
    files: [],
    plugins: [join(home, ".config", "opencode", "plugins"), join(cwd, ".opencode", "plugins")],
    blind: "what a shell command reads without naming it",
  },
});

/** `canary` false: nothing is started, only what is configured is told. */
export async function checkHooks({ home, cwd, env }: Host, canary: boolean): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const all = places(home, cwd);
  for (const name of hostNames) {
    const { title, signs, files, plugins = [], blind } = all[name];
    const installed = files.flatMap(filesIn).map((file) => ({ file, ...commandsIn(file, name) }));
    const unreadable = installed.find(({ ok }) => !ok);
    if (unreadable !== undefined)
      findings.push(wrong(title, `${show(unreadable.file)} cannot be read as JSON`, "mend it; the host may pass over its hooks meanwhile"));
    const commands = [
      ...installed.flatMap(({ file, commands: found }) => found.map((command) => ({ file, command }))),
      ...plugins.flatMap(pluginsIn).map((file) => ({ file, command: [process.execPath, process.argv[1] ?? "", "hook", name] })),
    ];
    if (commands.length === 0) {
      if (signs.some((sign) => existsSync(sign)))
        findings.push(noted(title, "is here, and no hook of ours is in it", `hallpass install ${name}`));
      continue;
    }
    // The same command in several events is the same hook.
    const unique = [...new Map(commands.map((one) => [JSON.stringify(one.command), one])).values()];
    for (const { file, command } of unique) {
      if (!canary) {
        findings.push(well(title, `configured in ${show(file)}; not tried. It cannot see ${blind}`));
        continue;
      }
      const { armed, why } = await fireCanary(hookHosts[name], command, { cwd, env });
      findings.push(
        armed
          ? well(title, `armed: ${why}. It cannot see ${blind}`)
          : wrong(title, `not armed: ${why}`, `install it again: hallpass install ${name} (it is in ${show(file)})`),
      );
    }
  }
  return findings.length === 0 ? [noted("agents", "none of the agents we know is set up here", null)] : findings;
}

function filesIn(place: string): readonly string[] {
  if (!existsSync(place)) return [];
  if (!place.endsWith("hooks")) return [place];
  return readdirSync(place)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(place, name));
}

function pluginsIn(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => name.includes("hallpass"))
    .map((name) => join(dir, name));
}

/** The commands in a configuration that are ours for this host: `… hook <host> …`. One word is a shell's line. */
function commandsIn(file: string, host: HostName): { readonly ok: boolean; readonly commands: readonly (readonly string[])[] } {
  const errors: { error: number; offset: number; length: number }[] = [];
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return { ok: false, commands: [] };
  }
  const parsed: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const commands: (readonly string[])[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(look);
    else if (isRecord(value)) {
      const command = value["command"] ?? value["bash"];
      const args = value["args"];
      const words = Array.isArray(args) ? args.filter((word): word is string => typeof word === "string") : [];
      if (typeof command === "string" && isOurs([command, ...words].join(" "), host)) commands.push([command, ...words]);
      Object.values(value).forEach(look);
    }
  };
  look(parsed);
  return { ok: errors.length === 0, commands };
}

const isOurs = (line: string, host: HostName): boolean =>
  /hallpass|hook\.cjs/u.test(line) && new RegExp(`(?:^|\\s)['"]?${host}['"]?(?:\\s|$)`, "u").test(line);
