// What searches of the real programs gave back, line by line, with a secret in the middle.

import { expect, test } from "vitest";
import { type Sieve, withoutShut } from "./found-lines.ts";

const sieve: Sieve = {
  isShut: (path) => /(?:^|\/)[^/]*\.env$/u.test(path),
  isThere: (path) => /(?:^|\/)(?:a\.txt|b-2-c\.txt|x\.env)$/u.test(path),
};
const sifted = (text: string): string => withoutShut(text, sieve, "No matches found.");

test.each([
  ["a path before each line", "./a.txt:K=1\n./x.env:K=2\n./b-2-c.txt:K=3", "./a.txt:K=1\n./b-2-c.txt:K=3"],
  [
    "numbers and lines around",
    "a.txt:3:K\na.txt-4-z\n--\nx.env-1-z\nx.env:2:K=2\n--\nb-2-c.txt:1:K",
    "a.txt:3:K\na.txt-4-z\n--\nb-2-c.txt:1:K",
  ],
  ["names with more behind them", "x.env:1:K.env\na.txt:1:K", "a.txt:1:K"],
  ["names alone", "a.txt\nx.env\nb-2-c.txt", "a.txt\nb-2-c.txt"],
  ["counts", "a.txt:2\nx.env:7", "a.txt:2"],
  [
    "Gemini's headings",
    'Found 3 matches for pattern "K" in path "d":\n---\nFile: x.env\nL1: K=2\nL2: a.txt:K\n---\nFile: a.txt\nL1: K\n---',
    'Found 1 matches for pattern "K" in path "d":\n---\nFile: a.txt\nL1: K\n---',
  ],
  [
    "opencode's headings",
    "Found 2 matches\n/w/a.txt:\n  Line 1: K\n\n\n/w/x.env:\n  Line 1: K=2\n",
    "Found 1 matches\n/w/a.txt:\n  Line 1: K\n\n\n",
  ],
  ["a heading and lines with numbers", "x.env\n1:K=2\n3:L=4\n\na.txt\n1:K", "\na.txt\n1:K"],
])("%s: a secret's lines are gone, and the others are as they were", (_what, text, rest) => {
  expect(sifted(text)).toBe(rest);
});

test("a name that is there in front of a secret's does not stand for it", () => {
  const both: Sieve = { ...sieve, isThere: (path) => ["a", "a-2-b/x.env"].includes(path) };
  expect(withoutShut("a-2-b/x.env:1:K=2\na:1:K", both, "")).toBe("a:1:K");
});

test("a file that is gone meanwhile is told by its name", () => {
  const gone: Sieve = { ...sieve, isThere: () => false };
  expect(withoutShut("a.txt\ny.env\nb.txt\nFile: z.env\nL1: K\n---\nx.env:K", gone, "")).toBe("a.txt\nb.txt\n---");
});

test("where only secrets were found it is as if nothing was", () => {
  for (const text of [
    "x.env:1:K=2",
    "x.env",
    "Found 1 matches\n/w/x.env:\n  Line 1: K=2\n",
    "Found 1 match:\n---\nFile: x.env\nL1: K\n---",
  ])
    expect(sifted(text)).toBe("No matches found.");
});

test("what holds no secret is the same text", () => {
  for (const text of [
    "",
    "No matches found.",
    "a.txt:1:see x.env for it",
    "a.txt:1:cat x.env:2:y",
    "Found 1 match\n---\nFile: a.txt\nL1: y\n---",
  ])
    expect(sifted(text)).toBe(text);
});
