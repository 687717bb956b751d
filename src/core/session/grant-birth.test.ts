// A granted directory is removed and another one made in its place, which gets the same inode: the grant, the mount and the answer on its
// way are not for that one. And what happens to a directory that stays the same one changes nothing.

import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { replaceWithSameInode, reusingSoil, whereInodeComesBack } from "../../../test/support/same-inode.ts";
import { counter, nothingStaysPinned, NOW } from "../../../test/scene.ts";
import { tree, type Tree } from "../../../test/tree.ts";
import { createGuard } from "../guard/guard.ts";
import { askId, callId, grantId } from "../names.ts";
import type { Ask } from "./ask.ts";
import { reopenGrants, settle } from "./grant.ts";
import { addRoot, openSession, type Session } from "./session.ts";

nothingStaysPinned();

const soil = await reusingSoil();
const ports = { clock: () => NOW, ids: counter(), passes: () => true };

interface Place extends Tree {
  readonly session: Session;
  words(path: string, session: Session): string;
  ask(): Ask;
  granted(): Session;
}

/** A workspace with a repository beside it, on a disk. */
function place(on: string): Place {
  const grown = tree(["ws/", "home/", "lib/.git/", "lib/a.ts: SHOWN"], on);
  onTestFinished(grown.remove);
  const opened = openSession({ workspace: grown.path("ws"), home: grown.path("home"), ceilings: [grown.root] });
  if (!opened.ok) throw new Error(opened.message);
  const { session } = opened;
  const guard = createGuard(ports);
  const judge = (path: string, within: Session) => {
    const decision = guard.judge({ call: callId("call"), tool: "test", operation: "read", path: grown.path(path) }, within);
    if (decision.verdict === "allow") decision.pass.close();
    return decision;
  };
  const ask = (): Ask => {
    const decision = judge("lib/a.ts", session);
    if (decision.verdict !== "ask") throw new Error(`not asked: ${decision.reason}`);
    return decision.ask;
  };
  return {
    ...grown,
    session,
    words: (path, within) => {
      const { verdict, reason } = judge(path, within);
      return `${verdict} ${reason}`;
    },
    ask,
    granted: () => {
      const settled = settle(session, ask(), { verdict: "allow", until: "session", by: "ada" }, ports);
      if (!settled.ok) throw new Error(settled.message);
      return settled.session;
    },
  };
}

/** The same session as it would be if directories were known by device and inode alone. */
const withoutBirths = (session: Session): Session => ({
  ...session,
  mounts: session.mounts.map((mount) => ({ ...mount, born: null })),
  grants: session.grants.map((grant) => (grant.until === "call" ? grant : { ...grant, root: { ...grant.root, born: null } })),
});

/** Another repository, with the inode of the one that was there. */
async function exchange(it: Place): Promise<void> {
  const { ino, birthtimeMs } = statSync(it.path("lib"));
  await replaceWithSameInode(it.path("lib"));
  mkdirSync(it.path("lib/.git"));
  writeFileSync(it.path("lib/a.ts"), "OTHER");
  const now = statSync(it.path("lib"));
  expect([now.ino === ino, now.birthtimeMs > birthtimeMs]).toEqual([true, true]);
}

describe.skipIf(soil === null)("another directory with the inode of the granted one", () => {
  const on = soil ?? "";

  test("is not granted: the read asks anew; by device and inode alone it would have been read", () =>
    whereInodeComesBack(async () => {
      const it = place(on);
      const session = it.granted();
      expect(it.words("lib/a.ts", session)).toBe("allow in-grant");
      await exchange(it);
      expect(it.words("lib/a.ts", session)).toBe("ask grant-stale");
      expect(it.words("lib/a.ts", withoutBirths(session))).toBe("allow in-grant");
      expect(readFileSync(it.path("lib/a.ts"), "utf8")).toBe("OTHER");
    }));

  test("is not what was shown: a yes that comes then grants nothing", () =>
    whereInodeComesBack(async () => {
      const it = place(on);
      const ask = it.ask();
      if (ask.offers !== "session") throw new Error("offers once");
      await exchange(it);
      const yes = { verdict: "allow", until: "session", by: "ada" } as const;
      expect(settle(it.session, ask, yes, ports)).toMatchObject({ ok: false, code: "grant-changed" });
      expect(settle(it.session, { ...ask, proposal: { ...ask.proposal, born: null } }, yes, ports)).toMatchObject({ ok: true });
    }));

  test("is not mounted, for reading or for writing", () =>
    whereInodeComesBack(async () => {
      for (const mode of ["read_only", "extend"] as const) {
        const it = place(on);
        const mounted = addRoot(it.session, it.path("lib"), mode);
        if (!mounted.ok) throw new Error(mounted.message);
        expect(it.words("lib/a.ts", mounted.session)).toBe("allow in-mount");
        await exchange(it);
        expect(it.words("lib/a.ts", mounted.session)).toBe("deny root-moved");
        expect(it.words("lib/a.ts", withoutBirths(mounted.session))).toBe("allow in-mount");
      }
    }));

  test("is not granted by what was stored with its birth; a grant stored without one goes by device and inode, as it did", () =>
    whereInodeComesBack(async () => {
      const it = place(on);
      const { dev, ino, birthtimeMs: born } = statSync(it.path("lib"));
      const kept = { id: grantId("kept"), ask: askId("asked"), path: it.path("lib"), dev, ino, by: "ada", at: NOW, expires: null };
      const reopened = (root: typeof kept & { readonly born?: number | null }): string =>
        it.words("lib/a.ts", reopenGrants(it.session, [root], ports).session);
      expect([reopened({ ...kept, born }), reopened({ ...kept, born: null }), reopened(kept)]).toEqual(Array(3).fill("allow in-grant"));
      // What is not known stays so: by now it may be another directory.
      expect(reopenGrants(it.session, [kept], ports).session.grants).toMatchObject([{ root: { born: null } }]);
      await exchange(it);
      expect([reopened({ ...kept, born }), reopened({ ...kept, born: null }), reopened(kept)]).toEqual([
        "ask grant-stale",
        "allow in-grant",
        "allow in-grant",
      ]);
    }));
});

describe("the same directory stays granted", () => {
  const changes: readonly [string, (it: Place) => void][] = [
    ["a file is added", (it) => writeFileSync(it.path("lib/new.ts"), "x")],
    ["a directory is added", (it) => mkdirSync(it.path("lib/new"))],
    ["its mode is changed", (it) => chmodSync(it.path("lib"), 0o700)],
    ["it is touched, to the past and to the future", (it) => [1, 4_000_000_000].forEach((time) => utimesSync(it.path("lib"), time, time))],
    [
      "it is moved away and back",
      (it) => {
        renameSync(it.path("lib"), it.path("elsewhere"));
        renameSync(it.path("elsewhere"), it.path("lib"));
      },
    ],
    [
      "what holds it is moved away and back",
      (it) => {
        renameSync(it.root, `${it.root}-away`);
        renameSync(`${it.root}-away`, it.root);
      },
    ],
  ];
  test.each(changes)("%s", async (_title, change) => {
    const it = place(soil ?? "/tmp");
    const session = it.granted();
    const mounted = addRoot(it.session, it.path("lib"), "extend");
    if (!mounted.ok) throw new Error(mounted.message);
    const before = statSync(it.path("lib"));
    await sleep(30);
    change(it);
    expect(statSync(it.path("lib")).ctimeMs).toBeGreaterThanOrEqual(before.ctimeMs);
    expect(it.words("lib/a.ts", session)).toBe("allow in-grant");
    expect(it.words("lib/a.ts", mounted.session)).toBe("allow in-mount");
  });

  test("its birth was kept, where the file system keeps one", () => {
    const it = place(soil ?? "/tmp");
    const { birthtimeMs } = statSync(it.path("lib"));
    const [grant] = it.granted().grants;
    expect(grant?.until === "session" && grant.root.born).toBe(birthtimeMs === 0 ? null : birthtimeMs);
  });
});
