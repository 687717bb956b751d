// Listing a directory and walking a tree: every entry judged on the way, what is shut counted and not named, links never followed.

import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asNobody, canBecomeNobody, mkfifo, nothingStaysPinned, scene, type Scene } from "../../../test/scene.ts";
import { pin } from "../fs/pin.ts";
import { doAtOnce } from "../steps.ts";
import { listTree, type Start, type TreeVisitor, type WalkCount, type WalkOptions, walkTree } from "./walk-tree.ts";

nothingStaysPinned();

function start<T>(it: Scene, path: string, root: string | null, act: (start: Start) => T): T {
  const at = pin(it.path(path));
  try {
    return act({ at, path: it.path(path), root: root === null ? null : it.path(root), session: it.session, answer: null });
  } finally {
    at.close();
  }
}

function listing(it: Scene, path = "ws", root: string | null = "ws"): { names: string[]; withheld: number } {
  const { entries, withheld } = start(it, path, root, (from) => doAtOnce(listTree(from)));
  return { names: entries.map(({ name }) => name).toSorted(), withheld };
}

interface Walked extends WalkCount {
  readonly files: string[];
}

function walk(
  it: Scene,
  {
    options = { ignored: false },
    visitor = {},
    path = "ws",
    root = "ws",
  }: { options?: WalkOptions; visitor?: Partial<TreeVisitor>; path?: string; root?: string | null } = {},
): Walked {
  const files: string[] = [];
  const file: TreeVisitor["file"] = (_directory, _name, found) => {
    files.push(found);
    return true;
  };
  const counted = start(it, path, root, (from) => walkTree(from, options, { file, ...visitor }));
  return { files: files.toSorted(), ...counted };
}

describe("a listing", () => {
  test("shows what may be known of, with its kind, and counts the rest", () => {
    const it = scene([
      "ws/a: 1",
      "ws/d/",
      "ws/l => ../lib",
      "ws/.env: S",
      "ws/id_rsa: S",
      "ws/.env.example: x",
      "ws/.git/HEAD: 1",
      "ws/.env.local => a",
    ]);
    mkfifo(it.path("ws/fifo"));
    writeFileSync(Buffer.concat([Buffer.from(`${it.path("ws")}/`), Buffer.from([0xff])]), "");
    expect(listing(it)).toEqual({ names: [".env.example", ".git", "a", "d", "fifo", "l"], withheld: 4 });
  });

  test("leaves out what a rule denies or asks about: nobody can be asked inside a listing", () => {
    const it = scene(["ws/a: 1", "ws/b: 1", "ws/c: 1", "ws/d/b: 1"], { policy: { read: { "/c": "allow", b: "deny", "c*": "ask" } } });
    expect(listing(it)).toEqual({ names: ["a", "d"], withheld: 2 });
    expect(listing(it, "ws/d")).toEqual({ names: [], withheld: 1 });
  });

  test("reads rules from the root, from anywhere, and from outside, each where they hold", () => {
    const spec = ["ws/a/x: 1", "ws/b/x: 1", "lib/a/x: 1", "lib/b/x: 1"];
    const rooted = scene(spec, { policy: { read: { "a/x": "deny" } } });
    expect([
      listing(rooted, "ws/a").withheld,
      listing(rooted, "ws/b").withheld,
      listing(rooted, "lib/a", "lib").withheld,
      listing(rooted, "lib/a", null).withheld,
    ]).toEqual([1, 0, 1, 0]);
    const anywhere = scene(spec, { policy: { read: { "$ROOT/lib/a/x": "deny" } } });
    expect([listing(anywhere, "ws/a").withheld, listing(anywhere, "lib/a", null).withheld]).toEqual([0, 1]);
    const outside = scene(spec, { policy: { permission: { external_directory: { read: { "**/x": "deny" } } } } });
    expect([listing(outside, "ws/a").withheld, listing(outside, "lib/a", null).withheld]).toEqual([0, 1]);
  });

  test("hides what git ignores only where the policy shuts it", () => {
    const spec = [
      "ws/.gitignore: *.log\nout/\n",
      "ws/a: 1",
      "ws/x.log: 1",
      "ws/out/y: 1",
      "ws/sub/.gitignore: local\n",
      "ws/sub/local: 1",
      "ws/sub/x.log: 1",
    ];
    const names = (policy: object, path = "ws") => listing(scene(spec, { policy }), path);
    expect(names({})).toEqual({ names: [".gitignore", "a", "out", "sub", "x.log"], withheld: 0 });
    for (const gitignored of ["deny", "ask"]) {
      expect(names({ gitignored })).toEqual({ names: [".gitignore", "a", "sub"], withheld: 2 });
      expect(names({ gitignored }, "ws/sub")).toEqual({ names: [".gitignore"], withheld: 2 });
    }
  });
});

describe("a walk", () => {
  test("visits every file that may be read, below every directory, and counts what it may not", () => {
    const it = scene(["ws/a: 1", "ws/d/b: 1", "ws/d/e/f/c: 1", "ws/.env: S", "ws/d/.env: S", "ws/.ssh/config: S", "ws/.ssh/more/x: S"]);
    expect(walk(it)).toEqual({ files: ["a", "d/b", "d/e/f/c"], withheld: 3, unreadable: 0 });
    expect(walk(it, { path: "ws/d" })).toEqual({ files: ["b", "e/f/c"], withheld: 1, unreadable: 0 });
  });

  test("puts paths together only for names that are wanted, and counts what it may not visit among the others too", () => {
    const it = scene(["ws/a: 1", "ws/d/a: 1", "ws/d/b: 1", "ws/d/.env: S"]);
    const asked: string[] = [];
    const wants = (name: string): boolean => asked.push(name) > 0 && name === "a";
    expect(walk(it, { visitor: { wants } })).toEqual({ files: ["a", "d/a"], withheld: 1, unreadable: 0 });
    expect(asked.toSorted()).toEqual(["a", "a", "b"]);
  });

  test("never goes through a link, and not into `.git`, pipes and sockets", () => {
    const it = scene(["ws/a: 1", "ws/l => ../lib", "ws/m => a", "ws/up => ..", "ws/.git/config: 1", "ws/d/.git/HEAD: x", "lib/x: outside"]);
    mkfifo(it.path("ws/fifo"));
    expect(walk(it)).toEqual({ files: ["a"], withheld: 0, unreadable: 0 });
  });

  test("a directory that became a link meanwhile is not entered", () => {
    const it = scene(["ws/a: 1", "ws/d/b: 1", "lib/x: outside"]);
    const directory = (): boolean => {
      renameSync(it.path("ws/d"), it.path("before"));
      symlinkSync(it.path("lib"), it.path("ws/d"));
      return true;
    };
    expect(walk(it, { visitor: { directory } })).toEqual({ files: ["a"], withheld: 0, unreadable: 0 });
  });

  test("a directory that is gone meanwhile is passed over and counted", () => {
    const it = scene(["ws/a: 1", "ws/d/b: 1"]);
    const directory = (): boolean => {
      rmSync(it.path("ws/d"), { recursive: true });
      return true;
    };
    expect(walk(it, { visitor: { directory } })).toEqual({ files: ["a"], withheld: 0, unreadable: 1 });
  });

  test.skipIf(!canBecomeNobody)("a directory that may not be read is passed over and counted", () => {
    const it = scene(["ws/a: 1", "ws/shut/b: 1"]);
    chmodSync(join(it.root, ".."), 0o755);
    chmodSync(it.path("ws/shut"), 0o711);
    expect(asNobody(() => walk(it))).toEqual({ files: ["a"], withheld: 0, unreadable: 1 });
  });

  test("leaves out what git ignores unless it is wanted; with the policy against it, it is withheld", () => {
    const spec = [
      "ws/.gitignore: *.log\n/out/\n",
      "ws/a: 1",
      "ws/x.log: 1",
      "ws/out/y: 1",
      "ws/sub/.gitignore: !x.log\nlocal\n",
      "ws/sub/x.log: 1",
      "ws/sub/local: 1",
    ];
    const seen = (policy: object, ignored: boolean) => walk(scene(spec, { policy }), { options: { ignored } });
    const without = [".gitignore", "a", "sub/.gitignore", "sub/x.log"];
    expect(seen({}, false)).toEqual({ files: without, withheld: 0, unreadable: 0 });
    expect(seen({}, true)).toEqual({
      files: [".gitignore", "a", "out/y", "sub/.gitignore", "sub/local", "sub/x.log", "x.log"],
      withheld: 0,
      unreadable: 0,
    });
    for (const ignored of [false, true])
      expect(seen({ gitignored: "deny" }, ignored)).toEqual({ files: without, withheld: 3, unreadable: 0 });
  });

  test("that begins below the root still reads the ignore files above it, and the rules of the root", () => {
    const it = scene(["ws/.gitignore: *.log\n", "ws/sub/deep/x.log: 1", "ws/sub/deep/a: 1", "ws/sub/deep/b: 1"], {
      policy: { read: { "sub/deep/b": "deny" } },
    });
    expect(walk(it, { path: "ws/sub" })).toEqual({ files: ["deep/a"], withheld: 1, unreadable: 0 });
    expect(walk(it, { path: "ws/sub/deep" })).toEqual({ files: ["a"], withheld: 1, unreadable: 0 });
  });

  test("outside every root visits what a rule allows, and nothing else", () => {
    const it = scene(["lib/.gitignore: *.log\n", "lib/x.log: 1", "lib/a: 1"], { policy: { gitignored: "deny", read: { a: "allow" } } });
    expect(walk(it, { path: "lib", root: null })).toEqual({ files: ["a"], withheld: 2, unreadable: 0 });
  });

  test("ends when the visitor has enough, and leaves out the directories it does not want", () => {
    const it = scene(["ws/d/a: 1", "ws/e/b: 1", "ws/f/c: 1"]);
    let left = 2;
    const files: string[] = [];
    const file: TreeVisitor["file"] = (_directory, _name, path) => {
      files.push(path);
      return --left > 0;
    };
    walk(it, { visitor: { file } });
    expect(files.length).toBe(2);
    const depths: string[] = [];
    const directory = (path: string, depth: number): boolean => {
      depths.push(`${path} ${depth}`);
      return path !== "e";
    };
    expect(walk(it, { visitor: { directory } }).files).toEqual(["d/a", "f/c"]);
    expect(depths.toSorted()).toEqual(["d 0", "e 0", "f 0"]);
  });

  test("counts what is withheld from a given depth down only", () => {
    const it = scene(["ws/.env: S", "ws/d/.env: S", "ws/d/e/.env: S", "ws/d/e/f/.env: S"]);
    expect([0, 1, 2, 3, 4].map((countFrom) => walk(it, { options: { ignored: false, countFrom } }).withheld)).toEqual([4, 3, 2, 1, 0]);
  });

  test("tells of secrets that have further names", () => {
    const it = scene(["ws/.env: S", "ws/id_rsa: S"]);
    linkSync(it.path("ws/.env"), it.path("ws/twin"));
    const aliases: number[] = [];
    walk(it, { visitor: { aliased: (_dev, ino) => void aliases.push(ino) } });
    expect(aliases.length).toBe(1);
  });

  test("a tree that goes on for ever ends", () => {
    const it = scene([]);
    let dir = it.path("ws");
    for (let depth = 0; depth < 205; depth += 1) {
      dir = `${dir}/d`;
      mkdirSync(dir);
      writeFileSync(`${dir}/f`, "");
    }
    const { files } = walk(it);
    expect(files.length).toBe(200);
  });
});
