// What happens in a chat, as an editor hears of it: text as it comes, calls with their kind, place and end.

import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { wordRefusal } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import type { WireCall, WireMessage } from "../../wire/values.ts";

/** One call as it begins. */
export function callUpdate({ id, name, kind, input, state }: WireCall): SessionUpdate {
  const path = pathIn(input);
  return {
    sessionUpdate: "tool_call",
    toolCallId: id,
    title: path === null ? name : `${name} ${show(path)}`,
    kind: kind ?? "other",
    status: state.at === "done" ? (state.outcome.ok ? "completed" : "failed") : "in_progress",
    rawInput: input,
    ...(path?.startsWith("/") === true ? { locations: [{ path }] } : {}),
    ...(state.at === "done" ? { content: contentOf(state.outcome) } : {}),
  };
}

type Outcome = Extract<WireCall["state"], { at: "done" }>["outcome"];

export function resultUpdate(id: string, outcome: Outcome): SessionUpdate {
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: id,
    status: outcome.ok ? "completed" : "failed",
    content: contentOf(outcome),
  };
}

/** A message of the past, for an editor that opens a chat again. */
export function replayOf(message: WireMessage): readonly SessionUpdate[] {
  switch (message.role) {
    case "person":
      return [textUpdate("user_message_chunk", message.text)];
    case "agent":
      return [
        ...(message.text === "" ? [] : [textUpdate("agent_message_chunk", message.text)]),
        ...(message.error === null ? [] : [textUpdate("agent_message_chunk", message.error)]),
        ...message.calls.map(callUpdate),
      ];
    case "reminder":
    case "summary":
      return [];
  }
}

export function textUpdate(sessionUpdate: "user_message_chunk" | "agent_message_chunk", text: string): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

/** As much of an output as an editor shows; the agent has all of it. */
const SHOWN = 20_000;

function contentOf(outcome: Outcome): ToolCallContent[] {
  const text = outcome.ok ? outcome.output : wordRefusal(outcome.code, outcome.hint);
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… (${text.length - SHOWN} more characters)` : text;
  return [{ type: "content", content: { type: "text", text: cut } }];
}

function pathIn(input: unknown): string | null {
  return typeof input === "object" && input !== null && "path" in input && typeof input.path === "string" ? input.path : null;
}
