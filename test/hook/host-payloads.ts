// How each host's agent would do an operation: its own tool for it, or its shell. Payloads as the host sends them.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Operation } from "../../src/core/access.ts";
import type { HostName } from "../../src/adapters/hook/host-table.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The operation as a shell command. */
export function shellCommand(operation: Operation, path: string): string {
  const word = quoted(path);
  return {
    read: `cat ${word}`,
    list: `ls ${word}`,
    search: `grep -r x ${word}`,
    create: `echo CHANGED > ${word}`,
    replace: `echo CHANGED | tee ${word}`,
    remove: `rm ${word}`,
  }[operation];
}

type Payload = Readonly<Record<string, unknown>>;

function claude(cwd: string, tool_name: string, tool_input: object): Payload {
  return {
    session_id: "s",
    transcript_path: "/t",
    cwd,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name,
    tool_input,
    tool_use_id: "t",
  };
}

const patch = (line: string): object => ({ command: `*** Begin Patch\n${line}\n*** End Patch` });

/** What the hook of the host is given when its agent wants to do this. */
export function payloadFor(host: HostName, operation: Operation, path: string, cwd: string): Payload {
  const command = shellCommand(operation, path);
  switch (host) {
    case "claude-code": {
      if (operation === "read") return claude(cwd, "Read", { file_path: path });
      if (operation === "list") return claude(cwd, "Glob", { pattern: "*", path });
      if (operation === "search") return claude(cwd, "Grep", { pattern: "x", path });
      if (operation === "create") return claude(cwd, "Write", { file_path: path, content: "CHANGED" });
      return operation === "replace"
        ? claude(cwd, "Edit", { file_path: path, old_string: "a", new_string: "b" })
        : claude(cwd, "Bash", { command });
    }
    case "codex": {
      const codex = { ...claude(cwd, "Bash", { command }), turn_id: "1", model: "m" };
      if (operation === "replace") return { ...codex, tool_name: "apply_patch", tool_input: patch(`*** Update File: ${path}`) };
      return operation === "remove" ? { ...codex, tool_name: "apply_patch", tool_input: patch(`*** Delete File: ${path}`) } : codex;
    }
    case "gemini": {
      const of = (tool_name: string, tool_input: object): Payload => ({
        session_id: "s",
        transcript_path: "",
        cwd,
        hook_event_name: "BeforeTool",
        timestamp: "2026-11-15T12:00:00.000Z",
        tool_name,
        tool_input,
      });
      if (operation === "read") return of("read_file", { file_path: path });
      if (operation === "list") return of("list_directory", { dir_path: path });
      if (operation === "search") return of("grep_search", { pattern: "x", dir_path: path });
      if (operation === "create") return of("write_file", { file_path: path, content: "CHANGED" });
      return operation === "replace"
        ? of("replace", { file_path: path, old_string: "a", new_string: "b" })
        : of("run_shell_command", { command });
    }
    case "copilot": {
      const of = (toolName: string, toolArgs: object): Payload => ({ sessionId: "s", timestamp: 0, cwd, toolName, toolArgs });
      if (operation === "read" || operation === "list") return of("view", { path });
      if (operation === "search") return of("grep", { pattern: "x", path });
      if (operation === "create") return of("create", { path, file_text: "CHANGED" });
      return operation === "replace" ? of("edit", { path, old_str: "a", new_str: "b" }) : of("bash", { command });
    }
    case "opencode": {
      const of = (tool: string, args: object): Payload => ({
        event: "tool.execute.before",
        tool,
        args,
        session: "s",
        call: "t",
        agent: null,
      });
      if (operation === "read") return of("read", { filePath: path });
      if (operation === "list") return of("list", { path });
      if (operation === "search") return of("grep", { pattern: "x", path });
      if (operation === "create") return of("write", { filePath: path, content: "CHANGED" });
      return operation === "replace" ? of("edit", { filePath: path, oldString: "a", newString: "b" }) : of("bash", { command });
    }
    case "cursor": {
      const of = (hook_event_name: string, more: object): Payload => ({
        conversation_id: "s",
        generation_id: "g",
        hook_event_name,
        workspace_roots: [cwd],
        cwd,
        ...more,
      });
      if (operation === "read") return of("beforeReadFile", { file_path: path, content: "", attachments: [] });
      if (operation === "list") return of("beforeShellExecution", { command });
      if (operation === "search") return of("preToolUse", { tool_name: "Grep", tool_input: { pattern: "x", path } });
      if (operation === "remove") return of("preToolUse", { tool_name: "Delete", tool_input: { path } });
      return of("preToolUse", { tool_name: "Write", tool_input: { file_path: path, content: "CHANGED" } });
    }
  }
}

/** The same thing done with no hook at all, to show what would come of it. */
export function withoutGuard(operation: "read" | "list", path: string, cwd: string): string {
  return operation === "read"
    ? readFileSync(path.startsWith("/") ? path : `${cwd}/${path}`, "utf8")
    : execFileSync("sh", ["-c", shellCommand(operation, path)], { cwd, encoding: "utf8" });
}
