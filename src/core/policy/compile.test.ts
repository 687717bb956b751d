// A policy made ready: which rule stands in which index, and lists of names whose entries lift others.

import { describe, expect, test } from "vitest";
import { ruleId } from "../names.ts";
import { compilePolicy, NameList } from "./compile.ts";
import { NONE } from "./index-of-rules.ts";
import { emptyPolicy, type Policy, type Rule } from "./rule.ts";

const HOME = "/home/ada";

const rule = (glob: string, facts: Partial<Rule> = {}): Rule => ({
  id: ruleId(glob),
  right: "read",
  glob,
  verdict: "ask",
  outsideOnly: false,
  why: null,
  source: null,
  ...facts,
});
const policyOf = (...rules: Rule[]): Policy => ({
  ...emptyPolicy,
  layers: [{ name: "operator", rules, defaults: { read: null, write: null } }],
});

describe("a compiled policy", () => {
  test("keeps the policy and its layers", () => {
    const policy = policyOf(rule("/a"));
    const compiled = compilePolicy(policy, HOME);
    expect([compiled.policy, compiled.layers.map(({ layer }) => layer)]).toEqual([policy, policy.layers]);
    expect(compilePolicy(emptyPolicy, HOME).layers).toEqual([]);
  });

  test("files each rule once, by right and by where it holds, and keeps its place in the list", () => {
    const rules = [
      rule("/a"),
      rule("b/c"),
      rule("/d", { outsideOnly: true }),
      rule("/e", { right: "write" }),
      rule("f/g", { right: "write" }),
      rule("/h", { right: "write", outsideOnly: true }),
      rule("/i"),
    ];
    const [layer] = compilePolicy(policyOf(...rules), HOME).layers;
    const sizes = (["read", "write"] as const).map((right) => [
      layer?.[right].anywhere.size,
      layer?.[right].rooted.size,
      layer?.[right].outside.size,
      layer?.[right].rules,
    ]);
    expect(sizes).toEqual([
      [2, 1, 1, rules],
      [1, 1, 1, rules],
    ]);
    expect([
      layer?.read.anywhere.first("/a"),
      layer?.read.anywhere.first("/i"),
      layer?.read.rooted.first("/b/c"),
      layer?.read.outside.first("/d"),
      layer?.write.anywhere.first("/e"),
      layer?.write.rooted.first("/f/g"),
      layer?.write.outside.first("/h"),
      layer?.read.anywhere.first("/e"),
    ]).toEqual([0, 6, 1, 2, 3, 4, 5, NONE]);
  });

  test("throws on a pattern that was never parsed", () => {
    expect(() => compilePolicy(policyOf(rule("/a//b")), HOME)).toThrow(
      new TypeError("pattern /a//b: a pattern must not have an empty name (two slashes)"),
    );
    expect(() => compilePolicy({ ...emptyPolicy, secrets: { except: ["~bob"], add: [] } }, HOME)).toThrow(
      new TypeError("pattern ~bob: `~` stands for the home directory only before a slash"),
    );
    expect(() => compilePolicy({ ...emptyPolicy, secrets: { except: [], add: ["a//b"] } }, HOME)).toThrow(
      new TypeError("pattern a//b: a pattern must not have an empty name (two slashes)"),
    );
    expect(() => compilePolicy({ ...emptyPolicy, protect: { except: [], add: [""] } }, HOME)).toThrow(
      new TypeError("pattern : a pattern must not be empty"),
    );
  });
});

describe("a list of names", () => {
  const holds = (pattern: string) => ({ pattern, holds: true });
  const lifts = (pattern: string) => ({ pattern, holds: false });

  test("the first line that matches decides; what holds covers what is below, what lifts does not", () => {
    const list = new NameList([holds("**/vault"), lifts("**/a.example"), holds("**/a*")], [], HOME);
    expect(["/x/a1", "/x/a.example", "/x/a.example/b", "/x/a1/b", "/vault/a.example", "/x/b"].map((path) => list.find(path))).toEqual([
      "**/a*",
      null,
      "**/a*",
      "**/a*",
      "**/vault",
      null,
    ]);
  });

  test("a line that lifts with two stars lifts what is below", () => {
    const list = new NameList([lifts("/x/open/**"), holds("**/a")], [], HOME);
    expect(["/x/open/a", "/x/open/y/a", "/x/a"].map((path) => list.find(path))).toEqual([null, null, "**/a"]);
  });

  test("an exception lifts what it names, in its own spelling, and not what is below or made of it", () => {
    const list = new NameList([holds("**/a*")], ["**/a1", "~/a2/**"], HOME);
    expect(
      ["/x/a1", "/x/A1", "/x/a1/b", "/x/a1.bak", "/x/a1~", "/home/ada/a2", "/home/ada/a2/b", "/home/ada/A2/b", "/x/a2"].map((path) =>
        list.find(path),
      ),
    ).toEqual([null, "**/a*", "**/a*", "**/a*", "**/a*", null, null, "**/a*", "**/a*"]);
    expect(["a1", "A1", "a1.bak", "a3", "b"].map((name) => list.walk("/x").has(name))).toEqual([false, true, true, true, false]);
    expect(list.walk("/home/ada").enter("a2").has("a3")).toBe(false);
    expect(list.walk("/home/ada/a2").has("a3")).toBe(false);
    expect(list.walk("/home/ada").enter("b").has("a3")).toBe(true);
  });

  test("an exception may name a backup", () => {
    const list = new NameList([holds("**/a")], ["**/a.bak"], HOME);
    expect([list.find("/x/a.bak"), list.find("/x/a.old"), list.walk("/x").has("a.bak"), list.walk("/x").has("a.old")]).toEqual([
      null,
      "**/a",
      false,
      true,
    ]);
  });

  test("a line in any spelling holds in any spelling", () => {
    const list = new NameList([holds("**/Vault"), lifts("**/B.Example"), holds("**/b*")], [], HOME);
    expect(["/vault/x", "/VAULT", "/x/b.example", "/x/B.EXAMPLE", "/x/B1"].map((path) => list.find(path))).toEqual([
      "**/Vault",
      "**/Vault",
      null,
      null,
      "**/b*",
    ]);
  });

  test("a backup of a directory holds what the directory holds, asked at once or name by name", () => {
    const list = new NameList([holds("**/conf/key"), holds("**/vault")], [], HOME);
    const paths = [
      "/x/conf/key",
      "/x/conf.bak/key",
      "/x/conf~/key.old",
      "/x/Conf.BAK/KEY",
      "/x/conf.bak/y/key",
      "/conf.old/conf.bak/key",
      "/x/vault.bak",
      "/x/vault.bak/y",
      "/x/conf.bak/other",
      "/x.bak/conf/key",
      "/x.bak/conf/lock",
    ];
    const found = [
      "**/conf/key",
      "**/conf/key",
      "**/conf/key",
      "**/conf/key",
      null,
      "**/conf/key",
      "**/vault",
      "**/vault",
      null,
      "**/conf/key",
      null,
    ];
    expect(paths.map((path) => list.find(path))).toEqual(found);
    const walked = paths.map((path) => {
      const names = path.split("/").slice(1);
      let walk = list.walk("/");
      for (const name of names.slice(0, -1)) walk = walk.enter(name);
      return walk.has(names.at(-1) ?? "");
    });
    expect(walked).toEqual(found.map((pattern) => pattern !== null));
    expect([
      list.walk("/x/conf.bak").has("key"),
      list.walk("/x/conf.bak").has("key~"),
      list.walk("/x/conf.bak").has("lock"),
      list.walk("/x/other.bak").has("key"),
    ]).toEqual([true, true, false, false]);
  });

  test("nothing on it, nothing found", () => {
    const list = new NameList([], [], HOME);
    expect([list.find("/a"), list.walk("/a").has("b"), list.walk("/a.bak").enter("c~").has("b.old")]).toEqual([null, false, false]);
  });
});
