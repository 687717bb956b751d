// Our own line in a host's file: known again however it was written, and nobody else's.

import { describe, expect, test } from "vitest";
import { hookLine, isOurHook, isOurHookLine, type Programs } from "./programs.ts";

const programs: Programs = {
  node: "/opt/node 20/bin/node",
  entry: "/opt/hallpass/bin/hallpass.cjs",
  client: "/opt/hallpass/bin/hallpass-hook",
  bash: "/bin/bash",
  hook: "/opt/hallpass/dist/hook.cjs",
  shell: "/opt/hallpass/bin/hallpass-shell",
  plugin: "/opt/hallpass/dist/opencode-plugin.js",
};

const place = (platform: NodeJS.Platform, env = {}) => ({ platform, home: "/home/ada lovelace", env });

describe("the line we write", () => {
  test.each([
    ["the shell's client", programs, "linux"],
    ["without bash in its usual place", { ...programs, bash: null }, "linux"],
    ["without a client", { ...programs, client: null }, "linux"],
    ["on Windows", programs, "win32"],
  ] as const)("%s is known as ours, for its host alone", (_name, with_, platform) => {
    const line = hookLine(with_, "gemini", place(platform));
    expect([isOurHook({ command: line }), isOurHookLine(line, "gemini"), isOurHookLine(line, "codex")]).toEqual([true, true, false]);
  });

  test("takes no functions and no files from the environment", () => {
    expect(hookLine(programs, "codex", place("linux"))).toContain(" /bin/bash -p /opt/hallpass/bin/hallpass-hook codex ");
  });
});

test.each([
  ["hallpass hook codex", true],
  ["'/usr/bin/node' '/x/bin/hallpass.cjs' 'hook' 'codex' '--ask'", true],
  ["/x/packages/claude-code-plugin/run hook codex", false],
  ['"/x/packages/gemini-extension/bin/hallpass-found" hook codex --ask', true],
  ["hallpass hook codexx", false],
  ["echo hallpass codex", false],
  ["my-hook codex", false],
])("%s: %s", (line, ours) => expect(isOurHookLine(line, "codex")).toBe(ours));

test.each([
  [{ command: "node ./dist/hook.cjs --lint" }, false],
  [{ hooks: [{ type: "command", command: "node dist/hook.cjs" }] }, false],
  [{ command: "echo see bin/hallpass-hook for more" }, false],
  [{ hooks: [{ type: "command", command: "'/opt/a b/bin/hallpass-hook' claude-code --ask" }] }, true],
  [{ command: "/opt/x/bin/hallpass-hook", args: ["codex"] }, true],
])("somebody's own hook is not taken for ours: %j: %s", (item, ours) => expect(isOurHook(item)).toBe(ours));
