// What a pass opens: reading within a limit, writing whole or not at all, removing what has the name, and the second look at kinds.

import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { mkfifo, nothingStaysPinned, scene, type Scene } from "../../../test/scene.ts";
import type { Operation } from "../access.ts";
import { callId } from "../names.ts";
import { codeOf, type WritableFile } from "./handle.ts";
import type { OpenedTarget } from "./open.ts";

nothingStaysPinned();

/** Judge and open, do `meanwhile`, then work; what is opened is closed. */
async function opened<O extends Operation, T>(
  it: Scene,
  operation: O,
  path: string,
  work: (opened: OpenedTarget<O>) => T | Promise<T>,
  meanwhile = (): void => undefined,
): Promise<T | string> {
  const decision = it.guard.judge({ call: callId("c"), tool: "t", operation, path }, it.session);
  if (decision.verdict !== "allow") return decision.reason;
  meanwhile();
  const opening = it.guard.open(decision.pass);
  if (!opening.ok) return opening.code;
  try {
    return await work(opening.opened);
  } finally {
    opening.opened.close();
  }
}
const put = (text: string, options?: Parameters<WritableFile["replace"]>[1]) => (file: WritableFile) =>
  file.replace(Buffer.from(text), options);
const created = (value: boolean) => ({ ok: true, value: { created: value } });
const failed = (code: string) => ({ ok: false, code });
const thrown = (error: Error): never => {
  throw error;
};

describe("what an operation can open", () => {
  test.each<[Operation, string, string | null]>([
    ["read", "f", null],
    ["read", "d", "is-directory"],
    ["read", "missing", "not-found"],
    ["read", "no/where", "not-found"],
    ["list", "d", null],
    ["list", "f", "not-directory"],
    ["list", "missing", "not-found"],
    ["search", "d", null],
    ["search", "f", null],
    ["search", "missing", "not-found"],
    ["create", "f", null],
    ["create", "missing", null],
    ["create", "no/where", null],
    ["replace", "d", null],
    ["remove", "missing", null],
  ])("%s of `%s`: %s", async (operation, path, code) => {
    const it = scene(["ws/f: 1", "ws/d/"]);
    expect(await opened(it, operation, path, () => null)).toBe(code);
  });
});

describe("a file to read", () => {
  test("is lent and copied within the limit, with its size and version", async () => {
    const it = scene(["ws/f: four"]);
    const { dev, ino, size, mtimeMs } = statSync(it.path("ws/f"));
    await opened(it, "read", "f", async (file) => {
      expect([file.path, file.size, file.version]).toEqual([it.path("ws/f"), 4, { dev, ino, size, mtimeMs }]);
      expect(await file.lend(4, String)).toEqual({ ok: true, value: "four" });
      expect(await file.lend(3, String)).toEqual(failed("too-large"));
      expect(await file.bytes(4)).toEqual({ ok: true, value: Uint8Array.from(Buffer.from("four")) });
    });
  });

  test("is lent by a promise that never rejects, whether it is small or large", async () => {
    const it = scene(["ws/small: four", `ws/large: ${"x".repeat(100_000)}`]);
    await opened(it, "read", "small", async (file) => {
      const lent = file.lend(4, String);
      expect([lent instanceof Promise, await lent, await file.lend(3, String)]).toEqual([
        true,
        { ok: true, value: "four" },
        failed("too-large"),
      ]);
      expect(await file.lend(4, () => thrown(new Error("in use")))).toEqual(failed("io-error"));
    });
    await opened(it, "read", "large", async (file) => {
      const lent = file.lend(100_000, String);
      expect([lent instanceof Promise, await lent]).toEqual([true, { ok: true, value: "x".repeat(100_000) }]);
      expect(await file.lend(99_999, String)).toEqual(failed("too-large"));
      expect(await file.lend(100_000, () => thrown(new Error("in use")))).toEqual(failed("io-error"));
    });
  });
});

describe("a file to write", () => {
  test("is made, or replaced, and it is said which", async () => {
    const it = scene(["ws/f: old"]);
    expect(await opened(it, "replace", "f", put("new"))).toEqual(created(false));
    expect(await opened(it, "create", "g", put("new"))).toEqual(created(true));
    expect([readFileSync(it.path("ws/f"), "utf8"), readFileSync(it.path("ws/g"), "utf8"), readdirSync(it.path("ws")).toSorted()]).toEqual([
      "new",
      "new",
      ["f", "g"],
    ]);
  });

  test("knows what has its name now", async () => {
    const it = scene(["ws/f: 1", "ws/d/"]);
    const current = (path: string, meanwhile?: () => void) => opened(it, "replace", path, (file) => file.current(), meanwhile);
    expect([await current("f"), await current("d"), await current("missing"), await current("no/where")]).toEqual([
      "file",
      "dir",
      null,
      null,
    ]);
    expect(await current("missing", () => symlinkSync("f", it.path("ws/missing")))).toBe("link");
  });

  test("below missing directories is made only when that is wanted", async () => {
    const it = scene([]);
    expect(await opened(it, "create", "a/b/f", put("x"))).toEqual(failed("not-found"));
    expect(readdirSync(it.path("ws"))).toEqual([]);
    expect(await opened(it, "create", "a/b/f", put("x", { createParents: true }))).toEqual(created(true));
    expect(readFileSync(it.path("ws/a/b/f"), "utf8")).toBe("x");
    expect(await opened(it, "create", "a/c/g", put("x", { createParents: true }))).toEqual(created(true));
  });

  test("below directories that somebody made meanwhile is made there", async () => {
    const it = scene([]);
    const made = await opened(it, "create", "a/b/f", put("x", { createParents: true }), () => mkdirSync(it.path("ws/a")));
    expect([made, readFileSync(it.path("ws/a/b/f"), "utf8")]).toEqual([created(true), "x"]);
  });

  const planted: readonly [string, string, (it: Scene) => void, string][] = [
    [
      "a link out in the place of the first missing directory",
      "a/b/f",
      (it) => symlinkSync(it.path("lib"), it.path("ws/a")),
      "symlink-write",
    ],
    [
      "a link out deeper down",
      "a/b/f",
      (it) => {
        mkdirSync(it.path("ws/a"));
        symlinkSync(it.path("lib"), it.path("ws/a/b"));
      },
      "symlink-write",
    ],
    ["a file in the place of a missing directory", "a/b/f", (it) => writeFileSync(it.path("ws/a"), ""), "symlink-write"],
    ["a link out in the place of the file", "new", (it) => symlinkSync(it.path("lib/x"), it.path("ws/new")), "symlink-write"],
    [
      "a link out in the place of the old file",
      "f",
      (it) => (unlinkSync(it.path("ws/f")), symlinkSync(it.path("lib/x"), it.path("ws/f"))),
      "symlink-write",
    ],
    ["a pipe in its place", "new", (it) => mkfifo(it.path("ws/new")), "not-regular-file"],
    ["a directory in its place", "new", (it) => mkdirSync(it.path("ws/new")), "is-directory"],
    ["its directory removed", "d/f", (it) => rmSync(it.path("ws/d"), { recursive: true }), "not-found"],
  ];
  test.each(planted)("%s, planted after judging: nothing is written", async (_title, path, plant, code) => {
    const it = scene(["ws/f: old", "ws/d/", "lib/x: outside"]);
    expect(await opened(it, "replace", path, put("x", { createParents: true }), () => plant(it))).toEqual(failed(code));
    expect([readdirSync(it.path("lib")), readFileSync(it.path("lib/x"), "utf8")]).toEqual([["x"], "outside"]);
  });

  test("by name, without the guard, the planted link is written through", () => {
    const it = scene(["lib/x: outside"]);
    symlinkSync(it.path("lib"), it.path("ws/a"));
    writeFileSync(it.path("ws/a/x"), "changed");
    expect(readFileSync(it.path("lib/x"), "utf8")).toBe("changed");
  });

  test("whose directory was moved since is written where the directory is now, not where its name leads", async () => {
    const it = scene(["ws/d/", "lib/x: outside"]);
    await opened(it, "create", "d/f", put("x"), () => {
      renameSync(it.path("ws/d"), it.path("ws/moved"));
      symlinkSync(it.path("lib"), it.path("ws/d"));
    });
    expect([readdirSync(it.path("lib")), readdirSync(it.path("ws/moved"))]).toEqual([["x"], ["f"]]);
  });

  test("can insist on being the version that was read", async () => {
    const it = scene(["ws/f: old"]);
    const version = async () => {
      const found = await opened(it, "read", "f", (file) => file.version);
      if (typeof found === "string") throw new Error(found);
      return found;
    };
    const insist = async (change: () => void) => {
      const unchangedSince = await version();
      change();
      return opened(it, "replace", "f", put("new", { unchangedSince }));
    };
    expect(await insist(() => undefined)).toEqual(created(false));
    expect(await insist(() => writeFileSync(it.path("ws/f"), "longer than before"))).toEqual(failed("stale-path"));
    expect(await insist(() => utimesSync(it.path("ws/f"), 1, 1))).toEqual(failed("stale-path"));
    expect(
      await insist(() => {
        const { atime, mtime } = statSync(it.path("ws/f"));
        writeFileSync(it.path("ws/twin"), readFileSync(it.path("ws/f")));
        utimesSync(it.path("ws/twin"), atime, mtime);
        renameSync(it.path("ws/twin"), it.path("ws/f"));
      }),
    ).toEqual(failed("stale-path"));
    expect(await insist(() => unlinkSync(it.path("ws/f")))).toEqual(failed("stale-path"));
  });
});

describe("a name to remove", () => {
  const remove = (file: WritableFile) => file.remove();
  const gone = { ok: true, value: null };

  test("a file, a link and a pipe are removed themselves", async () => {
    const it = scene(["ws/f: 1", "ws/l => ../lib/x", "ws/env => .env", "ws/.env: S", "lib/x: outside"]);
    mkfifo(it.path("ws/fifo"));
    linkSync(it.path("lib/x"), it.path("ws/twin"));
    for (const path of ["f", "l", "env", "fifo", "twin"]) expect(await opened(it, "remove", path, remove)).toEqual(gone);
    expect([readdirSync(it.path("ws")), readFileSync(it.path("lib/x"), "utf8")]).toEqual([[".env"], "outside"]);
  });

  test("a directory is not, nor what is not there", async () => {
    const it = scene(["ws/d/f: 1"]);
    expect(await opened(it, "remove", "d", remove)).toEqual(failed("is-directory"));
    expect(await opened(it, "remove", "missing", remove)).toEqual(failed("not-found"));
    expect(await opened(it, "remove", "no/where", remove)).toEqual(failed("not-found"));
    expect(readdirSync(it.path("ws/d"))).toEqual(["f"]);
  });

  test("is removed from the directory that was judged, though a link has its name by now", async () => {
    const it = scene(["ws/d/x: 1", "lib/x: outside"]);
    await opened(it, "remove", "d/x", remove, () => {
      renameSync(it.path("ws/d"), it.path("ws/moved"));
      symlinkSync(it.path("lib"), it.path("ws/d"));
    });
    expect([readdirSync(it.path("lib")), readdirSync(it.path("ws/moved"))]).toEqual([["x"], []]);
  });
});

test.each([
  ["ENOENT", "not-found"],
  ["ENOTDIR", "not-directory"],
  ["EISDIR", "is-directory"],
  ["ELOOP", "symlink-write"],
  ["EACCES", "os-denied"],
  ["EPERM", "os-denied"],
  ["EROFS", "os-denied"],
  ["ESTALE", "stale-path"],
  ["ENOSPC", "io-error"],
  ["EFBIG", "io-error"],
  ["EIO", "io-error"],
])("the system's %s is %s", (code, word) => {
  expect(codeOf(Object.assign(new Error("x"), { code }))).toBe(word);
});
