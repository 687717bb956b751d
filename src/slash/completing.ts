// Completion of what is typed into a chat, in the terminal and on the page: the commands that match, and the word that may be a path.

import { type SlashCommand, slashCommands } from "./slash-commands.ts";

/** Commands that begin like what is typed so far. */
export function commandsLike(typed: string): readonly SlashCommand[] {
  return /^\/[a-z_]*$/.test(typed) ? slashCommands.filter(({ name }) => name.startsWith(typed)) : [];
}

/**
 * Does Enter take an offer, which would stand in place of the text from `from` to the caret? Not where it stands there already; and a path
 * that was begun without an `@` is sent as it is. `isPicked`: the person has moved to it.
 */
export function isMeant(
  offer: { readonly text: string; readonly from: number },
  typed: { readonly text: string; readonly caret: number; readonly isPicked: boolean },
): boolean {
  if (typed.text.slice(offer.from, typed.caret) === offer.text) return false;
  return typed.isPicked || typed.text[offer.from] === "@" || commandsLike(typed.text).length > 0;
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
