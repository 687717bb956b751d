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
