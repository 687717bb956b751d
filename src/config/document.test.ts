// docs/policy.md is the specification of the policy language. What it shows is tried here: every example is loaded, every row of its
// tables is matched or judged, and its lists are compared with core's.

import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { tree } from "../../test/tree.ts";
import { isOperation } from "../core/access.ts";
import { createGuard } from "../core/guard/guard.ts";
import { callId } from "../core/names.ts";
import { combinePolicies } from "../core/policy/combine.ts";
import { compilePolicy } from "../core/policy/compile.ts";
import { GLOB_DEPTHS, GLOB_LENGTH, GLOB_PIECES } from "../core/policy/glob.ts";
import { type Author, parsePolicy, RULES } from "../core/policy/parse.ts";
import { environmentNames, protectedNames } from "../core/policy/protected.ts";
import { notSecret, secretByContent, secretDirs, secretNames, secretPlaces } from "../core/policy/secrets.ts";
import { openSession } from "../core/session/session.ts";
import { findingLine, parsePolicyText } from "./load.ts";
import { policySchema } from "./schema.ts";

const document = readFileSync(new URL("../../docs/policy.md", import.meta.url), "utf8");
const home = "/home/ada";

interface Example {
  readonly text: string;
  readonly line: number;
  readonly author: Author;
  readonly loads: boolean;
}

/** Every fenced piece of JSON. A word after `json` says whose policy it is, or that it is an error. */
const examples: readonly Example[] = [...document.matchAll(/^```jsonc?( \w+)?\n([\s\S]*?)^```$/gm)].map((match) => {
  const word = match[1]?.trim() ?? "operator";
  const author = word === "project" || word === "administrator" ? word : "operator";
  return { text: match[2] ?? "", line: document.slice(0, match.index).split("\n").length, author, loads: word !== "error" };
});

/** The rows of the table that follows a marker, each as its cells without back quotes. */
function rows(marker: string): readonly (readonly string[])[] {
  const table = document.split(`<!-- ${marker} -->`)[1]?.trimStart().split("\n\n")[0] ?? "";
  return table
    .split("\n")
    .slice(2)
    .map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe("the examples in docs/policy.md", () => {
  test("are all found", () => {
    expect(examples.length).toBe(document.match(/^```json/gm)?.length);
    expect(examples.filter(({ loads }) => !loads)).toHaveLength(3);
  });

  test.each(examples)("the one on line $line loads, or does not, as it says", ({ text, author, loads }) => {
    const parsed = parsePolicyText(text, { file: "docs/policy.md", author, home });
    expect(parsed.ok ? [] : parsed.errors.map(findingLine)).toHaveLength(loads ? 0 : 1);
    expect(parsed.ok && parsed.part.ignored).toEqual(loads ? [] : false);
  });

  test("between them use every key there is, but for two that need none", () => {
    expect(Object.keys(policySchema.shape).filter((key) => !document.includes(`\`${key}`))).toEqual([]);
    const used = examples.map(({ text }) => text).join("\n");
    expect(Object.keys(policySchema.shape).filter((key) => !used.includes(`"${key}"`))).toEqual(["$schema", "hardlinks"]);
  });
});

describe("the table of patterns", () => {
  const table = rows("matched").flatMap(([pattern = "", path = "", ...yes]) =>
    ["allow", "ask", "deny"].map((verdict, at) => ({ pattern: bare(pattern), path: bare(path), verdict, matches: yes[at] })),
  );
  test("is there", () => expect(table.length).toBeGreaterThan(60));

  test.each(table)("$verdict $pattern: $path $matches", ({ pattern, path, verdict, matches }) => {
    const example = matches === "yes" ? { matches: path } : { not: path };
    expect(["yes", "no"]).toContain(matches);
    expect(parsePolicy({ read: { [pattern]: { verdict, ...example } } }, { author: "operator", home })).toMatchObject({ ok: true });
  });
});

describe("the table on the first screen", () => {
  const at = tree({
    "src/app/": {
      "package.json": "{}",
      "index.js": "1",
      ".env": "A=1",
      "db/migrations/001.sql": "",
      "package-lock.json": "{}",
      ".git/hooks/x": "",
    },
    "src/library/": { "package.json": "{}", "index.js": "2" },
    "notes/": { "ideas.md": "x", "taxes/2024.txt": "y" },
  });
  afterAll(() => at.remove());
  const first = examples[0];
  const parsed = parsePolicyText(first?.text ?? "", { file: "docs/policy.md", author: "operator", home: at.root });
  const policy = compilePolicy(combinePolicies(parsed.ok ? [parsed.part] : []), at.root);
  const opened = openSession({ workspace: at.path("src/app"), home: at.root, policy });

  test.each(rows("judged").map(([wants = "", verdict = ""]) => ({ wants, verdict })))("$wants: $verdict", ({ wants, verdict }) => {
    const [, verb = "", path = ""] = /^(\w+) `~\/(.+)`$/.exec(wants) ?? [];
    const operation = verb === "write" ? "replace" : verb;
    if (!opened.ok || !isOperation(operation)) throw new Error("the row is not understood");
    const decision = createGuard().judge({ call: callId("row"), tool: "test", operation, path: at.path(path) }, opened.session);
    if (decision.verdict === "allow") decision.pass.close();
    expect(decision.verdict).toBe(verdict);
  });
});

describe("the lists at the end", () => {
  const lists = {
    secretDirs,
    secretPlaces,
    secretNames,
    secretByContent: [...secretByContent.keys()],
    notSecret,
    protectedNames,
    environmentNames,
  };
  test.each(Object.entries(lists))("%s is what core has", (name, patterns) => {
    const part = document.split(`<!-- list ${name} -->`)[1]?.split("<!-- end -->")[0] ?? "";
    const printed = [...part.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
    expect(new Set(printed)).toEqual(new Set(patterns.map((pattern) => pattern.replace(/^\*\*\//, ""))));
    expect(printed).toHaveLength(patterns.length);
  });

  test("the limits are the real ones", () => {
    const number = (value: number) => value.toLocaleString("en");
    expect(document).toContain(`at most ${number(RULES.operator)} patterns, a repository's ${number(RULES.project)}.`);
    expect(document).toContain(
      `at most ${number(GLOB_LENGTH)} characters and ${number(GLOB_PIECES)} names, and \`**\` ${GLOB_DEPTHS} times`,
    );
  });
});

test("the document keeps to our words", () => {
  const prose = document.replaceAll(/```[\s\S]*?```|`[^`]*`/g, "");
  expect(prose.match(/\b(?:whitelist|approv\w*|permission\w*|prompt\w*|reject\w*|request\w*|safe\w*|validat\w*|context)\b/gi)).toBeNull();
});

function bare(cell: string): string {
  return cell.replaceAll("`", "");
}
