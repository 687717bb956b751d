// Golden files of every host, in both directions: its payload → our call, our answer → its words. And whether those words block, as it
// was measured on the real programs: each way of letting a call go by mistake is a row here.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blocked, type HookAnswer, type HostCall, type ProcessEnd, type Words } from "../../src/adapters/hook/host-call.ts";
import { hostNames, type HostName } from "../../src/adapters/hook/host-table.ts";
import { hookHosts } from "../../src/adapters/hook/hosts/all.ts";

const golden = (host: HostName, file: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "..", "golden", "hook", host, file), "utf8"));
const endOf = (words: Words): ProcessEnd =>
  words.exit === 0 ? { exit: 0, stdout: words.stdout, stderr: "" } : { exit: 2, stdout: "", stderr: words.stderr };

describe.each(hostNames)("%s", (name) => {
  const host = hookHosts[name];
  const ins = golden(name, "in.json") as readonly { name: string; payload: Record<string, unknown>; decoded: unknown }[];
  const outs = golden(name, "out.json") as readonly { name: string; event: string; answer: HookAnswer; words: Words }[];

  test.each(ins)("reads $name", ({ payload, decoded }) => expect(host.decode(payload)).toEqual(decoded));
  test.each(outs)("says $name", ({ event, answer, words }) => {
    const said = host.encode(answer, { event } as HostCall);
    expect(said).toEqual(words);
    expect(host.blocks(endOf(said))).toBe(answer.verdict === "deny" || answer.verdict === "ask");
    expect(endOf(said).stdout.split("\n").length).toBeLessThanOrEqual(2);
  });
  test("a fault blocks", () => expect(host.blocks(endOf(blocked("anything")))).toBe(true));
  test("every tool in its table says what it does with its arguments in words of core", () => {
    for (const use of host.tools.flatMap((made) => Object.values(made())))
      for (const operation of Object.values(use.paths ?? {}))
        expect(["read", "list", "search", "create", "replace", "remove"]).toContain(operation);
  });
});

const json = (value: unknown): string => JSON.stringify(value);
const claude = (more: object): string => json({ hookSpecificOutput: { hookEventName: "PreToolUse", ...more } });

describe("words that let a call go, as measured, are known as such", () => {
  test.each<[HostName, string, ProcessEnd]>([
    ["codex", "ask", { exit: 0, stdout: claude({ permissionDecision: "ask", permissionDecisionReason: "x" }), stderr: "" }],
    ["codex", "deny without a reason", { exit: 0, stdout: claude({ permissionDecision: "deny" }), stderr: "" }],
    [
      "codex",
      "deny with a field more",
      { exit: 0, stdout: claude({ permissionDecision: "deny", permissionDecisionReason: "x", extra: 1 }), stderr: "" },
    ],
    ["codex", "deny with exit 1", { exit: 1, stdout: claude({ permissionDecision: "deny", permissionDecisionReason: "x" }), stderr: "" }],
    ["codex", "exit 2 without a word", { exit: 2, stdout: "", stderr: "" }],
    ["codex", "exit 1", { exit: 1, stdout: "", stderr: "x" }],
    ["codex", "no JSON", { exit: 0, stdout: "no", stderr: "" }],
    ["codex", "continue: false", { exit: 0, stdout: json({ continue: false }), stderr: "" }],
    ["codex", "a signal", { exit: null, stdout: "", stderr: "" }],
    ["gemini", "exit 1", { exit: 1, stdout: "", stderr: "x" }],
    ["gemini", "no JSON", { exit: 0, stdout: "no", stderr: "" }],
    ["gemini", "Claude's words", { exit: 0, stdout: claude({ permissionDecision: "deny", permissionDecisionReason: "x" }), stderr: "" }],
    ["claude-code", "exit 1", { exit: 1, stdout: claude({ permissionDecision: "deny" }), stderr: "x" }],
    ["claude-code", "no JSON", { exit: 0, stdout: "no", stderr: "" }],
    ["claude-code", "a missing program", { exit: 127, stdout: "", stderr: "not found" }],
    ["cursor", "exit 1", { exit: 1, stdout: "", stderr: "x" }],
    ["copilot", "no word", { exit: 0, stdout: "{}", stderr: "" }],
  ])("%s: %s", (host, _name, end) => expect(hookHosts[host].blocks(end)).toBe(false));

  test("and those that stop one", () => {
    const reason = { permissionDecision: "deny", permissionDecisionReason: "x" };
    expect(hookHosts.codex.blocks({ exit: 0, stdout: json({ decision: "block", reason: "x" }), stderr: "" })).toBe(true);
    expect(hookHosts.codex.blocks({ exit: 0, stdout: claude(reason), stderr: "" })).toBe(true);
    expect(hookHosts.gemini.blocks({ exit: 1, stdout: json({ decision: "deny" }), stderr: "" })).toBe(true);
    expect(hookHosts.gemini.blocks({ exit: 127, stdout: "", stderr: "" })).toBe(true);
    expect(hookHosts.copilot.blocks({ exit: 1, stdout: "", stderr: "" })).toBe(true);
  });
});
