// What each host's call would make of files, as its input tells; and which calls are of the same content.

import { expect, test } from "vitest";
import type { PlannedWrite } from "../../core/access.ts";
import type { HostCall } from "./host-call.ts";
import type { HostName } from "./host-table.ts";
import { hookHosts } from "./hosts/all.ts";
import { plannedBy } from "./planned.ts";

const call = (tool: string, input: HostCall["input"]): HostCall => ({
  event: "",
  tool,
  input,
  sessionId: "s",
  callId: null,
  agentId: null,
  agentType: null,
  cwd: "/ws",
  attended: true,
});
const planned = (host: HostName, tool: string, input: HostCall["input"]) => plannedBy(call(tool, input), hookHosts[host]);

const whole = { what: "whole", path: "/ws/a", content: "new" } as const;
const edits = (...pairs: readonly (readonly [string, string, boolean?])[]): PlannedWrite => ({
  what: "edits",
  path: "/ws/a",
  loose: true,
  edits: pairs.map(([old, now, all = false]) => ({ old, new: now, all })),
});
const patch =
  "*** Begin Patch\n*** Update File: a\n@@ class A\n one\n-two\n+TWO\n@@\n-three\n*** Add File: n\n+new\n*** Delete File: d\n*** End Patch\n";
const patched: readonly PlannedWrite[] = [
  {
    what: "sections",
    path: "/ws/a",
    loose: true,
    sections: [
      { after: ["class A"], old: ["one", "two"], new: ["one", "TWO"] },
      { after: [], old: ["three"], new: [] },
    ],
  },
  { what: "whole", path: "/ws/n", content: "new\n" },
  { what: "removal", path: "/ws/d" },
];

test.each<[HostName, string, HostCall["input"], readonly PlannedWrite[]]>([
  ["claude-code", "Write", { file_path: "a", content: "new" }, [whole]],
  ["claude-code", "Edit", { file_path: "/ws/a", old_string: "x", new_string: "y", replace_all: true }, [edits(["x", "y", true])]],
  [
    "claude-code",
    "MultiEdit",
    {
      file_path: "a",
      edits: [
        { old_string: "x", new_string: "y" },
        { old_string: "y", new_string: "z" },
      ],
    },
    [edits(["x", "y"], ["y", "z"])],
  ],
  ["codex", "apply_patch", { command: patch }, patched],
  ["codex", "apply_patch", { command: ["apply_patch", patch] }, patched],
  ["gemini", "write_file", { file_path: "a", content: "new" }, [whole]],
  ["gemini", "replace", { file_path: "a", old_string: "x", new_string: "y", instruction: "why" }, [edits(["x", "y"])]],
  ["copilot", "create", { path: "a", file_text: "new" }, [whole]],
  ["copilot", "str_replace", { path: "a", old_str: "x", new_str: "y" }, [edits(["x", "y"])]],
  ["copilot", "create_file", { filePath: "a", content: "new" }, [whole]],
  ["copilot", "multi_replace_string_in_file", { replacements: [{ filePath: "a", oldString: "x", newString: "y" }] }, [edits(["x", "y"])]],
  ["cursor", "Write", { path: "a", contents: "new" }, [whole]],
  ["cursor", "StrReplace", { path: "a", old_string: "x", new_string: "y" }, [edits(["x", "y"])]],
  ["opencode", "write", { filePath: "a", content: "new" }, [whole]],
  ["opencode", "edit", { filePath: "a", oldString: "x", newString: "y", replaceAll: true }, [edits(["x", "y", true])]],
  ["opencode", "apply_patch", { patchText: patch }, patched],
  // Of these it cannot be told.
  ["claude-code", "Bash", { command: "echo x > a" }, []],
  ["claude-code", "NotebookEdit", { notebook_path: "a", new_source: "x" }, []],
  ["claude-code", "Write", { file_path: "a" }, []],
  ["claude-code", "MultiEdit", { file_path: "a", edits: ["x"] }, []],
  ["cursor", "Write", { path: "a", file_path: "b", contents: "new" }, []],
])("%s %s %j", (host, tool, input, writes) => expect(planned(host, tool, input).writes).toEqual(writes));

test("the same change is of the same content, whatever is said about it; another one is not", () => {
  const edit = (more: object) => planned("gemini", "replace", { file_path: "a", old_string: "x", new_string: "y", ...more }).content;
  expect(edit({ instruction: "again" })).toBe(edit({ instruction: "why" }));
  expect(edit({ new_string: "z" })).not.toBe(edit({}));
  expect(edit({ file_path: "b" })).not.toBe(edit({}));
  const command = (text: string) => planned("claude-code", "Bash", { command: text }).content;
  expect([command("echo x > a") === command("echo x > a"), command("echo x > a") === command("echo y > a")]).toEqual([true, false]);
  const apply = (text: string) => planned("codex", "apply_patch", { command: text }).content;
  expect(apply(patch.replace("TWO", "THREE"))).not.toBe(apply(patch));
});
