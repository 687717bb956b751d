// A pattern is aimed at secrets where it fits a telling name of the list of secrets, and never by its format alone.

import { expect, test } from "vitest";
import { tellingNames } from "../../core/policy/secrets.ts";
import { mayBeSecret } from "./secret-pattern.ts";

test.each(tellingNames)("a pattern for %s may stand for a secret", (name) => {
  expect(mayBeSecret(`**/${name}`)).toBe(true);
  expect(mayBeSecret(`src/${name.replace(/\w/u, "?")}`)).toBe(true);
});

test.each(["*", "**/*", "*.ts", "*.json", "*.{ts,tsx}", "*config*", "*auth*", "*.md", "src/*.test.ts", "*history*"])(
  "%s is an everyday pattern",
  (pattern) => {
    expect(mayBeSecret(pattern)).toBe(false);
  },
);
