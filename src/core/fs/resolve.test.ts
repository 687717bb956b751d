// What a path turned out to be: present, absent, an entry to write, or out of reach; and through which links.

import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readlinkSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { asNobody, grow, canBecomeNobody, mkfifo, nothingStaysPinned } from "../../../test/scene.ts";
import type { Tree } from "../../../test/tree.ts";
import { dirOf, isStill, resolveDir, type ResolvedPath, resolveEntry, resolveTarget } from "./resolve.ts";
import { platform } from "./pin.ts";
import type { RealDir, RealPath } from "../names.ts";
import { walkPath } from "./walk.ts";

nothingStaysPinned();
afterEach(() => vi.restoreAllMocks());

/** A resolution without its pin, which is let go; what the pin is on is told instead. */
function told({ target, links }: ResolvedPath): object {
  target.pin?.close();
  const { pin, ...rest } = target;
  return { ...rest, pinned: pin?.real ?? null, links };
}

const it = grow([
  "f: 1",
  "d/g: 1",
  "d/sub/h: 1",
  "l => f",
  "ll => l",
  "to-d => d",
  "up => d/..",
  "abs => $ROOT/d/g",
  "loop => loop",
  "ping => pong",
  "pong => ping",
  "dangling => d/missing",
  "dangling-deep => missing/deeper",
  "through-file => f/x",
  "d/out => $OUT",
  "$OUT/o: 1",
  "$OUT/inner/p: 1",
]);
mkfifo(it.path("fifo"));
for (let at = 0; at < 45; at += 1) symlinkSync(at === 0 ? "f" : `chain${at}`, it.path(`chain${at + 1}`));
const at = (path: string): string => `${it.root}/${path}`;
const links = (...names: string[]): string[] => names.map((name) => it.path(name));

describe("what a path leads to", () => {
  const present = (path: string, kind: string, ...through: string[]): object => ({
    state: "present",
    kind,
    path: it.path(path),
    pinned: it.path(path),
    links: links(...through),
  });
  const absent = (path: string, under: string, missing: string[], ...through: string[]): object => ({
    state: "absent",
    path: it.path(path),
    pinned: it.path(under),
    missing,
    links: links(...through),
  });
  const unreachable = (path: string, reason: string, ...through: string[]): object => ({
    state: "unreachable",
    path: it.path(path),
    reason,
    pinned: null,
    links: links(...through),
  });
  const cases: readonly [string, string, object][] = [
    ["a file", "f", present("f", "file")],
    ["a directory", "d", present("d", "dir")],
    ["a directory with a slash behind it", "d/", present("d", "dir")],
    ["doubled slashes and dots", "./d//sub/./../g", present("d/g", "file")],
    ["a pipe", "fifo", present("fifo", "other")],
    ["a link", "l", present("f", "file", "l")],
    ["a link to a link: both are told, in order", "ll", present("f", "file", "ll", "l")],
    ["a link to a directory", "to-d/g", present("d/g", "file", "to-d")],
    ["an absolute link", "abs", present("d/g", "file", "abs")],
    ["a link that goes up", "up/f", present("f", "file", "up")],
    ["`..` behind a link is the target's parent", "d/out/../in/f", present("f", "file", "d/out")],
    ["a link that leaves the tree", "d/out/inner/p", present("$OUT/inner/p", "file", "d/out")],
    ["nothing", "missing", absent("missing", "", ["missing"])],
    ["nothing, deep down", "missing/a//b/.", absent("missing/a/b", "", ["missing", "a", "b"])],
    ["nothing in a directory", "d/sub/missing", absent("d/sub/missing", "d/sub", ["missing"])],
    ["nothing behind a linked directory", "to-d/missing", absent("d/missing", "d", ["missing"], "to-d")],
    ["a link to nothing: where it would be", "dangling", absent("d/missing", "d", ["missing"], "dangling")],
    [
      "a link to nothing, and a name behind it",
      "dangling-deep/x",
      absent("missing/deeper/x", "", ["missing", "deeper", "x"], "dangling-deep"),
    ],
    ["`..` behind nothing leads nowhere", "missing/../f", unreachable("f", "not-found")],
    ["`..` out of nothing is judged where it points", "missing/../../out/o", unreachable("$OUT/o", "not-found")],
    ["a name behind a file", "f/x", unreachable("f/x", "not-found")],
    ["a file with a slash behind it", "f/", unreachable("f", "not-found")],
    ["a link through a file", "through-file", unreachable("f/x", "not-found", "through-file")],
  ];
  test.each(cases)("%s", (_title, path, expected) => {
    expect(told(resolveTarget(at(path)))).toEqual(expected);
  });

  test("a circle of links, by itself and through another", () => {
    for (const name of ["loop", "ping", "pong/x"])
      expect(told(resolveTarget(at(name)))).toMatchObject({ state: "unreachable", reason: "symlink-loop", pinned: null });
  });

  test("forty links are followed and named, as the kernel does; forty-one are not", () => {
    const named = Array.from({ length: 40 }, (_, index) => it.path(`chain${40 - index}`));
    expect(told(resolveTarget(at("chain40")))).toEqual({
      state: "present",
      kind: "file",
      path: it.path("f"),
      pinned: it.path("f"),
      links: named,
    });
    expect(told(resolveTarget(at("chain41")))).toMatchObject({ state: "unreachable", reason: "symlink-loop" });
  });

  test("the top of the machine", () => {
    expect(told(resolveTarget("/"))).toEqual({ state: "present", kind: "dir", path: "/", pinned: "/", links: [] });
    expect(told(resolveTarget("//"))).toEqual({ state: "present", kind: "dir", path: "/", pinned: "/", links: [] });
    expect(told(resolveTarget("/../.."))).toEqual({ state: "present", kind: "dir", path: "/", pinned: "/", links: [] });
    expect(told(resolveTarget("/no-such-name"))).toEqual({
      state: "absent",
      path: "/no-such-name",
      missing: ["no-such-name"],
      pinned: "/",
      links: [],
    });
  });

  test("a path longer than the system takes", () => {
    expect(told(resolveTarget(at("x/".repeat(2500))))).toMatchObject({ state: "unreachable", reason: "unresolvable-path" });
    expect(told(resolveTarget(at(`d/${"x".repeat(300)}`)))).toMatchObject({ state: "unreachable", reason: "unresolvable-path" });
  });

  test("what has no place of its own is judged where the path says", () => {
    const placeless = readdirSync("/proc/self/fd").find((descriptor) => {
      const place = readlinkOrNull(`/proc/self/fd/${descriptor}`);
      return place !== null && !place.startsWith("/");
    });
    const path = `/proc/self/fd/${placeless}`;
    expect(told(resolveTarget(path))).toMatchObject({
      state: "present",
      kind: "other",
      path,
      links: ["/proc/self", `/proc/${process.pid}/fd/${placeless}`],
    });
  });

  test("a name that is not UTF-8 is refused, not guessed at", () => {
    const odd = grow(["a: 1"]);
    mkdirSync(Buffer.concat([Buffer.from(`${odd.root}/`), Buffer.from([0xc3, 0x28])]));
    symlinkSync(Buffer.from([0xc3, 0x28]), odd.path("l"));
    expect(told(resolveTarget(odd.path("l")))).toMatchObject({ state: "unreachable", reason: "invalid-path", pinned: null });
    expect(told(resolveTarget(odd.path("l/below")))).toMatchObject({ state: "absent" });
  });
});

function readlinkOrNull(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

describe("what moves while it is looked at", () => {
  test("a name that moved is looked up again, up to three times", () => {
    const confirm = vi.spyOn(platform, "confirm").mockReturnValueOnce(false).mockReturnValueOnce(false);
    expect(told(resolveTarget(at("l")))).toMatchObject({ state: "present", path: it.path("f") });
    expect(confirm).toHaveBeenCalledTimes(3);
  });

  test("and is stale after that, with nothing left pinned", () => {
    const confirm = vi.spyOn(platform, "confirm").mockReturnValue(false);
    expect(told(resolveTarget(at("l")))).toEqual({
      state: "unreachable",
      path: it.path("f"),
      reason: "stale-path",
      pinned: null,
      links: [],
    });
    expect(confirm).toHaveBeenCalledTimes(3);
  });

  test("a path that the kernel opened and calls by exactly this name needs no second look", () => {
    const confirm = vi.spyOn(platform, "confirm").mockReturnValue(false);
    expect(told(resolveTarget(at("f")))).toMatchObject({ state: "present", path: it.path("f"), links: [] });
    expect(confirm).not.toHaveBeenCalled();
  });

  test("a removed file, reached through the descriptor that holds it, is stale", () => {
    const gone = grow(["a: 1", "b (deleted): 1"]);
    const descriptor = openSync(gone.path("a"), "r");
    unlinkSync(gone.path("a"));
    try {
      expect(told(resolveTarget(`/proc/self/fd/${descriptor}`))).toMatchObject({ state: "unreachable", reason: "stale-path" });
      expect(told(resolveTarget(gone.path("b (deleted)")))).toMatchObject({ state: "present", kind: "file" });
    } finally {
      closeSync(descriptor);
    }
  });

  test("a missing file below a directory that moved meanwhile is not called absent", () => {
    vi.spyOn(platform, "confirm").mockReturnValue(false);
    expect(told(resolveTarget(at("d/missing")))).toMatchObject({ state: "unreachable", reason: "not-found" });
  });

  test("a place that cannot be looked at again lets go of its pin", () => {
    vi.spyOn(platform, "confirm").mockImplementation(() => {
      throw Object.assign(new Error("x"), { code: "EACCES" });
    });
    expect(told(resolveTarget(at("d/missing")))).toMatchObject({ state: "unreachable" });
    expect(told(resolveTarget(at("l")))).toMatchObject({ state: "unreachable", reason: "stale-path" });
  });
});

describe("one name in a directory, for whoever writes", () => {
  const entry = (path: string, found: string, ...through: string[]): object => ({
    state: "entry",
    path: it.path(path),
    name: path.slice(path.lastIndexOf("/") + 1),
    found,
    pinned: it.path(path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ""),
    links: links(...through),
  });
  const cases: readonly [string, string, object][] = [
    ["a file", "f", entry("f", "file")],
    ["nothing yet", "new", entry("new", "absent")],
    ["a directory", "d", entry("d", "dir")],
    ["a link stays a link: it is not followed", "l", entry("l", "link")],
    ["a link to nothing", "dangling", entry("dangling", "link")],
    ["a pipe", "fifo", entry("fifo", "other")],
    ["behind a linked directory", "to-d/new", entry("d/new", "absent", "to-d")],
  ];
  test.each(cases)("%s", (_title, path, expected) => {
    expect(told(resolveEntry(at(path)))).toEqual(expected);
  });

  test("below directories that are not there yet", () => {
    expect(told(resolveEntry(at("no/such/file")))).toEqual({
      state: "absent",
      path: it.path("no/such/file"),
      missing: ["no", "such", "file"],
      pinned: it.root,
      links: [],
    });
  });

  test("below a file there is nothing to write", () => {
    expect(told(resolveEntry(at("f/x")))).toMatchObject({ state: "unreachable", reason: "not-found" });
    expect(told(resolveEntry(at("loop/x")))).toMatchObject({ state: "unreachable", reason: "symlink-loop" });
  });

  test.each(["d/", "d/.", "d/..", "..", "."])("`%s` names no entry", (path) => {
    expect(told(resolveEntry(at(path)))).toMatchObject({ state: "unreachable", reason: "invalid-path", pinned: null });
  });

  test("at the top of the machine", () => {
    expect(told(resolveEntry("/no-such-name"))).toEqual({
      state: "entry",
      path: "/no-such-name",
      name: "no-such-name",
      found: "absent",
      pinned: "/",
      links: [],
    });
  });

  test.skipIf(!canBecomeNobody)("in a directory that may not be entered: refused by the system, and let go", () => {
    const shut = grow(["d/f: 1"]);
    chmodSync(join(shut.root, ".."), 0o755);
    chmodSync(shut.path("d"), 0o644);
    expect(asNobody(() => told(resolveEntry(shut.path("d/f"))))).toEqual({
      state: "unreachable",
      path: shut.path("d/f"),
      reason: "os-denied",
      pinned: null,
      links: [],
    });
  });
});

describe("a place too deep to be named", () => {
  /** A directory whose real path is longer than the system takes, and a link that leads half-way. */
  function deep(): Tree {
    const tree = grow(["half/"]);
    const step = "x".repeat(200);
    execFileSync("sh", [
      "-c",
      `cd "$1"; i=0; while [ $i -lt 25 ]; do mkdir ${step} && cd -P ${step} || exit 1; i=$((i+1)); done; echo 1 > f; ln -s "$2" here`,
      "sh",
      tree.path("half"),
      tree.root,
    ]);
    const half = [tree.path("half"), ...Array.from({ length: 12 }, () => step)].join("/");
    symlinkSync(half, tree.path("l"));
    return tree;
  }

  test("is out of reach, whether something is there or not, and nothing stays pinned", () => {
    const tree = deep();
    const below = Array.from({ length: 13 }, () => "x".repeat(200)).join("/");
    expect(told(resolveTarget(`${tree.path("l")}/${below}/f`))).toMatchObject({
      state: "unreachable",
      reason: "unresolvable-path",
      pinned: null,
    });
    expect(told(resolveTarget(`${tree.path("l")}/${below}/missing`))).toMatchObject({ state: "unreachable", pinned: null });
    expect(told(resolveEntry(`${tree.path("l")}/${below}/missing`))).toMatchObject({ state: "unreachable", pinned: null });
    execFileSync("rm", ["-rf", tree.path("half")]);
  });
});

describe("directories", () => {
  test("are told by real name and identity, or why not", () => {
    const { dev, ino, birthtimeMs } = statSync(it.path("d"));
    expect(resolveDir(at("to-d"))).toEqual({ ok: true, dir: it.path("d"), dev, ino, born: birthtimeMs === 0 ? null : birthtimeMs });
    expect(resolveDir(at("f"))).toEqual({ ok: false, reason: "not-directory" });
    expect(resolveDir(at("fifo"))).toEqual({ ok: false, reason: "not-directory" });
    expect(resolveDir(at("missing"))).toEqual({ ok: false, reason: "not-found" });
    expect(resolveDir(at("loop"))).toEqual({ ok: false, reason: "symlink-loop" });
    expect(resolveDir(at("f/x"))).toEqual({ ok: false, reason: "not-found" });
  });

  test("are still the ones they were, or not", () => {
    const { dev, ino, birthtimeMs: born } = statSync(it.path("d"));
    const dir = it.path("d") as RealDir;
    expect([
      isStill({ dir, dev, ino }),
      isStill({ dir, dev, ino, born: null }),
      isStill({ dir, dev, ino, born }),
      isStill({ dir, dev, ino, born: born - 1 }),
      isStill({ dir, dev, ino: ino + 1, born }),
      isStill({ dir, dev: dev + 1, ino, born }),
      isStill({ dir: it.path("to-d") as RealDir, dev, ino, born }),
    ]).toEqual([true, true, true, false, false, false, false]);
  });

  test("hold their files", () => {
    expect([dirOf("/a/b" as RealPath), dirOf("/a" as RealPath), dirOf("/" as RealPath)]).toEqual(["/a", "/", "/"]);
  });
});

describe("the walk itself", () => {
  const walked = (path: string): object => {
    const { pin, ...rest } = walkPath(path);
    pin.close();
    return { ...rest, pinned: pin.real };
  };

  test("says where it got to, what was left and why", () => {
    expect(walked(at("to-d/sub"))).toEqual({
      links: links("to-d"),
      turns: [],
      real: it.path("d/sub"),
      rest: [],
      stop: null,
      pinned: it.path("d/sub"),
    });
    expect(walked(at("d/missing/./a//b"))).toEqual({
      links: [],
      turns: [],
      real: it.path("d"),
      rest: ["missing", "a", "b"],
      stop: "not-found",
      pinned: it.path("d"),
    });
    expect(walked(at("f/x/y"))).toEqual({
      links: [],
      turns: [],
      real: it.path("f"),
      rest: ["x", "y"],
      stop: "not-directory",
      pinned: it.path("f"),
    });
    expect(walked(at("d/sub/../../f"))).toMatchObject({ turns: [it.path("d/sub"), it.path("d")] });
    expect(walked(at("to-d/../f"))).toMatchObject({ turns: [it.path("d")] });
    expect(walked(at("missing/a/../../f"))).toMatchObject({ turns: [it.path("missing/a")] });
    expect(walked(at("loop"))).toMatchObject({ rest: ["loop"], stop: "symlink-loop" });
  });

  test("a link that multiplies names without end is stopped", () => {
    const long = grow(["d/"]);
    symlinkSync("./".repeat(2000), long.path("slow"));
    expect(walked(long.path("slow/slow/slow/d"))).toMatchObject({ stop: "symlink-loop" });
  });
});
