// A call that waits for a person outlives the server's process: what the client carries is good for the next process of the same session,
// once, and for nothing else.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { environment, keepDaemon, type Keeper, outcome, program, reading, world } from "./clients.ts";

const it = world();
let keeper: Keeper;
const clients: Client[] = [];
beforeAll(async () => void (keeper = await keepDaemon(it.home)));
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const { id } of await keeper.grants()) await keeper.person.send(routes.revoke, { id });
});
afterAll(async () => {
  await keeper.stop();
  it.remove();
});

type Result = Record<string, unknown>;

/** A process of the server, and a client that takes what is asked of it into its own hands. */
async function start(...flags: string[]) {
  const client = new Client(
    { name: "hands", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" }, inputRequired: { autoFulfill: false } },
  );
  const args = [program, "mcp", "--workspace", it.workspace, ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: environment(it.home), stderr: "ignore" }));
  clients.push(client);
  const send = async (name: string, input: object, more: object = {}): Promise<Result> => {
    if ("requestState" in more) await reading();
    return client.request({ method: "tools/call", params: { name, arguments: input, ...more } }, { allowInputRequired: true });
  };
  return { send, stop: () => client.close() };
}

const yes = (decision: string) => ({ inputResponses: { answer: { action: "accept", content: { decision } } } });
const asking = () => ({ path: it.beside, reason: "to compare" });

test("after a restart the answer counts, once, whichever process it reaches", async () => {
  const first = await start("--name", "one");
  const { requestState } = await first.send("request_read_access", asking());
  expect(typeof requestState).toBe("string");
  await first.stop();
  const second = await start("--name", "one");
  expect(outcome(await second.send("request_read_access", asking(), { requestState, ...yes("session") })).text).toContain("granted:");
  expect(outcome(await second.send("read_file", { path: it.beside })).text).toBe("OUTSIDE");
  await second.stop();
  const third = await start("--name", "one");
  const again = outcome(await third.send("request_read_access", asking(), { requestState, ...yes("session") }));
  expect([again.failed, again.data["code"]]).toEqual([true, "bad-request"]);
});

test("a yes for once is used once, though the state is brought to two processes at the same time", async () => {
  const flags = ["--name", "two", "--ask", "by-guard"];
  const first = await start(...flags);
  const read = { path: it.path("home/other-1/a.txt") };
  const { requestState } = await first.send("read_file", read);
  await first.stop();
  const both = await Promise.all([start(...flags), start(...flags)]);
  const got = await Promise.all(both.map(async ({ send }) => outcome(await send("read_file", read, { requestState, ...yes("once") }))));
  expect(got.filter(({ failed }) => failed).length).toBe(1);
  expect(got.filter(({ text }) => text.includes("OUTSIDE")).length).toBe(1);
});

test("what was answered in the inbox meanwhile is what counts", async () => {
  const first = await start("--name", "three");
  const { requestState } = await first.send("request_read_access", asking());
  await first.stop();
  const ask = await keeper.openAsk();
  await keeper.person.send(routes.answer, { id: ask.id, body: { decision: "deny", note: "not this one" } });
  const second = await start("--name", "three");
  const denied = outcome(await second.send("request_read_access", asking(), { requestState, ...yes("session") }));
  expect([denied.failed, denied.data["code"]]).toEqual([true, "person-declined"]);
  expect(denied.text).toContain("not this one");
});

test("forged, for another session, or of a process without a name, it is nothing", async () => {
  const named = await start("--name", "four");
  const { requestState } = await named.send("request_read_access", asking());
  const text = String(requestState);
  const forged = `${text.slice(0, -2)}${text.endsWith("AA") ? "BB" : "AA"}`;
  await expect(named.send("request_read_access", asking(), { requestState: forged, ...yes("session") })).rejects.toThrow("requestState");
  const other = await start("--name", "five");
  const elsewhere = outcome(await other.send("request_read_access", asking(), { requestState, ...yes("session") }));
  expect([elsewhere.failed, elsewhere.data["code"]]).toEqual([true, "bad-request"]);
  const nameless = await start();
  await expect(nameless.send("request_read_access", asking(), { requestState, ...yes("session") })).rejects.toThrow("requestState");
  expect(await keeper.grants()).toEqual([]);
});
