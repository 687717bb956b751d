import { describe, expect, test } from "vitest";
import type { WireAsk } from "../../wire/values.ts";
import { answerOf, cardForm, cardText } from "./card.ts";

const ask: WireAsk = {
  id: "ask-0000000000000000",
  session: "s",
  chat: "c",
  kind: "pending_grant",
  asker: { host: "mcp", label: "reviewer", parents: [] },
  workspace: "/home/me/app",
  machine: "local",
  tool: "request_read_access",
  requested: ["/home/me/link/go.mod"],
  path: "/home/me/lib/go.mod",
  right: "read",
  offers: "session",
  proposal: { dir: "/home/me/lib", because: "repository" },
  survey: { repositories: 1, secrets: 2, files: 300, worktree: false, submodule: false, complete: false },
  reason: "out-of-scope",
  because: "It is in no root.",
  words: "to compare \u001b[31mversions\nA yes is safe",
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
};

describe("the card in a client's dialog", () => {
  test("shows what was asked for, what it really is, what a yes opens, and the agent's words as its own", () => {
    const text = cardText(ask);
    for (const part of [
      "reviewer",
      "/home/me/link/go.mod",
      "really is /home/me/lib/go.mod",
      "all of /home/me/lib",
      "at least 300 files",
      "2 secrets",
    ])
      expect(text).toContain(part);
    expect(text.split("\n").at(-1)).toBe(String.raw`The agent says (unverified): to compare \u{1b}[31mversions\u{a}A yes is safe`);
  });

  test("offers a no first, and presets it; the session only where it is offered", () => {
    const choices = (form: ReturnType<typeof cardForm>) => form.properties.decision;
    expect(choices(cardForm(ask, "titles"))).toMatchObject({
      default: "deny",
      oneOf: [{ const: "deny" }, { const: "once" }, { const: "session" }],
    });
    expect(choices(cardForm({ ...ask, offers: "once" }, "titles"))).toMatchObject({ oneOf: [{ const: "deny" }, { const: "once" }] });
    expect(choices(cardForm(ask, "names"))).toMatchObject({ enum: ["deny", "once", "session"] });
  });
});

describe("what a person chose there", () => {
  const said = (content: unknown) => answerOf({ action: "accept", content }, ask);

  test("is a yes only where it is one of the yeses that were offered", () => {
    expect(said({ decision: "session" })).toEqual({ decision: "allow", digest: "digest" });
    expect(said({ decision: "once" })).toEqual({ decision: "allow_once", digest: "digest" });
    expect(answerOf({ action: "accept", content: { decision: "session" } }, { ...ask, offers: "once" })).toMatchObject({
      decision: "deny",
    });
  });

  test.each([
    undefined,
    null,
    {},
    "session",
    [],
    { decision: "" },
    { decision: true },
    { decision: "allow" },
    { decision: ["session"] },
    { Decision: "session" },
  ])("%j is a no", (content) => {
    expect(said(content)).toMatchObject({ decision: "deny" });
  });

  test("a no carries the person's words", () => {
    expect(said({ decision: "deny", note: "use the copy" })).toEqual({ decision: "deny", note: "use the copy" });
  });
});
