// The commands of a chat as the terminal takes them: those that every chat has, and how to leave.

import { readSlash, type SlashAnswer, slashCommands, slashHelp, type SlashPorts } from "../slash/slash-commands.ts";
import { nearNames } from "../tools/near.ts";

const chatHelp = (): string =>
  [
    slashHelp(),
    "/quit: quit; with the daemon the session stays open",
    "",
    "Enter sends; Alt-Enter, Ctrl-J or \\ and Enter start a new line; ↑ brings back earlier messages.",
    "Type @ and a few letters of a path to find a file, or / to see the commands; Tab or Enter takes what is chosen.",
    "Ctrl-C stops the agent; press it twice to quit. While a card is open, only its keys work.",
  ].join("\n");

/** Null where it is no command, and is said to the agent. `ports` are null until the chat is open. */
export function commandOf(text: string): ((ports: SlashPorts | null) => Promise<SlashAnswer>) | null {
  const typed = readSlash(text);
  if (typed === null) return null;
  const { name, argument } = typed;
  return async (ports) => {
    if (name === "/quit") return { text: "", tone: "dim", leave: true };
    if (name === "/help") return { text: chatHelp(), tone: "plain" };
    const command = slashCommands.find((one) => one.name === name);
    if (command === undefined) {
      const near = nearNames(name, [...slashCommands.map((one) => one.name), "/quit"]);
      return {
        text: `unknown command ${name}${near.length === 0 ? "; /help lists them" : `; did you mean ${near.join(" or ")}?`}`,
        tone: "bad",
      };
    }
    return ports === null ? { text: "one moment: the chat is still opening", tone: "bad" } : command.run(argument, ports);
  };
}
