// The MCP Inspector's command line against `hallpass mcp`: lists the tools, reads a file, is refused one. Opt-in, since it installs the
// Inspector from the registry, in a temporary directory and outside our lock file: `node scripts/mcp-inspector.mjs [version]`.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = process.env.HALLPASS_PROGRAM ?? fileURLToPath(new URL("../bin/hallpass.js", import.meta.url));
const version = process.argv[2] ?? "2.12.0";
const dir = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-inspector-")));
const [home, workspace] = [join(dir, "home"), join(dir, "home", "ws")];

try {
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "INSIDE\n");
  writeFileSync(join(workspace, ".env"), "SECRET\n");
  writeFileSync(join(dir, "package.json"), "{}");
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", `@modelcontextprotocol/inspector@${version}`], {
    cwd: dir,
    stdio: ["ignore", "ignore", "inherit"],
  });

  const { tools } = inspect("--method", "tools/list");
  expect("tools/list names ten tools", tools.length === 10);
  const read = inspect("--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=a.txt");
  expect("tools/call reads a file in the workspace", read.content[0].text === "INSIDE\n");
  const refused = inspect("--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=.env");
  expect("tools/call is refused a secret", refused.isError === true && refused.structuredContent.code === "secret-file");
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** One call of the Inspector's command line; gives the JSON it prints. */
function inspect(...words) {
  const bin = join(dir, "node_modules", ".bin", "mcp-inspector");
  const server = [process.execPath, program, "mcp", "--alone", "--workspace", workspace];
  const env = { PATH: process.env.PATH, HOME: home };
  const { stdout, stderr, status } = spawnSync(bin, ["--cli", ...server, ...words], { cwd: dir, env, encoding: "utf8", timeout: 60_000 });
  const start = stdout.indexOf("{");
  if (start === -1) throw new Error(`the Inspector ended with ${status}: ${stderr.slice(-2000)}`);
  return JSON.parse(stdout.slice(start));
}

function expect(what, holds) {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (!holds) process.exitCode = 1;
}
