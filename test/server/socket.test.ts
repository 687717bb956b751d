// The WebSocket: who is let in, what a client that comes back gets, what an agent hears, and what hostile or slow clients can do, which
// is end their own connection.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { offlineModel } from "../../src/agent/models/offline.ts";
import { assemble, type AssembledServer } from "../../src/server/assemble.ts";
import { listen } from "../../src/server/listen.ts";
import { silentLog } from "../../src/server/log.ts";
import { createSockets } from "../../src/server/socket.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { type Client, createClient } from "../../src/wire/client.ts";
import { type Frame, frameSchema } from "../../src/wire/frames.ts";
import { routes } from "../../src/wire/http.ts";
import { socketProtocols } from "../../src/wire/socket.ts";
import { hear, type Stage, stage } from "./daemon-process.ts";

const TOKEN = "T".repeat(43);

interface Served {
  readonly on: Stage;
  readonly server: AssembledServer;
  readonly client: Client;
  readonly address: string;
  readonly port: number;
  open(token?: string): Promise<Wire>;
}

interface Wire {
  readonly socket: WebSocket;
  readonly frames: Frame[];
  send(frame: unknown): void;
  until(type: Frame["type"], count?: number): Promise<Frame>;
  closed(): Promise<number>;
}

async function served(beat?: number): Promise<Served> {
  const on = stage();
  let hosts: readonly string[] = [];
  const server = await assemble({
    store: createMemoryStore(),
    storeKind: "memory",
    home: on.home,
    env: {},
    platform: "linux",
    token: TOKEN,
    model: offlineModel(),
    hosts: () => hosts,
    ...(beat === undefined ? {} : { beat }),
  });
  const listening = await listen(
    {
      app: server.app,
      log: silentLog,
      sockets: (known) => createSockets({ hub: server.hub, callerOf: server.app.callerOf, hosts: known, log: silentLog }),
    },
    { port: 0, socketPath: null },
  );
  hosts = listening.hosts;
  onTestFinished(async () => {
    await server.drain();
    await listening.close(100);
    await server.close();
  });
  const { address } = listening;
  const client = createClient({ address, token: TOKEN, fetch: (request) => fetch(request), via: "test" });
  return { on, server, client, address, port: Number(new URL(address).port), open: (token = TOKEN) => opened(address, token) };
}

async function opened(address: string, token: string): Promise<Wire> {
  const socket = new WebSocket(`${address.replace("http", "ws")}/api/socket`, [...socketProtocols(token)]);
  onTestFinished(() => socket.terminate());
  const frames: Frame[] = [];
  const closing = new Promise<number>((resolve) => socket.on("close", (code) => resolve(code)));
  socket.on("error", () => {});
  socket.on("message", (data) => frames.push(frameSchema.parse(JSON.parse((data as Buffer).toString()))));
  await once(socket, "open");
  return {
    socket,
    frames,
    send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    async until(type, count = 1) {
      const until = performance.now() + 60_000;
      for (;;) {
        const found = frames.filter((frame) => frame.type === type)[count - 1];
        if (found !== undefined) return found;
        if (performance.now() > until) throw new Error(`no ${type}; came ${frames.map((frame) => frame.type).join(" ")}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    closed: () => closing,
  };
}

async function chatIn({ client, on }: Served): Promise<{ readonly session: string; readonly chat: string }> {
  const session = await client.send(routes.addSession, { body: { workspace: on.workspace } });
  return { session: session.id, chat: (await client.send(routes.addChat, { body: { session: session.id } })).id };
}

/** A handshake by hand, with the headers as given; the first line of the answer. */
async function shake(port: number, headers: Readonly<Record<string, string>>, path = "/api/socket"): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const usual = {
    host: `127.0.0.1:${port}`,
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const lines = Object.entries({ ...usual, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  const [data] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return data.toString().split("\r\n")[0] ?? "";
}

test("nobody is let in without the token, from another page, or under another name; the token does not come back", async () => {
  const { port, address } = await served();
  const token = { "sec-websocket-protocol": `hallpass, hallpass.token.${TOKEN}` };
  expect(await shake(port, token)).toContain("101");
  expect(await shake(port, { authorization: `Bearer ${TOKEN}` })).toContain("101");
  expect(await shake(port, { ...token, origin: address })).toContain("101");
  expect(await shake(port, {})).toContain("401");
  expect(await shake(port, { "sec-websocket-protocol": "hallpass, hallpass.token.wrong" })).toContain("401");
  expect(await shake(port, { "sec-websocket-protocol": `hallpass, hallpass.token.wrong, hallpass.token.${TOKEN}` })).toContain("401");
  expect(await shake(port, {}, `/api/socket?token=${TOKEN}`)).toContain("401");
  expect(await shake(port, { ...token, origin: "https://evil.example" })).toContain("403");
  expect(await shake(port, { ...token, origin: "null" })).toContain("403");
  expect(await shake(port, { ...token, host: "evil.example" })).toMatch(/40[03]|421/);
  expect(await shake(port, token, "/api/other")).toContain("404");
  const socket = new WebSocket(`${address.replace("http", "ws")}/api/socket`, [...socketProtocols(TOKEN)]);
  await once(socket, "open");
  expect(socket.protocol).toBe("hallpass");
  expect(socket.extensions).toBe("");
  socket.terminate();
});

test("a client that comes back gets what it missed and nothing twice; with an unknown cursor it gets where things stand", async () => {
  const world = await served();
  const { chat } = await chatIn(world);
  const first = await world.open();
  first.send({ type: "subscribe", chats: [chat], after: null });
  await first.until("live");
  expect(first.frames.map(({ type }) => type)).toEqual(["snapshot", "live"]);
  await world.client.send(routes.say, { id: chat, body: { text: "read notes.txt" } });
  await first.until("turn_start");
  const seen = first.frames.findLast((frame) => "cursor" in frame);
  const cursor = seen !== undefined && "cursor" in seen ? seen.cursor : "";
  const before = first.frames.length;
  first.socket.terminate();
  await world.server.agent.settled();
  await world.server.hub.flushed();

  const whole = await world.open();
  whole.send({ type: "subscribe", chats: "all", after: first.frames.flatMap((frame) => ("cursor" in frame ? [frame.cursor] : []))[0] });
  await whole.until("live");
  const again = await world.open();
  again.send({ type: "subscribe", chats: [chat], after: cursor });
  await again.until("live");
  expect(again.frames.some(({ type }) => type === "snapshot")).toBe(false);
  const joined = [...first.frames.slice(2, before), ...again.frames.slice(0, -1)];
  expect(joined).toEqual(whole.frames.slice(0, -1));

  for (const strange of ["nonsense", `${cursor.split(".")[0]}.99999`, "0.0"]) {
    const lost = await world.open();
    lost.send({ type: "subscribe", chats: [chat], after: strange });
    await lost.until("live");
    expect(lost.frames.map(({ type }) => type)).toEqual(["snapshot", "live"]);
  }
});

test("a client that begins in the middle of a turn gets what was said of it so far", async () => {
  const world = await served();
  const { chat } = await chatIn(world);
  world.server.hub.heard({ type: "turn-start", chat, message: "m1" });
  world.server.hub.heard({ type: "text-delta", chat, message: "m1", text: "so " });
  world.server.hub.heard({ type: "text-delta", chat, message: "m1", text: "far" });
  const late = await world.open();
  late.send({ type: "subscribe", chats: [chat], after: null });
  await late.until("live");
  world.server.hub.heard({ type: "text-delta", chat, message: "m1", text: " and on" });
  await late.until("text_delta", 2);
  expect(late.frames.flatMap((frame) => (frame.type === "text_delta" ? [frame.text] : [])).join("")).toBe("so far and on");
});

test("a frame goes to those who listen to its chat, and to nobody else", async () => {
  const world = await served();
  const one = await chatIn(world);
  const other = await chatIn(world);
  const [a, b] = [await world.open(), await world.open()];
  a.send({ type: "subscribe", chats: [one.chat], after: null });
  b.send({ type: "subscribe", chats: [other.chat], after: null });
  await Promise.all([a.until("live"), b.until("live")]);
  await world.client.send(routes.say, { id: one.chat, body: { text: `read ${join(world.on.library, "far.txt")}` } });
  await a.until("ask_open");
  a.send({ type: "unsubscribe", chats: [one.chat] });
  a.send({ type: "subscribe", chats: [other.chat], after: null });
  await a.until("live", 2);
  const heard = a.frames.length;
  const [ask] = await world.client.send(routes.listAsks, { query: { state: "open" } });
  await world.client.send(routes.answer, { id: ask?.id ?? "", body: { decision: "allow" } });
  await world.server.agent.settled();
  await world.server.hub.flushed();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(a.frames).toHaveLength(heard);
  expect(b.frames.map(({ type }) => type)).toEqual(["snapshot", "live"]);
});

test("an agent hears of its own session and of no other, and cannot ask for all", async () => {
  const world = await served();
  const mine = await world.client.send(routes.register, { body: { host: "test", hostSession: "one", workspace: world.on.workspace } });
  const foreign = await chatIn(world);
  const agent = await world.open(mine.credential);
  agent.send({ type: "subscribe", chats: "all", after: null });
  expect(await agent.until("problem")).toMatchObject({ code: "forbidden" });
  agent.send({ type: "subscribe", chats: [foreign.chat, mine.chat.id], after: null });
  expect(await agent.until("problem", 2)).toMatchObject({ code: "not-found" });
  await agent.until("live");
  expect(agent.frames.flatMap((frame) => (frame.type === "snapshot" ? [frame.chat.id] : []))).toEqual([mine.chat.id]);
  // Nor by a cursor that covers what others did.
  await world.client.send(routes.say, { id: foreign.chat, body: { text: "read notes.txt" } });
  await world.server.agent.settled();
  const live = await agent.until("live");
  agent.send({ type: "subscribe", chats: [foreign.chat, mine.chat.id], after: "cursor" in live ? live.cursor : null });
  await agent.until("live", 2);
  expect(JSON.stringify(agent.frames)).not.toContain(foreign.chat);
});

test("nonsense of every kind is answered with a problem or the end of that connection; others go on", async () => {
  const world = await served();
  const { chat } = await chatIn(world);
  const good = await world.open();
  good.send({ type: "subscribe", chats: [chat], after: null });
  await good.until("live");
  const bad = await world.open();
  const nonsense = [
    "",
    "{",
    "null",
    "[]",
    '"x"',
    "1e999",
    '{"type":"subscribe"}',
    '{"type":"live"}',
    '{"type":"subscribe","chats":"all","after":null,"extra":1}',
    `{"__proto__":{"type":"pong"}}`,
    JSON.stringify({ type: "subscribe", chats: Array.from({ length: 257 }, () => "x"), after: null }),
    "[".repeat(20_000),
  ];
  for (const text of nonsense) bad.send(text);
  bad.socket.send(Buffer.from([0, 255, 1]));
  await bad.until("problem", nonsense.length + 1);
  bad.send({ type: "subscribe", chats: ["no-such-chat-at-all"], after: null });
  await bad.until("live");
  bad.socket.send("x".repeat(70_000));
  expect(await bad.closed()).toBe(1009);
  // More at once than is worked on.
  const flood = await world.open();
  for (let count = 0; count < 2000; count += 1) flood.send({ type: "subscribe", chats: [chat], after: null });
  expect(await flood.closed()).toBe(1008);
  // What is no WebSocket frame at all.
  const raw: Socket = connect(world.port, "127.0.0.1");
  raw.on("error", () => {});
  raw.write(
    `GET /api/socket HTTP/1.1\r\nhost: 127.0.0.1:${world.port}\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
  );
  await once(raw, "data");
  raw.write(Buffer.alloc(200, 0xff));
  raw.resume();
  await once(raw, "close");
  await world.client.send(routes.say, { id: chat, body: { text: "read notes.txt" } });
  await good.until("turn_end");
  expect(good.socket.readyState).toBe(WebSocket.OPEN);
});

test("a client that does not read is dropped once too much waits for it; others get every frame", async () => {
  const world = await served();
  const { chat } = await chatIn(world);
  const good = await world.open();
  good.send({ type: "subscribe", chats: [chat], after: null });
  await good.until("live");
  const slow = await world.open();
  slow.send({ type: "subscribe", chats: [chat], after: null });
  await slow.until("live");
  slow.socket.pause();
  const text = "x".repeat(64 * 1024);
  world.server.hub.heard({ type: "turn-start", chat, message: "m" });
  // Far more than the kernel's buffers and ours hold.
  for (let count = 0; count < 400; count += 1) {
    world.server.hub.heard({ type: "text-delta", chat, message: "m", text });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await good.until("text_delta", 400);
  expect(world.server.hub.dropped).toBe(1);
  expect(world.server.hub.listeners).toBe(1);
  slow.socket.resume();
  expect([1006, 1013]).toContain(await slow.closed());
});

test("a client that answers no ping is let go; one that does stays", async () => {
  const world = await served(250);
  const { chat } = await chatIn(world);
  const silent = await world.open();
  silent.send({ type: "subscribe", chats: [chat], after: null });
  const alive = hear({ token: TOKEN, connect: (protocols) => world.server.connect(protocols) }, [chat]);
  await alive.until(({ type }) => type === "live");
  expect(await silent.closed()).toBe(1001);
  expect(silent.frames.filter(({ type }) => type === "ping")).toHaveLength(2);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(world.server.hub.listeners).toBe(1);
});

test("a socket within the process takes the token like any other", async () => {
  const world = await served();
  const wrong = world.server.connect(socketProtocols("wrong"));
  const heard: unknown[] = [];
  wrong.addEventListener("message", ({ data }) => heard.push(JSON.parse((data as Buffer).toString())));
  await new Promise<void>((resolve) => wrong.addEventListener("close", resolve));
  expect(heard).toMatchObject([{ type: "problem", code: "unauthenticated" }]);
});

test("who waits for an ask is told when it is settled, and not before; nothing is left waiting afterwards", async () => {
  const world = await served();
  const agent = await world.client.send(routes.register, { body: { host: "test", hostSession: "one", workspace: world.on.workspace } });
  const program = createClient({ address: world.address, token: agent.credential, fetch: (request) => fetch(request), via: "test" });
  const raised = await program.send(routes.agentAsk, {
    body: { call: "c1", tool: "read_file", operation: "read", path: join(world.on.library, "far.txt"), reason: null },
  });
  const id = raised.state === "waiting" ? raised.ask.id : "";
  const began = performance.now();
  expect((await program.send(routes.agentWait, { id, query: { wait: 0.2 } })).state).toBe("open");
  expect(performance.now() - began).toBeGreaterThan(190);
  const waiting = program.send(routes.agentWait, { id, query: { wait: 30 } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const answeredAt = performance.now();
  await world.client.send(routes.answer, { id, body: { decision: "deny" } });
  expect((await waiting).state).toBe("answered");
  // Told, and not found when its time was over.
  expect(performance.now() - answeredAt).toBeLessThan(25_000);
  expect((await world.client.send(routes.ask, { id })).answer?.verdict).toBe("deny");
});
