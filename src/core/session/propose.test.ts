// What a yes would grant (G-1, G-2): a table over one tree, the places that are too broad, and that asking tells nothing.

import { statSync, symlinkSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asNobody, canBecomeNobody, nothingStaysPinned, scene } from "../../../test/scene.ts";
import type { RealDir } from "../names.ts";
import { isTooBroad, type Proposal, type ProposeResult, propose } from "./propose.ts";
import { chmodSync } from "node:fs";
import { join } from "node:path";

nothingStaysPinned();

const it = scene(
  [
    "ws/src/main.ts: 1",
    // One repository of each marker, and one with all of them.
    "git/.git/HEAD: x",
    "git/src/deep/a.ts: 1",
    "npm/package.json: {}",
    "npm/lib/a.js: 1",
    "go/go.mod: module x",
    "go/a.go: 1",
    "rust/Cargo.toml: [package]",
    "rust/src/a.rs: 1",
    "all/.git/",
    "all/package.json: {}",
    "all/a: 1",
    // Repositories in repositories.
    "outer/.git/",
    "outer/inner/go.mod: m",
    "outer/inner/sub/a.go: 1",
    "outer/a: 1",
    // A worktree and a submodule: a file that points elsewhere, which is not where the grant goes.
    "worktree/.git: gitdir: $ROOT/git/.git/worktrees/w",
    "worktree/a: 1",
    "forged/.git: gitdir: /etc",
    "forged/a: 1",
    // Markers that do not count.
    "linked/.git => ../git/.git",
    "linked/package.json => ../npm/package.json",
    "linked/a: 1",
    "dir-marker/package.json/",
    "dir-marker/go.mod/",
    "dir-marker/Cargo.toml/",
    "dir-marker/a: 1",
    "none/a/b: 1",
    // Registered projects.
    "projects/p/a: 1",
    "projects/p/.git/",
    "projects/p/sub/.git/",
    "projects/p/sub/a: 1",
    "projects/p/q/a: 1",
    // A marker right at the ceiling, and around the workspace.
    "go.mod: m",
    "work/.git/",
    "work/ws/a: 1",
    "work/ws/nested/.git/",
    "work/ws/nested/a: 1",
    "work/beside/.git/",
    "work/beside/a: 1",
    // The home directory.
    "home/.git/",
    "home/.dotted/package.json: {}",
    "home/.dotted/deep/.git/",
    "home/.dotted/deep/a: 1",
    "home/.dotted/a: 1",
    "home/notes: 1",
    "home/code/.git/",
    "home/code/a: 1",
    // A ceiling inside a ceiling.
    "narrow/.git/",
    "narrow/deep/repo/.git/",
    "narrow/deep/repo/a: 1",
    "narrow/deep/a: 1",
    "narrow/a: 1",
    "$OUT/repo/.git/",
    "$OUT/repo/a: 1",
    "$OUT/plain: 1",
  ],
  { projects: ["projects/p", "projects/p/q"], ceilings: ["$ROOT", "narrow/deep"] },
);
const { session } = it;

const offered = (dir: string, because: Proposal["because"]): ProposeResult => {
  const { dev, ino, birthtimeMs } = statSync(it.path(dir));
  return { ok: true, proposal: { dir: it.path(dir) as RealDir, dev, ino, born: birthtimeMs === 0 ? null : birthtimeMs, because } };
};
const refused = (code: "out-of-whitelist" | "no-grant-root" | "root-too-broad"): ProposeResult => ({ ok: false, code });

describe("the directory a yes would grant", () => {
  const cases: readonly [string, string, ProposeResult][] = [
    ["a file in a git repository: the repository", "git/src/deep/a.ts", offered("git", ".git")],
    ["the repository itself", "git", offered("git", ".git")],
    ["the marker itself", "git/.git", offered("git", ".git")],
    ["a package", "npm/lib/a.js", offered("npm", "package.json")],
    ["the package's own marker", "npm/package.json", offered("npm", "package.json")],
    ["a Go module", "go/a.go", offered("go", "go.mod")],
    ["a crate", "rust/src/a.rs", offered("rust", "Cargo.toml")],
    ["several markers: the first of the list is named", "all/a", offered("all", ".git")],
    ["a module in a repository: the nearest, not the outer one", "outer/inner/sub/a.go", offered("outer/inner", "go.mod")],
    ["beside it: the outer repository", "outer/a", offered("outer", ".git")],
    ["a linked worktree: its own directory", "worktree/a", offered("worktree", ".git")],
    ["a forged `.git` file: its pointer is not followed", "forged/a", offered("forged", ".git")],
    ["markers that are links do not count", "linked/a", refused("no-grant-root")],
    ["directories named like marker files do not count", "dir-marker/a", refused("no-grant-root")],
    ["no marker anywhere", "none/a/b", refused("no-grant-root")],
    ["a marker right at the ceiling does not count, for the ceiling is never granted", "none", refused("no-grant-root")],
    ["the ceiling itself", "$ROOT", refused("no-grant-root")],
    ["a registered project, though a marker is nearer", "projects/p/sub/a", offered("projects/p", "project")],
    ["the project itself", "projects/p", offered("projects/p", "project")],
    ["a project in a project: the nearest", "projects/p/q/a", offered("projects/p/q", "project")],
    ["beside the projects", "projects/a", refused("no-grant-root")],
    ["a name that only begins like a project", "projects/p-else/a", refused("no-grant-root")],
    ["a dot-directory of the home directory", "home/.dotted/a", refused("root-too-broad")],
    ["a repository deeper in a dot-directory", "home/.dotted/deep/a", offered("home/.dotted/deep", ".git")],
    ["the home directory, though it is a repository", "home/notes", refused("root-too-broad")],
    ["a repository in the home directory", "home/code/a", offered("home/code", ".git")],
    ["a repository below the nearer of two ceilings", "narrow/deep/repo/a", offered("narrow/deep/repo", ".git")],
    ["the walk ends at the nearer ceiling", "narrow/deep/a", refused("no-grant-root")],
    ["what holds a ceiling is too broad", "narrow/a", refused("root-too-broad")],
    ["outside every ceiling", "$OUT/repo/a", refused("out-of-whitelist")],
    ["a name that only begins like the ceiling", "$ROOT-else/repo/a", refused("out-of-whitelist")],
    ["the root of the machine", "/", refused("out-of-whitelist")],
  ];
  test.each(cases)("%s", (_title, path, expected) => {
    expect(propose(it.path(path), session)).toEqual(expected);
  });

  test("what holds the workspace is too broad", () => {
    const inside = { ...session, workspace: { ...session.workspace, dir: it.path("work/ws") as RealDir } };
    expect(propose(it.path("work/notes"), session)).toEqual(offered("work", ".git"));
    expect(propose(it.path("work/notes"), inside)).toEqual(refused("root-too-broad"));
  });

  test.each(["a repository", "a registered project"])("%s around the workspace hides no repository in it", (what) => {
    const projects = what === "a repository" ? [] : [it.path("work") as RealDir];
    const inside = { ...session, projects, workspace: { ...session.workspace, dir: it.path("work/ws") as RealDir } };
    expect(propose(it.path("work/beside/a"), inside)).toEqual(offered("work/beside", ".git"));
    expect(propose(it.path("work/ws/nested/a"), inside)).toEqual(offered("work/ws/nested", ".git"));
    expect(propose(it.path("work/notes"), inside)).toEqual(refused("root-too-broad"));
  });

  test("the nearest ceiling and the nearest project are found in whatever order they are listed", () => {
    const turned = { ...session, ceilings: session.ceilings.toReversed(), projects: session.projects.toReversed() };
    expect(propose(it.path("narrow/deep/a"), turned)).toEqual(refused("no-grant-root"));
    expect(propose(it.path("projects/p/q/a"), turned)).toEqual(offered("projects/p/q", "project"));
  });

  test("without a ceiling nothing is granted", () => {
    expect(propose(it.path("git/src"), { ...session, ceilings: [] })).toEqual(refused("out-of-whitelist"));
  });

  test("a project that is the ceiling is too broad, and one above it is passed over", () => {
    const ceilings = [it.path("outer") as RealDir];
    expect(propose(it.path("outer/a"), { ...session, ceilings, projects: ceilings })).toEqual(refused("root-too-broad"));
    expect(propose(it.path("outer/inner/a"), { ...session, ceilings, projects: ceilings })).toEqual(offered("outer/inner", "go.mod"));
    expect(propose(it.path("outer/a"), { ...session, ceilings, projects: [it.root as RealDir] })).toEqual(refused("no-grant-root"));
  });

  test("a top-level directory is too broad, even as a project", () => {
    const open = { ...session, ceilings: ["/" as RealDir], projects: ["/usr" as RealDir] };
    expect(propose("/usr/share/x", open)).toEqual(refused("root-too-broad"));
  });

  test("a project that was replaced by a link since it was registered is not granted", () => {
    const other = scene(["real/a: 1"]);
    symlinkSync(other.path("real"), other.path("gone"));
    const projects = [other.path("gone") as RealDir];
    expect(propose(other.path("gone/a"), { ...other.session, projects })).toEqual(refused("no-grant-root"));
  });

  test("a project that is no longer there is not granted", () => {
    const projects = [it.path("vanished") as RealDir];
    expect(propose(it.path("vanished/a"), { ...session, projects })).toEqual(refused("no-grant-root"));
  });

  test("a path that goes through a link is not where the walk looks: the marker behind it does not count", () => {
    const other = scene(["repo/.git/", "repo/a: 1", "alias => repo"]);
    expect(propose(other.path("alias/a"), other.session)).toEqual(refused("no-grant-root"));
    const around = scene(["repo/.git/", "repo/a: 1", "outer/go.mod: m", "outer/alias => ../repo"]);
    expect(propose(around.path("outer/alias/a"), around.session)).toMatchObject({
      proposal: { dir: around.path("outer"), because: "go.mod" },
    });
  });

  test.skipIf(!canBecomeNobody)("a directory nobody may look into has no marker that counts", () => {
    const other = scene(["shut/repo/.git/", "shut/repo/a: 1"]);
    chmodSync(join(other.root, ".."), 0o755);
    chmodSync(other.path("shut"), 0o700);
    expect(asNobody(() => propose(other.path("shut/repo/a"), other.session))).toEqual(refused("no-grant-root"));
    chmodSync(other.path("shut"), 0o755);
    chmodSync(other.path("shut/repo"), 0o600);
    expect(asNobody(() => propose(other.path("shut/repo/a"), other.session))).toEqual(refused("no-grant-root"));
  });
});

describe("too broad to be granted, whatever marks it", () => {
  const bounds = {
    ceilings: ["/srv/code" as RealDir],
    projects: [],
    home: "/home/ada",
    workspace: { from: "workspace" as const, dir: "/srv/code/team/ws" as RealDir, dev: 1, ino: 1, born: null },
  };
  test.each([
    ["the root of the machine", "/"],
    ["a top-level directory", "/var"],
    ["the home directory", "/home/ada"],
    ["what holds it", "/home"],
    ["a dot-directory of it", "/home/ada/.config"],
    ["a ceiling", "/srv/code"],
    ["what holds a ceiling", "/srv"],
    ["the workspace", "/srv/code/team/ws"],
    ["what holds the workspace", "/srv/code/team"],
  ])("%s", (_title, dir) => {
    expect(isTooBroad(dir, bounds)).toBe(true);
  });
  test.each([
    ["a directory of the home directory", "/home/ada/code"],
    ["a directory in a dot-directory", "/home/ada/.config/tool"],
    ["a dot-directory elsewhere", "/srv/code/.hidden"],
    ["a neighbour of the workspace", "/srv/code/team/other"],
    ["a directory in the workspace", "/srv/code/team/ws/sub"],
    ["another user's home", "/home/adam"],
    ["a directory with two names above it", "/var/lib"],
  ])("%s is not", (_title, dir) => {
    expect(isTooBroad(dir, bounds)).toBe(false);
  });
});

describe("asking tells nothing about what is there", () => {
  test("a file that is not there gets the answer of its neighbour that is", () => {
    const places = [
      "git/src/deep",
      "npm/lib",
      "outer/inner",
      "outer",
      "worktree",
      "linked",
      "none/a",
      "projects/p",
      "home",
      "home/.dotted",
      "$OUT",
      "narrow/deep",
    ];
    const present = new Map([
      ["git/src/deep", "a.ts"],
      ["npm/lib", "a.js"],
      ["outer/inner", "go.mod"],
      ["home", "notes"],
      ["$OUT", "plain"],
      ["none/a", "b"],
    ]);
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.stringMatching(/^[a-z0-9 ._-]{3,12}$/), fc.boolean(), (place, name, nested) => {
        const missing = `${place}/${name.replace(/^[.]+$/, "x")}-missing${nested ? "/and/more" : ""}`;
        const there = `${place}/${present.get(place) ?? "a"}`;
        expect(propose(it.path(missing), session)).toEqual(propose(it.path(there), session));
      }),
    );
  });

  test("the guard's ask about a missing file differs from that about its neighbour by nothing but the path", () => {
    const told = (path: string) => {
      const decision = it.judge("read", it.path(path));
      return JSON.stringify({ ...decision, ask: { ...(decision.verdict === "ask" ? decision.ask : {}), id: null } }).replaceAll(
        it.path(path),
        "PATH",
      );
    };
    for (const [there, missing] of [
      ["git/src/deep/a.ts", "git/src/deep/b.ts"],
      ["none/a/b", "none/a/c"],
      ["$OUT/plain", "$OUT/other"],
      ["home/notes", "home/letters"],
    ] as const)
      expect(told(missing)).toBe(told(there));
  });
});
