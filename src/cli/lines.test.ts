// Lines from a stream: the same lines however the bytes arrive, bounded, and what is wrong with a line told in its place.

import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type LineRead, readLines } from "./lines.ts";

async function linesOf(chunks: readonly (Buffer | string)[], longest = 1000): Promise<readonly LineRead[]> {
  const lines: LineRead[] = [];
  for await (const line of readLines(Readable.from(chunks), longest)) lines.push(line);
  return lines;
}
const text = (...lines: string[]): readonly LineRead[] => lines.map((one) => ({ ok: true, text: one }));

test("lines come one by one, the last with or without its end, empty ones not at all", async () => {
  expect(await linesOf(["one\ntwo\n\n  \n\r\nthree"])).toEqual(text("one", "two", "three"));
  expect(await linesOf(["one\n"])).toEqual(text("one"));
  expect(await linesOf([])).toEqual([]);
  expect(await linesOf(["\n\n"])).toEqual([]);
});

test("the bytes may arrive in any pieces", async () => {
  const whole = Buffer.from("grüße\n👍👍\n\n{}\nlast");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 12 }), async (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), whole.length];
      const chunks = places.slice(1).map((to, at) => whole.subarray(places[at], to));
      expect(await linesOf(chunks)).toEqual(text("grüße", "👍👍", "{}", "last"));
    }),
  );
});

test("a line of exactly the longest is one; a longer one is told, with its length, and the next is served", async () => {
  expect(await linesOf(["12345\n123456\n1\n", "1234", "56", "7\n", "12345"], 5)).toEqual([
    ...text("12345"),
    { ok: false, why: "a line may have at most 5 bytes; this one had 6" },
    ...text("1"),
    { ok: false, why: "a line may have at most 5 bytes; this one had 7" },
    ...text("12345"),
  ]);
});

test("what is not UTF-8 is told, and the next is served", async () => {
  expect(await linesOf([Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a, 0xc3])])).toEqual([
    { ok: false, why: "a line must be UTF-8" },
    ...text("b"),
    { ok: false, why: "a line must be UTF-8" },
  ]);
});

test("a line without an end does not gather in memory", async () => {
  const chunk = Buffer.alloc(1 << 20, "x");
  function* endless(): Generator<Buffer> {
    for (let count = 0; count < 400; count += 1) yield chunk;
  }
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const input = Readable.from(
    (function* () {
      for (const one of endless()) {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        yield Buffer.from(one);
      }
    })(),
  );
  const lines: LineRead[] = [];
  for await (const line of readLines(input, 1000)) lines.push(line);
  expect(lines).toEqual([{ ok: false, why: `a line may have at most 1000 bytes; this one had ${400 << 20}` }]);
  expect(most).toBeLessThan(250 << 20);
});
