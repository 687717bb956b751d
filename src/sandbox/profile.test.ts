// What a session's command may see and change, told before anything is run.

import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { counter, nothingStaysPinned, openBelow, scene, type Scene, type ScenePlan } from "../../test/scene.ts";
import { reopenGrants } from "../core/session/grant.ts";
import type { Session } from "../core/session/session.ts";
import { doAtOnce } from "../core/steps.ts";
import { Inventory } from "./inventory.ts";
import { openProfile, type Profile } from "./profile.ts";

nothingStaysPinned();

const user = { uid: process.geteuid?.() ?? -1, groups: [process.getegid?.() ?? -1] };

interface Stage extends Scene {
  /** `writable ws`, `hidden-file ws/.env`: what is mounted, in order. */
  mounts(session?: Session): readonly string[];
  open(session?: Session, shared?: boolean): Profile;
  readonly inventory: Inventory;
}

function stage(spec: readonly string[], plan: ScenePlan = {}): Stage {
  const it = scene(spec, plan);
  const inventory = new Inventory(Date.now);
  const open = (session = it.session, shared = false): Profile => {
    const profile = doAtOnce(openProfile(session, { inventory, clock: Date.now, user, shared }));
    if ("ok" in profile) throw new Error(`${profile.code}: ${profile.why}`);
    return profile;
  };
  return {
    ...it,
    inventory,
    open,
    mounts(session) {
      const profile = open(session);
      const mounted = profile.mounts.map(({ make, path }) => ({ make, path: path.slice(it.root.length + 1) }));
      profile.close();
      // Only which is deeper counts; what is equally deep comes in the system's order.
      const order = ({ make, path }: { readonly make: string; readonly path: string }): string =>
        `${make.startsWith("hidden") ? 1 : 0} ${String(path.split("/").length).padStart(3, "0")} ${path}`;
      expect(mounted.map((one) => order(one).slice(0, 5))).toEqual(mounted.map((one) => order(one).slice(0, 5)).toSorted());
      return mounted.toSorted((one, other) => (order(one) < order(other) ? -1 : 1)).map(({ make, path }) => `${make} ${path}`);
    },
  };
}

const granted = (it: Scene, ...dirs: string[]): Session =>
  reopenGrants(it.session, dirs.map(it.path), { clock: Date.now, ids: counter() }).session;

describe("roots", () => {
  test("outer ones come first; one in another that gives the same is there already", () => {
    const it = stage(["all/ws/a", "all/ws/in/b", "all/x/c", "lib/d"], {
      workspace: "all/ws",
      mounts: [
        { path: "lib", mode: "read_only" },
        { path: "all/ws/in", mode: "extend" },
        { path: "all", mode: "read_only" },
        { path: "all/x", mode: "sandboxed" },
      ],
    });
    expect(it.mounts()).toEqual(["read-only all", "read-only lib", "writable all/ws", "writable all/x"]);
  });

  test("one that only reads keeps the directories around it in their places", () => {
    const it = stage(["ws/a/b/c/d", "ws/e"], { mounts: [{ path: "ws/a/b/c", mode: "read_only" }] });
    expect(it.mounts()).toEqual(["writable ws", "writable ws/a", "writable ws/a/b", "read-only ws/a/b/c"]);
  });

  test("a grant only reads, and one that is over is not there", () => {
    const it = stage(["ws/a", "lib/b"]);
    const session = granted(it, "lib");
    expect(it.mounts(session)).toEqual(["read-only lib", "writable ws"]);
    const over = session.grants.map((grant) => (grant.until === "session" ? { ...grant, root: { ...grant.root, expires: 1 } } : grant));
    expect(it.mounts({ ...session, grants: over })).toEqual(["writable ws"]);
    const soon = session.grants.map((grant) => (grant.until === "session" ? { ...grant, root: { ...grant.root, expires: 9e15 } } : grant));
    const profile = it.open({ ...session, grants: soon });
    expect([profile.expires, profile.grants.size]).toEqual([9e15, 1]);
    profile.close();
  });

  test("another directory in a grant's place is left out", () => {
    const it = stage(["ws/a", "lib/b"]);
    const session = granted(it, "lib");
    fs.renameSync(it.path("lib"), it.path("old"));
    fs.symlinkSync(it.path("old"), it.path("lib"));
    const profile = it.open(session);
    expect([profile.mounts.length, profile.leftOut]).toEqual([1, [it.path("lib")]]);
    profile.close();
  });
});

test("a directory that only has the inode of the one that was granted is left out; a workspace is known by its inode", () => {
  const it = stage(["ws/a", "lib/b"]);
  const session = granted(it, "lib");
  const other = session.grants.map((grant) => (grant.until === "session" ? { ...grant, root: { ...grant.root, born: 1 } } : grant));
  const profile = it.open({ ...session, workspace: { ...session.workspace, born: 1 }, grants: other });
  expect([profile.mounts.length, profile.leftOut]).toEqual([1, [it.path("lib")]]);
  profile.close();
});

describe("what is hidden", () => {
  test("files and directories on the list of secrets, in every root; what links of such names lead to, and not what is lifted", () => {
    const it = stage(["ws/.env", "ws/a/.ssh/x", "ws/b/.env.example", "ws/l.pem => b", "ws/t.key", "lib/c/k.p12"], {
      policy: { secrets: { except: ["**/t.key"] } },
    });
    const session = granted(it, "lib");
    expect(it.mounts(session).slice(2)).toEqual([
      "hidden-file ws/.env",
      "hidden-dir ws/b",
      "hidden-file lib/c/k.p12",
      "hidden-dir ws/a/.ssh",
    ]);
  });

  test("what is secret because of the directory around it keeps that directory in its place", () => {
    const it = stage(["ws/x/.docker/config.json", "ws/.config/gcloud/a", "ws/y/.env"]);
    const words = it.mounts();
    expect(words).toContain("writable ws/x/.docker");
    expect(words).toContain("writable ws/.config");
    expect(words).not.toContain("writable ws/x");
    expect(words).not.toContain("writable ws/y");
  });

  test("what is secret keeps all directories around it in their places where exceptions go by places", () => {
    const except = (...patterns: string[]): readonly string[] =>
      stage(["ws/x/y/k.pem", "ws/z/a"], { policy: { secrets: { except: patterns } } }).mounts();
    expect(except("**/test/*.pem")).toEqual(["writable ws", "writable ws/x", "writable ws/x/y", "hidden-file ws/x/y/k.pem"]);
    expect(except("t.pem", "**/t.key")).toEqual(["writable ws", "hidden-file ws/x/y/k.pem"]);
  });

  test("what links lead to, with nothing mounted in it; what holds a root is left", () => {
    const it = stage([
      "ws/x.pem => a",
      "ws/a/.env",
      "ws/a/.vscode/b",
      "ws/a/.git/config",
      "ws/y.pem => a/c/d",
      "ws/.idea => a/c",
      "ws/a/c/d",
      "ws/z.pem => ../ws",
    ]);
    expect(it.mounts()).toEqual(["writable ws", "hidden-dir ws/a"]);
  });

  test("what rules deny or ask about, with the way to it held", () => {
    const it = stage(["ws/a/b/c", "ws/d", "lib/e/f"], { policy: { read: { "a/b": "deny", d: "ask" } } });
    const words = it.mounts(granted(it, "lib"));
    expect(words).toEqual(["read-only lib", "writable ws", "writable ws/a", "hidden-file ws/d", "hidden-dir ws/a/b"]);
  });

  test("a second name of a secret, in whichever root; found again when nothing has changed", async () => {
    const it = stage(["ws/a/.env: S", "ws/b/x", "lib/y"]);
    fs.linkSync(it.path("ws/a/.env"), it.path("ws/b/one"));
    fs.linkSync(it.path("ws/a/.env"), it.path("ws/b/two"));
    fs.linkSync(it.path("ws/a/.env"), it.path("lib/three"));
    const session = granted(it, "lib");
    const expected = ["hidden-file lib/three", "hidden-file ws/a/.env", "hidden-file ws/b/one", "hidden-file ws/b/two"];
    for (let round = 0; round < 3; round += 1) {
      expect(it.mounts(session).slice(2).toSorted()).toEqual(expected);
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
  });

  test("names of branches are no names of secrets", () => {
    const it = stage([
      "ws/.git/config",
      "ws/.git/hooks/",
      "ws/.git/refs/heads/prod.env",
      "ws/.git/logs/refs/heads/prod.env",
      "ws/.git/x/prod.env",
    ]);
    expect(it.mounts().filter((word) => word.startsWith("hidden"))).toEqual(["hidden-file ws/.git/x/prod.env"]);
  });

  test("a new secret is seen in a directory that was remembered, and so is one that went", async () => {
    const it = stage(["ws/a/b/c", "ws/.env"]);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(it.mounts()).toEqual(["writable ws", "hidden-file ws/.env"]);
    expect(it.mounts()).toEqual(["writable ws", "hidden-file ws/.env"]);
    fs.writeFileSync(it.path("ws/a/b/x.pem"), "S");
    fs.utimesSync(it.path("ws/a/b"), 1, 1);
    expect(it.mounts()).toEqual(["writable ws", "hidden-file ws/.env", "hidden-file ws/a/b/x.pem"]);
    fs.renameSync(it.path("ws/a/b"), it.path("ws/moved"));
    fs.rmSync(it.path("ws/.env"));
    expect(it.mounts()).toEqual(["writable ws", "hidden-file ws/moved/x.pem"]);
  });

  test("a file that holds a token only sometimes is looked into every time", async () => {
    const it = stage(["ws/.npmrc: save-exact=true"]);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect([it.mounts().length, it.mounts().length]).toEqual([1, 1]);
    fs.writeFileSync(it.path("ws/.npmrc"), "//r/:_authToken=x");
    expect(it.mounts()).toEqual(["writable ws", "hidden-file ws/.npmrc"]);
  });

  test("a tree that goes on for ever is cut off", () => {
    const it = stage([]);
    let dir = it.path("ws");
    for (let depth = 0; depth < 230; depth += 1) fs.mkdirSync((dir = join(dir, "d")));
    fs.writeFileSync(join(dir, ".env"), "S");
    const words = it.mounts();
    expect(words).toHaveLength(2);
    expect(words[1]?.split("/d").length).toBe(201);
    fs.rmSync(it.path("ws/d"), { recursive: true });
  });
});

describe("what is read-only", () => {
  test("a git directory: itself held, what git executes or is led by read-only", () => {
    const it = stage(["ws/.git/config", "ws/.git/hooks/x", "ws/.git/modules/m/config", "ws/.git/worktrees/w/commondir", "ws/.git/HEAD"]);
    const profile = it.open();
    const tripwires = ["config.worktree", "commondir", "remotes", "branches"].map((name) => it.path(`ws/.git/${name}`));
    expect(profile.tripwires.map(({ path }) => path)).toEqual(tripwires);
    profile.close();
    expect(it.mounts()).toEqual([
      "writable ws",
      "writable ws/.git",
      "read-only ws/.git/config",
      "read-only ws/.git/hooks",
      "read-only ws/.git/modules",
      "read-only ws/.git/worktrees",
    ]);
  });

  test.each([
    ["without configuration", ["ws/.git/HEAD", "ws/.git/hooks/"]],
    ["with a file for hooks", ["ws/.git/config", "ws/.git/hooks: x"]],
  ])("a git directory %s, as a whole", (_what, spec) => {
    const it = stage(spec);
    expect(it.mounts()).toEqual(["writable ws", "read-only ws/.git"]);
    expect(fs.readdirSync(it.path("ws/.git"))).toContain("hooks".slice(0, spec.join().includes("hooks") ? 5 : 0) || "HEAD");
  });

  test("a git directory with links for hooks and settings, as a whole, and what they lead to", () => {
    const it = stage([
      "ws/.git/config => ../conf/git",
      "ws/conf/git",
      "ws/.git/hooks => ../h",
      "ws/h/pre-commit => ../run",
      "ws/run",
      "ws/x",
    ]);
    expect(it.mounts()).toEqual([
      "writable ws",
      "read-only ws/.git",
      "writable ws/conf",
      "read-only ws/h",
      "read-only ws/run",
      "read-only ws/conf/git",
    ]);
  });

  test("what a hook that is a link leads to, and no other place for it", () => {
    const it = stage([
      "ws/.git/config",
      "ws/.git/hooks/pre-commit => ../../a/b/c.sh",
      "ws/a/b/c.sh",
      "ws/.git/hooks/pre-push => ../../late",
    ]);
    expect(it.mounts().filter((word) => !word.includes(".git"))).toEqual([
      "writable ws",
      "writable ws/a",
      "writable ws/a/b",
      "read-only ws/a/b/c.sh",
    ]);
    const profile = it.open();
    fs.writeFileSync(it.path("ws/late"), "evil");
    expect(doAtOnce(profile.sweepOrders())).toEqual([{ from: it.path("ws/late"), to: it.path("ws/late.set-aside") }]);
    profile.close();
  });

  test("what git's settings name wherever they are: of one worktree alone, behind a link, in a directory that is shared, in none of the roots", () => {
    const hooks = "[core]\n\thooksPath = h";
    for (const spec of [
      ["ws/.git/config", `ws/.git/config.worktree: ${hooks}`],
      ["ws/.git => ../o", `o/config: ${hooks}`],
      ["ws/.git: gitdir: ../o/worktrees/w", "o/worktrees/w/commondir: ../..", `o/config: ${hooks}`],
    ])
      expect(stage([...spec, "ws/h/pre-commit"]).mounts()).toContain("read-only ws/h");
    const bare = stage(["ws/b/HEAD", "ws/b/objects/", "ws/b/refs/", `ws/b/config: ${hooks}`, "ws/b/h/x", "ws/b/worktrees/w/commondir"]);
    expect(bare.mounts()).toEqual([
      "writable ws",
      "writable ws/b",
      "read-only ws/b/config",
      "read-only ws/b/h",
      "read-only ws/b/worktrees",
    ]);
    const root = stage(["ws/.git/config: [core]\n\thooksPath = .", "ws/pre-push", "ws/f"]);
    expect(root.mounts().filter((word) => !word.includes(".git"))).toEqual(["writable ws", "read-only ws/pre-push"]);
    const profile = root.open();
    fs.writeFileSync(root.path("ws/pre-commit"), "evil");
    expect(doAtOnce(profile.sweepOrders())).toEqual([{ from: root.path("ws/pre-commit"), to: root.path("ws/pre-commit.set-aside") }]);
    profile.close();
  });

  test("hooks, modules and worktrees that are missing are made and bound; hooks are taken away again, not if somebody used them", () => {
    const it = stage(["ws/.git/config"]);
    for (const name of ["hooks", "modules", "worktrees"]) expect(it.mounts()).toContain(`read-only ws/.git/${name}`);
    expect(fs.readdirSync(it.path("ws/.git")).toSorted()).toEqual(["config", "modules", "worktrees"]);
    const profile = it.open();
    fs.writeFileSync(it.path("ws/.git/hooks/mine"), "x");
    profile.close();
    expect(fs.readdirSync(it.path("ws/.git/hooks"))).toEqual(["mine"]);
  });

  test("empty directories of another command that runs now stay for it, and go with whoever ends last", () => {
    const it = stage(["ws/.git/config"]);
    const first = it.open();
    const second = it.open(it.session, true);
    first.close("keep");
    expect(fs.readdirSync(it.path("ws/.git")).toSorted()).toEqual(["config", "hooks", "modules", "worktrees"]);
    second.close();
    expect(fs.readdirSync(it.path("ws/.git")).toSorted()).toEqual(["config", "modules", "worktrees"]);
  });

  test("an operation of git that has commands left to run, and where else it takes objects from", () => {
    const git = ["ws/.git/config", "ws/.git/hooks/", "ws/.git/modules/", "ws/.git/worktrees/"];
    const usual = stage([...git, "ws/.git/rebase-merge/git-rebase-todo: pick 1234 x exec", "ws/.git/rebase-merge/strategy: ort"]);
    expect(usual.mounts()).toHaveLength(6);
    const orders = stage([...git, "ws/.git/rebase-merge/git-rebase-todo: x make", "ws/.git/objects/info/alternates: /other"]);
    expect(orders.mounts()).toContain("read-only ws/.git/rebase-merge");
    expect(orders.mounts()).toContain("read-only ws/.git/objects/info/alternates");
    const strategy = stage([...git, "ws/.git/sequencer/opts: strategy = ../../run"]);
    expect(strategy.mounts()).toContain("read-only ws/.git/sequencer");
    const link = stage([...git, "ws/.git/objects => ../o", "ws/o/"]);
    expect(link.mounts()).toEqual(["writable ws", "read-only ws/.git", "read-only ws/o"]);
  });

  test("what links in a git directory lead to, where git would find further names: a directory, or one that is not there yet", () => {
    const git = ["ws/.git/config", "ws/.git/hooks/", "ws/.git/modules/", "ws/.git/worktrees/"];
    const it = stage([...git, "ws/.git/rr-cache => ../o", "ws/o/", "ws/.git/logs => ../later"]);
    expect(it.mounts()).toHaveLength(7);
    expect(it.mounts()).toContain("read-only ws/o");
    const profile = it.open();
    fs.mkdirSync(it.path("ws/later"));
    expect(doAtOnce(profile.sweepOrders())).toEqual([{ from: it.path("ws/later"), to: it.path("ws/later.set-aside") }]);
    profile.close();
    const files = stage([
      ...git,
      "ws/.git/.#COMMIT_EDITMSG => ada@host.1:2",
      "ws/.git/FETCH_HEAD => ../f",
      "ws/f",
      "ws/.git/x => /nowhere",
    ]);
    expect(files.mounts()).toHaveLength(6);
  });

  test("a git directory under another name: what git executes or is led by in it", () => {
    const it = stage([
      "ws/v.git/HEAD",
      "ws/v.git/objects/",
      "ws/v.git/refs/",
      "ws/v.git/config",
      "ws/v.git/hooks/x",
      "ws/n/config",
      "ws/n/hooks/x",
    ]);
    expect(it.mounts()).toEqual(["writable ws", "read-only ws/v.git/config", "read-only ws/v.git/hooks"]);
  });

  test("a git directory that a file points to is kept as one called .git; not where it lies in what is read-only", () => {
    const it = stage(["ws/.git: gitdir: store/it", "ws/store/it/HEAD", "ws/store/it/config", "ws/store/it/hooks/x"]);
    const words = [
      "writable ws",
      "read-only ws/.git",
      "writable ws/store/it",
      "read-only ws/store/it/config",
      "read-only ws/store/it/hooks",
      "read-only ws/store/it/modules",
      "read-only ws/store/it/worktrees",
    ];
    expect(it.mounts()).toEqual(words);
    const sub = stage(["ws/.git/config", "ws/.git/hooks/", "ws/.git/modules/m/config", "ws/m/.git: gitdir: ../.git/modules/m"]);
    expect(sub.mounts().filter((word) => word.includes("modules"))).toEqual(["read-only ws/.git/modules"]);
    const elsewhere = stage(["ws/.git: gitdir: ../o", "o/config", "o/HEAD"]);
    expect(elsewhere.mounts()).toEqual(["writable ws", "read-only ws/.git"]);
  });

  test("another directory for hooks that git's configuration names", () => {
    const config = "ws/.git/config: [core]\n\thooksPath = tools/hooks";
    const it = stage([config, "ws/tools/hooks/pre-commit", "ws/tools/x"]);
    expect(it.mounts().filter((word) => !word.includes(".git"))).toEqual(["writable ws", "writable ws/tools", "read-only ws/tools/hooks"]);
    const held = stage([config, "ws/tools/hooks/pre-commit", "ws/tools/hooks/x/lock"], {
      policy: { write: { "tools/hooks/x/lock": "deny" } },
    });
    expect(held.mounts().filter((word) => word.includes("tools/hooks"))).toEqual([
      "read-only ws/tools/hooks",
      "read-only ws/tools/hooks/x/lock",
    ]);
    const bound = stage(["ws/.git/config: [core]\n\thooksPath = .husky/_", "ws/.husky/_/pre-commit"]);
    expect(bound.mounts().filter((word) => !word.includes(".git"))).toEqual(["writable ws", "read-only ws/.husky"]);
    const profile = bound.open();
    expect(doAtOnce(profile.sweepOrders())).toEqual([]);
    profile.close();
  });

  test("names that execute later and what rules keep from being written; a grant needs none of it", () => {
    const it = stage(
      ["ws/.vscode/a", "ws/d/.mcp.json", "ws/lock", "ws/node_modules/m/.vscode/b", "lib/.vscode/c", "ws/.idea => e", "ws/e/f"],
      {
        policy: { write: { lock: "deny" }, protected: { except: ["**/.mcp.json"] } },
      },
    );
    expect(it.mounts(granted(it, "lib"))).toEqual([
      "read-only lib",
      "writable ws",
      "read-only ws/.vscode",
      "read-only ws/e",
      "read-only ws/lock",
    ]);
  });

  test("what links in settings lead to, and the way to it; not the work around them; where it leads is noted for whoever looks in our place", () => {
    const it = stage([
      "ws/.vscode/a/b => ../../s/t/b",
      "ws/s/t/b",
      "ws/.vscode/up => ..",
      "ws/.idea => s/late",
      "ws/.zed => .vscode/a",
      "ws/.fleet => u",
      "ws/u/x",
      "ws/w/.env",
    ]);
    expect(it.mounts()).toEqual([
      "writable ws",
      "read-only ws/.vscode",
      "writable ws/s",
      "read-only ws/u",
      "writable ws/s/t",
      "read-only ws/s/t/b",
      "hidden-file ws/w/.env",
    ]);
    const profile = it.open();
    const places = [".vscode/a/b", ".idea", ".zed", ".fleet"].map((name) => it.path(`ws/${name}`));
    expect(profile.before.places?.toSorted()).toEqual(places.toSorted());
    fs.mkdirSync(it.path("ws/s/late"));
    expect(doAtOnce(profile.sweep())).toEqual([{ from: it.path("ws/s/late"), to: it.path("ws/s/late.set-aside") }]);
    expect(doAtOnce(profile.sweep())).toEqual([]);
    profile.close();
  });

  test("a secret in what is read-only is still hidden", () => {
    const it = stage(["ws/.vscode/.env", "ws/.vscode/.docker/config.json"]);
    expect(it.mounts()).toEqual([
      "writable ws",
      "read-only ws/.vscode",
      "hidden-file ws/.vscode/.env",
      "hidden-file ws/.vscode/.docker/config.json",
    ]);
  });
});

test("a directory that is taken away while the tree is looked at makes the look worth nothing", () => {
  const it = stage(["ws/a/b/.env", "ws/c/d/.env"]);
  let listed = 0;
  const clock = (): number => {
    // Asked when a directory is listed. The workspace was first; by now one of the two is being listed, and the other has moved on.
    listed += 1;
    if (listed === 2) for (const name of ["a", "c"]) fs.renameSync(it.path(`ws/${name}`), it.path(`ws/moved-${name}`));
    return Date.now();
  };
  const profile = doAtOnce(openProfile(it.session, { inventory: new Inventory(clock), clock: Date.now, user }));
  expect(profile).toMatchObject({ ok: false, code: "stale-path" });
});

test("a profile holds everything it mounts, and lets go of all of it", () => {
  const it = stage(["ws/.env", "ws/a/b/c.pem", "ws/.git/config", "lib/x"]);
  const profile = it.open(granted(it, "lib"));
  expect(openBelow(it.root).length).toBeGreaterThan(4);
  profile.close();
  profile.close();
  expect(openBelow(it.root)).toEqual([]);
});

test("what cannot be looked through is not worked in", () => {
  const it = stage(["ws/a"]);
  const session = { ...it.session, workspace: { ...it.session.workspace, ino: 1 } };
  expect(doAtOnce(openProfile(session, { inventory: it.inventory, clock: Date.now, user }))).toMatchObject({
    ok: false,
    code: "root-moved",
  });
  onTestFinished(() => expect(openBelow(it.root)).toEqual([]));
});
