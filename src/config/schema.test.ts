// The schema is a second description of what core's `parsePolicy` takes. These tests keep it from becoming a second opinion.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import { parsePolicy } from "../core/policy/parse.ts";
import type { PolicyDocument } from "../core/policy/policy-document.ts";
import { policyJsonSchema, policySchema, policySchemaText } from "./schema.ts";

const bySchema = (policy: unknown): boolean => policySchema.safeParse(policy).success;
const byCore = (policy: unknown): boolean => parsePolicy(policy, { author: "operator", home: "/home/ada" }).ok;

const good: readonly unknown[] = [
  {},
  { $schema: "" },
  { $schema: "./policy.schema.json", preset: "strict" },
  { read: "allow", write: "deny" },
  { read: {}, write: {} },
  { read: { "~/x/**": "allow", "*.md": "ask", "**": "deny", "docs/*": "deny" } },
  { write: { "/tmp/**": { verdict: "allow", why: "scratch", matches: "/tmp/a", not: ["/tmp2", "/x/tmp"] } } },
  { write: { "/tmp": { verdict: "allow", why: "", matches: [], not: [] } } },
  { read: { "/x": { verdict: "deny", why: "x".repeat(500) } } },
  { permission: {} },
  { permission: { external_directory: "ask" } },
  { permission: { external_directory: {} } },
  { permission: { external_directory: { read: "allow", write: { "/tmp/**": "allow", "*": "deny" } } } },
  { secrets: {}, protected: {} },
  { secrets: { except: [], add: "*.secret" }, protected: { except: ["**/.vscode"], add: [] } },
  { gitignored: "deny", hardlinks: "ask" },
  { ceilings: ["~/work", "/opt"], projects: "~" },
  { ceilings: [] },
  { asks: {} },
  { asks: { by: "model", offer: "once" }, preset: "open-read" },
  { sessions: {} },
  { sessions: { idle_hours: 1 } },
  { sessions: { idle_hours: 8760 } },
  { sessions: { idle_hours: 1.5 } },
  { hooks: {} },
  { hooks: { without_daemon: "spool" } },
  { hooks: { without_daemon: "deny" } },
];

const bad: readonly unknown[] = [
  null,
  [],
  "deny",
  7,
  { reed: "allow" },
  { sessions: 24 },
  { sessions: { idle_hours: "24" } },
  { sessions: { idle_hours: 0 } },
  { sessions: { idle_hours: 8761 } },
  { sessions: { idle_hours: null } },
  { sessions: { idle: 3 } },
  { hooks: "deny" },
  { hooks: { without_daemon: "allow" } },
  { hooks: { daemon: "deny" } },
  { Read: "allow" },
  { $schema: 1 },
  { $schema: null },
  { read: null },
  { read: [] },
  { read: "Allow" },
  { read: "" },
  { read: true },
  { read: { "/x": "permit" } },
  { read: { "/x": null } },
  { read: { "/x": ["allow"] } },
  { read: { "": "allow" } },
  { read: { "/x": {} } },
  { read: { "/x": { why: "no verdict" } } },
  { read: { "/x": { verdict: "no" } } },
  { read: { "/x": { verdict: "deny", reason: "x" } } },
  { read: { "/x": { verdict: "deny", why: "x".repeat(501) } } },
  { read: { "/x": { verdict: "deny", why: 1 } } },
  { read: { "/x": { verdict: "deny", matches: "" } } },
  { read: { "/x": { verdict: "deny", matches: [""] } } },
  { read: { "/x": { verdict: "deny", not: [1] } } },
  { read: { "/x": { verdict: "deny", not: null } } },
  { write: { "/x": { "/y": "deny" } } },
  { permission: null },
  { permission: "ask" },
  { permission: { edit: "ask" } },
  { permission: { external_directory: "never" } },
  { permission: { external_directory: null } },
  { permission: { external_directory: [] } },
  { permission: { external_directory: { "~/x/**": "allow" } } },
  { permission: { external_directory: { read: "x" } } },
  { permission: { external_directory: { read: { "/x": 1 } } } },
  { secrets: "*.secret" },
  { secrets: ["*.secret"] },
  { secrets: { exept: [] } },
  { secrets: { add: [1] } },
  { protected: { except: { ".git": true } } },
  { gitignored: true },
  { gitignored: null },
  { hardlinks: "warn" },
  { ceilings: null },
  { ceilings: [["/opt"]] },
  { ceilings: "" },
  { projects: { "~/x": "allow" } },
  { preset: "Strict" },
  { preset: ["strict"] },
  { asks: "model" },
  { asks: { by: "person" } },
  { asks: { offer: "always" } },
  { asks: { by: null } },
  { asks: { to: "me" } },
];

/** What takes more than a shape to see: these load in no case, though an editor has nothing against them. */
const onlyCoreKnows: readonly unknown[] = [
  { read: { "a**b": "deny" } },
  { read: { "../x": "deny" } },
  { read: { "2024": "deny" } },
  { read: { "~ada/x": "deny" } },
  { read: { "/x": { verdict: "deny", matches: "/y" } } },
  { read: { "/x/**": "allow", "/x/y": "deny" } },
  { permission: { external_directory: { read: { "docs/x": "allow" } } } },
  { secrets: { add: "*" } },
  { ceilings: "work" },
];

describe("the schema and the parser", () => {
  test.each(good.map((policy) => [JSON.stringify(policy).slice(0, 100), policy]))("both take %s", (_text, policy) => {
    expect([bySchema(policy), byCore(policy)]).toEqual([true, true]);
  });

  test.each(bad.map((policy) => [JSON.stringify(policy).slice(0, 100), policy]))("both refuse %s", (_text, policy) => {
    expect([bySchema(policy), byCore(policy)]).toEqual([false, false]);
  });

  test.each(onlyCoreKnows.map((policy) => [JSON.stringify(policy), policy]))(
    "only the parser sees what is wrong with %s",
    (_text, policy) => {
      expect([bySchema(policy), byCore(policy)]).toEqual([true, false]);
    },
  );

  test("they agree about any small policy", () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(somePolicy, (policy) => {
        const verdict = byCore(policy);
        seen[verdict ? "taken" : "refused"] += 1;
        expect(bySchema(policy)).toBe(verdict);
      }),
      { numRuns: 3000 },
    );
    // A generator that only ever made one kind would prove nothing.
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(300);
  });
});

/** Mostly what belongs there, sometimes something of another shape. Never a pattern, place or example that only its text makes wrong. */
function mostly<T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: anything });
}
const anything = fc.constantFrom<unknown>(
  null,
  true,
  0,
  "",
  [],
  {},
  [null],
  [""],
  [[]],
  { "/x": null },
  { "/x": {} },
  { read: "ask" },
  { verdict: "ask" },
);
const word = mostly(fc.constantFrom("allow", "ask", "deny", "deny", "ask", "allow", "allow", "ask", "Allow"));
// Patterns none of which covers another, also not from the one kind of list to the other, so that no deny is dead.
const patterns = fc.constantFrom("/a/x", "/b/**", "*.c", "**/d", "~/e", "*", "/**");
const patternsOutside = fc.constantFrom("/o/x", "/p/**", "*.q", "**/r", "~/s", "*", "**");
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 });
const rarely = <T>(one: fc.Arbitrary<T>) => fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: one });
const texts = mostly(fc.constantFrom<unknown>("/p", ["/p", "~/q"], []));
const said = fc.oneof(
  word,
  mostly(fc.record({ verdict: word, why: maybe(mostly(fc.string())), matches: maybe(mostly(fc.constant([]))), extra: rarely(word) })),
);
const listOf = (pattern: fc.Arbitrary<string>) =>
  fc.oneof(
    word,
    mostly(fc.dictionary(fc.oneof({ weight: 40, arbitrary: pattern }, { weight: 1, arbitrary: fc.constant("") }), said, { maxKeys: 3 })),
  );
const list = listOf(patterns);
const listOutside = listOf(patternsOutside);
const names = mostly(fc.record({ except: maybe(texts), add: maybe(texts), more: rarely(texts) }));
const somePolicy = fc
  .record({
    $schema: maybe(mostly(fc.string())),
    read: maybe(list),
    write: maybe(list),
    permission: maybe(
      mostly(
        fc.record({
          external_directory: maybe(fc.oneof(word, mostly(fc.record({ read: maybe(listOutside), write: maybe(listOutside) })))),
        }),
      ),
    ),
    secrets: maybe(names),
    protected: maybe(names),
    gitignored: maybe(word),
    hardlinks: maybe(word),
    ceilings: maybe(texts),
    projects: maybe(texts),
    preset: maybe(mostly(fc.constantFrom("strict", "balanced", "open-read"))),
    asks: maybe(
      mostly(fc.record({ by: maybe(mostly(fc.constantFrom("model", "guard"))), offer: maybe(mostly(fc.constantFrom("once", "session"))) })),
    ),
    unknown: rarely(anything),
  })
  // As a file gives it: no undefined, nothing that JSON cannot say.
  .map((policy): unknown => JSON.parse(JSON.stringify(policy)));

describe("policy.schema.json", () => {
  test("is what scripts/policy-schema.ts would write now", () => {
    const file = readFileSync(new URL("../../policy.schema.json", import.meta.url), "utf8");
    expect(file, "run `npx tsx scripts/policy-schema.ts`").toBe(policySchemaText());
  });

  test("is draft 2020-12, has a name, and says something about every key", () => {
    const schema: { properties?: Record<string, { description?: string }> } & Readonly<Record<string, unknown>> = policyJsonSchema();
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "urn:hallpass:policy.schema.json",
      title: "Hallpass policy",
      additionalProperties: false,
    });
    const silent = Object.entries(schema.properties ?? {}).filter(([, { description = "" }]) => !/^[A-Z].*\.$/.test(description));
    expect(silent).toEqual([]);
    expect(Object.keys(schema.properties ?? {})).toContain("permission");
  });
});

test("the type that programs write a policy by is the schema's", () => {
  type Written = z.input<typeof policySchema>;
  expectTypeOf<Written>().toExtend<PolicyDocument>();
  expectTypeOf<keyof PolicyDocument>().toEqualTypeOf<keyof Written>();
  expectTypeOf<NonNullable<PolicyDocument["asks"]>>().toExtend<NonNullable<Written["asks"]>>();
  expectTypeOf<NonNullable<PolicyDocument["preset"]>>().toExtend<NonNullable<Written["preset"]>>();
  const document = { permission: { external_directory: { read: { "~/a/**": "allow", "*": "ask" } } } } satisfies PolicyDocument;
  expect(policySchema.safeParse(document).success).toBe(true);
});
