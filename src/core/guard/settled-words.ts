// The texts of an answered card, for the pages and for exports. Pure, so that a table can test them. The texts of an open card are in `card.ts`.

import type { AskEnd } from "../audit.ts";
import { closedWords } from "../closed-words.ts";
import { type CardAsk, doingOf, lastName } from "./card-ask.ts";
import { meaningOf } from "./explain.ts";

interface AnsweredAsk {
  readonly by: string;
  readonly at: number;
}

/** What was said to it. */
export type AskEndingAnswer =
  | (AnsweredAsk & {
      readonly verdict: "allow";
      readonly until: "call" | "session";
      readonly expires: number | null;
      readonly keeps?: boolean | undefined;
    })
  | (AnsweredAsk & { readonly verdict: "deny"; readonly stop: boolean })
  | (AnsweredAsk & { readonly verdict: "reply" });

/** An ask that is no longer open, as far as its texts go. */
export interface AskEnding extends Pick<CardAsk, "kind" | "tool" | "right" | "operation" | "about" | "path" | "workspace"> {
  readonly answer: AskEndingAnswer | null;
  readonly closed: AskEnd | null;
  /** Why a yes made no grant. */
  readonly refused: string | null;
}

export interface SettledWords {
  readonly verdict: "allow" | "refused" | "deny" | "reply" | "closed";
  readonly headline: string;
  readonly by: string | null;
  readonly at: number | null;
}

/** An answered card: the answer, by whom, when. */
export function settledWords(ask: AskEnding): SettledWords {
  const { answer } = ask;
  if (answer === null) return { verdict: "closed", headline: closedHeadline(ask.closed), by: null, at: null };
  const { by, at } = answer;
  if (ask.refused !== null)
    return { verdict: "refused", headline: `Allowed, but nothing was granted: it ${meaningOf(ask.refused)}`, by, at };
  return { verdict: answer.verdict, headline: answerWords(ask, answer), by, at };
}

/** To somebody whose answer came when it was no longer open. */
export const tooLateWords = ({ answer }: Pick<AskEnding, "answer">): string =>
  answer === null
    ? "It was closed before your answer came, so yours was not taken."
    : "It was answered somewhere else first. This is the answer that counts.";

/** Null: it was open when the connection broke, and what came of it is still to be told. */
function closedHeadline(closed: AskEnding["closed"]): string {
  return closed === null ? "No longer open" : `${closed === "withdrawn" ? "Withdrawn" : "Closed"}: ${closedWords[closed]}`;
}

function answerWords(ask: AskEnding, answer: AskEndingAnswer): string {
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
