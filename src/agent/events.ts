// What happens in a chat, told as it happens: noun, then verb. For screens and sockets; nothing depends on anybody listening.

import type { AskId, CallId, GrantId } from "../core/names.ts";
import type { StoredAnswer, StoredAsk } from "./ports.ts";
import type { ChatStatus, Outcome, Usage } from "./transcript.ts";

export type AgentEvent =
  | { readonly type: "turn-start"; readonly chat: string; readonly message: string }
  | { readonly type: "text-delta"; readonly chat: string; readonly message: string; readonly text: string }
  | { readonly type: "turn-end"; readonly chat: string; readonly message: string; readonly usage: Usage | null }
  | { readonly type: "call-start"; readonly chat: string; readonly call: CallId; readonly name: string; readonly input: unknown }
  | { readonly type: "call-end"; readonly chat: string; readonly call: CallId; readonly outcome: Outcome }
  | { readonly type: "ask-open"; readonly chat: string; readonly ask: StoredAsk }
  | { readonly type: "ask-settled"; readonly chat: string; readonly ask: AskId; readonly answer: StoredAnswer | null }
  | { readonly type: "grant-start"; readonly chat: string; readonly grant: GrantId; readonly path: string }
  | { readonly type: "status-change"; readonly chat: string; readonly status: ChatStatus; readonly why: string };

export type Listener = (event: AgentEvent) => void;
