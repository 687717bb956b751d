// The row of an ask and what it means. What a card shows is one column of JSON; what is looked for has columns of its own.

import type { Selectable } from "kysely";
import type { StoredAnswer, StoredAsk, StoredProposal, WaitingYes } from "../agent/ports.ts";
import { isOperation, type Operation } from "../core/access.ts";
import type { AskId, CallId } from "../core/names.ts";
import { type Db, ONE, type Tables } from "./db.ts";
import { either, fields, id, list, nullable, number, parsed, perhaps, type Shape, text, truth, oneOf } from "./shape.ts";

export const askById = (db: Db, ask: AskId) => db.selectFrom("asks").selectAll().where("id", "=", ask).limit(ONE);

type Body = Pick<
  StoredAsk,
  | "tool"
  | "path"
  | "links"
  | "onTheWay"
  | "right"
  | "operation"
  | "offers"
  | "proposal"
  | "survey"
  | "folder"
  | "repository"
  | "about"
  | "content"
  | "reason"
  | "words"
  | "question"
  | "options"
>;

export function bodyOf(ask: StoredAsk): string {
  const { tool, path, links, onTheWay, right, operation, offers, proposal, survey, about, reason, words, question, options } = ask;
  const { folder, repository, content } = ask;
  return JSON.stringify({
    tool,
    path,
    links,
    onTheWay,
    right,
    operation,
    offers,
    proposal,
    survey,
    folder,
    repository,
    about,
    content,
    reason,
    words,
    question,
    options,
  });
}

export function askOf(row: Selectable<Tables["asks"]>): StoredAsk {
  const at = (column: string) => ({ table: "asks", row: row.id, column });
  return {
    id: row.id,
    session: row.session_id,
    chat: row.chat_id,
    kind: row.kind,
    calls: parsed(row.calls, areCalls, at("calls")),
    requested: parsed(row.requested, list(text), at("requested")),
    at: row.at,
    state: row.state,
    answer: row.answer === null ? null : parsed(row.answer, isAnswer, at("answer")),
    ...(row.closed_why === null ? {} : { closed: row.closed_why }),
    ...parsed(row.body, isBody, at("body")),
    ...(row.rewound_at === null ? {} : { rewoundAt: row.rewound_at }),
    ...(row.waiting_yes === null ? {} : { waitingYes: parsed(row.waiting_yes, isWaitingYes, at("waiting_yes")) }),
  };
}

const areCalls = list(id<CallId>());

type Survey = NonNullable<StoredAsk["survey"]>;
type StoredSubject = NonNullable<StoredAsk["about"]>;

const isSurvey = fields<Survey>({
  repositories: number,
  secrets: number,
  files: number,
  shut: perhaps(number),
  asked: perhaps(number),
  gitignored: perhaps(oneOf("ask", "deny")),
  hardlinks: perhaps(oneOf("ask", "deny")),
  uncounted: perhaps((value): value is true => value === true),
  worktree: truth,
  submodule: truth,
  complete: truth,
});

type SubjectOf<W extends StoredSubject["what"]> = Extract<StoredSubject, { what: W }>;

const isAbout: Shape<StoredSubject> = either(
  either(fields<SubjectOf<"command">>({ what: oneOf("command") }), fields<SubjectOf<"network">>({ what: oneOf("network") })),
  fields<SubjectOf<"agent">>({ what: oneOf("agent"), task: text, survey: nullable(isSurvey), wasReadOnly: truth }),
);

const isBody = fields<Body>({
  tool: text,
  path: nullable(text),
  links: perhaps(list(text)),
  onTheWay: perhaps((value): value is true => value === true),
  about: perhaps(isAbout),
  content: perhaps(text),
  right: oneOf("read", "write"),
  operation: perhaps<Operation>(isOperation),
  offers: oneOf("once", "session"),
  proposal: nullable(fields<StoredProposal>({ dir: text, dev: number, ino: number, born: perhaps(nullable(number)), because: text })),
  survey: nullable(isSurvey),
  folder: perhaps(text),
  repository: perhaps(
    fields<NonNullable<StoredAsk["repository"]>>({
      dir: text,
      dev: number,
      ino: number,
      born: perhaps(nullable(number)),
      because: text,
      survey: nullable(isSurvey),
    }),
  ),
  reason: text,
  words: nullable(text),
  question: nullable(text),
  options: list(text),
});

const isWaitingYes = fields<WaitingYes>({
  by: text,
  at: number,
  opens: oneOf("proposal", "folder", "repository"),
  keeps: truth,
  lasts: nullable(number),
});

type AnswerOf<V extends StoredAnswer["verdict"]> = Extract<StoredAnswer, { verdict: V }>;

const isAnswer: Shape<StoredAnswer> = either(
  fields<AnswerOf<"allow">>({
    verdict: oneOf("allow"),
    until: oneOf("call", "session"),
    by: text,
    at: number,
    expires: nullable(number),
    opened: perhaps(text),
    keeps: perhaps((value): value is true => value === true),
  }),
  fields<AnswerOf<"deny">>({ verdict: oneOf("deny"), by: text, at: number, note: nullable(text), stop: truth }),
  fields<AnswerOf<"reply">>({ verdict: oneOf("reply"), by: text, at: number, text }),
);
