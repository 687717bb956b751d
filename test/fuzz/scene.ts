// The files around a door that is fuzzed: a workspace, what may be granted, and two texts that no answer may ever hold, one in a secret of the
// workspace and one outside of everything. Texts of the fuzzer name places and ids by words with a dollar, so that a text that was found means
// the same the next time.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tree, type Tree } from "../tree.ts";
import { hold } from "./target.ts";

const SECRET = "SECRET-e1b94f7a";
const CANARY = "CANARY-5c07d2e6";

export interface Scene {
  readonly at: Tree;
  readonly home: string;
  readonly workspace: string;
  /** What the words of a text stand for, from now on. */
  name(word: string, meaning: string): void;
  /** The text with the words' meanings in it. */
  filled(text: string): string;
  /** Nothing that was said may hold what is shut. `isMoved`: a person has opened another workspace, which may hold what was outside. */
  holdShut(said: string, isMoved?: boolean): void;
  /** Removes it; what is outside must be as it was. */
  close(): void;
}

export const sceneWords: readonly string[] = [
  "$WS",
  "$LIB",
  "$OUT",
  '"$WS/a.txt"',
  '"$WS/.env"',
  '"$WS/out"',
  '"$WS/outside/canary.txt"',
  '"$LIB/go.mod"',
  '"$OUT/canary.txt"',
  '"../../out/canary.txt"',
  '".env"',
  '"a.txt"',
  '"."',
  '"/"',
  '"~"',
  '"\\u0000"',
  '"\\ud800"',
  "null",
  "true",
  "0",
  "-1",
  "1e999",
  "[]",
  "{}",
  '""',
  '"__proto__"',
  '"constructor"',
  ",",
  ":",
  "{",
  "}",
  "[",
  "]",
];

export function openScene(): Scene {
  const at = tree([
    "home/ws/a.txt: inside",
    "home/ws/src/b.txt: b",
    `home/ws/.env: ${SECRET}`,
    `home/ws/src/id_rsa: ${SECRET}`,
    "home/ws/out => $OUT/canary.txt",
    "home/ws/outside => $OUT",
    "home/lib/.git/",
    "home/lib/go.mod: module lib",
    `home/lib/.env: ${SECRET}`,
    "home/.config/hallpass/",
    `$OUT/canary.txt: ${CANARY}`,
    `$OUT/deep/canary.txt: ${CANARY}`,
  ]);
  writeFileSync(at.path("home/.config/hallpass/policy.json"), JSON.stringify({ ceilings: [at.path("home")] }));
  const meanings = new Map([
    ["$WS", at.path("home/ws")],
    ["$LIB", at.path("home/lib")],
    ["$OUT", at.out],
  ]);
  const before = outside(at.out);
  return {
    at,
    home: at.path("home"),
    workspace: at.path("home/ws"),
    name: (word, meaning) => void meanings.set(word, meaning),
    filled: (text) => text.replaceAll(/\$[A-Z]+/g, (word) => meanings.get(word) ?? word),
    holdShut(said, isMoved = false) {
      hold(!said.includes(SECRET), "a secret came out");
      hold(isMoved || !said.includes(CANARY), "a file from outside came out");
    },
    close() {
      const after = outside(at.out);
      at.remove();
      hold(after === before, "something outside was changed");
    },
  };
}

const outside = (dir: string): string =>
  JSON.stringify(
    readdirSync(dir, { recursive: true, encoding: "utf8" })
      .toSorted()
      .map((name) => [name, statSync(join(dir, name)).isFile() ? readFileSync(join(dir, name), "utf8") : null]),
  );
