// Installing into each host and taking it back: the host's configuration is byte for byte what it was, whatever it looked like.

import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type InstallHost,
  installHosts,
  type Level,
  ownPrograms,
  pinnedWords,
  planFor,
  pluginTextFor,
  type InstallPlace,
} from "../../src/adapters/install/index.ts";
import { NODE_VARIABLES } from "../../src/core/node-variables.ts";
import { grow } from "../scene.ts";
import { diskOf, hallpass } from "./installing.ts";

function place(): { readonly home: string; readonly cwd: string; readonly root: string } {
  const { path, root } = grow(["home/", "home/ws/"]);
  return { home: path("home"), cwd: path("home/ws"), root };
}

const programs = ownPrograms(import.meta.url, process.execPath, process.platform);

/** The files a host would be changed in. */
function filesOf(host: InstallHost, level: Level, { home, cwd }: { readonly home: string; readonly cwd: string }): readonly string[] {
  const where: InstallPlace = { level, workspace: cwd, home, env: {}, platform: process.platform };
  return planFor(host, where, programs, () => "").files.map((wanted) => wanted.files[0]);
}

/** Those of them that are the host's: not the files we write whole. */
function sharedFiles(host: InstallHost, level: Level, at: { readonly home: string; readonly cwd: string }): readonly string[] {
  return filesOf(host, level, at).filter((name) => !/hallpass\.js(?:on)?$|\/hallpass\/shells\//u.test(name));
}

/** What people have in such files. */
const looks: Readonly<Record<string, (toml: boolean) => string>> = {
  "comments and tabs": (toml) =>
    toml
      ? '# mine\nmodel = "o9" # best\n\n[tools]\n\tweb = true\n'
      : '{\n\t// mine\n\t"theme": "dark", /* really */\n\t"hooks": {},\n\t"list": [1,   2],\n}\n',
  "Windows line ends": (toml) => (toml ? 'model = "o9"\r\n\r\n[tools]\r\nweb = true\r\n' : '{\r\n  "theme": "dark"\r\n}\r\n'),
  "a byte order mark": (toml) => (toml ? '\u{FEFF}model = "o9"\n' : '\u{FEFF}{ "theme": "dark" }'),
  "no end of its last line": (toml) => (toml ? 'model = "o9"\n\n[tools]\nweb = true' : '{\n  "theme": "dark",\n  "list": [\n    1\n  ]\n}'),
  "Windows line ends and a byte order mark": (toml) =>
    toml ? '\u{FEFF}model = "o9"\r\n[tools]\r\nweb = true' : '\u{FEFF}{\r\n\t// mine\r\n\t"theme": "dark"\r\n}',
  "one line without an end": (toml) => (toml ? 'model = "o9"' : '{"theme":"dark","nested":{"a":[{"b":1}]}}'),
  "odd indentation": (toml) =>
    toml ? '   model="o9"\n      [tools]\n   web=true' : '{\n       "theme":\n   "dark"\n ,"x":    {  }\n      }\n\n\n',
  nothing: () => "",
};

describe.each(installHosts)("%s", (host) => {
  test.each(["project", "user"] as const)("installed, proven and taken back (%s): everything is as it was", async (level) => {
    const { home, cwd, root } = place();
    const before = diskOf(root);
    const installed = await hallpass(["install", host, `--${level}`, "--yes"], { home, cwd });
    expect(installed.err).toBe("");
    expect(installed.out).toContain(host === "zed" ? "no hook" : `armed: ${host}`);
    expect(installed.exit).toBe(0);
    if (host === "codex") expect(installed.out).toContain("trust this one");
    const once = diskOf(root);
    expect(once.length).toBeGreaterThan(before.length);
    const again = await hallpass(["install", host, `--${level}`, "--yes"], { home, cwd });
    expect(again.out).toContain("nothing to change");
    expect(diskOf(root)).toEqual(once);
    const gone = await hallpass(["uninstall", host, `--${level}`, "--yes"], { home, cwd });
    expect(gone.exit).toBe(0);
    expect(diskOf(root)).toEqual(before);
  });

  test.each(Object.keys(looks).flatMap((look) => (["user", "project"] as const).map((level) => ({ look, level }))))(
    "a configuration with $look comes back byte for byte ($level)",
    async ({ look, level }) => {
      const { home, cwd, root } = place();
      for (const file of sharedFiles(host, level, { home, cwd })) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, looks[look]?.(file.endsWith(".toml")) ?? "", { mode: 0o640 });
      }
      const before = diskOf(root);
      const installed = await hallpass(["install", host, `--${level}`, "--yes"], { home, cwd });
      expect(installed.err).toBe("");
      expect(diskOf(root)).not.toEqual(before);
      if (level === "user")
        expect((await hallpass(["install", host, "--user", "--yes"], { home, cwd })).out).toContain("nothing to change");
      await hallpass(["uninstall", host, `--${level}`, "--yes"], { home, cwd });
      expect(diskOf(root)).toEqual(before);
    },
  );

  test("a person's linked files stay links and come back byte for byte; a project's are refused", async () => {
    const { home, cwd, root } = place();
    const link = (file: string): void => {
      const real = join(home, "dotfiles", file.slice(root.length).replaceAll("/", "-"));
      mkdirSync(dirname(real), { recursive: true });
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(real, looks["comments and tabs"]?.(file.endsWith(".toml")) ?? "");
      symlinkSync(real, file);
    };
    sharedFiles(host, "user", { home, cwd }).forEach(link);
    const before = diskOf(root);
    expect((await hallpass(["install", host, "--user", "--yes"], { home, cwd })).err).toBe("");
    const during = diskOf(root);
    expect(during).not.toEqual(before);
    expect(during.filter((line) => line.includes(" => "))).toEqual(before.filter((line) => line.includes(" => ")));
    await hallpass(["uninstall", host, "--user", "--yes"], { home, cwd });
    expect(diskOf(root)).toEqual(before);

    sharedFiles(host, "project", { home, cwd }).forEach(link);
    const linked = diskOf(root);
    const said = await hallpass(["install", host, "--project", "--yes"], { home, cwd });
    expect([said.exit, said.err]).toEqual([1, expect.stringMatching(/link/u)]);
    expect(diskOf(root)).toEqual(linked);
  });

  test.each(["user", "project"] as const)(
    "a read-only file is somebody's word: told, and nothing at all is changed (%s)",
    async (level) => {
      const { home, cwd, root } = place();
      const file = sharedFiles(host, level, { home, cwd }).at(-1) ?? "";
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, file.endsWith(".toml") ? 'model = "o9"\n' : "{}\n");
      chmodSync(file, 0o444);
      const before = diskOf(root);
      const said = await hallpass(["install", host, `--${level}`, "--yes"], { home, cwd });
      expect([said.exit, said.err]).toEqual([1, expect.stringContaining("is read-only")]);
      expect(diskOf(root)).toEqual(before);
    },
  );

  test("a dry run shows the change and writes nothing", async () => {
    const { home, cwd, root } = place();
    const before = diskOf(root);
    const said = await hallpass(["install", host, "--project", "--dry-run"], { home, cwd });
    expect(said.out).toContain("+++ ");
    expect(said.out).toContain("Nothing was written");
    expect(diskOf(root)).toEqual(before);
    expect(existsSync(join(home, ".local"))).toBe(false);
  });

  test("a malformed file is refused with its place, and nothing at all is changed", async () => {
    const { home, cwd, root } = place();
    const file = sharedFiles(host, "user", { home, cwd }).at(-1) ?? "";
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, file.endsWith(".toml") ? 'model = "o9"\nmodel = = 2\n' : '{\n  "theme": dark\n}\n');
    const before = diskOf(root);
    const said = await hallpass(["install", host, "--user", "--yes"], { home, cwd });
    expect(said.exit).toBe(1);
    expect(said.err).toMatch(/:2:\d+: this is not (?:JSON|TOML)/u);
    expect(diskOf(root)).toEqual(before);
  });
});

test("without a terminal and without --yes nothing is written", async () => {
  const { home, cwd, root } = place();
  const before = diskOf(root);
  const said = await hallpass(["install", "gemini"], { home, cwd });
  expect(said.exit).toBe(2);
  expect(said.err).toContain("--yes");
  expect(diskOf(root)).toEqual(before);
});

test("the owner's own hooks, servers and comments stay, and stay after another change of theirs", async () => {
  const { home, cwd } = place();
  const file = join(home, ".gemini", "settings.json");
  mkdirSync(dirname(file));
  writeFileSync(
    file,
    '{\n  // mine\n  "hooks": { "BeforeTool": [{ "matcher": "x", "hooks": [] }] },\n  "mcpServers": { "other": { "command": "x" } }\n}\n',
  );
  await hallpass(["install", "gemini", "--user", "--yes"], { home, cwd });
  const installed = readFileSync(file, "utf8");
  expect(installed).toContain("// mine");
  expect(installed).toContain("hallpass-hook gemini --ask");
  writeFileSync(file, installed.replace('"matcher": "x"', '"matcher": "y"'));
  const gone = await hallpass(["uninstall", "gemini", "--user", "--yes"], { home, cwd });
  expect(gone.out).toContain("was changed since; only our part was taken out");
  const left = readFileSync(file, "utf8");
  expect(left).toContain("// mine");
  expect(left).toContain('"matcher": "y"');
  expect(left).toContain('"other"');
  expect(left).not.toContain("hallpass");
});

test("a backup for the owner alone lies beside a file while we are in it", async () => {
  const { home, cwd } = place();
  const file = join(home, ".cursor", "mcp.json");
  mkdirSync(dirname(file));
  writeFileSync(file, '{"a":1}', { mode: 0o644 });
  await hallpass(["install", "cursor", "--user", "--yes"], { home, cwd });
  expect(readFileSync(`${file}.hallpass-backup`, "utf8")).toBe('{"a":1}');
  expect(statSync(`${file}.hallpass-backup`).mode & 0o777).toBe(0o600);
  expect(statSync(file).mode & 0o777).toBe(0o644);
});

test("a person's link is followed and stays a link; a project's link is refused", async () => {
  const { home, cwd, root } = place();
  mkdirSync(join(home, "dotfiles"));
  writeFileSync(join(home, "dotfiles", "gemini.json"), "{}\n");
  mkdirSync(join(home, ".gemini"));
  symlinkSync("../dotfiles/gemini.json", join(home, ".gemini", "settings.json"));
  const before = diskOf(root);
  expect((await hallpass(["install", "gemini", "--user", "--yes"], { home, cwd })).exit).toBe(0);
  expect(lstatSync(join(home, ".gemini", "settings.json")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(home, "dotfiles", "gemini.json"), "utf8")).toContain("hallpass-hook");
  await hallpass(["uninstall", "gemini", "--user", "--yes"], { home, cwd });
  expect(diskOf(root)).toEqual(before);

  symlinkSync(join(home, "dotfiles"), join(cwd, ".gemini"));
  const linked = diskOf(root);
  const said = await hallpass(["install", "gemini", "--project", "--yes"], { home, cwd });
  expect(said.err).toContain("lies behind one");
  expect(diskOf(root)).toEqual(linked);
  // The same write, done without looking, goes through the project's link into the home directory.
  writeFileSync(join(cwd, ".gemini", "settings.json"), "{}");
  expect(existsSync(join(home, "dotfiles", "settings.json"))).toBe(true);
});

test("one file that cannot be written stops all of an installation", async () => {
  const { home, cwd, root } = place();
  writeFileSync(join(home, ".claude.json"), "{}");
  chmodSync(join(home, ".claude.json"), 0o400);
  const before = diskOf(root);
  expect((await hallpass(["install", "claude-code", "--user", "--yes"], { home, cwd })).err).toContain("is read-only");
  expect(diskOf(root)).toEqual(before);
});

test("a name that appears twice, and a list where an object should be, are refused with their place", async () => {
  for (const [text, why] of [
    ['{\n  "hooks": {},\n  "hooks": {}\n}', ":3:3: `hooks` appears twice"],
    ['{\n  "hooks": []\n}', ":2:12: `hooks` must be an object"],
  ] as const) {
    const { home, cwd } = place();
    mkdirSync(join(home, ".gemini"));
    writeFileSync(join(home, ".gemini", "settings.json"), text);
    expect((await hallpass(["install", "gemini", "--user", "--yes"], { home, cwd })).err).toContain(why);
    expect(readFileSync(join(home, ".gemini", "settings.json"), "utf8")).toBe(text);
  }
});

test("somebody else's file under our name is left alone", async () => {
  const { home, cwd } = place();
  const file = join(cwd, ".opencode", "plugins", "hallpass.js");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "export const Mine = 1;\n");
  expect((await hallpass(["install", "opencode", "--project", "--yes"], { home, cwd })).err).toContain("somebody else's file");
  expect((await hallpass(["uninstall", "opencode", "--project", "--yes"], { home, cwd })).exit).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("export const Mine = 1;\n");
});

test("hooks that are switched off in the host are told as not armed", async () => {
  const { home, cwd } = place();
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude", "settings.json"), '{ "disableAllHooks": true }');
  const said = await hallpass(["install", "claude-code", "--user", "--yes"], { home, cwd });
  expect(said.out).toContain("not armed: claude-code: `disableAllHooks` is true");
  expect(said.exit).toBe(1);
});

test.each([
  ["claude-code", ".claude/settings.json", '{ "disableAllHooks": true }', "`disableAllHooks` is true"],
  ["claude-code", ".claude/settings.local.json", '{ "disableAllHooks": true }', "`disableAllHooks` is true"],
  ["codex", ".codex/config.toml", "[features]\nhooks = false\n", "`features.hooks` is false"],
  ["codex", ".codex/config.toml", "features.codex_hooks = false\n", "`features.codex_hooks` is false"],
  ["gemini", ".gemini/settings.json", '{ "hooksConfig": { "enabled": false } }', "`hooksConfig.enabled` is false"],
  ["gemini", ".gemini/settings.json", '{ "hooksConfig": { "disabled": ["hallpass"] } }', "`hooksConfig.disabled` names our hook"],
] as const)(
  "%s: a repository that switches a person's hooks off (%s: %s) is told, by install and by doctor",
  async (host, name, text, why) => {
    const { home, cwd } = place();
    expect((await hallpass(["install", host, "--user", "--yes"], { home, cwd })).out).toContain(`armed: ${host}: a secret is stopped`);
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
    expect(await hallpass(["install", host, "--user", "--yes"], { home, cwd })).toMatchObject({
      exit: 1,
      out: expect.stringContaining(`not armed: ${host}: ${why} in ${join(cwd, name)}`),
    });
    expect((await hallpass(["doctor"], { home, cwd })).out.replaceAll(/\s+/gu, " ")).toContain(`not armed: ${why}`);
  },
);

test("the installed line blocks where the hook is gone", async () => {
  const { home, cwd } = place();
  await hallpass(["install", "claude-code", "--project", "--yes"], { home, cwd });
  const text = readFileSync(join(cwd, ".claude", "settings.local.json"), "utf8").replaceAll("hallpass-hook", "hallpass-moved");
  const line = /"command": "((?:[^"\\]|\\.)*)"/u.exec(text)?.[1] ?? "";
  const { spawnSync } = await import("node:child_process");
  const ended = spawnSync("sh", ["-c", line], { input: "{}", encoding: "utf8" });
  expect(ended.status).toBe(2);
  expect(ended.stderr).toContain("hook-failed");
  // Without our last words the shell ends with 127, which most hosts take for a yes.
  expect(spawnSync("sh", ["-c", line.split(" || ")[0] ?? ""], { input: "{}" }).status).toBe(127);
});

describe.each(installHosts.filter((host) => host !== "codex"))("%s: a server of the person's own under our name", (host) => {
  test.each(["user", "project"] as const)("stops the installation, with what to do, and stays (%s)", async (level) => {
    const { home, cwd, root } = place();
    const file = sharedFiles(host, level, { home, cwd }).at(-1) ?? "";
    const key = { opencode: "mcp", zed: "context_servers" }[host as string] ?? "mcpServers";
    mkdirSync(dirname(file), { recursive: true });
    const mine = `{ "${key}": { "hallpass": { "command": "my-own", "args": ["x"] } } }`;
    writeFileSync(file, mine);
    const before = diskOf(root);
    const said = await hallpass(["install", host, `--${level}`, "--yes"], { home, cwd });
    expect([said.exit, said.err]).toEqual([1, expect.stringContaining(`\`${key}.hallpass\` is there already and was not put there by us`)]);
    expect(diskOf(root)).toEqual(before);
    // Nor does taking back touch it.
    await hallpass(["uninstall", host, `--${level}`, "--yes"], { home, cwd });
    expect(readFileSync(file, "utf8")).toBe(mine);
  });
});

describe("what a person added to our line", () => {
  const lined = [
    ["claude-code", ".claude/settings.json"],
    ["codex", ".codex/hooks.json"],
    ["gemini", ".gemini/settings.json"],
    ["copilot", ".copilot/hooks/hallpass.json"],
    ["cursor", ".cursor/hooks.json"],
  ] as const;

  test.each(lined)("%s: stays when it is installed again, and is told", async (host, name) => {
    const { home, cwd, root } = place();
    const before = diskOf(root);
    const file = join(home, name);
    await hallpass(["install", host, "--user", "--yes"], { home, cwd });
    const added = readFileSync(file, "utf8").replaceAll(`${host} --ask`, `${host} --ask --let 'mcp__a b__*' --let=web`);
    // And a line of an earlier time, which is written anew.
    writeFileSync(file, added.replaceAll("HALLPASS_DATA=''", "HALLPASS_OLD=''"));
    const again = await hallpass(["install", host, "--user", "--yes"], { home, cwd });
    expect(again.out).toContain("Kept from the line that was there: --let 'mcp__a b__*' --let=web");
    expect(again.out).toContain(`armed: ${host}`);
    expect(readFileSync(file, "utf8")).toContain(`${host} --ask --wait=570 --start --let 'mcp__a b__*' --let=web || {`);
    expect(readFileSync(file, "utf8")).not.toContain("HALLPASS_OLD");
    expect((await hallpass(["doctor", "--no-canary"], { home, cwd })).out).toContain("configured in");
    await hallpass(["uninstall", host, "--user", "--yes"], { home, cwd });
    expect(diskOf(root)).toEqual(before);
  });

  test("is not taken from a line that a repository brought", async () => {
    const { home, cwd } = place();
    const file = join(cwd, ".claude", "settings.local.json");
    const hook = { matcher: "*", hooks: [{ type: "command", command: "/x/bin/hallpass-hook claude-code --ask --let '*'" }] };
    mkdirSync(dirname(file));
    writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: [hook] } }));
    const said = await hallpass(["install", "claude-code", "--yes"], { home, cwd });
    expect(said.out).toContain("which this installation did not write: --let '*'");
    expect(readFileSync(file, "utf8")).not.toContain("--let");
  });
});

test.each(["claude-code", "codex"] as const)("%s: install and sync are taken back in either order, each backup with them", async (host) => {
  for (const steps of [
    ["install", "sync", "uninstall", "sync --remove"],
    ["install", "sync", "sync --remove", "uninstall"],
    ["sync", "install", "sync --remove", "uninstall"],
    ["sync", "install", "uninstall", "sync --remove"],
    ["install", "sync", "again", "uninstall", "sync --remove"],
    ["install", "sync", "again", "sync --remove", "uninstall"],
  ]) {
    for (const look of [null, "comments and tabs", "one line without an end"]) {
      const { home, cwd, root } = place();
      const file = join(cwd, host === "codex" ? ".codex/config.toml" : ".claude/settings.local.json");
      if (look !== null) {
        mkdirSync(dirname(file));
        writeFileSync(file, looks[look]?.(host === "codex") ?? "");
      }
      const before = diskOf(root);
      for (const step of steps) {
        const [command = "", ...more] = (step === "again" ? "install" : step).split(" ");
        // What would be written today is not what is there.
        const env = step === "again" ? { XDG_CONFIG_HOME: join(home, "other") } : {};
        const said = await hallpass([command, host, "--yes", ...more], { home, cwd, env });
        expect([said.err, said.out]).toEqual(["", expect.not.stringContaining("was changed since")]);
      }
      const after = diskOf(root);
      expect([steps, look, after]).toEqual([steps, look, before]);
    }
  }
});

describe("what leads to our own files", () => {
  const env = { XDG_CONFIG_HOME: "/srv/my cfg", HALLPASS_DATA: "relative", PROJECT_ROOT_WHITELIST: "/srv/src" };

  test.each(installHosts)("%s: is told to everything the host starts, as it was at the installation", (host) => {
    const where: InstallPlace = { level: "user", workspace: "/srv/ws", home: "/home/ada", env, platform: "linux" };
    const pluginText = (): string => pluginTextFor("", programs, pinnedWords(where));
    const { files, command } = planFor(host, where, programs, pluginText);
    const line = "HOME=/home/ada XDG_CONFIG_HOME='/srv/my cfg' XDG_DATA_HOME='' HALLPASS_DATA='' HALLPASS_NODE=";
    if (command !== null) expect(command).toContain(line);
    const text = JSON.stringify(files);
    const words = { HOME: "/home/ada", XDG_CONFIG_HOME: "/srv/my cfg", XDG_DATA_HOME: "", HALLPASS_DATA: "" };
    if (host === "codex") {
      expect(text).toContain(
        JSON.stringify('env = { HOME = "/home/ada", XDG_CONFIG_HOME = "/srv/my cfg", XDG_DATA_HOME = ""').slice(1, -1),
      );
    } else {
      const node = NODE_VARIABLES.flatMap((name) => (name === "NODE_EXTRA_CA_CERTS" ? [] : [[name, ""]]));
      const served = { ...words, PROJECT_ROOT_WHITELIST: "/srv/src", ...Object.fromEntries(node) };
      expect(text).toContain(`${host === "opencode" ? '"environment"' : '"env"'}:${JSON.stringify(served)}`);
      if (host === "opencode") expect(pluginText()).toContain(`"env":${JSON.stringify(words)}`);
    }
  });

  test("an environment that a repository set does not reach the installed hook", async () => {
    const { home, cwd } = place();
    await hallpass(["install", "gemini", "--user", "--yes"], { home, cwd });
    const settings = readFileSync(join(home, ".gemini", "settings.json"), "utf8");
    const line = (JSON.parse(settings) as { hooks: { BeforeTool: [{ hooks: [{ command: string }] }] } }).hooks.BeforeTool[0].hooks[0]
      .command;
    mkdirSync(join(cwd, "cfg", "hallpass"), { recursive: true });
    writeFileSync(join(cwd, "cfg", "hallpass", "policy.json"), '{"secrets":{"except":["**/.env"]}}');
    writeFileSync(join(cwd, ".env"), "KEY=1");
    const { spawnSync } = await import("node:child_process");
    const payload = { hook_event_name: "BeforeTool", session_id: "s", cwd, tool_name: "read_file", tool_input: { file_path: ".env" } };
    const inside = { XDG_CONFIG_HOME: join(cwd, "cfg"), HOME: cwd, HALLPASS_DATA: join(cwd, "x"), XDG_DATA_HOME: "/proc/self/cwd" };
    const run = (command: string): string => {
      const ended = spawnSync("sh", ["-c", command], {
        cwd,
        input: JSON.stringify(payload),
        encoding: "utf8",
        env: { PATH: "/usr/bin:/bin", HALLPASS_START: "never", ...inside },
      });
      return ended.stdout + ended.stderr;
    };
    expect(run(line)).toContain("secret");
    // Without the words in the line the hook finds itself led into the workspace, and denies for that.
    expect(run(line.replace(/^.*(?=HALLPASS_NODE)/u, ""))).toContain("lies in the workspace");
  });
});

test.each([
  ["claude", "claude-code"],
  ["gemini-cli", "gemini"],
  ["claud-code", "claude-code"],
  ["copiolt", "copilot"],
])("a host that is called %s is %s, nearly", async (name, meant) => {
  const { home, cwd } = place();
  const said = await hallpass(["install", name], { home, cwd });
  expect([said.exit, said.err]).toEqual([2, expect.stringContaining(`did you mean ${meant}?`)]);
});
