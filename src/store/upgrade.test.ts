// Stores of released versions, opened by this one. Until there is one, and beside them, a store of this version goes the same way.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { testPostgres } from "../../test/support/postgres.ts";
import {
  describeReleased,
  type Dialect,
  dialects,
  parseReleased,
  type ReleasedStore,
  releasedStores,
  restoreReleased,
} from "../../test/support/released-store.ts";
import { event } from "../../test/store-conformance/values.ts";
import { wholeStore } from "../../test/store-conformance/whole-store.ts";
import type { Store } from "../agent/ports.ts";
import { askId } from "../core/names.ts";
import { examineStore } from "./examine.ts";
import { openPostgresStore } from "./postgres.ts";
import { openSqliteStore } from "./sqlite.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-upgrade-"));
const counted = { places: 0 };
afterAll(async () => {
  rmSync(sandbox, { recursive: true, force: true });
  await (await testPostgres()).end();
});

/** A new place, and how this version opens it. */
async function newPlace(dialect: Dialect): Promise<{ readonly address: string; readonly open: () => Promise<Store> }> {
  if (dialect === "postgres") {
    const address = await (await testPostgres()).createSchema();
    return { address, open: () => openPostgresStore({ url: address, connections: 2 }) };
  }
  const address = join(sandbox, `${++counted.places}.db`);
  return { address, open: () => openSqliteStore({ file: address }) };
}

async function ofThisVersion(dialect: Dialect): Promise<ReleasedStore> {
  const { address, open } = await newPlace(dialect);
  return parseReleased("this version", dialect, await describeReleased(dialect, address, open));
}

const stores = [
  ...dialects.map((dialect) => ["this version", dialect, () => ofThisVersion(dialect)] as const),
  ...releasedStores().map((released) => [released.version, released.dialect, () => Promise.resolve(released)] as const),
];

describe("a store of an earlier version", () => {
  test.each(stores)("%s, in %s: everything is there, its record is whole, and it goes on", async (_version, dialect, read) => {
    const released = await read();
    const { address, open } = await newPlace(dialect);
    await restoreReleased(released, address);
    const store = await open();
    // What was added since is beside it.
    expect(JSON.parse(JSON.stringify(await wholeStore(store)))).toMatchObject(released.whole as object);
    expect(await examineStore(store, dialect === "sqlite" ? address : null)).toEqual([]);
    const reply = { verdict: "reply", by: "me", at: 50, text: "on we go" } as const;
    expect(await store.answerAsk(askId("ask-1"), reply, { grant: null, calls: [], events: [event(50)] })).toBe(true);
    expect(await store.verifyAudit()).toBeNull();
    await store.close();
  });

  test.each(dialects)("in %s: a migration that was changed after its release is found", async (dialect) => {
    const released = await ofThisVersion(dialect);
    const { address } = await newPlace(dialect);
    await expect(restoreReleased({ ...released, migrations: ["0".repeat(64)] }, address)).rejects.toThrow("are not what they were: start");
    await expect(restoreReleased({ ...released, migrations: [...released.migrations, "1"] }, address)).rejects.toThrow("one of them");
  });
});

test("of every version that the changelog has a date for, a store is kept in each dialect", () => {
  const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const versions = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+[^\]]*)\]/gm)].map(([, version = ""]) => version);
  const kept = new Set(releasedStores().map(({ version, dialect }) => `${version} ${dialect}`));
  const missing = versions.flatMap((version) => dialects.map((dialect) => `${version} ${dialect}`)).filter((name) => !kept.has(name));
  expect(missing, "`npm run db:keep`, as RELEASING.md says").toEqual([]);
});
