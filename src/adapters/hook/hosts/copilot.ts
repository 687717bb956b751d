// GitHub Copilot CLI (`preToolUse`) and VS Code (`PreToolUse`): two shapes of payload, told apart by their keys, each answered in its
// own. Any exit but 0 denies in the CLI; in VS Code exit 2 does.

import {
  CANARY,
  type HookAnswer,
  cut,
  type DecodeResult,
  type HookHost,
  type HostCall,
  inputOf,
  json,
  parseRecord,
  isRecord,
  textOf,
  type ToolTable,
  type ToolUse,
} from "../host-call.ts";
import { claudeDecision, claudeFound, claudeOutput, claudeTools, decodeClaude } from "./claude-code.ts";
import { endedSession } from "./tool-payload.ts";

/** `rg` is the newer name of `grep`. */
const searching = {
  paths: { path: "search", paths: "search" },
  here: "search",
  base: ["path", "paths"],
  patterns: ["glob"],
  shown: ["glob"],
  texts: ["pattern", "type"],
  reads: true,
  finds: true,
} as const satisfies ToolUse;

const pieces = { old: "old_str", new: "new_str" } as const;
const codePieces = { old: "oldString", new: "newString" } as const;

const cli = (): ToolTable => ({
  view: { paths: { path: "read" }, texts: ["view_range"], reads: true },
  create: { paths: { path: "replace" }, texts: ["file_text"], content: { whole: ["file_text"] } },
  edit: { paths: { path: "replace" }, texts: ["old_str", "new_str"], content: pieces },
  str_replace: { paths: { path: "replace" }, texts: ["old_str", "new_str"], content: pieces },
  str_replace_editor: { paths: { path: "replace" }, texts: ["command", "old_str", "new_str", "file_text", "insert_line"] },
  apply_patch: { patch: ["patch", "input"], texts: ["explanation"] },
  grep: searching,
  rg: searching,
  glob: { paths: { path: "search", paths: "search" }, here: "search", base: ["path", "paths"], patterns: ["pattern"], reads: true },
  bash: { command: "command", texts: ["description"] },
  read_bash: {},
  write_bash: { opaque: true, texts: ["input"] },
  stop_bash: {},
  list_bash: {},
  powershell: { opaque: true, texts: ["command", "description"] },
  task: { texts: ["prompt", "description"] },
  update_todo: { texts: ["todos"] },
  report_intent: { texts: ["intent"] },
  web_fetch: {},
  web_search: { texts: ["query"] },
  ask_user: { texts: ["question", "choices"] },
});

/** VS Code's own names, beside Claude's. */
const code = (): ToolTable => ({
  read_file: { paths: { filePath: "read", file_path: "read", path: "read" }, reads: true },
  list_dir: { paths: { path: "list" }, here: "list", reads: true },
  file_search: { patterns: ["query"], here: "search", reads: true },
  grep_search: { patterns: ["includePattern"], shown: ["includePattern"], here: "search", texts: ["query"], reads: true },
  semantic_search: { texts: ["query"] },
  create_file: { paths: { filePath: "replace" }, texts: ["content"], content: { whole: ["content"] } },
  create_directory: { paths: { dirPath: "create" } },
  replace_string_in_file: { paths: { filePath: "replace" }, texts: ["oldString", "newString", "explanation"], content: codePieces },
  multi_replace_string_in_file: {
    texts: ["oldString", "newString", "explanation"],
    content: { ...codePieces, list: "replacements", path: "filePath" },
  },
  insert_edit_into_file: { paths: { filePath: "replace" }, texts: ["code", "explanation"] },
  run_in_terminal: { command: "command", texts: ["explanation", "goal"] },
  manage_todo_list: { texts: ["todoList"] },
});

export const copilot = (): HookHost => ({
  name: "copilot",
  decode(payload) {
    return textOf(payload["toolName"]) === null ? decodeClaude(payload) : decodeCli(payload);
  },
  ended: (payload) => endedSession(payload) ?? endedCli(payload),
  output(payload) {
    // VS Code's; of its own search nothing is known that a hook could put in its place.
    if (textOf(payload["hook_event_name"]) === "PostToolUse") return claudeFound(payload);
    const result = payload["toolResult"];
    const decoded = isRecord(result) ? decodeCli(payload) : null;
    if (!isRecord(result) || decoded?.ok !== true) return null;
    const text = textOf(result["textResultForLlm"]);
    return {
      call: decoded.call,
      texts: text === null ? [] : [text],
      nothing: "No matches found.",
      replaced: ([rest = ""]) => ({ exit: 0, stdout: json({ modifiedResult: { ...result, textResultForLlm: rest } }) }),
    };
  },
  canAsk: ({ attended }) => attended,
  // VS Code reads the same file, and is not known to take the time that is written there for the CLI.
  waits: ({ event }) => event === "preToolUse",
  tools: [cli, code, ...claudeTools],
  encode(answer, call, start = null) {
    const led = answer.verdict === "deny" || start === null ? {} : ledBy(start, call);
    // A grant is honoured by our own tools: what an explicit yes would skip here besides its own question is not known.
    if (answer.verdict === "pass" || answer.verdict === "allow") return { exit: 0, stdout: json(led) };
    const output = { ...flat(answer), ...led };
    return {
      exit: 0,
      stdout: json(call.event === "preToolUse" ? output : { ...output, hookSpecificOutput: claudeOutput(answer) }),
    };
  },
  blocks({ exit, stdout }) {
    if (exit !== 0) return exit !== null;
    const verdicts = [parseRecord(stdout)?.["permissionDecision"], claudeDecision(stdout)];
    return verdicts.some((word) => word === "deny" || word === "ask");
  },
  sample: ({ path, cwd }) => ({ sessionId: CANARY, timestamp: 0, cwd, toolName: "view", toolArgs: { path } }),
});

/** The arguments with our line before the command. Only the CLI takes them, and only its bash has one. */
function ledBy(start: string, { event, tool, input }: HostCall): Readonly<Record<string, unknown>> {
  const command = event === "preToolUse" && tool === "bash" ? textOf(input["command"]) : null;
  return command === null ? {} : { modifiedArgs: { ...input, command: `${start}\n${command}` } };
}

/** The CLI names no event: an end is what names a reason for one, and no tool. */
function endedCli(payload: Readonly<Record<string, unknown>>): string | null {
  const keys = Object.keys(payload);
  const isEnd = keys.every((key) => ["sessionId", "timestamp", "cwd", "reason"].includes(key)) && textOf(payload["reason"]) !== null;
  return isEnd ? textOf(payload["sessionId"]) || null : null;
}

function decodeCli(payload: Readonly<Record<string, unknown>>): DecodeResult {
  const tool = textOf(payload["toolName"]);
  const input = inputOf(payload["toolArgs"]);
  if (tool === null || tool === "" || input === null) return { ok: false, why: "the payload names no tool, or no arguments for it" };
  const agent = isRecord(payload["agent"]) ? payload["agent"] : {};
  return {
    ok: true,
    call: {
      event: "preToolUse",
      tool,
      input,
      sessionId: textOf(payload["sessionId"]) ?? "",
      callId: textOf(payload["toolCallId"]),
      agentId: textOf(payload["agentId"]) ?? textOf(agent["id"]),
      agentType: textOf(payload["agentType"]) ?? textOf(agent["name"]),
      cwd: textOf(payload["cwd"]),
      attended: true,
    },
  };
}

/** `ask` is a deny where the agent runs in the cloud, which is what it should be. */
function flat({ verdict, reason, alert }: HookAnswer): Readonly<Record<string, unknown>> {
  return { permissionDecision: verdict, permissionDecisionReason: cut(alert === null ? reason : `${reason}\n\n${alert}`) };
}
