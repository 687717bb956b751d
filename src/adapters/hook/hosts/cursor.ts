// Cursor: `beforeReadFile`, `beforeShellExecution`, `beforeMCPExecution` and `preToolUse`, each with words of its own. Install with
// `failClosed: true`: without it Cursor lets a call go whose hook did not answer.

import {
  CANARY,
  type HookAnswer,
  cut,
  type DecodeResult,
  type HookHost,
  inputOf,
  isRecord,
  json,
  parseRecord,
  textOf,
  type ToolTable,
} from "../host-call.ts";

const pieces = { old: "old_string", new: "new_string", all: "replace_all" } as const;

const tools = (): ToolTable => ({
  beforeReadFile: { paths: { file_path: "read" }, texts: ["content"], reads: true },
  beforeShellExecution: { command: "command" },
  Read: { paths: { file_path: "read", path: "read", target_file: "read" }, reads: true },
  Write: {
    paths: { file_path: "replace", path: "replace", target_file: "replace" },
    texts: ["content", "contents", "code_edit"],
    content: { whole: ["content", "contents"] },
  },
  Edit: { paths: { file_path: "replace", path: "replace", target_file: "replace" }, texts: ["old_string", "new_string"], content: pieces },
  StrReplace: { paths: { file_path: "replace", path: "replace" }, texts: ["old_string", "new_string"], content: pieces },
  Delete: { paths: { file_path: "remove", path: "remove", target_file: "remove" } },
  Grep: {
    paths: { path: "search" },
    here: "search",
    base: ["path"],
    patterns: ["glob"],
    shown: ["glob"],
    texts: ["pattern", "type"],
    reads: true,
  },
  Glob: {
    paths: { path: "search", target_directory: "search" },
    here: "search",
    base: ["target_directory", "path"],
    patterns: ["pattern", "glob_pattern"],
    reads: true,
  },
  LS: { paths: { path: "list", target_directory: "list" }, here: "list", reads: true },
  SemanticSearch: { paths: { target_directories: "search" }, texts: ["query", "explanation"] },
  Shell: { command: "command", base: ["working_directory"], texts: ["description"] },
  Task: { paths: { attachments: "read" }, texts: ["prompt", "description"] },
  TodoWrite: { texts: ["todos"] },
  WebFetch: {},
  WebSearch: { texts: ["search_term", "query"] },
  ReadLints: { paths: { paths: "read" } },
});

export const cursor = (): HookHost => ({
  name: "cursor",
  decode,
  ended: (payload) => (payload["hook_event_name"] === "sessionEnd" ? textOf(payload["conversation_id"]) || null : null),
  canAsk: ({ event, attended }) => attended && (event === "beforeShellExecution" || event === "beforeMCPExecution"),
  tools: [tools],
  encode(answer, { event }) {
    const { verdict, reason } = answer;
    // Only beforeReadFile is answered with a yes: it has no other word for going on. For a command a yes could skip Cursor's own question.
    if (verdict === "pass" || verdict === "allow")
      return { exit: 0, stdout: event === "beforeReadFile" ? json({ permission: "allow" }) : "{}\n" };
    if (event === "beforeReadFile") return { exit: 0, stdout: json({ permission: "deny", user_message: whole(answer) }) };
    const reply = { permission: verdict, user_message: cut(reason, 2_000), agent_message: whole(answer) };
    // Two public descriptions of preToolUse differ in their words; both are said.
    return { exit: 0, stdout: json(event === "preToolUse" ? { decision: verdict, reason: whole(answer), ...reply } : reply) };
  },
  blocks({ exit, stdout }) {
    if (exit === 2) return true;
    const answer = parseRecord(stdout);
    return exit === 0 && (answer?.["permission"] === "deny" || answer?.["permission"] === "ask");
  },
  sample: ({ path, cwd }) => ({
    conversation_id: CANARY,
    generation_id: CANARY,
    model: "none",
    hook_event_name: "beforeReadFile",
    cursor_version: "0",
    workspace_roots: [cwd],
    file_path: path,
    content: "",
    attachments: [],
  }),
});

const whole = ({ reason, alert }: HookAnswer): string => cut(alert === null ? reason : `${reason}\n\n${alert}`);

function decode(payload: Readonly<Record<string, unknown>>): DecodeResult {
  const event = textOf(payload["hook_event_name"]);
  const shared = {
    sessionId: textOf(payload["conversation_id"]) ?? "",
    callId: textOf(payload["tool_use_id"]),
    agentId: textOf(payload["subagent_id"]),
    agentType: textOf(payload["subagent_type"]),
    cwd: textOf(payload["cwd"]),
    attended: true,
  };
  if (event === "beforeReadFile") {
    const { file_path, attachments = [] } = payload;
    if (typeof file_path !== "string" || file_path === "") return { ok: false, why: "the payload names no file" };
    // Files that go along with it are read as well. A yes is said aloud here, so one in a form that is not known stops the call.
    const beside = attachedPaths(attachments);
    if (beside === null) return { ok: false, why: "the payload holds an attachment in a form this hook does not know" };
    return { ok: true, call: { event, tool: event, input: { file_path: [file_path, ...beside] }, ...shared } };
  }
  if (event === "beforeShellExecution") {
    const command = textOf(payload["command"]);
    if (command === null) return { ok: false, why: "the payload holds no command" };
    return { ok: true, call: { event, tool: event, input: { command }, ...shared } };
  }
  if (event !== "preToolUse" && event !== "beforeMCPExecution")
    return { ok: false, why: "the payload is of an event this hook does not know" };
  const tool = textOf(payload["tool_name"]);
  const input = inputOf(payload["tool_input"]);
  if (tool === null || tool === "" || input === null) return { ok: false, why: "the payload names no tool, or no input for it" };
  return {
    ok: true,
    call: {
      event,
      tool: event === "beforeMCPExecution" && !tool.includes("__") ? `mcp__${server(payload)}__${tool}` : tool,
      input,
      ...shared,
    },
  };
}

/** Every string that an attachment says under a name of a path, or is; null where one says none. */
function attachedPaths(attachments: unknown): readonly string[] | null {
  if (attachments === undefined || attachments === null) return [];
  if (!Array.isArray(attachments)) return null;
  const list: readonly unknown[] = attachments;
  const paths: string[] = [];
  for (const item of list) {
    const named = typeof item === "string" ? [item] : isRecord(item) ? PATH_KEYS.flatMap((key) => item[key] ?? []) : [];
    if (named.length === 0 || !named.every((path) => typeof path === "string" && path !== "")) return null;
    paths.push(...named.filter((path) => typeof path === "string"));
  }
  return paths;
}

const PATH_KEYS = ["file_path", "filePath", "path", "fsPath", "uri", "file", "target_file", "directory", "folder"];

/** The name of the MCP server as far as the payload tells it; it is only used to know our own. */
const server = (payload: Readonly<Record<string, unknown>>): string =>
  textOf(payload["server_name"]) ?? textOf(payload["server"]) ?? "unnamed";
