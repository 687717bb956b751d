// Which root holds a path, and whether it gives the right that is wanted. No disk.

import { describe, expect, test } from "vitest";
import { nothingStaysPinned, NOW, scene } from "../../../test/scene.ts";
import type { Right } from "../access.ts";
import { askId, callId, grantId, type RealDir, type RealPath } from "../names.ts";
import { gives, type Root } from "./root.ts";
import { Scope, scopeOf } from "./scope.ts";

nothingStaysPinned();

const at = (dir: string) => ({ dir: dir as RealDir, dev: 1, ino: 1, born: null });
const workspace = (dir: string): Root => ({ from: "workspace", ...at(dir) });
const mount = (dir: string, mode: "read_only" | "extend" | "sandboxed"): Root => ({ from: "mount", mode, ...at(dir) });
const grant = (dir: string): Root => ({ from: "grant", grant: grantId("g"), expires: null, ...at(dir) });

describe("what a root gives", () => {
  test.each<[string, Root, readonly Right[]]>([
    ["the workspace is read and written", workspace("/w"), ["read", "write"]],
    ["a mount that extends is read and written", mount("/m", "extend"), ["read", "write"]],
    ["a sandboxed mount is read and written", mount("/m", "sandboxed"), ["read", "write"]],
    ["a read-only mount is read", mount("/m", "read_only"), ["read"]],
    ["a grant is read, by its very type", grant("/g"), ["read"]],
  ])("%s", (_title, root, rights) => {
    expect((["read", "write"] as const).filter((right) => gives(root, right))).toEqual(rights);
  });
});

describe("the root that holds a path", () => {
  const ws = workspace("/home/ada/ws");
  const granted = grant("/home/ada/lib");
  const cases: readonly [string, readonly Root[], string, Right, Root | null][] = [
    ["the workspace itself", [ws], "/home/ada/ws", "read", ws],
    ["a file deep in the workspace", [ws], "/home/ada/ws/a/b/c", "write", ws],
    ["a neighbour whose name begins alike is in no root", [ws], "/home/ada/ws-evil/x", "read", null],
    ["what holds the workspace is in no root", [ws], "/home/ada", "read", null],
    ["the root of the machine is in no root", [ws], "/", "read", null],
    ["a file in a grant", [ws, granted], "/home/ada/lib/x", "read", granted],
    ["a write in a grant finds the grant, which will refuse it", [ws, granted], "/home/ada/lib/x", "write", granted],
    ["a grant around the workspace leaves the workspace writable", [ws, grant("/home/ada")], "/home/ada/ws/x", "write", ws],
    ["a grant around the workspace is nearest outside it", [ws, grant("/home/ada")], "/home/ada/other", "read", grant("/home/ada")],
    ["a grant inside the workspace takes nothing away", [ws, grant("/home/ada/ws/sub")], "/home/ada/ws/sub/x", "write", ws],
    ["a read inside both is the nearer one's", [ws, grant("/home/ada/ws/sub")], "/home/ada/ws/sub/x", "read", grant("/home/ada/ws/sub")],
    [
      "a read-only mount inside the workspace is not written",
      [ws, mount("/home/ada/ws/m", "read_only")],
      "/home/ada/ws/m/x",
      "write",
      mount("/home/ada/ws/m", "read_only"),
    ],
    [
      "a mount that extends, inside one that is for reading, is written",
      [ws, mount("/home/ada/ws/m", "read_only"), mount("/home/ada/ws/m/out", "extend")],
      "/home/ada/ws/m/out/x",
      "write",
      mount("/home/ada/ws/m/out", "extend"),
    ],
    [
      "a grant in a read-only mount inside the workspace opens no way around it",
      [ws, mount("/home/ada/ws/m", "read_only"), grant("/home/ada/ws/m/sub")],
      "/home/ada/ws/m/sub/x",
      "write",
      grant("/home/ada/ws/m/sub"),
    ],
    ["the workspace inside a read-only mount is written", [ws, mount("/home/ada", "read_only")], "/home/ada/ws/x", "write", ws],
    ["of two that do not give the right the nearer speaks", [grant("/g/in"), mount("/g", "read_only")], "/g/in/x", "write", grant("/g/in")],
    [
      "a mount and a grant on one directory: whichever gives the right",
      [grant("/g"), mount("/g", "extend")],
      "/g/x",
      "write",
      mount("/g", "extend"),
    ],
    ["on one directory the first speaks for a read", [mount("/g", "extend"), grant("/g")], "/g/x", "read", mount("/g", "extend")],
    ["on one directory the first speaks when none gives the right", [grant("/g"), mount("/g", "read_only")], "/g/x", "write", grant("/g")],
    ["a root at the top of the machine holds everything", [workspace("/")], "/any/where", "write", workspace("/")],
  ];
  test.each(cases)("%s", (_title, roots, path, right, expected) => {
    expect(new Scope(roots).find(path, right, () => true)).toEqual(expected);
  });

  test("a root that cannot be used is passed over for the next one up", () => {
    const roots = [grant("/g/in"), grant("/g")];
    const asked: string[] = [];
    const found = new Scope(roots).find("/g/in/x", "read", (root) => {
      asked.push(root.dir);
      return root.dir === "/g";
    });
    expect(found).toEqual(grant("/g"));
    expect(asked).toEqual(["/g/in", "/g"]);
    expect(new Scope(roots).find("/g/in/x", "read", () => false)).toBeNull();
  });
});

test("a session's scope is its workspace, mounts and session grants; what was answered for one call is no root", () => {
  const it = scene(["lib/", "mnt/"], { mounts: [{ path: "mnt", mode: "extend" }] });
  const common = { answers: askId("a"), by: "ada", at: NOW };
  const session = {
    ...it.session,
    grants: [
      { ...common, id: grantId("g1"), until: "session" as const, right: "read" as const, root: { ...grant(it.path("lib")) } as never },
      {
        ...common,
        id: grantId("g2"),
        until: "call" as const,
        right: "read" as const,
        call: callId("c"),
        path: it.path("x/y") as RealPath,
        operation: "read" as const,
        offers: "once" as const,
      },
    ],
  };
  const from = (name: string) => scopeOf(session).find(it.path(name), "read", () => true)?.from ?? null;
  expect([from("ws/a"), from("mnt/a"), from("lib/a"), from("x/y"), from("home")]).toEqual(["workspace", "mount", "grant", null, null]);
  expect(scopeOf(session)).toBe(scopeOf(session));
  expect(scopeOf({ ...session, grants: [] }).find(it.path("lib/a"), "read", () => true)).toBeNull();
});
