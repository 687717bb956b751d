// Shows one ask of our own agent in the editor's dialog: a card as a permission request, a question as a form. Returns the person's
// answer. A yes that comes sooner than a person can read does not count.

import { type AgentContext, methods } from "@agentclientprotocol/sdk";
import { show } from "../../core/path/show.ts";
import type { AnswerBody } from "../../wire/http.ts";
import type { WireAsk } from "../../wire/values.ts";
import { isTooSoon, timed } from "../host-session/dialog.ts";
import { answerOf, permissionRequest } from "./permission.ts";
import { fieldsOf, textAt } from "./rpc.ts";

export interface EditorOfChat {
  readonly editor: AgentContext;
  /** The chat, which is the editor's session. */
  readonly chat: string;
}

/** An answer; that the whole turn was called off; or a yes that nobody can have said. */
export type EditorAnswer = AnswerBody | "cancelled" | "too-soon";

/** Throws where the editor shows no dialog, or once `gone`. */
export async function putCard({ editor, chat }: EditorOfChat, card: WireAsk, gone: AbortSignal): Promise<EditorAnswer> {
  const { reply, elapsed } = await timed(() =>
    editor.request(methods.client.session.requestPermission, permissionRequest(chat, card), waiting(gone)),
  );
  const answer = answerOf(card, reply.outcome);
  return answer === null ? "cancelled" : weighed(answer, elapsed);
}

/** A question of the agent's. A form without an answer is a no. */
export async function putForm({ editor, chat }: EditorOfChat, ask: WireAsk, gone: AbortSignal): Promise<EditorAnswer> {
  const question = show(ask.question ?? "");
  const answer = { type: "string" as const, title: question, ...(ask.options.length === 0 ? {} : { enum: [...ask.options] }) };
  const requestedSchema = { type: "object" as const, properties: { answer }, required: ["answer"] };
  const { reply, elapsed } = await timed(() =>
    editor.request(methods.client.elicitation.create, { sessionId: chat, mode: "form", message: question, requestedSchema }, waiting(gone)),
  );
  const text = reply.action === "accept" ? textAt(fieldsOf(reply.content) ?? {}, "answer") : null;
  return weighed(text !== null && text !== "" ? { decision: "reply", text } : { decision: "deny" }, elapsed);
}

const waiting = (gone: AbortSignal) => ({ cancellationSignal: gone, stopWaitingOnCancel: true }) as const;

const weighed = (answer: AnswerBody, elapsed: number): EditorAnswer => (isTooSoon(answer, elapsed) ? "too-soon" : answer);
