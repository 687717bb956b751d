// Notes of commands under way: who is still at it, who was cut off, and what cannot be made out.

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { grow } from "../../test/scene.ts";
import { type InitialState, Journal } from "./journal.ts";
import { bornAt } from "./processes.ts";
import { memoryShelf, openShelf, type NoteStore } from "./shelf.ts";

const before: InitialState = { roots: [{ dir: "/ws", ino: 1, others: [] }], known: ["1:2"], slots: [], stubs: [] };

const first = { pid: 7, born: "70" };

function shelfIn(home: string): NoteStore {
  const shelf = openShelf(home, Date.now);
  if (shelf === null) throw new Error("no journal");
  return shelf;
}

const opened = (home: string): Journal => new Journal(shelfIn(home), Date.now);

/** A journal with one note of a command that runs, and what rewrites it as if another process had written it. */
function noted() {
  const home = grow(["home/"]).path("home");
  const entry = opened(home).begin(["/ws/a"]);
  entry.describe(before, [first], false);
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
  expect(["none", "home", "open"].map((home) => openShelf(at.path(home), Date.now))).toEqual([null, null, null]);
  expect(fs.existsSync(at.path("none"))).toBe(false);
});

test("a command that runs is told with its first processes, to everybody who sees a directory that it can write to", () => {
  const { other, entry, rewrite } = noted();
  expect([["/x", "/ws"], ["/ws/a/b"], ["/ws/ab"]].map((dirs) => other.running(dirs).map((one) => one.firsts))).toEqual([
    [[first]],
    [[first]],
    [],
  ]);
  rewrite({ begun: false });
  expect(other.running(["/ws"])).toEqual([]);
  rewrite({ begun: true, space: "pid:[1]", pid: 1 });
  expect(other.running(["/ws"])).toMatchObject([{ dirs: ["/ws/a"], firsts: null }]);
  entry.leave();
  expect(other.running(["/ws"])).toEqual([]);
});

test("a command whose program was killed runs until the last of it is gone", () => {
  const { other, rewrite } = noted();
  const self = { pid: process.pid, born: bornAt(process.pid) };
  const gone = { ...self, born: "1" };
  rewrite({ pid: 4_194_305, firsts: [gone, self] });
  expect(other.running(["/ws"])).toMatchObject([{ firsts: [gone, self] }]);
  rewrite({ firsts: [gone] });
  expect(other.running(["/ws"])).toEqual([]);
  // As earlier versions noted it.
  rewrite({ firsts: undefined, first: self });
  expect(other.running(["/ws"])).toMatchObject([{ firsts: [self] }]);
});

test.each([
  ["on disk", () => shelfIn(grow(["home/"]).path("home"))],
  ["in memory, where there is no home directory", () => memoryShelf(Date.now)],
])("whoever wants the same directories stands in line, %s, in the order they came", (_where, open) => {
  const shelf = open();
  const line = (...dirs: string[]) => new Journal(shelf, Date.now).line(dirs);
  const [one, inside, elsewhere, both] = [line("/a"), line("/a/b"), line("/c"), line("/c", "/a")];
  const next = () => [one, inside, elsewhere, both].map((turn) => turn.isNext());
  expect(next()).toEqual([true, false, true, false]);
  one.leave();
  expect(next()).toEqual([false, true, true, false]);
  elsewhere.leave();
  expect(next()).toEqual([false, true, false, false]);
  inside.leave();
  expect(next()).toEqual([false, false, false, true]);
  both.leave();
  expect([shelf.names(), new Journal(shelf, Date.now).hasLine(["/a"])]).toEqual([[], false]);
});

test("whoever comes with a number that others have passed meanwhile stands behind them all the same", () => {
  const shelf = memoryShelf(Date.now);
  const journal = new Journal(shelf, Date.now);
  const late: { held?: ReturnType<Journal["line"]> } = {};
  // Between choosing a number and standing there, another comes and is next.
  let writes = 0;
  const slow: NoteStore = {
    ...shelf,
    write(name, text, lasting) {
      if ((writes += 1) === 1) late.held = behind(journal);
      shelf.write(name, text, lasting);
    },
  };
  const turn = new Journal(slow, Date.now).line(["/a"]);
  expect([late.held?.isNext(), turn.isNext(), writes]).toEqual([true, false, 2]);
});

/** The second of two who stand in line for `/a`, the first of whom has left. */
function behind(journal: Journal): ReturnType<Journal["line"]> {
  const [one, two] = [journal.line(["/a"]), journal.line(["/a"])];
  one.leave();
  return two;
}

test.each([
  ["has ended", { pid: 4_194_305 }],
  ["ended and left its number to another", { born: "1" }],
  ["was there before the machine was started anew", { boot: "another" }],
])("nobody waits for one who %s", (_why, change) => {
  const shelf = memoryShelf(Date.now);
  const journal = new Journal(shelf, Date.now);
  journal.line(["/a"]);
  const [name = ""] = shelf.names();
  const stale: object = JSON.parse(shelf.read(name) ?? "");
  const turn = journal.line(["/a"]);
  expect(turn.isNext()).toBe(false);
  shelf.write(name, JSON.stringify({ ...stale, ...change }), false);
  expect([turn.isNext(), shelf.names().length]).toEqual([true, 1]);
});

test("nobody waits for one who is stopped; when it goes on it stands where it stood", async () => {
  const child = spawn("sleep", ["100"]);
  const pid = child.pid ?? 0;
  try {
    const shelf = memoryShelf(Date.now);
    const journal = new Journal(shelf, Date.now);
    journal.line(["/a"]);
    const [name = ""] = shelf.names();
    const turn = journal.line(["/a"]);
    shelf.write(name, JSON.stringify({ ...JSON.parse(shelf.read(name) ?? ""), pid, born: bornAt(pid) }), false);
    expect(turn.isNext()).toBe(false);
    child.kill("SIGSTOP");
    await expect.poll(() => turn.isNext()).toBe(true);
    child.kill("SIGCONT");
    await expect.poll(() => turn.isNext()).toBe(false);
  } finally {
    child.kill("SIGKILL");
  }
});
