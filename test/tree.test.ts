import { lstatSync, readFileSync, readdirSync, readlinkSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { tree } from "./tree.ts";

test("a list of words becomes directories, files and links, inside and outside", () => {
  const it = tree(["d/", "f", "g: one: two\nthree", "a => g", "deep/er/h: x", "$OUT/secret: S", "l => $OUT/secret"]);
  try {
    expect(readdirSync(it.root).sort()).toEqual(["a", "d", "deep", "f", "g", "l"]);
    expect(lstatSync(it.path("d")).isDirectory()).toBe(true);
    expect(readFileSync(it.path("f"), "utf8")).toBe("");
    expect(readFileSync(it.path("g"), "utf8")).toBe("one: two\nthree");
    expect(readlinkSync(it.path("a"))).toBe("g");
    expect(readFileSync(it.path("deep/er/h"), "utf8")).toBe("x");
    expect(readlinkSync(it.path("l"))).toBe(it.path("$OUT/secret"));
    expect(readFileSync(it.path("l"), "utf8")).toBe("S");
  } finally {
    it.remove();
  }
  expect(existsSync(dirname(it.root))).toBe(false);
});

test("the object form grows the same tree", () => {
  const it = tree({ "ws/": { "a.txt": "A", up: "=> ..", "empty/": {} }, "$OUT/s": "S" });
  try {
    expect(readFileSync(it.path("ws/a.txt"), "utf8")).toBe("A");
    expect(readlinkSync(it.path("ws/up"))).toBe("..");
    expect(readdirSync(it.path("ws/empty"))).toEqual([]);
    expect(readFileSync(it.path("$OUT/s"), "utf8")).toBe("S");
  } finally {
    it.remove();
  }
});
