// What a client of `hallpass mcp` may do to it: everything at once, calls taken back, answers given twice, lines that are none. What was
// asked and is wanted by nobody is withdrawn; what was given once is had once.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { type Agent, connect, keepDaemon, type Keeper, type Kind, kinds, type Options, world } from "./clients.ts";
import { type Line, rawClient, type RawClient } from "./raw-client.ts";

const it = world();
let keeper: Keeper;
const cleanups: (() => Promise<unknown>)[] = [];
beforeAll(async () => void (keeper = await keepDaemon(it.home)));
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
  for (const { id } of await keeper.grants()) await keeper.person.send(routes.revoke, { id });
});
afterAll(async () => {
  await keeper.stop();
  it.remove();
});

async function agent(options: Options): Promise<Agent> {
  const made = await connect(it.home, { ...options, flags: ["--workspace", it.workspace, ...(options.flags ?? [])] });
  cleanups.push(() => made.close());
  return made;
}
async function raw(capabilities: object, ...flags: string[]): Promise<RawClient> {
  const made = await rawClient(it.home, ["--workspace", it.workspace, ...flags], "2025-11-25", capabilities);
  cleanups.push(() => made.stop());
  return made;
}
const asking = () => ({ path: it.beside, reason: "to compare" });
const stateOf = async (id: string) => (await keeper.person.send(routes.ask, { id })).state;

describe.each([...kinds.map((kind) => [kind, "with a daemon", []] as const), ["v2, 2025-11-25", "alone", ["--alone"]] as const])(
  "a client of %s, %s",
  (kind: Kind, _, flags: readonly string[]) => {
    test("of many reads at once exactly one has what was given once", async () => {
      const one = await agent({ kind, flags, person: () => ({ action: "accept", content: { decision: "once" } }) });
      expect((await one.call("request_read_access", asking())).text).toContain("once");
      const got = await Promise.all(Array.from({ length: 12 }, () => one.call("read_file", { path: it.beside })));
      expect(got.filter(({ text }) => text.includes("OUTSIDE")).length).toBe(1);
      expect(got.filter(({ failed, data }) => failed && data["code"] === "out-of-scope").length).toBe(11);
    });
  },
);

test("a thousand calls at once are each answered, once and rightly, and calls taken back are not", async () => {
  const one = await raw({});
  await one.request("tools/call", { name: "read_file", arguments: { path: "a.txt" } });
  mkdirSync(join(it.workspace, "many"), { recursive: true });
  for (let index = 0; index < 50; index += 1) writeFileSync(join(it.workspace, "many", `${index}`), `text ${index}`);
  const paths = (index: number) => (index % 10 === 0 ? ".env" : index % 10 === 1 ? it.beside : `many/${index % 50}`);
  const calls = Array.from({ length: 1000 }, (_, index) => ({
    jsonrpc: "2.0",
    id: `call-${index}`,
    method: "tools/call",
    params: { name: index % 3 === 0 ? "read_file" : index % 3 === 1 ? "list_dir" : "read_file", arguments: { path: paths(index) } },
  }));
  const back = calls
    .filter((_, index) => index % 7 === 0)
    .map(({ id }) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }));
  one.say([...calls, ...back].map((message) => `${JSON.stringify(message)}\n`).join(""));
  const wanted = calls.filter((_, index) => index % 7 !== 0);
  await Promise.all(wanted.map(({ id }) => one.hear((line) => line.id === id)));
  const texts = new Map(one.heard.map((line) => [line.id, JSON.stringify(line.result)]));
  for (const [index, { id, params }] of calls.entries()) {
    const answers = one.heard.filter((line) => line.id === id);
    expect(answers.length).toBeLessThanOrEqual(1);
    if (index % 7 === 0 || params.name !== "read_file") continue;
    const says = index % 10 === 0 ? "secret-file" : index % 10 === 1 ? "out-of-scope" : `text ${index % 50}`;
    expect([id, texts.get(id)]).toEqual([id, expect.stringContaining(says)]);
  }
  expect(JSON.stringify(one.heard)).not.toMatch(/SECRET|OUTSIDE/u);
  // And it is still there.
  expect((await one.request("tools/call", { name: "read_file", arguments: { path: "a.txt" } })).result).toMatchObject({
    content: [{ text: "INSIDE" }],
  });
});

test("an ask that several calls wait for is withdrawn with the last of them", async () => {
  const one = await agent({ kind: "v2, 2025-11-25" });
  const stops = [new AbortController(), new AbortController(), new AbortController()];
  const given = stops.map(({ signal }) => one.call("request_read_access", asking(), signal).catch(() => null));
  const ask = await keeper.openAsk();
  await expect.poll(async () => (await keeper.person.send(routes.ask, { id: ask.id })).requested.length).toBe(3);
  expect((await keeper.person.send(routes.listAsks, { query: { state: "open" } })).length).toBe(1);
  stops[0]?.abort();
  stops[1]?.abort();
  await Promise.all(given.slice(0, 2));
  expect(await stateOf(ask.id)).toBe("open");
  stops[2]?.abort();
  await expect.poll(() => stateOf(ask.id)).toBe("closed");
});

test("a client that goes away with several calls under way leaves no ask behind", async () => {
  const one = await connect(it.home, { flags: ["--workspace", it.workspace], kind: "v2, 2025-11-25" });
  const paths = [it.beside, it.beside, it.path("home/other-1/a.txt"), it.path("home/other-2/a.txt")];
  const given = paths.map((path) => one.call("request_read_access", { path, reason: "to compare" }).catch(() => null));
  const open = () => keeper.person.send(routes.listAsks, { query: { state: "open" } });
  await expect.poll(async () => (await open()).flatMap(({ requested }) => requested).length).toBe(4);
  await one.close();
  await Promise.all(given);
  await expect.poll(async () => (await open()).length).toBe(0);
});

test("a dialog that is answered twice was answered once; an answer nobody asked for is none", async () => {
  const one = await raw({ elicitation: { form: {} } });
  const granted = one.request("tools/call", { name: "request_read_access", arguments: asking() });
  const isAsk = ({ method }: Line) => method === "elicitation/create";
  const { id } = await one.hear(isAsk);
  const say = (which: unknown, decision: string) => one.say({ id: which as number, result: { action: "accept", content: { decision } } });
  say("nobody-asked", "session");
  say(9_999, "session");
  say(id, "deny");
  say(id, "session");
  expect((await granted).result).toMatchObject({ structuredContent: { code: "person-declined" } });
  say(id, "session");
  const after = await one.request("tools/call", { name: "read_file", arguments: { path: it.beside } });
  expect([JSON.stringify(after.result).includes("OUTSIDE"), await keeper.grants()]).toEqual([false, []]);
});

test("lines that are no message, lists of messages and ids used twice do no harm", async () => {
  const one = await raw({});
  await one.request("tools/call", { name: "read_file", arguments: { path: "a.txt" } });
  const call = (id: unknown, path: string) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "read_file", arguments: { path } },
  });
  one.say(`\n{\n]\nnull\n"x"\n${"[".repeat(20_000)}\n`);
  one.say(`${JSON.stringify([call(1001, ".env"), call(1002, "a.txt")])}\n`);
  one.say(`{"jsonrpc":"2.0","id":1003,"method":"tools/call","params":{"name":"read_file","arguments":{"path":".env","path":"a.txt"}}}\n`);
  for (const id of [null, {}, [], true, 1.5]) one.say(`${JSON.stringify(call(id, ".env"))}\n`);
  for (let times = 0; times < 5; times += 1) one.say(`${JSON.stringify(call("same", times % 2 === 0 ? "a.txt" : ".env"))}\n`);
  one.say(`${JSON.stringify({ ...call("proto", "a.txt"), __proto__: null }).replace('"path"', '"__proto__":{"path":".env"},"path"')}\n`);
  const alive = await one.request("tools/call", { name: "read_file", arguments: { path: "a.txt" } });
  expect(alive.result).toMatchObject({ content: [{ text: "INSIDE" }] });
  expect(JSON.stringify(one.heard)).not.toContain("SECRET");
});

test("a line of fifty megabytes is not swallowed: the server goes on, or ends, and nothing is done", async () => {
  const one = await raw({});
  await one.request("tools/call", { name: "read_file", arguments: { path: "a.txt" } });
  const content = "x".repeat(50 * 1024 * 1024);
  one.say(
    `${JSON.stringify({ jsonrpc: "2.0", id: "huge", method: "tools/call", params: { name: "write_file", arguments: { path: "huge.txt", content } } })}\n`,
  );
  const ended = new Promise<"ended">((resolve) => void one.ended.then(() => resolve("ended")));
  const answered = one.request("tools/call", { name: "list_dir", arguments: { path: "." } }).then((line) => JSON.stringify(line));
  expect(await Promise.race([ended, answered])).not.toContain("huge.txt");
});
