// What compilers, make, git and links give from outside when a command is really run: each is stopped by the hook, and leaks without it.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandScene, MARKER } from "../../../../test/hook/command-scene.ts";
import { runConfined } from "../../../../test/hook/confined-shell.ts";

const scene = commandScene();
afterAll(() => scene.at.remove());
const outside = scene.at.path("out/s");
const { workspace } = scene;

beforeAll(() => {
  const git = (directory: string, ...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", ...words], {
      cwd: directory,
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: scene.home, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: "pipe",
    });
  const file = (path: string, text: string) => writeFileSync(`${workspace}/${path}`, text);
  file("foo.y", "");
  file("names.txt", "../out/s\n");
  file("all.txt", "SHUT\n");
  file("options.txt", `-E -xc ${outside}\n`);
  for (const directory of ["left", "right", "x:", "seed"]) mkdirSync(`${workspace}/${directory}`);
  symlinkSync("../../out/s", `${workspace}/left/x`);
  symlinkSync("../../out/s", `${workspace}/src/leak`);
  file("right/x", "nothing\n");
  // A repository that brings a link, and the workspace as a repository that keeps a secret and has a branch with a link.
  symlinkSync("../../out/s", `${workspace}/seed/l`);
  git(`${workspace}/seed`, "init", "-q");
  git(`${workspace}/seed`, "add", ".");
  git(`${workspace}/seed`, "commit", "-qm", "one");
  git(workspace, "clone", "-q", "--bare", "seed", "bare");
  git(workspace, "init", "-q");
  git(workspace, "add", "-f", ".env", "ok.txt");
  git(workspace, "commit", "-qm", "one");
  git(workspace, "branch", "evil");
  git(workspace, "checkout", "-q", "evil");
  symlinkSync("../out/s", `${workspace}/l2`);
  git(workspace, "add", "l2");
  git(workspace, "commit", "-qm", "two");
  git(workspace, "checkout", "-q", "main");
  if (existsSync(`${workspace}/l2`)) throw new Error("the link should be on the other branch only");
});

describe("stopped by the hook, and leaks without it", () => {
  test.each([
    // A program, or text for one, on the input
    `printf '#include "${outside}"\\n' | gcc -E -xc /dev/stdin`,
    `gcc -E -xc -include/dev/stdin /dev/null <<< '#include "${outside}"'`,
    "printf 'rule r\\n command = cat ../out/s\\nbuild x: r\\n' | ninja -f /dev/stdin",
    "printf 'all:\\n\\t@cat ../out/s\\n' | MAKEFILES=/dev/stdin make all",
    "echo ../out/s | cmake -E env xargs cat",
    // Variables, options and lists
    "YACC='cd ..;cat out/s;:' make foo.c",
    "gcc -E -xc -includelink /dev/null",
    "gcc -E -xc -Wp,-include,link /dev/null",
    "gcc -E -xc -imacros link -includelink /dev/null",
    "gcc @options.txt",
    "strings @names.txt",
    "tar cfC - dirlink s",
    "tar cCf .. - out/s",
    "diff left right",
    // git
    "git log -L1,1:.env",
    "git log -L 1,1:.env",
    "git grep '' -- '.en*'",
    "git grep '' -- ':(top).env'",
    "git grep '' -- ':(icase).ENV'",
    "git grep -f all.txt .env",
    "git show HEAD:.env",
    "git diff --no-index ok.txt x://../../out/s",
    // Links, and what brings them
    "cd src/deep && ln -sf ../../out/s ../leak2 && cat ../leak2",
    "cd src && ln -sfn ../out o && mv o .. && cat ../o/s",
    "ln -sfn src d && cat d/leak",
    "mv link b; cat b; mv b link",
    "cp -P dirlink c && cat c/s",
    "rm -r src/deep/er; ln -s ../../../out/s src/deep/er; cat src/deep/er",
    "git clone -q ./bare r && cat r/l",
    "git clone -q ./bare r2 && cd r2 && cat l",
    "bash -c 'git clone -q ./bare r3' && cat r3/l",
    "git checkout -q evil -- l2 && cat l2",
    "mkdir m && cat m/../dirlink/../out/s",
    "ln -s ../out m2 && cat m2/../out/s",
    "mkdir -p m3/n && cat m3/n/../../../out/s",
    "git worktree add -q w evil; cat w/l2; cat r3/l",
  ])("%s", async (command) => {
    expect(await scene.verdict(command)).not.toBe("pass");
    expect(runConfined(scene, "bash", command)).toMatch(MARKER);
  });
});

describe("stopped by the hook, and writes outside without it", () => {
  test.each([
    "cp -r right/. left",
    "cp -rT right left",
    "mkdir up && ln -s ../../out up/right && cp --parents right/x up && cp right/x up/right/s",
  ])("%s", async (command) => {
    const before = readFileSync(outside, "utf8");
    expect(await scene.verdict(command)).not.toBe("pass");
    runConfined(scene, "bash", command);
    expect(readFileSync(outside, "utf8")).not.toBe(before);
    writeFileSync(outside, before);
  });
  test("a copy into a directory without such links passes", async () => {
    expect(await scene.verdict("cp -r right/. src")).toBe("pass");
    expect(await scene.verdict("cp -rT right src")).toBe("pass");
  });
});
