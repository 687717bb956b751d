// write_file and edit_file: whole or not at all, inside scope, never through a link, and never over a change nobody saw.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene, type Scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";
import type { Guard } from "../core/guard/guard.ts";
import { reopenGrants } from "../core/session/grant.ts";

nothingStaysPinned();
const searcher = searcherOf();
const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, text: (path: string) => readFileSync(it.path(path), "utf8"), ...toolbox(it, searcher()) };
};

/** The scene's guard, with something happening after `nth` decisions to use a file, before it is used. */
function meanwhile(it: Scene, nth: number, change: () => void): Guard {
  let uses = 0;
  return {
    ...it.guard,
    use: (access, session, work) => {
      uses += 1;
      return it.guard.use(access, session, (opened) => {
        if (uses === nth) change();
        return work(opened);
      });
    },
  };
}

describe("write_file", () => {
  test("makes a file, and replaces one, keeping its mode", async () => {
    const { it, text, done } = open(["ws/f: old"]);
    chmodSync(it.path("ws/f"), 0o640);
    expect(await done("write_file", { path: "new", content: "grüße" })).toEqual({
      path: it.path("ws/new"),
      bytes_written: 7,
      created: true,
    });
    expect(await done("write_file", { path: "f", content: "" })).toEqual({ path: it.path("ws/f"), bytes_written: 0, created: false });
    expect([text("ws/new"), text("ws/f"), statSync(it.path("ws/f")).mode & 0o777, readdirSync(it.path("ws")).toSorted()]).toEqual([
      "grüße",
      "",
      0o640,
      ["f", "new"],
    ]);
  });

  test("makes missing directories only when it is told to", async () => {
    const { it, text, done, failed } = open(["ws/"]);
    const failure = await failed("write_file", { path: "a/b/f", content: "x" });
    expect([failure.code, failure.hint.includes("create_parents"), readdirSync(it.path("ws"))]).toEqual(["not-found", true, []]);
    expect(await done("write_file", { path: "a/b/f", content: "x", create_parents: true })).toEqual({
      path: it.path("ws/a/b/f"),
      bytes_written: 1,
      created: true,
    });
    expect(text("ws/a/b/f")).toBe("x");
  });

  test("missing directories are not made through a link that was planted meanwhile", async () => {
    const { it, code } = open(["lib/x: outside"]);
    const plants: (() => void)[] = [
      () => symlinkSync(it.path("lib"), it.path("ws/a")),
      () => {
        mkdirSync(it.path("ws/c"));
        symlinkSync(it.path("lib"), it.path("ws/c/b"));
      },
    ];
    expect(await code("write_file", { path: "a/b/f", content: "x", create_parents: true }, { guard: meanwhile(it, 1, plants[0]!) })).toBe(
      "symlink-write",
    );
    expect(await code("write_file", { path: "c/b/f", content: "x", create_parents: true }, { guard: meanwhile(it, 1, plants[1]!) })).toBe(
      "symlink-write",
    );
    expect(readdirSync(it.path("lib"))).toEqual(["x"]);
    writeFileSync(it.path("ws/a/f"), "by name, without the guard");
    expect(readdirSync(it.path("lib"))).toEqual(["f", "x"]);
  });

  test.each([
    ["outside", "../lib/x", "write-out-of-scope"],
    ["outside, a new file", "../lib/new", "write-out-of-scope"],
    ["through a linked directory", "to-lib/x", "write-out-of-scope"],
    ["a link to a file inside", "link", "symlink-write"],
    ["a link to what is not there", "dangling", "symlink-write"],
    ["a secret", ".env", "secret-file"],
    ["a secret that is not there", "config/.env.local", "secret-file"],
    ["a git hook", ".git/hooks/pre-commit", "protected-path"],
    ["an editor's task", ".vscode/tasks.json", "protected-path"],
    ["a directory", "d", "is-directory"],
    ["the workspace", ".", "invalid-path"],
    ["a file with a slash", "new/", "invalid-path"],
    ["a name below a file", "f/x", "not-found"],
    ["the system", "/etc/hallpass-test", "write-out-of-scope"],
  ])("%s is refused and nothing is written", async (_title, path, expected) => {
    const { it, text, failed } = open([
      "ws/f: old",
      "ws/d/x: 1",
      "ws/link => f",
      "ws/dangling => nowhere",
      "ws/to-lib => ../lib",
      "lib/.git/",
      "lib/x: outside",
    ]);
    const failure = await failed("write_file", { path, content: "changed", create_parents: true });
    expect([failure.code, failure.hint.startsWith(`\`${path}\` `)]).toEqual([expected, true]);
    expect([text("lib/x"), text("ws/f"), readdirSync(it.path("lib")).toSorted(), readdirSync(it.path("ws")).toSorted()]).toEqual([
      "outside",
      "old",
      [".git", "x"],
      ["d", "dangling", "f", "link", "to-lib"],
    ]);
  });

  test("a grant does not make writing possible (G-4)", async () => {
    const { it, text, code } = open(["lib/.git/", "lib/x: outside"]);
    const { session } = reopenGrants(it.session, [it.path("lib")], { clock: () => 0, ids: () => "g" });
    for (const path of ["../lib/x", "../lib/new"])
      expect(await code("write_file", { path, content: "changed" }, { session })).toBe("read-only-grant");
    expect(await code("edit_file", { path: "../lib/x", old: "outside", new: "changed" }, { session })).toBe("read-only-grant");
    expect([text("lib/x"), existsSync(it.path("lib/new"))]).toEqual(["outside", false]);
  });

  test("more than may be written at once is not begun", async () => {
    const { it, code, done } = open(["ws/"]);
    expect(await code("write_file", { path: "f", content: "é".repeat(3) }, { limits: { writeBytes: 5 } })).toBe("too-large");
    expect(existsSync(it.path("ws/f"))).toBe(false);
    expect(await done("write_file", { path: "f", content: "é".repeat(3) }, { limits: { writeBytes: 6 } })).toMatchObject({
      bytes_written: 6,
    });
  });

  test.each([
    ["no content", { path: "f" }],
    ["content that is no text", { path: "f", content: 7 }],
    ["an unknown property", { path: "f", content: "", mode: "0777" }],
  ])("%s is no input", async (_title, input) => {
    expect(await open([]).code("write_file", input)).toBe("bad-request");
  });
});

describe("edit_file", () => {
  test("exchanges the one occurrence", async () => {
    const { it, text, done } = open(["ws/f: one two three\n"]);
    expect(await done("edit_file", { path: "f", old: "two", new: "2" })).toEqual({ path: it.path("ws/f"), bytes_written: 12, replaced: 1 });
    expect(text("ws/f")).toBe("one 2 three\n");
  });

  test("exchanges all, when it is told to", async () => {
    const { text, done } = open(["ws/f: a b a b a"]);
    expect(await done("edit_file", { path: "f", old: "a", new: "", all: true })).toMatchObject({ replaced: 3 });
    expect(text("ws/f")).toBe(" b  b ");
  });

  test("text is text: no sign in either has a meaning", async () => {
    const { text, done } = open(["ws/f: a.*b $& $1\n"]);
    await done("edit_file", { path: "f", old: ".*", new: "$&$1" });
    expect(text("ws/f")).toBe("a$&$1b $& $1\n");
  });

  test.each([
    ["what does not occur", { old: "four", new: "4" }, "does not occur"],
    ["what occurs several times", { old: "o", new: "0" }, "occurs 2 times"],
    ["the same for the same", { old: "one", new: "one" }, "the same"],
  ])("%s changes nothing and says so", async (_title, change, why) => {
    const { text, failed } = open(["ws/f: one two three\n"]);
    const failure = await failed("edit_file", { path: "f", ...change });
    expect([failure.code, failure.category, failure.hint.includes(why), text("ws/f")]).toEqual([
      "bad-request",
      "invalid-input",
      true,
      "one two three\n",
    ]);
  });

  test("a byte order mark, line ends and mode stay", async () => {
    const { it, text, done } = open(["ws/f: \ufeffone\r\ntwo\r\n"]);
    chmodSync(it.path("ws/f"), 0o755);
    expect(await done("edit_file", { path: "f", old: "one", new: "1" })).toMatchObject({ bytes_written: 11 });
    expect([text("ws/f"), statSync(it.path("ws/f")).mode & 0o777]).toEqual(["\ufeff1\r\ntwo\r\n", 0o755]);
  });

  test("a file that changed between reading and writing is left as it is then", async () => {
    const changes: readonly ((it: Scene) => void)[] = [
      (it) => writeFileSync(it.path("ws/f"), "somebody else's work"),
      (it) => {
        unlinkSync(it.path("ws/f"));
        writeFileSync(it.path("ws/f"), "somebody else's file");
      },
      (it) => unlinkSync(it.path("ws/f")),
    ];
    for (const change of changes) {
      const { it, code } = open(["ws/f: one"]);
      expect(await code("edit_file", { path: "f", old: "one", new: "1" }, { guard: meanwhile(it, 2, () => change(it)) })).toBe(
        "stale-path",
      );
      expect(existsSync(it.path("ws/f")) ? readFileSync(it.path("ws/f"), "utf8") : null).not.toBe("1");
    }
  });

  test("a link put in its place between reading and writing is not written through", async () => {
    const { it, text, code } = open(["ws/f: one", "lib/x: one"]);
    const plant = (): void => {
      unlinkSync(it.path("ws/f"));
      symlinkSync(it.path("lib/x"), it.path("ws/f"));
    };
    expect(await code("edit_file", { path: "f", old: "one", new: "1" }, { guard: meanwhile(it, 2, plant) })).toBe("symlink-write");
    expect(text("lib/x")).toBe("one");
  });

  test.each([
    ["outside", "../lib/x", "write-out-of-scope"],
    ["a link", "link", "symlink-write"],
    ["a secret", ".env", "secret-file"],
    ["a protected file", ".git/config", "protected-path"],
    ["what is not there", "missing", "not-found"],
    ["a directory", "d", "is-directory"],
    ["what is not text", "binary", "binary-file"],
    ["what is too large", "large", "too-large"],
  ])("%s is refused", async (_title, path, expected) => {
    const { it, code } = open([
      "ws/f: one",
      "ws/link => f",
      "ws/.env: one",
      "ws/.git/config: one",
      "ws/d/",
      "ws/large: one and more",
      "lib/.git/",
      "lib/x: one",
    ]);
    writeFileSync(it.path("ws/binary"), "one\0");
    expect(await code("edit_file", { path, old: "one", new: "1" }, { limits: { fileBytes: 10 } })).toBe(expected);
  });

  test("a result that is too large is not written", async () => {
    const { text, code } = open(["ws/f: one"]);
    expect(await code("edit_file", { path: "f", old: "one", new: "x".repeat(11) }, { limits: { writeBytes: 10 } })).toBe("too-large");
    expect(text("ws/f")).toBe("one");
  });

  test("where writing is asked about, nothing is read and the ask is for this once", async () => {
    const { it, failed } = open(["ws/f: one"], { policy: { write: { f: "ask" } } });
    expect(await failed("edit_file", { path: "f", old: "one", new: "1" })).toMatchObject({
      code: "policy-ask",
      category: null,
      verdict: "ask",
      proposal: null,
      ask: { offers: "once", right: "write" },
    });
    expect(it.events.map((event) => (event.kind === "decision" ? event.operation : event.kind))).toEqual(["replace"]);
  });
});
