// A tree that the kernel tells of holds what a tree holds that is asked about whole; and whatever cannot be told, is asked about.

import fc from "fast-check";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { nothingStaysPinned, type Scene, scene } from "../../test/scene.ts";
import { pin } from "../core/fs/pin.ts";
import { doAtOnce } from "../core/steps.ts";
import { type ChangeHelper, startChangeHelper } from "./change-helper.ts";
import { DirChanges, type DirChangesPorts } from "./dir-changes.ts";
import { tellsChanges } from "./disk.ts";
import type { Folders } from "./folders.ts";
import { Inventory } from "./inventory.ts";

nothingStaysPinned();

const user = { uid: process.geteuid?.() ?? -1, groups: [process.getegid?.() ?? -1] };
const later = (): number => Date.now() + 1000;
const hasHelper = ((): boolean => {
  const helper = startChangeHelper();
  helper?.close();
  return helper !== null;
})();

/** An inventory that is told of changes in trees of any size, and what it keeps of the last one. */
class Told extends DirChanges {
  folders: Folders | null = null;
  helper: ChangeHelper | null = null;

  constructor(ports: DirChangesPorts = {}) {
    super({ least: 1, tells: () => true, start: () => (this.helper = startChangeHelper()), ...ports });
    onTestFinished(() => this.close());
  }

  override create(dir: string): Folders {
    return (this.folders = super.create(dir));
  }
}

function secretsOf(inventory: Inventory, it: Scene): readonly string[] {
  const at = pin(it.path("ws"));
  try {
    const found = doAtOnce(inventory.look({ at, dir: it.path("ws"), writable: true, session: it.session, others: new Map(), user }));
    for (const one of found.pins) one.close();
    return [...found.shut, ...found.guarded].map(({ path }) => path.slice(it.path("ws").length + 1)).toSorted();
  } finally {
    at.close();
  }
}

/** Longer than a tick of a file system's clock. */
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 12));

/** A look that is told of changes, a tick after them, with all watches in place afterwards. */
async function look(changes: DirChanges, inventory: Inventory, it: Scene): Promise<readonly string[]> {
  await tick();
  const found = await inventory.whenUpToDate(async () => secretsOf(inventory, it));
  await changes.follow();
  await tick();
  return found;
}

const doubtful = ({ folders }: Told, it: Scene): readonly string[] =>
  [...(folders?.doubtful() ?? [])].map((path) => path.slice(it.path("ws").length + 1)).toSorted();

const places = ["a", "b", "a/c", "a/c/d", "b/.git", "node_modules/m", "b/.ssh"];
const deed = fc.record({
  does: fc.constantFrom("make", "make", "remove", "file", "file", "move", "swap", "link", "shut"),
  at: fc.constantFrom(...places),
  to: fc.constantFrom(...places),
  name: fc.constantFrom("x", ".env", "k.pem", ".vscode"),
});

function act(it: Scene, { does, at, to, name }: { does: string; at: string; to: string; name: string }): void {
  const [from, there] = [it.path(`ws/${at}`), it.path(`ws/${to}`)];
  try {
    if (does === "make") fs.mkdirSync(from, { recursive: true });
    else if (does === "remove") fs.rmSync(from, { recursive: true });
    else if (does === "file") fs.writeFileSync(`${from}/${name}`, "x");
    else if (does === "move") fs.renameSync(from, there);
    else if (does === "link") fs.symlinkSync(there, `${from}/${name}`);
    else if (does === "shut") fs.chmodSync(from, 0o711);
    else {
      fs.renameSync(from, it.path("aside"));
      fs.renameSync(there, from);
      fs.renameSync(it.path("aside"), there);
    }
  } catch {
    // Not possible as things are; then nothing happens, or half of it.
  }
}

describe.skipIf(!hasHelper)("a tree that the kernel tells of", () => {
  test("holds what a fresh look finds, whatever happened between", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(deed, { maxLength: 6 }), { minLength: 2, maxLength: 5 }), async (rounds) => {
        const it = scene(["ws/a/c/d/.env: S", "ws/b/x: x"]);
        const changes = new Told();
        const inventory = new Inventory(later, () => true, changes);
        for (const round of rounds) {
          for (const one of round) act(it, one);
          expect(await look(changes, inventory, it)).toEqual(secretsOf(new Inventory(later), it));
        }
        changes.close();
        it.remove();
      }),
      { numRuns: 25 },
    );
  });

  test("is asked about where it has changed, and nowhere else", async () => {
    const it = scene(["ws/a/b/c/x: x", "ws/d/.env: S", "ws/e/f/x: x"]);
    const changes = new Told();
    const inventory = new Inventory(later, () => true, changes);
    expect(await look(changes, inventory, it)).toEqual(["d/.env"]);
    expect(doubtful(changes, it)).toEqual([]);
    fs.writeFileSync(it.path("ws/a/b/k.pem"), "S");
    fs.renameSync(it.path("ws/e/f"), it.path("ws/e/g"));
    await changes.update();
    expect(doubtful(changes, it)).toEqual(["a/b", "e", "e/f"]);
    expect(await look(changes, inventory, it)).toEqual(["a/b/k.pem", "d/.env"]);
    await look(changes, inventory, it);
    expect(doubtful(changes, it)).toEqual([]);
  });

  test("is asked about as a whole where the kernel could not keep all that happened", async () => {
    for (const [complete, found] of [
      [true, []],
      [false, ["a/.env"]],
    ] as const) {
      const it = scene(["ws/a/x: x"]);
      const start = (): ChangeHelper | null => {
        const helper = startChangeHelper();
        return helper === null ? null : { ...helper, changes: async () => ({ complete, changed: [], ended: [] }) };
      };
      const changes = new Told({ start });
      const inventory = new Inventory(later, () => true, changes);
      await look(changes, inventory, it);
      fs.writeFileSync(it.path("ws/a/.env"), "S");
      // One who is not told and believes it misses the secret.
      expect(await look(changes, inventory, it)).toEqual(found);
    }
  });

  test("says so itself when more happens than the kernel keeps", async () => {
    const it = scene(["ws/a/x: x", "ws/b/x: x"]);
    const helper = startChangeHelper();
    if (helper === null) throw new Error("there is no helper");
    onTestFinished(() => helper.close());
    await helper.add([it.path("ws/a"), it.path("ws/b")]);
    expect(await helper.changes()).toEqual({ complete: true, changed: [], ended: [] });
    // It hears nothing while it is stopped; two directories in turn, so that no event is the same as the one before.
    process.kill(helper.pid, "SIGSTOP");
    const kept = Number(fs.readFileSync("/proc/sys/fs/inotify/max_queued_events", "latin1"));
    for (let index = 0; index <= kept / 4; index += 1)
      for (const dir of ["a", "b"]) {
        fs.renameSync(it.path(`ws/${dir}/x`), it.path(`ws/${dir}/y`));
        fs.renameSync(it.path(`ws/${dir}/y`), it.path(`ws/${dir}/x`));
      }
    process.kill(helper.pid, "SIGCONT");
    expect((await helper.changes()).complete).toBe(false);
    expect(await helper.changes()).toEqual({ complete: true, changed: [], ended: [] });
  });

  test("is asked about as a whole when whoever tells has gone, and told of again later", async () => {
    const it = scene(["ws/a/x: x"]);
    const changes = new Told();
    const inventory = new Inventory(later, () => true, changes);
    await look(changes, inventory, it);
    expect(doubtful(changes, it)).toEqual([]);
    changes.helper?.close();
    fs.writeFileSync(it.path("ws/a/.env"), "S");
    expect(await look(changes, inventory, it)).toEqual(["a/.env"]);
    await look(changes, inventory, it);
    expect(doubtful(changes, it)).toEqual([]);
  });

  test("is asked about where the user has no watches left, and where the file system does not tell", async () => {
    const it = scene(["ws/a/x: x"]);
    for (const ports of [{ limit: () => 0 }, { tells: () => false }]) {
      const changes = new Told(ports);
      const inventory = new Inventory(later, () => true, changes);
      await look(changes, inventory, it);
      expect(doubtful(changes, it)).toEqual(["", "a"]);
      changes.close();
    }
    expect(tellsChanges("/proc")).toBe(false);
  });

  test.skipIf(!canMount())("is asked about when something was mounted in it, which the kernel tells no watch of", async () => {
    const it = scene(["ws/a/x: x", "ws/over/.env: S"]);
    const changes = new Told();
    const inventory = new Inventory(later, () => true, changes);
    expect(await look(changes, inventory, it)).toEqual(["over/.env"]);
    execFileSync("mount", ["--bind", it.path("ws/over"), it.path("ws/a")]);
    try {
      expect(await look(changes, inventory, it)).toEqual(["a/.env", "over/.env"]);
    } finally {
      execFileSync("umount", [it.path("ws/a")]);
    }
    expect(await look(changes, inventory, it)).toEqual(["over/.env"]);
  });
});

function canMount(): boolean {
  const it = fs.mkdtempSync("/tmp/hallpass-mount-");
  try {
    execFileSync("mount", ["--bind", it, it], { stdio: "ignore" });
    execFileSync("umount", [it], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    fs.rmdirSync(it);
  }
}
