import { expect, test } from "vitest";
import { judgeSoak, type Sample, type SoakEnd } from "./judge-soak.ts";

const MINUTES = 30;
/** A sample a quarter of a minute; `change` says what is otherwise at a minute. */
const soak = (change: (sample: Sample) => Partial<Sample> = () => ({})): readonly Sample[] =>
  Array.from({ length: MINUTES * 4 }, (_, index) => {
    const minute = (index + 1) / 4;
    const done = { hooks: minute * 100, pages: minute * 60 };
    const sample = { minute, memory: 150, descriptors: 40, log: 4, cpu: minute * 1000, done, decisions: minute * 200 };
    return { ...sample, ...change(sample) };
  });
const end: SoakEnd = { faults: 0, brokenAt: null, recorded: 7000, unrecorded: [], exitCode: 0 };
const failed = (samples: readonly Sample[], its: Partial<SoakEnd> = {}): readonly string[] =>
  judgeSoak(samples, MINUTES, { ...end, ...its }).flatMap(({ name, isOk }) => (isOk ? [] : [name]));

test("a soak in which nothing grows passes, and one that grows by a tenth", () => {
  expect(failed(soak())).toEqual([]);
  expect(failed(soak(({ minute }) => (minute > 20 ? { memory: 164, descriptors: 44, log: 4.4 } : {})))).toEqual([]);
});

test("what grows by more than a tenth fails, each by itself", () => {
  const late = (change: Partial<Sample>) => failed(soak(({ minute }) => (minute > 20 ? change : {})));
  expect(late({ memory: 166 })).toEqual(["memory"]);
  expect(late({ descriptors: 45 })).toEqual(["descriptors"]);
  expect(late({ log: 4.5 })).toEqual(["log"]);
  expect(failed(soak(({ minute }) => ({ cpu: minute * 1000 + Math.max(0, minute - 20) * 150 })))).toEqual(["CPU a decision"]);
});

test("what could not be measured fails", () => {
  expect(failed(soak(() => ({ memory: null })))).toEqual(["memory"]);
  expect(failed(soak(() => ({ memory: 0 })))).toEqual(["memory"]);
  expect(failed(soak(({ minute }) => (minute > 29 ? { log: null } : {})))).toEqual(["log"]);
  expect(failed(soak(({ minute }) => (minute > 29.9 ? { cpu: null } : {})))).toEqual(["CPU a decision"]);
  expect(failed([])).toEqual(["memory", "descriptors", "log", "CPU a decision", "recorded"]);
});

test("work that comes to a stand fails, whoever else goes on", () => {
  const stopped = soak(({ minute }) => ({ done: { hooks: minute * 100, pages: Math.min(minute, 20) * 60 } }));
  expect(failed(stopped)).toEqual(["pages"]);
  expect(failed(soak(({ minute }) => ({ done: { hooks: minute * 100, pages: 0 } })))).toEqual(["pages"]);
});

test("a fault, a decision without a record, a broken or empty chain and a daemon that died fail", () => {
  expect(failed(soak(), { faults: 1 })).toEqual(["faults"]);
  expect(failed(soak(), { unrecorded: ["hook-7"] })).toEqual(["recorded"]);
  expect(failed(soak(), { recorded: 5999 })).toEqual(["recorded"]);
  expect(failed(soak(), { recorded: 0 })).toEqual(["recorded", "chain"]);
  expect(failed(soak(), { brokenAt: 12 })).toEqual(["chain"]);
  for (const exitCode of [1, null]) expect(failed(soak(), { exitCode })).toEqual(["the daemon"]);
});
