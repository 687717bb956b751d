// Chats that are gone back in, archived, found, exported, counted and deleted: over the interface, as every face does it.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Script, scriptedModel } from "../agent/models/scripted.ts";
import type { Frame } from "../wire/frames.ts";
import { routes } from "../wire/http.ts";
import { openApp, type OwnApp } from "./open-app.ts";

let home = "";
const at = (path: string): string => join(home, path);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const apps: OwnApp[] = [];
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-keeping-")));
  put("app/main.ts", "export {};\n");
  put("library/go.mod", "module library\n");
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  rmSync(home, { recursive: true, force: true });
});

async function begun(script: Script, name = "openai/gpt-4o") {
  const app = await openApp({ data: at("data"), home, env: {}, model: scriptedModel(script, name) });
  apps.push(app);
  const { client } = app;
  const session = await client.send(routes.addSession, { body: { workspace: at("app"), asking: "by-guard" } });
  const { id } = await client.send(routes.addChat, { body: { session: session.id, title: "The first" } });
  const frames: Frame[] = [];
  app.subscribe({ chats: [id], frame: (frame) => void frames.push(frame), connection: () => {} });
  const messages = async () => (await client.send(routes.messages, { id, query: {} })).messages;
  const texts = async () => (await messages()).map(({ role, text }) => `${role}: ${text}`);
  const say = async (text: string) => {
    await client.send(routes.say, { id, body: { text } });
    await app.settled();
  };
  const rewind = async (message: string, text?: string) => {
    await client.send(routes.rewind, { id, body: { message, ...(text === undefined ? {} : { text }) } });
    await app.settled();
  };
  const status = async () => (await client.send(routes.chat, { id })).status;
  return { app, client, id, session: session.id, frames, messages, texts, say, rewind, status };
}

/** Says how often the person has spoken, and what they said last. */
const echo: Script = async (transcript) => {
  const said = transcript.filter(({ role }) => role === "person");
  return { text: `answer ${said.length} to ${said.at(-1)?.text ?? ""}`, usage: { input: 1000, output: 100 } };
};
const reads: Script = async (transcript) => {
  const last = transcript.at(-1);
  const isRead = last?.role === "agent" && last.calls.length > 0;
  return isRead ? "read" : { text: "let me look", calls: [{ name: "read_file", input: { path: "../library/go.mod" } }] };
};

test("regenerated and edited: the model and the page see one conversation, everything else is kept and marked", async () => {
  const { client, id, frames, messages, texts, say, rewind } = await begun(echo);
  await say("one");
  await say("two");
  const second = (await messages())[2];
  await rewind(second?.id ?? "");
  expect(await texts()).toEqual(["person: one", "agent: answer 1 to one", "person: two", "agent: answer 2 to two"]);
  const again = (await messages())[2];
  expect(again?.id).not.toBe(second?.id);
  const [first] = await messages();
  await rewind(first?.id ?? "", "won");
  expect(await texts()).toEqual(["person: won", "agent: answer 1 to won"]);
  const whole = await client.send(routes.messages, { id, query: { rewound: "true" } });
  expect(whole.messages.map(({ rewoundAt }) => rewoundAt !== undefined)).toEqual([...Array.from({ length: 6 }, () => true), false, false]);
  const told = frames.flatMap((frame) => (frame.type === "rewound" ? [frame.messages.length] : []));
  expect(told).toEqual([2, 4]);
  // What was rewound cannot be gone back to, nor what an agent said; nothing is stopped for it.
  for (const message of [second?.id ?? "", (await messages())[1]?.id ?? "", "nothing"])
    await expect(client.send(routes.rewind, { id, body: { message } })).rejects.toMatchObject({ code: "not-found" });
  expect(await texts()).toHaveLength(2);
  // Rewound turns were paid for as well.
  const usage = await client.send(routes.chatUsage, { id });
  expect(usage).toMatchObject({ turns: 4, input: 4000, output: 400, models: [{ model: "openai/gpt-4o" }] });
  expect(usage.cost).toBeCloseTo(0.014);
});

test("going back withdraws what is asked and keeps what was granted; a no counts no more, since the person has spoken again", async () => {
  const { app, client, id, session, messages, rewind, say, status } = await begun(reads);
  await say("look");
  expect(await status()).toBe("waiting_for_input");
  const asks = async () => client.send(routes.listAsks, { query: { session } });
  await rewind((await messages())[0]?.id ?? "");
  expect((await asks()).map(({ state, closed, rewound }) => ({ state, closed, rewound }))).toEqual([
    { state: "closed", closed: "withdrawn", rewound: true },
    { state: "open", closed: null, rewound: undefined },
  ]);
  const answer = async (decision: "allow" | "deny") => {
    const ask = (await asks()).find(({ state }) => state === "open");
    if (ask === undefined) throw new Error("nothing is asked");
    const yes = decision === "allow" ? { decision, digest: ask.digest } : { decision };
    await client.send(routes.answer, { id: ask.id, body: yes });
    await app.settled();
  };
  await answer("deny");
  expect(await status()).toBe("idle");
  await rewind((await messages())[0]?.id ?? "");
  expect(await status()).toBe("waiting_for_input");
  await answer("allow");
  await rewind((await messages())[0]?.id ?? "");
  // No question any more: the grant holds.
  expect(await status()).toBe("idle");
  expect((await client.send(routes.session, { id: session })).allowed_read_paths).toEqual([at("library")]);
  expect((await messages()).at(-1)).toMatchObject({ text: "read" });
  expect((await client.send(routes.audit, { query: { kind: "grant" } })).records).toHaveLength(1);
  const markdown = await client.send(routes.exportChat, { id });
  expect(markdown).toContain("# The first\n");
  expect(markdown).toContain('**Call** `read_file {"path":"../library/go.mod"}`: done');
  expect(markdown).toMatch(/messages that were rewound are left out/);
  let json = "";
  for await (const line of client.lines(routes.exportChatJson, { id })) json += `${line}\n`;
  const exported: unknown = JSON.parse(json);
  expect(exported).toMatchObject({
    chat: { id, title: "The first" },
    asks: [
      { state: "closed", answer: null, rewoundAt: expect.any(Number) },
      { answer: { verdict: "deny" }, rewoundAt: expect.any(Number) },
      { answer: { verdict: "allow", until: "session" }, grant: { path: at("library") } },
    ],
  });
});

test("exports tell of each question what its card tells: how it was answered, what that came to, and why nobody answered", async () => {
  const { app, client, id, session, say } = await begun(reads);
  const open = async () => (await client.send(routes.listAsks, { query: { session } })).find(({ state }) => state === "open");
  const answer = async (body: { decision: string; note?: string; minutes?: number; digest?: string }): Promise<string> => {
    const ask = await open();
    const { grant } = await client.send(routes.answer, { id: ask?.id ?? "", body: { ...body, digest: ask?.digest } as never });
    await app.settled();
    return grant?.id ?? "";
  };
  const library = `\`${at("library")}\` and all below it`;
  const told = async (): Promise<string> =>
    /\*\*(?:Not answered|Answered)\*\*: .*$/mu.exec((await client.send(routes.exportChat, { id })).split("**Asked**").at(-1) ?? "")?.[0] ??
    "";
  await say("read it");
  expect(await told()).toBe("**Answered**: not yet");
  await say("no, something else");
  // Withdrawn, and asked again: what is told last is of the second.
  expect((await client.send(routes.exportChat, { id })).replaceAll("> ", "")).toContain(
    "**Not answered**: Withdrawn: you said something else instead",
  );
  await answer({ decision: "deny", note: "use ours" });
  expect(await told()).toMatch(/^\*\*Answered\*\*: Denied reading, by \S.*, with the note: use ours$/u);
  await say("again");
  await answer({ decision: "deny_and_stop" });
  expect(await told()).toMatch(/Denied reading, and stopped the agent, by /u);
  await say("again");
  await answer({ decision: "allow_once" });
  expect(await told()).toMatch(/Allowed reading go\.mod, once, by /u);
  await say("again");
  const grant = await answer({ decision: "allow", minutes: 60 });
  expect(await told()).toContain(library);
  expect(await told()).toMatch(/Allowed reading for a limited time, by .*, until \d.*; it still holds$/u);
  await client.send(routes.revoke, { id: grant });
  expect(await told()).toMatch(/until \d.*; it is no longer granted$/u);
  await say("again");
  // What it would open is not there any more: the yes has no effect, and is not told as if it had.
  rmSync(at("library"), { recursive: true });
  await expect(answer({ decision: "allow" })).rejects.toMatchObject({ code: "grant-changed" });
  expect(await told()).toMatch(/Allowed, but nothing was granted: /u);
  let json = "";
  for await (const line of client.lines(routes.exportChatJson, { id })) json += `${line}\n`;
  const { asks } = JSON.parse(json) as { asks: readonly { closed: string | null; refused: string | null; title: string }[] };
  expect(asks.map(({ closed, refused }) => closed ?? refused)).toEqual(["withdrawn", null, null, null, null, "grant-changed"]);
  expect(asks.every(({ title }) => title.startsWith("Let "))).toBe(true);
});

test("a chat that works is stopped first, and what was said meanwhile goes with the rest", async () => {
  let turns = 0;
  const { app, client, id, messages, texts, status } = await begun(async (transcript, _prompt, signal) => {
    turns += 1;
    if (turns === 1) await new Promise((_done, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    return `heard ${transcript
      .filter(({ role }) => role === "person")
      .map(({ text }) => text)
      .join(", ")}`;
  });
  await client.send(routes.say, { id, body: { text: "one" } });
  await expect.poll(() => turns).toBe(1);
  await client.send(routes.say, { id, body: { text: "and this" } });
  await client.send(routes.rewind, { id, body: { message: (await messages())[0]?.id ?? "", text: "rather" } });
  await app.settled();
  expect(await status()).toBe("idle");
  expect(await texts()).toEqual(["person: rather", "agent: heard rather"]);
});

test("an archived chat leaves the list and comes back, by itself when somebody speaks in it; a search finds it either way", async () => {
  const { client, id, say, frames } = await begun(echo);
  await say("where is the harbour?");
  const listed = async (archived?: "true") =>
    (await client.send(routes.listChats, { query: archived === undefined ? {} : { archived } })).map((chat) => chat.id);
  await client.send(routes.changeChat, { id, body: { archived: true } });
  expect([await listed(), await listed("true")]).toEqual([[], [id]]);
  const { found, next } = await client.send(routes.searchChats, { query: { text: "HARBOUR" } });
  expect(found).toMatchObject([{ chat: { id, archivedAt: expect.any(Number) }, message: { role: "agent" } }]);
  expect(next).toBeNull();
  expect((await client.send(routes.searchChats, { query: { text: "first" } })).found).toMatchObject([{ chat: { id }, message: null }]);
  await say("and now?");
  expect([await listed(), await listed("true")]).toEqual([[id], []]);
  await expect.poll(() => frames.filter(({ type }) => type === "chat_changed").length).toBe(2);
});

test("a deleted chat is gone: stopped, its asks closed, its messages nowhere; its grants and the record stay", async () => {
  const { app, client, id, session, say, frames } = await begun(reads);
  await say("look");
  const [first] = await client.send(routes.listAsks, { query: { session } });
  await client.send(routes.answer, { id: first?.id ?? "", body: { decision: "allow", digest: first?.digest ?? "" } });
  await app.settled();
  const other = await client.send(routes.addChat, { body: { session } });
  const before = (await client.send(routes.audit, { query: {} })).records.length;
  expect(await client.send(routes.deleteChat, { id })).toEqual({ deleted: true });
  for (const gone of [routes.chat, routes.messages, routes.chatUsage, routes.cancel])
    await expect(client.send(gone, { id })).rejects.toMatchObject({ code: "not-found" });
  await expect(client.send(routes.deleteChat, { id })).rejects.toMatchObject({ code: "not-found" });
  expect((await client.send(routes.listChats, { query: { session } })).map((chat) => chat.id)).toEqual([other.id]);
  expect((await client.send(routes.searchChats, { query: { text: "look" } })).found).toEqual([]);
  expect((await client.send(routes.listGrants, { query: { session } })).map(({ path }) => path)).toEqual([at("library")]);
  const { records } = await client.send(routes.audit, { query: {} });
  expect(records).toHaveLength(before + 1);
  expect(records[0]?.event).toMatchObject({ kind: "chat-deleted", chat: id, session });
  await expect.poll(() => frames.some((frame) => frame.type === "chat_deleted" && frame.chat === id)).toBe(true);
  // Its session goes on, and can end.
  await client.send(routes.archiveSession, { id: session, query: {} });
});

test("a chat that another program drives: archived and exported here, gone back in there, deleted when its session has ended", async () => {
  const { client } = await begun(echo);
  const body = { host: "mcp", hostSession: "run", workspace: at("app"), label: "Claude" };
  const registered = await client.send(routes.register, { body });
  const [id, session] = [registered.chat.id, registered.session.id];
  await expect(client.send(routes.rewind, { id, body: { message: "x" } })).rejects.toMatchObject({ code: "bad-request" });
  await expect(client.send(routes.deleteChat, { id })).rejects.toMatchObject({ code: "bad-request" });
  expect(await client.send(routes.changeChat, { id, body: { archived: true } })).toMatchObject({ archivedAt: expect.any(Number) });
  expect(await client.send(routes.exportChat, { id })).toContain("Claude");
  await client.send(routes.archiveSession, { id: session, query: {} });
  expect(await client.send(routes.deleteChat, { id })).toEqual({ deleted: true });
});
