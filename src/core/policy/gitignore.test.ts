// The .gitignore reader against git itself, against the manual, and against the clock.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import ignore from "ignore";
import { afterAll, describe, expect, test } from "vitest";
import { rootIgnores } from "./gitignore.ts";

/** .gitignore texts by directory ("" is the top), and paths to ask about; those of directories end in a slash. */
interface Scene {
  readonly files: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
}

/** As a walker asks: from the top down, and no further than the first ignored directory. */
function weIgnore({ files }: Scene, path: string): boolean {
  const steps = path.split("/").filter((step) => step !== "");
  let view = rootIgnores(files[""] ?? null);
  for (const [index, step] of steps.entries()) {
    if (view.ignores(step, path.endsWith("/") || index < steps.length - 1)) return true;
    view = view.enter(step, files[steps.slice(0, index + 1).join("/")] ?? null);
  }
  return false;
}

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-gitignore-"));
afterAll(() => rmSync(sandbox, { recursive: true, force: true }));

function git(repository: string, args: readonly string[], input = ""): string {
  const settings = ["-c", "core.excludesFile=/dev/null", "-c", "core.ignoreCase=false"];
  const env = { PATH: process.env["PATH"] ?? "", HOME: sandbox, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const run = spawnSync("git", [...settings, ...args], { cwd: repository, input, env, encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.status !== 0 && run.status !== 1) throw new Error(run.stderr);
  return run.stdout;
}

/** Git's answers, all from one process: each scene is a directory of one repository. */
function gitIgnores(scenes: readonly Scene[]): boolean[][] {
  const repository = mkdtempSync(join(sandbox, "repository-"));
  git(repository, ["init", "--quiet", "."]);
  for (const [index, { files, paths }] of scenes.entries()) {
    const top = join(repository, `scene${index}`);
    mkdirSync(top);
    for (const path of paths) mkdirSync(join(top, path.endsWith("/") ? path : dirname(path)), { recursive: true });
    for (const [dir, text] of Object.entries(files)) {
      mkdirSync(join(top, dir), { recursive: true });
      writeFileSync(join(top, dir, ".gitignore"), text);
    }
  }
  const asked = scenes.flatMap(({ paths }, index) => paths.map((path) => `scene${index}/${path.replace(/\/$/, "")}`));
  const fields = git(repository, ["check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"], asked.join("\0")).split("\0");
  const answers = asked.map((path, index) => {
    const [source, , pattern = "", told] = fields.slice(index * 4, index * 4 + 4);
    if (told !== path) throw new Error(`git answered about ${told} when asked about ${path}`);
    return source !== "" && !pattern.startsWith("!");
  });
  return scenes.map(({ paths }) => answers.splice(0, paths.length));
}

/** Elsewhere than on Linux some of the names cannot be, or two of them are one. */
const whereGitCanTell = test.runIf(process.platform === "linux");

function expectGitsAnswers(scenes: readonly Scene[]): void {
  const answers = gitIgnores(scenes);
  for (const [index, scene] of scenes.entries()) {
    const ours = scene.paths.map((path) => [path, weIgnore(scene, path)]);
    expect(ours, JSON.stringify(scene)).toEqual(scene.paths.map((path, at) => [path, answers[index]?.[at]]));
  }
}

type Row = readonly [lines: string, ignored: readonly string[], kept: readonly string[]];

const MANUAL: Readonly<Record<string, readonly Row[]>> = {
  "a name without a slash is ignored at any depth, as file and as directory": [
    ["foo", ["foo", "foo/", "a/foo", "a/b/foo/", "foo/inside"], ["food", "a/xfoo", "Foo"]],
    ["hello.*", ["hello.txt", "a/hello.java", "hello."], ["hello", "ahello.txt"]],
    ["*.log", [".log", "x.log", "a/x.y.log", "x.log/"], ["xlog", "x.log2", "log"]],
    ["*.tar.gz", ["x.tar.gz", ".tar.gz"], ["x.gz", "tar.gz", "x.tar.xz"]],
    ["*~\nnpm-debug.log*", ["x~", "~", "npm-debug.log", "a/npm-debug.log.1"], ["~x", "npm-debug"]],
  ],
  "a slash at the start or in the middle ties a pattern to the directory of its file": [
    ["/hello.*", ["hello.txt", "hello.c/"], ["a/hello.java"]],
    ["/foo", ["foo", "foo/"], ["a/foo"]],
    ["doc/frotz", ["doc/frotz", "doc/frotz/"], ["a/doc/frotz", "frotz", "doc/"]],
    ["/foo/*", ["foo/test.json", "foo/bar/", "foo/bar/hello.c"], ["foo/", "a/foo/test.json"]],
    ["foo/*/x", ["foo/a/x"], ["foo/x", "foo/a/b/x"]],
    ["foo/b*r/*.c", ["foo/bar/x.c", "foo/br/.c"], ["foo/bar/x.h", "foo/x.c", "foo/baz/x.c"]],
  ],
  "a slash at the end means directories only, and ties nothing": [
    ["frotz/", ["frotz/", "a/frotz/", "a/frotz/x"], ["frotz", "a/frotz"]],
    ["doc/frotz/", ["doc/frotz/"], ["doc/frotz", "a/doc/frotz/"]],
    ["/frotz/", ["frotz/"], ["a/frotz/", "frotz"]],
    ["*.d/\n!x.d", ["y.d/", "a/y.d/"], ["y.d", "x.d/", "x.d"]],
  ],
  "the last matching line decides": [
    ["*.html\n!foo.html", ["bar.html", "a/bar.html"], ["foo.html", "a/foo.html"]],
    ["!foo.html\n*.html", ["foo.html"], []],
    ["/*\n!/foo\n/foo/*\n!/foo/bar", ["a", "a/", "foo/x", "foo/baz/"], ["foo/", "foo/bar", "foo/bar/", "foo/bar/x"]],
    ["*\n!*/\n!*.c", ["x", "a/x"], ["x/", "x.c", "a/b/x.c"]],
    ["x\n!x/", ["x"], ["x/", "a/x/"]],
    ["!x\n*y*\n!*y\nay", ["ay", "yb"], ["by", "x"]],
  ],
  "two stars as a whole segment span directories": [
    ["**/foo", ["foo", "a/foo", "a/b/foo/"], ["afoo"]],
    ["**/foo/bar", ["foo/bar", "a/foo/bar", "a/b/foo/bar/"], ["foo/a/bar", "bar", "foo/"]],
    ["abc/**", ["abc/x", "abc/x/", "abc/x/y"], ["abc/", "abc", "a/abc/x"]],
    ["a/**/b", ["a/b", "a/x/b", "a/x/y/b/"], ["b", "x/a/b", "a/xb", "a/"]],
    ["a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c", "a/b/b/c"], ["a/c", "a/b/x", "b/c"]],
    ["**/**/x\n***/y", ["x", "a/x", "y", "a/b/y"], ["xy"]],
    ["/**", ["x", "a/", "a/b"], []],
    ["/**/", ["a/", "a/b"], ["x"]],
    ["**", ["x", "a/"], []],
    ["**/", ["a/"], ["x"]],
    ["a/**/", ["a/b/", "a/b/x"], ["a/", "a/x"]],
  ],
  "two stars within a segment are one star": [
    ["a**b", ["ab", "axxb", "x/axb"], ["a/b", "a/x/b"]],
    ["x/a**", ["x/a", "x/ab"], ["xa", "x/b"]],
    ["x/**a", ["x/a", "x/ba"], ["x/y/a"]],
    ["x/**a/b", ["x/ba/b"], ["x/y/a/b"]],
  ],
  "a question mark and a set stand for one byte": [
    ["a?c", ["abc", "x/a.c"], ["ac", "abbc", "aéc"]],
    ["a??c", ["aéc"], ["a€c"]],
    ["[ab]x", ["ax", "bx"], ["cx", "x", "abx"]],
    ["[!ab]x\n[^cd]y", ["cx", "ay"], ["ax", "cy"]],
    ["[a-c]\n[x-]\n[-z]", ["a", "b", "c", "x", "-", "z"], ["d", "y"]],
    ["[a-c-e]x\n[c-a]y", ["bx", "-x", "ex"], ["dx", "ay", "by", "-y"]],
    ["[]a]x\n[!]a]y", ["]x", "ax", "by"], ["]y", "ay", "bx"]],
    ["[[:digit:]]x\n[[:upper:]_]y", ["1x", "Ay", "_y"], ["ax", "ay", ":x"]],
    ["[\\]a]x\n[\\a-\\c]y", ["]x", "ax", "by"], ["\\x", "-y"]],
    ["*.py[cod]", ["x.pyc", "a/.pyo"], ["x.py", "x.pyx"]],
    ["a[b/c]d", ["abd", "acd"], ["a/d", "x/abd"]],
    ["a[!b]c/d", ["axc/d"], ["a/c/d", "abc/d"]],
  ],
  "a pattern that is broken matches nothing": [
    ["[ab\n[a-\n[!\n[]", [], ["[ab", "a", "[a-", "[!", "[]"]],
    ["[[:nonsense:]]\n[[::]]", [], ["n", ":", "[[:nonsense:]]"]],
    ["a\\", [], ["a", "a\\"]],
    ["/\n//\n!\na//b\n//a\na//", [], ["a", "a/", "a/b", "!"]],
  ],
  "comments, blanks and escapes are read as git reads them": [
    ["#foo\n\\#bar\n\n   \n", ["#bar"], ["#foo", "foo", "bar", " "]],
    ["\\!foo\n*x\n!\\!x", ["!foo", "ax"], ["foo", "!x"]],
    ["*x\n!!x\n!#x", ["ax"], ["!x", "#x"]],
    ["a  \nb\\  \nc\\\\  \n d", ["a", "b ", "c\\", " d"], ["a ", "b", "c\\ ", "d"]],
    ["a\t", ["a\t"], ["a"]],
    ["a\r\n/b\r\n\r\nc \r\nd\r\r\ne\r", ["a", "b", "c", "d\r", "e"], ["d", "\r", "x/b"]],
    ["\uFEFFa\n\uFEFFb", ["a", "\uFEFFb"], ["b", "\uFEFFa"]],
    ["a\0b\n\0c", ["a"], ["ab", "b", "c"]],
    ["\\*x\n\\a\n\\[b]", ["*x", "a", "[b]"], ["ax", "\\a", "b"]],
    ["a\\/b\n/c/**\\/d", ["a/b", "c/x/d", "c/x/y/d"], ["x/a/b", "c/d"]],
    ["dürr*\n*ß?", ["dürr", "dürre", "aßb"], ["durr", "aß"]],
  ],
};

describe("the manual", () => {
  for (const [name, rows] of Object.entries(MANUAL)) {
    test(name, () => {
      for (const [lines, ignored, kept] of rows) {
        const scene = { files: { "": lines }, paths: [...ignored, ...kept] };
        expect(
          scene.paths.filter((path) => weIgnore(scene, path)),
          JSON.stringify(lines),
        ).toEqual(ignored);
      }
    });
  }

  whereGitCanTell("git itself says the same of every line of these tables", () => {
    const scenes = Object.values(MANUAL)
      .flat()
      .flatMap(([lines, ignored, kept]) => {
        return [...ignored, ...kept].map((path): Scene => ({ files: { "": lines }, paths: [path] }));
      });
    expectGitsAnswers(scenes);
  });
});

describe("several files", () => {
  whereGitCanTell("a deeper file has the last word, and its slashes are tied to its own directory", () => {
    const files = { "": "*.log\n/sub/x\n!sub/kept\nkept", sub: "!*.log\n/x2\nkept", "sub/deep": "a.log\n!/x2\n!kept/" };
    const paths = [
      "a.log",
      "sub/a.log",
      "sub/deep/a.log",
      "sub/deep/b.log",
      "sub/x",
      "sub/x2",
      "x2",
      "sub/deep/x2",
      "sub/deep/x",
      "kept",
      "sub/kept",
      "sub/deep/kept",
    ];
    const scene = { files, paths: [...paths, "sub/other/kept/", "sub/deep/er/kept/"] };
    expect(scene.paths.filter((path) => weIgnore(scene, path))).toEqual([
      "a.log",
      "sub/deep/a.log",
      "sub/x",
      "sub/x2",
      "kept",
      "sub/kept",
      "sub/deep/kept",
      "sub/other/kept/",
    ]);
    expectGitsAnswers([scene]);
  });

  test("a view is not changed by what is entered from it", () => {
    const top = rootIgnores("/a/b\n*.log");
    const answers = () => [top.ignores("a", true), top.ignores("b", false), top.ignores("x.log", false)];
    const before = answers();
    const inside = top.enter("a", "!*.log\nc");
    expect([inside.ignores("b", false), inside.ignores("x.log", false), inside.ignores("c", false)]).toEqual([true, false, true]);
    expect(answers()).toEqual(before);
    expect(top.enter("c", null).ignores("b", false)).toBe(false);
  });
});

/** Gits before the end of 2025 read `foo**` + `/bar` as `foo` and then a whole-segment `**`, against their manual. */
function isMisreadByOlderGit(line: string): boolean {
  const pattern = line.replace(/^!/, "");
  const literal = /^[^*?[\\]*/.exec(pattern)?.[0] ?? "";
  return pattern.includes("/") && literal !== "" && !literal.endsWith("/") && pattern.startsWith("**", literal.length);
}

test("two stars that only end a segment are one star, even where an older git says otherwise", () => {
  const scene = { files: { "": "foo**/bar" }, paths: ["foo/bar", "fooz/bar", "foobar", "foo/x/bar"] };
  expect(scene.paths.filter((path) => weIgnore(scene, path))).toEqual(["foo/bar", "fooz/bar"]);
});

const COMMON = ["a", "b", "ab", "a.b", "b.c"];
const ODD = ["c", "abc", "aa", ".a", "a.b.c", "A", "-", "a b", "é", "aé", "[a]", "*", "a\\b", "]", "#a", "!a", "a "];
const PIECES = ["a", "b", ".b", "*", "*", "*", "**", "?", "?", "é", "\\a", "\\*", "[ab]", "[!a]", "[^b-c]", "[a-c]"];
const ODD_PIECES = [
  "[]a]",
  "[a/b]",
  "[[:alpha:]]",
  "[![:punct:]]",
  "[[:x:]]",
  "[[:]",
  "[[:a]",
  "[a",
  "[é]",
  "[\\]]",
  "[a-]",
  "[--a]",
  "[c-a]",
  "]",
  "-",
  ".",
  " ",
  "\\ ",
  "\\",
  "\\/",
  "/",
  "!",
  "#",
];

const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...COMMON) }, { weight: 1, arbitrary: fc.constantFrom(...ODD) });
const piece = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PIECES) }, { weight: 1, arbitrary: fc.constantFrom(...ODD_PIECES) });
const glob = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
const segment = fc.oneof(
  { weight: 3, arbitrary: name },
  { weight: 3, arbitrary: glob },
  { weight: 2, arbitrary: fc.constantFrom("*", "**", "**", "***", "?") },
);
const segments = fc.oneof(fc.array(segment, { minLength: 1, maxLength: 1 }), fc.array(segment, { minLength: 2, maxLength: 4 }));
const line = fc
  .tuple(
    fc.constantFrom("", "", "", "", "", "!", "!", "#"),
    fc.constantFrom("", "", "/"),
    segments,
    fc.constantFrom("", "", "", "", "/", "/", " ", "\r"),
  )
  .map(([mark, top, steps, end]) => mark + top + steps.join("/") + end)
  .filter((candidate) => !isMisreadByOlderGit(candidate));
const text = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join("\n"));
const leaf = fc.array(name, { minLength: 1, maxLength: 4 });
const scene = fc
  .record({ top: text, inner: fc.array(text, { maxLength: 3 }), leaves: fc.array(leaf, { minLength: 6, maxLength: 12 }) })
  .map(({ top, inner, leaves }): Scene => {
    const directories = [...new Set(leaves.flatMap((steps) => steps.slice(1).map((_, index) => steps.slice(0, index + 1).join("/"))))];
    const files = leaves.map((steps) => steps.join("/")).filter((path) => !directories.includes(path));
    const own = directories.slice(0, inner.length).map((dir, index) => [dir, inner[index] ?? ""]);
    return { files: { "": top, ...Object.fromEntries(own) }, paths: [...files, ...directories.map((dir) => `${dir}/`)] };
  });

whereGitCanTell("on six hundred random trees and pattern files the answers are git's", () => {
  const scenes = fc.sample(scene, { seed: 20251115, numRuns: 600 });
  expectGitsAnswers(scenes);
  const answers = scenes.flatMap((one) => one.paths.map((path) => weIgnore(one, path)));
  const share = answers.filter((answer) => answer).length / answers.length;
  expect(share, "the random patterns must neither miss nor hit everything").toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.8);
});

whereGitCanTell("every named class has the bytes that it has in git", () => {
  const classes = ["alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit"];
  const paths = Array.from({ length: 0x7f }, (_, index) => `x${String.fromCharCode(index + 1)}`).filter((path) => !path.endsWith("/"));
  const outside = ["xé", "x\u0080"];
  expectGitsAnswers(
    classes.flatMap((one) => [`x[[:${one}:]]`, `x[![:${one}:]]`]).map((lines) => ({ files: { "": lines }, paths: [...paths, ...outside] })),
  );
});

test("on plain patterns the answers are those of the ignore package", () => {
  const word = fc.constantFrom("a", "b", "c", "ab", "a.b", "x.log");
  const step = fc.oneof({ weight: 4, arbitrary: word }, fc.constantFrom("*", "*.log", "a*", "?", "**", "[ab]", "a*b"));
  const plain = fc
    .tuple(
      fc.constantFrom("", "", "!"),
      fc.constantFrom("", "/"),
      fc.array(step, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "", "/"),
    )
    .map(([mark, top, steps, end]) => mark + top + steps.join("/") + end);
  const path = fc
    .tuple(fc.array(word, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "/"))
    .map(([steps, end]) => steps.join("/") + end);
  const property = fc.property(
    fc.array(plain, { minLength: 1, maxLength: 5 }),
    fc.array(path, { minLength: 5, maxLength: 5 }),
    (lines, paths) => {
      const oracle = ignore({ ignorecase: false }).add(lines.join("\n"));
      const one = { files: { "": lines.join("\n") }, paths };
      expect(paths.map((asked) => [asked, weIgnore(one, asked)])).toEqual(paths.map((asked) => [asked, oracle.ignores(asked)]));
    },
  );
  fc.assert(property, { seed: 7, numRuns: 500 });
});

// A matcher that tries every way would not end before the test's own time does.
describe("hostile patterns take no longer than they are long", () => {
  test("many stars against a long name", () => {
    const long = "a".repeat(5000);
    for (const pattern of [
      "*a*a*a*a*b",
      "*a*a*a*a*b*",
      "*a*a*a*a*a*a*a*a*[b]",
      `${"*a".repeat(100)}[!a]`,
      `${"?*".repeat(100)}b*`,
      `*${"a".repeat(1000)}b*`,
    ]) {
      expect(rootIgnores(pattern).ignores(long, false), pattern).toBe(false);
      expect(rootIgnores(`/x/${pattern}`).enter("x", null).ignores(long, false), pattern).toBe(false);
    }
    expect(rootIgnores("*a*a*a*a*b*").ignores(`${long}b`, false)).toBe(true);
  });

  test("many pairs of stars against a deep directory", () => {
    let view = rootIgnores(`${"**/a/".repeat(200)}b`);
    for (let depth = 0; depth < 199; depth += 1) view = view.enter("a", null);
    expect(view.ignores("b", false)).toBe(false);
    for (let depth = 0; depth < 201; depth += 1) view = view.enter("a", null);
    expect([view.ignores("b", false), view.ignores("c", false)]).toEqual([true, false]);
  });

  test("a set that never closes, a long one, and a line of stars", () => {
    for (const pattern of [
      "[".repeat(20_000),
      "[[:".repeat(10_000),
      `[${"a-z".repeat(10_000)}]b`,
      `${"*".repeat(100_000)}b`,
      "a/".repeat(50_000),
      `${"\\".repeat(100_000)}b`,
    ]) {
      expect(rootIgnores(pattern).ignores("c", true)).toBe(false);
    }
  });
});
