// An ask to draw cards from, for tests and pictures.

import { cardOf } from "../src/core/guard/card.ts";
import type { WireAsk } from "../src/wire/values.ts";

export function askOf(differs: Partial<Omit<WireAsk, "card">>): WireAsk {
  const ask = {
    id: "ask-1",
    session: "session-1",
    chat: "chat-1",
    kind: "pending_grant" as const,
    asker: { host: null, label: null, parents: [], machine: null },
    workspace: "/home/ada/code/app",
    tool: "read_file",
    requested: ["../api/go.mod"],
    path: "/home/ada/code/api/go.mod",
    links: [],
    onTheWay: false,
    operation: "read" as const,
    right: "read" as const,
    offers: "session" as const,
    proposal: { dir: "/home/ada/code/api", because: ".git" },
    survey: { repositories: 0, secrets: 1, files: 1204, worktree: false, submodule: false, complete: true },
    folder: null,
    repository: null,
    about: null,
    reason: "out-of-scope",
    because: "it is not in the workspace, a mount or anything granted",
    words: null,
    diff: null,
    changes: [],
    question: null,
    options: [],
    at: 0,
    expires: null,
    state: "open" as const,
    answer: null,
    grant: null,
    waiting: null,
    closed: null,
    refused: null,
    earlier: [],
    digest: "digest",
    ...differs,
  };
  const { title, facts, choices } = cardOf(ask);
  return { ...ask, card: { title, facts: facts.map((fact) => ({ ...fact, parts: [...fact.parts] })), choices: [...choices] } };
}
