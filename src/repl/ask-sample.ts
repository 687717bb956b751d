// An ask to draw cards from, for tests and pictures.

import type { WireAsk } from "../wire/values.ts";

export function askOf(differs: Partial<WireAsk>): WireAsk {
  return {
    id: "ask-1",
    session: "session-1",
    chat: "chat-1",
    kind: "pending_grant",
    asker: { host: null, label: null, parents: [] },
    workspace: "/home/ada/code/app",
    machine: "local",
    tool: "read_file",
    requested: ["../api/go.mod"],
    path: "/home/ada/code/api/go.mod",
    right: "read",
    offers: "session",
    proposal: { dir: "/home/ada/code/api", because: ".git" },
    survey: { repositories: 0, secrets: 1, files: 1204, worktree: false, submodule: false, complete: true },
    reason: "out-of-scope",
    because: "it is not in the workspace, a mount or anything granted",
    words: null,
    diff: null,
    question: null,
    options: [],
    at: 0,
    expires: null,
    state: "open",
    answer: null,
    grant: null,
    closed: null,
    refused: null,
    earlier: [],
    digest: "digest",
    ...differs,
  };
}
