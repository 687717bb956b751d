// The row of an ask and what it means. What a card shows is one column of JSON; what is looked for has columns of its own.

import type { Selectable } from "kysely";
import type { StoredAnswer, StoredAsk, StoredProposal } from "../agent/ports.ts";
import { isOperation, type Operation } from "../core/access.ts";
import type { AskId, CallId } from "../core/names.ts";
import { ONE, type Tables } from "./db.ts";
import { either, fields, id, list, nullable, number, parsed, perhaps, type Shape, text, truth, word } from "./shape.ts";
import { statement } from "./statement.ts";

export const askById = statement((db, ask: AskId) => db.selectFrom("asks").selectAll().where("id", "=", ask).limit(ONE));

type Body = Pick<
  StoredAsk,
  "tool" | "path" | "right" | "operation" | "offers" | "proposal" | "survey" | "reason" | "words" | "question" | "options"
>;

export function bodyOf({ tool, path, right, operation, offers, proposal, survey, reason, words, question, options }: StoredAsk): string {
  const body: Body = {
    tool,
    path,
    right,
    ...(operation === undefined ? {} : { operation }),
    offers,
    proposal,
    survey,
    reason,
    words,
    question,
    options,
  };
  return JSON.stringify(body);
}

export function askOf(row: Selectable<Tables["asks"]>): StoredAsk {
  return {
    id: row.id,
    session: row.session_id,
    chat: row.chat_id,
    kind: row.kind,
    calls: parsed(row.calls, areCalls),
    requested: parsed(row.requested, list(text)),
    at: row.at,
    state: row.state,
    answer: row.answer === null ? null : parsed(row.answer, isAnswer),
    ...parsed(row.body, isBody),
  };
}

export const areCalls = list(id<CallId>());

const isBody = fields<Body>({
  tool: text,
  path: nullable(text),
  right: word("read", "write"),
  operation: perhaps<Operation>(isOperation),
  offers: word("once", "session"),
  proposal: nullable(fields<StoredProposal>({ dir: text, dev: number, ino: number, born: perhaps(nullable(number)), because: text })),
  survey: nullable(
    fields<NonNullable<StoredAsk["survey"]>>({
      repositories: number,
      secrets: number,
      files: number,
      worktree: truth,
      submodule: truth,
      complete: truth,
    }),
  ),
  reason: text,
  words: nullable(text),
  question: nullable(text),
  options: list(text),
});

type AnswerOf<V extends StoredAnswer["verdict"]> = Extract<StoredAnswer, { verdict: V }>;

const isAnswer: Shape<StoredAnswer> = either(
  fields<AnswerOf<"allow">>({
    verdict: word("allow"),
    until: word("call", "session"),
    by: text,
    at: number,
    expires: nullable(number),
  }),
  fields<AnswerOf<"deny">>({ verdict: word("deny"), by: text, at: number, note: nullable(text), stop: truth }),
  fields<AnswerOf<"reply">>({ verdict: word("reply"), by: text, at: number, text }),
);
