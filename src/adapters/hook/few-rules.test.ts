// Few rules instead of all, and a policy kept instead of read: the same decisions, always.

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { tree } from "../../../test/tree.ts";
import { nothingStaysPinned } from "../../../test/scene.ts";
import { createGuard } from "../../core/guard/guard.ts";
import type { Decision } from "../../core/guard/decision.ts";
import { callId } from "../../core/names.ts";
import { combinePolicies } from "../../core/policy/combine.ts";
import { compilePolicy } from "../../core/policy/compile.ts";
import { parsePolicy } from "../../core/policy/parse.ts";
import { openSession } from "../../core/session/session.ts";
import { createFewRulesJudge, ruleBookOf } from "./few-rules.ts";
import { hookHosts } from "./hosts/all.ts";
import { judgeInProcess } from "./in-process.ts";

nothingStaysPinned();

const at = tree([
  "ws/a.txt: 1",
  "ws/src/Main.ts: 1",
  "ws/src/é.ts: 1",
  "ws/docs/a/b.md: 1",
  "ws/link => src",
  "ws/away => ../lib",
  "lib/.git/HEAD: x",
  "lib/src/x.ts: 1",
  "home/notes/n.md: 1",
]);
afterAll(() => at.remove());
const home = at.path("home");
const guard = createGuard();
const said = (decision: Decision): readonly unknown[] => {
  if (decision.verdict === "allow") decision.pass.close();
  const rule = decision.trace.find((step) => step.at === "layer");
  return [decision.verdict, decision.reason, decision.real, rule?.at === "layer" ? rule.glob : null];
};

test("judging with the few rules that could speak gives what judging with all of them gives", () => {
  const name = fc.constantFrom(
    "a.txt",
    "src",
    "SRC",
    "main.ts",
    "Main.ts",
    "*.ts",
    "*",
    "?.md",
    "docs",
    "**",
    "lib",
    "é.ts",
    "x*",
    "*a*",
    "notes",
  );
  const glob = fc.oneof(
    fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
    fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `**/${names.join("/")}`),
    fc.array(name, { maxLength: 3 }).map((names) => [at.root, ...names].join("/")),
    fc.array(name, { minLength: 1, maxLength: 2 }).map((names) => `~/${names.join("/")}`),
  );
  const rules = fc.array(fc.tuple(glob, fc.constantFrom("allow", "ask", "deny")), { maxLength: 8 });
  const path = fc.constantFrom(
    "a.txt",
    "src/Main.ts",
    "src/é.ts",
    "link/Main.ts",
    "away/src/x.ts",
    "docs/a/b.md",
    "../lib/src/x.ts",
    "missing",
    `${home}/notes/n.md`,
  );
  const operation = fc.constantFrom("read" as const, "replace" as const);
  let judged = 0;
  fc.assert(
    fc.property(rules, rules, path, operation, (read, write, file, op) => {
      const parsed = parsePolicy({ read: Object.fromEntries(read), write: Object.fromEntries(write) }, { author: "operator", home });
      fc.pre(parsed.ok);
      if (!parsed.ok) return;
      judged += 1;
      const policy = combinePolicies([parsed.part]);
      const book = ruleBookOf(policy);
      const open = (one: typeof policy) => {
        const opened = openSession({ workspace: at.path("ws"), home, ceilings: [at.root], policy: compilePolicy(one, home) });
        if (!opened.ok) throw new Error(opened.message);
        return opened.session;
      };
      const access = { call: callId("c"), tool: "t", operation: op, path: file };
      const few = createFewRulesJudge(guard, open(book.bare), book);
      expect(said(few(access))).toEqual(said(guard.judge(access, open(policy))));
    }),
    { numRuns: 1_500 },
  );
  expect(judged).toBeGreaterThan(500);
});

describe("a policy that is kept", () => {
  const policy = join(home, ".config", "hallpass", "policy.json");
  const kept = join(home, "kept.json");
  const save = (text: string, age = 60_000): void => {
    mkdirSync(join(policy, ".."), { recursive: true });
    writeFileSync(policy, text);
    const when = new Date(Date.now() - age);
    utimesSync(policy, when, when);
  };
  const verdict = async (path = "a.txt", version = "1", env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const decoded = hookHosts["claude-code"].decode({ hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: path } });
    if (!decoded.ok) throw new Error(decoded.why);
    const around = { workspace: at.path("ws"), home, env, platform: process.platform, lets: [], attended: true };
    const answer = await judgeInProcess(hookHosts["claude-code"], decoded.call, {
      ...around,
      kept: { file: kept, version, clock: Date.now },
    });
    return answer.verdict;
  };
  const isKept = (): boolean => readdirSync(home).includes("kept.json");

  test("gives the same answers as one that is read, and is read anew once a file has changed", async () => {
    save('{"read": {"**/a.txt": "deny", "src/**": "ask"}}');
    expect([await verdict(), isKept(), await verdict(), await verdict("src/Main.ts"), await verdict("docs/a/b.md")]).toEqual([
      "deny",
      true,
      "deny",
      "ask",
      "pass",
    ]);
    save('{"read": {"**/b.txt": "deny"}}');
    expect(await verdict()).toBe("pass");
    mkdirSync(at.path("ws/.hallpass"));
    writeFileSync(at.path("ws/.hallpass/policy.json"), '{"read": {"**/a.txt": "deny"}}');
    expect(await verdict()).toBe("deny");
    rmSync(at.path("ws/.hallpass"), { recursive: true });
    expect(await verdict()).toBe("pass");
    save("{ nonsense");
    await expect(verdict()).rejects.toThrow(/not JSON|should stand/);
    rmSync(policy);
    expect(await verdict()).toBe("pass");
  });

  test("is not used when others could have written it, when it is not whole, or for another program", async () => {
    save('{"read": {"**/a.txt": "deny"}}');
    rmSync(kept, { force: true });
    await verdict();
    const forged = readFileSync(kept, "utf8").replaceAll("deny", "ask");
    const tries: readonly (() => void)[] = [
      () => (writeFileSync(kept, forged), chmodSync(kept, 0o666)),
      () => (rmSync(kept), writeFileSync(kept, forged.slice(0, -20), { mode: 0o600 })),
      () => (rmSync(kept), writeFileSync(kept, "x", { mode: 0o600 })),
      () => (rmSync(kept), writeFileSync(`${kept}.real`, forged, { mode: 0o600 }), symlinkSync(`${kept}.real`, kept)),
    ];
    for (const forge of tries) {
      forge();
      expect(await verdict()).toBe("deny");
    }
    expect(await verdict("a.txt", "2")).toBe("deny");
  });

  test("is not used where the environment leads to other files, or makes other places secret", async () => {
    save('{"read": {"**/a.txt": "deny", "~/docs/**": "allow"}}');
    const other = join(home, "other", "hallpass", "policy.json");
    mkdirSync(join(other, ".."), { recursive: true });
    writeFileSync(other, '{"read": {"**/a.txt": "ask"}}');
    const before = new Date(Date.now() - 60_000);
    utimesSync(other, before, before);
    const said = [];
    for (const env of [{}, { XDG_CONFIG_HOME: join(home, "other") }, {}, {}]) said.push(await verdict("a.txt", "1", env));
    expect(said).toEqual(["deny", "ask", "deny", "deny"]);
    expect([await verdict("docs/a/b.md"), isKept()]).toEqual(["pass", true]);
    const beside = join(home, "docs", "b.md");
    mkdirSync(join(beside, ".."), { recursive: true });
    writeFileSync(beside, "");
    expect(await verdict(beside, "1", { HALLPASS_DATA: join(home, "docs") })).toBe("deny");
    expect(await verdict(beside)).not.toBe("deny");
  });

  test("is not taken from a data directory in the workspace, and neither is a policy", async () => {
    save('{"read": {"**/a.txt": "deny"}}');
    const inside = (): string => at.path("ws/cfg");
    mkdirSync(join(inside(), "hallpass"), { recursive: true });
    writeFileSync(join(inside(), "hallpass", "policy.json"), '{"read": {"**/a.txt": "ask"}}');
    for (const env of [{ HALLPASS_DATA: inside() }, { XDG_DATA_HOME: inside() }, { XDG_CONFIG_HOME: inside() }])
      await expect(verdict("a.txt", "1", env)).rejects.toThrow(/lies in the workspace/u);
    rmSync(inside(), { recursive: true });
    expect(await verdict()).toBe("deny");
  });

  test("holds no descriptor afterwards", async () => {
    save('{"read": {"**/a.txt": "deny"}}');
    await verdict();
    const held = readdirSync("/proc/self/fd").length;
    for (let times = 0; times < 5; times += 1) await verdict();
    expect(readdirSync("/proc/self/fd").length).toBe(held);
  });

  test("is not kept while a file may still change within the same moment, nor where it lies behind a link", async () => {
    rmSync(kept, { force: true });
    save('{"read": {"**/a.txt": "deny"}}', 0);
    expect([await verdict(), isKept()]).toEqual(["deny", false]);
    rmSync(policy);
    writeFileSync(join(home, "elsewhere.json"), '{"read": {"**/a.txt": "ask"}}');
    symlinkSync(join(home, "elsewhere.json"), policy);
    expect([await verdict(), isKept()]).toEqual(["ask", false]);
  });
});
