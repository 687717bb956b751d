// The ten-minute introduction is true: its commands are run as they stand, and the guard says what the page says it does.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/introduction.md"), "utf8");
/** The lines of code of one section. */
const linesOf = (section: number): readonly string[] =>
  (page.split(/^## /m)[section] ?? "").split("\n").flatMap((line) => (line.startsWith("    ") ? [line.slice(4)] : []));

test("what the page says of each path is what `explain` says, before the rule and after it", () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-introduction-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { PATH: process.env["PATH"], HOME: home };
  execFileSync("bash", ["-ec", linesOf(1).join("\n")], { cwd: home, env });
  const explain = (path: string): string => {
    const { stdout } = spawnSync(process.execPath, [join(root, "bin/hallpass.js"), "explain", path], {
      cwd: join(home, "playground/shop"),
      env,
      encoding: "utf8",
    });
    return stdout.replaceAll(home, "~");
  };

  const examples = linesOf(2).map((line) => /^hallpass explain (\S+)\s+# (\w+)\s+(.+)$/.exec(line) ?? []);
  expect(examples.map(([, , verdict]) => verdict)).toEqual(["allow", "ask", "deny"]);
  for (const [, path = "", verdict = "", because = ""] of examples) {
    expect(explain(path)).toMatch(new RegExp(`^. ${verdict}  `));
    expect(explain(path)).toContain(because);
  }

  const file = join(home, ".config/hallpass/policy.json");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, linesOf(5).join("\n"));
  const ruled = explain("../api/client.ts");
  expect(ruled).toMatch(/^. allow {2}/);
  expect(ruled).toContain("~/.config/hallpass/policy.json:1:");
});
