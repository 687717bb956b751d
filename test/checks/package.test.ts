// What is published: the program, its types and its documents, one other package, and nothing that runs when it is installed.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const project = fileURLToPath(new URL("../..", import.meta.url));

function packed(): readonly string[] {
  const said = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: project, encoding: "utf8" });
  const [{ files }] = JSON.parse(said) as [{ readonly files: readonly { readonly path: string }[] }];
  return files.map(({ path }) => path);
}

test("no source maps, pictures, tests or sources are published", () => {
  const files = packed();
  expect(files).toContain("dist/cli.js");
  expect(files).toContain("bin/hallpass.cjs");
  expect(files.filter((file) => /\.map$|\.test\.|^(src|test|web|scripts|bench)\/|\.png$/u.test(file))).toEqual([]);
});

test("one package comes with it, and nothing runs when it is installed", () => {
  const { dependencies, scripts } = JSON.parse(readFileSync(`${project}/package.json`, "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly scripts: Readonly<Record<string, string>>;
  };
  expect(Object.keys(dependencies)).toEqual(["libsql"]);
  const running = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];
  expect(running.filter((name) => name in scripts)).toEqual([]);
});
