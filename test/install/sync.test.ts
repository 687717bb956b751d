// The policy in the hosts' own words: golden files, only our part replaced, nothing opened, and everything out again.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { grow } from "../scene.ts";
import { diskOf, hallpass } from "./installing.ts";

const POLICY = JSON.stringify({
  read: { "~/notes/taxes": "deny", "~/notes/**": "allow", "data/customers": "deny", "*": "deny" },
  write: { "db/migrations": "ask", "package-lock.json": "deny" },
  secrets: { add: ["*.vault"], except: ["*.key"] },
});

function place(policy = POLICY): { readonly home: string; readonly cwd: string; readonly root: string } {
  const { path, root } = grow(["home/ws/", `home/.config/hallpass/policy.json: ${policy}`]);
  return { home: path("home"), cwd: path("home/ws"), root };
}

const files = {
  "claude-code": ".claude/settings.local.json",
  codex: ".codex/config.toml",
  opencode: "opencode.json",
} as const;
const hosts = ["claude-code", "codex", "opencode"] as const;

test.each(hosts)("%s: what is written is what the golden file says, and comes out again", async (host) => {
  const { home, cwd, root } = place();
  const before = diskOf(root);
  const said = await hallpass(["sync", host, "--yes"], { home, cwd });
  expect(said.err).toBe("");
  const text = readFileSync(join(cwd, files[host]), "utf8").replaceAll(home, "$HOME");
  await expect(text).toMatchFileSnapshot(`golden/${host}.txt`);
  expect(said.out).toContain("Not expressed in");
  expect((await hallpass(["sync", host, "--yes"], { home, cwd })).out).toContain("rules are up to date");
  await hallpass(["sync", host, "--remove", "--yes"], { home, cwd });
  expect(diskOf(root)).toEqual(before);
});

test.each(hosts)("%s: nothing that is written opens anything", async (host) => {
  const { home, cwd } = place();
  await hallpass(["sync", host, "--yes"], { home, cwd });
  const text = readFileSync(join(cwd, files[host]), "utf8");
  if (host === "codex") {
    expect(text).not.toContain("notes/**");
    // Reading is given to the system's own files and to the workspace, and to nothing else.
    const words = [...text.matchAll(/^"(.*)" = "(read|write)"$/gmu)].map(([, path]) => path ?? "");
    expect(words.filter((path) => path.startsWith("/") || path.startsWith(":"))).toEqual([":minimal"]);
  } else {
    expect(JSON.stringify((JSON.parse(text) as { permissions?: object; permission?: object }).permissions ?? text)).not.toMatch(/"allow"/u);
    expect(text).not.toContain("notes/**");
  }
  expect(text).toContain("taxes");
  expect(text).toContain(".vault");
});

test.each(hosts)("%s: a changed policy replaces our part, and the owner's part stays", async (host) => {
  const { home, cwd } = place();
  const file = join(cwd, files[host]);
  mkdirSync(join(file, ".."), { recursive: true });
  const mine = {
    "claude-code": '{\n  // mine\n  "permissions": { "deny": ["Read(./mine)"], "allow": ["Bash(ls)"] }\n}\n',
    codex: '# mine\nmodel = "o9"\n\n[tools]\nweb = true\n',
    opencode: '{\n  // mine\n  "permission": { "read": { "*": "allow", "mine": "deny" } }\n}\n',
  }[host];
  writeFileSync(file, mine);
  await hallpass(["sync", host, "--yes"], { home, cwd });
  writeFileSync(join(home, ".config/hallpass/policy.json"), '{ "read": { "~/other": "deny" } }');
  await hallpass(["sync", host, "--yes"], { home, cwd });
  const text = readFileSync(file, "utf8");
  expect(text).toContain("mine");
  expect(text).toContain("other");
  expect(text).not.toContain("taxes");
  if (host === "codex") expect(parse(text)["model"]).toBe("o9");
  await hallpass(["sync", host, "--remove", "--yes"], { home, cwd });
  expect(readFileSync(file, "utf8")).toBe(mine);
});

test("a setting of Codex that would win over our profile without a word is refused", async () => {
  for (const line of ['sandbox_mode = "workspace-write"', 'default_permissions = ":workspace"']) {
    const { home, cwd } = place();
    mkdirSync(join(cwd, ".codex"));
    writeFileSync(join(cwd, ".codex", "config.toml"), `${line}\n`);
    const said = await hallpass(["sync", "codex", "--yes"], { home, cwd });
    expect(said.err).toContain("would win over our profile without a word");
    expect(readFileSync(join(cwd, ".codex", "config.toml"), "utf8")).toBe(`${line}\n`);
  }
});

test("one word where opencode keeps its patterns is refused, not rewritten", async () => {
  const { home, cwd } = place();
  writeFileSync(join(cwd, "opencode.json"), '{ "permission": { "read": "allow" } }\n');
  expect((await hallpass(["sync", "opencode", "--yes"], { home, cwd })).err).toContain("`permission.read` must be an object");
});

test("a malformed policy writes nothing", async () => {
  const { home, cwd, root } = place('{ "read": 7 }');
  const before = diskOf(root);
  expect((await hallpass(["sync", "opencode", "--yes"], { home, cwd })).err).toContain("invalid-policy");
  expect(diskOf(root)).toEqual(before);
});

test("installed and synced together, taken back in the other order, nothing of ours is left", async () => {
  const { home, cwd } = place();
  writeFileSync(join(cwd, "opencode.json"), '{\n  "theme": "dark"\n}\n');
  await hallpass(["install", "opencode", "--yes"], { home, cwd });
  await hallpass(["sync", "opencode", "--yes"], { home, cwd });
  await hallpass(["uninstall", "opencode", "--yes"], { home, cwd });
  await hallpass(["sync", "opencode", "--remove", "--yes"], { home, cwd });
  expect(JSON.parse(readFileSync(join(cwd, "opencode.json"), "utf8"))).toEqual({ theme: "dark" });
});
