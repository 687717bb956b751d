// A chat as a person sees it: frames in, entries out. Pure, and the same frame twice makes no difference, so that a snapshot after a
// lost connection needs no care. Entries keep their order; a settled one never changes again.

import type { Frame } from "../wire/frames.ts";
import type { WireAsk, WireCall, WireDelay, WireFaultKind, WireChat, WireMessage, WireSession } from "../wire/values.ts";

export type ConversationEntry =
  | { readonly kind: "person"; readonly id: string; readonly text: string }
  | { readonly kind: "agent"; readonly id: string; readonly text: string; readonly done: boolean; readonly error: string | null }
  | { readonly kind: "reminder"; readonly id: string; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly call: WireCall }
  | { readonly kind: "ask"; readonly id: string; readonly ask: WireAsk }
  /** What this program says itself. */
  | { readonly kind: "note"; readonly id: string; readonly text: string; readonly tone: "plain" | "good" | "bad" | "dim" };

export interface TerminalConversation {
  readonly chat: WireChat | null;
  readonly session: WireSession | null;
  readonly entries: readonly ConversationEntry[];
  readonly status: WireChat["status"];
  readonly earlier: boolean;
  /** The model's service did not take the turn, and it is tried again then. */
  readonly retry?: { readonly kind: WireFaultKind; readonly until: number } | null;
  /** Why a command that was called has not begun. */
  readonly delay?: WireDelay | null;
}

export const emptyConversation: TerminalConversation = { chat: null, session: null, entries: [], status: "idle", earlier: false };

export function withFrame(before: TerminalConversation, frame: Frame): TerminalConversation {
  switch (frame.type) {
    case "snapshot": {
      let now: TerminalConversation = {
        ...before,
        chat: frame.chat,
        session: frame.session,
        status: frame.chat.status,
        earlier: frame.earlier,
      };
      for (const message of frame.messages) now = withMessage(now, message);
      for (const ask of frame.asks) now = putEntry(now, { kind: "ask", id: `ask:${ask.id}`, ask });
      return now;
    }
    case "message":
      return withMessage(before, frame.message);
    case "turn_start":
      return { ...before, retry: null, delay: null };
    case "turn_wait":
      return { ...before, retry: { kind: frame.kind, until: frame.until } };
    case "text_delta": {
      const known = before.entries.find(({ id }) => id === frame.message);
      if (known?.kind === "agent" && known.done) return before;
      const text = known?.kind === "agent" ? known.text + frame.text : frame.text;
      return putEntry({ ...before, retry: null }, { kind: "agent", id: frame.message, text, done: false, error: null });
    }
    case "turn_end": {
      const known = before.entries.find(({ id }) => id === frame.message);
      const after = { ...before, retry: null };
      return known?.kind === "agent" ? putEntry(after, { ...known, done: true }) : after;
    }
    case "tool_call":
      return putEntry(endTurn(before, frame.message), { kind: "call", id: `call:${frame.call.id}`, call: frame.call });
    case "tool_delay":
      return { ...before, delay: frame.delay };
    case "tool_result": {
      const known = before.entries.find(({ id }) => id === `call:${frame.call}`);
      if (known?.kind !== "call") return before;
      return putEntry(before, { ...known, call: { ...known.call, state: { at: "done", outcome: frame.outcome } } });
    }
    case "ask_open":
    case "ask_settled":
      return putEntry(before, { kind: "ask", id: `ask:${frame.ask.id}`, ask: frame.ask });
    case "session_updated":
      return before.session === null || before.session.id === frame.session.id ? { ...before, session: frame.session } : before;
    case "chat_changed":
      return before.chat?.id === frame.chat.id ? { ...before, chat: frame.chat } : before;
    case "chat_status":
      return before.chat !== null && before.chat.id !== frame.chat ? before : { ...before, status: frame.status };
    case "rewound":
      return rewound(before, frame.messages, frame.asks);
    case "chat_deleted":
      return before.chat?.id === frame.chat ? { ...withNote(before, `deleted:${frame.chat}`, DELETED, "bad"), status: "archived" } : before;
    case "inbox":
    case "chat_added":
    case "live":
    case "ping":
    case "problem":
      return before;
  }
}

const DELETED = "this chat was deleted; /quit quits";
const REWOUND = "rewound: the newest messages above no longer count, and the agent does not see them; grants stay";

/** What is on the screen stays there: that it no longer counts is told below it. What is not yet there goes. */
function rewound(before: TerminalConversation, messages: readonly string[], asks: readonly string[]): TerminalConversation {
  const [first] = messages;
  if (first === undefined || !before.entries.some(({ id }) => id === first)) return before;
  const removedIds = new Set([...messages, ...asks.map((ask) => `ask:${ask}`)]);
  const entries = before.entries.filter((entry) => isSettled(entry) || !removedIds.has(entry.id));
  return withNote({ ...before, entries, retry: null }, `rewound:${first}`, REWOUND, "dim");
}

/** Something of this program's own among the entries. */
export function withNote(
  before: TerminalConversation,
  id: string,
  text: string,
  tone: "plain" | "good" | "bad" | "dim",
): TerminalConversation {
  return putEntry(before, { kind: "note", id, text, tone });
}

/** The asks of this conversation that wait for a person, oldest first. */
export function openAsks({ entries }: TerminalConversation): readonly WireAsk[] {
  return entries.flatMap((entry) => (entry.kind === "ask" && entry.ask.state === "open" ? [entry.ask] : []));
}

/** Will the entry never change again? */
export function isSettled(entry: ConversationEntry): boolean {
  if (entry.kind === "agent") return entry.done;
  if (entry.kind === "call") return entry.call.state.at === "done";
  return entry.kind !== "ask" || entry.ask.state !== "open";
}

function withMessage(before: TerminalConversation, message: WireMessage): TerminalConversation {
  switch (message.role) {
    case "person":
      // Shown where it is heard: what is on the screen cannot be moved.
      if (message.waiting === true) return before;
      return putEntry(before, { kind: "person", id: message.id, text: message.text + pictureWords(message.pictures?.length ?? 0) });
    case "reminder":
      return putEntry(before, { kind: "reminder", id: message.id, text: message.text });
    case "summary":
      return putEntry(before, { kind: "reminder", id: message.id, text: summaryWords(message.text) });
    case "agent": {
      let now =
        message.text === "" && message.error === null
          ? before
          : putEntry(before, { kind: "agent", id: message.id, text: message.text, done: true, error: message.error });
      for (const call of message.calls) now = putEntry(now, { kind: "call", id: `call:${call.id}`, call });
      return now;
    }
  }
}

const pictureWords = (count: number): string => (count === 0 ? "" : ` [${count} ${count === 1 ? "picture" : "pictures"}]`);

/** A summary is for the model; of a long one the beginning is shown. */
function summaryWords(text: string): string {
  const lines = text.split("\n");
  return ["earlier messages were summarised", ...lines.slice(0, SUMMARY_LINES), ...(lines.length > SUMMARY_LINES ? ["…"] : [])].join("\n");
}

const SUMMARY_LINES = 5;

/** The agent's text is over once it calls a tool. */
function endTurn(before: TerminalConversation, message: string): TerminalConversation {
  const known = before.entries.find(({ id }) => id === message);
  return known?.kind === "agent" && !known.done ? putEntry(before, { ...known, done: true }) : before;
}

/** In its place where it is known, else at the end. What is settled stays as it is. */
function putEntry(before: TerminalConversation, entry: ConversationEntry): TerminalConversation {
  const at = before.entries.findIndex(({ id }) => id === entry.id);
  const known = before.entries[at];
  if (known === undefined) return { ...before, entries: [...before.entries, entry] };
  if (isSettled(known) && known.kind !== "agent") return before;
  return { ...before, entries: before.entries.with(at, entry) };
}
