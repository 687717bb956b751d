// One host, by its name: a hook speaks to one, so the tables of the others are not made.

import type { HookHost, HostName } from "../host-call.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

export function hookHostNamed(name: HostName): HookHost {
  switch (name) {
    case "claude-code":
      return claudeCode();
    case "codex":
      return codex();
    case "gemini":
      return gemini();
    case "copilot":
      return copilot();
    case "cursor":
      return cursor();
    case "opencode":
      return opencode();
  }
}
