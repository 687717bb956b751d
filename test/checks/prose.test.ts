// Nothing is decided by what a sentence says: state is data. No hint and no message is compared with, or searched for, words.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const top = resolve(import.meta.dirname, "../..");
const COMPARED =
  /\.(?:hint|message)\s*[!=]==|[!=]==\s*[\w.?]*\.(?:hint|message)\b|\.(?:hint|message)\.(?:includes|startsWith|endsWith|match|search|indexOf)\(/u;

/** Where it is none of that. */
const fine: Readonly<Record<string, string>> = {
  "src/server/hub.ts": "the id of the message that a frame is about",
  "src/server/others.ts": "the id of the message that a frame is about",
};

function files(dir: string): readonly string[] {
  return readdirSync(join(top, dir), { recursive: true, encoding: "utf8" })
    .map((file) => `${dir}/${file.replaceAll("\\", "/")}`)
    .filter((file) => /\.tsx?$/u.test(file) && !/\.test\.tsx?$/u.test(file));
}

// The `message` of a frame is the id of one.
const found = [...files("src"), ...files("web/src")].flatMap((file) =>
  readFileSync(join(top, file), "utf8")
    .split("\n")
    .flatMap((line, at) =>
      COMPARED.test(line.replaceAll(/\bframe\.message\b(?!\.)/gu, "id")) ? [{ file, line: at + 1, text: line.trim() }] : [],
    ),
);

test("no hint or message is compared", () => {
  expect(found.filter(({ file }) => !(file in fine))).toEqual([]);
});

test("what is named as fine is still there", () => {
  expect(Object.keys(fine).filter((file) => !found.some((one) => one.file === file))).toEqual([]);
});

test("the check sees such a comparison", () => {
  for (const bad of ["outcome.hint.endsWith(STOPPED)", "error.message === SENTENCE", '"x" !== result.hint'])
    expect(COMPARED.test(bad)).toBe(true);
});
