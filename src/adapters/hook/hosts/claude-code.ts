// Claude Code, PreToolUse. The one host in which a hook can honour a grant for reading: `allow` for Read, Grep and Glob only.
// `ask` is used where a person is there to be asked; a deny carries the hint to the model and the scope alert beside it.

import {
  CANARY,
  type HookAnswer,
  cut,
  type DecodeResult,
  type HookHost,
  json,
  parseRecord,
  isRecord,
  textOf,
  type ToolOutput,
  type ToolTable,
} from "../host-call.ts";
import { decodeToolCall, endedSession, promptedSession } from "./tool-payload.ts";

const file = { file_path: "read" } as const;
const nothing = {} as const;
const pieces = { old: "old_string", new: "new_string", all: "replace_all" } as const;

const readTool = (): ToolTable => ({ Read: { paths: file, texts: ["pages"], reads: true } });

const fileTools = (): ToolTable => ({
  Grep: {
    paths: { path: "search" },
    here: "search",
    base: ["path"],
    patterns: ["glob"],
    shown: ["glob"],
    texts: ["pattern", "type", "output_mode"],
    reads: true,
    finds: true,
  },
  Glob: { paths: { path: "search" }, here: "search", base: ["path"], patterns: ["pattern"], reads: true },
  LS: { paths: { path: "list" }, here: "list", texts: ["ignore"], reads: true },
  LSP: { paths: { filePath: "read", file_path: "read" }, texts: ["operation", "query"] },
  NotebookRead: { paths: { notebook_path: "read" }, reads: true },
  Write: { paths: { file_path: "replace" }, texts: ["content"], content: { whole: ["content"] } },
  Edit: { paths: { file_path: "replace" }, texts: ["old_string", "new_string"], content: pieces },
  MultiEdit: { paths: { file_path: "replace" }, texts: ["old_string", "new_string"], content: { ...pieces, list: "edits" } },
  NotebookEdit: { paths: { notebook_path: "replace" }, texts: ["new_source"] },
  Bash: { command: "command", texts: ["description"] },
  Monitor: { command: "command", texts: ["description"] },
  PowerShell: { opaque: true, texts: ["command", "description"] },
});

/** Mostly these touch no file by a path of the model's; what looks like a path in them is judged all the same, texts aside. */
const otherTools = (): ToolTable => ({
  Agent: { texts: ["prompt", "description"] },
  Task: { texts: ["prompt", "description"] },
  TaskCreate: { texts: ["subject", "description", "activeForm"] },
  TaskUpdate: { texts: ["subject", "description", "activeForm"] },
  TaskGet: nothing,
  TaskList: nothing,
  TaskOutput: nothing,
  TaskStop: nothing,
  BashOutput: { texts: ["filter"] },
  KillShell: nothing,
  TodoWrite: { texts: ["todos"] },
  TodoRead: nothing,
  WebFetch: { texts: ["prompt"] },
  WebSearch: { texts: ["query"] },
  AskUserQuestion: { texts: ["questions", "answers"] },
  EnterPlanMode: nothing,
  ExitPlanMode: { texts: ["plan"] },
  Skill: { mentions: ["args"] },
  SlashCommand: { mentions: ["command"] },
  ToolSearch: { texts: ["query"] },
  SendMessage: { texts: ["content", "message", "summary"] },
  SubagentHandback: { texts: ["message"] },
  ListAgents: { texts: ["q"] },
  // A report names files and opens none.
  ReportFindings: { texts: ["findings"] },
  ScheduleWakeup: { texts: ["reason"], mentions: ["prompt"] },
  CronCreate: { mentions: ["prompt"] },
  CronDelete: nothing,
  CronList: nothing,
  PushNotification: { texts: ["message"] },
  ReadNotifications: nothing,
  ProposeGoal: { texts: ["condition"] },
  ListMcpResourcesTool: nothing,
  RefreshMcpTools: nothing,
  // Its script has no files of its own: it starts agents, whose calls come here one by one.
  Workflow: { paths: { scriptPath: "read" }, texts: ["script", "title", "description"] },
  EnterWorktree: { paths: { path: "list" } },
  ExitWorktree: nothing,
  // These send files away, so that a right to read is not enough.
  Artifact: {
    paths: { file_path: "replace", file_paths: "replace", out_dir: "replace" },
    texts: ["title", "description", "label", "prompt", "capabilities"],
  },
  Projects: { paths: { local_path: "replace" }, texts: ["path", "content", "query"] },
});

/** The most called first. */
export const claudeTools: HookHost["tools"] = [readTool, fileTools, otherTools];

/** Modes in which a person sees the dialog. In the others an `ask` may be answered by a program, or by nobody. */
const ATTENDED = ["default", "plan", "acceptEdits"];

export const claudeCode = (): HookHost => ({
  name: "claude-code",
  decode: decodeClaude,
  ended: endedSession,
  prompted: promptedSession("UserPromptSubmit"),
  tellsLate: true,
  output: claudeFound,
  canAsk: ({ attended }) => attended,
  tools: claudeTools,
  encode(answer) {
    if (answer.verdict === "pass" && answer.news === undefined) return { exit: 0, stdout: "" };
    return { exit: 0, stdout: json({ hookSpecificOutput: claudeOutput(answer) }) };
  },
  blocks({ exit, stdout }) {
    if (exit === 2) return true;
    return exit === 0 && ["deny", "ask", "defer"].includes(claudeDecision(stdout));
  },
  sample: ({ path, cwd }) => ({
    session_id: CANARY,
    transcript_path: "/dev/null",
    cwd,
    permission_mode: "dontAsk",
    hook_event_name: "PreToolUse",
    tool_name: "Read",
    tool_input: { file_path: path },
    tool_use_id: CANARY,
  }),
});

/** Claude's payload, which VS Code sends too. */
export function decodeClaude(payload: Readonly<Record<string, unknown>>): DecodeResult {
  return decodeToolCall(payload, "PreToolUse", (mode) => mode === null || ATTENDED.includes(mode));
}

/** Its Grep gives one text, or a list of names. */
export function claudeFound(payload: Readonly<Record<string, unknown>>): ToolOutput | null {
  const decoded = decodeToolCall(payload, "PostToolUse", () => true);
  if (!decoded.ok) return null;
  const response = isRecord(payload["tool_response"]) ? payload["tool_response"] : {};
  const content = textOf(response["content"]) ?? "";
  const filenames = Array.isArray(response["filenames"]) ? response["filenames"].filter((name) => typeof name === "string") : [];
  return {
    call: decoded.call,
    texts: [content, filenames.join("\n")],
    nothing: "",
    replaced: ([text = "", names = ""]) => {
      const [lines, list] = [text, names].map((value) => (value === "" ? [] : value.split("\n")));
      const counts = { numFiles: list?.length, numLines: lines?.length, totalLines: lines?.length, numMatches: lines?.length };
      const known = Object.entries(counts).filter(([key]) => typeof response[key] === "number");
      const updatedToolOutput = {
        ...response,
        ...Object.fromEntries(known),
        ...(content === "" ? {} : { content: text }),
        ...(filenames.length === 0 ? {} : { filenames: list }),
      };
      return { exit: 0, stdout: json({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } }) };
    },
  };
}

export function claudeOutput({ verdict, reason, alert, news }: HookAnswer): Readonly<Record<string, unknown>> {
  const beside = [news ?? "", verdict === "allow" ? "" : (alert ?? "")].filter((text) => text !== "").join("\n\n");
  return {
    hookEventName: "PreToolUse",
    ...(verdict === "pass" ? {} : { permissionDecision: verdict, permissionDecisionReason: cut(reason) }),
    ...(beside === "" ? {} : { additionalContext: cut(beside) }),
  };
}

/** The word of an answer in Claude's shape; empty where there is none. */
export function claudeDecision(stdout: string): string {
  const output = parseRecord(stdout)?.["hookSpecificOutput"];
  return isRecord(output) ? (textOf(output["permissionDecision"]) ?? "") : "";
}
