// One chat as an editor's session. Frames from the app become updates; an ask becomes a permission request, and the first answer counts,
// from here or from the inbox. A turn ends when the chat is idle again, however often it stopped for a person.

import type { AgentContext, PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";
import { show } from "../../core/path/show.ts";
import type { AppConnection } from "../../wire/connection.ts";
import type { Frame } from "../../wire/frames.ts";
import { type AnswerBody, routes } from "../../wire/http.ts";
import type { WireAsk, WireMessage } from "../../wire/values.ts";
import { type Client, WireError } from "../../wire/client.ts";
import { TOO_SOON } from "../host-session/dialog.ts";
import { putCard, putForm } from "./put-to-editor.ts";
import { callUpdate, replayOf, resultUpdate, textUpdate } from "./updates.ts";

export interface ConversationPorts {
  readonly connection: AppConnection;
  /** The chat, which is the editor's session. */
  readonly chat: string;
  /** The editor. */
  readonly editor: AgentContext;
  /** Can the editor show a form? Then questions go there. */
  readonly forms: boolean;
}

type StopReason = PromptResponse["stopReason"];

export class EditorConversation {
  readonly #ports: ConversationPorts;
  readonly #client: Client;
  readonly #frames: { close(): void };
  /** Open asks in the order they came, and those being put to the person now. */
  readonly #asks = new Map<string, { readonly ask: WireAsk; readonly gone: AbortController }>();
  /** A question that waits for the person's next words, since the editor has no form for it. */
  #question: WireAsk | null = null;
  #turn: { began: boolean; cancelled: boolean; readonly end: (reason: StopReason) => void } | null = null;
  #asking: Promise<void> = Promise.resolve();

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
    this.#client = ports.connection.client;
    this.#frames = ports.connection.subscribe({ chats: [ports.chat], frame: (frame) => this.#onFrame(frame), connection: () => {} });
  }

  /** Say something, or answer the question that waits; gives why the turn ended. */
  async prompt(text: string): Promise<StopReason> {
    if (this.#turn !== null) throw new WireError("bad-request", "a turn is running already; cancel it first", 409, null);
    const { chat } = this.#ports;
    const question = this.#question;
    this.#question = null;
    const ended = new Promise<StopReason>((resolve) => {
      this.#turn = { began: false, cancelled: false, end: resolve };
    });
    try {
      if (question === null) await this.#client.send(routes.say, { id: chat, body: { text } });
      else await this.#client.send(routes.answerUserInput, { id: chat, body: { ask_id: question.id, answer: text } });
    } catch (error) {
      this.#turn = null;
      throw error;
    }
    return ended;
  }

  /** The editor called the turn off: what runs stops, what is open closes. */
  async cancel(): Promise<void> {
    if (this.#turn !== null) this.#turn.cancelled = true;
    for (const { gone } of this.#asks.values()) gone.abort();
    await this.#client.send(routes.cancel, { id: this.#ports.chat });
    this.#end("cancelled");
  }

  /** Tell the editor what was said before. */
  async replay(): Promise<void> {
    const messages: WireMessage[] = [];
    for (let more = true; more;) {
      const [first] = messages;
      const query = { limit: 200, ...(first === undefined ? {} : { before: first.id }) };
      const page = await this.#client.send(routes.messages, { id: this.#ports.chat, query });
      messages.unshift(...page.messages);
      more = page.earlier && page.messages.length > 0;
    }
    for (const update of messages.flatMap(replayOf)) await this.#update(update);
  }

  close(): void {
    this.#frames.close();
    for (const { gone } of this.#asks.values()) gone.abort();
    this.#end("cancelled");
  }

  #onFrame(frame: Frame): void {
    switch (frame.type) {
      case "text_delta":
        return this.#notify(textUpdate("agent_message_chunk", frame.text));
      case "tool_call":
        return this.#notify(callUpdate(frame.call));
      case "tool_result":
        return this.#notify(resultUpdate(frame.call, frame.outcome));
      case "ask_open":
        return this.#onAskOpened(frame.ask);
      case "ask_settled":
        this.#asks.get(frame.ask.id)?.gone.abort();
        if (this.#question?.id === frame.ask.id) this.#question = null;
        return;
      case "chat_status":
        return this.#onStatus(frame.status, frame.why);
      case "snapshot":
        for (const ask of frame.asks) this.#onAskOpened(ask);
        // After a gap the end of the turn may have been in it.
        if (this.#turn?.began === true) this.#onStatus(frame.chat.status, "");
        return;
      case "chat_added":
      case "chat_changed":
      case "chat_deleted":
      case "inbox":
      case "live":
      case "message":
      case "ping":
      case "problem":
      case "rewound":
      case "session_updated":
      case "tool_delay":
      case "turn_end":
      case "turn_start":
      case "turn_wait":
        return;
    }
  }

  #onStatus(status: string, why: string): void {
    if (this.#turn === null) return;
    if (status === "running" || status === "waiting_for_input") this.#turn.began = true;
    else if (status === "failed") {
      this.#notify(textUpdate("agent_message_chunk", `\n\nThe turn failed: ${show(why)}`));
      this.#end("refusal");
    } else if (this.#turn.began) this.#end(this.#turn.cancelled ? "cancelled" : "end_turn");
  }

  #end(reason: StopReason): void {
    const turn = this.#turn;
    this.#turn = null;
    turn?.end(reason);
  }

  /** Asks are put to the person one after another; one that was settled meanwhile is passed over. */
  #onAskOpened(ask: WireAsk): void {
    if (ask.state !== "open" || this.#asks.has(ask.id)) return;
    const gone = new AbortController();
    this.#asks.set(ask.id, { ask, gone });
    this.#asking = this.#next(this.#asking, ask, gone.signal);
  }

  async #next(before: Promise<void>, ask: WireAsk, gone: AbortSignal): Promise<void> {
    await before;
    try {
      if (!gone.aborted) await this.#put(ask, gone);
    } catch {
      // The editor is gone or refused the request.
      if (!gone.aborted) await this.#reportNobodyAsked("the client's dialog could not be shown").catch(() => {});
    } finally {
      this.#asks.delete(ask.id);
    }
  }

  async #put(ask: WireAsk, gone: AbortSignal): Promise<void> {
    if (ask.kind === "pending_question" && !this.#ports.forms) return this.#tellQuestion(ask);
    // Not taken, and still open: the card has changed since it was shown (another path was put to it), so it is shown as it is now.
    for (let card: WireAsk | null = ask; card !== null;) {
      const answer = await (card.kind === "pending_question" ? putForm : putCard)(this.#ports, card, gone);
      if (gone.aborted) return;
      if (answer === "cancelled") return this.cancel();
      if (answer === "too-soon") return this.#reportNobodyAsked(TOO_SOON);
      card = await this.#answer(card, answer);
    }
  }

  /** The person's next words are the answer: the turn ends here, and their next prompt goes on with it. */
  #tellQuestion(ask: WireAsk): void {
    this.#question = ask;
    const options = ask.options.length === 0 ? "" : `\n${ask.options.map((option) => `- ${show(option)}`).join("\n")}`;
    this.#notify(textUpdate("agent_message_chunk", `\n\n${show(ask.question ?? "")}${options}`));
    this.#end("end_turn");
  }

  /** Nobody was asked in the editor. In an inbox the ask can still be answered; where there is none the turn ends, and the ask with it. */
  async #reportNobodyAsked(why: string): Promise<void> {
    // An ask that the editor put to nobody waits for an answer elsewhere.
    const inbox = this.#ports.connection.durable;
    const then = inbox
      ? "It waits for an answer in the inbox."
      : "There is no inbox either, so the turn ends here: `hallpass serve` opens one.";
    this.#notify(textUpdate("agent_message_chunk", `\n\nNot opened: ${why}. ${then}`));
    if (!inbox) await this.cancel();
  }

  /** The ask as it is now, where the answer was to another card than the one that is open. */
  async #answer({ id, digest }: WireAsk, body: AnswerBody): Promise<WireAsk | null> {
    try {
      await this.#client.send(routes.answer, { id, body });
      return null;
    } catch (error) {
      // Somebody else was first, or what a yes would open has changed: what became of it comes as a frame.
      if (!(error instanceof WireError) || error.status !== 409) throw error;
      const current = error.problem?.ask;
      return current?.state === "open" && current.digest !== digest ? current : null;
    }
  }

  #notify(update: SessionUpdate): void {
    this.#update(update).catch(() => {});
  }

  #update(update: SessionUpdate): Promise<void> {
    return this.#ports.editor.notify(methods.client.session.update, { sessionId: this.#ports.chat, update });
  }
}
