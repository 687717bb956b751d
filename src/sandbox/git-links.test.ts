// Links in a git directory that is looked at again and again: what is remembered never hides what has changed.

import * as fs from "node:fs";
import { expect, test, vi } from "vitest";
import { grow, nothingStaysPinned } from "../../test/scene.ts";
import { pin } from "../core/fs/pin.ts";
import { doAtOnce } from "../core/steps.ts";
import { GitLinks, type NameVisitor } from "./git-links.ts";

nothingStaysPinned();

/** As if every look were long after every change: a directory is then listed again only if it says that it changed. */
const later = (): number => Date.now() + 1000;
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 12));

function look(links: GitLinks, path: string, except: readonly string[] = []): readonly string[] {
  const git = pin(path);
  const found: string[] = [];
  try {
    const see: NameVisitor = function* see(dir, name, at) {
      yield;
      expect(at).toBe(`${dir.real.replace(/\/\.$/, "")}/${name}`);
      found.push(at.slice(path.length + 1));
    };
    doAtOnce(links.see(git, path, new Set(except), see));
  } finally {
    git.close();
  }
  return found.toSorted();
}

test("all of them are found, but for those in what is left out and among single objects", () => {
  const it = grow(["g/a => x", "g/logs/b/c => x", "g/objects/ab/c => x", "g/objects/pack/d => x", "g/hooks/e => x", "g/f"]);
  expect(look(new GitLinks(later), it.path("g"), ["hooks"])).toEqual(["a", "logs/b/c", "objects/pack/d"]);
});

test("what appears, goes and moves between two looks is seen, with its times set back too", async () => {
  const it = grow(["g/logs/b/c", "g/refs/heads/", "g/x => y"]);
  const links = new GitLinks(later);
  expect(look(links, it.path("g"))).toEqual(["x"]);
  await tick();
  fs.symlinkSync("z", it.path("g/logs/b/new"));
  fs.utimesSync(it.path("g/logs/b"), 1, 1);
  fs.rmSync(it.path("g/x"));
  expect(look(links, it.path("g"))).toEqual(["logs/b/new"]);
  await tick();
  fs.renameSync(it.path("g/logs/b"), it.path("g/refs/heads/b"));
  expect(look(links, it.path("g"))).toEqual(["refs/heads/b/new"]);
  await tick();
  fs.rmSync(it.path("g/refs"), { recursive: true });
  fs.symlinkSync("elsewhere", it.path("g/refs"));
  expect(look(links, it.path("g"))).toEqual(["refs"]);
});

test("directories that have not changed are not listed again", async () => {
  const it = grow(["g/refs/heads/a/b", "g/logs/refs/heads/a/b", "g/l => x"]);
  const clock = vi.fn(later);
  const links = new GitLinks(clock);
  look(links, it.path("g"));
  const listed = clock.mock.calls.length;
  expect([look(links, it.path("g")), clock.mock.calls.length]).toEqual([["l"], listed]);
  await tick();
  fs.writeFileSync(it.path("g/refs/heads/a/new"), "");
  look(links, it.path("g"));
  expect(clock.mock.calls.length).toBe(listed + 1);
});

test("directories in one another without end are one thing that cannot be looked through", () => {
  const it = grow(["g/f"]);
  fs.mkdirSync(it.path(`g${"/d".repeat(80)}`), { recursive: true });
  expect(look(new GitLinks(later), it.path("g"))).toEqual([Array.from({ length: 65 }, () => "d").join("/")]);
});
