// The commands about the chat itself: going back in it, what it took, finding, exporting, archiving and deleting chats.

import { show } from "../core/path/show.ts";
import type { WireFoundChat } from "../wire/chat-routes.ts";
import { routes } from "../wire/http.ts";
import { usageWords } from "../wire/words.ts";
import type { WireChat, WireMessage } from "../wire/values.ts";
import type { SlashAnswer, SlashCommand, SlashPorts } from "./slash-commands.ts";

/** What becomes of a chat that is deleted; the same words wherever somebody is asked whether they are sure. */
export const deletionWords =
  "Its messages and questions are removed for good and cannot be brought back. What runs in it is stopped and its questions are closed. Grants given in it stay until you revoke them or the session ends. The audit record is kept.";

/** What going back does; the same words wherever it is offered. */
export const rewindWords =
  "What came after it no longer counts: the agent does not see it any more, and it is kept in the JSON export. What runs is stopped and open questions are withdrawn. Grants stay, and files that were changed stay changed.";

export const chatCommands: readonly SlashCommand[] = [
  {
    name: "/retry",
    takes: "",
    says: "send your last message again; what came after it no longer counts",
    run: (_, ports) => rewind(null, ports),
  },
  { name: "/edit", takes: "TEXT", says: "send this instead of your last message; what came after it no longer counts", run: edit },
  { name: "/search", takes: "TEXT", says: "find chats by their titles and messages", run: search },
  {
    name: "/export",
    takes: "[markdown|json]",
    says: "save this chat as a file, with what was asked, answered and granted",
    run: exportChat,
  },
  { name: "/usage", takes: "", says: "show the tokens that the model reported, and their cost where a price is known", run: usage },
  { name: "/archive", takes: "", says: "take this chat out of the lists; nothing in it stops", run: (_, ports) => archive(true, ports) },
  { name: "/restore", takes: "", says: "put this chat back into the lists", run: (_, ports) => archive(false, ports) },
  { name: "/delete", takes: "yes", says: "delete this chat's messages for good", run: remove },
];

const good = (text: string): SlashAnswer => ({ text, tone: "good" });
const bad = (text: string): SlashAnswer => ({ text, tone: "bad" });
const plain = (text: string): SlashAnswer => ({ text, tone: "plain" });
const NOTHING_YET = "send a message first: nothing was said in this chat yet";

async function edit(text: string, ports: SlashPorts): Promise<SlashAnswer> {
  return text === "" ? bad("what should it say? Type /edit and the new text of your last message") : rewind(text, ports);
}

/** Messages that are looked through at once for what the person said last. */
const PAGE = 200;

async function rewind(text: string | null, { client, chat }: SlashPorts): Promise<SlashAnswer> {
  if (chat === null) return bad(NOTHING_YET);
  for (let before: string | undefined; ;) {
    const query = { limit: PAGE, ...(before === undefined ? {} : { before }) };
    const { messages, earlier } = await client.send(routes.messages, { id: chat, query });
    const last = messages.findLast((message: WireMessage) => message.role === "person");
    if (last !== undefined) {
      await client.send(routes.rewind, { id: chat, body: { message: last.id, ...(text === null ? {} : { text }) } });
      return good("");
    }
    before = messages[0]?.id;
    if (!earlier || before === undefined) return bad(NOTHING_YET);
  }
}

const SHOWN = 10;
/** The most characters of a search text. */
export const LONGEST = 200;

/** The first chats in which a text is found, page by page; `say` gets their number after each page. */
export async function findChats(
  client: SlashPorts["client"],
  text: string,
  most: number,
  say: (found: number) => void = () => {},
): Promise<readonly WireFoundChat[]> {
  // A chat may be found again on a later page.
  const found = new Map<string, WireFoundChat>();
  for (let after: string | null = null; ;) {
    const page: FoundPage = await client.send(routes.searchChats, { query: { text, limit: most, ...(after === null ? {} : { after }) } });
    for (const one of page.found) if (!found.has(one.chat.id)) found.set(one.chat.id, one);
    after = page.next;
    if (after === null || found.size >= most) return [...found.values()].slice(0, most);
    say(found.size);
  }
}

interface FoundPage {
  readonly found: readonly WireFoundChat[];
  readonly next: string | null;
}

async function search(text: string, { client, open }: SlashPorts): Promise<SlashAnswer> {
  if (text === "") return bad("what are you looking for? Type /search and a word of a title or message");
  if (open !== undefined) {
    open("search", text);
    return plain("");
  }
  const found = await findChats(client, text.slice(0, LONGEST), SHOWN);
  if (found.length === 0) return { text: `no chat has ${show(text)} in its title or its messages`, tone: "dim" };
  return plain([...found.map(foundLine), openFound].join("\n"));
}

/** What to do with a chat that was found, in a terminal. A pager goes to the message by itself. */
export const openFound = "continue one: hallpass chat --resume ID\nread one: hallpass chats export ID | less -ip TEXT";

/** One line: its id, its title, and what was found. */
export function foundLine({ chat, message }: WireFoundChat): string {
  const title = `${chat.id.slice(0, 8)}  ${show(titleOf(chat))}${chat.archivedAt === null ? "" : " (archived)"}`;
  return message === null ? title : `${title}: ${message.role === "person" ? "you said" : "the agent said"} “${show(message.text)}”`;
}

export const titleOf = ({ title }: Pick<WireChat, "title">): string => (title === "" ? "untitled chat" : title);

/** A chat as a file: what it is called, and its lines as they come. */
export function exportOf(client: SlashPorts["client"], chat: Pick<WireChat, "id" | "title">, as: "markdown" | "json") {
  const slug = titleOf(chat)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, "");
  const lines = client.lines(as === "json" ? routes.exportChatJson : routes.exportChat, { id: chat.id });
  return { name: `${slug === "" ? "chat" : slug}-${chat.id.slice(0, 8)}.${as === "json" ? "json" : "md"}`, lines };
}

async function exportChat(argument: string, { client, chat, save }: SlashPorts): Promise<SlashAnswer> {
  const as = argument === "" ? "markdown" : argument;
  if (as !== "markdown" && as !== "json") return bad("/export markdown for people, /export json for programs");
  if (chat === null) return bad(NOTHING_YET);
  const { name, lines } = exportOf(client, await client.send(routes.chat, { id: chat }), as);
  return good(`exported to ${show(await save(name, lines))}`);
}

async function usage(_argument: string, { client, chat }: SlashPorts): Promise<SlashAnswer> {
  if (chat === null) return bad(NOTHING_YET);
  return plain(usageLines(await client.send(routes.chatUsage, { id: chat })).join("\n"));
}

/** All of it, and where several models had turns what each of them took. */
export function usageLines(all: Parameters<typeof usageWords>[0] & { readonly models: readonly ModelLine[] }): readonly string[] {
  const each =
    all.models.length < 2
      ? []
      : all.models.map((one) => `${one.model ?? "another model"}: ${usageWords({ ...one, pricesAsOf: all.pricesAsOf })}`);
  return [usageWords(all), ...each];
}

type ModelLine = Omit<Parameters<typeof usageWords>[0], "pricesAsOf"> & { readonly model: string | null };

async function archive(archived: boolean, { client, chat }: SlashPorts): Promise<SlashAnswer> {
  if (chat === null) return bad(NOTHING_YET);
  await client.send(routes.changeChat, { id: chat, body: { archived } });
  return good(archived ? "this chat is archived and no longer in the lists; /restore puts it back" : "this chat is in the lists again");
}

async function remove(argument: string, { client, chat }: SlashPorts): Promise<SlashAnswer> {
  if (chat === null) return bad(NOTHING_YET);
  if (argument !== "yes") return plain(`${deletionWords}\nTo delete this chat type /delete yes`);
  await client.send(routes.deleteChat, { id: chat });
  return { text: "this chat was deleted", tone: "good", leave: true };
}
