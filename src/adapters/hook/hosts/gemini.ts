// Gemini CLI, BeforeTool. Its own path check has run before the hook, so a hook can stop and never widen: a grant is honoured by our
// own tools alone. `decision: "ask"` would hang a run with nobody there, and the payload does not tell, so what would be asked is denied.

import { CANARY, cut, type HookHost, isRecord, json, parseRecord, textOf, type ToolTable } from "../host-call.ts";
import { decodeToolCall, endedSession, nobody, promptedSession } from "./tool-payload.ts";

const tools = (): ToolTable => ({
  read_file: { paths: { file_path: "read", absolute_path: "read", path: "read" }, reads: true },
  read_many_files: { patterns: ["include", "paths"], shown: ["include", "paths"], texts: ["exclude"], here: "search", reads: true },
  list_directory: { paths: { dir_path: "list", path: "list" }, here: "list", texts: ["ignore"], reads: true },
  glob: { paths: { dir_path: "search", path: "search" }, here: "search", base: ["dir_path", "path"], patterns: ["pattern"], reads: true },
  grep_search: {
    paths: { dir_path: "search", path: "search" },
    here: "search",
    base: ["dir_path", "path"],
    patterns: ["include", "include_pattern", "glob"],
    shown: ["include", "include_pattern", "glob"],
    texts: ["pattern", "exclude_pattern"],
    reads: true,
    finds: true,
  },
  search_file_content: {
    paths: { dir_path: "search", path: "search" },
    here: "search",
    base: ["dir_path", "path"],
    patterns: ["include"],
    shown: ["include"],
    texts: ["pattern"],
    reads: true,
    finds: true,
  },
  run_shell_command: { command: "command", base: ["dir_path"], texts: ["description"] },
  write_file: { paths: { file_path: "replace" }, texts: ["content"], content: { whole: ["content"] } },
  replace: {
    paths: { file_path: "replace" },
    texts: ["old_string", "new_string", "instruction"],
    content: { old: "old_string", new: "new_string", all: "allow_multiple" },
  },
  web_fetch: { texts: ["prompt"] },
  google_web_search: { texts: ["query"] },
  save_memory: { texts: ["fact"] },
  write_todos: { texts: ["todos"] },
  ask_user: { texts: ["questions"] },
  enter_plan_mode: { texts: ["reason"] },
  exit_plan_mode: { paths: { plan_path: "read" } },
  activate_skill: { texts: ["name"] },
  invoke_agent: { texts: ["prompt"] },
  complete_task: { texts: ["result", "report"] },
  update_topic: { texts: ["title", "summary", "strategic_intent"] },
  list_mcp_resources: {},
  get_internal_docs: { paths: { path: "read" } },
  tracker_create_task: { texts: ["title", "description"] },
  tracker_update_task: { texts: ["title", "description"] },
  tracker_get_task: {},
  tracker_list_tasks: {},
  tracker_add_dependency: {},
  tracker_visualize: {},
});

export const gemini = (): HookHost => ({
  name: "gemini",
  decode: (payload) => decodeToolCall(payload, "BeforeTool", nobody),
  ended: endedSession,
  prompted: promptedSession("BeforeAgent"),
  output(payload) {
    const decoded = decodeToolCall(payload, "AfterTool", nobody);
    if (!decoded.ok) return null;
    const response = isRecord(payload["tool_response"]) ? payload["tool_response"] : {};
    const text = textOf(response["llmContent"]);
    return {
      call: decoded.call,
      texts: text === null ? [] : [text],
      nothing: "No matches found.",
      // It takes no other output, but a reason for keeping one back, which it gives to the model in its place.
      replaced: ([rest = ""]) => ({ exit: 0, stdout: json({ decision: "deny", reason: rest }) }),
    };
  },
  canAsk: () => false,
  tools: [tools],
  encode({ verdict, reason, alert }) {
    if (verdict === "pass" || verdict === "allow") return { exit: 0, stdout: "{}\n" };
    return { exit: 0, stdout: json({ decision: "deny", reason: cut(alert === null ? reason : `${reason}\n\n${alert}`) }) };
  },
  blocks({ exit, stdout }) {
    // A missing command blocks too; what a signal ended is taken for one that does not.
    if (exit === 2 || exit === 127) return true;
    const decision = parseRecord(stdout)?.["decision"];
    return (exit === 0 || exit === 1) && (decision === "deny" || decision === "block");
  },
  sample: ({ path, cwd }) => ({
    session_id: CANARY,
    transcript_path: "",
    cwd,
    hook_event_name: "BeforeTool",
    timestamp: "1970-01-01T00:00:00.000Z",
    tool_name: "read_file",
    tool_input: { file_path: path },
  }),
});
