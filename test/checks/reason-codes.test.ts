// No code falls into a `default:`. Who tells codes apart lists every one of them, so that a new code does not compile until somebody has said
// what becomes of it; `switch-exhaustiveness-check` sees to that where the type is closed, and this where it is any string.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseSync } from "vite";
import { expect, test } from "vitest";
import { isCode } from "../../src/core/errors.ts";

const root = resolve(import.meta.dirname, "../..");
/** The built-in agent knows more of some refusals, and takes any other as it is said. */
const taken = "src/agent/models/offline/";

test("no switch over codes has a default", () => {
  const files = ["src", "web/src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/u.test(name) && !/\.test\.tsx?$/u.test(name))
      .map((name) => join(root, folder, name)),
  );
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    switchesWithDefault(file, readFileSync(file, "utf8")).map((line) => `${relative(root, file)}:${line}`),
  );
  expect(found.filter((place) => !place.startsWith(taken))).toEqual([]);
});

test("one that has is found", () => {
  const text =
    'export function f(code: string) {\n  switch (code) {\n    case "secret-file":\n      return 1;\n    default:\n      return 2;\n  }\n}';
  expect(switchesWithDefault("a.ts", text)).toEqual([2]);
  expect(switchesWithDefault("a.ts", text.replace("secret-file", "ENOENT"))).toEqual([]);
  expect(switchesWithDefault("a.ts", text.replace("default:", 'case "policy-deny":'))).toEqual([]);
});

interface Case {
  readonly test: { readonly value?: unknown } | null;
}

/** The lines of switches that have a case for a code, and a default. */
function switchesWithDefault(path: string, text: string): readonly number[] {
  const lines: number[] = [];
  const { program, errors } = parseSync(path, text);
  expect(errors).toEqual([]);
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    if ("type" in node && node.type === "SwitchStatement" && "cases" in node) {
      const cases = node.cases as readonly Case[];
      const ofCodes = cases.some(({ test: one }) => typeof one?.value === "string" && isCode(one.value));
      const { start } = node as unknown as { start: number };
      if (ofCodes && cases.some(({ test: one }) => one === null)) lines.push(text.slice(0, start).split("\n").length);
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(program);
  return lines;
}
