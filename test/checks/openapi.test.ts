// The published description of the interface is the one its routes have now.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { openApiText } from "../../src/server/openapi.ts";

test("openapi.json is what scripts/api-schema.ts would write now", () => {
  const root = resolve(import.meta.dirname, "../..");
  const { version } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as { readonly version: string };
  expect(readFileSync(resolve(root, "openapi.json"), "utf8"), "run `npm run api:schema`").toBe(openApiText(version));
});

const document = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../openapi.json"), "utf8")) as Document;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: unknown }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

test("its patterns can match: a regular expression stands in them without its slashes and flags", () => {
  const patterns = new Set<string>();
  JSON.stringify(document, (key, value: unknown) => {
    if (key === "pattern" && typeof value === "string") patterns.add(value);
    return value;
  });
  expect([...patterns].filter((pattern) => /^\/|\/[a-z]*$/u.test(pattern))).toEqual([]);
  expect([...patterns].some((pattern) => new RegExp(pattern, "u").test("0123456789abcdef"))).toBe(true);
});

test("the answer to an ask has its words wherever one is given", () => {
  for (const path of ["/api/chats/{id}/grant_read_access", "/api/asks/{id}/answer"]) {
    const body = JSON.stringify(document.paths[path]?.["post"]?.requestBody);
    for (const word of ["allow", "allow_once", "deny", "deny_and_stop"]) expect(body).toContain(`"${word}"`);
  }
});

test("it has the shape of a policy, patterns and all, and every reference leads somewhere", () => {
  const { schemas } = document.components;
  expect(JSON.stringify(schemas["PolicyDocument"])).toContain("external_directory");
  expect(schemas["PolicyList"]).toMatchObject({ anyOf: [{ $ref: "#/components/schemas/PolicyVerdict" }, { type: "object" }] });
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/gu)].map(([, name = ""]) => name);
  expect(refs.filter((name) => !Object.hasOwn(schemas, name))).toEqual([]);
  expect(JSON.stringify(document)).not.toContain("#/$defs/");
});
