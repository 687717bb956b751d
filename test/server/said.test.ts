// What a person says while a chat runs: taken at once, seen as waiting, heard before the next turn, once, whatever happens in between.

import { expect, onTestFinished, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import type { WireMessage } from "../../src/wire/values.ts";
import { eventually, stage, startProgram } from "./daemon-process.ts";
import { httpStage } from "./http-stage.ts";
import { slowModel } from "./slow-model.ts";

const people = (messages: readonly WireMessage[]) =>
  messages.flatMap((message) => (message.role === "person" ? [[message.text, message.waiting ?? false]] : []));

/** A chat in the middle of its first turn, until it is let go. */
async function midTurn() {
  const gate = { open: (): void => {}, begun: (): void => {}, calledOff: (): void => {} };
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  const begun = new Promise<void>((resolve) => (gate.begun = resolve));
  const calledOff = new Promise<void>((resolve) => (gate.calledOff = resolve));
  const { at, client, server } = await httpStage({
    script: () => async (transcript, _prompt, signal) => {
      signal.addEventListener("abort", gate.calledOff);
      const turn = transcript.filter(({ role }) => role === "agent").length;
      gate.begun();
      if (turn === 0) await opened;
      return turn === 0 ? { calls: [{ name: "read_file", input: { path: "a.txt" } }] } : "done";
    },
  });
  const session = (await client.send(routes.addSession, { body: { workspace: at.path("ws") } })).id;
  const chat = (await client.send(routes.addChat, { body: { session } })).id;
  const say = (text: string) => client.send(routes.say, { id: chat, body: { text } });
  const messages = async () => (await client.send(routes.messages, { id: chat })).messages;
  onTestFinished(() => gate.open());
  await say("begin");
  await begun;
  return { client, server, session, chat, say, messages, calledOff, letGo: () => gate.open() };
}

test("it is taken while the chat runs, seen as waiting over HTTP and the socket, and then as heard", async () => {
  const { server, chat, say, messages, letGo } = await midTurn();
  const heard: WireMessage[] = [];
  const socket = server.connect(["hallpass", `hallpass.token.${server.token}`]);
  const live = new Promise<void>((resolve) => {
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "subscribe", chats: [chat], after: null })));
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as { type: string; message: WireMessage };
      if (frame.type === "live") resolve();
      if (frame.type === "message" && frame.message.role === "person") heard.push(frame.message);
    });
  });
  await live;
  expect((await say("and be quick")).status).toBe("running");
  expect(people(await messages())).toEqual([
    ["begin", false],
    ["and be quick", true],
  ]);
  letGo();
  await server.agent.settled();
  const now = await messages();
  expect(now.map(({ role, text }) => [role, text])).toEqual([
    ["person", "begin"],
    ["agent", ""],
    ["person", "and be quick"],
    ["agent", "done"],
  ]);
  expect(people(now).every(([, waiting]) => waiting === false)).toBe(true);
  await expect
    .poll(() => people(heard))
    .toEqual([
      ["and be quick", true],
      ["and be quick", false],
    ]);
  expect(new Set(heard.map(({ id }) => id)).size).toBe(1);
  socket.close();
});

test("a snapshot shows what waits", async () => {
  const { server, chat, say } = await midTurn();
  await say("later");
  const socket = server.connect(["hallpass", `hallpass.token.${server.token}`]);
  const snapshot = await new Promise<{ messages: WireMessage[] }>((resolve) => {
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "subscribe", chats: [chat], after: null })));
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as { type: string; messages: WireMessage[] };
      if (frame.type === "snapshot") resolve(frame);
    });
  });
  expect(people(snapshot.messages)).toEqual([
    ["begin", false],
    ["later", true],
  ]);
  socket.close();
});

test("stopping the chat lets it hear what was said; ending its session keeps it, and nobody answers it", async () => {
  const stopped = await midTurn();
  await stopped.say("do this instead");
  const cancelling = stopped.client.send(routes.cancel, { id: stopped.chat });
  await stopped.calledOff;
  stopped.letGo();
  await cancelling;
  await stopped.server.agent.settled();
  expect(people(await stopped.messages())).toEqual([
    ["begin", false],
    ["do this instead", false],
  ]);
  expect((await stopped.messages()).at(-1)).toMatchObject({ role: "agent", text: "done" });

  const ended = await midTurn();
  await ended.say("one more thing");
  const archiving = ended.client.send(routes.archiveSession, { id: ended.session });
  await ended.calledOff;
  ended.letGo();
  await archiving;
  await ended.server.agent.settled();
  expect((await ended.messages()).map(({ role, text }) => [role, text])).toEqual([
    ["person", "begin"],
    ["person", "one more thing"],
  ]);
  expect(people(await ended.messages()).map(([, waiting]) => waiting)).toEqual([false, false]);
  await expect(ended.say("hello?")).rejects.toMatchObject({ code: "session-closed" });
});

test("the daemon is killed while a message waits: the next one hears it, once", async () => {
  const on = stage();
  const model = await slowModel();
  const start = () =>
    startProgram(on, { data: on.data(), words: ["--model", "openai-compatible/slow"], env: { HALLPASS_MODEL_URL: model.urlFor("one") } });
  const first = await start();
  const session = (await first.client.send(routes.addSession, { body: { workspace: on.workspace } })).id;
  const chat = (await first.client.send(routes.addChat, { body: { session } })).id;
  const go = model.hold();
  await first.client.send(routes.say, { id: chat, body: { text: "read notes.txt" } });
  await model.held();
  await first.client.send(routes.say, { id: chat, body: { text: "read ./notes.txt" } });
  expect(people((await first.client.send(routes.messages, { id: chat })).messages)).toEqual([
    ["read notes.txt", false],
    ["read ./notes.txt", true],
  ]);
  await first.kill();
  go();
  const second = await start();
  const messages = await eventually(async () => {
    const { messages: now } = await second.client.send(routes.messages, { id: chat });
    return now.at(-1)?.role === "agent" && now.at(-1)?.text !== "" ? now : null;
  });
  expect(people(messages)).toEqual([
    ["read notes.txt", false],
    ["read ./notes.txt", false],
  ]);
  await eventually(async () => ((await second.client.send(routes.chat, { id: chat })).status === "idle" ? true : null));
  expect(await second.stop()).toBe(0);
}, 240_000);

test("a chat is put in short where it rests, and not while it is at work", async () => {
  const { client, server, chat, messages, letGo } = await midTurn();
  await expect(client.send(routes.compact, { id: chat })).rejects.toThrow("stop it or answer first");
  letGo();
  await server.agent.settled();
  expect(await client.send(routes.compact, { id: chat })).toEqual({ compacted: true });
  expect(await client.send(routes.compact, { id: chat })).toEqual({ compacted: false });
  expect((await messages()).at(-1)).toMatchObject({ role: "summary" });
});
