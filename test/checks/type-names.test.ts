// One exported type name means one thing: a reader who meets it need not ask which one.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const top = resolve(import.meta.dirname, "../..");

test("no type name is exported by two files", () => {
  const files = ["src", "web/src"].flatMap((dir) =>
    readdirSync(join(top, dir), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/u.test(file) && !/\.test\.tsx?$/u.test(file))
      .map((file) => `${dir}/${file}`),
  );
  const declared = new Map<string, string[]>();
  for (const file of files)
    for (const [, name = ""] of readFileSync(join(top, file), "utf8").matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gmu))
      declared.set(name, [...(declared.get(name) ?? []), file]);
  expect(declared.size).toBeGreaterThan(500);
  expect([...declared].filter(([, where]) => where.length > 1)).toEqual([]);
});
