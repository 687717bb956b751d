import { expect, test } from "vitest";
import { hookWait, hostNames, WAIT_MARGIN } from "../hook/host-table.ts";
import { planFor } from "./hosts.ts";

const where = { level: "user", workspace: "/w", home: "/home/ada", env: {}, platform: "linux" } as const;
const programs = {
  node: "/usr/bin/node",
  client: "/opt/hallpass-hook",
  bash: "/bin/bash",
  hook: "/opt/hook.cjs",
  entry: "/opt/main.js",
  shell: "/x/bin/hallpass-shell",
  plugin: "/opt/plugin.js",
};

test.each(hostNames.filter((host) => host !== "opencode"))("%s waits longer for the hook than the hook for a person", (host) => {
  const plan = planFor(host, where, programs, () => "");
  const text = JSON.stringify(plan.files);
  expect(plan.command).toContain(` --wait=${hookWait(host)}`);
  const seconds = [...text.matchAll(/"?timeout(?:Sec)?\\*": ?(\d+)/gu)].map(
    ([, number]) => Number(number) / (host === "gemini" ? 1000 : 1),
  );
  expect(Math.max(...seconds)).toBe(hookWait(host) + WAIT_MARGIN);
});

test.each(["claude-code", "codex", "gemini"] as const)("a person's message in %s is never stopped by our hook", (host) => {
  const text = JSON.stringify(planFor(host, where, programs, () => "").files);
  expect(text).toMatch(new RegExp(`--wait=${hookWait(host)} --start \\|\\| true"`, "u"));
});

test.each(["claude-code", "codex"] as const)("%s is told to say when its agent leaves, by the same line as before a call", (host) => {
  const { files, command } = planFor(host, where, programs, () => "");
  const entries = files.flatMap((file) => (file.kind === "json" ? file.entries : []));
  const items = entries.flatMap((entry) => (entry.kind === "item" ? [entry] : []));
  expect(items.map(({ at }) => at[1]).filter((event) => event !== "PostToolUse")).toEqual(["PreToolUse", "SessionEnd", "UserPromptSubmit"]);
  for (const { at, value } of items) if (at[1] !== "UserPromptSubmit") expect(JSON.stringify(value)).toContain(JSON.stringify(command));
});
