// The texts of an answered card. Pure, so that a table can test them. The texts of an open card are in `core/guard/card.ts`.

import { doingOf, lastName } from "../../../src/core/guard/card-ask.ts";
import { meaningOf } from "../../../src/core/guard/explain.ts";
import { closedWords } from "../../../src/wire/closed-words.ts";
import type { WireAsk, WireAnswer } from "../../../src/wire/values.ts";

export interface SettledWords {
  readonly verdict: "allow" | "refused" | "deny" | "reply" | "closed";
  readonly headline: string;
  readonly by: string | null;
  readonly at: number | null;
}

/** An answered card: the answer, by whom, when. */
export function settledWords(ask: WireAsk): SettledWords {
  const { answer } = ask;
  if (answer === null) return { verdict: "closed", headline: closedHeadline(ask.closed), by: null, at: null };
  const { by, at } = answer;
  if (ask.refused !== null)
    return { verdict: "refused", headline: `Allowed, but nothing was granted: it ${meaningOf(ask.refused)}`, by, at };
  return { verdict: answer.verdict, headline: answerWords(ask, answer), by, at };
}

/** Null: it was open when the connection broke, and what came of it is still to be told. */
function closedHeadline(closed: WireAsk["closed"]): string {
  return closed === null ? "No longer open" : `${closed === "withdrawn" ? "Withdrawn" : "Closed"}: ${closedWords[closed]}`;
}

function answerWords(ask: WireAsk, answer: WireAnswer): string {
  if (answer.verdict === "reply") return "Answered";
  const about = ask.about?.what ?? null;
  const doing =
    about === "command"
      ? "running it without a sandbox"
      : about === "network"
        ? "the network"
        : about === "agent"
          ? "starting an agent"
          : doingOf(ask);
  if (answer.verdict === "deny") {
    const denied = ask.kind === "pending_question" ? "Not answered" : `Denied ${doing}`;
    return answer.stop ? `${denied}, and stopped the agent` : denied;
  }
  if (answer.until === "call") return `Allowed ${doing}${about === null ? ` ${lastName(ask.path ?? "")}` : ""}, once`;
  const what = about === "network" ? doing : "reading";
  if (answer.keeps === true) return `Allowed ${what} for this session, and asked to keep it for ${lastName(ask.workspace)}`;
  return answer.expires === null ? `Allowed ${what} for this session` : `Allowed ${what} for a limited time`;
}
