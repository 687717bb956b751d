// An MCP server with the names of ours and no guard at all: what a host does with its answers is what it does with ours.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const path = { type: "string" };
const tools = [
  { name: "read_file", description: "Read a file", inputSchema: { type: "object", properties: { path }, required: ["path"] } },
  {
    name: "request_read_access",
    description: "Ask for reading",
    inputSchema: { type: "object", properties: { path, reason: { type: "string" } }, required: ["path"] },
  },
];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "naive", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: input }) => ({
    content: [{ type: "text", text: name === "read_file" ? readFileSync(input.path, "utf8") : "granted" }],
  }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer === undefined ? { error: { code: -32_601, message: "there is no such method" } } : { result: answer(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
});
