import { describe, expect, test } from "vitest";
import { tree } from "../../test/tree.ts";
import { gitIdentity, identityIn } from "./git-identity.ts";

describe("a person's name and address", () => {
  test.each([
    ["plain", "[user]\n\tname = Ann Other\n\temail = ann@example.org\n", { name: "Ann Other", email: "ann@example.org" }],
    [
      "quoted, with a comment",
      '[User]\nName = "Ann # Other"\nemail = ann@example.org ; work\n',
      { name: "Ann # Other", email: "ann@example.org" },
    ],
    ["the last word", "[user]\nname = One\nname = Two\n", { name: "Two" }],
    ["of another section", '[user "work"]\nname = X\n[alias]\nname = Y\nemail = z\n', {}],
    ["written in an odd way", '[user]\nname = "a" b\nemail = a\\\n b\n', {}],
    ["with control characters", "[user]\nname = a\u0007b\n", {}],
  ])("%s", (_how, text, found) => expect(identityIn(text)).toEqual(found));

  test("are all that is told of the settings", () => {
    const it = tree([
      'home/.gitconfig: [user]\n\tname = A "quoted"\n',
      "home/.config/git/config: [user]\nname = No\nemail = a@b\n[credential]\nhelper = store\n",
    ]);
    try {
      expect(gitIdentity(it.path("home"))).toBe('[user]\n\tname = "No"\n\temail = "a@b"\n');
      expect(gitIdentity(it.path("nowhere"))).toBeNull();
    } finally {
      it.remove();
    }
  });
});
