import { rmSync, writeFileSync } from "node:fs";
import { onTestFinished, expect, test } from "vitest";
import { evaluate } from "../core/policy/evaluate.ts";
import { tree } from "../../test/tree.ts";
import { createPolicyFor } from "./policy-for.ts";

function around() {
  const at = tree(["home/.config/hallpass/", "ws/.hallpass/", "other/.hallpass/"]);
  onTestFinished(() => at.remove());
  const policyFor = createPolicyFor({ home: at.path("home"), env: {}, platform: "linux" });
  const operator = (policy: unknown): void => writeFileSync(at.path("home/.config/hallpass/policy.json"), JSON.stringify(policy));
  const project = (where: string, policy: unknown): void =>
    writeFileSync(at.path(`${where}/.hallpass/policy.json`), JSON.stringify(policy));
  return { at, policyFor, operator, project };
}

test("what is saved holds from the next judgement on, and the same files are compiled once", () => {
  const it = around();
  const first = it.policyFor(it.at.path("ws"), []);
  expect(it.policyFor(it.at.path("ws"), [])).toBe(first);
  it.operator({ read: { "~/secret/**": "deny" } });
  const second = it.policyFor(it.at.path("ws"), []);
  expect(second).not.toBe(first);
  rmSync(it.at.path("home/.config/hallpass/policy.json"));
  expect(it.policyFor(it.at.path("ws"), [])).not.toBe(second);
});

test("a malformed file is an error with its place, until it is mended", () => {
  const it = around();
  it.operator({ raed: "allow" });
  expect(() => it.policyFor(it.at.path("ws"), [])).toThrow(/policy\.json:1:/u);
  it.operator({ read: "ask" });
  expect(() => it.policyFor(it.at.path("ws"), [])).not.toThrow();
});

test("the projects above hold too, and may only tighten", () => {
  const it = around();
  it.project("other", { read: { "/etc/hosts": "deny" } });
  const denies = (inherited: readonly string[]): unknown =>
    evaluate(it.policyFor(it.at.path("ws"), inherited), "/etc/hosts", "read", {
      root: null,
      outsideWorkspace: true,
      outsideScope: true,
    }).strictest?.verdict;
  expect(denies([])).toBeUndefined();
  expect(denies([it.at.path("other")])).toBe("deny");
});

test("our own data directory is a secret wherever it was put: whoever read its token could answer its own asks", () => {
  const at = tree(["home/", "ws/", "lib/data/token: T", "lib/shared/hallpass/token: T", "lib/named/token: T", "lib/plain/token: T"]);
  onTestFinished(() => at.remove());
  const env = { XDG_DATA_HOME: at.path("lib/shared"), HALLPASS_DATA: at.path("lib/named") };
  const found = (more: object, file: string): boolean => {
    const around = { home: at.path("home"), env: {}, platform: "linux" as const, ...more };
    return createPolicyFor(around)(at.path("ws"), []).secrets.find(at.path(`lib/${file}`)) !== null;
  };
  for (const file of ["data/token", "shared/hallpass/token", "named/token"])
    expect([file, found({ env, data: at.path("lib/data") }, file), found({}, file)]).toEqual([file, true, false]);
  expect(found({ env, data: at.path("lib/data") }, "plain/token")).toBe(false);
});
