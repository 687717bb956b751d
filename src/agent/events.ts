// What happens in a chat and no row says: told as it happens, for screens and sockets. Whatever is stored is heard from the store.

import type { Delay } from "../sandbox/port.ts";
import type { ChatStatus, ModelFaultKind } from "./transcript.ts";

/** Something that happened and is not stored: text as the model says it, for example. */
export type AgentEvent =
  | { readonly type: "turn-start"; readonly chat: string; readonly message: string }
  | { readonly type: "text-delta"; readonly chat: string; readonly message: string; readonly text: string }
  /** The service did not take the turn, and it is tried again at that time. */
  | { readonly type: "turn-wait"; readonly chat: string; readonly message: string; readonly kind: ModelFaultKind; readonly until: number }
  /** Why a command cannot begin yet; null when that is over. Only where it takes a second or more. */
  | { readonly type: "call-delay"; readonly chat: string; readonly call: string; readonly delay: Delay | null }
  | { readonly type: "status-change"; readonly chat: string; readonly status: ChatStatus; readonly why: string };

/** Told of every event, in order. */
export type Listener = (event: AgentEvent) => void;
