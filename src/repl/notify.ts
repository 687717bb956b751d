// Notifies a person who looks elsewhere: a bell, and the two escape sequences that terminals know for notifications. The text is ours
// and holds nothing from an agent, since a terminal could take that for a command.

/** `what` is one of our own sentences, in ASCII without controls and semicolons; anything else is left out. */
export function notification(what: string): string {
  const text = what.replace(/[^ -:<-~]/gu, "");
  return `\u0007\u001b]9;${text}\u0007\u001b]777;notify;Hallpass;${text}\u0007`;
}
