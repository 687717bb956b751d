// The hosts we install into: which of their files, what goes in, and what a person must know afterwards. Pure but for the one text that
// is copied (opencode's plugin), which comes in.

import { posix } from "node:path";
import { type HostName, hostTable, type InstallHost } from "../hook/host-table.ts";
import type { OptionsAt } from "./hook-lines.ts";
import {
  hookItem,
  type HostPlan,
  json,
  PATIENCE,
  placeFrom,
  type MakePlan,
  property,
  serverStart,
  type InstallPlace,
} from "./host-plan.ts";
import { hookLine, pinnedWords, type Programs, promptLine, quoted, serverWords } from "./programs.ts";
import { isOurStart, shellStart } from "./shell-start.ts";
import { tomlValue } from "./toml-text.ts";
import type { JsonEntry, WantedFile } from "./wanted-file.ts";

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
  const lines = linesFor("claude-code", where, programs, options, ["PreToolUse", "PostToolUse", "SessionEnd"], "UserPromptSubmit");
  const command = lines.at("PreToolUse");
  const dir = placeFrom(env["CLAUDE_CONFIG_DIR"]) ?? posix.join(home, ".claude");
  const hook = { type: "command", command, timeout: secondsFor("claude-code"), statusMessage: MEANWHILE };
  const server = { type: "stdio", ...serverStart(where, programs) };
  // Beside the shared settings, unless it is to be shared: what we write holds paths of this machine, which nobody else has.
  const local = where.isShared === true ? "settings.json" : "settings.local.json";
  const settings = level === "project" ? posix.join(workspace, ".claude", local) : posix.join(dir, "settings.json");
  const apart = placeFrom(env["CLAUDE_CONFIG_DIR"]) === null ? posix.join(home, ".claude.json") : posix.join(dir, ".claude.json");
  const servers = level === "project" ? posix.join(workspace, ".mcp.json") : apart;
  const start = shellStart("claude-code", where, programs, [...lines.all, [server.command, ...server.args].map(quoted).join(" ")]);
  return {
    files: [
      ...start.map(({ file }) => file),
      json(
        settings,
        hookItem(["hooks", "PreToolUse"], { matcher: "*", hooks: [hook] }),
        hookItem(["hooks", "PostToolUse"], { matcher: "Grep", ...lines.quick("PostToolUse") }),
        hookItem(["hooks", "SessionEnd"], lines.quick("SessionEnd")),
        hookItem(["hooks", "UserPromptSubmit"], lines.quick("UserPromptSubmit")),
        ...start.map(({ setting }) => startProperty(["env", "CLAUDE_CODE_SHELL_PREFIX"], setting)),
      ),
      json(servers, property(["mcpServers", "hallpass"], server)),
    ],
    command,
    notes: [
      WAITS,
      ...start.map(() => CONFINED),
      "Claude Code reads hooks when it starts: restart a running one. Files named with @ in a message are read without any tool call, so no hook sees them.",
      ...(level === "project" ? ["Claude Code asks once whether to use the servers of `.mcp.json`."] : []),
    ],
  };
};

/** Shown by hosts that say what a hook does, while it does it. */
const MEANWHILE = "hallpass (does it wait for you? answer with: hallpass inbox)";

const WAITS =
  "With a daemon, a call that needs your yes waits for it, for nearly ten minutes: answer on the page that `hallpass` opens, or with `hallpass inbox`. If no daemon is running, the hook starts one; `hallpass stop` ends it for good.";

/** The setting that leads a host's shell into the sandbox. One of its owner's stays. */
const startProperty = (at: readonly string[], value: string): JsonEntry => ({
  kind: "property",
  at,
  value,
  ours: isOurStart,
  yields: true,
});

const CONFINED =
  "The commands of its shell run in the sandbox where this machine has one. They keep the network, unless your policy's `commands` shuts it.";

/**
 * The lines of hosts whose hooks are commands: `events` may stop something; with `prompt` a person has spoken, and the agent is told what was
 * answered since.
 */
function linesFor(
  host: "claude-code" | "codex" | "gemini",
  where: InstallPlace,
  programs: Programs,
  options: OptionsAt,
  events: readonly string[],
  prompt: string,
) {
  const at = (event: string): string => (event === prompt ? promptLine : hookLine)(programs, host, where, options(event));
  return {
    at,
    all: [...events, prompt].map(at),
    /** The hook of an event about which nobody is asked. Gemini's time-outs are milliseconds. */
    quick: (event: string) => ({
      hooks: [{ type: "command", command: at(event), timeout: host === "gemini" ? PATIENCE * 1000 : PATIENCE }],
    }),
  };
}

/** Seconds that a host waits for the hook before a call. */
const secondsFor = (host: HostName): number => hostTable[host].hookSeconds ?? PATIENCE;

const codex: MakePlan = (where, programs, { options }) => {
  const lines = linesFor("codex", where, programs, options, ["PreToolUse", "SessionEnd"], "UserPromptSubmit");
  const command = lines.at("PreToolUse");
  const dir =
    where.level === "project"
      ? posix.join(where.workspace, ".codex")
      : (placeFrom(where.env["CODEX_HOME"]) ?? posix.join(where.home, ".codex"));
  const hook = { hooks: [{ type: "command", command, timeout: secondsFor("codex"), statusMessage: MEANWHILE }] };
  const server = serverStart(where, programs);
  const body = [
    "[mcp_servers.hallpass]",
    `command = ${tomlValue(server.command)}`,
    `args = ${tomlValue(server.args)}`,
    `env = ${tomlValue(server.env)}`,
    "tool_timeout_sec = 600",
  ];
  const start = shellStart("codex", where, programs, []);
  const [set = {}] = start.map(({ setting }) => ({ beside: besideServer(setting) }));
  return {
    files: [
      ...start.map(({ file }) => file),
      json(
        posix.join(dir, "hooks.json"),
        hookItem(["hooks", "PreToolUse"], hook),
        hookItem(["hooks", "SessionEnd"], lines.quick("SessionEnd")),
        hookItem(["hooks", "UserPromptSubmit"], lines.quick("UserPromptSubmit")),
      ),
      { kind: "toml", files: [posix.join(dir, "config.toml")], block: { name: "install", head: [], body, server: true, ...set } },
    ],
    command,
    notes: [
      WAITS,
      ...start.map(() => CONFINED),
      "Codex silently skips a hook that it was not told to trust: start codex, type /hooks and trust this one. Do so again after each new installation.",
      "Codex reads files through its shell, and judging a command by its text is no boundary: `hallpass sync codex` writes a permission profile, which is one.",
    ],
  };
};

/** Variables that Codex sets for its shell, and for nothing else that it starts. */
const besideServer = (start: string) => ({
  at: ["shell_environment_policy", "set"],
  lines: ["[shell_environment_policy.set]", `BASH_ENV = ${tomlValue(start)}`],
});

const gemini: MakePlan = (where, programs, { options }) => {
  const lines = linesFor("gemini", where, programs, options, ["BeforeTool", "AfterTool", "SessionEnd"], "BeforeAgent");
  const command = lines.at("BeforeTool");
  const dir = posix.join(where.level === "project" ? where.workspace : where.home, ".gemini");
  // Its time-outs are milliseconds.
  const hook = { type: "command", name: "hallpass", command, timeout: secondsFor("gemini") * 1000 };
  const sifting = { ...hook, command: lines.at("AfterTool"), timeout: PATIENCE * 1000 };
  const start = shellStart("gemini", where, programs, lines.all);
  const variables = start.flatMap(({ file, setting }): readonly WantedFile[] => [
    file,
    { kind: "lines", files: [posix.join(dir, ".env")], name: "install", lines: [`BASH_ENV=${setting}`], variable: "BASH_ENV" },
  ]);
  return {
    files: [
      ...variables,
      json(
        posix.join(dir, "settings.json"),
        hookItem(["hooks", "BeforeTool"], { matcher: ".*", hooks: [hook] }),
        hookItem(["hooks", "AfterTool"], { matcher: "grep_search|search_file_content", hooks: [sifting] }),
        hookItem(["hooks", "SessionEnd"], lines.quick("SessionEnd")),
        hookItem(["hooks", "BeforeAgent"], lines.quick("BeforeAgent")),
        property(["mcpServers", "hallpass"], serverStart(where, programs)),
        // Otherwise it takes a project's `.env` into the environment of every command, and ours is not read.
        { kind: "property", at: ["advanced", "ignoreLocalEnv"], value: true, ours: (value) => value === true, yields: true },
      ),
    ],
    command,
    notes: [
      WAITS,
      ...start.map(() => CONFINED),
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
    timeoutSec: event === "preToolUse" ? secondsFor("copilot") : PATIENCE,
  });
  const sifting = { ...hookFor("postToolUse"), matcher: "grep|rg" };
  const hooks = { preToolUse: [hookFor("preToolUse")], postToolUse: [sifting], sessionEnd: [hookFor("sessionEnd")] };
  const server = { type: "local", ...serverStart(where, programs), tools: ["*"] };
  const start = shellStart("copilot", where, programs, []);
  return {
    files: [
      ...start.map((entry) => entry.file),
      { kind: "own", files: [file], text: `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`, mark: "hallpass" },
      json(servers, property(["mcpServers", "hallpass"], server)),
    ],
    command,
    notes: [
      WAITS,
      ...start.flatMap(() => [CONFINED, BEFORE_COMMANDS]),
      "In VS Code commands are not confined, and what its own search shows of secrets is not taken out.",
      "Copilot lets a call through if its hook takes longer than its time-out. Ours waits for a person for less than that, and then blocks.",
    ],
  };
};

const BEFORE_COMMANDS =
  "To do so, the hook puts a line before each command, `set -e; . FILE`, which Copilot shows. Your deny rules count as before. Where Copilot asks about commands it asks about `.` too, once; a run with `--allow-tool` and nobody there needs `--allow-tool 'shell(.)'`.";

/** The hook's line in PowerShell's words. */
function powershellLine(programs: Programs, where: InstallPlace, added: readonly string[]): string {
  const pinned = Object.entries(where.isShared === true ? {} : pinnedWords(where)).map(
    ([word, value]) => `$env:${word}='${value.replaceAll("'", "''")}'; `,
  );
  return `${pinned.join("")}& ${hookLine(programs, "copilot", { ...where, platform: "win32" }, added)}`;
}

const cursor: MakePlan = (where, programs, { options }) => {
  const lineFor = (event: string): string => hookLine(programs, "cursor", where, options(event));
  const dir = posix.join(where.level === "project" ? where.workspace : where.home, ".cursor");
  const hookFor = (event: string) => ({ command: lineFor(event), timeout: secondsFor("cursor"), failClosed: true });
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
    notes: [
      WAITS,
      "Restart Cursor, and look under Settings, Hooks: the four hooks must be listed there.",
      "What Cursor's own search shows of secrets is not taken out, and its commands are not confined: use Hallpass's own tools, or `hallpass run`.",
    ],
  };
};

const opencode: MakePlan = (where, programs, { pluginText }) => {
  const config = posix.join(placeFrom(where.env["XDG_CONFIG_HOME"]) ?? posix.join(where.home, ".config"), "opencode");
  const dir = where.level === "project" ? posix.join(where.workspace, ".opencode") : config;
  const base = where.level === "project" ? where.workspace : config;
  // Without a daemon its own dialog asks, where its person is looking; so nothing of ours starts one.
  const { command, args, env } = serverStart(where, programs, false);
  return {
    files: [
      { kind: "own", files: [posix.join(dir, "plugins", "hallpass.js")], text: pluginText(), mark: "hallpass" },
      {
        kind: "json",
        files: [posix.join(base, "opencode.json"), posix.join(base, "opencode.jsonc")],
        entries: [
          property(["mcp", "hallpass"], {
            type: "local",
            command: [command, ...args],
            environment: env,
            enabled: true,
          }),
        ],
      },
    ],
    command: null,
    notes: [
      CONFINED,
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
