import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { Server } from "@modelcontextprotocol/server";
import type { Mcp } from "./server.ts";
import { serveStdio } from "./stdio.ts";

/** A server on two streams, whose one tool says the beginning of the path it was given. */
function scene() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const called: unknown[] = [];
  const mcp: Mcp = {
    factory: () => {
      const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/call", ({ params }) => {
        const begin = String(params.arguments?.["path"]).slice(0, 20);
        called.push(begin);
        return { content: [{ type: "text", text: begin }] };
      });
      return server;
    },
    close: async () => {},
  };
  const ended = serveStdio(mcp, input, output);
  onTestFinished(async () => {
    input.end();
    await ended;
  });
  let heard = "";
  output.setEncoding("utf8").on("data", (text: string) => void (heard += text));
  const lines = (): { readonly id: unknown; readonly error?: unknown; readonly result?: unknown }[] =>
    heard.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const hear = (id: unknown) => expect.poll(() => lines().find((line) => line.id === id), { timeout: 30_000 });
  const greet = async (): Promise<void> => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id: "hello", method: "initialize", params })}\n`);
    await hear("hello").toBeDefined();
  };
  return { input, output, called, ended, lines, hear, greet };
}
const call = (id: unknown, path: string) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "read_file", arguments: { path } } })}\n`;
const saying = (text: string) => ({ result: { content: [{ type: "text", text }] } });

test("a call is heard, whatever pieces its line comes in", async () => {
  const { input, called, hear, greet } = scene();
  await greet();
  for (const byte of Buffer.from(call("one", "grüße\u2028👍"))) input.write(Buffer.of(byte));
  input.write(call(2, "b") + call(3, "c"));
  for (const [id, path] of [["one", "grüße\u2028👍"] as const, [2, "b"] as const, [3, "c"] as const])
    await hear(id).toMatchObject(saying(path));
  expect(called).toHaveLength(3);
});

test("a line that is too long is left out, its client is told, and the next is heard", async () => {
  const { input, called, hear, greet } = scene();
  await greet();
  const piece = Buffer.alloc(1_048_576, "x");
  for (let megabytes = 0; megabytes < 33; megabytes += 1) input.write(piece);
  input.write(`\n${call(1, "a")}`);
  await hear(1).toMatchObject(saying("a"));
  await hear(null).toMatchObject({ error: { code: -32_600 } });
  expect(called).toEqual(["a"]);
});

test("a long line takes time by its length, and not by its length times its pieces", async () => {
  const { input, hear, greet } = scene();
  await greet();
  /** The processor time of this process until a line of so many megabytes in small pieces is answered. */
  const spent = async (id: string, megabytes: number): Promise<number> => {
    const line = Buffer.from(call(id, "x".repeat(megabytes * 1_048_576)));
    const before = process.cpuUsage();
    for (let from = 0; from < line.length; from += 8192) input.write(line.subarray(from, from + 8192));
    await hear(id).toBeDefined();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await spent("warm", 2);
  const [short, long] = [await spent("short", 2), await spent("long", 16)];
  // Eight times as long; by its pieces it would be 64 times.
  expect(long / short).toBeLessThan(32);
});

test("lines that are no message are passed over", async () => {
  const { input, called, hear, greet } = scene();
  await greet();
  input.write(`\n{\nnull\n[]\n"x"\n${call(1, "a").slice(0, -2)}\n[${call(1, "a").trim()}]\n${call({}, "a")}${call(2, "b")}`);
  await hear(2).toMatchObject(saying("b"));
  expect(called).toEqual(["b"]);
});

test("it ends with its input, or with a client that reads no more", async () => {
  const one = scene();
  await one.greet();
  one.input.end();
  await one.ended;
  const other = scene();
  await other.greet();
  other.output.destroy(new Error("gone"));
  await other.ended;
});
