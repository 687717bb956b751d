// A frame made ready for whoever hears it. What a person hears and what an agent hears are made here and nowhere else.

import type { AgentFrame, Frame } from "../../wire/frames.ts";
import { type Packet, packet } from "../packet.ts";
import type { Sink } from "../ports.ts";
import { agentAsk } from "./agent-view.ts";

export function framePacket(frame: Frame): Packet {
  const forAgent = agentFrame(frame);
  const text = JSON.stringify(frame);
  return forAgent === frame ? packet(text) : packet(text, forAgent === null ? null : JSON.stringify(forAgent));
}

/** The frame as an agent hears it; null where it does not. */
function agentFrame(frame: Frame): AgentFrame | null {
  switch (frame.type) {
    case "ask_open":
    case "ask_settled":
      return { ...frame, ask: agentAsk(frame.ask) };
    case "snapshot":
      return { ...frame, asks: frame.asks.map(agentAsk) };
    // Asks of every session: only a person hears of all.
    case "inbox":
      return null;
    case "chat_added":
    case "chat_changed":
    case "chat_deleted":
    case "chat_status":
    case "live":
    case "message":
    case "ping":
    case "problem":
    case "rewound":
    case "session_updated":
    case "text_delta":
    case "tool_call":
    case "tool_delay":
    case "tool_result":
    case "turn_end":
    case "turn_start":
    case "turn_wait":
      return frame;
  }
}

/** An agent's connection: whatever is sent into it, what leaves is what an agent hears. */
export function agentSink(sink: Sink): Sink {
  return {
    ...sink,
    send({ agents }) {
      if (agents !== null) sink.send(agents);
    },
  };
}
