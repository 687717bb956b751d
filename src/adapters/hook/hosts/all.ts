// The hosts by name, all of them made.

import type { HookHost, HostName } from "../host-call.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

export const hookHosts: Readonly<Record<HostName, HookHost>> = {
  "claude-code": claudeCode(),
  codex: codex(),
  gemini: gemini(),
  copilot: copilot(),
  cursor: cursor(),
  opencode: opencode(),
};
