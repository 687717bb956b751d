// A record that is larger than the memory of the program that verifies or exports it. Read into one text, as it once was, it ends the program: by its
// memory here, and at 512 MiB of JSON by the longest string there is.

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { decision, someSession } from "../store-conformance/values.ts";
import { environmentOf, executable, stage, startProgram } from "./daemon-process.ts";

/** In MB. */
const MEMORY = 64;
const RECORDS = 20_000;
const LONG = "/".padEnd(5000, "long");

test("a record larger than the memory there is: verified and exported, with a daemon and without", { timeout: 900_000 }, async () => {
  const it = stage();
  const data = it.data();
  const sizeOf = (file: string): number => statSync(file).size / 1024 / 1024;
  const limited = { HALLPASS_DATA: data, NODE_OPTIONS: `--max-old-space-size=${MEMORY}` };
  const run = (...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [executable, "audit", ...words], {
      env: environmentOf(it, limited),
      encoding: "utf8",
      timeout: 240_000,
      killSignal: "SIGKILL",
    });
    return { status, said: stdout + stderr };
  };
  const store = await openSqliteStore({ file: join(data, "hallpass.db") });
  await store.addSession(someSession(), []);
  for (let first = 0; first < RECORDS; first += 1000)
    await store.record(Array.from({ length: 1000 }, (_, number) => decision(first + number, { requested: LONG })));
  await store.close();
  expect(sizeOf(join(data, "hallpass.db"))).toBeGreaterThan(1.4 * MEMORY);

  const whole = { status: 0, said: expect.stringContaining("20,000 records, every link of the chain holds") };
  expect(run("verify")).toEqual(whole);
  const daemon = await startProgram(it, { data, env: limited });
  expect(run("verify")).toEqual(whole);
  const file = join(data, "record.jsonl");
  expect(run("export", "-o", file)).toEqual({ status: 0, said: expect.stringContaining("20000 records") });
  expect(sizeOf(file)).toBeGreaterThan(1.4 * MEMORY);
  expect(await daemon.stop()).toBe(0);
  expect(run("verify", file)).toEqual(whole);
});
