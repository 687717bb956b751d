// The hosts we install into: which of their files, what goes in, and what a person must know afterwards. Pure but for the one text that
// is copied (opencode's plugin), which comes in.

import { posix } from "node:path";
import type { InstallHost } from "../hook/host-table.ts";
import type { OptionsAt } from "./hook-lines.ts";
import {
  hookItem,
  type HostPlan,
  json,
  PATIENCE,
  placeFrom,
  type MakePlan,
  property,
  serverArguments,
  serverStart,
  type InstallPlace,
} from "./host-plan.ts";
import { pinnedWords, serverWords } from "./pinned-words.ts";
import { hookLine, type Programs } from "./programs.ts";
import { tomlValue } from "./toml-text.ts";

/** `options`: what a person added to our line, for each event of the host. */
export function planFor(
  host: InstallHost,
  where: InstallPlace,
  programs: Programs,
  pluginText: () => string,
  options: OptionsAt = () => [],
): HostPlan {
  return plans[host](where, programs, { pluginText, options });
}

const claudeCode: MakePlan = (where, programs, { options }) => {
  const { level, workspace, home, env } = where;
  const command = hookLine(programs, "claude-code", where, options("PreToolUse"));
  const dir = placeFrom(env["CLAUDE_CONFIG_DIR"]) ?? posix.join(home, ".claude");
  const hook = { matcher: "*", hooks: [{ type: "command", command, timeout: PATIENCE }] };
  const server = { type: "stdio", ...serverStart(where, programs) };
  // Beside the shared settings: what we write holds paths of this machine, which nobody else has.
  const settings = level === "project" ? posix.join(workspace, ".claude", "settings.local.json") : posix.join(dir, "settings.json");
  const apart = placeFrom(env["CLAUDE_CONFIG_DIR"]) === null ? posix.join(home, ".claude.json") : posix.join(dir, ".claude.json");
  const servers = level === "project" ? posix.join(workspace, ".mcp.json") : apart;
  return {
    files: [
      json(
        settings,
        hookItem(["hooks", "PreToolUse"], hook),
        hookItem(["hooks", "SessionEnd"], sessionEnd(programs, "claude-code", where, options)),
      ),
      json(servers, property(["mcpServers", "hallpass"], server)),
    ],
    command,
    notes: [
      "Claude Code reads hooks when it starts: restart a running one. Files named with @ in a message are read without any tool call, so no hook sees them.",
      ...(level === "project" ? ["`.mcp.json` now holds paths of this machine; Claude Code asks once whether to use its servers."] : []),
    ],
  };
};

/** The hook of hosts that say when an agent leaves: its session ends then, and its grants with it. */
function sessionEnd(programs: Programs, host: "claude-code" | "codex" | "gemini", where: InstallPlace, options: OptionsAt) {
  const command = hookLine(programs, host, where, options("SessionEnd"));
  // Gemini's time-outs are milliseconds.
  return { hooks: [{ type: "command", command, timeout: host === "gemini" ? PATIENCE * 1000 : PATIENCE }] };
}

const codex: MakePlan = (where, programs, { options }) => {
  const command = hookLine(programs, "codex", where, options("PreToolUse"));
  const dir =
    where.level === "project"
      ? posix.join(where.workspace, ".codex")
      : (placeFrom(where.env["CODEX_HOME"]) ?? posix.join(where.home, ".codex"));
  const hook = { hooks: [{ type: "command", command, timeout: PATIENCE, statusMessage: "hallpass" }] };
  const body = [
    "[mcp_servers.hallpass]",
    `command = ${tomlValue(programs.node)}`,
    `args = ${tomlValue(serverArguments(where, programs))}`,
    `env = ${tomlValue(serverWords(where))}`,
    "tool_timeout_sec = 600",
  ];
  return {
    files: [
      json(
        posix.join(dir, "hooks.json"),
        hookItem(["hooks", "PreToolUse"], hook),
        hookItem(["hooks", "SessionEnd"], sessionEnd(programs, "codex", where, options)),
      ),
      { kind: "toml", files: [posix.join(dir, "config.toml")], block: { name: "install", head: [], body, server: true } },
    ],
    command,
    notes: [
      "Codex skips a hook it was not told to trust, without a word: start codex, type /hooks and trust this one. After every new installation again.",
      "Codex reads files through its shell, and a command read as text is no wall: `hallpass sync codex` writes a permission profile, which is one.",
    ],
  };
};

const gemini: MakePlan = (where, programs, { options }) => {
  const command = hookLine(programs, "gemini", where, options("BeforeTool"));
  const dir = posix.join(where.level === "project" ? where.workspace : where.home, ".gemini");
  // Its time-outs are milliseconds.
  const hook = { matcher: ".*", hooks: [{ type: "command", name: "hallpass", command, timeout: PATIENCE * 1000 }] };
  return {
    files: [
      json(
        posix.join(dir, "settings.json"),
        hookItem(["hooks", "BeforeTool"], hook),
        hookItem(["hooks", "SessionEnd"], sessionEnd(programs, "gemini", where, options)),
        property(["mcpServers", "hallpass"], serverStart(where, programs)),
      ),
    ],
    command,
    notes: [
      "Gemini CLI checks paths itself before its hooks: a hook can stop a call there and cannot widen one. What you grant is read with Hallpass's own tools.",
      ...(where.level === "project" ? ["It runs a project's hooks only in a folder you trust, and warns when they change."] : []),
    ],
  };
};

const copilot: MakePlan = (where, programs, { options }) => {
  const command = hookLine(programs, "copilot", where, options("preToolUse"));
  const file =
    where.level === "project"
      ? posix.join(where.workspace, ".github", "hooks", "hallpass.json")
      : posix.join(where.home, ".copilot", "hooks", "hallpass.json");
  const servers =
    where.level === "project" ? posix.join(where.workspace, ".github", "mcp.json") : posix.join(where.home, ".copilot", "mcp-config.json");
  const hookFor = (event: string) => ({
    type: "command",
    bash: hookLine(programs, "copilot", where, options(event)),
    powershell: powershellLine(programs, where, options(event)),
    timeoutSec: PATIENCE,
  });
  const hooks = { preToolUse: [hookFor("preToolUse")], sessionEnd: [hookFor("sessionEnd")] };
  const server = { type: "local", ...serverStart(where, programs), tools: ["*"] };
  return {
    files: [
      {
        kind: "own",
        files: [file],
        text: `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`,
        mark: "hallpass",
      },
      json(servers, property(["mcpServers", "hallpass"], server)),
    ],
    command,
    notes: ["Copilot lets a call go whose hook takes longer than its time-out; ours answers within ten seconds or blocks."],
  };
};

/** The hook's line in PowerShell's words. */
function powershellLine(programs: Programs, where: InstallPlace, added: readonly string[]): string {
  const pinned = Object.entries(pinnedWords(where)).map(([word, value]) => `$env:${word}='${value.replaceAll("'", "''")}'; `);
  return `${pinned.join("")}& ${hookLine(programs, "copilot", { ...where, platform: "win32" }, added)}`;
}

const cursor: MakePlan = (where, programs, { options }) => {
  const lineFor = (event: string): string => hookLine(programs, "cursor", where, options(event));
  const dir = posix.join(where.level === "project" ? where.workspace : where.home, ".cursor");
  const hookFor = (event: string) => ({ command: lineFor(event), timeout: PATIENCE, failClosed: true });
  const events = ["beforeReadFile", "beforeShellExecution", "beforeMCPExecution", "preToolUse"];
  return {
    files: [
      json(
        posix.join(dir, "hooks.json"),
        { kind: "default", at: ["version"], value: 1 },
        ...events.map((event) => hookItem(["hooks", event], hookFor(event))),
      ),
      json(posix.join(dir, "mcp.json"), property(["mcpServers", "hallpass"], serverStart(where, programs))),
    ],
    command: lineFor("preToolUse"),
    notes: ["Restart Cursor, and look under Settings, Hooks: the four hooks must be listed there."],
  };
};

const opencode: MakePlan = (where, programs, { pluginText }) => {
  const config = posix.join(placeFrom(where.env["XDG_CONFIG_HOME"]) ?? posix.join(where.home, ".config"), "opencode");
  const dir = where.level === "project" ? posix.join(where.workspace, ".opencode") : config;
  const base = where.level === "project" ? where.workspace : config;
  return {
    files: [
      { kind: "own", files: [posix.join(dir, "plugins", "hallpass.js")], text: pluginText(), mark: "hallpass" },
      {
        kind: "json",
        files: [posix.join(base, "opencode.json"), posix.join(base, "opencode.jsonc")],
        entries: [
          property(["mcp", "hallpass"], {
            type: "local",
            command: [programs.node, ...serverArguments(where, programs)],
            environment: serverWords(where),
            enabled: true,
          }),
        ],
      },
    ],
    command: null,
    notes: [
      "The commands of its shell run in the sandbox where this machine has one: without the network, unless your policy's `commands` opens it.",
      "Restart opencode. Without a network its start takes a minute and a half longer with any plugin; that is opencode looking for packages.",
    ],
  };
};

const zed: MakePlan = (where, programs) => {
  const config = posix.join(placeFrom(where.env["XDG_CONFIG_HOME"]) ?? posix.join(where.home, ".config"), "zed");
  const project = where.level === "project";
  const file = project ? posix.join(where.workspace, ".zed", "settings.json") : posix.join(config, "settings.json");
  const agent = { type: "custom", command: programs.node, args: [programs.entry, "acp"], env: serverWords(where) };
  return {
    files: [
      json(
        file,
        property(["context_servers", "hallpass"], serverStart(where, programs)),
        // Agents are started from the user's settings alone.
        ...(project ? [] : [property(["agent_servers", "Hallpass"], agent)]),
      ),
    ],
    command: null,
    notes: [
      "Zed has no hooks, so its own agent's tools are not guarded: choose the Hallpass agent (user settings), or let the agent use Hallpass's tools.",
    ],
  };
};

const plans: Readonly<Record<InstallHost, MakePlan>> = { "claude-code": claudeCode, codex, gemini, copilot, cursor, opencode, zed };
