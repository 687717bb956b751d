// What is kept of an output: all of it, or its beginning and end, never half a character.

import fc from "fast-check";
import { expect, test } from "vitest";
import { KeptOutput } from "./kept-output.ts";

function kept(limit: number, ...chunks: readonly (string | Buffer)[]): KeptOutput {
  const output = new KeptOutput(limit);
  for (const chunk of chunks) output.add(Buffer.from(chunk));
  return output;
}

test("what fits is kept as it came", () => {
  expect(kept(10, "12345", "", "67890").text()).toBe("1234567890");
  expect(kept(10, "12345", "67890").truncated).toBe(false);
  expect(kept(10).text()).toBe("");
});

test("of what does not, the beginning and the end", () => {
  const output = kept(10, "abcdefgh", "ijklmnop", "qrst");
  expect([output.truncated, output.total, output.text()]).toEqual([true, 20, "abcde\n[… 10 bytes left out …]\npqrst"]);
});

test("characters are not cut through, and what is no text is replaced", () => {
  expect(kept(9, "aééééééz").text()).toBe("aé\n[… 7 bytes left out …]\néz");
  expect(kept(10, Buffer.from([0xff, 0x41])).text()).toBe("\ufffdA");
});

test("however it comes in pieces, the outcome is the same and within its limit", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.array(fc.nat(20)),
      fc.integer({ min: 2, max: 64 }),
      (text, sizes, limit) => {
        const bytes = Buffer.from(text);
        const whole = kept(limit, bytes).text();
        const pieces: Buffer[] = [];
        let at = 0;
        for (const size of sizes) {
          pieces.push(bytes.subarray(at, at + size));
          at = Math.min(at + size, bytes.length);
        }
        expect(kept(limit, ...pieces, bytes.subarray(at)).text()).toBe(whole);
        if (bytes.length <= limit - 1) expect(whole).toBe(bytes.toString("utf8"));
        else expect(Buffer.byteLength(whole)).toBeLessThanOrEqual(3 * limit + 40);
      },
    ),
  );
});
