// Which directory this is: device, inode and birth, and what counts where one of them is not known.

import { lstatSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { grow } from "../../../test/scene.ts";
import { isSame, isStillIt, isUnreplaced } from "./identity.ts";
import { byName } from "./platform-by-name.ts";
import { linux } from "./platform-linux.ts";

const one = { dev: 1, ino: 2, born: 3.5 };
const look = { dev: 1, ino: 2, nlink: 1, size: 0, mode: 0, uid: 0, gid: 0, mtimeMs: 0, ctimeMs: 0, birthtimeMs: 7 };

describe("the directory that was kept", () => {
  test.each([
    ["the same", one, one, true],
    ["on another device", one, { ...one, dev: 2 }, false],
    ["with another inode", one, { ...one, ino: 3 }, false],
    ["with its inode, and born later", one, { ...one, born: 4 }, false],
    ["with its inode, and born by less than a microsecond later", one, { ...one, born: 3.5 + 2 ** -12 }, false],
    ["with a birth that cannot be told any more", one, { ...one, born: null }, false],
    ["kept without a birth", { ...one, born: null }, one, true],
    ["kept by a version that knew of none", { dev: 1, ino: 2 }, one, true],
    ["kept without a birth, and with another inode", { ...one, born: null }, { ...one, ino: 3 }, false],
    ["kept without a birth, on another device", { dev: 1, ino: 2 }, { ...one, dev: 3 }, false],
    ["never with a birth", { ...one, born: null }, { ...one, born: null }, true],
    ["kept with a birth of 0, which is one", { ...one, born: 0 }, one, false],
  ])("%s", (_title, kept, now, same) => {
    expect(isSame(kept, now)).toBe(same);
  });

  test("is told from what one look says", () => {
    const facts = lstatSync(grow(["d/"]).path("d"));
    const { dev, ino, birthtimeMs: born } = facts;
    expect([isStillIt({ dev, ino, born }, facts), isStillIt({ dev, ino }, facts)]).toEqual([true, true]);
    for (const other of [{ dev: dev + 1 }, { ino: ino + 1 }, { born: born + 1 }])
      expect(isStillIt({ dev, ino, born, ...other }, facts)).toBe(false);
  });

  test("is told from two looks at its name", () => {
    const facts = lstatSync(grow(["d/"]).path("d"));
    expect(isUnreplaced(facts, facts)).toBe(true);
    expect(isUnreplaced(look, { ...look, mtimeMs: 1, ctimeMs: 1, size: 1 })).toBe(true);
    for (const other of [{ dev: look.dev + 1 }, { ino: look.ino + 1 }, { birthtimeMs: 8 }])
      expect(isUnreplaced(look, { ...look, ...other })).toBe(false);
  });
});

describe("a birth", () => {
  const at = (birthtimeMs: number, ctimeMs: number) => ({ ...look, birthtimeMs, ctimeMs });

  test("is none where the file system keeps none", () => {
    expect([linux.born(at(0, 0)), linux.born(at(0, 5))]).toEqual([null, null]);
    expect(linux.born(lstatSync("/proc/self"))).toBeNull();
  });

  test("is one where it is not the last change", () => {
    expect([linux.born(at(4, 5)), linux.born(at(5.25, 5))]).toEqual([4, 5.25]);
  });

  // The kernels that Node runs on have statx; what is so without it is shown in test/grant-birth.test.ts.
  test("is one of a thing that was never changed, where the kernel tells births at all", () => {
    expect(linux.born(at(5, 5))).toBe(5);
  });

  test("is what the system says where nothing stands in for it", () => {
    const named = byName("darwin", { itself: 0, entry: 0 }, () => null);
    expect([named.born(at(0, 5)), named.born(at(5, 5)), named.born(at(4, 5))]).toEqual([null, 5, 4]);
  });
});

test("layers are told from plain file systems", () => {
  const named = byName("darwin", { itself: 0, entry: 0 }, () => null);
  expect([linux.isLayered("/proc"), named.isLayered("/")]).toEqual([false, false]);
});
