// What is set aside, without a command: names are made by hand between opening a profile and looking the workspace through.

import * as fs from "node:fs";
import { expect, test } from "vitest";
import { nothingStaysPinned, scene, type Scene } from "../../test/scene.ts";
import { doAtOnce } from "../core/steps.ts";
import { Inventory } from "./inventory.ts";
import { openProfile, type Profile } from "./profile.ts";

nothingStaysPinned();

const user = { uid: process.geteuid?.() ?? -1, groups: [process.getegid?.() ?? -1] };

/** Open the workspace, do `act`, and tell what is set aside: old names and new, as seen from the workspace. */
function after(spec: readonly string[], act: (it: Scene) => void, sweep: "sweep" | "sweepOrders" = "sweep") {
  const it = scene(["ws/.git/config", "ws/.git/hooks/", "ws/.git/objects/info/", ...spec]);
  const profile: Profile = opened(it);
  try {
    act(it);
    const aside = doAtOnce(profile[sweep]()).map(({ from, to }) => `${inWs(it, from)} > ${to === null ? "-" : inWs(it, to)}`);
    if (sweep === "sweep") expect(doAtOnce(profile.sweep())).toEqual([]);
    return aside.toSorted();
  } finally {
    profile.close();
  }
}

function opened(it: Scene, clock: () => number = Date.now): Profile {
  const profile = doAtOnce(openProfile(it.session, { inventory: new Inventory(Date.now), clock, user }));
  if ("ok" in profile) throw new Error(`${profile.code}: ${profile.why}`);
  return profile;
}

const inWs = (it: Scene, path: string): string => path.slice(it.path("ws").length + 1);

test("a name that leaves no room for another word is replaced by a short one", () => {
  const long = `${"a".repeat(255 - ".code-workspace".length)}.code-workspace`;
  const aside = after([], (it) => {
    fs.mkdirSync(it.path("ws/d"));
    fs.writeFileSync(it.path(`ws/d/${long}`), "evil");
    fs.writeFileSync(it.path(`ws/${long}`), "evil");
  });
  expect(aside).toHaveLength(2);
  for (const one of aside) expect(one).toMatch(/> (?:d\/)?set-aside-[0-9a-f-]{36}$/);
});

test.each([
  ["made while the command ran loses", 0, [0o755, 0o711, 0o644]],
  ["that had it before keeps", 60_000, [0o4755, 0o2711, 0o644]],
])("a file %s the right to run with its owner's powers", (_which, ahead, modes) => {
  const it = scene(["ws/sub/"]);
  const profile = opened(it, () => Date.now() + ahead);
  try {
    for (const [name, mode] of [
      ["sub/a", 0o4755],
      ["sub/b", 0o2711],
      ["c", 0o644],
    ] as const) {
      fs.writeFileSync(it.path(`ws/${name}`), "");
      fs.chmodSync(it.path(`ws/${name}`), mode);
    }
    fs.mkdirSync(it.path("ws/d"));
    fs.chmodSync(it.path("ws/d"), 0o2755);
    expect(doAtOnce(profile.sweep())).toEqual([]);
    expect(["sub/a", "sub/b", "c"].map((name) => fs.statSync(it.path(`ws/${name}`)).mode & 0o7777)).toEqual(modes);
    // In a directory the bit says which group new files get, and nothing runs by it.
    expect(fs.statSync(it.path("ws/d")).mode & 0o7777).toBe(0o2755);
  } finally {
    profile.close();
  }
});

test("a link or pipe of a protected name that is replaced, or gets another protected name, is new", () => {
  const aside = after(["ws/.mcp.json => nowhere", "ws/.zed => payload", "ws/.idea => kept", "ws/sub/.vscode => x"], (it) => {
    fs.rmSync(it.path("ws/.mcp.json"));
    fs.writeFileSync(it.path("ws/.mcp.json"), "evil");
    fs.renameSync(it.path("ws/.zed"), it.path("ws/.vscode"));
    fs.rmSync(it.path("ws/sub/.vscode"));
    fs.mkdirSync(it.path("ws/sub/.vscode"));
  });
  expect(aside).toEqual([".mcp.json > .mcp.json.set-aside", ".vscode > .vscode.set-aside", "sub/.vscode > sub/.vscode.set-aside"]);
});

test("what is set aside is looked through as well, however deep one is in another", () => {
  const depth = 20;
  const aside = after([], (it) => fs.mkdirSync(it.path(`ws/d${"/.vscode".repeat(depth)}`), { recursive: true }));
  expect(aside).toHaveLength(depth);
  expect(aside.at(0)).toBe("d/.vscode > d/.vscode.set-aside");
});

test.each<[string, (git: string) => void, string[]]>([
  ["in a log", (git) => link(`${git}/logs/refs/heads/main`), ["logs/refs/heads/main"]],
  ["in place of branches", (git) => link(`${git}/refs/heads`), ["refs/heads"]],
  ["in a list of packs", (git) => link(`${git}/objects/pack/multi-pack-index`), ["objects/pack/multi-pack-index"]],
  ["in place of a directory of objects", (git) => link(`${git}/objects/ab`), ["objects/ab"]],
  ["in what is ignored", (git) => link(`${git}/info/x/y`), ["info/x/y"]],
  ["in a place that git knows nothing of", (git) => link(`${git}/other/deep/er`), ["other/deep/er"]],
  ["in a rebase, which goes as a whole", (git) => link(`${git}/rebase-merge/done`), ["rebase-merge"]],
  ["in a series of patches", (git) => link(`${git}/rebase-apply/deep/er`), ["rebase-apply"]],
  ["in resolutions, which go as a whole where they are new", (git) => link(`${git}/rr-cache/ab/thisimage`), ["rr-cache"]],
  ["among single objects, which are not written through", (git) => link(`${git}/objects/ab/cdef`), []],
])("a new link in a git directory is set aside: %s", (_what, act, names) => {
  const aside = after([], (it) => act(it.path("ws/.git")), "sweepOrders");
  expect(aside).toEqual(names.map((name) => `.git/${name} > .git/${name}.set-aside`));
});

function link(path: string): void {
  fs.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  fs.symlinkSync("/nowhere", path);
}

test("links and resolutions that were there stay; what is new beside them does not", () => {
  const before = [
    "ws/.git/rr-cache/ab/preimage",
    "ws/.git/rr-cache/cd/thisimage => preimage",
    "ws/.git/info/exclude => ../../ignored",
    "ws/ignored",
  ];
  expect(after(before, () => {}, "sweepOrders")).toEqual([]);
  const aside = after(
    before,
    (it) => {
      fs.symlinkSync("/nowhere", it.path("ws/.git/rr-cache/ab/thisimage"));
      fs.rmSync(it.path("ws/.git/info/exclude"));
      fs.symlinkSync("/nowhere", it.path("ws/.git/info/exclude"));
    },
    "sweepOrders",
  );
  expect(aside).toEqual([
    ".git/info/exclude > .git/info/exclude.set-aside",
    ".git/rr-cache/ab/thisimage > .git/rr-cache/ab/thisimage.set-aside",
  ]);
});

test("a link whose name is no text takes the directory around it with it", () => {
  const aside = after(
    ["ws/.git/logs/refs/heads/main"],
    (it) => fs.symlinkSync("/nowhere", Buffer.concat([Buffer.from(`${it.path("ws/.git/logs/refs/heads")}/`), Buffer.from([0xff])])),
    "sweepOrders",
  );
  expect(aside).toEqual([".git/logs/refs/heads > .git/logs/refs/heads.set-aside"]);
});

test.each([
  ["a file outside, by its whole name", "/etc/hostname", true],
  ["a file outside, step by step", "../../x", true],
  ["a file behind a link", "away/hostname", true],
  ["a file of the working tree", "d/f", false],
  ["a file that is not there", "d/g", false],
])("resolutions are not taken from, or put into, %s", (_what, path, order) => {
  const aside = after(
    ["ws/d/f: 1", "ws/away => /etc"],
    (it) => fs.writeFileSync(it.path("ws/.git/MERGE_RR"), `${"a".repeat(40)}\td/f\0${"b".repeat(40)}\t${path}\0`),
    "sweepOrders",
  );
  expect(aside).toEqual(order ? [".git/MERGE_RR > .git/MERGE_RR.set-aside"] : []);
});

test.each([
  ["", false],
  [" '-p1' '--whitespace=fix'\n", false],
  [" '--build-fake-ancestor=/home/ada/.bashrc'", true],
  [" '-p1' '--directory=../x'", true],
])("how patches are applied, when a series of them goes on: %j", (text, order) => {
  const aside = after(
    [],
    (it) => {
      fs.mkdirSync(it.path("ws/.git/rebase-apply"));
      fs.writeFileSync(it.path("ws/.git/rebase-apply/apply-opt"), text);
    },
    "sweepOrders",
  );
  expect(aside).toEqual(order ? [".git/rebase-apply > .git/rebase-apply.set-aside"] : []);
});

test("a git directory under another name is looked through for links too", () => {
  const aside = after(
    ["ws/b/HEAD", "ws/b/objects/", "ws/b/refs/", "ws/b/config", "ws/b/info/exclude => ../HEAD"],
    (it) => fs.symlinkSync("/nowhere", it.path("ws/b/packed-refs")),
    "sweepOrders",
  );
  expect(aside).toEqual(["b/packed-refs > b/packed-refs.set-aside"]);
});
