// The shells of hosts that have no plugin of ours: bash is started as the host starts it, with nothing but what `hallpass install` writes.

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { detect } from "../../src/sandbox/sandbox.ts";
import { environmentOf, executable, type Stage, stage } from "../server/daemon-process.ts";
import { startDaemon, stateOf } from "./opencode-host.ts";

const confined = describe.skipIf((await detect()).why !== null && process.env["CI"] === undefined);
const LONG = { timeout: 240_000 };

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A host: it works in the workspace, and starts a program there, without input. */
const HOST = `const [program, ...words] = process.argv.slice(1);
process.exitCode = require("node:child_process").spawnSync(program, words, { stdio: ["ignore", "inherit", "inherit"] }).status ?? 1;`;

const start = (on: Stage, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  new Promise((done) => {
    execFile(
      process.execPath,
      ["-e", HOST, ...words],
      { cwd: on.workspace, env: { ...environmentOf(on), ...env }, encoding: "utf8" },
      (error, stdout, stderr) => done({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, stdout, stderr }),
    );
  });

const hallpass = (on: Stage, ...words: readonly string[]): Promise<Ended> => start(on, [process.execPath, executable, ...words]);
const shellsOf = (on: Stage): string => join(on.home, ".local/share/hallpass/shells");
const settingsOf = (on: Stage): string => join(on.home, ".claude/settings.json");

/** With the program that reads another repository's file and does not say so in its command. */
async function staged(host: string): Promise<Stage> {
  const on = stage();
  writeFileSync(
    join(on.workspace, "read.cjs"),
    `console.log(require("fs").readFileSync(["..", "lib", "far.txt"].join("/"), "utf8").trim());`,
  );
  mkdirSync(join(on.workspace, "sub"));
  const installed = await hallpass(on, "install", host, "--user", "--yes");
  expect(installed.stdout).toContain(`armed: ${host}`);
  return on;
}

/** The same, where this process is the host, which goes on: a session ends with its host. */
const startHere: typeof start = (on, [program = "", ...words], env) =>
  new Promise((done) => {
    execFile(program, words, { cwd: on.workspace, env: { ...environmentOf(on), ...env }, encoding: "utf8" }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, stdout, stderr }),
    );
  });

/** As Claude Code starts what its settings name, and what its model wrote. */
function claudeLine(on: Stage, text: string, startBy = start): Promise<Ended> {
  const { env } = JSON.parse(readFileSync(settingsOf(on), "utf8")) as { readonly env: { readonly CLAUDE_CODE_SHELL_PREFIX: string } };
  return startBy(on, ["/bin/sh", "-c", `${env.CLAUDE_CODE_SHELL_PREFIX} ${quote(text)}`], { CLAUDE_CODE_SESSION_ID: "ses-1" });
}
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const claudeCommand = (on: Stage, command: string, startBy = start): Promise<Ended> =>
  claudeLine(on, `true && eval ${quote(command)} < /dev/null && pwd -P >| ${join(on.root, "claude-1-cwd")}`, startBy);

confined("a host's shell, by what install writes", () => {
  test("Codex: a program of its own is confined, and reads the file where the setting is not", LONG, async () => {
    const on = await staged("codex");
    const env = { BASH_ENV: join(shellsOf(on), "codex") };
    const held = await start(on, ["/bin/bash", "-c", "cat notes.txt; node read.cjs; exit 3"], env);
    expect(held).toMatchObject({ code: 3, stdout: "inside the workspace\n" });
    expect(held.stderr).toContain("ENOENT");
    expect(await start(on, ["/bin/bash", "-c", "node read.cjs"])).toMatchObject({ code: 0, stdout: "outside the workspace\n" });
    // Functions of the environment stand for nothing that leads there.
    const names = ["exec", "exit", "export", "unset", ".", "return", "set", "echo", "printf", "read", "mapfile", "builtin", "command"];
    const functions = Object.fromEntries(names.map((name) => [`BASH_FUNC_${name}%%`, '() { /bin/cat "../lib/far.txt"; }']));
    expect(await start(on, ["/bin/bash", "-c", "cat notes.txt; exit 3"], { ...env, ...functions })).toMatchObject({
      code: 3,
      stdout: "inside the workspace\n",
    });
    // A script that a person's profile runs is no command of the model's.
    writeFileSync(join(on.root, "profile.sh"), "echo mine\n");
    expect(await start(on, ["/bin/bash", join(on.root, "profile.sh")], env)).toMatchObject({ code: 0, stdout: "mine\n" });
  });

  test("Claude Code: the same, and it learns in which directory the command ended", LONG, async () => {
    const on = await staged("claude-code");
    const held = await claudeCommand(on, "cd sub; node ../read.cjs; cat ../notes.txt");
    expect(held).toMatchObject({ code: 0, stdout: "inside the workspace\n" });
    expect(held.stderr).toContain("ENOENT");
    expect(readFileSync(join(on.root, "claude-1-cwd"), "utf8")).toBe(`${join(on.workspace, "sub")}\n`);
    await claudeCommand(on, "cd /tmp");
    expect(readFileSync(join(on.root, "claude-1-cwd"), "utf8")).toBe(`${join(on.workspace, "sub")}\n`);
  });

  test("Claude Code, with a daemon: no Node is started, and what a command leaves does not lead the next one astray", LONG, async () => {
    const on = await staged("claude-code");
    const daemon = await startDaemon(on);
    const file = join(shellsOf(on), "claude-code");
    writeFileSync(file, readFileSync(file, "utf8").replace(/export HALLPASS_NODE=\S+/u, "export HALLPASS_NODE=/bin/false"));
    const { hooks } = JSON.parse(readFileSync(settingsOf(on), "utf8")) as {
      readonly hooks: { readonly PreToolUse: readonly [{ readonly hooks: readonly [{ readonly command: string }] }] };
    };
    const command = async (text: string): Promise<Ended> => {
      const call = {
        session_id: "ses-1",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: text },
        tool_use_id: randomUUID(),
      };
      writeFileSync(join(on.root, "payload.json"), JSON.stringify({ ...call, cwd: on.workspace, permission_mode: "default" }));
      const line = `(${hooks.PreToolUse[0].hooks[0].command}) < ${quote(join(on.root, "payload.json"))}`;
      const judged = await startHere(on, ["/bin/sh", "-c", line], { CLAUDE_PROJECT_DIR: on.workspace });
      expect(judged, text).toMatchObject({ code: 0, stdout: expect.not.stringContaining("deny") });
      const ran = await claudeCommand(on, text, startHere);
      expect([text, ran.stderr, await stateOf(daemon)]).toEqual([text, "", [["claude-code", "verified"]]]);
      return ran;
    };
    const ended = (): string => readFileSync(join(on.root, "claude-1-cwd"), "utf8");
    // It exchanges what commands report for a pipe, a link and a directory, as long as it goes on.
    writeFileSync(
      join(on.workspace, "racer.py"),
      `import glob, os, itertools
open("/tmp/racing", "w").close()
while True:
    for path in glob.glob("/tmp/hallpass-shell-*/*"):
        for make in (lambda p: os.mkfifo(p), lambda p: os.symlink(${JSON.stringify(on.library)}, p), lambda p: os.mkdir(p)):
            try:
                os.rename(path, path + ".old"); make(path)
            except OSError: pass
`,
    );
    expect(await command("cd sub")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await command("cd sub && touch /tmp/kept")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(ended()).toBe(`${join(on.workspace, "sub")}\n`);
    expect(await command("python3 racer.py >/dev/null 2>&1 & until [ -e /tmp/racing ]; do sleep 0.05; done")).toMatchObject({ code: 0 });
    for (let round = 0; round < 5; round += 1) {
      expect(await command("cat notes.txt /tmp/kept; pgrep -c python3")).toMatchObject({ code: 0, stdout: "inside the workspace\n1\n" });
      expect([on.workspace, join(on.workspace, "sub")]).toContain(ended().trim());
    }
    expect(readFileSync(join(on.library, "far.txt"), "utf8")).toBe("outside the workspace\n");
  });

  test(
    "Claude Code: a line of its settings goes on as it stands there, any other is confined, and without our file nothing runs",
    LONG,
    async () => {
      const on = await staged("claude-code");
      const line = `cat ${join(on.workspace, "../lib/far.txt")}`;
      expect(await claudeLine(on, line)).toMatchObject({ stdout: "" });
      const settings = JSON.parse(readFileSync(settingsOf(on), "utf8")) as { readonly hooks: Record<string, unknown> };
      settings.hooks["PostToolUse"] = [{ hooks: [{ type: "command", command: line }] }];
      writeFileSync(settingsOf(on), JSON.stringify(settings));
      expect(await claudeLine(on, line)).toEqual({ code: 0, stdout: "outside the workspace\n", stderr: "" });
      // An MCP server is started by the same setting, as a program and not by a shell.
      const served = [join(shellsOf(on), "claude-code"), `${quote(process.execPath)} -v`];
      expect(await start(on, served)).toMatchObject({ stdout: `${process.version}\n` });
      renameSync(join(shellsOf(on), "claude-code"), join(on.root, "gone"));
      expect(await claudeLine(on, line)).toMatchObject({ code: 127, stdout: "" });
    },
  );

  test(
    "Copilot: the hook's line leads the command there; without our file it is not put there, and a line that names it ends the shell",
    LONG,
    async () => {
      const on = await staged("copilot");
      const hook = async (command: string): Promise<Readonly<Record<string, unknown>>> => {
        const payload = { sessionId: "s", timestamp: 0, cwd: on.workspace, toolName: "bash", toolArgs: { command, description: "x" } };
        writeFileSync(join(on.root, "payload.json"), JSON.stringify(payload));
        const line = `${quote(process.execPath)} ${quote(executable)} hook copilot < ${quote(join(on.root, "payload.json"))}`;
        return JSON.parse((await start(on, ["/bin/sh", "-c", line])).stdout) as Readonly<Record<string, unknown>>;
      };
      const led = `set -e; . ${join(shellsOf(on), "copilot")}\nnode read.cjs; cat notes.txt`;
      // A model that has seen the line in its calls may write it too.
      for (const command of ["node read.cjs; cat notes.txt", led])
        expect(await hook(command)).toEqual({ modifiedArgs: { command: led, description: "x" } });
      const held = await start(on, ["/bin/bash", "--norc", "--noprofile", "-c", led]);
      expect(held).toMatchObject({ code: 0, stdout: "inside the workspace\n" });
      expect(held.stderr).toContain("ENOENT");
      expect(await start(on, ["/bin/bash", "-c", "node read.cjs"])).toMatchObject({ code: 0, stdout: "outside the workspace\n" });
      renameSync(join(shellsOf(on), "copilot"), join(on.root, "gone"));
      expect(await hook("cat notes.txt")).toEqual({});
      expect(await hook(led)).toMatchObject({ permissionDecision: expect.stringMatching(/deny|ask/u) });
      expect(await start(on, ["/bin/bash", "-c", led])).toMatchObject({ code: 1, stdout: "" });
    },
  );
});
