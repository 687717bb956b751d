// Codex, PreToolUse. It takes one blocking answer of ours: `deny` with a reason, and no field it does not know. `ask`, a bare `allow`
// and anything else make the hook a failed one, and then the tool runs; so what would be asked is denied, and `pass` is silence.

import { CANARY, cut, type HookHost, json, parseRecord, isRecord, textOf, type ToolTable } from "../host-call.ts";
import { quoteForShell } from "../shell-quote.ts";
import { decodeToolCall, endedSession, nobody, promptedSession } from "./tool-payload.ts";

const tools = (): ToolTable => ({
  Bash: { command: "command", texts: ["description", "justification"] },
  apply_patch: { patch: ["command", "input", "patch"] },
  view_image: { paths: { path: "read" } },
  // Its items may be files to go along (`{"type":"local_image","path":…}`); the texts in them are texts.
  spawn_agent: { texts: ["message", "prompt", "task_name", "text"], reads: true },
  send_input: { texts: ["message", "text"], reads: true },
  wait: {},
  wait_agent: {},
  close_agent: {},
  resume_agent: {},
  list_agents: {},
  interrupt_agent: {},
  send_message: { texts: ["message", "text"], reads: true },
  followup_task: { texts: ["message", "text"], reads: true },
  tool_search: { texts: ["query"] },
  list_mcp_resources: {},
  list_mcp_resource_templates: {},
  update_plan: { texts: ["explanation", "plan"] },
  web_search: { texts: ["query", "queries"] },
  request_user_input: { texts: ["questions"] },
});

const FIELDS = ["hookEventName", "permissionDecision", "permissionDecisionReason"];

export const codex = (): HookHost => ({
  name: "codex",
  // The person's dialog cannot be opened from a hook.
  decode: (payload) => decodeToolCall(payload, "PreToolUse", nobody),
  ended: endedSession,
  prompted: promptedSession("UserPromptSubmit"),
  tellsLate: true,
  canAsk: () => false,
  tools: [tools],
  encode({ verdict, reason, alert, news }) {
    if (verdict === "pass" || verdict === "allow") {
      const beside = { hookEventName: "PreToolUse", additionalContext: cut(news ?? "") };
      return { exit: 0, stdout: news === undefined ? "" : json({ hookSpecificOutput: beside }) };
    }
    // There is no field beside a deny, so everything stands in the reason.
    const message = cut([reason, news, alert].filter((text) => text !== undefined && text !== null).join("\n\n"));
    const output = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: message };
    return { exit: 0, stdout: json({ hookSpecificOutput: output }) };
  },
  blocks({ exit, stdout, stderr }) {
    if (exit === 2) return stderr.trim() !== "";
    if (exit !== 0) return false;
    const answer = parseRecord(stdout);
    if (answer === null) return false;
    if (answer["decision"] === "block") return (textOf(answer["reason"]) ?? "").trim() !== "";
    const output = answer["hookSpecificOutput"];
    if (!isRecord(output) || Object.keys(answer).length > 1) return false;
    const known = Object.keys(output).every((key) => FIELDS.includes(key));
    return known && output["permissionDecision"] === "deny" && (textOf(output["permissionDecisionReason"]) ?? "").trim() !== "";
  },
  sample: ({ path, cwd }) => ({
    session_id: CANARY,
    turn_id: "1",
    transcript_path: null,
    cwd,
    hook_event_name: "PreToolUse",
    model: "none",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command: `cat ${quoteForShell(path)}` },
    tool_use_id: CANARY,
  }),
});
