import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packet } from "./packet.ts";
import { createRing } from "./ring.ts";

const add = (ring: ReturnType<typeof createRing>, text: string): void => ring.add({ chat: "c" }, packet(text));

test("what comes after a cursor is replayed in order", () => {
  const ring = createRing("e", { frames: 10, bytes: 1000 });
  for (const text of ["a", "b", "c"]) add(ring, text);
  expect(ring.numberOf("e.1")).toBe(1);
  expect(ring.after(1)?.map(({ packet: { text } }) => text)).toEqual(["b", "c"]);
  expect(ring.after(3)).toEqual([]);
});

test("a cursor of another process, of the future or of nonsense is unknown", () => {
  const ring = createRing("e", { frames: 10, bytes: 1000 });
  add(ring, "a");
  for (const cursor of ["f.1", "e.2", "e.-1", "e.1e0", "e.", "", "1", "e.1 ", "e.99999999999999999999"])
    expect(ring.numberOf(cursor)).toBeNull();
});

test("too many frames, or too many bytes, and the oldest are gone; nobody is given a replay with a hole in it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 30 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 90 }),
      (texts, frames, bytes) => {
        const ring = createRing("e", { frames, bytes });
        texts.forEach((text) => add(ring, text));
        for (let number = 0; number <= texts.length; number += 1) {
          const after = ring.after(number);
          expect(after === null).toBe(ring.numberOf(`e.${number}`) === null);
          if (after !== null) expect(after.map(({ packet: one }) => one.text)).toEqual(texts.slice(number));
        }
        const held = ring.after(texts.length - (ring.after(texts.length) ?? []).length);
        expect(held).toEqual([]);
      },
    ),
  );
});

/** What nobody holds is gone after it. */
const collect = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

test("what is no longer replayed is no longer held, by its number or by its bytes", async () => {
  const ring = createRing("e", { frames: 100, bytes: 1000 });
  let held = 0;
  const registry = new FinalizationRegistry(() => (held -= 1));
  for (let number = 0; number < 90; number += 1) {
    const one = packet("x".repeat(number < 45 ? 10 : 500));
    held += 1;
    registry.register(one, null);
    ring.add({ chat: "c" }, one);
  }
  expect(ring.after(88)).toHaveLength(2);
  await expect
    .poll(() => {
      collect();
      return held;
    })
    .toBeLessThanOrEqual(2);
});

test("after a reset every older cursor is unknown, and numbers go on growing", () => {
  const ring = createRing("e", { frames: 10, bytes: 1000 });
  add(ring, "a");
  ring.reset("f");
  expect(ring.numberOf("e.1")).toBeNull();
  expect(ring.numberOf("f.0")).toBeNull();
  add(ring, "b");
  expect(ring.after(1)?.map(({ number }) => number)).toEqual([2]);
});
