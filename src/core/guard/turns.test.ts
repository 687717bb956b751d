// A path that leaves a directory by `..` gets that directory's answer where it could not be opened, whether it exists or not.

import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../../test/scene.ts";
import type { Operation } from "../access.ts";

nothingStaysPinned();

const spec = [
  "ws/ok.txt: inside",
  "ws/d/e/b: 1",
  "ws/.aws/a: 1",
  "private/taxes/a: 1",
  "private/file: 1",
  "lib/.git/HEAD: x",
  "home/.ssh/a: 1",
];
const operations: readonly Operation[] = ["read", "list", "search", "create", "replace", "remove"];

/** One that is there, and one that is not. */
const pairs: readonly (readonly [string, string, string])[] = [
  ["a directory outside", "../private/taxes/../../ws/ok.txt", "../private/nothere/../../ws/ok.txt"],
  ["a directory in one that is not there", "../private/taxes/../../ws/ok.txt", "../nothere/taxes/../../ws/ok.txt"],
  ["a file outside", "../private/file/../../ws/ok.txt", "../private/nofile/../../ws/ok.txt"],
  ["a repository next door", "../lib/.git/../../ws/ok.txt", "../lib/.svn/../../ws/ok.txt"],
  ["a secret directory", ".aws/../ok.txt", ".azure/../ok.txt"],
  ["a secret directory at home", "$ROOT/home/.ssh/../../ws/ok.txt", "$ROOT/home/.gnupg/../../ws/ok.txt"],
  ["a directory of the system", "/usr/..$ROOT/ws/ok.txt", "/nothere/..$ROOT/ws/ok.txt"],
];

describe.each(pairs)("%s", (_name, there, missing) => {
  test.each(operations)("%s tells nothing", (operation) => {
    const it = scene(spec);
    const answer = (path: string) => {
      const { verdict, reason } = it.judge(operation, path.replaceAll("$ROOT", it.path(".").replace(/\/\.?$/, "")));
      return `${verdict} ${reason}`;
    };
    expect(answer(there)).toBe(answer(missing));
    expect(answer(there)).not.toMatch(/^allow|not-found/);
  });

  test("nor does a link of that text", () => {
    const it = scene(spec);
    const answer = (path: string, name: string) => {
      symlinkSync(path.replaceAll("$ROOT", it.path(".").replace(/\/\.?$/, "")), it.path(`ws/${name}`));
      const { verdict, reason } = it.judge("read", name);
      return `${verdict} ${reason}`;
    };
    expect(answer(there, "one")).toBe(answer(missing, "two"));
  });
});

test.each(["d/../ok.txt", "d/e/../../ok.txt", "../ws/ok.txt", "../../$BASE/ws/ok.txt", "d/e/../../../ws/d/../ok.txt"])(
  "%s is a way in the workspace",
  (path) => {
    const it = scene(spec);
    const base =
      it
        .path(".")
        .replace(/\/\.?$/, "")
        .split("/")
        .at(-1) ?? "";
    expect(it.judge("read", path.replace("$BASE", base))).toMatchObject({ verdict: "allow", real: it.path("ws/ok.txt") });
  },
);
