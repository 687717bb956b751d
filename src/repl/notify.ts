// Telling a person who looks elsewhere that somebody waits: a bell, and the two sequences terminals know for a notification. The text is
// ours; nothing of an agent's is in it, since a terminal would read it as its own.

/** `what` is one of our own sentences, in ASCII without controls and semicolons; anything else is left out. */
export function notification(what: string): string {
  const text = what.replace(/[^ -:<-~]/gu, "");
  return `\u0007\u001b]9;${text}\u0007\u001b]777;notify;Hallpass;${text}\u0007`;
}
