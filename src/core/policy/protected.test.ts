// Names that execute later: never written by a file tool, wherever they are.

import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { compilePolicy, type NameList } from "./compile.ts";
import { environmentNames, protectedNames } from "./protected.ts";
import { emptyPolicy } from "./rule.ts";

const HOME = "/home/ada";

let compiled: NameList | null = null;
/** Nobody's exceptions and additions. Compiled in the first test that asks, so that a list that does not compile fails a test. */
function builtin(): NameList {
  compiled ??= compilePolicy(emptyPolicy, HOME).protect;
  return compiled;
}

// One name a word.
const LITERAL = `
  .git .gitconfig .gitmodules .hg .svn .jj .sl .bzr .pijul _darcs prek.toml .husky .githooks .git-hooks .pre-commit-config.yaml .overcommit.yml hk.pkl
  .vscode .vscode-server .vs .idea .run .fleet .zed .nova .helix .codesandbox .idx .devcontainer .devcontainer.json .vim .vimrc .nvimrc .nvim.lua .exrc .emacs .emacs.d .dir-locals.el
  .dir-locals-2.el .gdbinit .lldbinit .pdbrc .irbrc .pryrc .Rprofile .ghci
  .byebugrc .perldb .Renviron .RData .iex.exs .ocamlinit .octaverc .gitpod.yml .replit .lvimrc .vimspector.json .ycm_extra_conf.py
  .claude-plugin .continuerc.json .grok .augment .vibe .qodo gptme.toml .mvn/maven.config .bundle/config tools/bazel
  .claude .claude.json .mcp.json .cursor .cursorrules .codex .gemini .copilot .opencode opencode.json opencode.jsonc .windsurf .roo .cline .clinerules .continue
  .github/hooks .github/mcp.json .github/lsp.json .github/copilot .github/extensions
  .kiro .amazonq .aider.conf.yml .goose .agents .qwen .junie .factory .kilocode .openhands .trae .amp .crush.json crush.json .pi .hallpass hallpass.json hallpass.jsonc
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .inputrc
  .envrc .direnv mise.toml .mise.toml .mise .config/mise .ripgreprc .tmux.conf
  .yarnrc .yarnrc.yml .yarn/releases .yarn/plugins .pnpmfile.cjs .pnpmfile.mjs .cargo/config .cargo/config.toml .mvn/extensions.xml .mvn/jvm.config
  .config/fish .config/git .config/hallpass .config/systemd .config/autostart .config/environment.d .xprofile .xsession .xinitrc .local/bin Library/LaunchAgents
`
  .trim()
  .split(/\s+/);

// With a wildcard in them: a name that each must match.
const WILD: Readonly<Record<string, string>> = {
  ".huskyrc*": ".huskyrc.json",
  "lefthook*.yml": "lefthook.yml",
  "lefthook*.yaml": "lefthook-local.yaml",
  "lefthook*.toml": "lefthook.toml",
  "lefthook*.json": "lefthook.json",
  "lefthook*.jsonc": "lefthook-local.jsonc",
  ".lefthook*": ".lefthook.yml",
  ".simple-git-hooks*": ".simple-git-hooks.cjs",
  ".lintstagedrc*": ".lintstagedrc.json",
  "lint-staged.config.*": "lint-staged.config.mjs",
  ".commitlintrc*": ".commitlintrc.yml",
  "commitlint.config.*": "commitlint.config.ts",
  "*.code-workspace": "app.code-workspace",
  "*.sublime-project": "app.sublime-project",
  "mise.*.toml": "mise.local.toml",
  ".mise.*.toml": ".mise.production.toml",
  "mise/config*.toml": "mise/config.local.toml",
};
const PROTECTED = [...LITERAL.map((name) => [name, name] as const), ...Object.entries(WILD).map(([entry, name]) => [name, entry] as const)];

describe("a name that executes later is protected", () => {
  test.each(PROTECTED)("%s, by %s", (name, entry) => {
    const pattern = `**/${entry}`;
    expect(
      [
        `/${name}`,
        `/ws/${name}`,
        `/ws/a/b/${name}`,
        `/ws/${name}/x/y`,
        `/ws/${name.toUpperCase()}`,
        `/ws/${name}~`,
        `/ws/${name.replace(/[a-z]/, "$&\u200b")}`,
      ].map((path) => builtin().find(path)),
    ).toEqual(Array.from({ length: 7 }, () => pattern));
    const [last = "", ...dirs] = name.split("/").toReversed();
    expect(
      dirs
        .toReversed()
        .reduce((walk, dir) => walk.enter(dir), builtin().walk("/ws"))
        .has(last),
    ).toBe(true);
  });

  test("environment files are secrets, and so are written by no file tool", () => {
    const { secrets } = compilePolicy(emptyPolicy, HOME);
    expect(environmentNames.filter((name) => secrets.find(`/ws/${name}`) === null || builtin().find(`/ws/${name}`) !== null)).toEqual([]);
  });

  test("the list is this one", () => {
    expect(protectedNames.toSorted()).toEqual(PROTECTED.map(([, entry]) => `**/${entry}`).toSorted());
  });

  test.each([
    ".git/hooks/pre-commit",
    ".git/config",
    ".vscode/tasks.json",
    ".claude/settings.json",
    ".config/systemd/user/x.service",
    ".github/hooks/audit.json",
    ".github/copilot/settings.json",
    ".githooks/pre-commit",
    ".run/all.run.xml",
    ".g\u200dit/config",
    ".GIT/hooks/x",
  ])("what is in it: %s", (name) => {
    expect(builtin().find(`/ws/${name}`)).not.toBeNull();
  });

  test.each([
    ".gitignore",
    ".gitattributes",
    ".github/workflows/ci.yml",
    ".github/copilot-instructions.md",
    ".github/CODEOWNERS",
    "Makefile",
    "justfile",
    ".npmrc",
    ".nvmrc",
    ".tool-versions",
    ".editorconfig",
    ".eslintrc.json",
    ".prettierrc",
    "pnpm-lock.yaml",
    ".yarn/cache/x.zip",
    "docs/mise.md",
    "docs/lefthook.md",
    "src/hooks/use-run.ts",
    "run",
    "git",
    "vscode",
    "src/.gitkeep",
    "bashrc",
    ".config",
    ".config/nvim/init.lua",
    ".cargo/registry/x",
    "cargo/config",
    "README.md",
    "package.json",
    "hallpass.ts",
    "Library/x",
    "LaunchAgents",
    ".environment",
    ".viminfo",
    ".env.example",
    ".env.production.example",
    ".env.test",
    ".pnp.cjs",
    ".bundle/plugin",
    "tools/bazel.md",
    "lint-staged.md",
    "commitlint.md",
    "RData",
  ])("%s may be written", (name) => {
    expect([builtin().find(`/ws/${name}`), builtin().walk("/ws").has(name)]).toEqual([null, false]);
  });
});

describe("the operator changes the list", () => {
  const changed = (): NameList =>
    compilePolicy({ ...emptyPolicy, protect: { except: ["**/.vscode/**", "/ws/.husky"], add: ["Makefile", "~/bin"] } }, HOME).protect;

  test("exceptions lift exactly what they name", () => {
    expect(
      ["/ws/.vscode", "/ws/.vscode/tasks.json", "/ws/.husky", "/ws/.VSCODE/x", "/ws/.husky/pre-commit", "/a/.husky", "/ws/.git"].map(
        (path) => changed().find(path),
      ),
    ).toEqual([null, null, null, "**/.vscode", "**/.husky", "**/.husky", "**/.git"]);
  });

  test("what is kept stays protected in what an exception lifts, in any letter case and with all below it", () => {
    const kept = ["~/.claude/settings.json", "~/.claude/hooks", "~/.claude/*.sh"];
    const list = compilePolicy({ ...emptyPolicy, protect: { except: ["~/.claude", "~/.claude/**"], add: [], kept } }, HOME).protect;
    const lifted = ["/home/ada/.claude", "/home/ada/.claude/projects/x.jsonl", "/home/ada/.claude/shell-snapshots/x.sh"];
    const held = ["settings.json", "Settings.JSON", "hooks", "hooks/a/b.sh", "status.sh"].map((name) => `/home/ada/.claude/${name}`);
    for (const path of [...lifted, ...held]) {
      const walked = list.walk(dirname(path)).has(basename(path));
      expect([path, list.find(path) !== null, walked]).toEqual([path, held.includes(path), held.includes(path)]);
    }
  });

  test("additions hold like the rest", () => {
    expect(["/ws/Makefile", "/ws/makefile", "/home/ada/bin/x", "/ws/bin/x"].map((path) => changed().find(path))).toEqual([
      "Makefile",
      "Makefile",
      "~/bin",
      null,
    ]);
  });

  test("secrets and protected names are two lists", () => {
    const both = compilePolicy(
      { ...emptyPolicy, secrets: { except: ["**/.envrc"], add: [".git"] }, protect: { except: ["**/.git"], add: ["x.pem"] } },
      HOME,
    );
    expect(["/.envrc", "/.git", "/x.pem"].map((path) => [both.secrets.find(path), both.protect.find(path)])).toEqual([
      [null, "**/.envrc"],
      [".git", null],
      ["**/*.pem", "x.pem"],
    ]);
  });
});
