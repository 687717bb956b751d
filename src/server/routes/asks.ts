// The inbox: asks of every session and agent, and answers to them.

import { defined } from "../../core/defined.ts";
import { askId, sessionId } from "../../core/names.ts";
import { lastCalls } from "../../agent/transcript.ts";
import type { AskInSession } from "../../agent/ports.ts";
import type { AppPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { answerAsk } from "./answers.ts";
import { rowOf, findAsk, findChat, findSession } from "./find-rows.ts";
import type { Handlers } from "./handler.ts";

const LISTED = 200;

type AskRoute = "listAsks" | "ask" | "answer" | "grantReadAccess" | "answerUserInput";

export function askRoutes(ports: AppPorts): Pick<Handlers, AskRoute> {
  const { store, views } = ports;
  /** An ask, with what an answer to it is worked out from. */
  const findAnswerable = (id: string): Promise<AskInSession> => rowOf(id === "" ? Promise.resolve(null) : store.askInSession(askId(id)));
  /** Does a call of the chat wait for it? So it does while an agent further down asks. */
  const waitsFor = async (chat: string, ask: string): Promise<boolean> =>
    lastCalls(await store.transcript(chat)).some(({ state }) => state.at === "waiting" && state.ask === ask);
  /** An ask of this chat, or of an agent that it started and waits with; another chat's is not there. */
  const askOfChat = async (chat: string, id: string): Promise<AskInSession> => {
    await findChat(ports, chat);
    const askInSession = await findAnswerable(id);
    if (askInSession.ask.chat !== chat && !(await waitsFor(chat, askInSession.ask.id))) throw notFound();
    return askInSession;
  };
  return {
    async listAsks({ query: { state, session, before, limit = LISTED } }) {
      if (session !== undefined) await findSession(ports, session);
      const asks = await store.asks(
        defined({
          state,
          session: session === undefined ? undefined : sessionId(session),
          before: before === undefined ? undefined : askId(before),
          limit,
          newestFirst: true,
        }),
      );
      // The newest so many, in the order in which they came.
      return Promise.all(asks.toReversed().map((ask) => views.ask(ask)));
    },

    ask: async ({ id }) => views.ask(await findAsk(ports, id)),

    answer: async ({ id, body, by }) => answerAsk(ports, await findAnswerable(id), body, by),

    grantReadAccess: async ({ id, body: { ask_id, ...body }, by }) => answerAsk(ports, await askOfChat(id, ask_id), body, by),

    answerUserInput: async ({ id, body, by }) =>
      answerAsk(ports, await askOfChat(id, body.ask_id), { decision: "reply", text: body.answer }, by),
  };
}
