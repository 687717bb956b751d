// Which of the tools a host offers the hook does not know: those it asks about or denies, whatever they do. A new version of a host brings
// new ones, and this is where it shows.

import { spawnSync } from "node:child_process";

/** What the payload looks like, by host; all of it empty but the tool's name. */
const payloads = {
  copilot: (tool, cwd) => ({ sessionId: "s", timestamp: 0, cwd, toolName: tool, toolArgs: {} }),
  opencode: (tool) => ({ event: "tool.execute.before", tool, args: {}, session: "s", call: "c" }),
  gemini: (tool, cwd) => ({ ...common(tool, cwd), hook_event_name: "BeforeTool" }),
  "claude-code": (tool, cwd) => ({ ...common(tool, cwd), hook_event_name: "PreToolUse" }),
  codex: (tool, cwd) => ({ ...common(tool.split("/").at(-1), cwd), hook_event_name: "PreToolUse" }),
};
const common = (tool, cwd) => ({ session_id: "s", tool_name: tool, tool_input: {}, tool_use_id: "t", cwd, permission_mode: "default" });
/** Names under which a host shows a tool to its model, where its hooks are told another. */
const renamed = { codex: { exec_command: "Bash", shell_command: "Bash", shell: "Bash" } };

export function unknownTools(host, names, hallpass, { cwd, env }) {
  return [...new Set(names)]
    .filter((name) => !/hallpass/u.test(name))
    .filter((name) => {
      const payload = JSON.stringify(payloads[host](renamed[host]?.[name] ?? name, cwd));
      const ended = spawnSync(process.execPath, [hallpass, "hook", host], { cwd, env, input: payload, encoding: "utf8" });
      return `${ended.stdout}${ended.stderr}`.includes("is no tool this hook knows");
    });
}
