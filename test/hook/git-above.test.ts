// A workspace that is a directory inside a repository, with the real git: what would show or change the rest of the repository is stopped by
// the hook and does it without; what stays below the workspace goes on.

import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isInstalled } from "../installed.ts";
import { tree } from "../tree.ts";
import { sceneIn } from "./command-scene.ts";
import { runConfined } from "./confined-shell.ts";

const LINES = "\na\nb\nc\nd\n";
const at = tree([
  "repo/app/ok.txt: inside",
  "repo/app/src/main.ts: 1",
  "repo/other/x: ELSEWHERE-OLD",
  "repo/other/y: ELSEWHERE-Y",
  `repo/other/z: ELSEWHERE-Z${LINES}`,
  "home/.gitconfig: [user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n",
]);
const scene = sceneIn(at, "repo/app");
const repo = at.path("repo");
const SHOWN = /ELSEWHERE/u;

beforeAll(() => {
  if (!isInstalled("git")) return;
  const git = (...words: readonly string[]) =>
    execFileSync("git", words, { cwd: repo, env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: scene.home }, stdio: "pipe" });
  git("init", "-q", "--template=");
  git("add", ".");
  git("commit", "-qm", "one");
  // A file that came from elsewhere, and said something else there before.
  writeFileSync(`${repo}/other/z`, `plain${LINES}`);
  git("commit", "-qam", "plain");
  git("mv", "other/z", "app/moved.txt");
  git("commit", "-qam", "moved");
  writeFileSync(`${repo}/other/x`, "ELSEWHERE-NEWER\n");
  git("commit", "-qam", "two");
  git("checkout", "-qb", "side");
  writeFileSync(`${repo}/other/y`, "ELSEWHERE-SIDE\n");
  git("commit", "-qam", "side");
  git("checkout", "-q", "main");
  writeFileSync(`${repo}/other/x`, "ELSEWHERE-NEW\n");
  writeFileSync(`${repo}/app/ok.txt`, "changed\n");
  cpSync(repo, at.path("kept"), { recursive: true });
});
/** The repository as it was, in the same directory: the guard knows the workspace by it. */
const restore = (): void => {
  for (const name of ["other", ".git"]) {
    rmSync(`${repo}/${name}`, { recursive: true, force: true });
    cpSync(at.path(`kept/${name}`), `${repo}/${name}`, { recursive: true });
  }
  for (const name of ["wt", ".git", "made", "up"]) rmSync(`${repo}/app/${name}`, { recursive: true, force: true });
  mkdirSync(`${repo}/app/src`, { recursive: true });
  writeFileSync(`${repo}/app/src/main.ts`, "1");
  writeFileSync(`${repo}/app/ok.txt`, "changed\n");
};
afterAll(() => at.remove());

const elsewhere = (): string => ["x", "y"].map((name) => readNow(`${repo}/other/${name}`)).join();
const readNow = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "gone";
  }
};

describe.skipIf(!isInstalled("git"))("stopped by the hook, and shows the rest of the repository without it", () => {
  afterEach(() => {
    for (const name of ["app/wt", ".git/worktrees"]) rmSync(`${repo}/${name}`, { recursive: true, force: true });
  });
  test.each([
    "git diff",
    "git diff HEAD",
    "git diff main",
    "git diff --stat -p",
    "git diff --check; git diff --color-words",
    "git diff -- ':!nothing'",
    "git diff ':(top)'",
    "git diff -- ':(top)other'",
    "git diff -- ':/other'",
    "git diff -- ':(glob,top)other/*'",
    "git diff -- ':(top,icase)OTHER'",
    "git diff HEAD:other/x ok.txt",
    "git diff HEAD:other/x HEAD:other/y",
    "git show",
    "git show HEAD",
    "git show HEAD:other/x",
    "git show :other/x",
    "git show :0:other/x",
    "git show HEAD -- ':/'",
    "git show --stat -p HEAD",
    "git cat-file -p HEAD:other/x",
    "git cat-file -p :other/x",
    "git grep ELSEWHERE -- ':(top)other'",
    "git grep ELSEWHERE -- ':/other'",
    "git grep ELSEWHERE -- ':(glob,top)**/x'",
    "git grep ELSEWHERE HEAD -- ':/'",
    "git diff -- '://!src'",
    "git diff -- ':///^src'",
    "git log -p -- '://!src'",
    "echo p | git restore -p",
    "git log -p",
    "git log --patch --oneline",
    "git log -p --full-diff -- . ':/other'",
    "git log -u -1 HEAD",
    "git log -p --follow -- moved.txt",
    "git log -L1,1:../other/x",
    "git reflog -p",
    "git diff-tree -p HEAD",
    "git whatchanged -p",
    "git status -v -v",
    "git commit --dry-run -a -v",
    "git stash show -p stash@{0}; git stash list -p; git diff",
    "git worktree add -q wt HEAD && cat wt/other/x",
    "git worktree add -q wt && git -C wt grep ELSEWHERE -- :/",
    "git -C .. archive HEAD | tar xO",
    "git format-patch --stdout HEAD~1",
    "git ls-tree --full-tree -r HEAD | cut -f2; git show",
    "cd src && git diff",
    "cd src; git show HEAD:other/x",
    "git -C src diff",
    "git -C src show HEAD:other/x",
    "git -C .. show HEAD:other/x",
    "git --git-dir=../.git show HEAD:other/x",
    "GIT_DIR=../.git git show HEAD:other/x",
    "GIT_WORK_TREE=.. git diff",
    "git --work-tree=.. diff",
    "bash -c 'git diff'",
    "git blame -s ../other/x",
    "echo p | git add -p",
    "echo p | git checkout -p",
    "echo p | git reset -p HEAD~1",
    "echo p | git stash -p",
  ])("%s", async (command) => {
    expect(await scene.verdict(command)).not.toBe("pass");
    expect(runConfined(scene, "bash", command)).toMatch(SHOWN);
  });
});

describe.skipIf(!isInstalled("git"))("stopped by the hook, and changes the rest of the repository without it", () => {
  afterEach(restore);
  test.each([
    "git checkout HEAD -- ':/other/x'",
    "git checkout -- ':(top)'",
    "git checkout -f",
    "git checkout -f main",
    "git checkout -f -b made",
    "git checkout -q side",
    "git checkout HEAD~1 -- ..",
    "git switch -f main",
    "git switch -q side",
    "git rm -f ':(top)other/x'",
    "git restore --source=HEAD ':(top)other/x'",
    "git restore --source=HEAD~1 ':/'",
    "git restore ../other/x",
    "git restore ':!src'",
    "git restore -- ':(exclude)src'",
    "git restore -SW ':!src'",
    "git restore '://!src'",
    "git checkout -- '://!src'",
    "git stash push -- '://^src'",
    "cd .. && git restore .",
    "git reset --hard",
    "git reset -q --hard HEAD~1",
    "git reset --merge HEAD~1; git reset --hard",
    "git stash",
    "git stash -u",
    "git stash -a",
    "git stash push",
    "git stash save words",
    "git stash push ':(top)other'",
    "git stash push -- ':/other'",
    "git stash -- ':!ok.txt'",
    "git merge -q --no-edit side",
    "git cherry-pick side",
    "git revert --no-edit HEAD; git reset --hard HEAD~1",
    "git rebase --autostash -q side",
    "git pull -q --no-rebase --no-edit . side",
    "cd src && git reset --hard",
    "git -C src reset --hard",
    "git clean -fdxq ':/' && git rm -rfq ':/other'",
    "git mv ../other/x moved",
  ])("%s", async (command) => {
    expect(await scene.verdict(command)).not.toBe("pass");
    const before = elsewhere();
    runConfined(scene, "bash", command);
    expect(elsewhere()).not.toBe(before);
  });

  test("a `.git` that git passes over does not hide the repository above", async () => {
    mkdirSync(`${repo}/app/.git`);
    expect(runConfined(scene, "bash", "git diff")).toMatch(SHOWN);
    expect(await scene.verdict("git diff")).toBe("deny");
    for (const [name, text] of [
      ["HEAD", "nonsense"],
      ["config", "[core]"],
    ] as const)
      writeFileSync(`${repo}/app/.git/${name}`, text);
    expect(runConfined(scene, "bash", "git diff")).toMatch(SHOWN);
    expect(await scene.verdict("git diff")).toBe("deny");
  });

  test("settings that say where the files are count", async () => {
    renameSync(`${repo}/.git`, `${repo}/app/.git`);
    expect(await scene.verdict("git diff")).toBe("pass");
    writeFileSync(`${repo}/app/.git/config`, "[core]\n\trepositoryformatversion = 0\n\tworktree = ../..\n");
    expect(runConfined(scene, "bash", "git diff")).toMatch(SHOWN);
    expect(await scene.verdict("git diff")).toBe("deny");
  });

  test("a link that leads into another repository does not hide it", async () => {
    symlinkSync("../other", `${repo}/app/up`);
    expect(await scene.verdict("git -C up diff")).toBe("deny");
  });
});

describe.skipIf(!isInstalled("git"))("goes on, and stays below the workspace", () => {
  afterEach(restore);
  test.each([
    "git status",
    "git status --short",
    "git diff -- .",
    "git diff -- ok.txt",
    "git diff ok.txt",
    "git diff --stat",
    "git diff --name-only HEAD",
    "git diff --cached -- src",
    "git diff HEAD -- . ':!src'",
    "git diff -- '*.txt'",
    "git show --stat HEAD",
    "git show HEAD -- .",
    "git show HEAD:app/ok.txt",
    "git show HEAD:./ok.txt",
    "git log --oneline -5",
    "git log --stat -1",
    "git log -p -- .",
    "git log -p -1 -- src/main.ts",
    "git blame -s ok.txt",
    "git grep inside",
    "git grep -n 1 -- src",
    "git grep inside HEAD",
    "git ls-files",
    "git branch -a",
    "git rev-parse --show-toplevel",
    "git stash list",
    "git stash push -q -- .",
    "git add -A .",
    "git add -A",
    "git add . && git commit -qm words",
    "git commit -qam words",
    "git restore .",
    "git restore ok.txt",
    "git restore . ':!src'",
    "git restore --staged ':!src'",
    "git checkout -- .",
    "git checkout ok.txt",
    "git checkout HEAD~1 -- ok.txt",
    "git checkout -qb made",
    "git switch -qc made",
    "git reset -q",
    "git reset -q --soft HEAD~1",
    "git rm -rfq src",
    "git clean -fdq",
    "git fetch -q; git push -q origin HEAD:main",
  ])("%s", async (command) => {
    const before = elsewhere();
    expect(await scene.verdict(command)).toBe("pass");
    expect(runConfined(scene, "bash", command)).not.toMatch(SHOWN);
    expect(elsewhere()).toBe(before);
  });
});
