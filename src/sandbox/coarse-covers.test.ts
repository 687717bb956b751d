// Which directories are hidden as a whole, where there is more to cover than can be.

import fc from "fast-check";
import { expect, test } from "vitest";
import { isInside } from "../core/path/contain.ts";
import { doAtOnce } from "../core/steps.ts";
import { dirsToHide } from "./coarse-covers.ts";
import { depthOf } from "./shown-roots.ts";

const hide = (paths: readonly string[], most: number, kept: readonly string[] = ["/ws"]): readonly string[] | null => {
  const dirs = doAtOnce(dirsToHide(paths, most, (dir) => isInside("/ws", dir) && !kept.some((one) => isInside(dir, one))));
  return dirs === null ? null : [...dirs].toSorted();
};

test("the deepest and fullest come first, and no more than it takes", () => {
  const paths = ["/ws/a/b/1", "/ws/a/b/2", "/ws/a/b/3", "/ws/a/c/1", "/ws/a/c/2", "/ws/d/1", "/ws/d/2", "/ws/e"];
  expect(hide(paths, 8)).toEqual([]);
  expect(hide(paths, 6)).toEqual(["/ws/a/b"]);
  expect(hide(paths, 5)).toEqual(["/ws/a/b", "/ws/a/c"]);
  expect(hide(paths, 4)).toEqual(["/ws/a/b", "/ws/a/c", "/ws/d"]);
  expect(hide(paths, 3)).toEqual(["/ws/a", "/ws/d"]);
});

test("a root and what holds where the command starts are never hidden", () => {
  expect(hide(["/ws/1", "/ws/2"], 1)).toBeNull();
  expect(hide(["/ws/a/b/1", "/ws/a/b/2"], 1, ["/ws", "/ws/a/b/c"])).toBeNull();
  expect(hide(["/ws/a/b/1", "/ws/a/b/2"], 1, ["/ws", "/ws/a/c"])).toEqual(["/ws/a/b"]);
});

test("everything stays covered, by itself or by a directory, and there are no more than can be", () => {
  const name = fc.constantFrom("a", "b", "c");
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => `/ws/${names.join("/")}/.env`);
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 40 }), fc.integer({ min: 1, max: 20 }), (paths, most) => {
      const dirs = hide(paths, most);
      if (dirs === null) return;
      const single = paths.filter((one) => !dirs.some((dir) => isInside(dir, one)));
      expect(single.length + dirs.length).toBeLessThanOrEqual(most);
      expect(dirs.filter((dir) => dirs.some((other) => other !== dir && isInside(other, dir)))).toEqual([]);
    }),
  );
});

test("a path is as deep as it has names, the empty one of the root among them", () => {
  for (const path of ["/", "/a", "/a/b", "/a/b/.env", "/a//b", "a"]) expect(depthOf(path), path).toBe(path.split("/").length);
});
