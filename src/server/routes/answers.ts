// One way to answer an ask, whichever address the answer came to. Only a person's token gets here; who answered is told by where the
// person sits, never by anything in the answer.

import { defined } from "../../core/defined.ts";
import type { GivenAnswer } from "../../agent/answering.ts";
import type { AskInSession } from "../../agent/ports.ts";
import type { AnswerBody, Routes } from "../../wire/http.ts";
import { freshGrant } from "../views/grant.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import type { ResponseOf } from "./handler.ts";
import { keepAndRecord, type KeepRequest } from "./keep-grant.ts";

export async function answerAsk(
  ports: AppPorts,
  askInSession: AskInSession,
  body: AnswerBody,
  by: string,
): Promise<ResponseOf<Routes["answer"]>> {
  const { agent, views } = ports;
  const { ask } = askInSession;
  if (body.digest !== undefined && ask.state === "open") {
    const current = await views.ask(ask);
    if (current.digest !== body.digest)
      throw new Refusal("grant-changed", "the ask is no longer what was shown; look at it again", { ask: current });
  }
  const result = await agent.answer(askInSession, toGivenAnswer(body, by, ports.clock()));
  if (result.ok === "waits") return { ask: await views.ask(result.ask), grant: null, kept: null, notKept: null };
  if (!result.ok) throw new Refusal(result.code, result.message, result.ask === null ? {} : { ask: await views.ask(result.ask) });
  const { grant, session } = result;
  const isKept = body.decision === "allow" && body.keep === true && grant !== null;
  const keeping = isKept ? await tryKeepGrant(ports, { grant, workspace: session.workspace }, by) : { kept: null, notKept: null };
  return { ask: await views.ask(result.ask), grant: grant === null ? null : freshGrant(grant, result, ports.machine), ...keeping };
}

/** The grant stands either way: what could not be kept is told, and nothing is taken back for it. */
async function tryKeepGrant(
  ports: AppPorts,
  keeping: KeepRequest,
  by: string,
): Promise<Pick<ResponseOf<Routes["answer"]>, "kept" | "notKept">> {
  try {
    return { kept: await keepAndRecord(ports, keeping, by), notKept: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kept: null, notKept: error.message };
  }
}

function toGivenAnswer(body: AnswerBody, by: string, now: number): GivenAnswer {
  switch (body.decision) {
    case "allow":
      return defined({
        verdict: "allow",
        until: "session",
        by,
        opens: body.opens,
        keeps: body.keep,
        expires: body.minutes === undefined ? undefined : now + body.minutes * 60_000,
      } as const);
    case "allow_once":
      return { verdict: "allow", until: "call", by };
    case "deny":
    case "deny_and_stop":
      return defined({ verdict: "deny", by, stop: body.decision === "deny_and_stop", note: body.note } as const);
    case "reply":
      return { verdict: "reply", by, text: body.text };
  }
}
