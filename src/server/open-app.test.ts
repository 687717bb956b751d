// An app in this process, as another program opens it: what its data directory keeps, who may use that, and what no agent gets of it.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scriptedModel } from "../agent/models/scripted.ts";
import type { Model } from "../agent/ports.ts";
import { routes } from "../wire/http.ts";
import { openApp, type OpenAppOptions, type OwnApp } from "./open-app.ts";

let home = "";
const at = (path: string): string => join(home, path);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const apps: OwnApp[] = [];
const opened = async (options: OpenAppOptions = {}): Promise<OwnApp> => {
  const app = await openApp({ data: at("data"), home, env: {}, ...options });
  apps.push(app);
  return app;
};
const newChat = async ({ client }: OwnApp, workspace = at("app")): Promise<string> => {
  const session = await client.send(routes.addSession, { body: { workspace, asking: "by-guard" } });
  return (await client.send(routes.addChat, { body: { session: session.id } })).id;
};
const say = ({ client }: OwnApp, id: string, text: string) => client.send(routes.say, { id, body: { text } });
const statusOf = async ({ client }: OwnApp, id: string) => (await client.send(routes.chat, { id })).status;
const openAsks = ({ client }: OwnApp) => client.send(routes.listAsks, { query: { state: "open" } });

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-app-")));
  put("app/main.ts", "export {};\n");
  put("library/go.mod", "module library\n");
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  rmSync(home, { recursive: true, force: true });
});

test("an ask waits in the data directory: another process answers it, and the chat goes on there", async () => {
  const script = [{ calls: [{ name: "read_file", input: { path: "../library/go.mod" } }] }, "It is called library."];
  const first = await opened({ model: scriptedModel(script) });
  const chat = await newChat(first);
  await say(first, chat, "what is it called?");
  await first.settled();
  expect(await statusOf(first, chat)).toBe("waiting_for_input");
  await first.close();

  const second = await opened({ model: scriptedModel(script) });
  const frames: string[] = [];
  const live = new Promise<void>((resolve) => {
    second.subscribe({ chats: [chat], frame: ({ type }) => void frames.push(type), connection: () => resolve() });
  });
  await live;
  const [ask] = await openAsks(second);
  if (ask === undefined) throw new Error("nothing was asked");
  await second.client.send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } });
  await second.settled();
  expect(await statusOf(second, chat)).toBe("idle");
  const { messages } = await second.client.send(routes.messages, { id: chat, query: {} });
  expect(messages.at(-1)).toMatchObject({ role: "agent", text: "It is called library." });
  await expect.poll(() => frames, { timeout: 30_000 }).toEqual(expect.arrayContaining(["ask_settled", "tool_result"]));
});

test("a chat that was at work when its process ended is gone on with", async () => {
  const hangs: Model = {
    name: "hangs",
    turn: (_, { signal }) => new Promise((_done, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
  };
  const first = await opened({ model: hangs });
  const chat = await newChat(first);
  await say(first, chat, "hello");
  await first.close();
  const second = await opened({ model: scriptedModel(["done"]) });
  await second.settled();
  expect(await statusOf(second, chat)).toBe("idle");
});

test("a data directory is for one process at a time, and for its owner alone", async () => {
  const app = await opened();
  await expect(opened()).rejects.toMatchObject({ code: "io-error", message: expect.stringContaining("another process uses") });
  expect(statSync(at("data")).mode & 0o077).toBe(0);
  await app.close();
  await expect(opened()).resolves.toMatchObject({ where: "process" });
});

test("no agent opens the data directory, and none works around it", async () => {
  const script = [{ calls: [{ name: "read_file", input: { path: at("data/hallpass.db") } }] }, "done"];
  const app = await opened({ model: scriptedModel(script) });
  const chat = await newChat(app);
  await say(app, chat, "read it");
  await app.settled();
  expect(await openAsks(app)).toEqual([]);
  const { messages } = await app.client.send(routes.messages, { id: chat, query: {} });
  expect(JSON.stringify(messages)).toContain('"secret-file"');
  // Without a guard it is there to be read.
  expect(readFileSync(at("data/hallpass.db")).subarray(0, 6).toString()).toBe("SQLite");
  await expect(newChat(app, home)).rejects.toMatchObject({ code: "invalid-policy" });
});

test("policy files hold, and what cannot be opened is said in a sentence", async () => {
  put(".config/hallpass/policy.json", JSON.stringify({ read: { "~/app/main.ts": "deny" } }));
  const app = await opened({ model: scriptedModel([{ calls: [{ name: "read_file", input: { path: "main.ts" } }] }, "done"]) });
  const chat = await newChat(app);
  await say(app, chat, "read it");
  await app.settled();
  const { messages } = await app.client.send(routes.messages, { id: chat, query: {} });
  expect(JSON.stringify(messages)).toContain('"policy-deny"');
  await expect(opened({ data: "data" })).rejects.toMatchObject({ code: "bad-request", message: expect.stringContaining("absolute") });
  await expect(opened({ data: at("other"), model: "anthropic/x" })).rejects.toMatchObject({ code: "bad-request" });
});

test("without a data directory everything ends with the app", async () => {
  const app = await openApp({ home, env: {} });
  await newChat(app);
  await app.close();
  const next = await openApp({ home, env: {} });
  expect(await next.client.send(routes.listChats, { query: {} })).toEqual([]);
  await next.close();
});

test("closing an app ends its subscriptions: none of them tries to come back", async () => {
  const app = await openApp({ home, env: {} });
  const states: string[] = [];
  await new Promise<void>((resolve) => {
    app.subscribe({ chats: "all", frame() {}, connection: (state) => (states.push(state), resolve()) });
  });
  await app.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(states).toEqual(["live"]);
});
