// The end of the record is cut off together with its head: the chain holds, and only what was noted elsewhere tells.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import Database from "libsql";
import { expect, onTestFinished, test, vi } from "vitest";
import { checkPlaces } from "../cli/doctor/place-checks.ts";
import type { Host } from "../cli/host.ts";
import { run } from "../cli/main.ts";
import { event } from "../../test/store-conformance/values.ts";
import { openStore } from "../store/open.ts";
import { checkHead, headFile, type HeadNotes, noteHeads } from "./record-head.ts";

async function place() {
  const on = mkdtempSync(join(tmpdir(), "hallpass-head-"));
  onTestFinished(() => rmSync(on, { recursive: true, force: true }));
  const [dir, home, workspace] = [join(on, "data"), join(on, "home"), join(on, "ws")];
  for (const one of [dir, home, workspace]) mkdirSync(one);
  const file = join(dir, "hallpass.db");
  const open = () => openStore({ databaseUrl: null, file });
  const logged: { readonly level: string; readonly message: string; readonly fields: object }[] = [];
  const say = (level: string) => (fields: object, message: string) => void logged.push({ level, message, fields });
  const log = { info: say("info"), warn: say("warn"), error: say("error") };
  const record = async (from: number, to: number): Promise<void> => {
    const store = await open();
    await store.record(Array.from({ length: to - from + 1 }, (_, at) => event(from + at)));
    await store.close();
  };
  /** As a daemon that starts and stops. */
  const noted = async (): Promise<void> => {
    const store = await open();
    const heads = await noteHeads({ store, place: { dir }, log, clock: Date.now });
    const noteEnd = await heads.ending();
    await store.close();
    noteEnd();
  };
  const host = (output: PassThrough): Host => ({
    cwd: workspace,
    home,
    env: { HALLPASS_DATA: dir },
    platform: "linux",
    input: new PassThrough(),
    output,
    errors: new PassThrough(),
  });
  const cli = async (...words: readonly string[]) => {
    const output = new PassThrough();
    const code = await run(words, host(output));
    return { code, text: String(output.read() ?? "").replaceAll(/\s+/g, " ") };
  };
  return { dir, file, open, logged, log, record, noted, cli, host };
}

/** What somebody does who can write the file: the triggers away, the end off, the head back, the triggers made anew. */
function cut(file: string, last: number): void {
  const db = new Database(file);
  const triggers = db.prepare("select name, sql from sqlite_master where type = 'trigger' and tbl_name in ('audit', 'audit_head')").all();
  const named = triggers as readonly { readonly name: string; readonly sql: string }[];
  for (const { name } of named) db.exec(`drop trigger "${name}"`);
  db.exec(`delete from audit where sequence > ${last}`);
  db.exec(`update audit_head set sequence = ${last}, hash = (select hash from audit where sequence = ${last})`);
  for (const { sql } of named) db.exec(sql);
  db.close();
}

test("records that were cut off the end with the head are missed, by number, at the start and by `audit verify` and `doctor`", async () => {
  const { dir, file, open, logged, record, noted, cli, host } = await place();
  await record(1, 12);
  await noted();
  expect(statSync(headFile({ dir })).mode & 0o777).toBe(0o600);
  expect(await cli("audit", "verify")).toMatchObject({ code: 0, text: /12 records, every link of the chain holds/ });
  cut(file, 5);
  const store = await open();
  // Without the note nothing is wrong: the chain holds from its beginning to its head.
  expect(await store.verifyAudit()).toBeNull();
  expect(await checkHead(store, { dir })).toMatchObject({ state: "cut", last: 5, noted: { sequence: 12 } });
  await store.close();
  expect(await cli("audit", "verify")).toMatchObject({ code: 1, text: /end of the record was cut off: records 6 to 12 are gone/ });
  expect(await checkPlaces(host(new PassThrough()))).toContainEqual(expect.objectContaining({ part: "database", state: "wrong" }));
  logged.length = 0;
  await noted();
  expect(logged).toMatchObject([{ level: "error", message: /records 6 to 12 are gone/ }]);
  // Going on afterwards does not hide it: the note is not written over, and a record of the same number is another one.
  await record(20, 30);
  expect(await cli("audit", "verify")).toMatchObject({ code: 1, text: /record was replaced: record 12 is not the one/ });
  await noted();
  expect(JSON.parse(readFileSync(headFile({ dir }), "utf8"))).toMatchObject({ sequence: 12 });
  // Whoever did it themselves says so by removing the note.
  rmSync(headFile({ dir }));
  await noted();
  expect((await cli("audit", "verify")).code).toBe(0);
});

test("the end is noted now and then, in the file and in the log, one interval late", async () => {
  const { dir, open, logged, log } = await place();
  const store = await open();
  await store.record([event(1)]);
  const heads: HeadNotes = await noteHeads({ store, place: { dir }, log, clock: Date.now, every: 20 });
  expect(JSON.parse(readFileSync(headFile({ dir }), "utf8"))).toMatchObject({ sequence: 1 });
  await store.record([event(2), event(3)]);
  await vi.waitFor(() => expect(JSON.parse(readFileSync(headFile({ dir }), "utf8"))).toMatchObject({ sequence: 3 }), 5000);
  heads.stop();
  const told = logged.map(({ fields }) => ("sequence" in fields ? fields.sequence : null));
  expect(told).toEqual([1, 3]);
  await store.close();
});

test("a note that cannot be read is told, and an empty record is no fault", async () => {
  const { dir, record, noted, cli, logged } = await place();
  await noted();
  expect(logged).toEqual([]);
  await record(1, 2);
  writeFileSync(headFile({ dir }), "{");
  expect(await cli("audit", "verify")).toMatchObject({ code: 1, text: /cannot be read/ });
});
