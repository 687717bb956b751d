// Commands and writes through MCP where a person has a say: a revocation ends what runs under it, an unconfined command runs only by the inbox, a
// write that the policy asks about is asked in the client's dialog; and the dialog as clients of older versions are shown it.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { openHostSession } from "../../src/adapters/host-session/open.ts";
import type { AskTimeouts } from "../../src/adapters/mcp/asking.ts";
import { createMcp } from "../../src/adapters/mcp/server.ts";
import { openApp } from "../../src/server/open-app.ts";
import { createPolicyFor } from "../../src/config/policy-for.ts";
import { randomIds, systemClock } from "../../src/core/clock.ts";
import { whyNoKeeper } from "../../src/sandbox/keeper.ts";
import { createNone } from "../../src/sandbox/none.ts";
import type { Sandbox } from "../../src/sandbox/port.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { routes } from "../../src/wire/http.ts";
import { type Agent, connect, keepDaemon, type Options, outcome, reading, type Said, world } from "./clients.ts";
import { rawClient } from "./raw-client.ts";

const it = world();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
afterAll(() => it.remove());

async function agent(options: Options): Promise<Agent> {
  const made = await connect(it.home, { ...options, flags: ["--workspace", it.workspace, ...(options.flags ?? [])] });
  cleanups.push(() => made.close());
  return made;
}
const kind = "v2, 2025-11-25";

/** A server and a client in this process, with this sandbox and this person at the client's dialogs. */
async function within(sandbox: Sandbox, person: (message: string) => Said, shared = false, patience: Partial<AskTimeouts> = {}) {
  const around = { home: it.home, env: {}, platform: process.platform };
  const ports = { clock: systemClock, ids: randomIds };
  const own = await openApp({ ...around, ...ports, via: "mcp" });
  const common = {
    connection: { ...own, durable: shared },
    ...ports,
    home: it.home,
    policyFor: createPolicyFor(around),
  };
  const mcp = createMcp({
    openHostSession: (workspace, attended) =>
      openHostSession({ ...common, identity: { host: "mcp", hostSession: "within", workspace, attended } }),
    shared,
    places: { given: it.workspace, variable: null, cwd: "/" },
    roots: false,
    version: "1",
    key: new Uint8Array(32),
    patience,
    sandbox,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await (await mcp.factory({ era: "legacy" })).connect(near);
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: "within", version: "1" }, { capabilities, versionNegotiation: { mode: "legacy" } });
  client.setRequestHandler("elicitation/create", ({ params }) => ({ ...person(params.message) }));
  await client.connect(far);
  cleanups.push(
    () => own.close(),
    () => mcp.close(),
    () => client.close(),
  );
  const call = async (name: string, input: Record<string, unknown>, signal?: AbortSignal) =>
    outcome(await client.callTool({ name, arguments: input }, signal === undefined ? {} : { signal }));
  const openAsk = async () => {
    const asks = () => own.client.send(routes.listAsks, { query: { state: "open" } });
    await expect.poll(async () => (await asks()).length).toBe(1);
    return (await asks())[0] ?? expect.fail("no ask");
  };
  return { call, client, openAsk, own };
}
const confined = await createSandbox().ready();
const unasked = confined ?? whyNoKeeper();
const accepts: Said = { action: "accept", content: { decision: "session" } };

describe("commands", () => {
  test.skipIf(confined !== null)("a revocation stops a command that runs under the grant", { timeout: 120_000 }, async () => {
    const keeper = await keepDaemon(it.home);
    cleanups.push(() => keeper.stop());
    let shows = true;
    const one = await agent({ kind, person: () => (shows ? accepts : { action: "cancel" }) });
    expect((await one.call("request_read_access", { path: it.beside, reason: "to build" })).text).toContain("granted:");
    const running = one.call("bash", { command: `cat ${it.beside} && touch began && sleep 1000 && touch ended` });
    await expect.poll(() => existsSync(join(it.workspace, "began"))).toBe(true);
    for (const { id } of await keeper.grants()) await keeper.person.send(routes.revoke, { id });
    const stopped = await running;
    expect([stopped.failed, stopped.data["code"]]).toEqual([true, "grant-revoked"]);
    expect(existsSync(join(it.workspace, "ended"))).toBe(false);
    // Where a program can wait, the next one asks anew; elsewhere it finds nothing there.
    shows = false;
    const again = one.call("bash", { command: `cat ${it.beside}` });
    if (unasked === null) {
      const asks = () => keeper.person.send(routes.listAsks, { query: { state: "open" } });
      await expect.poll(async () => (await asks()).length, { timeout: 60_000 }).toBe(1);
      const [ask] = await asks();
      await keeper.person.send(routes.answer, { id: ask?.id ?? "", body: { decision: "deny", digest: ask?.digest ?? "" } });
    }
    expect((await again).text).not.toContain("OUTSIDE");
  });

  test.skipIf(unasked !== null)(
    "a command that reaches for another repository waits for the client's dialog",
    { timeout: 120_000 },
    async () => {
      const cards: string[] = [];
      const one = await within(createSandbox(), (message) => (cards.push(message), accepts), false, { automatic: 0, readable: 0 });
      const ran = await one.call("bash", { command: `cat ${it.beside}; cat ${it.beside}` });
      expect(ran.text.match(/OUTSIDE/g)).toHaveLength(2);
      expect(ran.text).toContain("allowed it");
      expect(cards).toEqual([expect.stringContaining(`cat (cat ${it.beside}) reached for it`)]);
    },
  );

  test.skipIf(unasked !== null)("a no in the inbox refuses it, and the next command does not ask again", { timeout: 120_000 }, async () => {
    const one = await within(createSandbox(), () => ({ action: "cancel" }), true);
    const running = one.call("bash", { command: `cat ${it.beside}` });
    const ask = await one.openAsk();
    expect(ask).toMatchObject({ tool: "run", path: it.beside });
    await one.own.client.send(routes.answer, { id: ask.id, body: { decision: "deny", digest: ask.digest } });
    expect((await running).text).toMatch(/Permission denied.*did not allow it/s);
    expect((await one.call("bash", { command: `cat ${it.beside}` })).text).toMatch(/Permission denied.*Nobody was asked again/s);
    expect(await one.own.client.send(routes.listAsks, { query: {} })).toHaveLength(1);
  });

  test.skipIf(unasked !== null)(
    "a mount instead of an answer is not told as a yes, and the next command sees it",
    { timeout: 120_000 },
    async () => {
      const one = await within(createSandbox(), () => ({ action: "cancel" }), true);
      const running = one.call("bash", { command: `cat ${it.beside}` });
      const ask = await one.openAsk();
      await one.own.client.send(routes.addMount, { id: ask.session, body: { path: dirname(it.beside), mode: "read_only" } });
      const { text } = await running;
      expect(text).toMatch(/Permission denied.*Run the command again/s);
      expect(text).not.toContain("allowed it");
      expect((await one.call("bash", { command: `cat ${it.beside}` })).text).toContain("OUTSIDE");
    },
  );

  test.skipIf(unasked !== null)("a client that calls the command off takes the card with it", { timeout: 120_000 }, async () => {
    const one = await within(createSandbox(), () => ({ action: "cancel" }), true);
    const stop = new AbortController();
    const running = one.call("bash", { command: `cat ${it.beside}` }, stop.signal).catch(() => "called off");
    const ask = await one.openAsk();
    stop.abort();
    expect(await running).toBe("called off");
    await expect
      .poll(async () => (await one.own.client.send(routes.listAsks, { query: {} })).find(({ id }) => id === ask.id)?.state, {
        timeout: 60_000,
      })
      .toBe("closed");
  });

  test("where nothing confines it a command is not run, and nobody is said to be asked", async () => {
    let shown = 0;
    const one = await within(
      createNone("there is no bubblewrap"),
      () => ((shown += 1), { action: "accept", content: { decision: "once" } }),
    );
    const refused = await one.call("bash", { command: "touch unconfined" });
    expect([refused.failed, refused.data["code"], shown]).toEqual([true, "sandbox-unavailable", 0]);
    expect(refused.text).toContain("there is no bubblewrap. The command was not run");
    expect(refused.text).not.toContain("person is asked");
    expect(refused.text).toContain("install bubblewrap");
    expect(readdirSync(it.workspace)).not.toContain("unconfined");
    if (confined !== null) return;
    // With a sandbox the same command is done.
    const other = await agent({ kind, flags: ["--alone"] });
    expect((await other.call("bash", { command: "touch unconfined" })).text).toContain("[exit code 0]");
    expect(readdirSync(it.workspace)).toContain("unconfined");
  });
});

describe("where nothing confines commands, and a daemon keeps the inbox", () => {
  const none = createNone("there is no bubblewrap");
  // A dialog that says yes to everything: it is never shown.
  const dialogs = () => {
    const shown = { times: 0 };
    return { shown, person: (): Said => ((shown.times += 1), { action: "accept", content: { decision: "once" } }) };
  };

  test("a person is asked there about each command, by its text, and a yes runs that one once", async () => {
    const { shown, person } = dialogs();
    const { call, openAsk, own } = await within(none, person, true);
    const command = "echo done-so >> by-yes.txt; cat by-yes.txt";
    for (const lines of [1, 2]) {
      const ran = call("bash", { command });
      const ask = await openAsk();
      expect(ask).toMatchObject({ tool: "bash", requested: [command], path: "/", right: "write", offers: "once" });
      await own.client.send(routes.answer, { id: ask.id, body: { decision: "allow_once", digest: ask.digest } });
      const { failed, text } = await ran;
      expect([failed, text.split("done-so").length - 1, text.includes("without any sandbox")]).toEqual([false, lines, true]);
    }
    expect(shown.times).toBe(0);
  });

  test("a no runs nothing; nor does a command that is too long to be shown", async () => {
    const { shown, person } = dialogs();
    const { call, openAsk, own } = await within(none, person, true);
    const refused = call("bash", { command: "touch by-no" });
    const ask = await openAsk();
    await expect(own.client.send(routes.answer, { id: ask.id, body: { decision: "allow" } })).rejects.toMatchObject({
      code: "bad-request",
    });
    await own.client.send(routes.answer, { id: ask.id, body: { decision: "deny", note: "not here" } });
    expect(await refused).toMatchObject({ failed: true, data: { code: "person-declined" }, text: expect.stringContaining("not here") });
    // The same command is not asked about again; another one is a question of its own, and its card tells of no answer to it.
    expect((await call("bash", { command: "touch by-no" })).data["code"]).toBe("recently-denied");
    const another = call("bash", { command: "echo another" });
    const other = await openAsk();
    expect([other.requested, other.earlier]).toEqual([["echo another"], []]);
    await own.client.send(routes.answer, { id: other.id, body: { decision: "allow_once", digest: other.digest } });
    expect((await another).text).toContain("another");
    const long = await call("bash", { command: `touch by-length # ${"x".repeat(5000)}` });
    expect([long.failed, long.data["code"]]).toEqual([true, "sandbox-unavailable"]);
    expect(readdirSync(it.workspace).filter((name) => name.startsWith("by-n") || name.startsWith("by-l"))).toEqual([]);
    expect(shown.times).toBe(0);
  });

  test("a call that is taken back withdraws the ask, and stops a command that runs", async () => {
    const { call, openAsk, own } = await within(none, dialogs().person, true);
    const first = new AbortController();
    const waiting = call("bash", { command: "touch never" }, first.signal).catch(() => null);
    const ask = await openAsk();
    first.abort();
    await waiting;
    await expect.poll(async () => (await own.client.send(routes.ask, { id: ask.id })).state).toBe("closed");
    const second = new AbortController();
    const running = call("bash", { command: "touch began-free && sleep 3 && touch ended-free" }, second.signal).catch(() => null);
    await own.client.send(routes.answer, { id: (await openAsk()).id, body: { decision: "allow_once" } });
    await expect.poll(() => existsSync(join(it.workspace, "began-free"))).toBe(true);
    second.abort();
    await running;
    await new Promise((resolve) => setTimeout(resolve, 3500));
    expect([existsSync(join(it.workspace, "ended-free")), existsSync(join(it.workspace, "never"))]).toEqual([false, false]);
  });
});

describe("a write that the policy asks about", () => {
  const policy = it.path("home/.config/hallpass/policy.json");

  test.each(["v2, 2026-07-28", "v2, 2025-11-25", "v1"] as const)("is asked in the dialog of a client of %s", async (which) => {
    mkdirSync(dirname(policy), { recursive: true });
    writeFileSync(policy, JSON.stringify({ write: { "**/asked.txt": "ask" } }));
    writeFileSync(join(it.workspace, "asked.txt"), "BEFORE");
    const decisions = ["deny", "once"];
    const shown: string[] = [];
    const person = ({ message }: { readonly message: string }) => ({
      action: "accept" as const,
      content: { decision: decisions[shown.push(message) - 1] ?? "deny" },
    });
    const one = await agent({ kind: which, flags: ["--alone", "--name", which], person });
    const write = (content: string) => one.call("write_file", { path: "asked.txt", content });
    const text = () => readFileSync(join(it.workspace, "asked.txt"), "utf8");
    const denied = await write("FIRST");
    expect([denied.failed, denied.data["code"], text()]).toEqual([true, "person-declined", "BEFORE"]);
    expect(shown[0]).toContain("write asked.txt?");
    // A no stands for a while; another server of the same person asks anew.
    const other = await agent({ kind: which, flags: ["--alone"], person });
    expect(await other.call("write_file", { path: "asked.txt", content: "SECOND" })).toMatchObject({ failed: false });
    expect([shown.length, text()]).toEqual([2, "SECOND"]);
    // The yes was for that call.
    expect((await other.call("write_file", { path: "asked.txt", content: "THIRD" })).failed).toBe(true);
    expect([shown.length, text()]).toEqual([3, "SECOND"]);
  });
});

test("while a person is waited for the client is told so, again and again, until it is over", async () => {
  const { client, openAsk, own } = await within(createNone("none is needed"), () => ({ action: "cancel" }), true, { progressEvery: 40 });
  const heard: number[] = [];
  const options = { onprogress: ({ progress }: { progress: number }) => void heard.push(progress) };
  const granted = client.callTool({ name: "request_read_access", arguments: { path: it.beside, reason: "to compare" } }, options);
  const ask = await openAsk();
  await expect.poll(() => heard.length).toBeGreaterThan(4);
  expect(heard).toEqual(heard.map((_, index) => index + 1));
  await own.client.send(routes.answer, { id: ask.id, body: { decision: "deny" } });
  await granted;
  const count = heard.length;
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(heard.length).toBe(count);
});

test("a client of 2025-06-18 is shown names beside the values, and its answer counts", async () => {
  const one = await rawClient(it.home, ["--alone", "--workspace", it.workspace], "2025-06-18", { elicitation: {} });
  cleanups.push(() => one.stop());
  const granted = one.request("tools/call", { name: "request_read_access", arguments: { path: it.beside, reason: "to compare" } });
  const asked = await one.hear(({ method }) => method === "elicitation/create");
  const schema = asked.params?.["requestedSchema"] as { readonly properties: { readonly decision: Record<string, unknown> } };
  expect(schema.properties.decision).toEqual({
    type: "string",
    title: "Your answer",
    enum: ["deny", "session", "once", "hour", "stop"],
    enumNames: [
      "Deny",
      "Allow reading lib for this session",
      "Allow only go.mod, once",
      "Allow reading lib for one hour",
      "Deny and stop the agent",
    ],
  });
  await reading();
  one.say({ id: asked.id, result: { action: "accept", content: { decision: "session" } } });
  expect(JSON.stringify((await granted).result)).toContain("granted:");
  const read = await one.request("tools/call", { name: "read_file", arguments: { path: it.beside } });
  expect(read.result).toEqual({ content: [{ type: "text", text: "OUTSIDE" }] });
});

test("a call before the client has said who it is does nothing, and takes no dialog from those after", async () => {
  const early = { id: "early", method: "tools/call", params: { name: "read_file", arguments: { path: "a.txt" } } };
  const one = await rawClient(it.home, ["--alone", "--workspace", it.workspace], "2025-11-25", { elicitation: { form: {} } }, [early]);
  cleanups.push(() => one.stop());
  const refused = await one.hear(({ id }) => id === "early");
  expect(refused.result).toMatchObject({ isError: true, structuredContent: { code: "bad-request" } });
  const granted = one.request("tools/call", { name: "request_read_access", arguments: { path: it.beside, reason: "to compare" } });
  const asked = await one.hear(({ method }) => method === "elicitation/create");
  await reading();
  one.say({ id: asked.id, result: { action: "accept", content: { decision: "session" } } });
  expect(JSON.stringify((await granted).result)).toContain("granted:");
});

test("a read is answered the same whatever its `_meta` says", async () => {
  const one = await rawClient(it.home, ["--alone", "--workspace", it.workspace], "2025-11-25", {});
  cleanups.push(() => one.stop());
  writeFileSync(join(it.workspace, "odd.txt"), 'grüße\n"\\\u2028👍\r\n');
  writeFileSync(join(it.workspace, "binary"), Buffer.from([0, 255]));
  const whole = await one.request("tools/call", { name: "read_file", arguments: { path: "a.txt" } }); // opens the hostSession
  expect(whole.result).toEqual({ content: [{ type: "text", text: "INSIDE" }] });
  const inputs = [
    { path: "a.txt" },
    { path: "odd.txt" },
    { path: "odd.txt", offset: 2, limit: 1 },
    { path: ".env" },
    { path: it.beside },
    { path: "binary" },
    { path: "missing" },
    { path: "a\0b" },
    { path: 3 },
    { path: "a.txt", workspace: "/" },
    {},
  ];
  for (const input of inputs) {
    const named = await one.request("tools/call", {
      name: "read_file",
      arguments: input,
      _meta: { "modelcontextprotocol.io/long": true },
    });
    const plain = await one.request("tools/call", { name: "read_file", arguments: input, _meta: { progressToken: 1 } });
    expect([input, plain.result]).toEqual([input, named.result]);
  }
});
