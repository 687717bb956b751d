// An MCP client on `hallpass mcp`: a read outside is refused, the agent asks, the person answers in the client's own dialog, and the
// file can be read; a secret beside it cannot. Any MCP client does the same; this is the official one.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const home = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
for (const [path, text] of [
  ["app/main.ts", "export {};"],
  ["library/.git/HEAD", ""],
  ["library/go.mod", "module library"],
  ["library/.env", "KEY=secret"],
]) {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), text);
}

// The person: sees the card, and says yes for the session.
const client = new Client({ name: "example", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } } });
const cards = [];
client.setRequestHandler("elicitation/create", async ({ params }) => {
  cards.push(params.message);
  // Reading takes a moment; a yes that comes sooner is not taken for a person's.
  await new Promise((resolve) => setTimeout(resolve, 600));
  return { action: "accept", content: { decision: "session" } };
});

const program = fileURLToPath(new URL("../bin/hallpass.js", import.meta.url));
const args = [program, "mcp", "--alone", "--workspace", join(home, "app")];
const call = (name, input) => client.callTool({ name, arguments: input });

try {
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: { PATH: process.env.PATH ?? "", HOME: home } }));
  const path = join(home, "library", "go.mod");

  const inside = await call("read_file", { path: "main.ts" });
  assert.equal(inside.content[0].text, "export {};");

  const refused = await call("read_file", { path });
  assert.deepEqual([refused.isError, refused.structuredContent.code], [true, "out-of-scope"]);

  const granted = await call("request_read_access", { path, reason: "to compare the versions" });
  assert.equal(granted.content[0].text, `granted: ${join(home, "library")}`);
  assert.match(cards[0], /to compare the versions/);

  const read = await call("read_file", { path });
  assert.equal(read.content[0].text, "module library");

  const secret = await call("read_file", { path: join(home, "library", ".env") });
  assert.equal(secret.structuredContent.code, "secret-file");
  const write = await call("write_file", { path, content: "" });
  assert.equal(write.structuredContent.code, "read-only-grant");

  console.log(["refused, asked, granted, read; the secret stays shut, and nothing is written", ...cards].join("\n\n"));
} finally {
  await client.close();
  rmSync(home, { recursive: true });
}
