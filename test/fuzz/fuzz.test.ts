// What the fuzzer found stays mended, and the fuzzer finds what it should.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { faultsIn, fuzz } from "./fuzzer.ts";
import { found } from "./found.ts";
import { randomFrom } from "./random.ts";
import { openScene } from "./scene.ts";
import type { Door, Reader, Target } from "./target.ts";
import { targets } from "./targets.ts";

describe.each(Object.entries<Target>(targets))("%s", (name, target) => {
  test("everything that was ever found holds", { timeout: 120_000 }, async () => {
    const texts = found.flatMap((one) => (one.target === name ? [one.text] : []));
    expect(await faultsIn(target, texts)).toEqual([]);
  });

  test("so does every seed, and a second of changed texts", { timeout: 120_000 }, async () => {
    expect((await fuzz(target, { seconds: 1, random: randomFrom(1) })).findings).toEqual([]);
  });
});

const busy = (): number => process.cpuUsage().user + process.cpuUsage().system;

test("a fault behind several steps is found, as it would not be by chance", async () => {
  const target: Reader = {
    seeds: ["{}"],
    words: ["a", '"', ":", "1", ","],
    check(text) {
      targets["json-lines"].check(text);
      if (text.includes('"a"') && text.includes(":")) throw new Error("found");
    },
  };
  const { findings } = await fuzz(target, { seconds: 60, random: randomFrom(2), most: 1 });
  expect(findings.map(({ why }) => why)).toContain("Error: found");
});

test("what takes too long is told, and what was only slow the first time is not", async () => {
  const work = (milliseconds: number): void => {
    for (const end = busy() + milliseconds * 1000; busy() < end;) for (let left = 100_000; left > 0; left -= 1);
  };
  let times = 0;
  const target: Reader = { seeds: [], words: [], check: (text) => work(text === "slow" || (times += 1) === 1 ? 150 : 0) };
  expect(await faultsIn(target, ["slow"])).toEqual(["it takes more than 100 ms"]);
  expect(await faultsIn(target, ["once"])).toEqual([]);
});

test("a door that gives away a secret, or a file from outside by whatever name, is found", async () => {
  const open: Door["open"] = async () => {
    const scene = openScene();
    return {
      check: async (text) => scene.holdShut(readFileSync(scene.filled(text), "utf8")),
      close: async () => scene.close(),
    };
  };
  const texts = ["$WS/.env", "$OUT/canary.txt", "$WS/out", "$WS/a.txt"];
  expect(await faultsIn({ seeds: [], words: [], open }, texts)).toEqual([
    "Error: a secret came out",
    "Error: a file from outside came out",
    "Error: a file from outside came out",
  ]);
});
