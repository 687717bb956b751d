// grep: plain text and regular expressions, one file and large trees, on this thread and on others; secrets never.

import { linkSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";
import { createMatcher } from "./search/matcher.ts";
import type { GrepQuery } from "./search/query.ts";

nothingStaysPinned();
const searcher = searcherOf();
const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, ...toolbox(it, searcher()) };
};
interface Output {
  readonly matches: readonly { readonly file: string; readonly line: number; readonly text: string }[];
  readonly withheld: number;
}

describe("lines that match", () => {
  const spec = [
    "ws/a.txt: one\ntwo NEEDLE\nthree needle needle\n",
    "ws/src/b.txt: needle at first\n\nlast needle",
    "ws/src/c.md: no such thing\na.b*c[d]\n",
    "ws/.env: needle=S",
    "ws/src/.ssh/config: needle",
    "ws/ignored.log: needle",
    "ws/.gitignore: *.log\n",
    "ws/link => a.txt",
    "ws/to-lib => ../lib",
    "ws/.git/x: needle",
    "lib/.git/",
    "lib/x: needle outside",
  ];
  const hit = (file: string, line: number, text: string) => ({ file, line, text });

  test("plain text: file, line and the line itself, each line once, secrets counted", async () => {
    const { it, done } = open(spec);
    expect(await done("grep", { pattern: "needle" })).toEqual({
      path: it.path("ws"),
      matches: [hit("a.txt", 3, "three needle needle"), hit("src/b.txt", 1, "needle at first"), hit("src/b.txt", 3, "last needle")],
      withheld: 2,
      too_large: 0,
      truncated: false,
    });
  });

  test.each<[string, object, readonly object[]]>([
    [
      "whatever the letter case",
      { pattern: "needle", ignore_case: true, path: "a.txt" },
      [hit("a.txt", 2, "two NEEDLE"), hit("a.txt", 3, "three needle needle")],
    ],
    [
      "a regular expression",
      { pattern: "^t\\w+ ", path: "a.txt" },
      [hit("a.txt", 2, "two NEEDLE"), hit("a.txt", 3, "three needle needle")],
    ],
    [
      "a regular expression whatever the letter case",
      { pattern: "n.edl?e", ignore_case: true, glob: "a.*" },
      [hit("a.txt", 2, "two NEEDLE"), hit("a.txt", 3, "three needle needle")],
    ],
    ["the end of a line", { pattern: "needle$", path: "src" }, [hit("src/b.txt", 3, "last needle")]],
    ["empty lines", { pattern: "^$", path: "src/b.txt" }, [hit("src/b.txt", 2, "")]],
    ["signs taken literally", { pattern: "a.b*c[d]", literal: true }, [hit("src/c.md", 2, "a.b*c[d]")]],
    [
      "signs taken literally whatever the letter case",
      { pattern: "A.B*C[D]", literal: true, ignore_case: true },
      [hit("src/c.md", 2, "a.b*c[d]")],
    ],
    ["the same signs as an expression match something else", { pattern: "a.b*c[d]" }, []],
    ["only files of a kind", { pattern: "thing", glob: "*.md" }, [hit("src/c.md", 1, "no such thing")]],
    ["only files of another kind", { pattern: "thing", glob: "*.txt" }, []],
    [
      "files in a directory",
      { pattern: "needle", glob: "src/*" },
      [hit("src/b.txt", 1, "needle at first"), hit("src/b.txt", 3, "last needle")],
    ],
    ["what git ignores, when it is wanted", { pattern: "needle", glob: "*.log", ignored: true }, [hit("ignored.log", 1, "needle")]],
    ["what git ignores, when it is not", { pattern: "needle", glob: "*.log" }, []],
    ["one file that was named, though git ignores it", { pattern: "needle", path: "ignored.log" }, [hit("ignored.log", 1, "needle")]],
    ["a link to a file, by name", { pattern: "two", path: "link" }, [hit("link", 2, "two NEEDLE")]],
    ["nothing", { pattern: "nowhere" }, []],
  ])("%s", async (_title, input, matches) => {
    const { done } = open(spec);
    expect(await done("grep", input)).toMatchObject({ matches, truncated: false });
  });

  test("the same text is found as text and as an expression", async () => {
    const { done } = open(spec);
    const plain = (await done("grep", { pattern: "needle" })) as Output;
    expect(await done("grep", { pattern: "(?:needle)" })).toEqual(plain);
    expect(await done("grep", { pattern: "needle", literal: true })).toEqual(plain);
  });

  test("nothing is read through links, and a directory outside is asked about", async () => {
    const { it, done, code } = open(spec);
    expect(JSON.stringify(await done("grep", { pattern: "outside" }))).not.toContain("needle outside");
    expect([await code("grep", { pattern: "x", path: "to-lib" }), await code("grep", { pattern: "x", path: "../lib" })]).toEqual([
      "out-of-scope",
      "out-of-scope",
    ]);
    expect(readFileSync(it.path("ws/to-lib/x"), "utf8")).toBe("needle outside");
  });

  test("more lines than are wanted are cut, and it is said", async () => {
    const { done } = open(spec);
    for (const pattern of ["needle", "needl[e]"]) {
      const cut = (await done("grep", { pattern }, { limits: { matches: 2 } })) as Output;
      expect(cut).toMatchObject({ truncated: true });
      expect(cut.matches.length).toBe(2);
      const rest = (await done("view_truncated_output", { handle: (cut as Output & { handle: string }).handle })) as { text: string };
      const whole = (await done("grep", { pattern })) as Output & { handle?: string };
      expect(rest.text).toBe(whole.matches.map(({ file, line, text }) => `${file}:${line}:${text}`).join("\n"));
      expect([whole.matches.length, whole.handle]).toEqual([3, undefined]);
      expect(await done("grep", { pattern }, { limits: { matches: 3 } })).toMatchObject({ truncated: false });
    }
    expect(await done("grep", { pattern: "needle", path: "src/b.txt" }, { limits: { matches: 1 } })).toMatchObject({
      truncated: true,
      matches: [hit("src/b.txt", 1, "needle at first")],
    });
  });
});

describe("odd files", () => {
  test("Windows' line ends are not part of the line", async () => {
    const { done } = open(["ws/a: one\r\nneedle\r\nthree\r\n"]);
    for (const pattern of ["needle", "needl[e]$"])
      expect(await done("grep", { pattern })).toMatchObject({ matches: [{ file: "a", line: 2, text: "needle" }] });
  });

  test("a very long line is shown by its beginning", async () => {
    const { done } = open([`ws/a: ${"x".repeat(3_000_000)}needle${"y".repeat(100)}`]);
    for (const pattern of ["needle", "needl[e]"]) {
      const { matches } = (await done("grep", { pattern })) as Output;
      expect(matches).toEqual([{ file: "a", line: 1, text: `${"x".repeat(500)}…` }]);
    }
  });

  test("a file with a NUL is not text; one that is too large is passed over and counted", async () => {
    const { it, done } = open(["ws/text: needle", "ws/large: needle and more", "ws/binary"]);
    writeFileSync(it.path("ws/binary"), "needle\0");
    for (const pattern of ["needle", "needl[e]"]) {
      const output = await done("grep", { pattern }, { limits: { searchFileBytes: 10 } });
      expect(output).toMatchObject({ matches: [{ file: "text", line: 1, text: "needle" }], too_large: 1 });
    }
    expect(await done("grep", { pattern: "needle", path: "large" }, { limits: { searchFileBytes: 10 } })).toMatchObject({
      matches: [],
      too_large: 1,
    });
    expect(await done("grep", { pattern: "needle", path: "binary" })).toMatchObject({ matches: [], too_large: 0 });
  });

  test("a sparse file of a terabyte is counted as too large, in no time", async () => {
    const { it, done } = open(["ws/a"]);
    truncateSync(it.path("ws/a"), 2 ** 40);
    expect(await done("grep", { pattern: "x" })).toMatchObject({ matches: [], too_large: 1 });
    expect(await done("grep", { pattern: "x", path: "a" })).toMatchObject({ matches: [], too_large: 1 });
  });

  test("a second name of a secret is not searched, nor an .npmrc with a token", async () => {
    const { it, done } = open(["ws/.env: needle", "ws/.npmrc: //r/:_authToken=needle", "ws/sub/.npmrc: registry=needle"]);
    linkSync(it.path("ws/.env"), it.path("ws/notes.txt"));
    linkSync(it.path("ws/.env"), it.path("ws/sub/notes.txt"));
    for (const pattern of ["needle", "needl[e]"])
      expect(await done("grep", { pattern })).toMatchObject({
        matches: [{ file: "sub/.npmrc", line: 1, text: "registry=needle" }],
        withheld: 1,
      });
    expect(readFileSync(it.path("ws/sub/notes.txt"), "utf8")).toBe("needle");
  });

  test("a byte order mark does not hide the beginning of the first line", async () => {
    const { done } = open(["ws/a: \ufeffneedle"]);
    expect(await done("grep", { pattern: "^needle" })).toMatchObject({ matches: [{ file: "a", line: 1, text: "needle" }] });
  });
});

test("a small tree is searched at once; files that take their time are given to threads, and others are served meanwhile", async () => {
  const servedMeanwhile = async (spec: readonly string[]): Promise<boolean> => {
    const { done } = open(spec);
    let served = false;
    setImmediate(() => (served = true));
    expect(await done("grep", { pattern: "needle" })).toMatchObject({ matches: [{ line: 1 }] });
    return served;
  };
  expect(await servedMeanwhile(["ws/a: needle", "ws/b: hay"])).toBe(false);
  const large = "hay\n".repeat(250_000);
  expect(await servedMeanwhile(["ws/a: needle", ...Array.from({ length: 20 }, (_, at) => `ws/large-${at}: ${large}`)])).toBe(true);
});

describe("expressions that do not end", () => {
  test("are stopped with a timeout, and the next search is served", async () => {
    const { done, failed } = open([`ws/a: ${"a".repeat(40)}!\n`]);
    const before = performance.now();
    const failure = await failed("grep", { pattern: "^(a+)+$" }, { limits: { searchTime: 300 } });
    expect(failure).toMatchObject({ code: "timeout", category: "read-failed", verdict: "allow" });
    expect(failure.hint).toContain("`.`");
    expect(performance.now() - before).toBeLessThan(5000);
    expect(await done("grep", { pattern: "a+!" })).toMatchObject({ matches: [{ file: "a", line: 1 }] });
    expect(await failed("grep", { pattern: "^(a+)+$", path: "a" }, { limits: { searchTime: 300 } })).toMatchObject({ code: "timeout" });
    expect(await done("grep", { pattern: "a+!" })).toMatchObject({ matches: [{ file: "a", line: 1 }] });
  });

  test("what is no expression is said to be none, with the way out", async () => {
    const { failed } = open(["ws/a: 1"]);
    const failure = await failed("grep", { pattern: "(unclosed" });
    expect(failure).toMatchObject({ code: "bad-request", category: "invalid-input" });
    expect(failure.hint).toContain("literal");
  });

  test.each([
    ["a glob that is none", { pattern: "x", glob: "a**b" }, "bad-request"],
    ["no pattern", {}, "bad-request"],
    ["what is not there", { pattern: "x", path: "missing" }, "not-found"],
    ["a secret", { pattern: "x", path: ".env" }, "secret-file"],
  ])("%s is refused", async (_title, input, expected) => {
    const { code } = open(["ws/a: 1", "ws/.env: x"]);
    expect(await code("grep", input)).toBe(expected);
  });
});

describe("a large tree", () => {
  /** Some 1,500 files in nested directories; every seventh holds the needle, some are secrets, some are ignored. */
  const it = scene(["ws/.gitignore: *.log\n"]);
  for (let a = 0; a < 6; a += 1)
    for (let b = 0; b < 5; b += 1)
      for (let c = 0; c < 5; c += 1) {
        const dir = it.path(`ws/a${a}/b${b}/c${c}`);
        mkdirSync(dir, { recursive: true });
        for (let f = 0; f < 8; f += 1)
          writeFileSync(join(dir, `f${f}.txt`), (a + b + c + f) % 7 === 0 ? `x\nneedle ${a}${b}${c}${f}\n` : "nothing\n");
        writeFileSync(join(dir, "g.log"), "needle");
        writeFileSync(join(dir, ".env"), "needle");
        if (c === 0) writeFileSync(it.path(`ws/a${a}/b${b}/.env`), "needle");
      }
  for (let a = 0; a < 6; a += 1) writeFileSync(it.path(`ws/a${a}/.env`), "needle");
  writeFileSync(it.path("ws/.env"), "needle");

  /** The plainest way to the same answer. */
  function naive(): readonly object[] {
    const files = readdirSync(it.path("ws"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".txt"));
    return files.toSorted().flatMap((file) => {
      const lines = readFileSync(join(it.path("ws"), file), "utf8").split("\n");
      return lines.flatMap((text, at) => (text.includes("needle") ? [{ file, line: at + 1, text }] : []));
    });
  }
  const secrets = 6 * 5 * 5 + 6 * 5 + 6 + 1;
  const tasks = (): number => readdirSync("/proc/self/task").length;

  test("is searched by threads, and the answer is that of a plain scan; what is withheld is counted once", async () => {
    const { done } = toolbox(it, searcher());
    const output = { path: it.path("ws"), matches: naive(), withheld: secrets, too_large: 0, truncated: false };
    expect(output.matches.length).toBeGreaterThan(100);
    await searcher().close();
    const before = tasks();
    expect(await done("grep", { pattern: "needle" })).toEqual(output);
    expect(tasks()).toBeGreaterThan(before);
    expect(await done("grep", { pattern: "needl[e]" })).toEqual(output);
    expect(await done("grep", { pattern: "NEEDLE", ignore_case: true })).toEqual(output);
  });

  test("finds files in it the same way", async () => {
    const { done } = toolbox(it, searcher());
    const files = readdirSync(it.path("ws"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".txt"))
      .toSorted();
    for (const [pattern, ending] of [
      ["f*.txt", ".txt"],
      ["f1.txt", "f1.txt"],
    ] as const)
      expect(await done("find_files", { pattern })).toEqual({
        path: it.path("ws"),
        files: files.filter((file) => file.endsWith(ending)),
        withheld: secrets,
        truncated: false,
      });
  });

  test("many searches at the same time each get their own answer", async () => {
    const { done } = toolbox(it, searcher());
    const patterns = Array.from({ length: 6 }, (_, at) => `needle ${at}[0-9]+`);
    const outputs = await Promise.all(patterns.map((pattern) => done("grep", { pattern })));
    for (const [at, output] of outputs.entries())
      expect(output).toMatchObject({ matches: naive().filter((match) => (match as { text: string }).text.startsWith(`needle ${at}`)) });
  });
});

describe("the matcher", () => {
  const query: GrepQuery = {
    kind: "grep",
    pattern: "b",
    literal: true,
    ignoreCase: false,
    glob: null,
    ignored: false,
    most: 10,
    time: 1,
    fileBytes: 100,
    lineLength: 5,
  };
  const lines = (changes: Partial<GrepQuery>, text: string, most = 10) =>
    createMatcher({ ...query, ...changes }).lines(Buffer.from(text), "f", most);

  test.each<[string, string, readonly [number, string][]]>([
    [
      "first, middle and last line",
      "b1\na\nb2\na\nb3",
      [
        [1, "b1"],
        [3, "b2"],
        [5, "b3"],
      ],
    ],
    ["an empty text", "", []],
    ["line ends only", "\n\n\n", []],
    ["a last line end", "a\nb\n", [[2, "b"]]],
    [
      "several in a line",
      "bbb\nbb",
      [
        [1, "bbb"],
        [2, "bb"],
      ],
    ],
    ["a long line is cut", "b123456\n", [[1, "b1234…"]]],
    ["a line of exactly the length", "b1234\n", [[1, "b1234"]]],
  ])("%s, as text and as an expression", (_title, text, expected) => {
    const hits = expected.map(([line, shown]) => ({ file: "f", line, text: shown }));
    expect(lines({}, text)).toEqual(hits);
    expect(lines({ pattern: "[b]", literal: false }, text)).toEqual(hits);
    expect(lines({ pattern: "B", ignoreCase: true }, text)).toEqual(hits);
  });

  test("gives no more lines than are wanted", () => {
    for (const changes of [{}, { pattern: "[b]", literal: false }])
      expect(lines(changes, "b\nb\nb\n", 2).map(({ line }) => line)).toEqual([1, 2]);
  });

  test("an expression that matches the empty text matches every line, and no line after the last", () => {
    expect(lines({ pattern: "x*", literal: false }, "a\nb\n").map(({ line }) => line)).toEqual([1, 2]);
    expect(lines({ pattern: "x*", literal: false }, "a\nb").map(({ line }) => line)).toEqual([1, 2]);
  });
});
