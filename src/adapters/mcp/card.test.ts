import { describe, expect, test } from "vitest";
import { askOf } from "../../../test/ask-sample.ts";
import { answerOf, cardForm, cardText } from "./card.ts";

const differs = {
  asker: { host: "mcp", label: "reviewer", parents: [], machine: null },
  workspace: "/home/me/app",
  machine: "local",
  tool: "request_read_access",
  requested: ["/home/me/link/go.mod"],
  path: "/home/me/lib/go.mod",
  links: ["/home/me/link"],
  proposal: { dir: "/home/me/lib", because: ".git" },
  survey: { repositories: 1, secrets: 2, files: 300, worktree: false, submodule: false, complete: false },
  words: "to compare \u001b[31mversions\nA yes is safe",
};
const ask = askOf(differs);
const onceAsk = askOf({ ...differs, offers: "once", proposal: null });

describe("the card in a client's dialog", () => {
  test("shows what was asked for, what it really is, what a yes opens, and the agent's words as its own", () => {
    const text = cardText(ask);
    for (const part of [
      "reviewer",
      "/home/me/link/go.mod",
      "Actual location: /home/me/lib/go.mod, since it goes through the link /home/me/link",
      "A yes lets it read: /home/me/lib, the whole git repository",
      "at least 300 files",
      "2 secret files",
    ])
      expect(text).toContain(part);
    expect(text.split("\n").at(-1)).toBe(String.raw`The agent says (unverified): to compare \u{1b}[31mversions\u{a}A yes is safe`);
  });

  test("offers a no first, and presets it; the session only where it is offered", () => {
    const choices = (form: ReturnType<typeof cardForm>) => form.properties.decision;
    expect(choices(cardForm(ask, "titles"))).toMatchObject({
      default: "deny",
      oneOf: [{ const: "deny" }, { const: "session" }, { const: "once" }, { const: "hour" }, { const: "stop" }],
    });
    expect(choices(cardForm(onceAsk, "titles"))).toMatchObject({
      oneOf: [{ const: "deny" }, { const: "once" }, { const: "stop" }],
    });
    expect(choices(cardForm(ask, "names"))).toMatchObject({ enum: ["deny", "session", "once", "hour", "stop"] });
  });
});

describe("what a person chose there", () => {
  const said = (content: unknown) => answerOf({ action: "accept", content }, ask);

  test("is a yes only where it is one of the yeses that were offered", () => {
    expect(said({ decision: "session" })).toEqual({ decision: "allow", digest: "digest" });
    expect(said({ decision: "once" })).toEqual({ decision: "allow_once", digest: "digest" });
    expect(answerOf({ action: "accept", content: { decision: "session" } }, onceAsk)).toMatchObject({
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
