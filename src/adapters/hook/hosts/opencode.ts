// opencode, by our plugin in it: the plugin sends what `tool.execute.before` was given and takes one object back. The words are our own, so
// that there is no other reading of them: `pass` and `allow` let the call go, everything else makes the plugin throw, which blocks.

import { CANARY, cut, type DecodeResult, type HookHost, inputOf, json, parseRecord, textOf, type ToolTable } from "../host-call.ts";

const reading = { filePath: "read", path: "read" } as const;
const writing = { filePath: "replace", path: "replace" } as const;

const pieces = { old: "oldString", new: "newString", all: "replaceAll" } as const;

const tools = (): ToolTable => ({
  read: { paths: reading, reads: true },
  list: { paths: { path: "list" }, here: "list", texts: ["ignore"], reads: true },
  grep: {
    paths: { path: "search" },
    here: "search",
    base: ["path"],
    patterns: ["include"],
    shown: ["include"],
    texts: ["pattern"],
    reads: true,
    finds: true,
  },
  glob: { paths: { path: "search" }, here: "search", base: ["path"], patterns: ["pattern"], reads: true },
  lsp: { paths: reading, texts: ["operation", "query"] },
  write: { paths: writing, texts: ["content"], content: { whole: ["content"] } },
  edit: { paths: writing, texts: ["oldString", "newString"], content: pieces },
  multiedit: { paths: writing, texts: ["oldString", "newString"], content: { ...pieces, list: "edits" } },
  patch: { patch: ["patchText", "patch"] },
  apply_patch: { patch: ["patchText", "patch"] },
  bash: { command: "command", base: ["workdir"], texts: ["description"] },
  shell: { command: "command", base: ["workdir"], texts: ["description"] },
  task: { texts: ["description", "command"], mentions: ["prompt"] },
  todowrite: { texts: ["todos"] },
  todoread: {},
  webfetch: {},
  websearch: { texts: ["query"] },
  codesearch: { texts: ["query"] },
  question: { texts: ["questions"] },
  skill: { texts: ["name"] },
  invalid: { texts: ["tool", "error"] },
  plan_enter: {},
  plan_exit: {},
});

export const opencode = (): HookHost => ({
  name: "opencode",
  decode: (payload) => decodeEvent(payload, "tool.execute.before"),
  ended: (payload) => (payload["event"] === "session.deleted" ? textOf(payload["session"]) || null : null),
  output(payload) {
    const decoded = decodeEvent(payload, "tool.execute.after");
    if (!decoded.ok) return null;
    const text = textOf(payload["output"]);
    return {
      call: decoded.call,
      texts: text === null ? [] : [text],
      nothing: "No files found",
      replaced: ([rest = ""]) => ({ exit: 0, stdout: json({ output: rest }) }),
    };
  },
  canAsk: () => false,
  tools: [tools],
  encode({ verdict, reason, alert }) {
    if (verdict === "pass" || verdict === "allow") return { exit: 0, stdout: json({ decision: verdict }) };
    return { exit: 0, stdout: json({ decision: "deny", reason: cut(alert === null ? reason : `${reason}\n\n${alert}`) }) };
  },
  blocks({ exit, stdout }) {
    const decision = parseRecord(stdout)?.["decision"];
    return exit !== 0 || (decision !== "pass" && decision !== "allow");
  },
  sample: ({ path }) => ({
    event: "tool.execute.before",
    tool: "read",
    args: { filePath: path },
    session: CANARY,
    call: CANARY,
  }),
});

function decodeEvent(payload: Readonly<Record<string, unknown>>, expected: string): DecodeResult {
  const tool = textOf(payload["tool"]);
  const input = inputOf(payload["args"]);
  const event = textOf(payload["event"]);
  if (event !== expected) return { ok: false, why: `the payload is not of a \`${expected}\`` };
  if (tool === null || tool === "" || input === null) return { ok: false, why: "the payload names no tool, or no arguments for it" };
  return {
    ok: true,
    call: {
      event,
      // It calls a server's tool by both names with `_` between them; elsewhere such a name could be anybody's.
      tool: tool.startsWith("hallpass_") ? `mcp__hallpass__${tool.slice("hallpass_".length)}` : tool,
      input,
      sessionId: textOf(payload["session"]) ?? "",
      callId: textOf(payload["call"]),
      agentId: textOf(payload["agent"]),
      agentType: null,
      cwd: null,
      attended: false,
    },
  };
}
