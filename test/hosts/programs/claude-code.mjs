// Claude Code, headless with every permission given; and once more with its own questions left on and a program in a person's place that
// says yes to one of them, our asking tool, and no to all others: what is read under a grant then is read because the hook said so.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { changeJson, secondLine } from "../own-settings.mjs";
import { everywhere } from "../promises.mjs";
import { LOGIN } from "../scene.mjs";

const SEARCHING = ["without", "with", "with, no reader", "run"];
const QUESTIONS = "inbox, its own questions on";
/** With what it keeps in the home directory, and no variable of ours. */
const ALONE = "run, asked";

export const claudeCode = {
  title: "Claude Code",
  package: "@anthropic-ai/claude-code",
  version: "2.1.325",
  bin: "claude",
  minutes: 3,
  // Its shell is led into the sandbox by what `hallpass install` writes.
  confined: true,
  offersAll: "inbox",
  variants: ["without", "with", "run", "without, asked", "inbox", QUESTIONS, ...everywhere],
  itself: (variant) =>
    ({
      // With nobody there it refuses our asking tool, which says of itself that it needs a person.
      inbox: ["(our tool asks)", "our tool, answered with yes"],
      "inbox, no reader": ["(our tool asks)", "our tool, answered with yes"],
      // Searching is done by its shell, for which a hook never says yes, and the person of this run says no.
      [QUESTIONS]: [
        "granted, search",
        ...["answered with no", "answered with yes", "granted"].map((label) => `a program of its own, ${label}`),
      ],
    })[variant] ?? [],
  settings: ({ home }) => join(home, ".claude", "settings.json"),
  login: true,
  prepare({ home, workspace, variant, naive }) {
    const state = {
      hasCompletedOnboarding: true,
      bypassPermissionsModeAccepted: true,
      projects: { [workspace]: { hasTrustDialogAccepted: true } },
      ...(naive === null ? {} : { mcpServers: { hallpass: { type: "stdio", ...naive } } }),
    };
    writeFileSync(variant === ALONE ? join(home, ".claude.json") : join(home, ".claude", ".claude.json"), JSON.stringify(state, null, 2));
    if (variant === ALONE) {
      const token = { accessToken: LOGIN, refreshToken: "none", expiresAt: Date.now() + 86_400_000, scopes: ["user:inference"] };
      writeFileSync(join(home, ".claude", ".credentials.json"), JSON.stringify({ claudeAiOauth: token }));
    }
    if (variant === "own rules") changeJson(claudeCode.settings({ home }), (value) => (value.permissions = { deny: ["Bash(head:*)"] }));
    mkdirSync(join(home, ".claude", "skills", "repeat"), { recursive: true });
    writeFileSync(join(home, ".claude", "skills", "repeat", "SKILL.md"), "---\nname: repeat\ndescription: repeats\n---\nSay: $ARGUMENTS\n");
  },
  ignore: (around) => changeJson(claudeCode.settings(around), ({ env }) => delete env.CLAUDE_CODE_SHELL_PREFIX),
  second: (around) =>
    changeJson(claudeCode.settings(around), (value) => {
      value.hooks ??= {};
      (value.hooks.PreToolUse ??= []).push({ matcher: "Bash", hooks: [{ type: "command", command: secondLine("claude-code") }] });
    }),
  words: ({ variant, again }) => [
    "-p",
    ...(variant === QUESTIONS ? [...STREAMS, "--allowedTools", "mcp__hallpass__read_file"] : ["--dangerously-skip-permissions"]),
    ...(again ? ["--continue"] : []),
    // It searches by its shell, unless it is told to have tools for it.
    ...(SEARCHING.includes(variant) ? ["--tools", "Agent,Bash,Edit,Read,Skill,ToolSearch,Write,Grep,Glob"] : []),
    "--model",
    "claude-sonnet-4-5",
    ...(variant === QUESTIONS ? [] : ["go"]),
  ],
  talk: ({ variant }) => (variant === QUESTIONS ? answerQuestions : null),
  // The last says that whoever runs it as root knows what they do; the scene is empty.
  env: ({ address, home, variant }) => ({
    ...(variant === ALONE ? {} : { CLAUDE_CONFIG_DIR: join(home, ".claude"), ANTHROPIC_API_KEY: "none" }),
    ANTHROPIC_BASE_URL: address,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    IS_SANDBOX: "1",
  }),
  tools: (names, { guarded, naive }, served = guarded || naive !== null) => ({
    read: (path) => ({ tool: "Read", args: { file_path: path } }),
    ...(names.includes("Grep") ? { search: (path) => ({ tool: "Grep", args: { pattern: "MARK", path, output_mode: "content" } }) } : {}),
    ...(names.includes("Glob") ? { names: (path) => ({ tool: "Glob", args: { pattern: "*", path } }) } : {}),
    // It overwrites only what it has read.
    write: (_, fresh) => ({ tool: "Write", args: { file_path: fresh, content: "changed" } }),
    skill: (words) => ({ tool: "Skill", args: { skill: "repeat", args: words } }),
    agent: () => ({
      tool: "Agent",
      args: { description: "x", prompt: "go", subagent_type: "general-purpose", run_in_background: false },
    }),
    shell: (command) => ({ tool: "Bash", args: { command, description: "x" } }),
    ...(served
      ? {
          find: (list) => ({
            tool: "ToolSearch",
            args: {
              query: `select:${list
                .split(",")
                .map((name) => `mcp__hallpass__${name}`)
                .join(",")}`,
            },
          }),
        }
      : {}),
    ours: (name, args) => (served ? { tool: `mcp__hallpass__${name}`, args } : null),
  }),
};

const STREAMS = ["--permission-mode", "default", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"].concat([
  "--permission-prompt-tool",
  "stdio",
]);

/** Its questions come as lines, and are answered by lines. */
function answerQuestions({ stdin, stdout }) {
  const say = (message) => stdin.write(`${JSON.stringify(message)}\n`);
  say({ type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null, session_id: "" });
  createInterface({ input: stdout }).on("line", (line) => {
    const { type, request_id: id, request } = line.startsWith("{") ? JSON.parse(line) : {};
    if (type === "result") stdin.end();
    if (type !== "control_request") return;
    const yes = request.subtype === "can_use_tool" && request.tool_name === "mcp__hallpass__request_read_access";
    const response =
      request.subtype === "can_use_tool"
        ? yes
          ? { behavior: "allow", updatedInput: request.input }
          : { behavior: "deny", message: "no" }
        : // A form of our server's: declined at once, as programs do, which is nobody's answer.
          { action: "decline" };
    say({ type: "control_response", response: { subtype: "success", request_id: id, response } });
  });
}
