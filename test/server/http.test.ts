// The HTTP interface from outside, over real sockets: the flow of the seeds, end to end.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Script } from "../../src/agent/models/scripted.ts";
import { routes } from "../../src/wire/http.ts";
import type { Tree } from "../tree.ts";
import { httpStage, type HttpStage } from "./http-stage.ts";

const read = (path: string) => ({ calls: [{ name: "read_file", input: { path } }] });
const request = (path: string) => ({ calls: [{ name: "request_read_access", input: { path, reason: "to compare versions" } }] });
const flow = (at: Tree): Script => [
  read(at.path("lib/go.mod")),
  request(at.path("lib/go.mod")),
  read(at.path("lib/go.mod")),
  "read it",
  read(at.path("lib/go.mod")),
  "refused",
];

async function begun(stage: HttpStage) {
  const session = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
  const chat = await stage.client.send(routes.addChat, { body: { session: session.id, title: "flow" } });
  return { session, chat };
}

describe("the flow of the seeds over HTTP", () => {
  test("a chat reads, is refused, asks, is allowed, reads, is revoked, is refused", async () => {
    const stage = await httpStage({ script: flow });
    const { client, server } = stage;
    const { session, chat } = await begun(stage);
    await client.send(routes.say, { id: chat.id, body: { text: "look at the library" } });
    await server.agent.settled();
    expect((await client.send(routes.chat, { id: chat.id })).status).toBe("waiting_for_input");
    const [ask, ...more] = await client.send(routes.listAsks, { query: { state: "open" } });
    expect(more).toEqual([]);
    expect(ask).toMatchObject({
      kind: "pending_grant",
      tool: "request_read_access",
      proposal: { dir: stage.at.path("lib"), because: ".git" },
      words: "to compare versions",
      because: "it is not in the workspace, a mount or anything granted",
      workspace: stage.at.path("ws"),
    });
    const answered = await client.send(routes.grantReadAccess, {
      id: chat.id,
      body: { ask_id: ask!.id, decision: "allow", digest: ask!.digest },
    });
    expect(answered.grant).toMatchObject({ path: stage.at.path("lib"), by: "person (test)", live: true, words: "to compare versions" });
    await server.agent.settled();
    expect((await client.send(routes.session, { id: session.id })).allowed_read_paths).toEqual([stage.at.path("lib")]);
    const { messages } = await client.send(routes.messages, { id: chat.id });
    expect(JSON.stringify(messages)).toContain("module lib");
    const [grant] = await client.send(routes.listGrants, { query: { session: session.id } });
    expect(grant).toMatchObject({ live: true, lastRead: expect.any(Number) });
    expect(await client.send(routes.grantReads, { id: grant!.id })).toMatchObject([
      { path: stage.at.path("lib/go.mod"), tool: "read_file" },
    ]);

    expect(await client.send(routes.revoke, { id: grant!.id })).toMatchObject({ live: false });
    await client.send(routes.say, { id: chat.id, body: { text: "once more" } });
    await server.agent.settled();
    expect((await client.send(routes.session, { id: session.id })).allowed_read_paths).toEqual([]);
    const after = await client.send(routes.messages, { id: chat.id, query: { limit: 2 } });
    expect(JSON.stringify(after.messages)).toContain("out-of-scope");
    expect(after.earlier).toBe(true);
  });
});

test("a person undoes what the agent wrote: once, recorded, told to the agent; not where the file was changed since", async () => {
  const write = (path: string, content: string) => ({ calls: [{ name: "write_file", input: { path, content } }] });
  const script: Script = [
    write("a.txt", "one\n"),
    write("new.txt", "two\n"),
    { calls: [{ name: "bash", input: { command: "true" } }] },
    "done",
  ];
  const stage = await httpStage({ script: () => script });
  const { client, server, at } = stage;
  const { session, chat } = await begun(stage);
  const text = (name: string): string | null => (existsSync(at.path(`ws/${name}`)) ? readFileSync(at.path(`ws/${name}`), "utf8") : null);
  const before = text("a.txt");
  await client.send(routes.say, { id: chat.id, body: { text: "write" } });
  await server.agent.settled();
  const calls = async () =>
    (await client.send(routes.messages, { id: chat.id })).messages.flatMap((message) => (message.role === "agent" ? message.calls : []));
  const states = async () =>
    (await calls()).map(({ state }) => (state.at === "done" && state.outcome.ok ? (state.outcome.undo ?? "none") : state.at));
  const [first, second, third] = await calls();
  expect((await states()).slice(0, 2)).toEqual(["possible", "possible"]);
  expect(JSON.stringify(await calls())).not.toContain('"after"');
  const undo = (call: string) => stage.send(`/api/chats/${chat.id}/undo`, { method: "POST", body: { call } });

  expect(await undo(first!.id)).toMatchObject({ status: 200, json: { files: ["a.txt"] } });
  expect(text("a.txt")).toBe(before);
  writeFileSync(at.path("ws/new.txt"), "mine\n");
  expect(await undo(second!.id)).toMatchObject({ code: "stale-path" });
  expect(text("new.txt")).toBe("mine\n");
  for (const call of [first, third]) expect(await undo(call!.id)).toMatchObject({ status: 400, code: "bad-request" });
  expect(await undo(crypto.randomUUID())).toMatchObject({ status: 404 });
  expect((await states()).slice(0, 2)).toEqual(["done", "possible"]);

  const reminders = (await server.store.transcript(chat.id)).flatMap((message) => (message.role === "reminder" ? [message.text] : []));
  expect(reminders).toEqual([expect.stringContaining("undone what you did with write_file to a.txt")]);
  const { records } = await client.send(routes.audit, { query: { session: session.id } });
  expect(JSON.stringify(records)).toContain('"undo"');
  // What was written can be taken back after its session has ended too, in the workspace that it had.
  await client.send(routes.archiveSession, { id: session.id, query: {} });
  expect(await undo(second!.id)).toMatchObject({ code: "stale-path" });
  writeFileSync(at.path("ws/new.txt"), "two\n");
  expect(await undo(second!.id)).toMatchObject({ status: 200 });
  expect(text("new.txt")).toBeNull();
});

test("pictures are told by their bytes, bounded, kept with the message, and sent to the model; one that sees none is not sent any", async () => {
  const shown: unknown[] = [];
  const stage = await httpStage({
    script: () => async (transcript) => {
      const last = transcript.findLast(({ role }) => role === "person");
      if (last?.role === "person") shown.push(last.pictures);
      return "I see";
    },
  });
  const { client, server } = stage;
  const { session, chat } = await begun(stage);
  const png = Buffer.from("89504e470d0a1a0a0000", "hex").toString("base64");
  const heads = ["ffd8ffe0", "474946383961", "524946460000000057454250"].map((head) => Buffer.from(head, "hex").toString("base64"));
  const say = (pictures: readonly string[], id = chat.id) =>
    stage.send(`/api/chats/${id}/messages`, { method: "POST", body: { text: "look", pictures } });
  expect(await say([png, ...heads])).toMatchObject({ status: 200 });
  await server.agent.settled();
  expect(shown).toEqual([[png, ...heads].map((data, at) => ({ type: ["image/png", "image/jpeg", "image/gif", "image/webp"][at], data }))]);
  const [message] = (await client.send(routes.messages, { id: chat.id })).messages;
  expect(message).toMatchObject({ text: "look", pictures: [{ type: "image/png" }, {}, {}, {}] });
  expect(JSON.stringify(message)).not.toContain(png);
  const fetched = (place: number) => stage.send(`/api/chats/${chat.id}/picture?message=${message!.id}&place=${place}`);
  expect((await fetched(0)).json).toEqual({ type: "image/png", data: png });
  expect(await fetched(4)).toMatchObject({ status: 404 });

  const large = Buffer.concat([Buffer.from(png, "base64"), Buffer.alloc(256 * 1024)]).toString("base64");
  for (const pictures of [[Buffer.from("<svg/>").toString("base64")], ["!!"], [png, png, png, png, png], [large]])
    expect((await say(pictures)).status).toBeGreaterThanOrEqual(400);
  // A chat takes twenty of them.
  for (let sent = 1; sent < 5; sent += 1) expect(await say([png, png, png, png])).toMatchObject({ status: 200 });
  expect(await say([png])).toMatchObject({ status: 400, code: "bad-request" });
  const offline = await client.send(routes.addChat, { body: { session: session.id, model: "offline" } });
  expect(await say([png], offline.id)).toMatchObject({
    status: 400,
    json: { error: { message: expect.stringContaining("cannot see pictures") } },
  });
  expect((await client.send(routes.messages, { id: offline.id })).messages).toEqual([]);
});
