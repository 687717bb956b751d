// What people add to our own entries in a host's file stays when we are installed again, what starts our program and what decides whether a
// hook runs does not; and all of it goes without a trace when we are taken out.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { expect, test } from "vitest";
import { grow } from "../scene.ts";
import { diskOf, hallpass } from "./installing.ts";

function place() {
  const { path, root } = grow(["home/", "home/ws/"]);
  const [home, cwd] = [path("home"), path("home/ws")];
  const said = (...words: string[]) => hallpass([...words, "--user", "--yes"], { home, cwd });
  return { home, cwd, root, said };
}

const read = (file: string): string => readFileSync(file, "utf8");
/** Started by another name of our program, as before a move: what would be written today is not what is there. */
const aged = (text: string): string => text.replaceAll("bin/hallpass.cjs", "bin/x/../../bin/hallpass.cjs");

const servers = [
  ["claude-code", ".claude.json", "mcpServers"],
  ["gemini", ".gemini/settings.json", "mcpServers"],
  ["copilot", ".copilot/mcp-config.json", "mcpServers"],
  ["cursor", ".cursor/mcp.json", "mcpServers"],
  ["opencode", ".config/opencode/opencode.json", "mcp"],
  ["zed", ".config/zed/settings.json", "context_servers"],
] as const;

test.each(servers)(
  "%s: settings of our server that a person added stay, and are told; taken out, every file is what it was",
  async (host, name, key) => {
    const { home, root, said } = place();
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{\n  // mine\n  "theme": "dark"\n}\n');
    const before = diskOf(root);
    await said("install", host);
    const words = host === "opencode" ? "environment" : "env";
    const text = read(file).replace(
      `"${words}": {`,
      `"timeout": 90,\n"disabled": false,\n"alwaysAllow": ["grep"],\n"${words}": {\n"FOO": "bar", "LD_PRELOAD": "x.so",`,
    );
    // Only added to: there is nothing to write.
    writeFileSync(file, text.replace(' "LD_PRELOAD": "x.so",', ""));
    expect((await said("install", host)).out).not.toContain("+++");
    // And started otherwise than it would be today.
    writeFileSync(file, aged(text));
    const again = await said("install", host);
    const at = `${key}.hallpass`;
    expect(again.out).toContain(
      `Kept in our entries, as you have it: ${at}.timeout, ${at}.disabled, ${at}.alwaysAllow, ${at}.${words}.FOO`,
    );
    expect(again.out).toContain(`Not kept in our entries: ${at}.${words}.LD_PRELOAD`);
    const now = (JSON.parse(read(file).replace("// mine", "")) as Record<string, { hallpass: Record<string, unknown> }>)[key]?.hallpass;
    expect(now).toMatchObject({ timeout: 90, disabled: false, alwaysAllow: ["grep"], [words]: { FOO: "bar", NODE_OPTIONS: "" } });
    expect(JSON.stringify(now)).not.toMatch(/LD_PRELOAD|x\/\.\./u);
    await said("uninstall", host);
    expect(diskOf(root)).toEqual(before);
  },
);

test("what a person chose otherwise than we would stays too: a server that is switched off, fewer of its tools", async () => {
  const { home, said } = place();
  await said("install", "copilot");
  const file = join(home, ".copilot/mcp-config.json");
  writeFileSync(file, aged(read(file)).replace('"*"', '"read_file"'));
  expect((await said("install", "copilot")).out).toContain("mcpServers.hallpass.tools");
  expect(JSON.parse(read(file))).toMatchObject({ mcpServers: { hallpass: { tools: ["read_file"] } } });
});

test("codex: settings in our block stay, and the block goes without a trace", async () => {
  const { home, root, said } = place();
  const file = join(home, ".codex/config.toml");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'model = "o9" # best\n');
  const before = diskOf(root);
  await said("install", "codex");
  const added = read(file)
    .replace("tool_timeout_sec = 600", 'tool_timeout_sec = 900\nenabled = false\nenabled_tools = ["grep", "read_file"]')
    .replace("env = { ", 'env = { FOO = "a \\"b\\"", ');
  writeFileSync(file, aged(added));
  const said2 = await said("install", "codex");
  expect(said2.out).toContain("Kept in our entries, as you have it: mcp_servers.hallpass.env.FOO, mcp_servers.hallpass.tool_timeout_sec");
  expect(parseToml(read(file))).toMatchObject({
    model: "o9",
    mcp_servers: {
      hallpass: { tool_timeout_sec: 900, enabled: false, enabled_tools: ["grep", "read_file"], env: { FOO: 'a "b"', NODE_OPTIONS: "" } },
    },
  });
  expect(read(file)).not.toContain("x/../");
  expect((await said("install", "codex")).out).not.toContain("+++");
  await said("uninstall", "codex");
  expect(diskOf(root)).toEqual(before);
});

test("of a hook a longer wait and what is said stay; what would keep it from running, or the host from waiting, does not", async () => {
  const { home, root, said } = place();
  const before = diskOf(root);
  await said("install", "claude-code");
  const file = join(home, ".claude/settings.json");
  const first = read(file);
  writeFileSync(
    file,
    first.replace(
      /"timeout": 600,\s*"statusMessage": "[^"]*"/u,
      '"timeout": 900, "statusMessage": "asking", "async": true, "if": "Bash(x)"',
    ),
  );
  const again = await said("install", "claude-code");
  expect(again.out).toContain("as you have it: hooks.PreToolUse.timeout, hooks.PreToolUse.statusMessage");
  expect(again.out).toContain("Not kept in our entries: hooks.PreToolUse.async, hooks.PreToolUse.if");
  const hook = (JSON.parse(read(file)) as { hooks: { PreToolUse: [{ hooks: [object] }] } }).hooks.PreToolUse[0].hooks[0];
  expect(hook).toMatchObject({ timeout: 900, statusMessage: "asking" });
  expect(Object.keys(hook)).not.toContain("async");
  expect((await hallpass(["doctor", "--no-canary"], { home, cwd: join(home, "ws") })).out).toContain("configured in");
  writeFileSync(file, first.replace('"timeout": 600', '"timeout": 1'));
  expect((await said("install", "claude-code")).out).toContain("Not kept in our entries: hooks.PreToolUse.timeout");
  expect(read(file)).toContain('"timeout": 600');
  await said("uninstall", "claude-code");
  expect(diskOf(root)).toEqual(before);
});

test("nothing is kept from an entry that a repository brought", async () => {
  const { home, cwd } = place();
  const brought = { command: "node", args: ["/x/bin/hallpass.cjs", "mcp"], env: { FOO: "1" }, cwd: "/x" };
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { hallpass: brought } }));
  const said = await hallpass(["install", "claude-code", "--yes"], { home, cwd });
  expect(said.out).toContain("Not kept in our entries: mcpServers.hallpass.env.FOO, mcpServers.hallpass.cwd");
  expect(read(join(cwd, ".mcp.json"))).not.toMatch(/FOO|"cwd"/u);
});

test("a hook of somebody else's in one group with ours stays, and so does one that is called as ours could be", async () => {
  const { home, said } = place();
  await said("install", "claude-code");
  const file = join(home, ".claude/settings.json");
  interface Group {
    readonly matcher: string;
    readonly hooks: readonly { readonly command: string; readonly type: string }[];
  }
  const hooksIn = (): readonly Group[] => (JSON.parse(read(file)) as { hooks: { PreToolUse: Group[] } }).hooks.PreToolUse;
  const [ours] = hooksIn();
  const theirs = { type: "command", command: "./lint.sh" };
  const alike = { matcher: "Edit", hooks: [{ type: "command", command: "node ./dist/hook.cjs --format" }] };
  const groups = [{ ...ours, matcher: "Bash", hooks: [theirs, ...(ours?.hooks ?? [])] }, alike];
  writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: groups } }, null, 2));
  await said("install", "claude-code");
  expect(hooksIn()).toEqual([{ matcher: "Bash", hooks: [theirs] }, alike, ours]);
  writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: groups } }, null, 2));
  await said("uninstall", "claude-code");
  expect(hooksIn()).toEqual([{ matcher: "Bash", hooks: [theirs] }, alike]);
});
