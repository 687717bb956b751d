// Draws the first screen of a chat (dist/terminal.js) before the rest of the program is loaded, and hands it on.
// Imports nothing that drawing does not need.

import { systemClock } from "../core/clock.ts";
import { chatView, startingChat } from "../repl/chat-view.ts";
import { openScreen, type Screen } from "../repl/screen.ts";
import { chatPlanOf } from "./chat-plan.ts";
import { readCall } from "./flags.ts";
import { type Streams, terminalOf } from "./terminal.ts";

/** The screen with the first picture on it; null where there is no terminal, or the words are not understood: the command says so. */
export function paintChat(words: readonly string[]): Screen | null {
  const streams = terminalOf({ input: process.stdin, output: process.stdout, errors: process.stderr, env: process.env });
  return streams === null ? null : drawChat(words, streams, process.cwd());
}

export function drawChat(words: readonly string[], streams: Streams, cwd: string): Screen | null {
  const plan = parsePlan(words, cwd);
  if (plan === null) return null;
  const screen = openScreen(streams, streams);
  screen.draw(chatView(startingChat(plan.workspace, plan.text), screen.size(), systemClock()));
  return screen;
}

function parsePlan(words: readonly string[], cwd: string): ReturnType<typeof chatPlanOf> | null {
  try {
    return chatPlanOf(readCall("chat", words), cwd);
  } catch {
    return null;
  }
}
