// Holding without opening: what a pin is on, when it is no longer there, and what cannot be pinned.

import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { grow, mkfifo, nothingStaysPinned, pins } from "../../../test/scene.ts";
import { errnoOf } from "../errno.ts";
import { failureOf, handOver, heldBy, isAt, kindOf, type Pin, pin, pinEntry, platform, stillThere, takeOver } from "./pin.ts";
import { UnusableAnswer } from "./platform.ts";

nothingStaysPinned();

/** Pin, look, let go. */
function held<T>(pinned: Pin, look: (pinned: Pin) => T): T {
  try {
    return look(pinned);
  } finally {
    pinned.close();
  }
}

function failure(act: () => Pin): string {
  try {
    act().close();
    return "pinned";
  } catch (error) {
    return failureOf(error);
  }
}

describe("a pin", () => {
  test("is on what a path leads to, named by the kernel", () => {
    const it = grow(["f: text", "d/", "l => f", "m => l"]);
    for (const [name, kind, real] of [
      ["f", "file", "f"],
      ["d", "dir", "d"],
      ["l", "file", "f"],
      ["m", "file", "f"],
      ["d/../f", "file", "f"],
    ] as const)
      expect(held(pin(`${it.root}/${name}`), (pinned) => [pinned.kind, pinned.real])).toEqual([kind, it.path(real)]);
  });

  test("does not open: a pipe nobody writes to and a socket hold nobody up", async () => {
    const it = grow([]);
    mkfifo(it.path("fifo"));
    const server = createServer();
    await new Promise<void>((done) => server.listen(it.path("socket"), done));
    expect(held(pin(it.path("fifo")), ({ kind }) => kind)).toBe("other");
    expect(held(pin(it.path("socket")), ({ kind }) => kind)).toBe("other");
    expect(held(pin("/dev/null"), ({ kind }) => kind)).toBe("other");
    server.close();
  });

  test("on an entry is on the entry itself, even a link, and below the directory's own name", () => {
    const it = grow(["f: 1", "l => f", "dangling => nowhere", "sub/g: 1"]);
    held(pin(it.root), (directory) => {
      for (const [name, kind] of [
        ["f", "file"],
        ["l", "link"],
        ["dangling", "link"],
        ["sub", "dir"],
      ] as const)
        expect(held(pinEntry(directory, name), (entry) => [entry.kind, entry.real])).toEqual([kind, it.path(name)]);
    });
    held(pin("/"), (top) => expect(held(pinEntry(top, "tmp"), ({ real }) => real)).toBe("/tmp"));
  });

  test("lets go once, and is of no use afterwards", () => {
    const it = grow(["f: 1"]);
    const pinned = pin(it.path("f"));
    expect(pins()).toEqual([it.path("f")]);
    pinned.close();
    pinned.close();
    expect(pins()).toEqual([]);
    expect(() => heldBy(pinned)).toThrow("the pin is closed");
    expect(() => stillThere(pinned)).toThrow("the pin is closed");
    expect(() => pinEntry(pinned, "x")).toThrow("the pin is closed");
  });

  test("tells size, link count and identity as they were when it was made", () => {
    const it = grow(["f: four"]);
    linkSync(it.path("f"), it.path("g"));
    const facts = held(pin(it.path("f")), (pinned) => pinned.facts);
    expect([facts.size, facts.nlink, isAt(it.path("g"), facts)]).toEqual([4, 2, true]);
    expect([
      isAt(it.path("missing"), facts),
      isAt(it.root, facts),
      isAt(it.path("f"), { dev: facts.dev + 1, ino: facts.ino }),
      isAt(it.path("f"), { dev: facts.dev, ino: facts.ino, born: facts.birthtimeMs }),
      isAt(it.path("f"), { dev: facts.dev, ino: facts.ino, born: facts.birthtimeMs + 1 }),
    ]).toEqual([false, false, false, true, false]);
  });
});

describe("is it still there?", () => {
  const changes: readonly [string, (at: (name: string) => string) => void, boolean][] = [
    ["nothing happened", () => undefined, true],
    ["it was written to", (at) => writeFileSync(at("f"), "more"), true],
    ["it was removed", (at) => unlinkSync(at("f")), false],
    [
      "it was removed, and another name of it is left",
      (at) => {
        linkSync(at("f"), at("g"));
        unlinkSync(at("f"));
      },
      false,
    ],
    ["it was renamed", (at) => renameSync(at("f"), at("g")), false],
    [
      "it was replaced by another file",
      (at) => {
        renameSync(at("f"), at("g"));
        writeFileSync(at("f"), "new");
      },
      false,
    ],
    [
      "it was replaced by a link to itself",
      (at) => {
        renameSync(at("f"), at("g"));
        symlinkSync("g", at("f"));
      },
      false,
    ],
    [
      "a directory above it was replaced",
      (at) => {
        renameSync(at(""), `${at("")}-before`);
        mkdirSync(at(""));
      },
      false,
    ],
  ];
  test.each(changes)("%s", (_title, change, there) => {
    const it = grow(["d/f: 1"]);
    held(pin(it.path("d/f")), (pinned) => {
      change((name) => it.path(name === "" ? "d" : `d/${name}`));
      expect(stillThere(pinned)).toBe(there);
    });
  });

  test("a removed file is not taken for one that is really called so", () => {
    const it = grow(["f: 1"]);
    held(pin(it.path("f")), (pinned) => {
      unlinkSync(it.path("f"));
      writeFileSync(it.path("f (deleted)"), "decoy");
      held(pin(platform.itself(heldBy(pinned))), (again) => {
        expect(again.real).toBe(it.path("f (deleted)"));
        expect(stillThere(again)).toBe(false);
      });
    });
  });
});

describe("what cannot be pinned", () => {
  test("says why in the words of the closed list", () => {
    const it = grow(["f: 1", "loop => loop"]);
    expect(failure(() => pin(it.path("missing")))).toBe("not-found");
    expect(failure(() => pin(it.path("f/x")))).toBe("not-found");
    expect(failure(() => pin(it.path("loop")))).toBe("symlink-loop");
    expect(failure(() => pin(`/${"x/".repeat(3000)}`))).toBe("unresolvable-path");
    expect(failure(() => pin(`/${"x".repeat(300)}`))).toBe("unresolvable-path");
    expect(failure(() => pin("a\0b"))).toBe("io-error");
  });

  test("a name that is not UTF-8 would reach us changed; one that truly holds U+FFFD would not", () => {
    const it = grow(["\ufffd: 1"]);
    writeFileSync(Buffer.concat([Buffer.from(`${it.root}/`), Buffer.from([0xff])]), "raw");
    held(pin(it.root), () => undefined);
    expect(held(pin(it.path("\ufffd")), ({ real }) => real)).toBe(it.path("\ufffd"));
    symlinkSync(Buffer.from([0xff]), it.path("to-raw"));
    expect(failure(() => pin(it.path("to-raw")))).toBe("invalid-path");
    rmSync(it.path("to-raw"));
  });

  test.each([
    ["ENOENT", "not-found"],
    ["ENOTDIR", "not-found"],
    ["ELOOP", "symlink-loop"],
    ["EACCES", "os-denied"],
    ["EPERM", "os-denied"],
    ["ENAMETOOLONG", "unresolvable-path"],
    ["EIO", "io-error"],
    ["EMFILE", "io-error"],
  ])("%s is %s", (code, failed) => {
    expect(failureOf(Object.assign(new Error("x"), { code }))).toBe(failed);
  });

  test("an answer that cannot be used is an invalid path, and what is no error has no code", () => {
    expect(failureOf(new UnusableAnswer("x"))).toBe("invalid-path");
    expect([
      errnoOf("text"),
      errnoOf(new Error("x")),
      errnoOf(Object.assign(new Error("x"), { code: 7 })),
      errnoOf({ code: "ENOENT" }),
    ]).toEqual(["", "", "", ""]);
  });
});

describe("a pin for another thread", () => {
  test("is taken over as the same object, whatever its name is by then", () => {
    const it = grow(["f: 1"]);
    held(pin(it.path("f")), (pinned) => {
      const handed = handOver(pinned);
      renameSync(it.path("f"), it.path("g"));
      held(takeOver(handed), (taken) => expect([taken.facts.ino, taken.real]).toEqual([pinned.facts.ino, it.path("g")]));
    });
  });

  test("is refused where the number stands for something else by then", () => {
    const it = grow(["f: 1", "g: 1"]);
    const first = pin(it.path("f"));
    const handed = handOver(first);
    first.close();
    held(pin(it.path("g")), (other) => {
      expect(handOver(other).itself).toBe(handed.itself);
      expect(() => takeOver(handed)).toThrow("what was handed over is no longer there");
      expect(() => takeOver({ ...handOver(other), dev: -1 })).toThrow("what was handed over is no longer there");
    });
    expect(() => takeOver(handed)).toThrow();
  });
});

test("kinds are told from the mode", () => {
  expect([0o100644, 0o040755, 0o120777, 0o010644, 0o140755, 0o020666, 0o060660, 0].map(kindOf)).toEqual([
    "file",
    "dir",
    "link",
    "other",
    "other",
    "other",
    "other",
    "other",
  ]);
});

test("the platform keeps its word on this machine", () => {
  expect(platform.selfTest()).toBeNull();
});
