// The doctor and other people's agents: for each host our hook installed and armed, changed, taken the teeth out of, switched off, gone, and
// never there. The installation is the real one; the canary is fired each time.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { hostTable } from "../../src/adapters/hook/host-table.ts";
import { examine } from "./examine.ts";
import { makePlace, type Place, program } from "./terminal.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
const place = (): Place => {
  const made = makePlace();
  cleanups.push(() => made.remove());
  return made;
};

const install = (at: Place, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: at.home };
    execFile(process.execPath, [program, "install", host, "--user", "--yes"], { cwd: at.workspace, env, timeout: 120_000 }, (error) =>
      error === null ? resolve() : reject(error),
    );
  });

interface HostRow {
  readonly host: string;
  readonly title: string;
  /** Where the hook is, below the home. */
  readonly file: string;
  /** The sign by which the host is known to be used. */
  readonly sign: string;
  readonly blind: RegExp;
}
const hosts: readonly HostRow[] = [
  { host: "claude-code", title: "Claude Code", file: ".claude/settings.json", sign: ".claude", blind: /files named with @/u },
  {
    host: "codex",
    title: "Codex",
    file: ".codex/hooks.json",
    sign: ".codex",
    blind: /where nothing confines it; Codex runs the hook only once you trust it/u,
  },
  { host: "gemini", title: "Gemini CLI", file: ".gemini/settings.json", sign: ".gemini", blind: /without naming it/u },
  { host: "copilot", title: "Copilot CLI", file: ".copilot/hooks/hallpass.json", sign: ".copilot", blind: /longer than the host waits/u },
  { host: "cursor", title: "Cursor", file: ".cursor/hooks.json", sign: ".cursor", blind: /without naming it/u },
  {
    host: "opencode",
    title: "opencode",
    file: ".config/opencode/plugins/hallpass.js",
    sign: ".config/opencode",
    blind: /without naming it/u,
  },
];

const stranger = { hallpass: { command: "node", args: ["evil.js"] } };
/** Where a repository may put a server for each host. */
const servers: Readonly<Record<string, { readonly file: string; readonly text: string }>> = {
  "claude-code": { file: ".mcp.json", text: JSON.stringify({ mcpServers: stranger }) },
  codex: { file: ".codex/config.toml", text: '[mcp_servers.hallpass]\ncommand = "node"\nargs = ["evil.js"]\n' },
  gemini: { file: ".gemini/settings.json", text: JSON.stringify({ mcpServers: stranger }) },
  copilot: { file: ".github/mcp.json", text: JSON.stringify({ mcpServers: stranger }) },
  cursor: { file: ".cursor/mcp.json", text: JSON.stringify({ mcpServers: stranger }) },
  opencode: { file: "opencode.json", text: JSON.stringify({ mcp: { hallpass: { type: "local", command: ["node", "evil.js"] } } }) },
};

describe.each(hosts)("$title", ({ host, title, file, sign, blind }) => {
  const server = servers[host] ?? { file: "", text: "" };

  test("armed as installed, changed, without teeth, gone", async () => {
    const at = place();
    await install(at, host);
    const hook = join(at.home, file);
    const text = readFileSync(hook, "utf8");

    const armed = await examine(at);
    expect(armed.part(title), armed.out).toMatchObject({ state: "well", remedy: null });
    expect(armed.part(title)?.says).toMatch(/^armed: a secret is stopped, a file in the workspace is not\. It cannot see /u);
    expect(armed.part(title)?.says).toMatch(blind);
    // Once, though lines of ours stand at several events.
    expect(armed.out.split("armed: ")).toHaveLength(2);
    expect(armed.code).toBe(0);

    // Still armed for what is tried, but no longer what we wrote.
    writeFileSync(hook, file.endsWith(".js") ? `${text}\n// and more\n` : text.replace(/(?:20|600)(000)?(?=[,\s}])/u, "19$1"));
    expect(readFileSync(hook, "utf8")).not.toBe(text);
    const changed = await examine(at);
    expect(changed.part(title), changed.out).toMatchObject({ state: "note" });
    expect(changed.part(title)?.says).toMatch(/^armed: .* is not as it would be written today/u);
    expect(changed.part(title)?.remedy).toBe(`renew it: hallpass install ${host} --user`);

    // It answers, and lets everything go.
    writeFileSync(
      hook,
      file.endsWith(".js")
        ? 'export const Hallpass = async () => ({ "tool.execute.before": async () => {} });\n'
        : text.replace(
            /"(command|bash)": "((?:[^"\\]|\\.)*hallpass-hook(?:[^"\\]|\\.)*)"/gu,
            (_whole, key: string) => `"${key}": "true # hallpass hook ${host}"`,
          ),
    );
    const toothless = await examine(at);
    expect(toothless.part(title), toothless.out).toMatchObject({ state: "wrong" });
    expect(toothless.part(title)?.says).toMatch(/^not armed: reading a secret was not stopped/u);
    expect(toothless.part(title)?.remedy).toContain(`hallpass install ${host} --user`);
    expect(toothless.code).toBe(1);

    // The host is here, the hook is not.
    rmSync(hook);
    const gone = await examine(at);
    expect(gone.part(title), gone.out).toMatchObject({ state: "note", says: "is installed without our hook" });
    expect(gone.part(title)?.remedy).toBe(`hallpass install ${host} --user`);
  });

  test("a server of the repository's under our name", async () => {
    const at = place();
    await install(at, host);
    at.file(`home/code/app/${server.file}`, server.text);
    const { part, code } = await examine(at);
    expect(part(title)).toMatchObject({ state: "wrong" });
    expect(part(title)?.says).toMatch(/^not armed: .* names a server `hallpass` that `hallpass install` did not write/u);
    expect(part(title)?.says).toContain(server.file);
    expect(code).toBe(1);
  });

  test("here, and never installed into; and not here at all", async () => {
    const at = place();
    expect((await examine(at)).part(title)).toBeUndefined();
    mkdirSync(join(at.home, sign), { recursive: true });
    const { part, code } = await examine(at);
    expect(part(title)).toMatchObject({ state: "note", says: "is installed without our hook" });
    expect(code).toBe(0);
  });
});

describe("hooks that are there and do nothing", () => {
  test("the host was told to run none", async () => {
    const at = place();
    await install(at, "claude-code");
    const file = join(at.home, ".claude/settings.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("{", '{ "disableAllHooks": true,'));
    const { part, code } = await examine(at);
    expect(part("Claude Code")).toMatchObject({ state: "wrong" });
    expect(part("Claude Code")?.says).toMatch(/not armed: .*disableAllHooks.* so the host runs no hooks/u);
    expect(code).toBe(1);
  });

  test.each(["claude-code", "codex", "gemini", "copilot"] as const)(
    "%s: what leads its shell into the sandbox is of another version",
    async (host) => {
      const at = place();
      await install(at, host);
      const file = join(at.home, ".local/share/hallpass/shells", host);
      writeFileSync(file, readFileSync(file, "utf8").replaceAll("hallpass-enter", "hallpass-shell"));
      const { part } = await examine(at);
      const { title } = hostTable[host];
      expect(part(title)).toMatchObject({ state: "note", remedy: `renew it: hallpass install ${host} --user` });
      expect(part(title)?.says).toContain(`${file} is not as it would be written today`);
      await install(at, host);
      expect((await examine(at)).part(title)).toMatchObject({ state: "well" });
    },
  );

  const lost = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "/nowhere/hallpass hook codex" }] }] } });

  test("their program is gone", async () => {
    const at = place();
    at.file("home/.codex/hooks.json", lost);
    const { part } = await examine(at);
    expect(part("Codex")).toMatchObject({ state: "wrong" });
    expect(part("Codex")?.says).toMatch(/^not armed/u);
    expect(part("Codex")?.remedy).toContain("install it again: hallpass install codex --user (it is in");
  });

  test("a project brought along what looks like ours: it is not run to find out", async () => {
    const at = place();
    at.file("home/code/app/.codex/hooks.json", lost);
    const { part } = await examine(at);
    expect(part("Codex")).toMatchObject({ state: "wrong", remedy: "look at it, then write it again: hallpass install codex" });
    expect(part("Codex")?.says).toContain("so it was not run");
  });

  test("the file they are in is no JSON", async () => {
    const at = place();
    at.file("home/.gemini/settings.json", '{ "hooks": ');
    const { part, code } = await examine(at);
    expect(part("Gemini CLI")).toMatchObject({ state: "wrong" });
    expect(part("Gemini CLI")?.says).toContain("cannot be read as JSON");
    expect(part("Gemini CLI")?.remedy).toContain("fix it");
    expect(code).toBe(1);
  });

  test("nothing is started with --no-canary, and what takes long says what it is at", async () => {
    const at = place();
    const mark = join(at.root, "started");
    const command = `touch ${mark}; sleep 1.6; exit 2 # hallpass hook claude-code`;
    at.file("home/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } }));
    expect(dirname(mark)).toBe(at.root);
    const untried = await examine(at, { words: ["--no-canary"] });
    expect(untried.part("Claude Code")?.says).toContain("not tried");
    expect(existsSync(mark)).toBe(false);
    expect(untried.err).toBe("");
    const { err } = await examine(at);
    expect(existsSync(mark)).toBe(true);
    expect(err).toMatch(/^examining: agents …\n/u);
  });
});

test("the file that stands before Claude Code's hooks and commands is gone", async () => {
  const at = place();
  await install(at, "claude-code");
  expect((await examine(at)).part("Claude Code")).toMatchObject({ state: "well" });
  rmSync(join(at.home, ".local/share/hallpass/shells/claude-code"));
  const gone = await examine(at);
  expect(gone.code).toBe(1);
  expect(gone.part("Claude Code")).toMatchObject({
    state: "wrong",
    says: expect.stringMatching(/not armed: .*shells\/claude-code as what runs before every hook and command, and it is gone/u),
    remedy: "write it again: hallpass install claude-code --user",
  });
});

test.each([
  ["codex", "Codex"],
  ["gemini", "Gemini CLI"],
  ["copilot", "Copilot CLI"],
])("the file that leads the shell of %s is gone", async (host, title) => {
  const at = place();
  await install(at, host);
  rmSync(join(at.home, ".local/share/hallpass/shells", host));
  expect((await examine(at)).part(title)).toMatchObject({
    state: "note",
    says: expect.stringContaining("its commands are not confined"),
    remedy: `renew it: hallpass install ${host} --user`,
  });
});
