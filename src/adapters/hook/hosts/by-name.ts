// One host, by its name: a hook speaks to one, so the tables of the others are not made.

import type { HookHost, HostName } from "../host-call.ts";

export async function hookHostNamed(name: HostName): Promise<HookHost> {
  switch (name) {
    case "claude-code":
      return (await import("./claude-code.ts")).claudeCode;
    case "codex":
      return (await import("./codex.ts")).codex;
    case "gemini":
      return (await import("./gemini.ts")).gemini;
    case "copilot":
      return (await import("./copilot.ts")).copilot;
    case "cursor":
      return (await import("./cursor.ts")).cursor;
    case "opencode":
      return (await import("./opencode.ts")).opencode;
  }
}
