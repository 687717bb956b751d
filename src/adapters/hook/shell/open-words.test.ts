// Patterns are read as shells read them: whatever bash and dash find by a pattern is among the names that are judged, in any language.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { runConfined } from "../../../../test/hook/confined-shell.ts";
import { tree } from "../../../../test/tree.ts";
import { alternatives } from "../file-pattern.ts";
import { expandWord } from "./open-words.ts";

const at = tree([
  "ws/.env: 1",
  "ws/.ab: 1",
  "ws/a: 1",
  "ws/B: 1",
  "ws/ab: 1",
  "ws/a-b: 1",
  "ws/]x: 1",
  "ws/[x: 1",
  "ws/!x: 1",
  "ws/9: 1",
  "ws/{a,b}: 1",
  "ws/d/.env: 1",
  "ws/d/e/a: 1",
  "ws/é: 1",
]);
afterAll(() => at.remove());
const workspace = at.path("ws");
const home = at.path("ws");
const found = (pattern: string) => expandWord(pattern, workspace, home);

describe("one by one", () => {
  test.each<[string, readonly string[] | null]>([
    [".[e]nv", [".env"]],
    [".[!x]nv", [".env"]],
    [".[^x]nv", [".env"]],
    ["[]]x", ["]x"]],
    // A range may stand for any sign: what it holds depends on the language.
    ["[!]]x", ["]x", "[x", "!x"]],
    ["[a-c]", ["9", "B", "a", "d", "é"]],
    ["[0-9]", ["9", "B", "a", "d", "é"]],
    ["**/.env", [".env", "d/.env"]],
    ["**/a", ["a", "d/e/a"]],
    ["a*b", ["a-b", "ab"]],
    ["??", ["ab", "]x", "[x", "!x", "é"]],
    ["[a", ["[a"]],
    ["no*", ["no*"]],
    ["src/[id]/x", ["src/[id]/x"]],
    // What depends on the language, or on the shell
    ["[[:alpha:]]", null],
    ["[[=a=]]", null],
    ["[[.a.]]", null],
    ["[![:digit:]]", null],
    ["***/a", null],
    ["{a,b}", null],
    ["[{a,b}]", null],
    ["{a..c}", null],
  ])("%s", (pattern, names) => {
    const expanded = found(pattern);
    expect(expanded === null ? null : [...expanded].toSorted()).toEqual(names === null ? null : [...names].toSorted());
  });
});

test("a path with more patterns than anybody writes is not looked up", () => {
  expect(expandWord(`${"*/".repeat(12)}a`, workspace, home)).not.toBeNull();
  expect(expandWord(`${"*/".repeat(13)}a`, workspace, home)).toBeNull();
  expect(expandWord("**/".repeat(2_000), workspace, home)).toBeNull();
});

test("what a shell finds is among what is judged", () => {
  const piece = fc.constantFrom(..."ab.[]!^-*?9x{,}BZe/d".split(""), "**", "[a-c]", "[!a-c]", "[A-Z]", "[a-Z]", "[]", "[!]", "[^]", ".e");
  const patterns = fc
    .sample(fc.array(piece, { minLength: 1, maxLength: 7 }), { numRuns: 1_500, seed: 20_261_115 })
    .map((pieces) => pieces.join(""))
    .filter((pattern) => /[*?[{]/u.test(pattern) && !pattern.startsWith("/") && !pattern.startsWith("-"));
  mkdirSync(`${workspace}/scripts`);
  const missed: string[] = [];
  for (const [shell, before] of [
    ["bash", "export LC_ALL=C.UTF-8"],
    ["bash", "export LC_ALL=en_US.UTF-8 2>/dev/null; shopt -s globstar"],
    ["dash", ":"],
  ] as const) {
    const lines = patterns.map((pattern, index) => `printf '${index} %s\\n' ${pattern}`);
    writeFileSync(`${workspace}/scripts/all.sh`, `${before}\n${lines.join("\n")}\n`);
    const said = runConfined({ at, workspace, home }, shell, ". ./scripts/all.sh");
    let seen = 0;
    for (const line of said.split("\n")) {
      const [, index, name = ""] = /^(\d+) (.*)$/u.exec(line) ?? [];
      if (index === undefined) continue;
      seen += 1;
      const pattern = patterns[Number(index)] ?? "";
      const judged = found(pattern);
      // Found nothing, a shell takes it for a name, and there is none of it.
      const nothing = (name === pattern || alternatives(pattern)?.includes(name) === true) && !existsSync(`${workspace}/${name}`);
      if (judged !== null && !nothing && !judged.some((one) => plain(one) === plain(name))) missed.push(`${shell}: ${pattern} is ${name}`);
    }
    expect(seen).toBeGreaterThan(500);
  }
  expect(missed).toEqual([]);
});

const plain = (path: string): string => path.replaceAll(/\/+/gu, "/").replace(/\/$/u, "");
