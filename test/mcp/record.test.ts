// An MCP server that judges by itself with what the daemon told it: no read waits for the daemon, a revocation counts from the very next call on,
// and whatever was answered is in the record once, whichever of the two is killed.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { openStore } from "../../src/store/open.ts";
import { environmentOf, executable, type Program, type Stage, stage, startProgram } from "../server/daemon-process.ts";
import { type Outcome, outcome } from "./clients.ts";

async function startServer(on: Stage) {
  const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [executable, "mcp", "--workspace", on.workspace],
    env: { ...environmentOf(on, { HALLPASS_DATA: on.data() }), PATH: process.env["PATH"] ?? "" },
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown>): Promise<Outcome> =>
    outcome(await client.callTool({ name, arguments: input }, { timeout: 120_000 }));
  return { call, read: (path: string) => call("read_file", { path }), pid: transport.pid ?? 0 };
}

async function openAsk({ client }: Program): Promise<string> {
  for (;;) {
    const [ask] = await client.send(routes.listAsks, { query: { state: "open" } });
    if (ask !== undefined) return ask.id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** How many requests the daemon has answered on a route. */
async function requests({ client }: Program, route: string): Promise<number> {
  const lines = (await client.send(routes.metrics, {})).split("\n").filter((line) => line.startsWith("hallpass_requests_total"));
  return lines.filter((line) => line.includes(`route="${route}"`)).reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

test("a read waits for no request, and is in the record when somebody looks", { timeout: 240_000 }, async () => {
  const on = stage();
  const daemon = await startProgram(on, { data: on.data() });
  const server = await startServer(on);
  // The first calls come before the server is told of changes, and ask.
  await expect
    .poll(async () => {
      const before = await requests(daemon, "/api/sessions/{id}/state");
      await server.read("notes.txt");
      return (await requests(daemon, "/api/sessions/{id}/state")) - before;
    })
    .toBe(0);
  const seen = async () => (await daemon.client.send(routes.audit, { query: { kind: "decision", limit: 500 } })).records.length;
  const [before, asked] = [await seen(), await requests(daemon, "/api/sessions/{id}/state")];
  for (let time = 0; time < 20; time += 1) expect((await server.read("notes.txt")).text).toContain("inside");
  expect(await seen()).toBe(before + 20);
  expect([await requests(daemon, "/api/sessions/{id}/state"), await requests(daemon, "/api/agent/record")]).toEqual([asked, 0]);
});

test("a revocation counts from the next call on, every time", { timeout: 240_000 }, async () => {
  const on = stage();
  const daemon = await startProgram(on, { data: on.data() });
  const servers = [await startServer(on), await startServer(on)];
  const far = join(on.library, "far.txt");
  for (let round = 0; round < 8; round += 1) {
    const server = servers[round % 2] ?? servers[0];
    if (server === undefined) throw new Error("no server");
    const granted = server.call("request_read_access", { path: far, reason: "to compare" });
    await daemon.client.send(routes.answer, { id: await openAsk(daemon), body: { decision: "allow" } });
    expect((await granted).failed).toBe(false);
    for (let time = 0; time < 3; time += 1) expect((await server.read(far)).text).toContain("outside");
    // Reads go on at full speed while it is taken back.
    const over = new AbortController();
    const busy = (async () => {
      while (!over.signal.aborted) await server.read(far);
    })();
    for (const { id } of await daemon.client.send(routes.listGrants, {})) await daemon.client.send(routes.revoke, { id });
    const after = await server.read(far);
    over.abort();
    await busy;
    expect([after.failed, after.data["code"]]).toEqual([true, "out-of-scope"]);
  }
});

test("whatever was answered is in the record once, though daemon and server are killed at once", { timeout: 240_000 }, async () => {
  const on = stage();
  const names = Array.from({ length: 120 }, (_, number) => `file-${number}.txt`);
  for (const name of names) writeFileSync(join(on.workspace, name), "text");
  const answered: string[] = [];
  const refused: string[] = [];
  for (const part of [names.slice(0, 60), names.slice(60)]) {
    const daemon = await startProgram(on, { data: on.data() });
    const server = await startServer(on);
    await server.read("notes.txt");
    const reading = part.map((name, number) =>
      new Promise((resolve) => setTimeout(resolve, number * 10))
        .then(() => server.read(name))
        .then(({ failed }) => void (failed ? refused : answered).push(name))
        .catch(() => void refused.push(name)),
    );
    await reading[part.length >> 1];
    process.kill(server.pid, "SIGKILL");
    await daemon.kill();
    await Promise.all(reading);
  }
  expect(answered.length).toBeGreaterThan(0);
  // The next daemon takes what the last ones left.
  const last = await startProgram(on, { data: on.data() });
  await last.client.send(routes.audit, { query: { limit: 1 } });
  await last.stop();
  const store = await openStore({ databaseUrl: null, file: join(on.data(), "hallpass.db") });
  onTestFinished(() => store.close());
  expect(await store.verifyAudit()).toBeNull();
  const recorded = (await store.audit({})).flatMap(({ event }) => (event.kind === "decision" ? [event.requested] : []));
  for (const name of answered) expect([name, recorded.filter((one) => one === name).length]).toEqual([name, 1]);
  for (const name of refused) expect(recorded.filter((one) => one === name).length).toBeLessThan(2);
});
