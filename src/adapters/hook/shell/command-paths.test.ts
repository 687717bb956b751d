// The reader of commands must come to an end, and soon, whatever it is given: a hook that hangs is one that lets go.

import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { commandPaths } from "./command-paths.ts";
import { cutCommand } from "./words.ts";

const around = { base: "/nonexistent/ws", home: "/nonexistent/home" };

test("any text of shell's own characters is read to its end", () => {
  const piece = fc.constantFrom(
    ..."abc ./~$`'\"\\(){}[]<>|&;#*?!=:@,-\n\t\u00a0\u2003\u000b\u000cé0".split(""),
    ..."cat cd rm sed awk grep find sh -c eval <<E <<- $( ${ && || ;; 2>&1 >| <( for do done if case esac in function xargs env timeout".split(
      " ",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const { accesses, doubts } = commandPaths(pieces.join(""), around);
      expect(Array.isArray(accesses) && Array.isArray(doubts)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

describe("long and hostile commands take little time", () => {
  test.each([
    ["variables", "$x".repeat(16_000)],
    ["back quotes", "`a`".repeat(10_000)],
    ["opened and never closed", "$(".repeat(16_000)],
    ["braces", `cat ${"{a,b}".repeat(5_000)}`],
    ["stars", `cat ${"*a".repeat(10_000)}`],
    ["slashes", `cat ${"/".repeat(30_000)}`],
    ["pieces", `cat ${"=/a".repeat(10_000)}`],
    ["sed", `sed '${"s/a/b/;".repeat(250)}' x`],
    ["sed that is none", `sed '${"s/".repeat(900)}' x`],
    ["here-documents", "cat <<E\n".repeat(4_000)],
    ["no-break spaces", "cat\u00a0x".repeat(6_000)],
    ["words", "cat ".repeat(8_000)],
  ])("%s", (_name, command) => {
    const began = performance.now();
    commandPaths(command, around);
    expect(performance.now() - began).toBeLessThan(1_500);
  });
});

test.each([
  ["cat 'a b' c\\ d \"e $HOME\"", ["cat", "a b", "c d", "e $HOME"]],
  ["cat a\u00a0b", ["cat", "a\u00a0b"]],
  ["a;b&&c|d", ["a", "b", "c", "d"]],
  ["x=1 y # note", ["x=1", "y"]],
])("%s is cut as a shell cuts it", (command, words) => {
  const cut = cutCommand(command);
  const found = cut.ok
    ? cut.tokens.flatMap((token) => (token.kind === "word" ? [token.literal ? token.text : `${token.text}$HOME`] : []))
    : [];
  expect(found).toEqual(words);
});

test("a command that is not known is a doubt, unless the operator lets it pass; its paths are judged either way", () => {
  const around = { base: "/ws", home: "/home/ada" };
  expect(commandPaths("docker ps", around).doubts).toHaveLength(1);
  expect(commandPaths("docker ps", { ...around, lets: ["docker"] }).doubts).toEqual([]);
  expect(commandPaths("dockerd ps", { ...around, lets: ["docker"] }).doubts).toHaveLength(1);
  expect(commandPaths("docker cp /out/s box:/s", { ...around, lets: ["docker"] }).accesses.map(({ path }) => path)).toContain("/out/s");
  expect(commandPaths("docker ps $(cat /out/s)", { ...around, lets: ["docker"] }).doubts).not.toEqual([]);
});
