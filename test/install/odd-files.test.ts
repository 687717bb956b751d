// Configurations that are not what they should be, of a repository's or a user's making: nothing waits for them, nothing falls over them, and
// nothing in them is run.

import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRecords } from "../../src/adapters/install/records.ts";
import { grow } from "../scene.ts";
import { diskOf, hallpass } from "./installing.ts";

function place() {
  const { path, root } = grow(["home/", "ws/"]);
  const [home, cwd] = [path("home"), path("ws")];
  const put = (name: string, text: string): string => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
    return join(cwd, name);
  };
  return { home, cwd, root, put, said: (...words: string[]) => hallpass(words, { home, cwd }) };
}

describe("doctor in a repository", () => {
  const looksLikeOurs = (touched: string): string => `touch ${touched}; /opt/hallpass/bin/hallpass-hook claude-code --ask`;
  const settings = (command: string): string =>
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command }] }] } });

  test("runs no line that the repository brought, also beside one of ours, and says so", async () => {
    const { root, cwd, put, said } = place();
    const touched = join(root, "touched");
    put(".claude/settings.json", settings(looksLikeOurs(touched)));
    const alone = await said("doctor");
    expect(alone.out).toMatch(/looks like ours but is not what we would write/u);
    await said("install", "claude-code", "--yes");
    const both = await said("doctor");
    expect(both.out).toContain("armed");
    expect(both.out).toMatch(/looks like ours but is not what we would write/u);
    expect(existsSync(touched)).toBe(false);
    // What the host itself would do with that line.
    spawnSync("sh", ["-c", looksLikeOurs(touched)], { cwd });
    expect(existsSync(touched)).toBe(true);
  });

  test("runs nothing that its git settings name, nor a git or rg of its own", async () => {
    const { root, home, cwd, put, said } = place();
    const touched = join(root, "touched");
    const git = (...words: string[]) =>
      spawnSync("git", ["-C", cwd, ...words], { encoding: "utf8", env: { PATH: "/usr/bin:/bin", HOME: home } });
    put(".mcp.json", "{}\n");
    git("init", "-q");
    git("add", ".mcp.json");
    git("config", "core.fsmonitor", `touch ${touched}; false`);
    const planted = ["git", "rg"].map((name) => put(`bin/${name}`, `#!/bin/sh\ntouch ${touched}\n`));
    for (const file of planted) chmodSync(file, 0o755);
    expect((await said("install", "claude-code", "--project", "--yes")).err).toContain("git tracks");
    const env = { PATH: `${join(cwd, "bin")}:./bin:/usr/bin:/bin` };
    expect((await hallpass(["install", "claude-code", "--project", "--yes"], { home, cwd, env })).err).toContain("git tracks");
    await hallpass(["doctor"], { home, cwd, env });
    expect(existsSync(touched)).toBe(false);
    // What git does with these settings by itself.
    git("ls-files");
    expect(existsSync(touched)).toBe(true);
  });

  test("loads no plugin that the repository brought", async () => {
    const { root, put, said } = place();
    const touched = join(root, "touched");
    const file = put(
      ".opencode/plugins/hallpass.js",
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(touched)}, ""); export const Hallpass = async () => ({});`,
    );
    expect((await said("doctor")).out).toMatch(/looks like ours but is not what we would write/u);
    expect(existsSync(touched)).toBe(false);
    spawnSync(process.execPath, ["--input-type=module", "-e", `await import(${JSON.stringify(file)})`]);
    expect(existsSync(touched)).toBe(true);
  });

  test("runs nothing of a home directory that the environment leads into it", async () => {
    const { root, cwd, put } = place();
    const touched = join(root, "touched");
    put(".claude/settings.json", settings(looksLikeOurs(touched)));
    await hallpass(["doctor"], { home: cwd, cwd });
    expect(existsSync(touched)).toBe(false);
  });

  test.skipIf(process.platform === "win32")("waits for no pipe, and goes through nothing that is nested without end", async () => {
    const { cwd, put, said } = place();
    mkdirSync(join(cwd, ".claude"));
    spawnSync("mkfifo", [join(cwd, ".claude", "settings.json")]);
    put(".cursor/hooks.json", `{"hooks":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    const { out } = await said("doctor", "--no-canary");
    expect(out.replaceAll(/\s+/gu, " ")).toMatch(/settings\.json cannot be read as JSON.*hooks\.json cannot be read as JSON/u);
  });
});

test.each([
  ["plainly", (deep: string) => `{"a":${deep}}`],
  ["between texts in comments", (deep: string) => `{/*"*/"a":${deep}/*"*/}`],
])("a file that is nested without end is refused, %s, and nothing is changed", async (_name, of) => {
  const { root, put, said } = place();
  put(".claude/settings.local.json", of("[".repeat(100_000) + "]".repeat(100_000)));
  const before = diskOf(root);
  for (const command of ["install", "uninstall"])
    expect(await said(command, "claude-code", "--yes")).toMatchObject({ exit: 1, err: expect.stringContaining("levels deep") });
  expect(diskOf(root)).toEqual(before);
});

test("braces in texts and comments are no nesting", async () => {
  const { put, said } = place();
  put(".mcp.json", `{\n // ${"{".repeat(500)}\n "pasted": "${"[".repeat(500)}"\n}\n`);
  expect(await said("install", "claude-code", "--yes")).toMatchObject({ exit: 0, err: "" });
});

test.skipIf(process.getuid?.() !== 0)("a file that another user owns stays theirs", async () => {
  const { put, said } = place();
  const file = put(".mcp.json", "{}\n");
  chownSync(file, 1234, 1235);
  for (const command of ["install", "uninstall"]) {
    await said(command, "claude-code", "--yes");
    expect(statSync(file)).toMatchObject({ uid: 1234, gid: 1235 });
  }
  expect(readFileSync(file, "utf8")).toBe("{}\n");
});

describe("an installation that was interrupted", () => {
  /** As it stands when the power goes before the last step of each file: recorded, half of a backup laid, written beside its place. */
  const interrupted = () => {
    const at = place();
    const { home, cwd, put, root } = at;
    const shared = put(".mcp.json", '{ "theme": "dark" }\n');
    const before = diskOf(root);
    const own = join(cwd, ".claude", "settings.local.json");
    const records = createRecords(join(home, ".local", "share", "hallpass"));
    const record = { version: 1, owner: "install claude-code project", after: "", containers: [] } as const;
    const backup = `${shared}.hallpass-backup`;
    const was = readFileSync(shared).toString("base64");
    records.keep({ ...record, containers: [], file: shared, before: was, directories: [], backup });
    records.keep({ ...record, containers: [], file: own, before: null, directories: [dirname(own)], backup: null });
    writeFileSync(backup, '{ "the');
    mkdirSync(dirname(own));
    // Of one that has ended, and of one that had our own number, as in a container.
    const ended = spawnSync("true").pid;
    for (const pid of [ended, process.pid])
      for (const file of [shared, own]) writeFileSync(join(dirname(file), `.${basename(file)}.hallpass-${pid}`), "{ half");
    return { ...at, before };
  };

  test("is taken back without a trace", async () => {
    const { root, before, said } = interrupted();
    expect(await said("uninstall", "claude-code", "--yes")).toMatchObject({ exit: 0, err: "" });
    expect(diskOf(root)).toEqual(before);
  });

  test("is done again, with a whole backup, and taken back without a trace", async () => {
    const { root, cwd, before, said } = interrupted();
    expect(await said("install", "claude-code", "--yes")).toMatchObject({ exit: 0, err: "" });
    expect(readFileSync(join(cwd, ".mcp.json.hallpass-backup"), "utf8")).toBe('{ "theme": "dark" }\n');
    expect(readdirSync(cwd)).toEqual([".claude", ".mcp.json", ".mcp.json.hallpass-backup"]);
    await said("uninstall", "claude-code", "--yes");
    expect(diskOf(root)).toEqual(before);
  });

  test("what another installation that still runs has written beside a file is left to it", async () => {
    const { cwd, put, said } = place();
    const running = put(`..mcp.json.hallpass-${process.ppid}`, "theirs");
    await said("install", "claude-code", "--yes");
    expect(readFileSync(running, "utf8")).toBe("theirs");
    expect(readdirSync(cwd)).toContain(".mcp.json");
  });
});
