// The hook's bundle answers as the source does.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { afterAll, expect, test } from "vitest";
import type { HookHost } from "../../src/adapters/hook/host-call.ts";
import { hookHosts } from "../../src/adapters/hook/hosts/all.ts";
import { judgeInProcess } from "../../src/adapters/hook/in-process.ts";
import { repository } from "../line-process.ts";
import { tree } from "../tree.ts";

const at = tree([
  "home/app/ok.txt: inside",
  "home/app/.env: SECRET",
  "home/app/.gitignore: build",
  "home/app/build/made.txt: x",
  "home/app/ruled/a.txt: x",
  "home/app/hooks-here/x: x",
  "home/app/.git/HEAD: ref: refs/heads/main",
  "home/app/.git/config: [core]\n\thooksPath = hooks-here\n",
  "home/app/.mcp.json => settings.json",
  "home/app/settings.json: {}",
  "home/lib/.git/HEAD: x",
  "home/lib/a.txt: OUTSIDE",
  "home/plain/a.txt: OUTSIDE",
  "home/granted/a.txt: GRANTED",
]);
afterAll(() => at.remove());
const home = at.path("home");
const workspace = at.path("home/app");
mkdirSync(join(home, ".config", "hallpass"), { recursive: true });
writeFileSync(join(home, ".config", "hallpass", "policy.json"), JSON.stringify({ gitignored: "deny", read: { "ruled/**": "deny" } }));
const { dev, ino, birthtimeMs } = statSync(at.path("home/granted"));
const grant = `${dev}:${ino}:${birthtimeMs}:${at.path("home/granted")}`;

const calls: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  ["a file of the workspace", "Read", { file_path: "ok.txt" }],
  ["a secret", "Read", { file_path: ".env" }],
  ["what git ignores, where that is denied", "Read", { file_path: "build/made.txt" }],
  ["a file of a repository outside, which could be granted", "Read", { file_path: "../lib/a.txt" }],
  ["a file outside that could not", "Read", { file_path: "../plain/a.txt" }],
  ["a file under a grant handed over", "Read", { file_path: "../granted/a.txt" }],
  ["a new file", "Write", { file_path: "new.txt", content: "x" }],
  ["a name that runs later", "Write", { file_path: ".git/hooks/pre-commit", content: "x" }],
  ["a file that a rule speaks of", "Read", { file_path: "ruled/a.txt" }],
  ["a hook in a directory that the repository names", "Write", { file_path: "hooks-here/pre-commit", content: "x" }],
  ["what a link of a protected name leads to", "Edit", { file_path: "settings.json", old_string: "a", new_string: "b" }],
  ["a pattern that climbs", "Grep", { pattern: "x", glob: "*/../../lib/*" }],
  ["a command inside", "Bash", { command: "cat ok.txt" }],
  ["a command outside", "Bash", { command: "cat ../lib/a.txt > ok.txt" }],
  ["a command that cannot be read", "Bash", { command: "cat $FILE" }],
];

test.each(calls)("%s is answered by the bundle as by the source", async (_, tool, input) => {
  const payload = { hook_event_name: "PreToolUse", session_id: "s", cwd: workspace, tool_name: tool, tool_input: input, tool_use_id: "t" };
  await answersAlike(hookHosts["claude-code"], payload);
});

test.each(Object.values(hookHosts))("$name is answered by the bundle as by the source", async (host) => {
  for (const path of ["ok.txt", ".env"]) await answersAlike(host, host.sample({ path: join(workspace, path), cwd: workspace }));
});

async function answersAlike(host: HookHost, payload: Readonly<Record<string, unknown>>): Promise<void> {
  const decoded = host.decode(payload);
  if (!decoded.ok) throw new Error(decoded.why);
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home };
  const around = {
    workspace,
    home,
    env,
    platform: process.platform,
    lets: [],
    grants: [grant],
    attended: true,
    kept: null,
    isRecorded: false,
  };
  const words = host.encode(await judgeInProcess(host, decoded.call, around), decoded.call);
  const options = [host.name, "--workspace", workspace, "--grant", grant];
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(repository, "dist", "hook.cjs"), ...options], {
    input: JSON.stringify(payload),
    env,
    cwd: workspace,
    encoding: "utf8",
  });
  expect(status === 0 ? { exit: 0, stdout } : { exit: status, stderr }).toEqual(words);
}

test("the code that was kept of it is taken by the Node that made it", () => {
  for (const name of ["hook", "quick"]) {
    const source = readFileSync(join(repository, "dist", `${name}-body.cjs`), "latin1");
    const cachedData = readFileSync(join(repository, "dist", `${name}.cache`));
    expect(new Script(source, { cachedData }).cachedDataRejected).toBe(false);
  }
});
