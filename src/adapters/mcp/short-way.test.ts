import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { tree } from "../../../test/tree.ts";
import { createJsonTexts, type JsonText } from "./json-text.ts";
import { openShortWay } from "./short-way.ts";

type Answer = CallToolResult | JsonText | null;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const text = (said: string): Answer => ({ content: [{ type: "text", text: said }] });

/** A short way whose reads end when the test says so. */
function scene() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const reads: { readonly input: unknown; end(answer: Answer): void }[] = [];
  const way = openShortWay((asked) => new Promise((end) => void reads.push({ input: asked, end })), input, output);
  const [rest, out]: [Buffer[], Buffer[]] = [[], []];
  way.rest.on("data", (bytes: Buffer) => rest.push(bytes));
  output.on("data", (bytes: Buffer) => out.push(bytes));
  return { way, input, reads, rest: () => Buffer.concat(rest).toString(), out: () => Buffer.concat(out).toString() };
}
const read = (id: unknown, path: string, more: object = {}, beside: object = {}) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "read_file", arguments: { path }, ...more }, ...beside })}\n`;
const jsonText = (made: JsonText | string | null): Answer => (typeof made === "string" ? null : made);
const answered = (id: unknown, said: string) => `${JSON.stringify({ jsonrpc: "2.0", id, result: text(said) })}\n`;

describe("the short way", () => {
  test("answers a read, whatever pieces its line comes in, and keeps nothing of it", async () => {
    const { input, reads, rest, out } = scene();
    for (const byte of Buffer.from(read("one", "grüße"))) input.write(Buffer.of(byte));
    input.write(read(2, "b") + read(3, "c"));
    await turn();
    expect(reads.map((one) => one.input)).toEqual([{ path: "grüße" }, { path: "b" }, { path: "c" }]);
    reads[2]?.end(text("C"));
    reads[0]?.end(text("ü\u2028👍"));
    await turn();
    expect([out(), rest()]).toEqual([answered(3, "C") + answered("one", "ü\u2028👍"), ""]);
  });

  test("answers at once what is read at once, and hands on at once what is to be asked about", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const make = createJsonTexts();
    const asked: unknown[] = [];
    const way = openShortWay(
      (said) => {
        asked.push(said);
        return asked.length === 2 ? null : asked.length === 3 ? text("plain") : jsonText(make(Buffer.from("ready\n")));
      },
      input,
      output,
    );
    // The same id again and again: none of them is under way when the next comes.
    input.write(read(1, "a") + read(1, "b") + read(1, "c") + read("one", "d"));
    await turn();
    expect(String(output.read())).toBe(answered(1, "ready\n") + answered(1, "plain") + answered("one", "ready\n"));
    expect([String(way.rest.read()), asked.length]).toEqual([read(1, "b"), 4]);
    way.close();
    input.write(read(2, "e"));
    await turn();
    expect([output.read(), asked.length]).toEqual([null, 4]);
  });

  test("sends a text that is ready as it would any other", async () => {
    const { input, reads, out } = scene();
    input.write(read(1, "a") + read("ü".repeat(200), "b"));
    await turn();
    const make = createJsonTexts();
    for (const one of reads) {
      const ready = make(Buffer.from('"ü"\n'));
      one.end(typeof ready === "string" ? null : ready);
    }
    await turn();
    expect(out()).toBe(answered(1, '"ü"\n') + answered("ü".repeat(200), '"ü"\n'));
  });

  test("keeps nothing that was only lent", async () => {
    const { input, reads, rest, out } = scene();
    const lent = Buffer.alloc(1000);
    const lend = (text: string): void => {
      input.emit("data", lent.subarray(0, lent.write(text)));
      lent.fill("#");
    };
    const other = read(1, "x").replace("read_file", "write_file");
    lend(other + read(2, "a") + read(3, "b").slice(0, 20));
    lend(read(3, "b").slice(20) + other.slice(0, 9));
    lend(other.slice(9));
    await turn();
    reads[0]?.end(null);
    reads[1]?.end(text("B"));
    await turn();
    expect([rest(), out()]).toEqual([other + other + read(2, "a"), answered(3, "B")]);
  });

  test.skipIf(process.platform === "win32")("takes nothing of an earlier piece for the end of a later one", async () => {
    const at = tree(["d/"]);
    const fifo = at.path("d/fifo");
    execFileSync("mkfifo", [fifo]);
    const fd = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(fifo, constants.O_WRONLY);
    // As the standard input is before anybody reads it.
    const given = Object.assign(new Socket(), { fd });
    const [asked, output]: [unknown[], PassThrough] = [[], new PassThrough()];
    const way = openShortWay((said) => (asked.push(said), text("A")), given, output);
    onTestFinished(() => {
      way.close();
      closeSync(writer);
      at.remove();
    });
    const say = async (piece: string, reads: number): Promise<void> => {
      writeSync(writer, piece);
      await expect.poll(() => asked.length).toBe(reads);
    };
    const line = read(1, "a");
    await say(line + read(2, "a longer one"), 2);
    await say(line.slice(0, 30), 2);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(asked).toHaveLength(2);
    await say(line.slice(30), 3);
    expect([asked[2], way.rest.read()]).toEqual([{ path: "a" }, null]);
  });

  test("hands on at once what the reader does not take", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const way = openShortWay(() => null, input, output);
    input.write(read(1, "a"));
    await turn();
    expect(String(way.rest.read())).toBe(read(1, "a"));
  });

  test("hands on, as it came, what is to be asked about", async () => {
    const { input, reads, rest, out } = scene();
    const line = read(1, "outside").replace("{", "{ ");
    input.write(line);
    await turn();
    reads[0]?.end(null);
    await turn();
    expect([rest(), out()]).toEqual([line, ""]);
  });

  test("a read that is taken back is neither answered nor handed on; the SDK hears of it too", async () => {
    const { input, reads, rest, out } = scene();
    const back = (id: number) => `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })}\n`;
    input.write(read(1, "a") + read(2, "b") + back(1) + back(2));
    await turn();
    reads[0]?.end(text("A"));
    reads[1]?.end(null);
    await turn();
    expect([rest(), out()]).toEqual([back(1) + back(2), ""]);
  });

  test("a line that is too long is left out, its client is told, and the next is heard", async () => {
    const { input, reads, rest, out } = scene();
    const piece = Buffer.alloc(1_048_576, "x");
    for (let megabytes = 0; megabytes < 33; megabytes += 1) input.write(piece);
    input.write(`\n${read(1, "a")}`);
    await expect.poll(() => reads.length).toBe(1);
    expect([JSON.parse(out()), rest()]).toMatchObject([{ id: null, error: { code: -32_600 } }, ""]);
  });

  test.each([
    ["another tool", read(1, "a").replace("read_file", "write_file")],
    ["another method", read(1, "a").replace("tools/call", "tools/list")],
    ["a state or a task beside it", read(1, "a", { requestState: "x" })],
    ["the newer protocol's envelope", read(1, "a", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } })],
    ["a progress token that is none", read(1, "a", { _meta: { progressToken: {} } })],
    ["no version", read(1, "a", {}, { jsonrpc: "1.0" })],
    ["something more", read(1, "a", {}, { more: 1 })],
    ["no id", read(undefined, "a")],
    ["an id that is none", read(1.5, "a")],
    ["arguments that are none", read(1, "a", { arguments: ["a"] })],
    ["no JSON", `${read(1, "a").slice(0, -2)}\n`],
    ["a batch", `[${read(1, "a").trim()}]\n`],
    ["a long line", read(1, "a".repeat(20_000))],
    ["a line that never ends", "x".repeat(40_000)],
  ])("leaves to the SDK: %s", async (_title, line) => {
    const { input, reads, rest } = scene();
    input.end(line);
    await turn();
    await turn();
    expect([reads, rest()]).toEqual([[], line]);
  });

  test("a short line after a long one is looked at again", async () => {
    const { input, reads, rest } = scene();
    const long = read(1, "a".repeat(20_000));
    for (let from = 0; from < long.length; from += 7000) input.write(long.slice(from, from + 7000));
    input.write(read(2, "b"));
    await turn();
    expect([reads.map((one) => one.input), rest()]).toEqual([[{ path: "b" }], long]);
  });

  test("after closing nothing is read and nothing answered", async () => {
    const { way, input, reads, out } = scene();
    input.write(read(1, "a"));
    await turn();
    way.close();
    reads[0]?.end(text("A"));
    input.write(read(2, "b"));
    await turn();
    expect([reads.length, out()]).toEqual([1, ""]);
  });
});
