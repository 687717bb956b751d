// The one containment test, against tables and against a slow reading of the same words by components.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { basename, below, child, endsName, isInside, parent } from "./contain.ts";

const name = fc.oneof(
  fc.constantFrom("a", "b", "ab", "a-b", ".a", "a.", " ", "é"),
  fc.string({ minLength: 1, maxLength: 4 }).filter((text) => !text.includes("/")),
);
const names = fc.array(name, { maxLength: 4 });
const pathOf = (parts: readonly string[]): string => `/${parts.join("/")}`;
const path = names.map(pathOf);

test("a name ends where a directory above the path does, and at the end of the path", () => {
  const ends = (text: string): readonly number[] =>
    Array.from({ length: text.length + 2 }, (_, at) => at).filter((at) => at > 0 && endsName(text, at));
  expect([ends("/ws/a"), ends("/ws-evil"), ends("/a"), ends("/")]).toEqual([[1, 3, 5], [1, 8], [1, 2], [1]]);
  fc.assert(fc.property(path, (any) => ends(any).every((at) => isInside(any.slice(0, at), any))));
});

describe("a path is inside a directory", () => {
  test.each([
    ["/ws", "/ws"],
    ["/ws", "/ws/a"],
    ["/ws", "/ws/a/b"],
    ["/ws", "/ws/ws"],
    ["/ws/a", "/ws/a/b"],
    ["/", "/"],
    ["/", "/ws"],
    ["/", "/ws/a"],
  ])("%s holds %s", (dir, inside) => {
    expect(isInside(dir, inside)).toBe(true);
  });

  test.each([
    ["/ws", "/ws-evil"],
    ["/ws", "/ws-evil/a"],
    ["/ws", "/ws2"],
    ["/ws", "/ws.bak"],
    ["/ws", "/WS"],
    ["/ws", "/w"],
    ["/ws", "/"],
    ["/ws", "/other/ws"],
    ["/ws/a", "/ws"],
    ["/ws/a", "/ws/b"],
    ["/ws/a", "/ws/ab/c"],
    ["/", "ws"],
  ])("%s does not hold %s", (dir, outside) => {
    expect(isInside(dir, outside)).toBe(false);
  });

  test("every directory holds itself", () => {
    fc.assert(fc.property(path, (dir) => isInside(dir, dir)));
  });

  test("what is inside of what is inside is inside", () => {
    fc.assert(
      fc.property(names, names, names, (first, second, third) => {
        const [outer, middle, inner] = [first, [...first, ...second], [...first, ...second, ...third]].map(pathOf);
        return isInside(outer ?? "", middle ?? "") && isInside(middle ?? "", inner ?? "") && isInside(outer ?? "", inner ?? "");
      }),
    );
  });

  test("a sibling whose name begins like the directory's is never inside", () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), name, names, (dir, more, rest) => {
        const sibling = pathOf(dir) + more;
        return !isInside(pathOf(dir), sibling) && !isInside(pathOf(dir), [sibling, ...rest].join("/"));
      }),
    );
  });

  test("everything is inside the root, and nothing but the root holds the root", () => {
    fc.assert(fc.property(path, (any) => isInside("/", any) && isInside(any, "/") === (any === "/")));
  });

  test("the answer is that of comparing name by name", () => {
    fc.assert(
      fc.property(names, names, (dir, other) => isInside(pathOf(dir), pathOf(other)) === dir.every((part, at) => part === other[at])),
      { numRuns: 2_000 },
    );
  });
});

describe("paths are put together and taken apart", () => {
  test.each([
    ["/", "/", ""],
    ["/", "/a", "a"],
    ["/", "/a/b", "a/b"],
    ["/ws", "/ws", ""],
    ["/ws", "/ws/a", "a"],
    ["/ws", "/ws/a/b", "a/b"],
  ])("below %s, %s is called `%s`", (dir, inside, rest) => {
    expect(below(dir, inside)).toBe(rest);
  });

  test.each([
    ["/", "a", "/a"],
    ["/ws", "a", "/ws/a"],
    ["/ws/a", "b", "/ws/a/b"],
  ])("the child of %s called %s is %s", (dir, entry, whole) => {
    expect(child(dir, entry)).toBe(whole);
  });

  test.each([
    ["/", "/", ""],
    ["/a", "/", "a"],
    ["/a/b", "/a", "b"],
    ["/a/b/c.d", "/a/b", "c.d"],
    ["loose", "/", "loose"],
  ])("%s is in %s and is called `%s` there", (whole, dir, last) => {
    expect([parent(whole), basename(whole)]).toEqual([dir, last]);
  });

  test("a child is inside, below its directory by its own name, and leads back", () => {
    fc.assert(
      fc.property(path, name, (dir, entry) => {
        const whole = child(dir, entry);
        expect([isInside(dir, whole), below(dir, whole), parent(whole), basename(whole)]).toEqual([true, entry, dir, entry]);
      }),
    );
  });

  test("a directory and the part below it make the path again", () => {
    fc.assert(
      fc.property(names, fc.array(name, { minLength: 1, maxLength: 4 }), (dir, rest) => {
        expect(child(pathOf(dir), below(pathOf(dir), pathOf([...dir, ...rest])))).toBe(pathOf([...dir, ...rest]));
      }),
    );
  });
});
