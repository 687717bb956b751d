// A tree that is remembered and brought up to date holds what a tree that is looked at for the first time holds, whatever happened between.

import fc from "fast-check";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isRoot, nothingStaysPinned, pins, scene } from "../../test/scene.ts";
import { pin } from "../core/fs/pin.ts";
import type { Session } from "../core/session/session.ts";
import { doAtOnce } from "../core/steps.ts";
import { type FoundInRoot, Inventory } from "./inventory.ts";
import type { FolderPlan } from "./folder.ts";
import { isAsListed, LookFailure } from "./tree.ts";

nothingStaysPinned();

const user = { uid: process.geteuid?.() ?? -1, groups: [process.getegid?.() ?? -1] };

/** What was found, as sorted words, with everything let go. */
function look(inventory: Inventory, session: Session, writable = true): readonly string[] {
  const at = pin(session.workspace.dir);
  const plan: FolderPlan = { at, dir: session.workspace.dir, writable, session, others: new Map(), user };
  try {
    const found = doAtOnce(inventory.look(plan));
    for (const one of found.pins) one.close();
    return wordsOf(found, session.workspace.dir);
  } finally {
    at.close();
  }
}

function wordsOf(found: FoundInRoot, dir: string): readonly string[] {
  const shown = (kind: string, path: string): string => `${kind} ${path.slice(dir.length + 1)}`;
  return [
    ...found.shut.map(({ path, why }) => shown(`shut by ${why}`, path)),
    ...found.leads.map(({ path, why }) => shown(`leads by ${why}`, path)),
    ...found.guarded.map(({ path }) => shown("guarded", path)),
    ...found.frozen.map(({ path }) => shown("frozen", path)),
    ...found.raw.map(({ path }) => shown("raw", path)),
  ].toSorted();
}

test("two directories that are exchanged in the middle of a look, and back: both are seen, or the look fails", () => {
  const it = scene(["ws/d/.env: SECRET", "ws/l/ok: 1"]);
  const { session } = it;
  const exchange = (): void => {
    const [d, l, aside] = ["ws/d", "ws/l", "aside"].map(it.path) as [string, string, string];
    fs.renameSync(d, aside);
    fs.renameSync(l, d);
    fs.renameSync(aside, l);
  };
  /** What a first look finds, with the exchange before these of its steps; how many steps there were where it came to its end. */
  const looked = (first: number, second: number): { readonly found: number | null; readonly steps: number } => {
    const at = pin(session.workspace.dir);
    let steps = 0;
    let found: FoundInRoot | null = null;
    try {
      const looking = new Inventory(Date.now).look({ at, dir: session.workspace.dir, writable: true, session, others: new Map(), user });
      for (let step = looking.next(); ; step = looking.next()) {
        if (step.done === true) {
          found = step.value;
          break;
        }
        steps += 1;
        if (steps === first || steps === second) exchange();
      }
    } catch (error) {
      expect(error).toBeInstanceOf(LookFailure);
    } finally {
      at.close();
      if (steps < second) exchange();
      if (steps < first) exchange();
      for (const one of found?.pins ?? []) one.close();
    }
    return { found: found?.shut.length ?? null, steps };
  };
  const { found, steps } = looked(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  expect(found).toBe(1);
  const outcomes = new Set<number | null>();
  for (let first = 1; first < steps; first += 1)
    for (let second = first + 1; second <= steps; second += 1) outcomes.add(looked(first, second).found);
  expect(outcomes).toEqual(new Set([1, null]));
});

/** Longer than a tick of a file system's clock. */
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 12));
/** As if every look were long after every change: a directory is then listed again only if it says that it changed. */
const later = (): number => Date.now() + 1000;

const dirs = ["a", "b", "a/c", "a/c/d", "b/.git", "node_modules/m", ".docker", "b/.ssh"];
const files = ["x", ".env", "k.pem", ".npmrc", ".vscode", "config.json", "lock", "private"];
type Deed = {
  readonly does: "make" | "remove" | "file" | "move" | "link" | "shut" | "open";
  readonly dir: string;
  readonly to: string;
  readonly name: string;
};
const deed: fc.Arbitrary<Deed> = fc.record({
  does: fc.constantFrom("make", "make", "remove", "file", "file", "file", "move", "link", "shut", "open"),
  dir: fc.constantFrom(...dirs),
  to: fc.constantFrom(...dirs),
  name: fc.constantFrom(...files),
});

function act(ws: string, { does, dir, to, name }: Deed): void {
  const [at, there] = [join(ws, dir), join(ws, to)];
  try {
    if (does === "make") fs.mkdirSync(at, { recursive: true });
    else if (does === "remove") fs.rmSync(at, { recursive: true });
    else if (does === "file") fs.writeFileSync(join(at, name), name === ".npmrc" && to.length > 3 ? "//r/:_authToken=x" : "x");
    else if (does === "move") fs.renameSync(at, there);
    else if (does === "link") fs.symlinkSync(there, join(at, name));
    else fs.chmodSync(at, does === "shut" ? 0o000 : 0o755);
  } catch {
    // Not possible as things are; then nothing happens.
  }
}

test("the remembered and the fresh look agree", async () => {
  const policy = { read: { private: "deny" }, write: { "a/c/lock": "ask" } };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(deed, { maxLength: 6 }), { minLength: 2, maxLength: 5 }), async (rounds) => {
      const it = scene([], { policy });
      const ws = it.path("ws");
      const remembering = new Inventory(later);
      for (const round of rounds) {
        for (const one of round) act(ws, one);
        await tick();
        expect(look(remembering, it.session)).toEqual(look(new Inventory(later), it.session));
        await tick();
      }
      for (const dir of dirs) act(ws, { does: "open", dir, to: "a", name: "x" });
      it.remove();
    }),
    { numRuns: 60 },
  );
});

describe("a look", () => {
  test("is at the names as they are, not at what they were", async () => {
    const it = scene(["ws/a/.env: S", "ws/b/x"]);
    const inventory = new Inventory(later);
    expect(look(inventory, it.session)).toEqual(["shut by secret a/.env"]);
    await tick();
    // The same directory under another name, and another under the same: nothing below them changed.
    fs.renameSync(it.path("ws/a"), it.path("ws/moved"));
    fs.renameSync(it.path("ws/b"), it.path("ws/a"));
    expect(look(inventory, it.session)).toEqual(["shut by secret moved/.env"]);
    // Whoever sets the times of a directory does not hide what happened in it.
    fs.writeFileSync(it.path("ws/a/k.pem"), "S");
    fs.utimesSync(it.path("ws/a"), 1, 1);
    expect(look(inventory, it.session)).toContain("shut by secret a/k.pem");
  });

  test("that meets a link in the place of a secret, or of a directory, is worth nothing", () => {
    const it = scene(["ws/d/.env: S", "ws/.env: S"]);
    const moving = new Inventory(() => {
      fs.rmSync(it.path("ws/.env"), { force: true });
      fs.symlinkSync("d/.env", it.path("ws/.env"));
      return Date.now();
    });
    // Listed as a link already: it is no secret itself. What it leads to is.
    expect(look(moving, it.session)).toEqual(["leads by secret .env", "shut by secret d/.env"]);
    let listed = 0;
    const swapped = new Inventory(() => {
      listed += 1;
      if (listed === 2) fs.renameSync(it.path("ws/d/.env"), it.path("ws/d/kept"));
      if (listed === 2) fs.symlinkSync("kept", it.path("ws/d/.env"));
      return Date.now();
    });
    expect(look(swapped, it.session)).toEqual(["leads by secret .env", "leads by secret d/.env"]);
    expect(pins()).toEqual([]);
  });

  test("forgets what was below a directory that a link has replaced", () => {
    const it = scene(["ws/a/b/.env"]);
    const inventory = new Inventory(later);
    expect(look(inventory, it.session)).toEqual(["shut by secret a/b/.env"]);
    fs.renameSync(it.path("ws/a/b"), it.path("b"));
    fs.rmSync(it.path("ws/a"), { recursive: true });
    fs.symlinkSync(it.root, it.path("ws/a"));
    expect(look(inventory, it.session)).toEqual([]);
  });

  test("stops where another root begins, and only there", () => {
    const it = scene(["ws/in/.env: S", "ws/other/.env: S"]);
    const at = pin(it.path("ws"));
    const inner = fs.statSync(it.path("ws/in"));
    const others = new Map([
      [it.path("ws/in"), { dev: inner.dev, ino: inner.ino }],
      [it.path("ws/other"), { dev: inner.dev, ino: inner.ino }],
    ]);
    const found = doAtOnce(
      new Inventory(later).look({ at, dir: it.session.workspace.dir, writable: true, session: it.session, others, user }),
    );
    expect(wordsOf(found, it.path("ws"))).toEqual(["shut by secret other/.env"]);
    for (const one of found.pins) one.close();
    at.close();
  });

  test("gives up on more than can be covered, with nothing left pinned", () => {
    const it = scene([]);
    for (let index = 0; index < 10_100; index += 1) fs.writeFileSync(it.path(`ws/${index}.pem`), "");
    expect(() => look(new Inventory(later), it.session)).toThrow(LookFailure);
    expect(pins()).toEqual([]);
  });

  test("believes no time of change from another machine's file system", async () => {
    const it = scene(["ws/a/b/x", "ws/c/y"]);
    for (const [trusts, again] of [
      [() => true, 0],
      [() => false, 4],
    ] as const) {
      let listed = 0;
      const inventory = new Inventory(() => {
        listed += 1;
        return later();
      }, trusts);
      look(inventory, it.session);
      expect(listed).toBe(4);
      await tick();
      look(inventory, it.session);
      expect(listed).toBe(4 + again);
    }
  });

  test("believes a time of change that is a whole second only when two seconds have passed", () => {
    const state = { dev: 1, ino: 2 };
    const listed = (changed: number, at: number): boolean => isAsListed({ ...state, changed, listed: at }, { ...state, changed });
    expect([listed(5000.25, 5300), listed(5000.25, 5050), listed(5000, 5300), listed(5000, 6900), listed(5000, 7200)]).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });

  test.skipIf(!isRoot)("as root passes over what root in a sandbox cannot enter, and hides nothing in it", () => {
    const it = scene(["ws/theirs/.env: S", "ws/shared/.env: S"]);
    for (const [name, mode] of [
      ["theirs", 0o700],
      ["shared", 0o711],
    ] as const) {
      fs.chownSync(it.path(`ws/${name}`), 1234, 1234);
      fs.chmodSync(it.path(`ws/${name}`), mode);
    }
    const inventory = new Inventory(later);
    expect(look(inventory, it.session)).toEqual(["shut by secret shared/.env"]);
    fs.chmodSync(it.path("ws/theirs"), 0o755);
    expect(look(inventory, it.session)).toEqual(["shut by secret shared/.env", "shut by secret theirs/.env"]);
  });
});
