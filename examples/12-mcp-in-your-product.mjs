// An MCP server in your product: clients get guarded tools on a workspace, and your own UI answers what they ask for.

import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { listenMcp, openMcp } from "hallpass/mcp";
import { openApp } from "hallpass/server";
import { routes } from "hallpass/wire";
import { makeHome } from "./files.mjs";

const home = makeHome({ "app/main.ts": "export {};", "library/go.mod": "module library", "library/.env": "KEY=secret" });
const app = await openApp({ data: `${home}/data`, home, via: "my-product" });
const mcp = openMcp({ connection: app, workspace: `${home}/app`, home, host: "my-product" });
const token = crypto.randomUUID();
const server = await listenMcp({ mcp, token, port: 0 });

// Your UI: shows each ask as it comes, and sends what the person says.
const answer = ({ id, digest, card }) => app.client.send(routes.answer, { id, body: { ...card.choices[0].answer, digest } });
app.subscribe({ chats: "all", frame: (event) => event.type === "ask_open" && answer(event.ask), connection: () => {} });

const client = new Client({ name: "any client", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(server.address), { authProvider: { token: async () => token } }));
const call = async (name, input) => (await client.callTool({ name, arguments: input })).content[0].text;
assert.equal(await call("read_file", { path: "main.ts" }), "export {};");
assert.match(await call("request_read_access", { path: `${home}/library/go.mod`, reason: "to compare" }), /^granted/);
assert.equal(await call("read_file", { path: "../library/go.mod" }), "module library");
assert.match(await call("read_file", { path: "../library/.env" }), /secret/);
await client.close();
await server.close();
await app.close();
