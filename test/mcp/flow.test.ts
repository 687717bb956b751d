// The whole way through MCP, by the official clients: refused, asked in the client's own dialog, answered, read, revoked, refused; and
// every way in which a dialog can come to nothing.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { slowClock } from "../support/slow-clock.ts";
import { type Agent, connect, type Http, keepDaemon, type Keeper, type Kind, kinds, type Options, startHttp, world } from "./clients.ts";

const it = world();
let keeper: Keeper;
const agents: Agent[] = [];

beforeAll(async () => void (keeper = await keepDaemon(it.home)));
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close()));
  for (const ask of await keeper.person.send(routes.listAsks, { query: { state: "open" } }))
    await keeper.person.send(routes.answer, { id: ask.id, body: { decision: "deny" } });
});
afterAll(async () => {
  await keeper.stop();
  it.remove();
});

async function agent(options: Options): Promise<Agent> {
  const made = await connect(it.home, { ...options, flags: ["--workspace", it.workspace, ...(options.flags ?? [])] });
  agents.push(made);
  return made;
}
const asking = () => ({ path: it.beside, reason: "to compare" });
const yes = () => ({ action: "accept" as const, content: { decision: "session" } });

async function flow(one: Agent): Promise<void> {
  expect((await one.call("read_file", { path: "a.txt" })).text).toBe("INSIDE");
  const refused = await one.call("read_file", { path: it.beside });
  expect([refused.failed, refused.data["code"]]).toEqual([true, "out-of-scope"]);
  expect(refused.text).toContain("request_read_access");
  const granted = await one.call("request_read_access", asking());
  expect(granted).toMatchObject({ failed: false, text: `granted: ${it.path("home/lib")}` });
  expect((await one.call("read_file", { path: it.beside })).text).toBe("OUTSIDE");
  expect((await one.call("read_file", { path: it.path("home/lib/.env") })).data["code"]).toBe("secret-file");
  expect((await one.call("write_file", { path: it.beside, content: "x" })).data["code"]).toBe("read-only-grant");
  expect((await one.call("request_read_access", asking())).data["code"]).toBe("already-in-scope");
  for (const { id } of await keeper.grants()) await keeper.person.send(routes.revoke, { id });
  const after = await one.call("read_file", { path: it.beside });
  expect([after.failed, after.data["code"]]).toEqual([true, "out-of-scope"]);
  expect(after.text).not.toContain("OUTSIDE");
}

describe.each(kinds)("a client of %s", (kind: Kind) => {
  test("is refused, asks in its dialog, reads, is revoked, is refused: on standard streams", async () => {
    const shown: string[] = [];
    const one = await agent({ kind, person: ({ message }) => (shown.push(message), yes()) });
    if (kind !== "v1") expect(`v2, ${one.version}`).toBe(kind);
    await flow(one);
    expect(shown).toHaveLength(1);
    // The client is called by its own name and version.
    expect(shown[0]).toMatch(/^Let (?:first|second) 1 read lib\?\n/);
    for (const part of [it.beside, "to compare", `A yes lets it read: ${it.path("home/lib")}, the whole git repository`])
      expect(shown[0]).toContain(part);
  });

  test("view_file is another name of read_file", async () => {
    const one = await agent({ kind, person: yes });
    expect((await one.call("view_file", { path: "a.txt" })).text).toBe("INSIDE");
    expect((await one.call("view_file", { path: it.beside })).data["code"]).toBe("out-of-scope");
  });

  test("a client that declines by itself has not answered: the inbox does", async () => {
    const one = await agent({ kind, person: () => ({ action: "decline" }), hasty: true });
    const granted = one.call("request_read_access", asking());
    const ask = await keeper.openAsk();
    await keeper.person.send(routes.answer, { id: ask.id, body: { decision: "allow_once" } });
    expect(await granted).toMatchObject({ failed: false, text: `granted: ${it.beside} (once)` });
    expect((await one.call("read_file", { path: it.beside })).text).toBe("OUTSIDE");
    expect((await one.call("read_file", { path: it.beside })).data["code"]).toBe("out-of-scope");
  });

  test("a client that says yes before anybody can read has not answered: the inbox does", async () => {
    const one = await agent({ kind, person: yes, hasty: true });
    const granted = one.call("request_read_access", asking());
    const ask = await keeper.openAsk();
    await expect.poll(() => one.progress.join(" ")).toContain("sooner than a person can read");
    expect([(await keeper.person.send(routes.ask, { id: ask.id })).state, await keeper.grants()]).toEqual(["open", []]);
    await keeper.person.send(routes.answer, { id: ask.id, body: { decision: "deny" } });
    const no = await granted;
    expect([no.data["code"], no.data["category"]]).toEqual(["person-declined", "denied-by-person"]);
    expect(no.text).toMatch(/^denied\b.* \[person-declined\]$/su);
  });

  test("a person who declines is believed, and not asked again", async () => {
    const one = await agent({ kind, person: () => new Promise((resolve) => setTimeout(() => resolve({ action: "decline" }), 1200)) });
    expect((await one.call("request_read_access", asking())).data["code"]).toBe("person-declined");
    expect((await one.call("request_read_access", asking())).data["code"]).toBe("recently-denied");
    // A plain read is not told to ask either, which could not help.
    const refused = await one.call("read_file", { path: it.beside });
    expect([refused.data["code"], refused.text.includes("Use request_read_access")]).toEqual(["recently-denied", false]);
  });

  test("an accept without a clear yes is a no", async () => {
    const unclear = [{}, { decision: "" }, { decision: "yes" }, { decision: "deny", note: "use ours" }];
    let shown = 0;
    const one = await agent({ kind, person: () => ({ action: "accept", content: unclear[(shown += 1) - 1] ?? {} }) });
    for (const [index, content] of unclear.entries()) {
      const denied = await one.call("request_read_access", { path: it.path(`home/other-${index + 1}/a.txt`), reason: "to compare" });
      expect([content, denied.failed, denied.data["code"]]).toEqual([content, true, "person-declined"]);
      if ("note" in content) expect(denied.text).toContain("use ours");
    }
    expect([shown, await keeper.grants()]).toEqual([unclear.length, []]);
  });
});

// One client of each era: to the server a client of the first library is one of the second's older era.
describe.each(["v2, 2026-07-28", "v2, 2025-11-25"] as const)("a client of %s, further", (kind: Kind) => {
  test("a client without dialogs is answered from the inbox, and told that it waits", async () => {
    const one = await agent({ kind });
    const granted = one.call("request_read_access", asking());
    const ask = await keeper.openAsk();
    expect(ask).toMatchObject({ words: "to compare", asker: { host: "mcp" }, proposal: { dir: it.path("home/lib") } });
    await keeper.person.send(routes.answer, { id: ask.id, body: { decision: "deny", note: "not today" } });
    expect((await granted).text).toContain("not today");
    expect(one.progress[0]).toContain("waiting for a person");
  });

  test("a client that can only open pages is sent to the inbox, without credentials; opening it is no answer", async () => {
    const urls: (string | undefined)[] = [];
    const one = await agent({ kind, dialog: "url", person: ({ url }) => (urls.push(url), { action: "accept" }) });
    const granted = one.call("request_read_access", asking());
    const ask = await keeper.openAsk();
    await expect.poll(() => urls.length).toBe(1);
    expect((await keeper.person.send(routes.ask, { id: ask.id })).state).toBe("open");
    expect(urls[0]).toBe(`${keeper.person.address}/#/inbox`);
    expect(urls[0]).not.toContain(keeper.person.token);
    await keeper.person.send(routes.answer, { id: ask.id, body: { decision: "allow" } });
    expect((await granted).text).toContain("granted:");
    for (const { id } of await keeper.grants()) await keeper.person.send(routes.revoke, { id });
  });

  test("a call that is cancelled closes its ask", async () => {
    const one = await agent({ kind });
    const stop = new AbortController();
    const given = one.call("request_read_access", asking(), stop.signal).catch((error: unknown) => error);
    const ask = await keeper.openAsk();
    stop.abort();
    await given;
    await expect.poll(async () => (await keeper.person.send(routes.ask, { id: ask.id })).state).toBe("closed");
  });

  test("when nobody answers in time the ask stays open, and asking again goes on with it", async () => {
    const one = await agent({ kind, flags: ["--name", `late ${kind}`, "--wait", "1"] });
    const late = await one.call("request_read_access", asking());
    expect([late.failed, late.data["code"]]).toEqual([true, "timeout"]);
    expect(late.text).toContain("still open");
    const ask = await keeper.openAsk();
    // The next server of the session waits as long as it takes.
    await one.close();
    const next = await agent({ kind, flags: ["--name", `late ${kind}`] });
    const again = next.call("request_read_access", asking());
    await expect.poll(async () => (await keeper.person.send(routes.ask, { id: ask.id })).requested.length).toBe(2);
    await keeper.person.send(routes.answer, { id: ask.id, body: { decision: "allow" } });
    expect((await again).text).toContain("granted:");
    for (const { id } of await keeper.grants()) await keeper.person.send(routes.revoke, { id });
  });

  test("by the guard: the read itself asks, waits and goes on", async () => {
    const one = await agent({ kind, flags: ["--ask", "by-guard"], person: () => ({ action: "accept", content: { decision: "once" } }) });
    expect((await one.call("read_file", { path: it.beside })).text).toBe("OUTSIDE");
    expect((await one.call("read_file", { path: it.path("home/lib/.env") })).data["code"]).toBe("secret-file");
  });

  test("without a daemon: a yes lives in the process; nobody to ask says so", async () => {
    const alone = await agent({ kind, person: yes, flags: ["--alone"] });
    expect((await alone.call("request_read_access", asking())).text).toContain("granted:");
    expect((await alone.call("read_file", { path: it.beside })).text).toBe("OUTSIDE");
    expect((await alone.call("list_access", {})).text).toContain("ends with this server's process");
    const mute = await agent({ kind, flags: ["--alone"] });
    expect((await mute.call("request_read_access", asking())).data["code"]).toBe("no-prompt-channel");
    let asked = 0;
    const automatic = await agent({ kind, flags: ["--alone"], person: () => ((asked += 1), { action: "decline" }), hasty: true });
    expect((await automatic.call("request_read_access", asking())).data["code"]).toBe("no-prompt-channel");
    // Nobody said no, so asking again asks again.
    expect((await automatic.call("request_read_access", asking())).data["code"]).toBe("no-prompt-channel");
    expect(asked).toBe(2);
    const hasty = await (await agent({ kind, flags: ["--alone"], person: yes, hasty: true })).call("request_read_access", asking());
    expect([hasty.data["code"], hasty.text]).toEqual(["no-prompt-channel", expect.stringContaining("sooner than a person can read")]);
  });
});

describe("over HTTP", () => {
  let http: Http;
  let slow: Http;
  beforeAll(async () => {
    http = await startHttp(it.home, ["--workspace", it.workspace]);
    slow = await startHttp(it.home, ["--workspace", it.workspace], slowClock);
  });
  afterAll(() => Promise.all([http.stop(), slow.stop()]));

  test.each(kinds)("a client of %s is refused, asks in its dialog, reads, is revoked, is refused", async (kind) => {
    await flow(await agent({ kind, http, person: yes }));
  });

  test.each(kinds)("a client of %s that declines by itself, or has no dialogs, is answered from the inbox", async (kind) => {
    for (const person of [() => ({ action: "decline" as const }), null]) {
      const one = await agent({ kind, http: slow, person });
      const granted = one.call("request_read_access", asking());
      const ask = await keeper.openAsk();
      await expect.poll(() => one.progress.join()).toContain("waiting for a person");
      await keeper.person.send(routes.answer, { id: ask.id, body: { decision: "allow_once" } });
      expect(await granted).toMatchObject({ failed: false, text: `granted: ${it.beside} (once)` });
      expect((await one.call("read_file", { path: it.beside })).text).toBe("OUTSIDE");
      expect((await one.call("read_file", { path: it.beside })).data["code"]).toBe("out-of-scope");
    }
  });

  test.each(["v2, 2026-07-28", "v2, 2025-11-25"] as const)(
    "a client of %s that goes away, or takes its call back, leaves no ask",
    async (kind) => {
      const one = await agent({ kind, http });
      const stop = new AbortController();
      const given = one.call("request_read_access", asking(), stop.signal).catch(() => null);
      const ask = await keeper.openAsk();
      stop.abort();
      await given;
      await expect.poll(async () => (await keeper.person.send(routes.ask, { id: ask.id })).state).toBe("closed");
    },
  );

  test("MCP-14: without the token, from another host or page, nothing is answered", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const send = (headers: Record<string, string>) =>
      fetch(http.address, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      });
    const authorization = `Bearer ${http.token}`;
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: "Bearer wrong" })).status).toBe(401);
    expect(await (await send({ authorization, origin: "https://evil.example" })).json()).toMatchObject({ error: { code: "bad-origin" } });
    expect(await (await send({ authorization, origin: "null" })).json()).toMatchObject({ error: { code: "bad-origin" } });
    const { request } = await import("node:http");
    const { port } = new URL(http.address);
    const rebound = await new Promise<number | undefined>((resolve) =>
      request(
        { host: "127.0.0.1", port, path: "/mcp", method: "POST", headers: { host: `rebind.example:${port}`, authorization } },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      ).end(body),
    );
    expect(rebound).toBe(403);
    expect((await fetch(http.address.replace("/mcp", "/other"), { headers: { authorization } })).status).toBe(404);
  });
});

test("whoever answers first counts, and the dialog is taken away", async () => {
  let taken = false;
  const one = await agent({
    kind: "v2, 2025-11-25",
    person: ({ signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => ((taken = true), resolve({ action: "cancel" })), { once: true })),
  });
  const granted = one.call("request_read_access", asking());
  const ask = await keeper.openAsk();
  await keeper.person.send(routes.answer, { id: ask.id, body: { decision: "allow" } });
  expect((await granted).text).toContain("granted:");
  await expect.poll(() => taken).toBe(true);
  for (const { id } of await keeper.grants()) await keeper.person.send(routes.revoke, { id });
});

test("a client that goes away closes the ask it waited for", async () => {
  const one = await connect(it.home, { flags: ["--workspace", it.workspace] });
  const given = one.call("request_read_access", asking()).catch((error: unknown) => error);
  const ask = await keeper.openAsk();
  await one.close();
  await given;
  await expect.poll(async () => (await keeper.person.send(routes.ask, { id: ask.id })).state).toBe("closed");
});

test("with --inbox a client's dialog is never shown, and cannot answer", async () => {
  let shown = 0;
  const one = await agent({ flags: ["--inbox"], person: () => ((shown += 1), yes()) });
  const denied = one.call("request_read_access", asking());
  const ask = await keeper.openAsk();
  await keeper.person.send(routes.answer, { id: ask.id, body: { decision: "deny" } });
  expect([(await denied).data["code"], shown]).toEqual(["person-declined", 0]);
});

test("the tools are described as what they are", async () => {
  const one = await agent({});
  const { tools } = await one.client.listTools();
  const named = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  expect(Object.keys(named)).toEqual([
    "read_file",
    "list_dir",
    "find_files",
    "grep",
    "write_file",
    "edit_file",
    "bash",
    "view_truncated_output",
    "list_access",
    "request_read_access",
  ]);
  expect(named["read_file"]?.annotations?.readOnlyHint).toBe(true);
  expect(named["write_file"]?.annotations?.readOnlyHint).toBe(false);
  expect(named["request_read_access"]?._meta).toEqual({ "anthropic/requiresUserInteraction": true });
  expect(one.client.getInstructions()).toContain(it.workspace);
  expect(one.client.getInstructions()).toContain("answers and revokes them in the inbox");
});
