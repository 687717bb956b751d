// A chat without a terminal: one message in, the agent's words out, as plain text. Nobody is there to be asked, so that the session says
// so and the policy for that holds; a card is never drawn and nothing read from a pipe is an answer.

import { show } from "../core/path/show.ts";
import type { AppConnection } from "../wire/connection.ts";
import { routes } from "../wire/http.ts";
import type { WireChat } from "../wire/values.ts";
import { type TerminalConversation, emptyConversation, type ConversationEntry, isSettled, withFrame } from "./conversation.ts";
import { callLines } from "./entry-lines.ts";
import { textOf } from "./lines.ts";

export interface PlainPorts {
  readonly app: AppConnection;
  readonly chat: WireChat;
  /** The agent's words. */
  readonly say: (text: string) => void;
  /** Reports what its tools did. */
  readonly tell: (text: string) => void;
}

const OVER: ReadonlySet<WireChat["status"]> = new Set(["idle", "failed", "archived", "waiting_for_input"]);

/** Sends `text`, waits for the end of the turn and returns the chat's state then. */
export async function runPlain({ app, chat, say, tell }: PlainPorts, text: string): Promise<WireChat["status"]> {
  let conversation: TerminalConversation = emptyConversation;
  const printed = new Set<string>();
  let begun = false;
  let running = false;
  let ended: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const tellNew = (): void => {
    for (const entry of conversation.entries) {
      if (printed.has(entry.id) || !isSettled(entry)) continue;
      printed.add(entry.id);
      tellEntry(entry, say, tell);
    }
  };
  const live = new Promise<void>((resolve) => {
    const listening = app.subscribe({
      chats: [chat.id],
      connection: (now) => (now === "live" ? resolve() : undefined),
      frame(frame) {
        conversation = withFrame(conversation, frame);
        if (frame.type === "snapshot" && !begun) for (const { id } of conversation.entries) printed.add(id);
        tellNew();
        if (!begun || frame.type !== "chat_status") return;
        if (frame.status === "running") running = true;
        else if (running && OVER.has(frame.status)) ended();
      },
    });
    void over.then(() => listening.close());
  });
  await live;
  begun = true;
  try {
    // The answer comes when it was heard; the frames tell when the turn is over.
    await app.client.send(routes.say, { id: chat.id, body: { text } });
    await over;
    await drainTranscript(app, chat.id, (found) => {
      conversation = found(conversation);
      tellNew();
    });
    return conversation.status;
  } finally {
    ended();
  }
}

/** Reads from the transcript what the frames may not have shown yet. */
async function drainTranscript(
  { client }: AppConnection,
  chat: string,
  put: (change: (before: TerminalConversation) => TerminalConversation) => void,
): Promise<void> {
  const { messages } = await client.send(routes.messages, { id: chat, query: {} });
  const { status } = await client.send(routes.chat, { id: chat });
  put((before) => ({
    ...messages.reduce((now, message) => withFrame(now, { type: "message", cursor: "", chat, message }), before),
    status,
  }));
}

function tellEntry(entry: ConversationEntry, say: (text: string) => void, tell: (text: string) => void): void {
  if (entry.kind === "agent") {
    if (entry.text !== "") say(`${entry.text.replace(/\n+$/u, "").split("\n").map(printable).join("\n")}\n`);
    if (entry.error !== null) tell(`✗ ${show(entry.error)}\n`);
  }
  if (entry.kind === "call") tell(`${callLines(entry.call, 100).map(textOf).join("\n")}\n`);
}

const printable = (text: string): string => show(text.replaceAll("\t", "    ").replace(/\r$/u, ""));
