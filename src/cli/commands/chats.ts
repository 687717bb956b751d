// hallpass chats [list | search | export | rename | archive | restore | delete]: the chats of every session.

import { once } from "node:events";
import { resolve } from "node:path";
import { systemClock } from "../../core/clock.ts";
import { show } from "../../core/path/show.ts";
import { deletionWords, exportOf, findChats, foundLine, LONGEST, openFound, titleOf } from "../../slash/chat-commands.ts";
import { type Client, WireError } from "../../wire/client.ts";
import { routes } from "../../wire/http.ts";
import type { WireChat } from "../../wire/values.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { everyChat } from "../listing.ts";
import { withProgress } from "../progress.ts";
import { byPrefix, withRecords } from "../records.ts";
import { confirm } from "../confirm.ts";
import { saveLines } from "../save-lines.ts";
import { ago, writeRows } from "../table.ts";

type Values = Call<"chats">["values"];

export async function chats({ values, words: [what = "list", ...rest] }: Call<"chats">, host: Host): Promise<number> {
  const verb = oneOf("chats", what, ["list", "search", "export", "rename", "archive", "restore", "delete"]);
  return withRecords(host, async ({ client }) => {
    if (verb === "list") return list(client, values, host);
    const [id, ...words] = rest;
    if (id === undefined)
      throw new UsageError(
        verb === "search"
          ? "what are you looking for? hallpass chats search TEXT"
          : `which one? hallpass chats ${verb} ID; \`hallpass chats\` lists them`,
      );
    if (verb === "search") return search(client, rest.join(" "), values, host);
    const chat = await findChat(client, id);
    switch (verb) {
      case "export":
        return exportChat(client, chat, values, host);
      case "rename":
        return change(client, chat, { title: words.join(" ").slice(0, 200) }, "renamed", host);
      case "archive":
        return change(client, chat, { archived: true }, "archived", host);
      case "restore":
        return change(client, chat, { archived: false }, "restored", host);
      case "delete":
        return remove(client, chat, values, host);
    }
  });
}

async function list(client: Client, values: Values, host: Host): Promise<number> {
  const all: WireChat[] = [];
  for await (const chat of everyChat(client, values.archived === true ? "true" : "false")) all.push(chat);
  const now = systemClock();
  return writeRows<WireChat>(
    host,
    all,
    [
      { name: "id", value: ({ id }) => id.slice(0, 8) },
      { name: "title", value: (chat) => show(titleOf(chat)), cut: true },
      { name: "model", value: ({ model }) => (model === null ? "" : show(model)), cut: true },
      { name: "begun", value: ({ at }) => ago(at, now) },
      { name: "", value: ({ status }) => states[status] },
    ],
    { json: values.json, none: values.archived === true ? "no chat is archived" : "there is no chat; `hallpass chat` begins one" },
  );
}

const states: Readonly<Record<WireChat["status"], string>> = {
  idle: "",
  running: "works",
  waiting_for_input: "waits for you",
  failed: "failed",
  archived: "session ended",
};

/** As many as are shown of what was found. */
const SHOWN = 50;

async function search(client: Client, text: string, values: Values, host: Host): Promise<number> {
  if (text.length > LONGEST) throw new UsageError(`the search text may have at most ${LONGEST} characters`);
  const all = await withProgress(host, "searching", (say) => findChats(client, text, SHOWN, (count) => say(`${count} found`)));
  if (values.json === true) host.output.write(`${JSON.stringify(all, null, 2)}\n`);
  else if (all.length === 0) host.output.write(`no chat has ${show(text)} in its title or its messages\n`);
  else {
    host.output.write(`${all.map(foundLine).join("\n")}\n`);
    if (host.output.isTTY === true) host.errors.write(`${openFound}\n`);
  }
  return exitCodes.done;
}

/** The chat whose id begins like this. One whose session has ended is found by its whole id. */
async function findChat(client: Client, prefix: string): Promise<WireChat> {
  const all: WireChat[] = [];
  for (const archived of ["false", "true"] as const) for await (const chat of everyChat(client, archived)) all.push(chat);
  const chat = byPrefix(all, prefix);
  if (chat === "several") throw new UsageError(`more than one chat's id begins with ${show(prefix)}; \`hallpass chats\` lists them`);
  if (chat !== "none") return chat;
  try {
    return await client.send(routes.chat, { id: prefix });
  } catch (error) {
    if (!(error instanceof WireError) || error.code !== "not-found") throw error;
    throw new UsageError(`no chat's id begins with ${show(prefix)}; \`hallpass chats\` and \`hallpass chats --archived\` list them`);
  }
}

async function exportChat(client: Client, chat: WireChat, { json, output }: Values, host: Host): Promise<number> {
  const { lines } = exportOf(client, chat, json === true ? "json" : "markdown");
  if (output !== undefined) {
    const path = await withProgress(host, "exporting", () => saveLines(resolve(host.cwd, output), lines));
    host.errors.write(`exported to ${show(path)}\n`);
    return exitCodes.done;
  }
  // What is written to a terminal must not steer it; a file or another program gets every byte.
  const printable = (line: string): string => (host.output.isTTY === true ? show(line).replaceAll("\\\\", "\\") : line);
  for await (const line of lines) if (!host.output.write(`${printable(line)}\n`)) await once(host.output, "drain");
  return exitCodes.done;
}

async function change(
  client: Client,
  { id }: WireChat,
  to: { readonly title?: string; readonly archived?: boolean },
  done: string,
  host: Host,
): Promise<number> {
  if (to.title === "") throw new UsageError("what should it be called? hallpass chats rename ID TITLE");
  const chat = await client.send(routes.changeChat, { id, body: to });
  host.output.write(`${done}: ${show(titleOf(chat))}\n`);
  return exitCodes.done;
}

async function remove(client: Client, chat: WireChat, { yes }: Values, host: Host): Promise<number> {
  if (yes !== true) {
    host.output.write(`${show(titleOf(chat))}\n${deletionWords}\n`);
    if (!(await confirm(host, "Delete it?"))) {
      host.errors.write("hallpass: nothing was deleted; use --yes to delete without being asked\n");
      return exitCodes.fault;
    }
  }
  await client.send(routes.deleteChat, { id: chat.id });
  host.output.write(`deleted: ${show(titleOf(chat))}\n`);
  return exitCodes.done;
}
