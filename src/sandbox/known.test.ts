// What was there before is told by more than its inode: on file systems that give an inode away again at once, and on those that do not.

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nothingStaysPinned } from "../../test/scene.ts";
import { tree } from "../../test/tree.ts";
import { statEntry } from "../core/fs/at.ts";
import { pin } from "../core/fs/pin.ts";
import { isKnown, type ObservedEntry, fingerprint, pinnedFingerprint } from "./known.ts";

nothingStaysPinned();

/** A tree on the disk, not in memory: there the inode of what was removed belongs to the next thing that is made. */
function stage(spec: readonly string[]) {
  const it = tree(spec, tmpdir());
  onTestFinished(it.remove);
  const seen = <T>(path: string, ask: (one: ObservedEntry) => T): T => {
    const dir = pin(dirname(it.path(path)));
    try {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const entry = statEntry(dir, name);
      if (entry === null) throw new Error(`${path} is not there`);
      return ask({ dir, name, path: it.path(path), ...entry });
    } finally {
      dir.close();
    }
  };
  return {
    ...it,
    note: (path: string) => new Set([seen(path, fingerprint)]),
    held: (path: string) => new Set([seen(path, pinnedFingerprint)]),
    seen,
  };
}

const make = {
  "a file": (path: string) => fs.writeFileSync(path, "evil"),
  "a directory": (path: string) => fs.mkdirSync(path),
  "another link": (path: string) => fs.symlinkSync("elsewhere", path),
};

test.each([
  ["a link", "a/.mcp.json => nowhere", "a file"],
  ["a link", "a/.mcp.json => nowhere", "a directory"],
  ["a link", "a/.mcp.json => nowhere", "another link"],
  ["a pipe", "a/", "a file"],
  ["a file", "a/.mcp.json: {}", "a file"],
  ["a directory", "a/.mcp.json/", "a directory"],
] as const)("%s (%s) that was removed and made anew as %s is another", (_what, spec, other) => {
  const it = stage([spec]);
  const path = it.path("a/.mcp.json");
  if (spec === "a/") execFileSync("mkfifo", [path]);
  const known = it.note("a/.mcp.json");
  expect(it.seen("a/.mcp.json", (one) => isKnown(known, one))).toBe(true);
  const { ino } = fs.lstatSync(path);
  let again = 0;
  // Births are told in steps of a few milliseconds.
  for (const until = Date.now() + 20; Date.now() < until;);
  for (let tries = 0; tries < 50 && again !== ino; tries += 1) {
    fs.rmSync(path, { recursive: true });
    make[other](path);
    again = fs.lstatSync(path).ino;
  }
  expect(it.seen("a/.mcp.json", (one) => isKnown(known, one))).toBe(false);
});

test("a link that was given another protected name, or moved, is another; one made anew with the same text is the same", () => {
  const it = stage(["a/.zed => payload", "b/"]);
  const known = it.note("a/.zed");
  fs.renameSync(it.path("a/.zed"), it.path("a/.vscode"));
  expect(it.seen("a/.vscode", (one) => isKnown(known, one))).toBe(false);
  fs.renameSync(it.path("a/.vscode"), it.path("b/.zed"));
  expect(it.seen("b/.zed", (one) => isKnown(known, one))).toBe(false);
  fs.symlinkSync("payload", it.path("a/.zed"));
  expect(it.seen("a/.zed", (one) => isKnown(known, one))).toBe(true);
});

test("a directory that is moved keeps what is in it; not a link in it that leads upwards, since that leads elsewhere then", () => {
  const it = stage(["a/CLAUDE.md => AGENTS.md", "a/.idea => ../conf", "a/.vscode/"]);
  const known = new Set([...it.note("a/CLAUDE.md"), ...it.note("a/.idea"), ...it.held("a/.vscode")]);
  const all = (dir: string) => ["CLAUDE.md", ".idea", ".vscode"].map((name) => it.seen(join(dir, name), (one) => isKnown(known, one)));
  expect(all("a")).toEqual([true, true, true]);
  fs.renameSync(it.path("a"), it.path("b"));
  expect(all("b")).toEqual([true, false, true]);
});
