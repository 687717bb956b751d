// The real programs: where each comes from, how it is started without anybody at it, and how its own tools are called. Everything of its own
// that would stop a call is switched off (its questions, its sandbox), so that what holds is held by our guard. Cursor is not among them: it
// comes from no registry and starts only with an account.

import { claudeCode } from "./programs/claude-code.mjs";
import { codex, olderCodex } from "./programs/codex.mjs";
import { copilot } from "./programs/copilot.mjs";
import { gemini } from "./programs/gemini.mjs";
import { opencode } from "./programs/opencode.mjs";

export const programs = { "claude-code": claudeCode, codex, "codex-0.130": olderCodex, copilot, gemini, opencode };
