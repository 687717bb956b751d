// Our own table of escapes, as a product: what a path ends at × the links it goes through × how it is spelt × what is done with it.
// What each must come to is derived from the description alone, in one place below (the idea is Go's rootMultiTest).

import type { Operation } from "../src/core/access.ts";

/** What a path ends at. `path` is seen from the workspace, `ws`. */
export interface Target {
  readonly name: string;
  readonly path: string;
  readonly place: "inside" | "repository" | "elsewhere";
  readonly secret?: true;
  readonly missing?: true;
}

export const targets: readonly Target[] = [
  { name: "a file inside", path: "inside.txt", place: "inside" },
  { name: "a file deep inside", path: "sub/deep/inside.txt", place: "inside" },
  { name: "nothing, inside", path: "sub/missing.txt", place: "inside", missing: true },
  { name: "a secret inside", path: "sub/.env", place: "inside", secret: true },
  { name: "no secret, inside", path: "sub/.env.local", place: "inside", secret: true, missing: true },
  { name: "a file in the repository next door", path: "../lib/outside.txt", place: "repository" },
  { name: "nothing, in the repository next door", path: "../lib/missing.txt", place: "repository", missing: true },
  { name: "a secret in the repository next door", path: "../lib/.env", place: "repository", secret: true },
  { name: "a file that is nobody's business", path: "../diary/outside.txt", place: "elsewhere" },
  { name: "a secret that is nobody's business", path: "../diary/id_rsa", place: "elsewhere", secret: true },
];

/** The world before any link is planted. */
export const soil: readonly string[] = [
  "ws/inside.txt: INSIDE",
  "ws/sub/deep/inside.txt: INSIDE",
  "ws/sub/.env: SECRET",
  "lib/.git/HEAD: x",
  "lib/outside.txt: OUTSIDE",
  "lib/.env: SECRET",
  "diary/outside.txt: OUTSIDE",
  "diary/id_rsa: SECRET",
];

/** The links a path goes through on its way to a target. */
export interface Shape {
  readonly name: string;
  /** Links to plant, in the tree language, for a target of this path. */
  links(target: string): readonly string[];
  /** The path to ask for, from the workspace. */
  path(target: string): string;
  /** Is the last name itself a link? Writers never follow that one. */
  readonly leaf?: true;
  /** Is one of the links named like a secret? */
  readonly secret?: true;
  /** Does a `..` leave the repository next door? Then the path gets that one's answer, wherever it leads. */
  readonly leaves?: true;
}

const above = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/"))) || ".";
const last = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const shapes: readonly Shape[] = [
  { name: "no link", links: () => [], path: (target) => target },
  { name: "a relative link", links: (target) => [`ws/link => ${target}`], path: () => "link", leaf: true },
  { name: "an absolute link", links: (target) => [`ws/link => $ROOT/ws/${target}`], path: () => "link", leaf: true },
  { name: "a chain of links", links: (target) => ["ws/link => sub/two", `ws/sub/two => ../${target}`], path: () => "link", leaf: true },
  { name: "a link there and back", links: (target) => [`ws/link => ../ws/sub/../${target}`], path: () => "link", leaf: true },
  { name: "a linked directory", links: (target) => [`ws/dir => ${above(target)}`], path: (target) => `dir/${last(target)}` },
  {
    name: "two linked directories",
    links: (target) => ["ws/dir => sub/two", `ws/sub/two => ../${above(target)}`],
    path: (target) => `dir/${last(target)}`,
  },
  { name: "a linked directory and back", links: () => ["ws/dir => ../lib"], path: (target) => `dir/../ws/${target}`, leaves: true },
  {
    name: "a link named like a secret",
    links: (target) => [`ws/.env.test => ${target}`],
    path: () => ".env.test",
    leaf: true,
    secret: true,
  },
  {
    name: "a directory named like a secret place",
    links: (target) => [`ws/.ssh => ${above(target)}`],
    path: (target) => `.ssh/${last(target)}`,
    secret: true,
  },
];

/** How a path is written. `workspace` is absolute. */
export const spellings: readonly { readonly name: string; spell(path: string, workspace: string): string }[] = [
  { name: "relative", spell: (path) => path },
  { name: "absolute", spell: (path, workspace) => `${workspace}/${path}` },
  { name: "with dots", spell: (path) => `./${path.replaceAll("/", "/./")}` },
  { name: "with slashes", spell: (path, workspace) => `/${workspace}//${path.replaceAll("/", "//")}` },
  { name: "up and back", spell: (path) => `sub/deep/../../../ws/${path}` },
];

export const operations: readonly Operation[] = ["read", "list", "search", "create", "replace", "remove"];

/** What the guard must say, from the description alone. */
export function expected(target: Target, shape: Shape, operation: Operation): string {
  const writes = operation === "create" || operation === "replace" || operation === "remove";
  if (shape.leaves === true) return writes ? "deny write-out-of-scope" : "ask out-of-scope";
  // A writer of a link means the link, which stands in the workspace under its own name.
  const meant =
    writes && shape.leaf === true
      ? { secret: shape.secret, place: "inside" }
      : { secret: target.secret ?? shape.secret, place: target.place };
  if (meant.secret === true) return "deny secret-file";
  if (meant.place !== "inside")
    return writes ? "deny write-out-of-scope" : meant.place === "repository" ? "ask out-of-scope" : "deny no-grant-root";
  return writes && operation !== "remove" && shape.leaf === true ? "deny symlink-write" : "allow in-workspace";
}

/** Text that must never come back, nor be overwritten, unless the guard allowed it. */
export const GUARDED = /OUTSIDE|SECRET/;
