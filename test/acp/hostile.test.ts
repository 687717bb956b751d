// What an agent behind the proxy may try: messages that two programs read in two ways, a change that it calls a read, a session it moves,
// and asks that nobody waits for any more.

import { PassThrough } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { listenToLines } from "../../src/adapters/stdio/lines.ts";
import { createProxy, type ProxyPorts } from "../../src/adapters/acp/proxy.ts";
import { openDesk } from "../../src/adapters/desk/wire-desk.ts";
import { createFileReader } from "../../src/cli/file-reader.ts";
import { openOwnApp } from "../../src/cli/own-app.ts";
import { createPolicyFor } from "../../src/config/policy-for.ts";
import { randomIds, systemClock } from "../../src/core/clock.ts";
import { routes } from "../../src/wire/http.ts";
import { tree, type Tree } from "../tree.ts";
import { READING } from "./editor.ts";

type Said = Readonly<Record<string, unknown>> & { readonly id?: unknown; readonly method?: unknown };

/** A proxy with both of its ends in the test's hands, and the person's own client. `dialog`: what the editor answers, if it does. */
async function between(
  dialog: ((optionIds: readonly string[]) => object | null) | null = () => null,
  more: Partial<Pick<ProxyPorts, "confined" | "patience">> = {},
) {
  const at = tree(["home/ws/a.txt: inside", "home/ws/.env: KEY=0", "home/lib/.git/", "home/lib/b.txt: outside", "home/other/c.txt: C"]);
  const around = { home: at.path("home"), env: { PROJECT_ROOT_WHITELIST: at.path("home") }, platform: process.platform };
  const ports = { clock: systemClock, ids: randomIds };
  const own = await openOwnApp({ ...around, ...ports, via: "acp" });
  const policyFor = createPolicyFor(around);
  const [editor, agent, dropped]: [Said[], Said[], string[]] = [[], [], []];
  const asked: Said[] = [];
  const proxy = createProxy({
    ...ports,
    openDesk: (workspace, hostSession) =>
      openDesk({ ...ports, ...own, home: around.home, policyFor, shared: true, visitor: { host: "acp", hostSession, workspace } }),
    toAgent: (line) => void agent.push(JSON.parse(line) as Said),
    toEditor(line) {
      const said = JSON.parse(line) as Said;
      if (said.method !== "session/request_permission" || !String(said.id).startsWith("hallpass-")) return void editor.push(said);
      asked.push(said);
      const result = dialog?.((said["params"] as { options: { optionId: string }[] }).options.map(({ optionId }) => optionId)) ?? null;
      // A person reads first.
      if (result !== null) setTimeout(() => proxy.fromEditor(JSON.stringify({ id: said.id, result })), READING);
    },
    read: createFileReader(ports),
    confined: null,
    mcpServer: null,
    dropped: (why) => dropped.push(why),
    patience: 20_000,
    ...more,
  });
  onTestFinished(async () => {
    await proxy.close();
    await own.close();
    at.remove();
  });
  const open = (id: string, session: string, workspace: string) => {
    proxy.fromEditor(JSON.stringify({ id, method: "session/new", params: { cwd: at.path(workspace), mcpServers: [] } }));
    proxy.fromAgent(JSON.stringify({ id, result: { sessionId: session } }));
  };
  open("open", "s", "home/ws");
  editor.splice(0);
  agent.splice(0);
  const say = (message: object) => proxy.fromAgent(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const answerTo = async (id: unknown): Promise<Said> => {
    const found = () => [...agent, ...editor].find((said) => said.id === id && said !== undefined);
    await expect.poll(found).toBeDefined();
    return found() ?? {};
  };
  const reads = (id: unknown, path: string, session = "s") => ({
    id,
    method: "fs/read_text_file",
    params: { sessionId: session, path: at.path(path) },
  });
  const openAsks = () => own.client.send(routes.listAsks, { query: { state: "open" } });
  return { at, proxy, editor, agent, asked, dropped, say, answerTo, reads, open, openAsks, own };
}

const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
const quiet = () => new Promise((resolve) => setTimeout(resolve, 100));

test("what is not one plain message never reaches the editor", async () => {
  const it = await between();
  const read = { jsonrpc: "2.0", ...it.reads(1, "home/ws/.env") };
  const text = JSON.stringify(read);
  for (const line of [
    `[${text}]`,
    `[[${text}]]`,
    `${text}x`,
    "{",
    "null",
    '"text"',
    JSON.stringify({ ...read, id: null }),
    JSON.stringify({ ...read, id: { a: 1 } }),
    JSON.stringify({ ...read, id: [1] }),
    JSON.stringify({ ...read, id: true }),
    JSON.stringify({ ...read, id: undefined }),
    JSON.stringify({ ...read, id: undefined, method: "fs/write_text_file" }),
    JSON.stringify({ ...read, id: undefined, method: "terminal/create" }),
    JSON.stringify({ ...read, method: ["fs/read_text_file"] }),
    JSON.stringify({ ...read, method: "_x/open", params: [it.at.path("home/ws/.env")] }),
    JSON.stringify({ ...read, method: "_x/open", params: it.at.path("home/ws/.env") }),
    `{"jsonrpc":"2.0","method":"session/update","params":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
  ])
    it.proxy.fromAgent(line);
  await quiet();
  expect(it.editor).toEqual([]);
  expect(it.dropped.length).toBe(17);
});

test("a key that is there twice is passed on as it was read, once", async () => {
  const it = await between();
  const secret = it.at.path("home/ws/.env");
  // A program that takes the first of two keys would read the secret.
  it.proxy.fromAgent(
    `{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","method":"session/update","params":{"sessionId":"s","path":"${secret}"}}`,
  );
  expect(JSON.stringify(it.editor)).not.toContain("fs/read_text_file");
  it.proxy.fromAgent(
    `{"jsonrpc":"2.0","id":2,"method":"session/update","method":"fs/read_text_file","params":{"sessionId":"s","path":"${secret}"}}`,
  );
  expect(await it.answerTo(2)).toMatchObject({ error: { data: { code: "secret-file" } } });
  it.proxy.fromAgent(
    `{"jsonrpc":"2.0","id":3,"method":"fs/read_text_file","params":{"sessionId":"s","path":"${secret}","path":"${it.at.path("home/ws/a.txt")}"}}`,
  );
  expect(JSON.stringify(await it.answerTo(3))).not.toContain(".env");
});

test("methods about files that are not known here are refused", async () => {
  const it = await between();
  for (const method of ["fs/list_directory", "FS/read_text_file", "terminal/exec"])
    it.say({ id: method, method, params: { sessionId: "s", path: it.at.path("home/ws") } });
  for (const method of ["fs/list_directory", "FS/read_text_file", "terminal/exec"])
    expect(await it.answerTo(method)).toMatchObject({ error: { data: { code: "bad-request" } } });
  expect(it.editor).toEqual([]);
});

test("a terminal that was not started through here is not the agent's to read or to end", async () => {
  const it = await between(null, { confined: (_, cwd, words) => ["confined", cwd, ...words] });
  const use = (id: string, method = "terminal/output") => it.say({ id, method, params: { sessionId: "s", terminalId: "t" } });
  use("before");
  use("kill", "terminal/kill");
  for (const id of ["before", "kill"]) expect(await it.answerTo(id)).toMatchObject({ error: { data: { code: "wrong-session" } } });
  it.say({ id: "make", method: "terminal/create", params: { sessionId: "s", command: "ls", alsoRuns: "x", _meta: { a: "/x" } } });
  const asked = await it.answerTo("make");
  expect(Object.keys(asked["params"] as object).toSorted()).toEqual(["args", "command", "cwd", "env", "sessionId"]);
  // Another request's answer that names a terminal is no terminal of ours.
  it.proxy.fromEditor(JSON.stringify({ id: "other", result: { terminalId: "t" } }));
  use("still");
  expect(await it.answerTo("still")).toMatchObject({ error: { data: { code: "wrong-session" } } });
  it.proxy.fromEditor(JSON.stringify({ id: "make", result: { terminalId: "t" } }));
  use("after");
  expect(await it.answerTo("after")).toMatchObject({ method: "terminal/output" });
});

test("nothing goes to the editor with a path but what was judged", async () => {
  const it = await between();
  const more = { uri: it.at.path("home/ws/.env"), _meta: { path: it.at.path("home/lib/b.txt") } };
  const path = it.at.path("home/ws/a.txt");
  it.say({ id: 1, method: "fs/read_text_file", params: { sessionId: "s", path, line: 1, ...more } });
  it.say({ id: 2, method: "fs/write_text_file", params: { sessionId: "s", path, content: "x", ...more } });
  it.say({ id: 3, method: "fs/write_text_file", params: { sessionId: "s", path, content: { $ref: "x" } } });
  expect((await it.answerTo(1))["params"]).toEqual({ sessionId: "s", path, line: 1 });
  expect((await it.answerTo(2))["params"]).toEqual({ sessionId: "s", path, content: "x" });
  expect(await it.answerTo(3)).toMatchObject({ error: { data: { code: "bad-request" } } });
});

test("where there is an inbox a yes at once is not taken, and the person's own answer there is", async () => {
  const it = await between(null);
  it.say(it.reads(1, "home/lib/b.txt"));
  await expect.poll(() => it.asked.length).toBe(1);
  it.proxy.fromEditor(JSON.stringify({ id: it.asked[0]?.id, result: selected("session") }));
  await pause(READING);
  expect(await it.own.client.send(routes.listGrants, {})).toEqual([]);
  expect(it.agent).toEqual([]);
  const [ask] = await it.openAsks();
  await it.own.client.send(routes.answer, { id: ask?.id ?? "", body: { decision: "allow_once", digest: ask?.digest ?? "" } });
  expect(await it.answerTo(1)).toMatchObject({ result: { content: "outside" } });
});

test("an agent that keeps us busy does not make a yes look late", async () => {
  const it = await between(null);
  it.say(it.reads(1, "home/lib/b.txt"));
  await expect.poll(() => it.asked.length).toBe(1);
  // While this is read, the editor's answer lies there.
  const heavy = JSON.stringify({
    jsonrpc: "2.0",
    method: "session/update",
    params: { list: Array.from({ length: 300_000 }, () => [1]) },
  });
  for (const until = performance.now() + READING; performance.now() < until;) it.proxy.fromAgent(heavy);
  await pause(0);
  it.proxy.fromEditor(JSON.stringify({ id: it.asked[0]?.id, result: selected("session") }));
  await quiet();
  expect(await it.own.client.send(routes.listGrants, {})).toEqual([]);
});

test("questions about unknown methods come one at a time, and a no holds until the person speaks", async () => {
  const it = await between(null);
  const odd = (id: number, method = "_x/do") => it.say({ id, method, params: { sessionId: "s", path: it.at.path("home/ws/a.txt") } });
  for (const id of [1, 2, 3]) odd(id);
  await expect.poll(() => it.asked.length).toBe(1);
  await quiet();
  expect(it.asked.length).toBe(1);
  it.proxy.fromEditor(JSON.stringify({ id: it.asked[0]?.id, result: selected("deny") }));
  for (const id of [1, 2, 3]) expect(await it.answerTo(id)).toMatchObject({ error: { data: { code: "person-declined" } } });
  expect(it.asked.length).toBe(1);
  it.proxy.fromEditor(JSON.stringify({ id: 50, method: "session/prompt", params: { sessionId: "s", prompt: [] } }));
  odd(4);
  await expect.poll(() => it.asked.length).toBe(2);
  // Called off in the middle, it goes nowhere.
  it.proxy.fromEditor(JSON.stringify({ method: "session/cancel", params: { sessionId: "s" } }));
  expect(await it.answerTo(4)).toMatchObject({ error: {} });
  await pause(READING);
  it.proxy.fromEditor(JSON.stringify({ id: it.asked[1]?.id, result: selected("yes") }));
  await quiet();
  expect(it.editor.filter(({ method }) => method === "_x/do")).toEqual([]);
});

test("a method that names no session is judged in the only one; where there are two, or none is meant, it is refused", async () => {
  const it = await between(null);
  const odd = (id: number) => it.say({ id, method: "_x/do", params: { path: it.at.path("home/lib/b.txt") } });
  odd(1);
  expect(await it.answerTo(1)).toMatchObject({ error: { data: { code: "write-out-of-scope" } } });
  it.open("two", "s2", "home/other");
  odd(2);
  expect(await it.answerTo(2)).toMatchObject({ error: { data: { code: "wrong-session" } } });
});

test("a fork works where the editor says, and the session it came from stays where it was", async () => {
  const it = await between(null);
  const params = { sessionId: "s", cwd: it.at.path("home/other"), mcpServers: [] };
  it.proxy.fromEditor(JSON.stringify({ id: "fork", method: "session/fork", params }));
  it.proxy.fromAgent(JSON.stringify({ id: "fork", result: { sessionId: "forked" } }));
  it.editor.splice(0);
  it.say(it.reads(1, "home/other/c.txt", "forked"));
  expect(await it.answerTo(1)).toMatchObject({ method: "fs/read_text_file" });
  it.say({ id: 2, method: "fs/write_text_file", params: { sessionId: "s", path: it.at.path("home/other/c.txt"), content: "x" } });
  expect(await it.answerTo(2)).toMatchObject({ error: { data: { code: "write-out-of-scope" } } });
});

test("ids may come in any order, and one that is under way is not taken twice", async () => {
  const it = await between();
  it.say(it.reads("a", "home/lib/b.txt"));
  it.say(it.reads("a", "home/ws/a.txt"));
  expect(await it.answerTo("a")).toMatchObject({ error: { data: { code: "bad-request" } } });
  // Meanwhile others are answered.
  it.say(it.reads(7, "home/ws/.env"));
  it.say(it.reads("7", "home/ws/a.txt"));
  expect(await it.answerTo(7)).toMatchObject({ error: { data: { code: "secret-file" } } });
  expect(await it.answerTo("7")).toMatchObject({ method: "fs/read_text_file" });
  // An id like one of ours is not the agent's to use.
  it.say(it.reads("hallpass-1", "home/ws/a.txt"));
  expect(await it.answerTo("hallpass-1")).toMatchObject({ error: { data: { code: "bad-request" } } });
});

test("an agent cannot move a session to another workspace by giving its name again", async () => {
  const it = await between();
  it.open("second", "s", "home/other");
  it.editor.splice(0);
  it.say(it.reads(1, "home/ws/a.txt"));
  expect(await it.answerTo(1)).toMatchObject({ method: "fs/read_text_file", params: { path: it.at.path("home/ws/a.txt") } });
  it.say({ id: 2, method: "fs/write_text_file", params: { sessionId: "s", path: it.at.path("home/other/c.txt"), content: "x" } });
  expect(await it.answerTo(2)).toMatchObject({ error: { data: { code: "write-out-of-scope" } } });
});

test("a session the editor loads is judged in the editor's workspace, and what is not about files passes both ways", async () => {
  const it = await between();
  it.proxy.fromEditor(
    JSON.stringify({ id: 5, method: "session/load", params: { sessionId: "old", cwd: it.at.path("home/other"), mcpServers: [] } }),
  );
  expect(it.agent).toMatchObject([{ id: 5, method: "session/load", params: { sessionId: "old" } }]);
  it.say(it.reads("in", "home/other/c.txt", "old"));
  expect(await it.answerTo("in")).toMatchObject({ method: "fs/read_text_file" });
  it.say({ id: "w", method: "fs/write_text_file", params: { sessionId: "old", path: it.at.path("home/ws/a.txt"), content: "x" } });
  expect(await it.answerTo("w")).toMatchObject({ error: { data: { code: "write-out-of-scope" } } });
  // A question of the agent's own, and the person's answer to it.
  it.say({
    id: "q",
    method: "elicitation/create",
    params: { sessionId: "old", mode: "form", message: "Which?", requestedSchema: { type: "object", properties: {} } },
  });
  expect(it.editor.at(-1)).toMatchObject({ id: "q", method: "elicitation/create" });
  it.proxy.fromEditor(JSON.stringify({ id: "q", result: { action: "accept", content: {} } }));
  expect(it.agent.at(-1)).toMatchObject({ id: "q", result: { action: "accept" } });
});

const options = [
  { optionId: "y", name: "yes", kind: "allow_once" },
  { optionId: "n", name: "no", kind: "reject_once" },
];

test("a call that lies about what it is does not get by", async () => {
  const it = await between(() => selected("deny"));
  const permit = (id: number, toolCall: object) =>
    it.say({ id, method: "session/request_permission", params: { sessionId: "s", options, toolCall: { toolCallId: "t", ...toolCall } } });
  const place = (path: string) => [{ path: it.at.path(path) }];
  const diff = (path: string) => [{ type: "diff", path: it.at.path(path), newText: "x" }];
  // Said to be a read of the workspace: it shows a change elsewhere; one in the workspace; another path in its input; a secret there.
  permit(1, { kind: "read", locations: place("home/ws/a.txt"), content: diff("home/lib/b.txt") });
  permit(2, { kind: "read", locations: place("home/ws/a.txt"), content: diff("home/ws/a.txt") });
  permit(3, { kind: "read", locations: place("home/ws/a.txt"), rawInput: { file: it.at.path("home/lib/b.txt") } });
  permit(4, { kind: "read", locations: place("home/ws/a.txt"), rawInput: { file: it.at.path("home/ws/.env") } });
  // Said to be something else: a secret is refused, the rest is the person's, in the editor's own dialog.
  permit(5, { kind: "think", locations: place("home/ws/.env") });
  permit(6, { locations: place("home/ws/.env") });
  permit(7, { kind: "constructor", locations: place("home/ws/.env") });
  permit(8, { kind: "execute", locations: place("home/ws") });
  permit(9, {
    kind: "read",
    locations: Array.from({ length: 200 }, (_, index) => ({ path: it.at.path(`home/ws/${index}`) })),
  });
  const no = { result: selected("n") };
  for (const id of [1, 3, 4, 5, 6, 7, 9]) expect([id, await it.answerTo(id)]).toMatchObject([id, no]);
  for (const id of [2, 8]) expect(await it.answerTo(id)).toMatchObject({ method: "session/request_permission" });
});

test("what was told of a call before counts too where it is told otherwise now, until the call is over", async () => {
  const it = await between(() => selected("deny"));
  const tell = (update: object) =>
    it.say({ method: "session/update", params: { sessionId: "s", update: { sessionUpdate: "tool_call", toolCallId: "t", ...update } } });
  const permit = (id: number, session = "s") => {
    const toolCall = { toolCallId: "t", title: "Read a.txt", kind: "read", locations: [{ path: it.at.path("home/ws/a.txt") }] };
    it.say({ id, method: "session/request_permission", params: { sessionId: session, options, toolCall } });
  };
  const yes = { result: selected("y") };
  permit(1);
  expect(await it.answerTo(1)).toMatchObject(yes);
  tell({ title: "Read", kind: "read", locations: [{ path: it.at.path("home/ws/.env") }] });
  permit(2);
  expect(await it.answerTo(2)).toMatchObject({ result: selected("n") });
  tell({ title: "Read", kind: "read", rawInput: { path: "../lib/b.txt" } });
  permit(3);
  expect(await it.answerTo(3)).toMatchObject({ result: selected("n") });
  tell({ sessionUpdate: "tool_call_update", kind: "edit", rawInput: { path: "a.txt" } });
  permit(4);
  expect(await it.answerTo(4)).toMatchObject({ method: "session/request_permission" });
  // Over and told anew, it is another call.
  tell({ sessionUpdate: "tool_call_update", status: "completed" });
  tell({ title: "Read File", kind: "read", status: "pending", locations: [], rawInput: {}, content: [] });
  permit(5);
  expect(await it.answerTo(5)).toMatchObject(yes);
});

/** A call that is said to read `home/ws/a.txt`, and says more: what its person is asked, and what the agent hears. */
async function permitted(more: (at: Tree) => object, kind = "read") {
  const it = await between(() => selected("deny"));
  const toolCall = { toolCallId: "t", title: "Read a.txt", kind, locations: [{ path: it.at.path("home/ws/a.txt") }], ...more(it.at) };
  it.say({ id: 1, method: "session/request_permission", params: { sessionId: "s", options, toolCall } });
  const said = await it.answerTo(1);
  return said.method === "session/request_permission" ? "the editor's" : (said["result"] as typeof no).outcome.optionId;
}
const no = selected("n");

describe("a read of which more is said than the file", () => {
  test.each<[string, (at: Tree) => object]>([
    ["nothing more", () => ({})],
    ["the same path", (at) => ({ rawInput: { file_path: at.path("home/ws/a.txt"), offset: 1, limit: "20", encoding: "utf-8" } })],
    ["the same path as it is seen from the workspace", () => ({ rawInput: { path: "./a.txt" } })],
    ["a title with its lines", (at) => ({ title: `Read \`${at.path("home/ws/a.txt")}\` (1 - 50)` })],
  ])("is answered for the person: %s", async (_, more) => {
    expect(await permitted(more)).toBe("y");
  });

  test.each<[string, (at: Tree) => object]>([
    ["a command", () => ({ rawInput: { command: "cat /etc/passwd; rm -rf ~/x" } })],
    ["a directory that the path is seen from", () => ({ rawInput: { path: "a.txt", cwd: "sub" } })],
    ["such a directory under another name", () => ({ rawInput: { path: "a.txt", working_directory: "sub" } })],
    ["a command of one word", () => ({ rawInput: { path: "a.txt", run: "reboot" } })],
    ["a command in words", () => ({ rawInput: { command: ["cat", "a.txt"] } })],
    ["a program in the workspace", () => ({ rawInput: { do: "./a.txt" } })],
    ["a command as a path", () => ({ rawInput: { path: "a.txt; rm -rf x" } })],
    ["a command as a target", () => ({ rawInput: { target: "rm -rf x" } })],
    ["a command as a name", () => ({ rawInput: { "rm -rf x": true } })],
    ["a text and nothing else", () => ({ rawInput: "rm -rf x" })],
    ["a command in its title", () => ({ title: "rm a.txt" })],
    ["a flag in its title", () => ({ title: "Read a.txt --exec x" })],
    ["two commands in its title", () => ({ title: "Read a.txt; reboot" })],
    ["an address", () => ({ rawInput: { url: "https://example.org/" } })],
    ["a file address of another machine", () => ({ rawInput: { path: "file://elsewhere/x" } })],
    ["a text beside it", () => ({ content: [{ type: "content", content: { type: "text", text: "rm -rf x" } }] })],
    ["a terminal", () => ({ content: [{ type: "terminal", terminalId: "t" }] })],
    ["a place that is none", (at) => ({ locations: [{ path: at.path("home/ws/a.txt") }, { uri: "x" }] })],
    ["something nobody knows", () => ({ alsoRuns: "x" })],
  ])("is the person's to answer: %s", async (_, more) => {
    expect(await permitted(more)).toBe("the editor's");
  });

  test.each<[string, (at: Tree) => object]>([
    ["a path that climbs", () => ({ rawInput: { path: "../lib/b.txt" } })],
    ["a path in a list", (at) => ({ rawInput: { files: [at.path("home/lib/b.txt")] } })],
    ["a path further in", (at) => ({ rawInput: { opts: [{ path: at.path("home/lib/b.txt") }] } })],
    ["a path very far in", (at) => ({ rawInput: nested({ path: at.path("home/lib/b.txt") }, 500) })],
    ["a path under another name", (at) => ({ rawInput: { q: ` ${at.path("home/lib/b.txt")}` } })],
    ["a path as a name", (at) => ({ rawInput: { [at.path("home/lib/b.txt")]: 1 } })],
    ["a path and nothing else", (at) => ({ rawInput: at.path("home/lib/b.txt") })],
    ["a file address", (at) => ({ rawInput: { path: `file://${at.path("home/lib")}/%62.txt` } })],
    ["a secret of the workspace", () => ({ rawInput: { path: ".env" } })],
    ["a secret further in", () => ({ rawInput: { opts: { files: [".env"] } } })],
    ["a secret and nothing else", () => ({ rawInput: ".env" })],
    ["a secret in its title", () => ({ title: "Read .env" })],
    ["a path elsewhere in its title", (at) => ({ title: `Read ${at.path("home/lib/b.txt")}` })],
    ["a change elsewhere", (at) => ({ content: [{ type: "diff", path: at.path("home/lib/b.txt"), newText: "x" }] })],
    ["more than is looked at", () => ({ rawInput: { list: Array.from({ length: 20_000 }, () => 1) } })],
  ])("is judged by all of it, and here refused: %s", async (_, more) => {
    expect(await permitted(more)).toBe("n");
  });

  test("no other kind is answered for the person, and a change is not judged by what it writes", async () => {
    for (const kind of ["search", "edit", "execute", "fetch", "think", "other"])
      expect([kind, await permitted(() => ({}), kind)]).toEqual([kind, "the editor's"]);
    const rawInput = { file_path: "a.txt", old_string: "x", new_string: "../lib/b.txt", edits: [{ newText: "/etc/passwd" }] };
    expect(await permitted(() => ({ rawInput }), "edit")).toBe("the editor's");
    expect(await permitted(() => ({ rawInput: { ...rawInput, edits: [{ path: "../lib/b.txt" }] } }), "edit")).toBe("n");
  });
});

function nested(inner: object, depth: number): object {
  let value = inner;
  for (let at = 0; at < depth; at += 1) value = at % 2 === 0 ? { more: value } : { list: [value] };
  return value;
}

test("two reads under one roof are one dialog, and its second answer is not heard", async () => {
  const it = await between(null);
  it.say(it.reads(1, "home/lib/b.txt"));
  await expect.poll(() => it.asked.length).toBe(1);
  it.say(it.reads(2, "home/lib/b.txt"));
  await expect.poll(async () => (await it.openAsks())[0]?.requested.length).toBe(2);
  const { id } = it.asked[0] ?? {};
  it.proxy.fromEditor(JSON.stringify({ id, result: selected("deny") }));
  it.proxy.fromEditor(JSON.stringify({ id, result: selected("session") }));
  for (const each of [1, 2]) expect(await it.answerTo(each)).toMatchObject({ error: { data: { code: "person-declined" } } });
  await quiet();
  expect([it.asked.length, await it.own.client.send(routes.listGrants, {})]).toEqual([1, []]);
});

test.each([
  [
    "the editor cancels the turn",
    (it: Awaited<ReturnType<typeof between>>) =>
      it.proxy.fromEditor(JSON.stringify({ method: "session/cancel", params: { sessionId: "s" } })),
  ],
  [
    "the agent takes its request back",
    (it: Awaited<ReturnType<typeof between>>) => it.say({ method: "$/cancel_request", params: { requestId: 1 } }),
  ],
  ["one of the two is gone", (it: Awaited<ReturnType<typeof between>>) => void it.proxy.close()],
])("when %s in the middle of an ask, the ask is withdrawn and the dialog taken away", async (_, end) => {
  const it = await between(null);
  it.say(it.reads(1, "home/lib/b.txt"));
  await expect.poll(() => it.asked.length).toBe(1);
  expect((await it.openAsks()).length).toBe(1);
  end(it);
  expect(await it.answerTo(1)).toMatchObject({ error: { data: { code: "request-closed" } } });
  await expect.poll(async () => (await it.openAsks()).length).toBe(0);
  expect(JSON.stringify(it.agent)).not.toContain("outside");
  // A yes that comes too late opens nothing.
  it.proxy.fromEditor(JSON.stringify({ id: it.asked[0]?.id, result: selected("session") }));
  await quiet();
  expect(await it.own.client.send(routes.listGrants, {})).toEqual([]);
});

test("an ask that another call waits for stays when one of them is cancelled", async () => {
  const it = await between(null);
  it.say(it.reads(1, "home/lib/b.txt"));
  await expect.poll(() => it.asked.length).toBe(1);
  it.say(it.reads(2, "home/lib/b.txt"));
  await expect.poll(async () => (await it.openAsks())[0]?.requested.length).toBe(2);
  it.say({ method: "$/cancel_request", params: { requestId: 1 } });
  expect(await it.answerTo(1)).toMatchObject({ error: { data: { code: "request-closed" } } });
  expect((await it.openAsks()).length).toBe(1);
  // A yes to the card as it was shown first is none to what it is now: it is shown again.
  await pause(READING);
  it.proxy.fromEditor(JSON.stringify({ id: it.asked[0]?.id, result: selected("session") }));
  await expect.poll(() => it.asked.length).toBe(2);
  await pause(READING);
  it.proxy.fromEditor(JSON.stringify({ id: it.asked[1]?.id, result: selected("session") }));
  expect(await it.answerTo(2)).toMatchObject({ result: { content: "outside" } });
});

test("a yes for once that comes after its call was given up is the next same call's, and no other's", async () => {
  const it = await between(null, { patience: 1_000 });
  const sayYes = async (): Promise<void> => {
    const [ask] = await it.openAsks();
    await it.own.client.send(routes.answer, { id: ask?.id ?? "", body: { decision: "allow_once" } });
  };
  it.say(it.reads(1, "home/lib/b.txt"));
  expect(await it.answerTo(1)).toMatchObject({ error: { data: { code: "timeout" } } });
  await sayYes();
  it.say(it.reads(2, "home/lib/b.txt"));
  expect(await it.answerTo(2)).toMatchObject({ result: { content: "outside" } });
  it.say(it.reads(3, "home/lib/b.txt"));
  expect(await it.answerTo(3)).toMatchObject({ error: { data: { code: "timeout" } } });
  // And where it comes while the next one waits already.
  it.say(it.reads(4, "home/lib/b.txt"));
  await quiet();
  await sayYes();
  expect(await it.answerTo(4)).toMatchObject({ result: { content: "outside" } });
});

test("a line ends at a newline and nowhere else, and one that is too long is left out whole", async () => {
  const input = new PassThrough();
  const lines: string[] = [];
  let long = 0;
  const ended = new Promise<void>((end) => listenToLines(input, 50, { line: (line) => lines.push(line), tooLong: () => (long += 1), end }));
  const odd = JSON.stringify({ a: "\u2028\u2029\u0085ü" });
  input.write(Buffer.from(`${odd}\r\n`).subarray(0, 12));
  input.write(Buffer.from(`${odd}\r\n`).subarray(12));
  input.write("x".repeat(40));
  input.write(`${"x".repeat(40)}\n{"b":1}\n\n`);
  input.write(`${"y".repeat(60)}\n{"c":1}`);
  input.end();
  await ended;
  expect([lines, long]).toEqual([[odd, '{"b":1}'], 2]);
});
