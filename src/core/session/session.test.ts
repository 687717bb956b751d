// Opening a session, its mounts and its workspace: what may be a root, and what a change of roots takes away.

import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asNobody, grow, canBecomeNobody, nothingStaysPinned, NOW, policyOf, scene } from "../../../test/scene.ts";
import type { Tree } from "../../../test/tree.ts";
import { askId, callId, grantId, type RealDir, type RealPath, sessionId } from "../names.ts";
import { compilePolicy } from "../policy/compile.ts";
import { emptyPolicy } from "../policy/rule.ts";
import type { CallGrant, SessionGrant } from "./grant.ts";
import { addRoot, listRoots, openSession, type OpenedSession, reanchor, removeRoot, type Session } from "./session.ts";

nothingStaysPinned();

const identity = (dir: string) => {
  const { dev, ino, birthtimeMs } = statSync(dir);
  return { dir: dir as RealDir, dev, ino, born: birthtimeMs === 0 ? null : birthtimeMs };
};

function opened(opening: OpenedSession): Session {
  if (!opening.ok) throw new Error(opening.message);
  return opening.session;
}

const refused = (opening: OpenedSession) => (opening.ok ? "opened" : opening.code);

describe("opening a session", () => {
  const it = grow(["ws/", "home/inner/", "real/", "link => real", "loop => loop", "dangling => nowhere", "file: x"]);
  const home = it.path("home");
  const open = (workspace: string) => openSession({ workspace, home });

  test("a session on a directory has nothing but what was said, and the default ceilings that exist", () => {
    const policy = compilePolicy(emptyPolicy, home);
    expect(openSession({ workspace: it.path("ws"), home, policy })).toEqual({
      ok: true,
      session: {
        id: sessionId("session"),
        workspace: { from: "workspace", ...identity(it.path("ws")) },
        mounts: [],
        grants: [],
        network: [],
        projects: [],
        ceilings: [home, "/opt"].filter((dir) => statSync(dir, { throwIfNoEntry: false }) !== undefined),
        home,
        policy,
        attended: true,
      },
    });
  });

  test("what is said in the plan is in the session", () => {
    const session = opened(
      openSession({
        id: "mine",
        workspace: it.path("ws"),
        home,
        mounts: [{ path: it.path("real"), mode: "read_only" }],
        projects: [it.path("link")],
        ceilings: [it.root],
        attended: false,
      }),
    );
    expect({ ...session, policy: null }).toEqual({
      id: sessionId("mine"),
      workspace: { from: "workspace", ...identity(it.path("ws")) },
      mounts: [{ from: "mount", mode: "read_only", ...identity(it.path("real")) }],
      grants: [],
      network: [],
      projects: [it.path("real")],
      ceilings: [it.root],
      home,
      policy: null,
      attended: false,
    });
  });

  test("without a policy the balanced default judges: secrets are known, nothing else is said", () => {
    const { policy } = opened(open(it.path("ws")));
    expect(policy.policy).toEqual(emptyPolicy);
    expect(policy.secrets.find(it.path("ws/.env"))).not.toBeNull();
  });

  test("a workspace reached through a link is the directory the link leads to", () => {
    expect(opened(open(it.path("link"))).workspace).toEqual({ from: "workspace", ...identity(it.path("real")) });
  });

  test.each([
    ["a directory that is not there", "missing", "not-found"],
    ["a link that leads nowhere", "dangling", "not-found"],
    ["a file", "file", "not-directory"],
    ["a link in a circle", "loop", "symlink-loop"],
    ["the root of the machine", "/", "root-too-broad"],
    ["the root of the machine in another spelling", "/tmp/..", "root-too-broad"],
    ["a directory that holds the home directory", "$ROOT", "root-too-broad"],
    ["/proc", "/proc", "root-too-broad"],
    ["a directory in /proc", "/proc/self/fd", "root-too-broad"],
    ["/sys", "/sys", "root-too-broad"],
    ["/dev", "/dev", "root-too-broad"],
    ["/etc", "/etc", "root-too-broad"],
    ["/usr", "/usr", "root-too-broad"],
  ])("%s cannot be a workspace", (_title, path, code) => {
    expect(refused(open(it.path(path)))).toBe(code);
  });

  test.each([
    ["a relative path", "ws"],
    ["a path from `~`", "~/inner"],
    ["an empty path", ""],
    ["a path with a NUL", "/tmp\0/x"],
    ["half a surrogate pair", "/tmp/\ud800"],
    ["a number", 7 as unknown as string],
    ["nothing", undefined as unknown as string],
  ])("%s cannot be a workspace: it is no absolute path", (_title, path) => {
    expect(refused(open(path))).toBe("invalid-path");
  });

  test.each([
    ["a missing directory", "missing", "not-found", "there is no directory PATH"],
    ["a file", "file", "not-directory", "PATH is not a directory"],
    ["a circle of links", "loop", "symlink-loop", "PATH cannot be a root: its links form a loop"],
  ])("the refusal of %s says which path and why", (_title, path, code, why) => {
    expect(open(it.path(path))).toEqual({ ok: false, code, message: why.replace("PATH", `\`${it.path(path)}\``) });
  });

  test("what cannot be shown as it is, is shown escaped in the refusal", () => {
    expect(open("/tmp/\u202e\0")).toEqual({ ok: false, code: "invalid-path", message: "`/tmp/\\u{202e}\\u{0}` is not a path" });
    expect(open("a\nb")).toEqual({ ok: false, code: "invalid-path", message: "a root must be an absolute path; found `a\\u{a}b`" });
    expect(open("/")).toEqual({
      ok: false,
      code: "root-too-broad",
      message: "`/` is too broad to be a root; choose a directory inside it",
    });
  });

  test("the root of the machine cannot be a workspace, even where it is the home directory", () => {
    expect(refused(openSession({ workspace: "/", home: "/" }))).toBe("root-too-broad");
    expect(refused(openSession({ workspace: it.path("ws"), home: "/" }))).toBe("opened");
  });

  test("the home directory itself, and what lies in it, can be a workspace", () => {
    expect(refused(open(home))).toBe("opened");
    expect(refused(open(it.path("home/inner")))).toBe("opened");
  });

  test.skipIf(!canBecomeNobody)("a directory the system does not let us into cannot be a workspace", () => {
    const shut = grow(["shut/ws/"]);
    chmodSync(join(shut.root, ".."), 0o755);
    chmodSync(shut.path("shut"), 0o700);
    expect(asNobody(() => refused(open(shut.path("shut/ws"))))).toBe("os-denied");
  });

  test("a home that is reached through a link is known by its real name", () => {
    const other = grow(["data/ada/", "home => data", "data/ada/ws/"]);
    const session = opened(openSession({ workspace: other.path("data/ada/ws"), home: other.path("home/ada") }));
    expect(session.home).toBe(other.path("data/ada"));
    expect(refused(openSession({ workspace: other.path("data"), home: other.path("home/ada") }))).toBe("root-too-broad");
  });

  test("a home that does not exist is kept as it was given", () => {
    expect(opened(openSession({ workspace: it.path("ws"), home: "/nonexistent" })).home).toBe("/nonexistent");
  });

  test("projects and ceilings that are not there, or are no absolute paths, are left out", () => {
    const odd = [it.path("missing"), "real", "src", ".", "~/real", "/tmp\0", it.path("file"), it.path("real")];
    const session = opened(openSession({ workspace: it.path("ws"), home, projects: odd, ceilings: odd }));
    expect(session.projects).toEqual([it.path("real")]);
    expect(session.ceilings).toEqual([it.path("real")]);
  });

  test("the policy's ceilings hold unless the plan has its own, and its projects are added", () => {
    const policy = policyOf({ ceilings: [it.path("real")], projects: [it.path("home/inner")] }, home);
    const plan = { workspace: it.path("ws"), home, policy, projects: [it.path("real")] };
    expect(opened(openSession(plan)).ceilings).toEqual([it.path("real")]);
    expect(opened(openSession(plan)).projects).toEqual([it.path("real"), it.path("home/inner")]);
    expect(opened(openSession({ ...plan, ceilings: [it.root] })).ceilings).toEqual([it.root]);
  });

  test("a mount that cannot be made refuses the whole session, also when others follow it", () => {
    const mounts = ["ws", "missing", "real"].map((path) => ({ path: it.path(path), mode: "extend" as const }));
    expect(openSession({ workspace: it.path("ws"), home, mounts })).toEqual({
      ok: false,
      code: "not-found",
      message: `there is no directory \`${it.path("missing")}\``,
    });
  });
});

describe("mounting and unmounting", () => {
  const spec = ["one/", "two/", "to-one => one", "file: x", "next/"];

  test("mounts keep their order and their modes", () => {
    const it = scene(spec);
    const one = opened(addRoot(it.session, it.path("one"), "read_only"));
    const both = opened(addRoot(one, it.path("two"), "sandboxed"));
    expect(both).toEqual({
      ...it.session,
      mounts: [
        { from: "mount", mode: "read_only", ...identity(it.path("one")) },
        { from: "mount", mode: "sandboxed", ...identity(it.path("two")) },
      ],
    });
    expect(it.session.mounts).toEqual([]);
  });

  test("mounting the same directory again, even through a link, changes its mode", () => {
    const it = scene(spec, { mounts: [{ path: "one", mode: "read_only" }] });
    expect(opened(addRoot(it.session, it.path("to-one"), "extend")).mounts).toEqual([
      { from: "mount", mode: "extend", ...identity(it.path("one")) },
    ]);
  });

  test.each([
    ["one that is not there", "missing", "not-found"],
    ["a file", "file", "not-directory"],
    ["the root of the machine", "/", "root-too-broad"],
    ["what holds the home directory", "$ROOT", "root-too-broad"],
    ["a relative path", "", "invalid-path"],
  ])("%s cannot be mounted", (_title, path, code) => {
    const it = scene(spec);
    expect(refused(addRoot(it.session, path === "" ? "one" : it.path(path), "extend"))).toBe(code);
  });

  test("unmounting takes out that one, by any name of it; unmounting what is not mounted is fine", () => {
    const it = scene(spec, {
      mounts: [
        { path: "one", mode: "extend" },
        { path: "two", mode: "extend" },
      ],
    });
    expect(removeRoot(it.session, it.path("to-one")).mounts).toEqual([{ from: "mount", mode: "extend", ...identity(it.path("two")) }]);
    expect(removeRoot(it.session, it.path("next"))).toEqual(it.session);
    expect(removeRoot(it.session, it.path("missing"))).toEqual(it.session);
    expect(removeRoot(it.session, "\0")).toEqual(it.session);
  });

  test("a mount whose directory is gone can still be unmounted by its name", () => {
    const it = scene(spec);
    const gone = { ...identity(it.path("one")), from: "mount" as const, mode: "extend" as const, dir: it.path("was-here") as RealDir };
    expect(removeRoot({ ...it.session, mounts: [gone] }, it.path("was-here")).mounts).toEqual([]);
  });
});

describe("moving the workspace", () => {
  test("mounts stay, relative paths start at the new place", () => {
    const it = scene(["ws/a: 1", "next/b: 2", "to-next => next", "lib/"], { mounts: [{ path: "lib", mode: "read_only" }] });
    const moved = opened(reanchor(it.session, it.path("to-next")));
    expect(moved).toEqual({ ...it.session, workspace: { from: "workspace", ...identity(it.path("next")) } });
    expect(it.judge("read", "b", moved).real).toBe(it.path("next/b"));
  });

  test("what cannot be a workspace does not become one", () => {
    const it = scene(["file: x"]);
    expect(refused(reanchor(it.session, it.path("missing")))).toBe("not-found");
    expect(refused(reanchor(it.session, it.path("file")))).toBe("not-directory");
    expect(refused(reanchor(it.session, it.root))).toBe("root-too-broad");
    expect(refused(reanchor(it.session, "ws"))).toBe("invalid-path");
  });
});

describe("grants and changes of roots", () => {
  const callGrant = (it: Tree): CallGrant => ({
    id: grantId("g1"),
    answers: askId("a1"),
    by: "ada",
    at: NOW,
    until: "call",
    call: callId("c1"),
    right: "read",
    path: it.path("lib/x") as RealPath,
    operation: "read",
    offers: "once",
  });
  const sessionGrant = (it: Tree, id: string, expires: number | null = null): SessionGrant => ({
    id: grantId(id),
    answers: askId("a2"),
    by: "ada",
    at: NOW,
    until: "session",
    right: "read",
    root: { from: "grant", ...identity(it.path("lib")), grant: grantId(id), expires },
  });

  test.each([
    ["mounting", (session: Session, path: string) => opened(addRoot(session, path, "extend"))],
    ["unmounting", (session: Session, path: string) => removeRoot(session, path)],
    ["moving the workspace", (session: Session, path: string) => opened(reanchor(session, path))],
  ])("%s clears what was answered for one call, and keeps what was granted for the session", (_title, change) => {
    const it = scene(["lib/x: 1", "other/"]);
    const session = { ...it.session, grants: [callGrant(it), sessionGrant(it, "g2")] };
    expect(change(session, it.path("other")).grants).toEqual([sessionGrant(it, "g2")]);
  });

  test("the roots are the workspace, the mounts and the session grants whose time is not over", () => {
    const it = scene(["lib/x: 1", "other/"], { mounts: [{ path: "other", mode: "read_only" }] });
    const grants = [
      callGrant(it),
      sessionGrant(it, "for-ever"),
      sessionGrant(it, "a-moment-left", NOW + 1),
      sessionGrant(it, "over-now", NOW),
      sessionGrant(it, "long-over", NOW - 1000),
    ];
    const roots = listRoots({ ...it.session, grants }, () => NOW);
    expect(roots).toEqual([
      it.session.workspace,
      { from: "mount", mode: "read_only", ...identity(it.path("other")) },
      sessionGrant(it, "for-ever").root,
      sessionGrant(it, "a-moment-left", NOW + 1).root,
    ]);
  });

  test("without a clock of its own it is the machine's time that counts", () => {
    const it = scene(["lib/x: 1"]);
    const grants = [sessionGrant(it, "later", Date.now() + 60_000), sessionGrant(it, "before", Date.now() - 60_000)];
    expect(listRoots({ ...it.session, grants }).map(({ from }) => from)).toEqual(["workspace", "grant"]);
  });
});
