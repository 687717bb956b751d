// list_dir: names with their kinds, what is withheld counted and not named.

import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";

nothingStaysPinned();
const searcher = searcherOf();
const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, ...toolbox(it, searcher()) };
};

describe("listing", () => {
  const spec = ["ws/b: 1", "ws/a: 1", "ws/d/x: 1", "ws/l => ../lib", "ws/.env: S", "ws/id_rsa: S", "ws/Z: 1", "lib/.git/", "lib/x: 1"];
  const entries = [
    { name: "Z", kind: "file" },
    { name: "a", kind: "file" },
    { name: "b", kind: "file" },
    { name: "d", kind: "dir" },
    { name: "l", kind: "link" },
  ];

  test("the workspace is the default; names come in order; secrets are only counted", async () => {
    const { it, done } = open(spec);
    const output = { path: it.path("ws"), entries, withheld: 2, total: 5, truncated: false };
    expect(await done("list_dir", {})).toEqual(output);
    expect(await done("list_dir", { path: "." })).toEqual(output);
    expect(JSON.stringify(await done("list_dir", {}))).not.toMatch(/\.env|id_rsa/);
  });

  test("what a rule denies or asks about is withheld", async () => {
    const { done } = open(spec, { policy: { read: { a: "deny", b: "ask" } } });
    expect(await done("list_dir", {})).toMatchObject({ withheld: 4, total: 3 });
  });

  test("a long listing is cut, and says so", async () => {
    const { it, done } = open(spec);
    expect(await done("list_dir", {}, { limits: { entries: 2 } })).toEqual({
      path: it.path("ws"),
      entries: entries.slice(0, 2),
      withheld: 2,
      total: 5,
      truncated: true,
    });
    expect(await done("list_dir", {}, { limits: { entries: 5 } })).toMatchObject({ truncated: false });
  });

  test.each([
    ["a file", "a", "not-directory"],
    ["what is not there", "missing", "not-found"],
    ["a repository outside, directly", "../lib", "out-of-scope"],
    ["a repository outside, through a link", "l", "out-of-scope"],
    ["what holds the workspace", "..", "no-grant-root"],
    ["a secret place", ".ssh", "secret-file"],
    ["/proc", "/proc/self", "virtual-fs"],
  ])("%s is refused", async (_title, path, code) => {
    const { failed } = open(spec);
    const failure = await failed("list_dir", { path });
    expect([failure.code, failure.hint.startsWith(`\`${path}\` `)]).toEqual([code, true]);
  });

  test("an empty directory is one", async () => {
    const { it, done } = open(["ws/empty/"]);
    expect(await done("list_dir", { path: "empty" })).toEqual({
      path: it.path("ws/empty"),
      entries: [],
      withheld: 0,
      total: 0,
      truncated: false,
    });
  });
});
