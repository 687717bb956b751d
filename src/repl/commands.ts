// The commands of a chat as the terminal takes them: those that every chat has, and how to leave.

import { readSlash, type SlashAnswer, slashCommands, slashHelp, type SlashPorts } from "../slash/slash-commands.ts";
import { nearNames } from "../tools/near.ts";

const chatHelp = (): string =>
  [
    slashHelp(),
    "/quit: leave; with the daemon the session stays",
    "",
    "Enter sends; Alt-Enter, Ctrl-J or \\ and Enter begin a new line; ↑ brings back what was said.",
    "@ and a few letters of a file's path offer it, / offers the commands; Tab or Enter takes what is chosen.",
    "Ctrl-C stops what runs; twice leaves. When a card asks, only its keys count.",
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
        text: `there is no command ${name}${near.length === 0 ? "; /help lists them" : `; did you mean ${near.join(" or ")}?`}`,
        tone: "bad",
      };
    }
    return ports === null ? { text: "one moment: the chat is not open yet", tone: "bad" } : command.run(argument, ports);
  };
}
