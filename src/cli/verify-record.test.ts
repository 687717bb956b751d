// The record is verified line by line as it comes: nothing of it has to fit into memory, or into one string.

import { expect, test } from "vitest";
import { canonical, chained, START } from "../store/chain.ts";
import { createClient } from "../wire/client.ts";
import { routes } from "../wire/http.ts";
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
