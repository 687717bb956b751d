import type { Operation } from "../access.ts";
import { describe, expect, test } from "vitest";
import { askOf } from "../../../test/ask-sample.ts";
import { cardLines, surveyWords } from "./card.ts";
import { tooLateWords } from "./settled-words.ts";

const fact = (ask: ReturnType<typeof askOf>, kind: string): string =>
  cardLines({ title: "", facts: ask.card.facts.filter((one) => one.kind === kind) })
    .slice(1)
    .join("\n");
const by = (host: string | null, label: string | null, parents: string[] = []) => ({ asker: { host, label, parents, machine: null } });

test("who answered before is told by where they sat, and others by their names", () => {
  const before = (by: string) => fact(askOf({ earlier: [{ verdict: "deny", by, at: 0 }] }), "before");
  expect(before("person (web)")).toBe("Before: denied by a person in the browser at 1970-01-01 00:00 UTC");
  expect(before("somebody else")).toContain("denied by somebody else at");
});

describe("the title names the agent and what it wants", () => {
  const spawn = { what: "agent", task: "t", survey: null, wasReadOnly: false } as const;
  const rows: readonly [string, Parameters<typeof askOf>[0]][] = [
    ["Let the agent read api?", {}],
    ["Let Claude Code read api?", by("claude-code", "claude-code")],
    ["Let Claude Code 2.1.3 read api?", by("mcp", "Claude Code 2.1.3")],
    ["Let an MCP client read api?", by("mcp", null)],
    ["Let reviewer read api?", by("codex", "reviewer", ["codex"])],
    ["Let the agent read go.mod, once?", { offers: "once", proposal: null }],
    ["Let the agent write m.ts?", { right: "write", offers: "once", proposal: null, tool: "write_file", path: "/ws/m.ts" }],
    ["Let the agent change m.ts?", { right: "write", offers: "once", proposal: null, tool: "edit_file", path: "/ws/m.ts" }],
    [
      "Let the agent run a command without a sandbox?",
      { right: "write", offers: "once", tool: "bash", path: "/", about: { what: "command" } },
    ],
    ["Let the agent start an agent in mono?", { right: "write", offers: "once", tool: "spawn_agent", path: "/ws/mono", about: spawn }],
    ["The agent has a question", { kind: "pending_question" }],
    ["Let x\\u{a}y read api?", by("mcp", "x\ny")],
  ];
  for (const [title, differs] of rows) test(title, () => expect(askOf(differs).card.title).toBe(title));
});

describe("where it really is", () => {
  test("is a warning only where a link was followed, and the link is named", () => {
    expect(fact(askOf({}), "location")).toBe("");
    expect(askOf({}).card.facts.filter(({ weight }) => weight === "warn")).toEqual([]);
    const linked = askOf({ requested: ["notes.txt"], links: ["/home/ada/code/app/notes.txt"] });
    expect(fact(linked, "location")).toBe(
      "Actual location: /home/ada/code/api/go.mod, since it goes through the link /home/ada/code/app/notes.txt",
    );
    expect(linked.card.facts.find(({ kind }) => kind === "location")?.weight).toBe("warn");
  });

  test("is told beside a path that was written in another way", () => {
    expect(fact(askOf({}), "wants")).toBe("Wants to: read ../api/go.mod, that is /home/ada/code/api/go.mod with read_file");
    expect(fact(askOf({ requested: ["/home/ada/code/api/go.mod"] }), "wants")).toBe(
      "Wants to: read /home/ada/code/api/go.mod with read_file",
    );
  });

  test("is that of the first path, where others were put to the same card, perhaps by other tools", () => {
    expect(fact(askOf({ requested: ["../api/go.mod", "../api/src", "vendor"] }), "wants")).toBe(
      "Wants to: read ../api/go.mod, that is /home/ada/code/api/go.mod with read_file; also ../api/src, vendor",
    );
  });

  test("is no location where the path leaves that directory again", () => {
    const ask = askOf({ requested: ["../api/../app/a.ts"], path: "/home/ada/code/api", onTheWay: true });
    expect([fact(ask, "wants"), fact(ask, "location")]).toEqual([
      "Wants to: read ../api/../app/a.ts with read_file",
      "On the way: it passes through /home/ada/code/api and leaves it again by ..",
    ]);
  });
});

test.each(["run", "running-command"])("a command that runs (%s) is offered no yes for one file, which it could not be shown", (tool) => {
  const ids = askOf({ tool }).card.choices.map(({ id }) => id);
  expect(ids).toContain("session");
  expect(ids).not.toContain("once");
});

test("which program reached for it is told by Hallpass, and is no word of the agent's", () => {
  const said = "cat (cat x) reached for it";
  for (const tool of ["run", "running-command"])
    expect(fact(askOf({ tool, words: said }), "reason")).toBe("Seen by Hallpass: cat (cat x) reached for it");
  expect(fact(askOf({ words: said }), "reason")).toBe("The agent says (unverified): cat (cat x) reached for it");
});

test("another agent: what a yes starts, its whole task, and that it may write where only reading was granted", () => {
  const task = `delete everything ${"and more ".repeat(400)}end`;
  const survey = { repositories: 0, secrets: 1, files: 9, worktree: false, submodule: false, complete: true };
  const about = { what: "agent", task, survey, wasReadOnly: true } as const;
  const ask = askOf({ tool: "spawn_agent", right: "write", offers: "once", proposal: null, survey: null, path: "/ws/mono", about });
  const text = cardLines(ask.card).join("\n");
  expect(text).toContain(
    "another agent whose workspace is /ws/mono. It can read, write and run commands there; you are asked about its files again only where the policy says to ask",
  );
  expect(text).toContain("granted for reading only. A yes makes it writable for that agent");
  expect(text).toContain(task);
  expect(text).toContain("9 files");
  expect(ask.card.choices.filter(({ grants }) => grants).map(({ label }) => label)).toEqual(["Start an agent in mono"]);
  expect(text).not.toContain("write this file");
});

test.each<[Operation, string, string]>([
  ["read", "A yes lets it read: /w/src and nothing else", "Allow reading src, once"],
  [
    "list",
    "A yes lets it list: /w/src: the names in it, except secrets and what the policy denies, and nothing else",
    "Allow listing src, once",
  ],
  [
    "search",
    "A yes lets it search: /w/src and all below it, except secrets and what the policy denies, in this one search",
    "Allow searching src, once",
  ],
])("a yes for once to %s a path says what that is", (operation, opens, choice) => {
  const ask = askOf({ operation, offers: "once", proposal: null, survey: null, path: "/w/src" });
  expect([fact(ask, "opens"), ask.card.choices[0]?.label]).toEqual([opens, choice]);
});

test("a yes for once to a request says what of a directory it shows", () => {
  const ask = askOf({ tool: "request_read_access", operation: "read", offers: "once", proposal: null, survey: null, path: "/w/src" });
  expect(fact(ask, "opens")).toBe("A yes lets it read: /w/src, or the names in it if it is a directory, and nothing else");
});

test.each<[Operation, string]>([
  ["read", "Allow only src, once"],
  ["list", "Allow only listing src, once"],
  ["search", "Allow only this search of src, once"],
])("beside a yes for the session, a yes for once to %s a path says what that is", (operation, choice) => {
  expect(askOf({ operation, path: "/w/src" }).card.choices[1]?.label).toBe(choice);
});

test("a command that nothing confines: no policy is said to have asked", () => {
  const command = {
    right: "write",
    offers: "once",
    proposal: null,
    tool: "bash",
    path: "/",
    reason: "policy-ask",
    about: { what: "command" },
  } as const;
  expect(fact(askOf(command), "why")).toBe("Why you are asked: nothing on this machine can confine it");
});

test("a call that changes several files: the choice names the one that is asked about", () => {
  const changes = [
    { path: "m.ts", does: "changes", unshown: null },
    { path: "n.ts", does: "changes", unshown: null },
  ] as const;
  const ask = askOf({ right: "write", offers: "once", proposal: null, tool: "apply_patch", path: "/ws/m.ts", changes: [...changes] });
  expect(ask.card.choices.filter(({ grants }) => grants).map(({ label }) => label)).toEqual(["Allow writing m.ts, once"]);
});

test("what is in a directory, and how sure that is", () => {
  const survey = { repositories: 2, secrets: 3, files: 1204, worktree: true, submodule: false, complete: false };
  expect(surveyWords(survey)).toEqual([
    "at least 1,204 files",
    "at least 3 secret files stay hidden",
    "at least 2 other repositories inside, opened too",
    "a linked worktree; only this directory is opened",
  ]);
  expect(surveyWords({ ...survey, secrets: 0, complete: true })[1]).toBe("no secret files found; any added later stay hidden");
  expect(surveyWords({ ...survey, secrets: 1, complete: true })[1]).toBe("1 secret file stays hidden");
  const ruled = { shut: 1, asked: 2, gitignored: "deny", hardlinks: "ask", uncounted: true } as const;
  expect(surveyWords({ ...survey, ...ruled, complete: true }).slice(2)).toEqual([
    "1 other is denied by the policy",
    "2 others are asked about each time",
    "what git ignores is denied by the policy",
    "files with several names (hard links) are asked about each time",
    "2 other repositories inside, opened too",
    "node_modules, opened too, is not counted",
    "a linked worktree; only this directory is opened",
  ]);
});

test("an agent's words come last, marked, on a line of their own", () => {
  const lines = cardLines(askOf({ words: "docs\nA yes lets it read: nothing" }).card);
  expect(lines.at(-1)).toBe(String.raw`The agent says (unverified): docs\u{a}A yes lets it read: nothing`);
});

test("a package in a monorepo: the folder is the narrower choice, the whole repository, named and counted, the wider one", () => {
  const { card } = askOf({
    proposal: { dir: "/home/ada/mono/packages/ui", because: "package.json" },
    folder: "/home/ada/mono/packages/ui/src",
    repository: {
      dir: "/home/ada/mono",
      because: ".git",
      survey: { repositories: 0, secrets: 1, files: 3007, worktree: false, submodule: false, complete: true },
    },
  });
  expect(card.choices.filter(({ grants }) => grants).map(({ label, answer, confirm }) => [label, answer, confirm !== null])).toEqual([
    ["Allow reading ui for this session", { decision: "allow" }, false],
    ["Allow only go.mod, once", { decision: "allow_once" }, false],
    ["Allow reading ui for one hour", { decision: "allow", minutes: 60 }, false],
    ["Allow reading only the folder src for this session", { decision: "allow", opens: "folder" }, false],
    ["Allow reading only the folder src for one hour", { decision: "allow", opens: "folder", minutes: 60 }, false],
    ["Allow reading all of mono (3,007 files) for this session", { decision: "allow", opens: "repository" }, true],
    ["Allow reading all of mono (3,007 files) for one hour", { decision: "allow", opens: "repository", minutes: 60 }, true],
    ["Always allow reading ui in app", { decision: "allow", keep: true }, true],
  ]);
});

test("no choice that grants comes without its limits in its words", () => {
  for (const { label, grants } of askOf({}).card.choices)
    if (grants) expect(label).toMatch(/ (for this session|for one hour|once)$|, once$|^Always allow reading \S+ in \S+$/u);
});

test("whoever answers too late is told whether somebody else was faster", () => {
  const answer = { verdict: "deny", stop: false, by: "person (web)", at: 1 } as const;
  expect(tooLateWords({ answer })).toContain("answered somewhere else first");
  expect(tooLateWords({ answer: null })).not.toContain("answered somewhere else");
});
