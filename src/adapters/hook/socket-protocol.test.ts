// What is said on the hook socket, both ways: read as it was written, and nothing else is taken for it.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerText, type HookRequest, readHead, requestText, wordsFrom } from "./socket-protocol.ts";
import { hostNames } from "./host-table.ts";

const proof = "p".repeat(32);
const token = "t".repeat(32);

const request = fc.record({
  host: fc.constantFrom(...hostNames),
  workspace: fc.string({ unit: "grapheme" }).map((text) => `/${text}`),
  lets: fc.array(fc.string({ unit: "grapheme", minLength: 1 })),
  ask: fc.boolean(),
  wait: fc.option(fc.nat({ max: 9999 })),
  attended: fc.boolean(),
  parent: fc.option(fc.nat()),
  payload: fc.string({ unit: "grapheme" }),
});

test("a request is read as it was written, whatever its words hold", () => {
  fc.assert(
    fc.property(request, (asked: HookRequest) => {
      const bytes = Buffer.from(requestText(token, asked));
      const head = readHead(bytes);
      if (typeof head === "string") throw new Error(head);
      const { from, length, ...said } = head;
      expect({ ...said, payload: bytes.toString("utf8", from, from + length) }).toEqual({ token, ...asked, enters: null });
      expect(from + length).toBe(bytes.length);
    }),
  );
});

test("a request that is not whole yet is never another one", () => {
  fc.assert(
    fc.property(request, fc.nat(), (asked, seed) => {
      const bytes = Buffer.from(requestText(token, { ...asked, payload: "" }));
      expect(readHead(bytes.subarray(0, seed % bytes.length))).toBe("more");
    }),
  );
});

test("a shell that wants to enter says its process, and nothing that a hook says", () => {
  const head = (marks: string) => readHead(Buffer.from(`hallpass 1|${token}|codex|${marks}|/||2|{}`));
  expect(head("e123")).toMatchObject({ enters: 123, ask: false, wait: null, parent: null });
  expect(head("a123w9")).toMatchObject({ enters: null, ask: true, parent: 123, wait: 9 });
  for (const marks of ["e", "e1w2", "ae1", "ue1", "e12345678901", "e-1", "e1 2"]) expect(head(marks)).toBe("none");
});

describe("an answer", () => {
  test.each([
    { exit: 0 as const, stdout: "{}\n" },
    { exit: 0 as const, stdout: "" },
    { exit: 2 as const, stderr: "no – ü\n" },
  ])("%j comes back as it was", (words) => {
    expect(wordsFrom(Buffer.from(answerText(words, proof)), proof)).toEqual(words);
  });
  const good = answerText({ exit: 0, stdout: "{}" }, proof);
  test.each([
    ["with another proof", good.replace(proof, "x".repeat(32))],
    ["with none", good.replace(proof, "")],
    ["cut short", good.slice(0, -1)],
    ["with more than it said", `${good} `],
    ["without its line's end", `${proof} 0 0`],
    ["with another code", good.replace(" 0 ", " 1 ")],
    ["that blocks without a word", answerText({ exit: 2, stderr: " " }, proof)],
    ["whose length is said otherwise", `${proof} 0 02\n{}`],
    ["with a word too many", `${proof} 0 2 0\n{}`],
    ["that is empty", ""],
  ])("%s is none", (_name, text) => expect(wordsFrom(Buffer.from(text), proof)).toBeNull());
  test("that is no text is none", () => {
    expect(wordsFrom(Buffer.concat([Buffer.from(`${proof} 0 1\n`), Buffer.from([0xff])]), proof)).toBeNull();
  });
});
