// The hosts by name. Each is made when it is asked for: a hook speaks to one, and the tables of the others are not made.

import type { HookHost } from "../host-call.ts";
import type { HostName } from "../host-table.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

export const hookHosts: Readonly<Record<HostName, HookHost>> = {
  get "claude-code"() {
    return claudeCode();
  },
  get codex() {
    return codex();
  },
  get gemini() {
    return gemini();
  },
  get copilot() {
    return copilot();
  },
  get cursor() {
    return cursor();
  },
  get opencode() {
    return opencode();
  },
};
