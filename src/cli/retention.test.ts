import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { executable } from "../../test/server/daemon-process.ts";
import { tree } from "../../test/tree.ts";
import { silentLog } from "../server/log.ts";
import { event } from "../../test/store-conformance/values.ts";
import { openStore } from "../store/open.ts";
import { archiveOnce, countRecordBytes, requireRetention, retentionIn } from "./retention.ts";

test("an age and a size are read, and nothing else", () => {
  expect(retentionIn("90d", 100 * 86_400_000)).toEqual({ olderThan: 10 * 86_400_000 });
  expect(retentionIn("2h", 7_200_001)).toEqual({ olderThan: 1 });
  expect([retentionIn("500MB", 0), retentionIn("2GB", 0)]).toEqual([{ largerThan: 5e8 }, { largerThan: 2e9 }]);
  for (const text of ["", "90", "d", "-1d", "1.5d", "90 d", "10KB", "1d1h"]) expect(retentionIn(text, 0)).toBeNull();
});

test("what is too old leaves the store for a file, beside whoever has it open, and the chain goes on", async () => {
  const at = tree(["data/", "archive/"]);
  onTestFinished(() => at.remove());
  const kept = { keep: "1h", dir: at.path("archive"), databaseUrl: null, file: at.path("data/hallpass.db"), log: silentLog };
  const store = await openStore(kept);
  onTestFinished(() => store.close());
  await store.record([event(1), event(2)]);
  expect(await archiveOnce(kept)).toBe(2);
  expect(readdirSync(kept.dir)).toEqual(["audit-1-2.jsonl"]);
  await store.record([{ ...event(3), at: Date.now() }]);
  expect([await archiveOnce(kept), await store.verifyAudit()]).toEqual([0, null]);
  expect(() => requireRetention({ ...kept, keep: "often" })).toThrow(/90d/);
  expect(() => requireRetention({ ...kept, dir: join(kept.dir, "none") })).toThrow(/there is no directory/);
});

test("how large the record is another process counts: it goes through all of the file, and the daemon serves meanwhile", async () => {
  const at = tree(["data/", "archive/"]);
  onTestFinished(() => at.remove());
  const kept = { keep: "1MB", dir: at.path("archive"), databaseUrl: null, file: at.path("data/hallpass.db"), log: silentLog };
  const store = await openStore(kept);
  onTestFinished(() => store.close());
  for (let batch = 0; batch < 5; batch += 1) await store.record(Array.from({ length: 100 }, (_, number) => event(batch * 100 + number)));
  const bytes = await countRecordBytes(executable, at.path("data"));
  expect(bytes / 500).toBeGreaterThan(300);
  expect(bytes / 500).toBeLessThan(1500);
  expect(await archiveOnce(kept)).toBe(0);
  expect(await archiveOnce({ ...kept, countBytes: () => Promise.resolve(2e6) })).toBe(250);
  expect(await store.verifyAudit()).toBeNull();
  await expect(countRecordBytes(executable, at.path("archive"))).rejects.toThrow();
}, 60_000);
