// An MCP server inside a program of yours: the guarded tools, with sessions, asks and record in this process. `serveStdio(mcp, process.stdin,
// process.stdout)` would serve whoever starts the program; here a client of the same process reads a file, and is refused a secret.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createMcp, openDesk } from "hallpass/mcp";
import { assemble } from "hallpass/server";
import { createMemoryStore } from "hallpass/store";
import { createClient } from "hallpass/wire";

const home = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
mkdirSync(join(home, "app"));
for (const [name, text] of Object.entries({ "main.ts": "export {};", ".env": "KEY=secret" })) writeFileSync(join(home, "app", name), text);

const token = crypto.randomUUID();
const server = await assemble({ store: createMemoryStore(), storeKind: "memory", home, env: {}, platform: process.platform, token });
const fetch = (request) => server.app.fetch(request);
const way = { client: createClient({ address: "http://127.0.0.1", token, fetch, via: "mcp" }), fetch, connect: server.connect };
const mcp = createMcp({
  version: "1.0.0",
  places: { given: join(home, "app"), variable: null, cwd: home },
  openDesk: (workspace, attended) =>
    openDesk({ ...way, home, policyFor: server.policyFor, visitor: { host: "mine", hostSession: "1", workspace, attended } }),
});

const client = new Client({ name: "example", version: "1.0.0" });
const [near, far] = InMemoryTransport.createLinkedPair();
await Promise.all([mcp.factory({ era: "legacy" }).connect(far), client.connect(near)]);
const read = (path) => client.callTool({ name: "read_file", arguments: { path } });
assert.equal((await read("main.ts")).content[0].text, "export {};");
assert.equal((await read(".env")).structuredContent.code, "secret-file");
console.log("read in the workspace; the secret stays shut");

await client.close();
await mcp.close();
await server.close();
rmSync(home, { recursive: true });
