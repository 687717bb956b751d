// No text makes a regular expression slow: each one in the folders that read what a repository, an agent or a host wrote is given texts that
// make it work as hard as it can. Processor time is what counts, and how it grows, so that a busy machine fails nothing.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseSync } from "vite";
import { expect, test } from "vitest";
import { attackTexts } from "../support/attack-texts.ts";
import { tooSlowAt } from "../support/growth.ts";

const src = resolve(import.meta.dirname, "../../src");
const folders = ["core", "sandbox", "config", "tools", "adapters/hook"];

interface Found {
  readonly file: string;
  readonly line: number;
  readonly expression: RegExp;
}

const LARGE = 1_048_576;

/** Expressions that are made while running, and what keeps each from being slow. `linear-readers.test.ts` gives them long texts. */
const made: Readonly<Record<string, string>> = {
  "tools/search/matcher.ts": "a pattern of the agent's; it runs in a thread that is stopped when its time is over",
  "tools/grep.ts": "only made, never run",
  "adapters/hook/shell/expressions.ts": "put together from constants; given at most 2000 signs",
  "adapters/hook/secret-pattern.ts": "at most three stars, and only given the few names of secrets",
};

const files = folders.flatMap((folder) => sources(join(src, folder)));
const found = files.map(readExpressions);

test("every expression takes time in proportion to its text", { timeout: 300_000 }, () => {
  const slow = found
    .flatMap(({ expressions }) => expressions)
    .flatMap(({ file, line, expression }) => {
      const bad = attackTexts(expression).find((text) => tooSlowAt((size) => apply(expression, fill(text, size)), LARGE) !== null);
      return bad === undefined ? [] : [`${file}:${line} /${expression.source}/ on ${JSON.stringify(bad)}`];
    });
  expect(slow).toEqual([]);
});

test("an expression that is made while running says what keeps it from being slow", () => {
  expect(new Set(found.flatMap(({ makes }) => makes))).toEqual(new Set(Object.keys(made)));
});

test.each([
  [/^gitdir:[ \t]*(\S.*?)\s*$/m, "two parts that may take the same blanks"],
  [/^\s*\[\s*([^\]"\s]*)[^\]]*\](.*)$/, "two stars over the same letters"],
  [/\/+$/, "a row that is begun at each of its signs"],
  [/^(?:a+)+$/, "a star over a star"],
])("%s is found: %s", (expression) => {
  expect(attackTexts(expression).some((text) => tooSlowAt((size) => apply(expression, fill(text, size)), LARGE) !== null)).toBe(true);
});

function apply(expression: RegExp, text: string): void {
  expression.lastIndex = 0;
  if (expression.global) text.replaceAll(expression, "");
  else expression.test(text);
}

function fill({ before, repeated, after }: ReturnType<typeof attackTexts>[number], size: number): string {
  return before + repeated.repeat(Math.ceil(size / repeated.length)) + after;
}

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name));
}

function readExpressions(path: string): { readonly expressions: readonly Found[]; readonly makes: readonly string[] } {
  const text = readFileSync(path, "utf8");
  const file = relative(src, path);
  const expressions: Found[] = [];
  const makes: string[] = [];
  const { program, errors } = parseSync(path, text);
  expect(errors).toEqual([]);
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    if ("type" in node && node.type === "Literal" && "regex" in node) {
      const { pattern, flags } = node.regex as { pattern: string; flags: string };
      const { start } = node as unknown as { start: number };
      expressions.push({ file, line: text.slice(0, start).split("\n").length, expression: new RegExp(pattern, flags) });
    }
    if ("type" in node && (node.type === "NewExpression" || node.type === "CallExpression") && "callee" in node) {
      const callee = node.callee as { type: string; name?: string };
      if (callee.type === "Identifier" && callee.name === "RegExp") makes.push(file);
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(program);
  return { expressions, makes };
}
