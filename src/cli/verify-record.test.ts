// The record is verified line by line as it comes: nothing of it has to fit into memory, or into one string.

import { constants } from "node:buffer";
import { execFileSync } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { canonical, chained, START } from "../store/chain.ts";
import { createClient } from "../wire/client.ts";
import { routes } from "../wire/http.ts";
import { run } from "./main.ts";
import { verifyRecord } from "./verify-record.ts";

async function* chain(records: number): AsyncGenerator<string> {
  let last = START;
  for (let number = 1; number <= records; number += 1) {
    const its = { number };
    last = chained(last, canonical(its));
    yield JSON.stringify({ sequence: last.sequence, hash: last.hash, event: its });
  }
}

test("how far it is is told, a thousand records at a time", async () => {
  const told: number[] = [];
  expect(await verifyRecord(chain(2500), { onProgress: (records) => told.push(records) })).toMatchObject({ records: 2500, broken: null });
  expect(told).toEqual([1000, 2000]);
});

test("`audit verify` tells how far it is while the record is still being read", async () => {
  const dir = mkdtempSync(join(tmpdir(), "hallpass-verify-"));
  const pipe = join(dir, "record.jsonl");
  execFileSync("mkfifo", [pipe]);
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const said = { output: "", errors: "" };
  output.on("data", (data: Buffer) => (said.output += data.toString()));
  errors.on("data", (data: Buffer) => (said.errors += data.toString()));
  const host = { cwd: dir, home: dir, env: {}, platform: process.platform, input: new PassThrough(), output, errors };
  try {
    const ended = run(["audit", "verify", pipe], host);
    const writer = createWriteStream(pipe);
    // Half of it has come, and nobody knows how much is to come.
    let written = 0;
    for await (const line of chain(2500)) {
      writer.write(`${line}\n`);
      written += 1;
      if (written === 1500) await expect.poll(() => said.errors).toContain("verifying the record: 1,000 records");
    }
    writer.end();
    expect([await ended, said.output]).toEqual([0, expect.stringContaining("2,500 records")]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test("the first record that does not fit is named, and what comes after it is not read", async () => {
  let read = 0;
  const lines = async function* () {
    for await (const line of chain(5)) {
      read += 1;
      yield read === 3 ? line.replace('"number":3', '"number":4') : line;
    }
  };
  expect(await verifyRecord(lines())).toMatchObject({ records: 2, broken: 3 });
  expect(read).toBe(3);
});

test("lines come whole, wherever the network cuts them", async () => {
  const text = new TextEncoder().encode('{"a":"é"}\n\n{"b":"🔒"}\nlast');
  const sent = Array.from(text, (byte) => Uint8Array.of(byte));
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = sent.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
  const client = createClient({ address: "http://here", token: "t", via: "test", fetch: async () => new Response(body) });
  const lines: string[] = [];
  for await (const line of client.lines(routes.exportAudit, {})) lines.push(line);
  expect(lines).toEqual(['{"a":"é"}', "", '{"b":"🔒"}', "last"]);
});

test("a record that is longer than any string can be is read over the network and verified", async () => {
  const event = { text: "x".repeat(4 * 1_048_576) };
  const [json, text] = [canonical(event), new TextEncoder()];
  const RECORDS = Math.ceil(constants.MAX_STRING_LENGTH / json.length) + 1;
  let last = START;
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (last.sequence === RECORDS) return controller.close();
        last = chained(last, json);
        const line = text.encode(`{"sequence":${last.sequence},"hash":"${last.hash}","event":${json}}\n`);
        sent += line.length;
        controller.enqueue(line);
      },
    },
    { highWaterMark: 1 },
  );
  const client = createClient({ address: "http://127.0.0.1", token: "t", via: "test", fetch: () => Promise.resolve(new Response(body)) });
  expect(await verifyRecord(client.lines(routes.exportAudit, {}))).toMatchObject({ records: RECORDS, broken: null, head: last.hash });
  expect(sent).toBeGreaterThan(constants.MAX_STRING_LENGTH);
});
