import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { testPostgres } from "../../../test/support/postgres.ts";
import { takeLock } from "../../server/lock.ts";
import { askId } from "../../core/names.ts";
import { started } from "../../../test/store-conformance/steps.ts";
import { event, grantAsk, someGrant, someSession, yes } from "../../../test/store-conformance/values.ts";
import { openStore } from "../../store/open.ts";
import type { Host } from "../host.ts";
import { run } from "../main.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-store-command-"));
afterAll(async () => {
  rmSync(sandbox, { recursive: true, force: true });
  await (await testPostgres()).end();
});

const counted = { homes: 0 };
const newData = (): string => join(sandbox, `data-${++counted.homes}`);

async function said(words: readonly string[], env: Record<string, string> = {}) {
  const streams = { output: new PassThrough(), errors: new PassThrough() };
  const host: Host = { cwd: sandbox, home: sandbox, env, platform: "linux", input: new PassThrough(), ...streams };
  const code = await run(words, host);
  const text = (stream: PassThrough): string => String(stream.read() ?? "");
  return { code, output: text(streams.output), errors: text(streams.errors) };
}

async function filled(data: string): Promise<void> {
  const store = await openStore({ databaseUrl: null, file: join(data, "hallpass.db") });
  await store.addSession(someSession(), []);
  await store.record([event(1), event(2)]);
  await store.close();
}

test("a store is moved from SQLite to PostgreSQL and back, through files", async () => {
  const [data, other] = [newData(), newData()];
  const url = await (await testPostgres()).createSchema();
  await filled(data);
  const file = join(sandbox, "moved.jsonl");
  expect(await said(["store", "export", "moved.jsonl", "--data", data])).toMatchObject({ code: 0, output: "", errors: /^exported 3 rows/ });
  expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
  expect(await said(["store", "import", file], { HALLPASS_DATABASE_URL: url })).toMatchObject({
    code: 0,
    // On a busy machine it says first what it is at.
    errors: /imported 3 rows: 1 session, 0 open grants; the record is whole \(2 events\)\n$/,
  });
  const { output } = await said(["store", "export"], { HALLPASS_DATABASE_URL: url });
  expect(output).toBe(readFileSync(file, "utf8"));
  expect((await said(["store", "import", file], { HALLPASS_DATA: other })).code).toBe(0);
  const store = await openStore({ databaseUrl: null, file: join(other, "hallpass.db") });
  expect(await store.sessions()).toEqual([someSession()]);
  expect(await store.verifyAudit()).toBeNull();
  await store.close();
  expect(await said(["store", "import", file], { HALLPASS_DATA: other })).toMatchObject({ code: 1, errors: /bad-request: .*not empty/ });
  expect(await said(["store", "export", file, "--data", data])).toMatchObject({ code: 1, errors: /already exists/ });
});

/** An export with a session and a grant of this directory, and with what a grant hangs on. */
async function exportWith(path: string): Promise<string> {
  const data = newData();
  const store = await openStore({ databaseUrl: null, file: join(data, "hallpass.db") });
  await started(store);
  await store.openAsk(grantAsk(0));
  await store.answerAsk(askId("ask-0"), yes, { grant: someGrant({ path }), calls: [], events: [] });
  await store.close();
  const file = join(sandbox, `with-${counted.homes}.jsonl`);
  expect((await said(["store", "export", file, "--data", data])).code).toBe(0);
  return file;
}

test("an import says what came, and that there is no record where there is none", async () => {
  const file = await exportWith("/home/me/src/library");
  const { code, errors } = await said(["store", "import", file, "--data", newData()]);
  expect([code, errors]).toEqual([0, expect.stringMatching(/^imported \d+ rows: 1 session, 1 open grant; there is no record in it, so /)]);
});

test.each(["/", "/usr", sandbox, join(sandbox, "..")])(
  "a grant of %s, which nobody can give, is not imported, nor anything with it",
  async (path) => {
    const [file, data] = [await exportWith(path), newData()];
    expect(await said(["store", "import", file, "--data", data])).toMatchObject({
      code: 1,
      errors: /bad-request: nothing was imported: it has a grant/,
    });
    const store = await openStore({ databaseUrl: null, file: join(data, "hallpass.db") });
    expect([await store.sessions(), await store.grants(null)]).toEqual([[], []]);
    await store.close();
  },
);

test("a copy is made into a directory or a file, and put back when nobody has the store", async () => {
  const data = newData();
  await filled(data);
  const made = await said(["backup", sandbox, "--data", data]);
  expect(made.output).toMatch(/hallpass-\d{8}T\d{9}\.db\n$/);
  const copy = made.output.trim();
  expect(existsSync(copy)).toBe(true);
  const lock = takeLock(join(data, "lock"));
  expect(await said(["restore", copy, "--data", data])).toMatchObject({ code: 1, errors: /a daemon is using the store/ });
  lock?.release();
  const fresh = newData();
  expect(await said(["restore", copy, "--data", fresh])).toMatchObject({ code: 0, output: expect.stringContaining("restored") });
  expect(readdirSync(fresh)).toContain("hallpass.db");
});

test("old records are archived in a file that verifies, and the rest verifies and says so", async () => {
  const data = newData();
  await filled(data);
  const env = { HALLPASS_DATA: data };
  const to = mkdtempSync(join(sandbox, "archive-"));
  const file = join(to, "audit-1-2.jsonl");
  expect(await said(["store", "archive", to], env)).toMatchObject({ code: 2, errors: /--older-than 90d/ });
  expect(await said(["store", "archive", to, "--larger-than", "1GB"], env)).toMatchObject({
    code: 0,
    output: "no record is to be archived\n",
  });
  expect(await said(["store", "archive", to, "--older-than", "1h"], env)).toMatchObject({
    code: 0,
    output: /^records 1 to 2 are archived in /,
  });
  expect(await said(["audit", "verify", file], env)).toMatchObject({ code: 0, output: /^✓ 2 records, every link of the chain holds/ });
  const { code, output } = await said(["audit", "verify"], env);
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(
      /^✓ 1 records, .*\n {2}records 1 to 2 are not in it: they were archived\n {2}records 1 to 2 were archived in .*audit-1-2.jsonl\n$/,
    ),
  ]);
  expect(await said(["audit", "export", "-o", join(to, "rest.jsonl")], env)).toMatchObject({ code: 0 });
  expect(await said(["audit", "verify", join(to, "rest.jsonl")], env)).toMatchObject({ code: 0 });
  expect(await said(["store", "vacuum"], env)).toMatchObject({ code: 0, output: /kB were freed\n$/ });
  const lock = takeLock(join(data, "lock"));
  expect(await said(["store", "vacuum"], env)).toMatchObject({ code: 1, errors: /a daemon is using the store/ });
  lock?.release();
});

test("what cannot be done is said", async () => {
  const data = newData();
  expect(await said(["store", "export", "--data", data])).toMatchObject({ code: 1, errors: /not-found: there is no store/ });
  expect(existsSync(data)).toBe(false);
  expect(await said(["store", "import", "--data", data])).toMatchObject({ code: 2 });
  expect(await said(["store", "import", "none.jsonl", "--data", data])).toMatchObject({ code: 1, errors: /not-found/ });
  expect(await said(["store"])).toMatchObject({ code: 2 });
  expect(await said(["backup"])).toMatchObject({ code: 2 });
  for (const command of ["backup", "restore"])
    expect(await said([command, "x"], { HALLPASS_DATABASE_URL: "postgres://x" })).toMatchObject({ code: 2, errors: /pg_dump/ });
});

test("verify --checkpoint follows what came since the record was found whole, and names what was changed before or after", async () => {
  const data = newData();
  const env = { HALLPASS_DATA: data };
  await filled(data);
  const [file, checkpoint] = [join(data, "hallpass.db"), join(data, "audit-checkpoint.json")];
  writeFileSync(join(data, "token"), `${"T".repeat(43)}\n`, { mode: 0o600 });
  expect(await said(["audit", "verify"], env)).toMatchObject({ code: 0, output: /^✓ 2 records/ });
  const store = await openStore({ databaseUrl: null, file });
  await store.record([event(3)]);
  await store.close();
  const signed = readFileSync(checkpoint, "utf8");
  expect(await said(["audit", "verify", "--checkpoint"], env)).toMatchObject({
    code: 0,
    output: /^✓ 1 records, .*\n {2}records 1 to 2 were found whole on /,
  });
  // Another record in its place, and a checkpoint that was put forward by hand.
  writeFileSync(checkpoint, signed);
  const other = newData();
  const replaced = await openStore({ databaseUrl: null, file: join(other, "hallpass.db") });
  await replaced.record([event(7), event(8), event(9)]);
  await replaced.close();
  for (const name of ["token", "audit-checkpoint.json"]) copyFileSync(join(data, name), join(other, name));
  expect(await said(["audit", "verify", "--checkpoint"], { HALLPASS_DATA: other })).toMatchObject({
    code: 1,
    output: /record 2 is not the one up to which the record was found whole/,
  });
  writeFileSync(checkpoint, signed.replace('"sequence":2', '"sequence":3'));
  expect(await said(["audit", "verify", "--checkpoint"], env)).toMatchObject({
    code: 1,
    errors: /was not signed with this directory's token/,
  });
});
