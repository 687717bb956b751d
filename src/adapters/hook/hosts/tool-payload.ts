// The payload that several hosts send alike: the event, the tool, its input, and who calls it.

import { type DecodeResult, type HookHost, inputOf, textOf } from "../host-call.ts";

/** `attended`: can somebody answer the host's own dialog, by the mode the payload names (null where it names none)? */
export function decodeToolCall(
  payload: Readonly<Record<string, unknown>>,
  expected: "PreToolUse" | "PostToolUse" | "BeforeTool" | "AfterTool",
  attended: (mode: string | null) => boolean,
): DecodeResult {
  const tool = textOf(payload["tool_name"]);
  const input = inputOf(payload["tool_input"]);
  const event = textOf(payload["hook_event_name"]);
  if (event !== expected) return { ok: false, why: `the payload is not of a ${expected} event` };
  if (tool === null || tool === "" || input === null) return { ok: false, why: "the payload names no tool, or no input for it" };
  return {
    ok: true,
    call: {
      event,
      tool,
      input,
      sessionId: textOf(payload["session_id"]) ?? "",
      callId: textOf(payload["tool_use_id"]),
      agentId: textOf(payload["agent_id"]),
      agentType: textOf(payload["agent_type"]),
      cwd: textOf(payload["cwd"]),
      attended: attended(textOf(payload["permission_mode"])),
    },
  };
}

/** The session that a SessionEnd event names; null for every other event, and for one that names none. */
export function endedSession(payload: Readonly<Record<string, unknown>>): string | null {
  const session = textOf(payload["session_id"]);
  return textOf(payload["hook_event_name"]) === "SessionEnd" && session !== "" ? session : null;
}

/** The session that an event names which comes before each of a person's messages; null for every other event. */
export const promptedSession =
  (expected: "UserPromptSubmit" | "BeforeAgent"): NonNullable<HookHost["prompted"]> =>
  (payload) => {
    const sessionId = textOf(payload["session_id"]);
    const event = textOf(payload["hook_event_name"]);
    return event === expected && sessionId !== null && sessionId !== "" ? { sessionId, event } : null;
  };

/** Nobody can be asked from this hook, whatever the payload says. */
export const nobody = (): boolean => false;
