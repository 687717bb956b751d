// The body of a pinned file, up to a limit of bytes that were read: grown, sparse and endless files cannot make us hold more.

import {
  appendFileSync,
  closeSync,
  constants,
  openSync,
  readSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { grow, mkfifo, nothingStaysPinned, openBelow } from "../../../test/scene.ts";
import { errnoOf } from "../errno.ts";
import { type Pin, pin } from "./pin.ts";
import { AT_ONCE, lendBytes, lendBytesAtOnce, lendEntryAtOnce, Scratch, TOO_LARGE } from "./read.ts";

nothingStaysPinned();

async function on<T>(path: string, act: (pinned: Pin) => T | Promise<T>): Promise<T> {
  const pinned = pin(path);
  try {
    return await act(pinned);
  } finally {
    pinned.close();
  }
}

const copy = (bytes: Buffer): Buffer => Buffer.from(bytes);
const filled = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 0xff));

describe("sizes around every limit", () => {
  const sizes = [0, 1, 4096, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, AT_ONCE + 2, 300_000];
  test.each(sizes)("a file of %i bytes is lent whole at exactly its size, and is too large one below", async (size) => {
    const it = grow([]);
    const content = filled(size);
    writeFileSync(it.path("f"), content);
    const scratch = new Scratch();
    const same = (bytes: Buffer): boolean => bytes.equals(content);
    await on(it.path("f"), async (pinned) => {
      expect([await lendBytes(pinned, size, scratch, same), await lendBytes(pinned, size + 1, scratch, same)]).toEqual([true, true]);
      expect(lendBytesAtOnce(pinned, size, scratch, same)).toBe(true);
      if (size === 0) return;
      expect([await lendBytes(pinned, size - 1, scratch, same), lendBytesAtOnce(pinned, size - 1, scratch, same)]).toEqual([
        TOO_LARGE,
        TOO_LARGE,
      ]);
    });
    await on(it.root, (directory) => {
      const entry = (limit: number) => lendEntryAtOnce(directory, "f", limit, scratch, { refuse: null, use: same });
      expect(entry(size)).toBe(true);
      if (size > 0) expect(entry(size - 1)).toBe(TOO_LARGE);
    });
    expect(openBelow(it.root)).toEqual([]);
  });
});

describe("a file that grew since it was pinned", () => {
  test("is lent with what was added, as long as it fits the limit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 2 * AT_ONCE }),
        fc.integer({ min: 1, max: 2 * AT_ONCE }),
        fc.integer({ min: -2, max: 2 }),
        async (size, added, room) => {
          const it = grow([]);
          const content = filled(size + added);
          writeFileSync(it.path("f"), content.subarray(0, size));
          await on(it.path("f"), async (pinned) => {
            appendFileSync(it.path("f"), content.subarray(size));
            const limit = Math.max(size, size + added + room);
            const expected = limit >= size + added;
            const lent = [await lendBytes(pinned, limit, new Scratch(), copy), lendBytesAtOnce(pinned, limit, new Scratch(), copy)];
            for (const one of lent) expect(typeof one === "symbol" ? "too-large" : one.equals(content)).toBe(expected ? true : "too-large");
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  test("a file that shrank is lent as it is", async () => {
    const it = grow([`f: ${"x".repeat(100_000)}`, "g: 123456"]);
    for (const [name, left] of [
      ["f", 70_000],
      ["g", 3],
    ] as const)
      await on(it.path(name), async (pinned) => {
        truncateSync(it.path(name), left);
        expect(await lendBytes(pinned, 200_000, new Scratch(), ({ length }) => length)).toBe(left);
      });
  });
});

describe("files that promise more than anybody can hold", () => {
  test("a sparse file of one terabyte is too large, at once", async () => {
    const it = grow(["f: "]);
    truncateSync(it.path("f"), 2 ** 40);
    const before = performance.now();
    await on(it.path("f"), async (pinned) => {
      expect(await lendBytes(pinned, 1 << 20, new Scratch(), copy)).toBe(TOO_LARGE);
      expect(lendBytesAtOnce(pinned, 1 << 20, new Scratch(), copy)).toBe(TOO_LARGE);
    });
    await on(it.root, (directory) =>
      expect(lendEntryAtOnce(directory, "f", 1 << 20, new Scratch(), { refuse: null, use: copy })).toBe(TOO_LARGE),
    );
    expect(performance.now() - before).toBeLessThan(1000);
  });

  test("a file that became a terabyte since it was pinned is too large as well", async () => {
    const it = grow(["f: 1"]);
    await on(it.path("f"), async (pinned) => {
      truncateSync(it.path("f"), 2 ** 40);
      expect(await lendBytes(pinned, 1 << 20, new Scratch(), copy)).toBe(TOO_LARGE);
    });
  });
});

describe("one entry of a directory", () => {
  test("is never read through a link, and a pipe there holds nobody up", async () => {
    const it = grow(["l => $OUT/secret", "$OUT/secret: SECRET", "d/"]);
    mkfifo(it.path("fifo"));
    await on(it.root, (directory) => {
      const read = (name: string): string => {
        try {
          const found = lendEntryAtOnce(directory, name, 100, new Scratch(), { refuse: null, use: String });
          return typeof found === "string" ? found : "nothing";
        } catch (error) {
          return errnoOf(error);
        }
      };
      expect(["l", "fifo", "d", "missing"].map(read)).toEqual(["ELOOP", "", "EISDIR", "ENOENT"]);
    });
    const descriptor = openSync(it.path("l"), constants.O_RDONLY);
    expect(readSync(descriptor, Buffer.alloc(6))).toBe(6);
    closeSync(descriptor);
  });

  test("can be left out by its inode", async () => {
    const it = grow(["f: 1", "g: 2"]);
    await on(it.path("f"), ({ facts }) =>
      on(it.root, (directory) => {
        const refuse = (dev: number, ino: number): boolean => dev === facts.dev && ino === facts.ino;
        const read = (name: string) => lendEntryAtOnce(directory, name, 10, new Scratch(), { refuse, use: String });
        expect([read("f"), read("g")]).toEqual([null, "2"]);
      }),
    );
  });
});

describe("what was pinned is what is read", () => {
  test("though the name was renamed, removed or made a link since", async () => {
    const it = grow(["f: mine", "$OUT/secret: SECRET"]);
    await on(it.path("f"), async (pinned) => {
      const read = () => lendBytes(pinned, 100, new Scratch(), String);
      renameSync(it.path("f"), it.path("g"));
      symlinkSync(it.path("$OUT/secret"), it.path("f"));
      expect(await read()).toBe("mine");
      unlinkSync(it.path("g"));
      expect(await read()).toBe("mine");
    });
  });

  test("what the borrower throws is thrown on, and the file is closed", async () => {
    const it = grow([`f: ${"x".repeat(100_000)}`, "g: 1"]);
    const fail = (): never => {
      throw new Error("borrower");
    };
    for (const name of ["f", "g"])
      await on(it.path(name), (pinned) =>
        expect((async () => lendBytes(pinned, 200_000, new Scratch(), fail))()).rejects.toThrow("borrower"),
      );
    expect(openBelow(it.root)).toEqual([]);
  });
});

test("borrowers at the same time, from one scratch, each get their own bytes", async () => {
  const it = grow([]);
  const contents = Array.from({ length: 8 }, (_, at) => Buffer.alloc(AT_ONCE + 1000 * (at + 1), 97 + at));
  for (const [at, content] of contents.entries()) writeFileSync(it.path(`f${at}`), content);
  const scratch = new Scratch();
  const read = async () =>
    Promise.all(
      contents.map((content, at) =>
        on(it.path(`f${at}`), async (pinned) => (await lendBytes(pinned, 1 << 20, scratch, (bytes) => bytes.equals(content))) === true),
      ),
    );
  expect(await read()).toEqual(contents.map(() => true));
  expect(await read()).toEqual(contents.map(() => true));
});
