// Archiving on a slow disk: the daemon does it while it serves, so nobody may wait until a file of gigabytes is on the disk.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const SECONDS = 2;

/** Archives, and says how long in milliseconds no timer of the process could fire meanwhile. */
const program = (dir: string): string => `
import { openBackend } from ${JSON.stringify(new URL("open.ts", import.meta.url).href)};
import { archiveRecords } from ${JSON.stringify(new URL("archive.ts", import.meta.url).href)};
import { createSqlStore } from ${JSON.stringify(new URL("sql-store.ts", import.meta.url).href)};
import { decision } from ${JSON.stringify(new URL("../../test/store-conformance/values.ts", import.meta.url).href)};
const backend = await openBackend({ databaseUrl: null, file: ${JSON.stringify(join(dir, "hallpass.db"))} });
await createSqlStore(backend).record(Array.from({ length: 50 }, (_, number) => decision(number)));
let [last, longest] = [performance.now(), 0];
const timer = setInterval(() => {
  const now = performance.now();
  [last, longest] = [now, Math.max(longest, now - last)];
}, 5);
const began = performance.now();
await archiveRecords(backend, { olderThan: Number.MAX_SAFE_INTEGER }, { dir: ${JSON.stringify(join(dir, "archive"))}, by: "me", now: 5, progress: () => {} });
const took = performance.now() - began;
clearInterval(timer);
await backend.close();
console.log(JSON.stringify({ took, longest: Math.max(longest, performance.now() - last) }));
`;

test("while the archive is brought to the disk others are served", { timeout: 120_000 }, (context) => {
  const dir = mkdtempSync(join(tmpdir(), "hallpass-archive-disk-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "archive"));
  const file = join(dir, "program.mts");
  writeFileSync(file, program(dir));
  const slow = ["-f", "-qq", "-o", join(dir, "trace"), "-P", join(dir, "archive/audit.partial"), "-e", "trace=fsync,fdatasync"];
  try {
    execFileSync("strace", ["-o", join(dir, "probe"), "true"], { stdio: "ignore" });
  } catch {
    console.log("skipped: strace is not on this machine, or may not trace");
    context.skip();
  }
  const words = [...slow, "-e", `inject=fsync,fdatasync:delay_enter=${SECONDS * 1e6}`, process.execPath, "--import", "tsx", file];
  const { took, longest } = JSON.parse(execFileSync("strace", words, { encoding: "utf8", cwd: process.cwd() })) as Record<string, number>;
  // Control: it was slow.
  expect(readFileSync(join(dir, "trace"), "utf8")).toContain("sync(");
  expect(took).toBeGreaterThan(SECONDS * 1000);
  expect(longest).toBeLessThan(SECONDS * 500);
});
