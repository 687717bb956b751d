// Which directories a policy's rules open to commands, told before anything is run.

import { expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import { combinePolicies } from "../core/policy/combine.ts";
import { compilePolicy } from "../core/policy/compile.ts";
import { type Author, parsePolicy } from "../core/policy/parse.ts";
import { withAllowedDirs } from "./allowed-dirs.ts";

nothingStaysPinned();

const spec = ["home/ref/a: 1", "home/ref/in/b: 1", "home/link => ref", "home/.ssh/k: 1", "ws/in/a: 1", "ws2/x: 1"];
const allow = { "~/ref/**": "allow" };
const outside = (read: object | string, write?: object | string) => ({
  permission: { external_directory: { read, ...(write === undefined ? {} : { write }) } },
});

test.each<[string, object, readonly string[]]>([
  ["a directory that is allowed to be read is read", outside({ ...allow, "*": "ask" }), ["home/ref read_only"]],
  ["so is one that a list of its own allows", { read: allow }, ["home/ref read_only"]],
  ["one that may be written too is written", outside(allow, allow), ["home/ref extend"]],
  ["also by a last word about writing", outside(allow, "allow"), ["home/ref extend"]],
  ["one that may be written and not read is not there", outside("ask", allow), []],
  ["one inside another has its own mode", { read: allow, write: { "~/ref/in/**": "allow" } }, ["home/ref read_only"]],
  [
    "where both are named, both are there",
    { read: { "~/ref/in/**": "allow", ...allow }, write: { "~/ref/in/**": "allow" } },
    ["home/ref read_only", "home/ref/in extend"],
  ],
  ["what is asked about is not there", outside({ "~/ref/**": "ask" }), []],
  ["a bare name opens nothing in it", { read: { "~/ref": "allow" } }, []],
  ["nor does a pattern", { read: { "~/re*/**": "allow", "**/ref/**": "allow" } }, []],
  ["nor does a last word alone", { read: "allow" }, []],
  ["a link's name allows nothing", { read: { "~/link/**": "allow" } }, []],
  ["what is not there is passed over", { read: { "~/gone/**": "allow" } }, []],
  ["a secret directory stays shut", { read: { "~/.ssh/**": "allow" } }, []],
  ["the home directory is too much", { read: { "~/**": "allow" } }, []],
  ["so is what holds the workspace", { read: { "$ROOT/**": "allow" } }, []],
  ["a top directory is too much", { read: { "/tmp/**": "allow", "/etc/**": "allow" } }, []],
  ["what a root holds is that root's", { read: { "$ROOT/ws/in/**": "allow" } }, []],
])("%s", (_title, policy, expected) => {
  const it = scene(spec, { policy });
  const mounts = withAllowedDirs(it.session).mounts.map(({ dir, mode }) => `${dir.slice(it.root.length + 1)} ${mode}`);
  expect(mounts.toSorted()).toEqual(expected);
});

test.each<[string, Author, object, number]>([
  ["a project's ask takes it away", "project", { read: { "~/ref/**": "ask" } }, 0],
  ["an administrator who allows all of it leaves it", "administrator", { read: { "*": "deny", "~/ref/**": "allow" } }, 1],
  ["one who allows only some of it takes it away", "administrator", { read: { "*": "deny", "~/ref/*": "allow" } }, 0],
  ["so does one who denies the rest", "administrator", { read: { "*": "deny", "~/ref": "allow" } }, 0],
])("every author has a say: %s", (_title, author, said, count) => {
  const it = scene(spec);
  const home = it.path("home");
  const parts = [parsePolicy({ read: allow }, { author: "operator", home }), parsePolicy(said, { author, home })];
  const policy = compilePolicy(combinePolicies(parts.flatMap((one) => (one.ok ? [one.part] : []))), home);
  expect(parts.every(({ ok }) => ok)).toBe(true);
  expect(withAllowedDirs({ ...it.session, policy }).mounts).toHaveLength(count);
});
