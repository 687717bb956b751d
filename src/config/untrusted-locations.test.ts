import { mkdirSync, symlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { onTestFinished, expect, test } from "vitest";
import { type Branches, tree, type Tree } from "../../test/tree.ts";
import { findingLine, loadPolicy } from "./load.ts";
import type { ConfigContext } from "./locations.ts";
import { whyUntrusted } from "./untrusted-locations.ts";
import { leadsPlainly } from "./own-directory.ts";

const OPEN = '{"read": {"*": "allow"}, "preset": "open-read"}';

function grow(spec: readonly string[] | Branches): Tree {
  const at = tree(spec);
  onTestFinished(() => at.remove());
  return at;
}

/** What holds in `ws` with this home and environment: whether the policy was obeyed, or why not. */
function said(at: Tree, changes: Partial<ConfigContext>): string {
  const around: ConfigContext = { home: at.path("home"), env: {}, workspace: at.path("ws"), platform: "linux", ...changes };
  const loaded = loadPolicy(around);
  if (!loaded.ok) return loaded.errors.map(findingLine).join("; ");
  return loaded.parts.some(({ author }) => author === "operator") ? "obeyed" : "nothing said";
}

/** A policy that opens everything, in the workspace and beside it. */
const scene = (): Tree =>
  grow([
    "home/",
    `ws/cfg/hallpass/policy.json: ${OPEN}`,
    `ws/.config/hallpass/policy.json: ${OPEN}`,
    "ws/data/",
    `elsewhere/hallpass/policy.json: ${OPEN}`,
    `elsewhere/.config/hallpass/policy.json: ${OPEN}`,
    "ws/out => ../elsewhere",
    "ws-link => ws",
  ]);

test.each<[string, (at: Tree) => Partial<ConfigContext>]>([
  ["XDG_CONFIG_HOME", (at) => ({ env: { XDG_CONFIG_HOME: at.path("ws/cfg") } })],
  ["XDG_CONFIG_HOME through a link from outside", (at) => ({ env: { XDG_CONFIG_HOME: `${at.path("home")}/../ws-link/cfg` } })],
  ["XDG_CONFIG_HOME through a link of the workspace that leads out", (at) => ({ env: { XDG_CONFIG_HOME: at.path("ws/out") } })],
  ["XDG_CONFIG_HOME where nothing is", (at) => ({ env: { XDG_CONFIG_HOME: at.path("ws/none") } })],
  ["HOME", (at) => ({ home: at.path("ws") })],
  ["HOME where nothing is", (at) => ({ home: at.path("ws/none") })],
  ["HOME through a link from outside", (at) => ({ home: `${at.root}/ws-link` })],
  ["HALLPASS_DATA", (at) => ({ env: { HALLPASS_DATA: at.path("ws/data") } })],
  ["HALLPASS_DATA where nothing is", (at) => ({ env: { HALLPASS_DATA: at.path("ws/x") } })],
  ["XDG_DATA_HOME", (at) => ({ env: { XDG_DATA_HOME: at.path("ws/data") } })],
  ["a data directory named by hand", (at) => ({ data: at.path("ws/data") })],
])("%s that leads into the workspace is refused, and what it hides is not passed over", (_name, changes) => {
  const at = scene();
  expect(said(at, changes(at))).toMatch(/lies in the workspace or is reached through it/u);
  // The same words beside another workspace are the operator's.
  mkdirSync(`${at.root}/other`);
  const elsewhere = { ...changes(at), workspace: `${at.root}/other` };
  expect(said(at, elsewhere)).not.toMatch(/lies in the workspace/u);
});

test.each(["XDG_CONFIG_HOME", "HALLPASS_DATA", "XDG_DATA_HOME", "HOME"])("%s behind /proc is refused, wherever it leads", (word) => {
  const at = scene();
  for (const place of ["/proc/self/cwd", "/proc/self/cwd/none", "//proc/self/cwd", "/dev/fd/0", "/tmp/../proc/self/root/etc"])
    expect([place, said(at, word === "HOME" ? { home: place } : { env: { [word]: place } })]).toEqual([
      place,
      expect.stringContaining("everything is denied"),
    ]);
});

test("the same policy is obeyed where the operator put it: a home or a directory outside the workspace", () => {
  const at = scene();
  expect(said(at, { home: at.path("elsewhere") })).toBe("obeyed");
  expect(said(at, { env: { XDG_CONFIG_HOME: at.path("elsewhere") } })).toBe("obeyed");
  expect(said(at, { env: { XDG_CONFIG_HOME: "", HALLPASS_DATA: "", XDG_DATA_HOME: "data" } })).toBe("nothing said");
  // A file that was named on the command line is its operator's choice.
  expect(said(at, { operatorFile: at.path("ws/cfg/hallpass/policy.json") })).toBe("obeyed");
});

test("who works in the home directory the system knows keeps its usual places, and only those", () => {
  const at = scene();
  const home = at.path("ws");
  expect(said(at, { home, accountHome: home })).toBe("obeyed");
  expect(said(at, { home, accountHome: home, env: { XDG_CONFIG_HOME: at.path("ws/.config") } })).toBe("obeyed");
  for (const env of [{ XDG_CONFIG_HOME: at.path("ws/cfg") }, { HALLPASS_DATA: at.path("ws/data") }, { XDG_DATA_HOME: at.path("ws/data") }])
    expect(said(at, { home, accountHome: home, env })).toContain("everything is denied");
  // Whom the system knows by another home directory did not choose this one.
  expect(said(at, { home })).toContain("set HOME to your own home directory");
  expect(userInfo().homedir).not.toBe(home);
});

test.each(["extend", "sandboxed"])("a mount that may be written (%s) counts as the workspace does, one for reading does not", (mode) => {
  const at = scene();
  for (const [env, what] of [
    [{ XDG_CONFIG_HOME: at.path("elsewhere") }, "the operator's policy"],
    [{ XDG_CONFIG_HOME: at.path("elsewhere/none") }, "the operator's policy"],
    [{ HALLPASS_DATA: at.path("elsewhere/data") }, "the data directory"],
  ] as const) {
    const mounts = [{ path: at.path("elsewhere"), mode }];
    expect(said(at, { env, mounts })).toMatch(new RegExp(`^${what} would be .* lies in a mount that agents may write`, "u"));
    expect(said(at, { env, mounts: [{ path: at.path("elsewhere"), mode: "read_only" }] })).toMatch(/obeyed|nothing said/u);
  }
  // The usual places of the home directory are taken there too: no file tool writes them.
  const home = at.path("elsewhere");
  expect(said(at, { home, accountHome: home, mounts: [{ path: home, mode }] })).toBe("obeyed");
});

test("an operator who keeps the policy in a repository and links it from its usual place is obeyed there", () => {
  const at = grow([`ws/dotfiles/policy.json: ${OPEN}`, "home/.config/"]);
  symlinkSync(at.path("ws/dotfiles"), `${at.path("home")}/.config/hallpass`);
  expect(said(at, { accountHome: at.path("home") })).toBe("obeyed");
  expect(said(at, {})).toContain("everything is denied");
});

test("a data directory that is linked into the workspace is refused even from its usual place: its real name is on no list", () => {
  const at = grow(["ws/data/", "home/.local/share/"]);
  symlinkSync(at.path("ws/data"), `${at.path("home")}/.local/share/hallpass`);
  expect(
    whyUntrusted({ home: at.path("home"), env: {}, workspace: at.path("ws"), platform: "linux", accountHome: at.path("home") }),
  ).toContain("the data directory");
});

test("plain is only what needs no further look", () => {
  const real = { home: "/home/ada", workspace: "/home/ada/src/app" };
  const plain = (home: string, env = {}): boolean => leadsPlainly({ home, env }, real);
  expect([plain("/home/ada"), plain("/home/ada", { XDG_CONFIG_HOME: "/home/ada/.config", XDG_DATA_HOME: "", HALLPASS_DATA: "x" })]).toEqual(
    [true, true],
  );
  for (const env of [{ XDG_CONFIG_HOME: "/cfg" }, { XDG_DATA_HOME: "/data" }, { HALLPASS_DATA: "/data" }])
    expect(plain("/home/ada", env)).toBe(false);
  expect(plain("/home/ada/")).toBe(false);
  expect(leadsPlainly({ home: "/ws", env: {} }, { home: "/ws", workspace: "/ws" })).toBe(false);
  expect(leadsPlainly({ home: "/ws/h", env: {} }, { home: "/ws/h", workspace: "/ws" })).toBe(false);
  expect(leadsPlainly({ home: "/proc/self/cwd/x", env: {} }, { home: "/proc/self/cwd/x", workspace: "/ws" })).toBe(false);
});
