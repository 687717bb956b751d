// A code lets one browser in, once, in time, and does not stand many guesses.

import { expect, test } from "vitest";
import { createPairing } from "./pairing.ts";

function timed() {
  let now = 1_000_000;
  const pairing = createPairing(() => now);
  return { pairing, wait: (milliseconds: number) => void (now += milliseconds) };
}

test("the right code is taken once, in any case, with or without its dash, and with letters for the digits they look like", () => {
  for (const spelled of [
    (code: string) => code,
    (code: string) => code.toLowerCase().replace("-", ""),
    (code: string) => ` ${code.replace("-", " ").replaceAll("0", "O").replaceAll("1", "l")} `,
  ]) {
    const { pairing } = timed();
    const { code } = pairing.open();
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(pairing.take(spelled(code))).toBe("taken");
    expect(pairing.take(spelled(code))).toBe("wrong");
  }
});

test("a code is over after five minutes, when another is made, and after five wrong ones", () => {
  const { pairing, wait } = timed();
  const first = pairing.open();
  wait(5 * 60_000 + 1);
  expect(pairing.take(first.code)).toBe("wrong");
  const second = pairing.open();
  const third = pairing.open();
  expect(pairing.take(second.code)).toBe("wrong");
  expect(pairing.take(third.code)).toBe("taken");
  const fourth = pairing.open();
  for (let tries = 0; tries < 5; tries += 1) expect(pairing.take("0000-0000")).toBe("wrong");
  expect(pairing.take(fourth.code)).toBe("wrong");
});

test("twenty tries in a minute, and no more, whatever codes are open", () => {
  const { pairing, wait } = timed();
  for (let tries = 0; tries < 20; tries += 1) expect(pairing.take("0000-0000")).toBe("wrong");
  const { code } = pairing.open();
  expect(pairing.take(code)).toBe("too-often");
  wait(60_001);
  expect(pairing.take(code)).toBe("taken");
});

test("codes differ, and use all of their letters", () => {
  const { pairing } = timed();
  const codes = Array.from({ length: 500 }, () => pairing.open().code.replace("-", ""));
  expect(new Set(codes).size).toBe(500);
  expect(new Set(codes.join("")).size).toBe(32);
});
