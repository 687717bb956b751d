import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { testPostgres } from "../../test/support/postgres.ts";
import { verifyRecord } from "../cli/verify-record.ts";
import { archiveRecords } from "./archive.ts";
import { decision } from "../../test/store-conformance/values.ts";
import type { SqlBackend } from "./db.ts";
import { openBackend } from "./open.ts";
import { createSqlStore } from "./sql-store.ts";
import { exportStore, importStore } from "./transfer.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-archive-"));
afterAll(async () => {
  rmSync(sandbox, { recursive: true, force: true });
  await (await testPostgres()).end();
});

const counted = { places: 0 };
const newDir = (): string => {
  const dir = join(sandbox, `${++counted.places}`);
  mkdirSync(dir, { mode: 0o700 });
  return dir;
};
const RECORDS = 1200;
const KEPT_FROM = 1101;
const olderThan = decision(KEPT_FROM).at;

/** A store with records 1 to 1200, a millisecond apart. */
async function filled(open: () => Promise<SqlBackend>): Promise<SqlBackend> {
  const backend = await open();
  await createSqlStore(backend).record(Array.from({ length: RECORDS }, (_, index) => decision(index + 1)));
  return backend;
}

const linesOf = (file: string): readonly string[] => readFileSync(file, "utf8").trimEnd().split("\n");

describe.each([
  ["SQLite", () => openBackend({ databaseUrl: null, file: join(newDir(), "hallpass.db") })],
  ["PostgreSQL", async () => openBackend({ databaseUrl: await (await testPostgres()).createSchema(), file: "" })],
] as const)("in %s", (name, open) => {
  test("the oldest records go to a file that verifies by itself, and the chain says so and goes on", async () => {
    const backend = await filled(open);
    const store = createSqlStore(backend);
    const dir = newDir();
    const part = await archiveRecords(backend, { olderThan }, { dir, by: "me", now: 5, progress: () => {} });
    const file = join(dir, `audit-1-${KEPT_FROM - 1}.jsonl`);
    expect(part).toEqual({ file, first: 1, last: KEPT_FROM - 1 });
    expect([readdirSync(dir), (statSync(file).mode & 0o777).toString(8)]).toEqual([[`audit-1-${KEPT_FROM - 1}.jsonl`], "600"]);
    expect(await verifyRecord(linesOf(file))).toMatchObject({ records: KEPT_FROM - 1, broken: null, archived: [] });
    const left = await store.audit({});
    expect([left[0]?.sequence, left.length, left.at(-1)?.event]).toEqual([
      KEPT_FROM,
      RECORDS - KEPT_FROM + 2,
      expect.objectContaining({ kind: "archived", first: 1, last: KEPT_FROM - 1, file, hash: (await store.auditBase()).hash }),
    ]);
    expect(await store.verifyAudit()).toBeNull();
    expect(await store.audit({ since: olderThan, limit: 1 })).toMatchObject([{ sequence: KEPT_FROM }]);
    await store.record([decision(2000)]);
    expect(await archiveRecords(backend, { olderThan }, { dir, by: "me", now: 5, progress: () => {} })).toBeNull();
    // The next file begins where this one ends.
    const next = await archiveRecords(backend, { olderThan: decision(1900).at }, { dir, by: "me", now: 6, progress: () => {} });
    expect(next).toMatchObject({ first: KEPT_FROM, last: RECORDS + 1 });
    expect(await verifyRecord(linesOf(next?.file ?? ""))).toMatchObject({
      broken: null,
      after: { sequence: KEPT_FROM - 1 },
      archived: [{ first: 1, last: KEPT_FROM - 1, file }],
    });
    expect(await store.verifyAudit()).toBeNull();
    // A file that was cut short, or changed, is found out.
    const lines = linesOf(file);
    expect((await verifyRecord(lines.slice(0, -1))).broken).toBe(KEPT_FROM - 1);
    expect((await verifyRecord(lines.with(7, lines[7]?.replace("allow", "deny ") ?? ""))).broken).toBe(7);
    await backend.close();
  }, 120_000);

  test("wherever it is cut short nothing is lost, and the next time it is done", async () => {
    for (let cut = 1, ended = false; !ended; cut++) {
      const backend = await filled(open);
      const dir = newDir();
      let calls = 0;
      const progress = (): void => {
        if (++calls === cut) throw new Error("cut short");
      };
      const archiving = { dir, by: "me", now: 5, progress };
      ended = await archiveRecords(backend, { olderThan }, archiving).then(
        () => true,
        () => false,
      );
      const store = createSqlStore(backend);
      const here = (await store.audit({ kind: "decision" })).map(({ sequence }) => sequence);
      const whole = readdirSync(dir).filter((one) => one.endsWith(".jsonl"));
      const written = new Set<number>();
      for (const one of whole)
        for (const line of linesOf(join(dir, one)).slice(1)) written.add((JSON.parse(line) as { sequence: number }).sequence);
      const all = new Set([...here, ...written]);
      expect(Array.from({ length: RECORDS }, (_, index) => index + 1).filter((number) => !all.has(number))).toEqual([]);
      expect(await store.verifyAudit()).toBeNull();
      for (const one of whole) expect(await verifyRecord(linesOf(join(dir, one)))).toMatchObject({ broken: null });
      await archiveRecords(backend, { olderThan }, { ...archiving, progress: () => {} });
      expect((await store.audit({ limit: 1 })).map(({ sequence }) => sequence)).toEqual([KEPT_FROM]);
      expect((await store.audit({ kind: "archived" })).length).toBe(1);
      expect(await store.verifyAudit()).toBeNull();
      expect(cut).toBeLessThan(20);
      await backend.close();
    }
  }, 240_000);

  test("what was not archived cannot be deleted, and a store with a base moves whole", async () => {
    const backend = await filled(open);
    const store = createSqlStore(backend);
    const gone = (work: string) => backend.write(null, async (db) => void (await sql.raw(work).execute(db)));
    await expect(gone("delete from audit where sequence = 1")).rejects.toThrow();
    const [, , third] = await store.audit({ limit: 3 });
    await expect(gone(`update audit_base set sequence = 3, hash = '${third?.hash}'`)).rejects.toThrow();
    await archiveRecords(backend, { olderThan }, { dir: newDir(), by: "me", now: 5, progress: () => {} });
    await expect(gone(`delete from audit where sequence = ${KEPT_FROM}`)).rejects.toThrow();
    await expect(gone("update audit_base set sequence = 0, hash = ''")).rejects.toThrow();
    const lines: string[] = [];
    await exportStore(
      backend,
      async (some) => void lines.push(...some.split("\n")),
      () => {},
    );
    const other = await open();
    const came = await importStore(
      other,
      async function* () {
        yield* lines;
      },
      () => {},
    );
    expect(came.records).toBe(RECORDS - KEPT_FROM + 2);
    const moved = createSqlStore(other);
    expect(await moved.auditBase()).toEqual(await store.auditBase());
    await moved.record([decision(3000)]);
    expect(await moved.verifyAudit()).toBeNull();
    for (const one of [backend, other]) await one.close();
  }, 120_000);

  test("a record that is too large loses its oldest part, and a broken one is not archived", async () => {
    const backend = await filled(open);
    const store = createSqlStore(backend);
    const [dir, other] = [newDir(), newDir()];
    const part = await archiveRecords(backend, { largerThan: 200_000 }, { dir, by: "me", now: 5, progress: () => {} });
    expect(part?.first).toBe(1);
    expect(part?.last).toBeGreaterThan(100);
    expect(part?.last).toBeLessThan(RECORDS);
    expect(await store.verifyAudit()).toBeNull();
    const onTable = name === "SQLite" ? "" : " on audit";
    const broken = (part?.last ?? 0) + 3;
    await backend.write(null, async (db) => {
      await sql.raw(`drop trigger audit_not_changed${onTable}`).execute(db);
      await sql.raw(`update audit set hash = '${"0".repeat(64)}' where sequence = ${broken}`).execute(db);
    });
    const again = archiveRecords(backend, { largerThan: 0 }, { dir: other, by: "me", now: 5, progress: () => {} });
    await expect(again).rejects.toThrow(`broken at number ${broken}: nothing was archived`);
    expect(readdirSync(other)).toEqual(["audit.partial"]);
    expect((await store.audit({ limit: 1 })).map(({ sequence }) => sequence)).toEqual([(part?.last ?? 0) + 1]);
    await backend.close();
  }, 120_000);
});
