import { expect, test } from "vitest";
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

test.each(["claude-code", "codex"] as const)("%s is told to say when its agent leaves, by the same line as before a call", (host) => {
  const { files, command } = planFor(host, where, programs, () => "");
  const entries = files.flatMap((file) => (file.kind === "json" ? file.entries : []));
  const items = entries.flatMap((entry) => (entry.kind === "item" ? [entry] : []));
  expect(items.map(({ at }) => at[1]).filter((event) => event !== "PostToolUse")).toEqual(["PreToolUse", "SessionEnd"]);
  for (const { value } of items) expect(JSON.stringify(value)).toContain(JSON.stringify(command));
});
