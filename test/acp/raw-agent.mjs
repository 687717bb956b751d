// An agent that keeps to nothing, for the tests of what the proxy does then. It answers the editor's first words, and after a prompt does
// what its first argument says, in raw bytes.

import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , mode, path, end] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tell = (text) =>
  send({
    method: "session/update",
    params: { sessionId: "r", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
  });
const read = (id, file) => send({ id, method: "fs/read_text_file", params: { sessionId: "r", path: file } });

if (mode === "stubborn") process.on("SIGTERM", () => {});
if (mode === "stubborn") setInterval(() => {}, 1000);

/** What is sent after a prompt. */
const acts = {
  noise() {
    process.stdout.write('{\n\n\u0000\u0001\n[]\nnull\n{"jsonrpc":"2.0","id":{},"method":"fs/read_text_file"}\n');
    process.stdout.write(`${"[".repeat(100_000)}\n`);
    send({ id: "nobody-asked", result: { sessionId: "other", outcome: { outcome: "selected", optionId: "session" } } });
    send({ id: "hallpass-1", result: { outcome: { outcome: "selected", optionId: "session" } } });
    read(1, `/${"x".repeat(10 * 1024 * 1024)}`);
    read(1, path);
    read(2, path);
  },
  // Ten megabytes without an end, and gone.
  endless() {
    process.stdout.write(`{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"path":"${"x".repeat(10 * 1024 * 1024)}`, () =>
      process.exit(3),
    );
  },
  asks: () => read(1, path),
  dies() {
    read(1, path);
    // As soon as the test says so, by making a file.
    setInterval(() => existsSync(end) && process.exit(3), 10);
  },
  stubborn: () => read(1, path),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method === "initialize") {
    const asked = message.params.protocolVersion;
    send({ id: message.id, result: { protocolVersion: mode === "newer" ? 2 : asked, agentCapabilities: {}, _meta: { asked } } });
  }
  if (message.method === "session/new") send({ id: message.id, result: { sessionId: "r" } });
  if (message.method === "session/fork") send({ id: message.id, result: { sessionId: "forked" } });
  if (message.method === "session/prompt") {
    acts[mode]?.();
    if (mode !== "asks" && mode !== "dies" && mode !== "stubborn")
      setTimeout(() => send({ id: message.id, result: { stopReason: "end_turn" } }), 1500);
  }
  // What came of its own requests.
  if (message.method === undefined)
    tell(`${JSON.stringify({ id: message.id, error: message.error?.data?.code, content: message.result?.content })}\n`);
});
