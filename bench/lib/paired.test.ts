// The harness on a clock of our own: its statistics are checked, never real time, so
// these tests say the same on a busy machine as on a quiet one.
import { describe, expect, test } from "vitest";
import { compare, measure, ONE_CALL, quantile, SLICE, timeOf } from "./paired.ts";
import type { Plan, Ports, Variant } from "./paired.ts";
import { seeded } from "./seed.ts";

const MICROSECOND = 1_000;

/** A clock that moves only when work says so; `load` is how much slower the machine is now. */
function fakeMachine(load: () => number = () => 1) {
  let time = 0;
  let switches = 0;
  let collected = 0;
  const ports: Ports = {
    now: () => time,
    cpu: () => time / 2,
    switches: () => switches,
    collect: () => {
      collected += 1;
    },
    random: seeded(7),
  };
  return {
    ports,
    collected: () => collected,
    spend: (nanoseconds: number) => {
      time += nanoseconds * load();
    },
    interrupt: () => {
      switches += 1;
    },
  };
}

function plan(variants: readonly Variant[], rest: Partial<Plan> = {}): Plan {
  return { variants, anchor: "anchor", operations: 1, rounds: 25, slicing: SLICE, ...rest };
}

describe("the paired harness", () => {
  test("the same work under two names is 1.00, and twice the work is 2.00", async () => {
    const machine = fakeMachine();
    const measured = await measure(
      plan([
        { name: "anchor", kind: "sync", run: () => machine.spend(10 * MICROSECOND) },
        { name: "double", kind: "sync", run: () => machine.spend(20 * MICROSECOND) },
      ]),
      machine.ports,
    );
    expect(measured.state).toBe("steady");
    expect(measured.attempts).toBe(1);
    expect(measured.twin).toEqual({
      name: "anchor (again)",
      ratio: { median: 1, low: 1, high: 1, minima: 1 },
    });
    expect(compare(measured, "double", "anchor")).toEqual({
      median: 2,
      low: 2,
      high: 2,
      minima: 2,
    });
    expect(compare(measured, "anchor", "double").median).toBe(0.5);
    expect(timeOf(measured, "double")).toEqual({ wall: 20 * MICROSECOND, cpu: 10 * MICROSECOND });
  });

  test("an async variant is awaited and compared like any other", async () => {
    const machine = fakeMachine();
    const measured = await measure(
      plan([
        { name: "anchor", kind: "sync", run: () => machine.spend(10 * MICROSECOND) },
        {
          name: "later",
          kind: "async",
          run: async () => {
            await Promise.resolve();
            machine.spend(30 * MICROSECOND);
          },
        },
      ]),
      machine.ports,
    );
    expect(compare(measured, "later", "anchor").median).toBe(3);
  });

  test("a machine that grows four times slower on the way does not move the ratio", async () => {
    let calls = 0;
    const machine = fakeMachine(() => 1 + calls++ / 40_000);
    const measured = await measure(
      plan([
        { name: "anchor", kind: "sync", run: () => machine.spend(20 * MICROSECOND) },
        { name: "double", kind: "sync", run: () => machine.spend(40 * MICROSECOND) },
      ]),
      machine.ports,
    );
    expect(measured.state).toBe("steady");
    expect(Math.abs(compare(measured, "double", "anchor").median - 2)).toBeLessThan(0.1);
  });

  test("a neighbour that now and then makes slices ten times slower does not move the median", async () => {
    const random = seeded(3);
    const machine = fakeMachine(() => (random() < 0.1 ? 10 : 1));
    const measured = await measure(
      plan(
        [
          { name: "anchor", kind: "sync", run: () => machine.spend(100 * MICROSECOND) },
          { name: "double", kind: "sync", run: () => machine.spend(200 * MICROSECOND) },
        ],
        { slicing: ONE_CALL, rounds: 51 },
      ),
      machine.ports,
    );
    expect(compare(measured, "double", "anchor")).toMatchObject({ median: 2, minima: 2 });
  });

  test("an interrupted slice is taken again, four times at most, and the least disturbed kept", async () => {
    const machine = fakeMachine();
    const slices = { taken: 0 };
    let measuring = false;
    const measured = await measure(
      plan(
        [
          { name: "anchor", kind: "sync", run: () => machine.spend(8_000 * MICROSECOND) },
          {
            name: "disturbed",
            kind: "sync",
            run: () => {
              // One call is one slice here; every third is left in peace, once warmed up.
              if (measuring) slices.taken += 1;
              const peace = !measuring || slices.taken % 3 === 0;
              if (!peace) machine.interrupt();
              machine.spend((peace ? 8_000 : 16_000) * MICROSECOND);
            },
          },
        ],
        { rounds: 10 },
      ),
      {
        ...machine.ports,
        collect: () => {
          measuring = true;
        },
      },
    );
    expect(slices.taken).toBe(30);
    expect(compare(measured, "disturbed", "anchor")).toEqual({
      median: 1,
      low: 1,
      high: 1,
      minima: 1,
    });
  });

  test("a slice that is always interrupted is given up after four tries", async () => {
    const machine = fakeMachine();
    const slices = { taken: 0 };
    let measuring = false;
    await measure(
      plan(
        [
          { name: "anchor", kind: "sync", run: () => machine.spend(8_000 * MICROSECOND) },
          {
            name: "disturbed",
            kind: "sync",
            run: () => {
              if (measuring) slices.taken += 1;
              machine.interrupt();
              machine.spend(8_000 * MICROSECOND);
            },
          },
        ],
        { rounds: 10 },
      ),
      {
        ...machine.ports,
        collect: () => {
          measuring = true;
        },
      },
    );
    expect(slices.taken).toBe(40);
  });

  test("a run whose twin differs from its anchor is void and repeated until one holds", async () => {
    const machine = fakeMachine();
    let calls = 0;
    // In the first attempt every call is slower than the one before it, so the twin, always second, is slower.
    const measured = await measure(
      plan(
        [
          {
            name: "anchor",
            kind: "sync",
            run: () => {
              calls += 1;
              machine.spend((calls <= 8 ? calls : 1) * MICROSECOND);
            },
          },
        ],
        { slicing: ONE_CALL, rounds: 3 },
      ),
      { ...machine.ports, random: () => 0 },
    );
    expect(measured).toMatchObject({ state: "steady", attempts: 2 });
    expect(measured.twin.ratio.median).toBe(1);
  });

  test("three void runs are given as noisy, with the twin nearest to one", async () => {
    const machine = fakeMachine();
    let calls = 0;
    const measured = await measure(
      plan(
        [
          {
            name: "anchor",
            kind: "sync",
            run: () => {
              calls += 1;
              // The twin, always the second of the two, is slower: by 2.0, 1.5, then 1.8.
              const slower = calls <= 8 ? 2 : calls <= 16 ? 1.5 : 1.8;
              machine.spend((calls % 2 === 0 ? slower : 1) * MICROSECOND);
            },
          },
        ],
        { slicing: ONE_CALL, rounds: 3 },
      ),
      { ...machine.ports, random: () => 0 },
    );
    expect(measured).toMatchObject({ state: "noisy", attempts: 3 });
    expect(measured.twin.ratio.median).toBeCloseTo(1.5, 9);
  });

  test("one call a slice is one call a round, after one to warm up", async () => {
    const machine = fakeMachine();
    let calls = 0;
    const measured = await measure(
      plan(
        [
          { name: "anchor", kind: "sync", run: () => machine.spend(300_000 * MICROSECOND) },
          {
            name: "walk",
            kind: "sync",
            run: () => {
              calls += 1;
              machine.interrupt();
              machine.spend(150_000 * MICROSECOND);
            },
          },
        ],
        { slicing: ONE_CALL, rounds: 5 },
      ),
      machine.ports,
    );
    expect(calls).toBe(6);
    expect(machine.collected()).toBe(5);
    expect(compare(measured, "walk", "anchor").median).toBe(0.5);
  });

  test("times are given per operation", async () => {
    const machine = fakeMachine();
    const measured = await measure(
      plan([{ name: "anchor", kind: "sync", run: () => machine.spend(320 * MICROSECOND) }], {
        operations: 32,
      }),
      machine.ports,
    );
    expect(timeOf(measured, "anchor").wall).toBe(10 * MICROSECOND);
  });

  test("an anchor that is not there, and a name used twice, are errors", async () => {
    const machine = fakeMachine();
    const work: Variant = { name: "work", kind: "sync", run: () => machine.spend(MICROSECOND) };
    await expect(measure(plan([work]), machine.ports)).rejects.toThrow("no variant is called `anchor`");
    await expect(measure(plan([work, work], { anchor: "work" }), machine.ports)).rejects.toThrow("two variants are called `work`");
  });
});

describe("quantile", () => {
  test("interpolates between neighbours and does not mind the order", () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([5, 1, 3], 0.5)).toBe(3);
    expect(quantile([1, 2, 3, 4, 5], 0.25)).toBe(2);
    expect(quantile([9], 0.75)).toBe(9);
  });

  test("has no answer for nothing", () => {
    expect(() => quantile([], 0.5)).toThrow("no values");
  });
});
