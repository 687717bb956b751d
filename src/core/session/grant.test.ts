// What a yes makes, and when it makes nothing: the directory that is granted is the directory that was shown (F-6, F-7, G-4, G-7).

import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { counter, nothingStaysPinned, NOW, scene, type Scene } from "../../../test/scene.ts";
import { askId, callId, grantId, type RealDir, type RealPath } from "../names.ts";
import type { Answer, Ask } from "./ask.ts";
import { reopenGrants, revoke, revokeAll, settle, type SessionGrant, type SettleResult } from "./grant.ts";
import type { Session } from "./session.ts";

nothingStaysPinned();

const spec = [
  "ws/main.ts: 1",
  "lib/.git/HEAD: x",
  "lib/src/a.ts: A",
  "lib/b.ts: B",
  "lib/.env: S",
  "$OUT/other/.git/",
  "$OUT/other/a.ts: O",
];
const yes = (until: "call" | "session", expires?: number): Answer => ({
  verdict: "allow",
  until,
  by: "ada",
  ...(expires === undefined ? {} : { expires }),
});
const passes = () => true;
const ports = () => ({ clock: () => NOW + 5, ids: counter(), passes });

function askFor(it: Scene, path = "lib/src/a.ts", session: Session = it.session): Ask {
  const decision = it.judge("read", it.path(path), session);
  if (decision.verdict !== "ask") throw new Error(`not asked: ${decision.reason}`);
  return decision.ask;
}

function granted(settled: SettleResult): Session {
  if (!settled.ok) throw new Error(settled.message);
  return settled.session;
}

const identity = (dir: string) => {
  const { dev, ino, birthtimeMs } = statSync(dir);
  return { dev, ino, born: birthtimeMs === 0 ? null : birthtimeMs };
};

const sessionGrant = (dir: string, id: string, expires: number | null = null): SessionGrant => ({
  id: grantId(id),
  answers: askId("id-1"),
  by: "ada",
  at: NOW + 5,
  until: "session",
  right: "read",
  root: { from: "grant", dir: dir as RealDir, ...identity(dir), grant: grantId(id), expires },
});

describe("an answer to an ask", () => {
  test("the ask shows the path as asked, what it really is, and the repository a yes would open", () => {
    const it = scene([...spec, "ws/to-lib => ../lib"]);
    expect(it.judge("read", "to-lib/src/a.ts")).toMatchObject({
      ask: {
        id: askId("id-1"),
        session: it.session.id,
        call: callId("call-1"),
        tool: "test",
        requested: "to-lib/src/a.ts",
        path: it.path("lib/src/a.ts"),
        reason: "out-of-scope",
        at: NOW,
        offers: "session",
        right: "read",
        proposal: { dir: it.path("lib"), ...identity(it.path("lib")), because: ".git" },
        survey: { repositories: 0, secrets: 1, files: 2, worktree: false, submodule: false, complete: true },
      },
    });
  });

  test("a yes for the session grants the repository for reading, and the access now passes", () => {
    const it = scene(spec);
    const settled = settle(it.session, askFor(it), yes("session"), ports());
    const grant = sessionGrant(it.path("lib"), "id-1");
    expect(settled).toEqual({ ok: true, grant, session: { ...it.session, grants: [grant] } });
    const session = granted(settled);
    expect(it.words("read", it.path("lib/src/a.ts"), session)).toBe("allow in-grant");
    expect(it.words("read", it.path("lib/b.ts"), session)).toBe("allow in-grant");
    expect(it.words("read", it.path("lib/src/a.ts"))).toBe("ask out-of-scope");
  });

  test("a grant never writes, and its secrets stay shut", () => {
    const it = scene(spec);
    const session = granted(settle(it.session, askFor(it), yes("session"), ports()));
    for (const operation of ["create", "replace", "remove"] as const) {
      expect(it.words(operation, it.path("lib/b.ts"), session)).toBe("deny read-only-grant");
      expect(it.words(operation, it.path("lib/new.ts"), session)).toBe("deny read-only-grant");
    }
    expect(it.words("read", it.path("lib/.env"), session)).toBe("deny secret-file");
  });

  test("a yes for this call opens this path in this call, for reading, and nothing else", () => {
    const it = scene(spec);
    const settled = settle(it.session, askFor(it), yes("call"), ports());
    const session = granted(settled);
    expect(settled).toEqual({
      ok: true,
      grant: session.grants[0],
      session: {
        ...it.session,
        grants: [
          {
            id: grantId("id-1"),
            answers: askId("id-1"),
            by: "ada",
            at: NOW + 5,
            until: "call",
            call: callId("call-1"),
            right: "read",
            path: it.path("lib/src/a.ts") as RealPath,
            operation: "read",
            offers: "session",
          },
        ],
      },
    });
    expect(it.words("read", it.path("lib/src/a.ts"), session)).toBe("allow answered");
    expect(it.words("read", it.path("lib/b.ts"), session)).toBe("ask out-of-scope");
    expect(it.words("replace", it.path("lib/src/a.ts"), session)).toBe("deny write-out-of-scope");
    expect(it.judge("read", it.path("lib/src/a.ts"), session, "call-2").verdict).toBe("ask");
  });

  test("a no makes nothing, and its note is for the model", () => {
    const it = scene(spec);
    const ask = askFor(it);
    expect(settle(it.session, ask, { verdict: "deny", by: "ada", note: "use the published package" }, ports())).toEqual({
      ok: false,
      code: "person-declined",
      message: "use the published package",
    });
    expect(settle(it.session, ask, { verdict: "deny", by: "ada", stop: true }, ports())).toEqual({
      ok: false,
      code: "person-declined",
      message: "the person said no",
    });
  });

  test("an ask that offers only once cannot be answered for the session", () => {
    const it = scene(spec, { policy: { preset: "strict" } });
    const ask = askFor(it);
    expect(ask.offers).toBe("once");
    expect(settle(it.session, ask, yes("session"), ports())).toEqual({
      ok: false,
      code: "bad-request",
      message: "this ask offers only this path, once",
    });
    expect(it.words("read", it.path("lib/src/a.ts"), granted(settle(it.session, ask, yes("call"), ports())))).toBe("allow answered");
  });

  test("a yes to a write is for this call and this path", () => {
    const it = scene(spec, { policy: { write: { "$ROOT/lib/**": "ask" } } });
    const decision = it.judge("replace", it.path("lib/b.ts"));
    if (decision.verdict !== "ask") throw new Error(decision.reason);
    expect(settle(it.session, decision.ask, yes("session"), ports())).toMatchObject({ ok: false, code: "bad-request" });
    const session = granted(settle(it.session, decision.ask, yes("call"), ports()));
    expect(it.words("replace", it.path("lib/b.ts"), session)).toBe("allow answered");
    expect(it.words("remove", it.path("lib/b.ts"), session)).toBe("allow answered");
    expect(it.words("replace", it.path("lib/src/a.ts"), session)).toBe("ask policy-ask");
    expect(it.words("read", it.path("lib/b.ts"), session)).toBe("ask out-of-scope");
  });

  test("a yes after which the access would still not pass grants nothing", () => {
    const it = scene(spec);
    const settled = settle(it.session, askFor(it), yes("session"), { ...ports(), passes: () => false });
    expect(settled).toMatchObject({ ok: false, code: "grant-changed" });
  });

  test("a second yes for the same repository takes the place of the first", () => {
    const it = scene([...spec, "two/.git/", "two/a: 1"]);
    const { clock, ids } = ports();
    const first = granted(settle(it.session, askFor(it), yes("session"), { clock, ids, passes }));
    const once = granted(settle(first, askFor(it, "two/a"), yes("call"), { clock, ids, passes }));
    const two = granted(settle(once, askFor(it, "two/a"), yes("session"), { clock, ids, passes }));
    const again = granted(settle(two, askFor(it, "lib/b.ts"), yes("session", NOW + 60_000), { clock, ids, passes }));
    expect(again.grants.map(({ id, until }) => [id, until])).toEqual([
      ["id-2", "call"],
      ["id-3", "session"],
      ["id-4", "session"],
    ]);
  });

  test("a grant with an end is over at that moment", () => {
    const it = scene(spec);
    const session = granted(settle(it.session, askFor(it), yes("session", NOW + 60_000), ports()));
    expect(session.grants).toEqual([sessionGrant(it.path("lib"), "id-1", NOW + 60_000)]);
    const over = granted(settle(it.session, askFor(it), yes("session", NOW), ports()));
    expect(it.words("read", it.path("lib/b.ts"), session)).toBe("allow in-grant");
    expect(it.words("read", it.path("lib/b.ts"), over)).toBe("ask out-of-scope");
  });
});

describe("what changed while the person was thinking", () => {
  const changed = { ok: false, code: "grant-changed", message: "what a yes would open is no longer what was shown; ask again" };
  const cases: readonly [string, (it: Scene) => void][] = [
    ["the marker was taken away", (it) => rmSync(it.path("lib/.git"), { recursive: true })],
    ["a nearer marker was put there", (it) => writeFileSync(it.path("lib/src/go.mod"), "m")],
    [
      "another directory stands in its place",
      (it) => {
        renameSync(it.path("lib"), it.path("lib-before"));
        mkdirSync(it.path("lib/.git"), { recursive: true });
        mkdirSync(it.path("lib/src"));
      },
    ],
    [
      "a link to another repository stands in its place",
      (it) => {
        renameSync(it.path("lib"), it.path("lib-before"));
        symlinkSync(it.path("$OUT/other"), it.path("lib"));
      },
    ],
    ["it is gone", (it) => rmSync(it.path("lib"), { recursive: true })],
  ];
  test.each(cases)("%s: nothing is granted", (_title, change) => {
    const it = scene(spec);
    const ask = askFor(it);
    change(it);
    expect(settle(it.session, ask, yes("session"), ports())).toEqual(changed);
  });

  test("a project that was registered meanwhile is wider than what was shown: nothing is granted", () => {
    const it = scene([...spec, "all/lib/.git/", "all/lib/a: 1"]);
    const ask = askFor(it, "all/lib/a");
    expect(settle({ ...it.session, projects: [it.path("all") as RealDir] }, ask, yes("session"), ports())).toEqual(changed);
  });

  test("an ask whose proposal was tampered with grants nothing", () => {
    const it = scene(spec);
    const ask = askFor(it);
    if (ask.offers !== "session") throw new Error("offers once");
    const { dev, ino, born } = ask.proposal;
    const forged = (proposal: object): Ask => ({ ...ask, proposal: { ...ask.proposal, ...proposal } });
    for (const proposal of [{ dir: it.path("$OUT/other") }, { dev: dev + 1 }, { ino: ino + 1 }, { born: (born ?? 0) - 1 }])
      expect(settle(it.session, forged(proposal), yes("session"), ports())).toEqual(changed);
  });

  test("a file that was replaced is no matter: the repository is what was shown", () => {
    const it = scene(spec);
    const ask = askFor(it);
    rmSync(it.path("lib/src/a.ts"));
    writeFileSync(it.path("lib/src/a.ts"), "new");
    expect(settle(it.session, ask, yes("session"), ports()).ok).toBe(true);
  });
});

describe("a grant whose directory was replaced", () => {
  test("is stale: the next read asks again, and says why; without the guard the other directory would have been read", () => {
    const it = scene(spec);
    const session = granted(settle(it.session, askFor(it), yes("session"), ports()));
    renameSync(it.path("lib"), it.path("lib-before"));
    renameSync(it.path("$OUT/other"), it.path("lib"));
    const decision = it.judge("read", it.path("lib/a.ts"), session);
    expect([decision.verdict, decision.reason, decision.root]).toEqual(["ask", "grant-stale", null]);
    expect(readFileSync(it.path("lib/a.ts"), "utf8")).toBe("O");
  });

  test("is of no use through a link in its place: what the link leads to is judged", () => {
    const it = scene(spec);
    const session = granted(settle(it.session, askFor(it), yes("session"), ports()));
    renameSync(it.path("lib"), it.path("lib-before"));
    symlinkSync(it.path("$OUT/other"), it.path("lib"));
    expect(it.words("read", it.path("lib/a.ts"), session)).toBe("deny out-of-whitelist");
  });
});

describe("ending grants", () => {
  test("a revoked grant is gone for the next read, the others stay", () => {
    const it = scene([...spec, "two/.git/", "two/a: 1"]);
    const { clock, ids } = ports();
    const one = granted(settle(it.session, askFor(it), yes("session"), { clock, ids, passes }));
    const both = granted(settle(one, askFor(it, "two/a"), yes("session"), { clock, ids, passes }));
    const left = revoke(both, grantId("id-1"));
    expect(left).toEqual({ ...both, grants: [both.grants[1]] });
    expect(it.words("read", it.path("lib/b.ts"), left)).toBe("ask out-of-scope");
    expect(it.words("read", it.path("two/a"), left)).toBe("allow in-grant");
    expect(it.words("read", it.path("lib/b.ts"), both)).toBe("allow in-grant");
  });

  test("revoking what is not there changes nothing; revoking all leaves none", () => {
    const it = scene(spec);
    const session = granted(settle(it.session, askFor(it), yes("session"), ports()));
    expect(revoke(session, grantId("unknown"))).toEqual(session);
    expect(revokeAll(session)).toEqual({ ...session, grants: [] });
  });
});

describe("grants read back from a store", () => {
  const stored = (dir: string, id: string): SessionGrant => ({ ...sessionGrant(dir, id), answers: askId("stored"), by: "store" });

  test("each is resolved again, once, and what is lost is told", () => {
    const it = scene([...spec, "to-lib => lib", "file: x"]);
    const lost = [it.path("missing"), it.path("file"), "relative", "src", ".", "/", "", "/tmp\0", "/tmp/.."];
    const paths = [it.path("lib"), ...lost, it.path("$OUT/other"), it.path("lib"), it.path("ws/../lib"), it.path("to-lib")];
    const reopened = reopenGrants(it.session, paths, ports());
    expect(reopened).toEqual({
      session: { ...it.session, grants: [stored(it.path("lib"), "id-1"), stored(it.path("$OUT/other"), "id-2")] },
      lost,
    });
    expect(it.words("read", it.path("lib/b.ts"), reopened.session)).toBe("allow in-grant");
    expect(it.words("replace", it.path("lib/b.ts"), reopened.session)).toBe("deny read-only-grant");
  });

  test("grants the session has already stay, with what was answered for one call", () => {
    const it = scene(spec);
    const session = granted(settle(it.session, askFor(it), yes("call"), ports()));
    const reopened = reopenGrants(session, [it.path("$OUT/other")], { clock: () => NOW + 5, ids: () => "id-9" });
    expect(reopened.session.grants).toEqual([...session.grants, stored(it.path("$OUT/other"), "id-9")]);
  });

  const kept = (it: Scene, path: string, changes: object = {}) => ({
    id: grantId("kept"),
    ask: askId("asked"),
    path: it.path(path),
    ...identity(it.path(path)),
    by: "ada",
    at: NOW,
    expires: null,
    ...changes,
  });

  test("a grant stored with its identity comes back as it was, with its end", () => {
    const it = scene(spec);
    const { session, lost } = reopenGrants(it.session, [kept(it, "lib", { expires: NOW + 60_000 })], ports());
    expect(lost).toEqual([]);
    expect(session.grants).toEqual([{ ...sessionGrant(it.path("lib"), "kept", NOW + 60_000), answers: askId("asked"), at: NOW }]);
    expect(it.words("read", it.path("lib/b.ts"), session)).toBe("allow in-grant");
  });

  test("one whose directory was replaced comes back stale: it opens nothing of what stands there now", () => {
    const it = scene(spec);
    const before = kept(it, "lib");
    renameSync(it.path("lib"), it.path("lib-before"));
    renameSync(it.path("$OUT/other"), it.path("lib"));
    const { session } = reopenGrants(it.session, [before], ports());
    expect(it.words("read", it.path("lib/a.ts"), session)).toBe("ask grant-stale");
  });

  test("one that is reached through a link by now is lost, and so is one that is gone", () => {
    const it = scene(spec);
    const before = kept(it, "lib");
    renameSync(it.path("lib"), it.path("lib-before"));
    expect(reopenGrants(it.session, [before], ports())).toEqual({ session: it.session, lost: [it.path("lib")] });
    symlinkSync(it.path("$OUT/other"), it.path("lib"));
    expect(reopenGrants(it.session, [before], ports())).toEqual({ session: it.session, lost: [it.path("lib")] });
  });

  test("a yes for one call comes back for that call, if its path is still one without links", () => {
    const it = scene([...spec, "lib/l => b.ts", "lib/loop => loop"]);
    const yesTo = (path: string, right: "read" | "write") => {
      const operation = right === "read" ? ("read" as const) : ("replace" as const);
      return { call: callId("call-1"), ask: askId("a"), right, path, operation, offers: "once" as const, by: "ada", at: NOW };
    };
    const once = [
      yesTo(it.path("lib/b.ts"), "read"),
      yesTo(it.path("lib/l"), "read"),
      yesTo(it.path("lib/new.ts"), "write"),
      yesTo("lib/b.ts", "read"),
      yesTo(it.path("lib/loop/x"), "read"),
      yesTo(it.path("lib/l"), "write"),
    ];
    const { session } = reopenGrants(it.session, [], { ...ports(), once });
    const common = { answers: askId("a"), by: "ada", at: NOW, until: "call", call: callId("call-1"), offers: "once" };
    expect(session.grants).toEqual([
      { ...common, id: grantId("id-1"), right: "read", operation: "read", path: it.path("lib/b.ts") },
      { ...common, id: grantId("id-2"), right: "write", operation: "replace", path: it.path("lib/new.ts") },
      { ...common, id: grantId("id-3"), right: "read", operation: "read", path: it.path("lib/loop/x") },
      { ...common, id: grantId("id-4"), right: "write", operation: "replace", path: it.path("lib/l") },
    ]);
    expect(it.words("read", it.path("lib/loop/x"), session)).toBe("deny symlink-loop");
    expect(it.words("replace", it.path("lib/l"), session)).toBe("deny symlink-write");
    expect(it.words("read", it.path("lib/b.ts"), session)).toBe("allow answered");
    expect(it.words("create", it.path("lib/new.ts"), session)).toBe("allow answered");
    expect(it.judge("read", it.path("lib/b.ts"), session, "call-2").verdict).toBe("ask");
  });

  test("nothing stored, nothing changed", () => {
    const it = scene(spec);
    expect(reopenGrants(it.session, [], ports())).toEqual({ session: it.session, lost: [] });
  });
});
