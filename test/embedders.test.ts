// The three programs of docs/guides/library.md, as a stranger runs them: on the packed package, with its one dependency and the programs' own.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
let place = "";

beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-embedder-")));
  const said = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", place], { cwd: root, stdio: "pipe" });
  const [{ filename }] = JSON.parse(said.toString()) as [{ readonly filename: string }];
  const installed = join(place, "node_modules/hallpass");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["xzf", join(place, filename), "-C", installed, "--strip-components=1"]);
  mkdirSync(join(place, "node_modules/@modelcontextprotocol"));
  for (const name of ["libsql", "@modelcontextprotocol/client"])
    symlinkSync(join(root, "node_modules", name), join(place, "node_modules", name));
  writeFileSync(join(place, "package.json"), '{ "type": "module" }');
  cpSync(join(root, "examples"), join(place, "examples"), { recursive: true });
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

test.each(["05-own-tool", "04-agent-behind-your-ui", "12-mcp-in-your-product"])(
  "%s needs nothing but what the package exports",
  (name) => {
    const env = { PATH: process.env["PATH"], HOME: place };
    const ran = spawnSync(process.execPath, [`examples/${name}.mjs`], { cwd: place, env, encoding: "utf8", timeout: 100_000 });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
  },
  120_000,
);
