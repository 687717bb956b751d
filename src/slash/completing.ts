// Completion of what is typed into a chat, in the terminal and on the page: the commands that match, and the word that may be a path.

import { type SlashCommand, slashCommands } from "./slash-commands.ts";

/** Commands that begin like what is typed so far. */
export function commandsLike(typed: string): readonly SlashCommand[] {
  return /^\/[a-z_]*$/.test(typed) ? slashCommands.filter(({ name }) => name.startsWith(typed)) : [];
}

/** The word before the caret, if it may be a path: with a slash, a dot at its start, or an `@` before it. */
export function pathBefore(text: string, caret: number): { readonly prefix: string; readonly from: number } | null {
  const before = text.slice(0, caret);
  const match = /(?:^|\s)(@?)((?:\.{0,2}\/|[\w.-]+\/)?[^\s]*)$/.exec(before);
  if (match === null) return null;
  const hasAtSign = match[1] === "@";
  const prefix = match[2] ?? "";
  if (!hasAtSign && !prefix.includes("/")) return null;
  if (before.trimStart().startsWith("/") && commandsLike(before.trimStart()).length > 0) return null;
  return { prefix, from: caret - prefix.length - (hasAtSign ? 1 : 0) };
}
