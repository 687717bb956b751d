// Single names under a pinned directory: looked at, listed, placed, removed, moved; whole or not at all, and never through a link.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { grow, isRoot, mkfifo, nothingStaysPinned, openBelow } from "../../../test/scene.ts";
import {
  eachEntry,
  eachEntryInSteps,
  entriesIn,
  isEmpty,
  isVirtual,
  makeDir,
  placeFile,
  removeDir,
  removeFile,
  renameEntry,
  statEntry,
} from "./at.ts";
import { errnoOf } from "../errno.ts";
import { doAtOnce } from "../steps.ts";
import { type Pin, pin } from "./pin.ts";

nothingStaysPinned();

function on<T>(path: string, act: (directory: Pin) => T): T {
  const directory = pin(path);
  try {
    return act(directory);
  } finally {
    directory.close();
  }
}

function errno(act: () => void): string {
  try {
    act();
    return "done";
  } catch (error) {
    return errnoOf(error);
  }
}

const bytes = Buffer.from("new content");

describe("placing a file", () => {
  test("a new one appears whole, with the usual mode, and nothing beside it", () => {
    const it = grow(["d/"]);
    on(it.path("d"), (directory) => placeFile(directory, "f", { bytes, temporary: ".t", instead: null }));
    expect(readdirSync(it.path("d"))).toEqual(["f"]);
    expect(readFileSync(it.path("d/f"), "utf8")).toBe("new content");
    expect(statSync(it.path("d/f")).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test("in the place of another: its mode and owner stay, its inode does not, and its other names keep the old content", () => {
    const it = grow(["d/f: old", "other => d/f"]);
    chmodSync(it.path("d/f"), 0o751);
    linkSync(it.path("d/f"), it.path("twin"));
    const before = statSync(it.path("d/f"));
    on(it.path("d"), (directory) =>
      placeFile(directory, "f", { bytes, temporary: ".t", instead: statEntry(directory, "f")?.facts ?? null }),
    );
    const after = statSync(it.path("d/f"));
    expect([after.mode, after.uid, after.gid, after.ino === before.ino]).toEqual([before.mode, before.uid, before.gid, false]);
    expect([readFileSync(it.path("twin"), "utf8"), readFileSync(it.path("other"), "utf8")]).toEqual(["old", "new content"]);
  });

  test.skipIf(!isRoot)("another's file stays another's", () => {
    const it = grow(["d/f: old"]);
    execFileSync("chown", ["65534:65533", it.path("d/f")]);
    on(it.path("d"), (directory) =>
      placeFile(directory, "f", { bytes, temporary: ".t", instead: statEntry(directory, "f")?.facts ?? null }),
    );
    const { uid, gid } = statSync(it.path("d/f"));
    expect([uid, gid]).toEqual([65534, 65533]);
  });

  test.skipIf(!isRoot)("what a group may do is not given to another one, where a plain user cannot keep the group", () => {
    const it = grow(["d/f: old", "d/g: old"]);
    execFileSync("chown", ["-R", "65534:65533", it.path("d")]);
    execFileSync("chown", ["65534:3000", it.path("d/f")]);
    for (const [name, mode] of [
      ["f", 0o664],
      ["g", 0o660],
    ] as const)
      chmodSync(it.path(`d/${name}`), mode);
    for (const above of [it.root, join(it.root, "..")]) chmodSync(above, 0o755);
    const groups = process.getgroups?.() ?? [];
    process.setgroups?.([65533]);
    process.setegid?.(65533);
    process.seteuid?.(65534);
    try {
      for (const name of ["f", "g"])
        on(it.path("d"), (directory) =>
          placeFile(directory, name, { bytes, temporary: ".t", instead: statEntry(directory, name)?.facts ?? null }),
        );
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
      process.setgroups?.(groups);
    }
    const seen = ["f", "g"].map((name) => statSync(it.path(`d/${name}`))).map(({ gid, mode }) => [gid, (mode & 0o777).toString(8)]);
    expect(seen).toEqual([
      [65533, "644"],
      [65533, "660"],
    ]);
  });

  test("a set-user-id bit is not carried over to new content", () => {
    const it = grow(["d/f: old"]);
    chmodSync(it.path("d/f"), 0o4755);
    on(it.path("d"), (directory) =>
      placeFile(directory, "f", { bytes, temporary: ".t", instead: statEntry(directory, "f")?.facts ?? null }),
    );
    expect(statSync(it.path("d/f")).mode & 0o7777).toBe(0o755);
  });

  test("a link that has the name is replaced, never followed", () => {
    const it = grow(["d/f => $OUT/target", "$OUT/target: outside"]);
    on(it.path("d"), (directory) => placeFile(directory, "f", { bytes, temporary: ".t", instead: null }));
    expect(lstatSync(it.path("d/f")).isFile()).toBe(true);
    expect(readFileSync(it.path("$OUT/target"), "utf8")).toBe("outside");
  });

  test("a temporary name that is taken, even by a link, fails and touches nothing", () => {
    const it = grow(["d/f: old", "d/.t => $OUT/target", "$OUT/target: outside"]);
    expect(errno(() => on(it.path("d"), (directory) => placeFile(directory, "f", { bytes, temporary: ".t", instead: null })))).toBe(
      "EEXIST",
    );
    expect([readFileSync(it.path("d/f"), "utf8"), readFileSync(it.path("$OUT/target"), "utf8"), readlinkSync(it.path("d/.t"))]).toEqual([
      "old",
      "outside",
      it.path("$OUT/target"),
    ]);
  });

  test("where a directory has the name, nothing is placed and nothing is left behind", () => {
    const it = grow(["d/f/x: 1"]);
    expect(errno(() => on(it.path("d"), (directory) => placeFile(directory, "f", { bytes, temporary: ".t", instead: null })))).toBe(
      "EISDIR",
    );
    expect(readdirSync(it.path("d"))).toEqual(["f"]);
  });

  test("goes to the directory that was pinned, though another has its name by now", () => {
    const it = grow(["d/", "$OUT/elsewhere/"]);
    on(it.path("d"), (directory) => {
      renameSync(it.path("d"), it.path("moved"));
      symlinkSync(it.path("$OUT/elsewhere"), it.path("d"));
      placeFile(directory, "f", { bytes, temporary: ".t", instead: null });
    });
    expect([readdirSync(it.path("moved")), readdirSync(it.path("$OUT/elsewhere"))]).toEqual([["f"], []]);
    writeFileSync(it.path("d/f"), "by name");
    expect(readdirSync(it.path("$OUT/elsewhere"))).toEqual(["f"]);
  });

  test("in a directory that was removed fails", () => {
    const it = grow(["d/"]);
    on(it.path("d"), (directory) => {
      rmSync(it.path("d"), { recursive: true });
      expect(errno(() => placeFile(directory, "f", { bytes, temporary: ".t", instead: null }))).toBe("ENOENT");
    });
  });

  test.skipIf(!isRoot)("on a full disk leaves the old file and nothing else", () => {
    const it = grow(["d/"]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", it.path("d")]);
    try {
      writeFileSync(it.path("d/f"), "old");
      const large = Buffer.alloc(1024 * 1024, "x");
      const place = () =>
        on(it.path("d"), (directory) =>
          placeFile(directory, "f", { bytes: large, temporary: ".t", instead: statEntry(directory, "f")?.facts ?? null }),
        );
      expect(errno(place)).toBe("ENOSPC");
      expect([readdirSync(it.path("d")), readFileSync(it.path("d/f"), "utf8")]).toEqual([["f"], "old"]);
    } finally {
      execFileSync("umount", ["-l", it.path("d")]);
    }
  });
});

describe("looking", () => {
  test("an entry is told as itself, and nothing as nothing", () => {
    const it = grow(["f: four", "l => f", "d/", "dangling => no"]);
    on(it.root, (directory) => {
      expect(["f", "l", "d", "dangling", "missing"].map((name) => statEntry(directory, name)?.kind ?? null)).toEqual([
        "file",
        "link",
        "dir",
        "link",
        null,
      ]);
      expect(statEntry(directory, "f")?.facts.size).toBe(4);
    });
  });

  test("a listing has every entry with its kind; names that cannot be spoken are counted", () => {
    const it = grow(["f: 1", "l => f", "d/", "é: 1"]);
    mkfifo(it.path("fifo"));
    for (const byte of [0xff, 0xfe]) writeFileSync(Buffer.concat([Buffer.from(`${it.root}/`), Buffer.from([byte])]), "");
    const entries: { readonly name: string; readonly kind: string }[] = [];
    const undecodable = on(it.root, (directory) => eachEntry(directory, (name, kind) => entries.push({ name, kind })));
    expect(entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual([
      { name: "d", kind: "dir" },
      { name: "f", kind: "file" },
      { name: "fifo", kind: "other" },
      { name: "l", kind: "link" },
      { name: "é", kind: "file" },
    ]);
    expect(undecodable).toBe(2);
  });

  test("a listing is of the pinned directory, though another has its name by now", () => {
    const it = grow(["d/mine: 1", "e/other: 1"]);
    on(it.path("d"), (directory) => {
      renameSync(it.path("d"), it.path("moved"));
      renameSync(it.path("e"), it.path("d"));
      expect(Array.from(entriesIn(directory))).toEqual([{ name: "mine", kind: "file" }]);
    });
  });

  test("kernel state is told from storage", () => {
    expect([on("/proc", isVirtual), on("/sys", isVirtual), on("/tmp", isVirtual)]).toEqual([true, true, false]);
  });
});

describe("removing, making and moving", () => {
  test("a file and a link are removed themselves; what a link leads to stays", () => {
    const it = grow(["f: 1", "l => $OUT/t", "$OUT/t: 1"]);
    on(it.root, (directory) => {
      removeFile(directory, "f");
      removeFile(directory, "l");
      expect(errno(() => removeFile(directory, "missing"))).toBe("ENOENT");
    });
    expect([readdirSync(it.root), existsSync(it.path("$OUT/t"))]).toEqual([[], true]);
  });

  test("only an empty directory is removed", () => {
    const it = grow(["empty/", "full/f: 1"]);
    on(it.root, (directory) => {
      removeDir(directory, "empty");
      expect(errno(() => removeDir(directory, "full"))).toBe("ENOTEMPTY");
      expect(errno(() => removeFile(directory, "full"))).toMatch(/^(EISDIR|EPERM)$/);
    });
    expect(readdirSync(it.root)).toEqual(["full"]);
  });

  test("one directory is made, where nothing has the name", () => {
    const it = grow(["f: 1", "l => $OUT/new"]);
    on(it.root, (directory) => {
      makeDir(directory, "d");
      expect(["d", "f", "l"].map((name) => errno(() => makeDir(directory, name)))).toEqual(["EEXIST", "EEXIST", "EEXIST"]);
      expect(errno(() => makeDir(directory, "no/where"))).toBe("ENOENT");
    });
    expect([statSync(it.path("d")).isDirectory(), existsSync(it.path("$OUT/new"))]).toEqual([true, false]);
  });

  test("an entry moves between pinned directories, links as links", () => {
    const it = grow(["a/l => $OUT/t", "b/", "$OUT/t: 1"]);
    on(it.path("a"), (source) => on(it.path("b"), (destination) => renameEntry(source, "l", destination, "m")));
    expect([readdirSync(it.path("a")), readlinkSync(it.path("b/m"))]).toEqual([[], it.path("$OUT/t")]);
    mkdirSync(join(it.root, "c"));
    expect(
      errno(() => on(it.path("a"), (source) => on(it.path("c"), (destination) => renameEntry(source, "gone", destination, "m")))),
    ).toBe("ENOENT");
  });
});

test.each([3, 1000])(
  "a directory of %i names is listed piece by piece as it is at once; whoever stops early leaves nothing open",
  (count) => {
    const it = grow(Array.from({ length: count }, (_, at) => `d/name-${at}`));
    on(it.path("d"), (directory) => {
      const names: string[] = [];
      expect(doAtOnce(eachEntryInSteps(directory, (name) => names.push(name)))).toBe(0);
      expect(names.toSorted()).toEqual(readdirSync(it.path("d")).toSorted());
      const before = openBelow(it.root);
      for (const first of entriesIn(directory)) {
        expect(first?.kind).toBe("file");
        break;
      }
      expect([isEmpty(directory), openBelow(it.root)]).toEqual([false, before]);
    });
  },
);
