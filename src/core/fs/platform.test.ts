// The platforms that have only names, tried on Linux: what they hold, what they refuse, and the second look when opening.

import { constants, lstatSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { grow, nothingStaysPinned, openBelow, scene } from "../../../test/scene.ts";
import { callId } from "../names.ts";
import { failureOf, platform } from "./pin.ts";
import { byName } from "./platform-by-name.ts";
import { darwin } from "./platform-darwin.ts";
import { linux } from "./platform-linux.ts";
import { strangeOnWindows, windows } from "./platform-windows.ts";

nothingStaysPinned();
afterEach(() => vi.restoreAllMocks());

describe("names that Windows would read as something else", () => {
  test.each([
    ["a share", "\\\\server\\share\\x"],
    ["a share with slashes", "//server/share"],
    ["a device path", "\\\\?\\C:\\x"],
    ["another device path", "\\\\.\\PhysicalDrive0"],
    ["a drive's own directory", "C:x"],
    ["a drive alone", "c:"],
    ["a hidden stream", "C:\\ws\\file.txt:stream"],
    ["a hidden stream of the directory", "C:\\ws::$DATA"],
    ["a device", "C:\\ws\\NUL"],
    ["a device with an ending", "C:\\ws\\nul.txt"],
    ["a device with spaces behind it", "C:\\ws\\con "],
    ["a device with a space before its ending", "C:\\ws\\nul .txt"],
    ["a device by a superscript", "C:\\ws\\COM¹"],
    ["a device by a superscript, with an ending", "C:\\ws\\lpt³.log"],
    ["a device in the middle", "C:\\aux\\x"],
    ["the console", "C:\\conout$"],
    ["a dot at the end", "C:\\ws\\.env."],
    ["a space at the end", "C:\\ws\\.env "],
    ["dots in the middle", "C:\\ws...\\x"],
  ])("%s is refused", (_title, path) => {
    expect(strangeOnWindows(path)).toEqual(expect.any(String));
  });

  test.each([
    ["a plain path", "C:\\ws\\src\\main.ts"],
    ["slashes", "c:/ws/src/main.ts"],
    ["going up", "C:\\ws\\..\\lib\\.\\x"],
    ["a dot file", "C:\\ws\\.env"],
    ["a name that only begins like a device", "C:\\ws\\console.log"],
    ["a device's name inside another", "C:\\ws\\my-nul.txt"],
    ["COM10, which is no device", "C:\\ws\\com10"],
    ["a space inside", "C:\\Program Files\\x"],
    ["a relative path", "src\\main.ts"],
  ])("%s is not", (_title, path) => {
    expect(strangeOnWindows(path)).toBeNull();
  });

  test("the reasons are told apart", () => {
    const reasons = ["//server/share", "C:x", "x\\y:z", "NUL", "x."].map(strangeOnWindows);
    expect(new Set(reasons).size).toBe(5);
  });
});

describe("a platform that has only names", () => {
  const flags = { itself: 0, entry: constants.O_NOFOLLOW };
  const named = byName("darwin", flags, (path) => (path.includes("strange") ? "strange" : null));

  test("holds what a path leads to by its real name and identity", () => {
    const it = grow(["d/f: 1", "l => d/f"]);
    const { dev, ino } = lstatSync(it.path("d/f"));
    for (const path of ["d/f", "l", "d/../d/f"]) {
      const held = named.hold(`${it.root}/${path}`);
      expect([held.descriptor, held.real, held.facts.dev, held.facts.ino]).toEqual([-1, it.path("d/f"), dev, ino]);
    }
  });

  test("holds an entry as itself, and knows when it is no longer there", () => {
    const it = grow(["d/f: 1", "d/l => f"]);
    const directory = named.hold(it.path("d"));
    const [file, link] = [named.holdEntry(directory, "f"), named.holdEntry(directory, "l")];
    expect([file.real, link.real, link.facts.mode & 0o170000]).toEqual([it.path("d/f"), it.path("d/l"), 0o120000]);
    expect([named.confirm(file), named.confirm(link)]).toEqual([true, true]);
    renameSync(it.path("d/f"), it.path("d/g"));
    writeFileSync(it.path("d/f"), "other");
    unlinkSync(it.path("d/l"));
    expect([named.confirm(file), named.confirm(link)]).toEqual([false, false]);
    expect(named.confirm({ ...named.hold(it.path("d/g")), facts: { ...file.facts, nlink: 0 } })).toBe(false);
    const again = named.hold(it.path("d/g"));
    expect(named.confirm({ ...again, facts: { ...again.facts, birthtimeMs: again.facts.birthtimeMs - 1 } })).toBe(false);
  });

  test("refuses what its check calls strange, as given and as it turns out to be", () => {
    const it = grow(["strange/f: 1", "plain => strange"]);
    const failure = (act: () => unknown): string => {
      try {
        act();
        return "held";
      } catch (error) {
        return failureOf(error);
      }
    };
    expect(failure(() => named.hold(it.path("strange/f")))).toBe("invalid-path");
    expect(failure(() => named.hold(it.path("plain/f")))).toBe("invalid-path");
    expect(failure(() => named.holdEntry(named.hold(it.root), "strange"))).toBe("invalid-path");
    expect(failure(() => named.hold(it.path("missing")))).toBe("not-found");
    expect(failure(() => windows().hold("//server/share"))).toBe("invalid-path");
  });

  test("joins names in its own way, also below the top", () => {
    const top = { descriptor: -1, real: "/", facts: lstatSync("/") };
    const place = { ...top, real: "/a" };
    expect([named.entry(top, "x"), named.entry(place, "x"), named.itself(place)]).toEqual(["/x", "/a/x", "/a"]);
    expect(named.holdEntry(top, "tmp").real).toBe("/tmp");
    expect(windows().entry({ ...top, real: "C:\\a" }, "x")).toBe("C:\\a\\x");
    expect(() => windows().holdEntry({ ...top, real: "C:\\a" }, "x")).toThrow(/C:\\a\\x/);
    expect(() => windows().holdEntry({ ...top, real: "C:\\a" }, "nul")).toThrow("device");
  });

  test("each has its name and its flags, and nothing to test or to let go", () => {
    expect([darwin().name, windows().name, linux.name]).toEqual(["darwin", "windows", "linux"]);
    expect(darwin().flags).toEqual({ itself: 0x20000000, entry: 0x20000000 | constants.O_NOFOLLOW });
    expect(windows().flags).toEqual({ itself: 0, entry: 0 });
    for (const one of [darwin(), windows()]) {
      expect([one.selfTest(), one.isVirtual(named.hold("/")), one.release(named.hold("/"))]).toEqual([null, false, undefined]);
    }
  });
});

describe("the guard on a platform that has only names", () => {
  /** The machine's platform, made to do as the nameless ones do. */
  function byNames(): void {
    const named = byName("darwin", { itself: 0, entry: 0 }, () => null);
    for (const method of ["hold", "holdEntry", "confirm", "itself", "entry", "isVirtual", "release"] as const)
      vi.spyOn(platform, method).mockImplementation(named[method]);
  }
  const access = <O extends "read" | "replace" | "list">(operation: O, path: string) => ({ call: callId("c"), tool: "t", operation, path });

  test("judges, reads, lists and writes alike", async () => {
    byNames();
    const it = scene(["ws/a: inside", "ws/.env: S", "ws/l => ../lib/a", "lib/.git/", "lib/a: outside"]);
    expect(["a", ".env", "l", "../lib/a"].map((path) => it.words("read", path))).toEqual([
      "allow in-workspace",
      "deny secret-file",
      "ask out-of-scope",
      "ask out-of-scope",
    ]);
    expect(await it.guard.use(access("read", "a"), it.session, (file) => file.lend(100, String))).toMatchObject({
      done: { value: { ok: true, value: "inside" } },
    });
    expect(await it.guard.use(access("list", "."), it.session, async (dir) => dir.list())).toMatchObject({
      done: { value: { ok: true, value: { withheld: 1 } } },
    });
    await it.guard.use(access("replace", "a"), it.session, async (file) => file.replace(Buffer.from("new")));
    expect(readFileSync(it.path("ws/a"), "utf8")).toBe("new");
  });

  test("a file swapped between judging and opening is told by the second look", async () => {
    byNames();
    const it = scene(["ws/a: inside", "lib/a: outside"]);
    const used = await it.guard.use(access("read", "a"), it.session, (file) => {
      unlinkSync(it.path("ws/a"));
      symlinkSync(it.path("lib/a"), it.path("ws/a"));
      return file.lend(100, String);
    });
    expect(used).toMatchObject({ verdict: "allow", done: { ok: true, value: { ok: false, code: "stale-path" } } });
    expect(openBelow(it.root)).toEqual([]);
    expect(readFileSync(it.path("ws/a"), "utf8")).toBe("outside");
  });

  test("so is one that got the inode of the file that was judged: it was born later", async () => {
    byNames();
    const it = scene(["ws/a: inside"]);
    const { hold } = byName("darwin", { itself: 0, entry: 0 }, () => null);
    vi.spyOn(platform, "hold").mockImplementation((path) => {
      const held = hold(path);
      const { dev, ino, nlink, size, mode, uid, gid, mtimeMs, ctimeMs, birthtimeMs } = held.facts;
      const judged = { dev, ino, nlink, size, mode, uid, gid, mtimeMs, ctimeMs, birthtimeMs: birthtimeMs - 1 };
      return path === it.path("ws/a") ? { ...held, facts: judged } : held;
    });
    expect(await it.guard.use(access("read", "a"), it.session, (file) => file.lend(100, String))).toMatchObject({
      done: { ok: true, value: { ok: false, code: "stale-path" } },
    });
    expect(openBelow(it.root)).toEqual([]);
  });
});
