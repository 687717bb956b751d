// One card, on every screen: for each kind of ask every fact and every choice is there, whoever lays it out.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { permissionRequest } from "../../src/adapters/acp/permission.ts";
import { cardForm, cardText } from "../../src/adapters/mcp/card.ts";
import { factKinds } from "../../src/core/facts.ts";
import { type Fact, sentenceOf } from "../../src/core/guard/card.ts";
import { askOf } from "../ask-sample.ts";
import { cardOf } from "../../src/repl/card.ts";
import { textOf } from "../../src/repl/lines.ts";
import { optionsFor } from "../../src/repl/options.ts";
import { noticeOf } from "../../src/server/webhook.ts";
import type { WireAsk } from "../../src/wire/values.ts";
import { AskFacts } from "../../web/src/ask/ask-facts.tsx";

const once = { offers: "once", proposal: null, survey: null } as const;
const survey = { repositories: 2, secrets: 3, files: 1204, worktree: true, submodule: true, complete: true };

const asks: Readonly<Record<string, WireAsk>> = {
  "a read of a repository": askOf({ words: "I need the module name" }),
  "a read through a link, by an MCP client on another machine, denied before": askOf({
    asker: { host: "mcp", label: "Claude Code 2.1.3", parents: ["main"], machine: "build-7" },
    requested: ["notes/go.mod", "/home/ada/n\u00f6tes"],
    links: ["/home/ada/code/app/notes"],
    survey,
    expires: 90_000,
    earlier: [{ verdict: "deny", by: "person (web)", at: 30_000 }],
  }),
  "a read of a package in a monorepo": askOf({
    proposal: { dir: "/home/ada/mono/packages/ui", because: "package.json" },
    path: "/home/ada/mono/packages/ui/src/a.ts",
    folder: "/home/ada/mono/packages/ui/src",
    repository: { dir: "/home/ada/mono", because: ".git", survey },
  }),
  "a read that was allowed on another machine than the one with the files": askOf({
    waiting: { by: "person (web)", at: 30_000, machine: "build-7", isThere: false },
  }),
  "a read of one file": askOf({ ...once, reason: "policy-ask" }),
  "a write": askOf({
    ...once,
    right: "write",
    tool: "write_file",
    diff: "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-old\n+new\n",
    changes: [
      { path: "src/m.ts", does: "overwrites", unshown: null },
      { path: "logo.png", does: "overwrites", unshown: "not-text" },
    ],
  }),
  "a command without a sandbox": askOf({
    ...once,
    right: "write",
    tool: "bash",
    requested: ["rm -r build"],
    path: "/",
    about: { what: "command" },
  }),
  "another agent": askOf({
    ...once,
    right: "write",
    tool: "spawn_agent",
    requested: ["../mono"],
    path: "/home/ada/code/mono",
    about: { what: "agent", task: "tidy it up and delete the rest", survey, wasReadOnly: true },
  }),
  "a question": askOf({ ...once, kind: "pending_question", question: "Which one?", options: ["this", "that"] }),
};

const flat = (text: string): string => text.replaceAll(/\s+/gu, " ");
const unescaped = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/gu, "")
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

const faces: Readonly<Record<string, (ask: WireAsk) => string>> = {
  web: (ask) => unescaped(renderToStaticMarkup(createElement(AskFacts, { ask, now: 0, openXray: null }))),
  terminal(ask) {
    const state = { ...optionsFor(ask, true), inert: false, writing: null, message: null, place: { at: 0, of: 1 } };
    const { lines, whole } = cardOf(ask, state, { width: 200, rows: 100 });
    expect(whole).toBe(true);
    return lines.map(textOf).join("\n");
  },
  mcp: cardText,
  acp: (ask) => JSON.stringify(permissionRequest("s", ask)).replaceAll("\\\\", "\\"),
  webhook: (ask) =>
    noticeOf(ask, "")
      .facts.map(({ label, text }) => `${label}: ${text}`)
      .join("\n"),
};

/** What must be there of a fact: each part of its sentence. How a time is written is the screen's own. */
const piecesOf = (fact: Fact): readonly string[] =>
  fact.parts.filter(({ kind }) => kind !== "time").map((part) => flat(sentenceOf({ parts: [part] })).trim());

for (const [what, ask] of Object.entries(asks))
  describe(what, () => {
    for (const [face, draw] of Object.entries(faces))
      test(`is told whole: ${face}`, () => {
        const shown = flat(draw(ask));
        for (const fact of ask.card.facts) {
          const isQuote = fact.parts.some(({ kind }) => kind === "words");
          // A notice goes to another program: never the agent's words.
          if (face === "webhook" && isQuote)
            for (const { text } of fact.parts.filter(({ kind }) => kind === "words")) expect(shown).not.toContain(text);
          else {
            if (!isQuote) expect(shown).toContain(fact.label);
            for (const piece of piecesOf(fact)) expect(shown).toContain(piece.replace(/^[,.] /u, ""));
          }
        }
      });

    test("offers the same choices everywhere", () => {
      const options = [false, true].flatMap((more) => optionsFor(ask, more).options.map(({ label }) => label));
      // What must be confirmed says so by three dots.
      for (const { label, confirm } of ask.card.choices) expect(options).toContain(confirm === null ? label : `${label}…`);
      if (ask.kind === "pending_question") return;
      // A dialog of one step does not offer what is kept for good.
      const offered = ask.card.choices.flatMap(({ label, answer }) => (answer.keep === true ? [] : [label])).toSorted();
      const { oneOf } = cardForm(ask, "titles").properties.decision as unknown as { readonly oneOf: readonly { readonly title: string }[] };
      expect(oneOf.map(({ title }) => title).toSorted()).toEqual(offered);
      expect(
        permissionRequest("s", ask)
          .options.map(({ name }) => name)
          .toSorted(),
      ).toEqual(offered);
    });
  });

test("the table has every kind of fact", () => {
  const seen = new Set(Object.values(asks).flatMap(({ card }) => card.facts.map(({ kind }) => kind)));
  expect(factKinds.filter((kind) => !seen.has(kind))).toEqual([]);
});
