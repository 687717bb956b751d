// Notes of commands under way: who is still at it, who was cut off, and what cannot be made out.

import * as fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { grow } from "../../test/scene.ts";
import { type Before, type Journal, openJournal } from "./journal.ts";

const before: Before = { roots: [{ dir: "/ws", ino: 1, others: [] }], known: ["1:2"], slots: [], stubs: [] };

function opened(home: string): Journal {
  const journal = openJournal(home, Date.now);
  if (journal === null) throw new Error("no journal");
  return journal;
}

/** A journal with one note of a command that runs, and what rewrites it as if another process had written it. */
function noted() {
  const home = grow(["home/"]).path("home");
  const entry = opened(home).begin(["/ws/a"]);
  entry.describe(before, false);
  const place = join(home, ".local/share/hallpass/commands");
  const [name = ""] = fs.readdirSync(place);
  const file = join(place, name);
  const rewrite = (change: object): void => {
    const record: object = JSON.parse(fs.readFileSync(file, "utf8"));
    fs.writeFileSync(file, JSON.stringify({ ...record, ...change }));
  };
  return { home, entry, place, file, rewrite, other: opened(home) };
}

test("a command that runs is no leftover; it shares the directories above and below its own, and no others", () => {
  const { other, entry, place } = noted();
  expect(other.left(["/ws"])).toEqual([]);
  expect([["/ws"], ["/ws/a/b"], ["/ws/ab"], ["/other"]].map((dirs) => other.isShared(dirs))).toEqual([true, true, false, false]);
  expect(fs.statSync(place).mode & 0o777).toBe(0o700);
  entry.end();
  expect([other.isShared(["/ws"]), fs.readdirSync(place)]).toEqual([false, []]);
});

test.each([
  ["its process is gone", { pid: 4_194_305 }],
  ["another process has its number", { born: "1" }],
  ["the machine was started anew", { boot: "another" }],
])("it was cut off where %s", (_why, change) => {
  const { other, rewrite, place } = noted();
  rewrite(change);
  const [left] = other.left(["/ws"]);
  expect(left).toMatchObject({ ...before, sameBoot: !("boot" in change) });
  left?.forget();
  expect(fs.readdirSync(place)).toEqual([]);
});

test("one that ended and could not be looked through is left to the next, in the same process too", () => {
  const { other, entry } = noted();
  entry.leave();
  expect(other.left(["/ws"])).toHaveLength(1);
});

test("in another container it lives as long as it says so", () => {
  const { other, rewrite, file, entry } = noted();
  rewrite({ space: "pid:[1]", pid: 1 });
  expect(other.left(["/ws"])).toEqual([]);
  const long = Date.now() / 1000 - 120;
  fs.utimesSync(file, long, long);
  expect(other.left(["/ws"])).toHaveLength(1);
  entry.beat();
  expect(other.left(["/ws"])).toEqual([]);
});

test("one that never began left nothing", () => {
  const { other, rewrite, place } = noted();
  rewrite({ pid: 4_194_305, begun: false });
  expect([other.left(["/ws"]), fs.readdirSync(place)]).toEqual([[], []]);
});

test("what is no note is passed over", () => {
  const { other, place } = noted();
  for (const text of ["", "null", "{}", '{"pid":1,"dirs":["/ws"],"roots":[{}]}'])
    fs.writeFileSync(join(place, `${text.length}.json`), text);
  expect(other.left(["/ws"])).toEqual([]);
});

test("there is none where there is no home directory, where something is in its place, or where others could write to it", () => {
  const at = grow(["home/.local: a file", "open/.local/share/hallpass/commands/"]);
  fs.chmodSync(at.path("open/.local/share/hallpass/commands"), 0o777);
  expect(["none", "home", "open"].map((home) => openJournal(at.path(home), Date.now))).toEqual([null, null, null]);
  expect(fs.existsSync(at.path("none"))).toBe(false);
});
