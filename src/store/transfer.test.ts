import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testPostgres } from "../../test/support/postgres.ts";
import type { Store } from "../agent/ports.ts";
import { askId, sessionId } from "../core/names.ts";
import { event, grantAsk, someChat, someSession } from "../../test/store-conformance/values.ts";
import { fillStore, wholeStore } from "../../test/store-conformance/whole-store.ts";
import { openBackend } from "./open.ts";
import { createSqlStore } from "./sql-store.ts";
import { exportStore, importStore } from "./transfer.ts";

const sandbox = mkdtempSync(join(tmpdir(), "hallpass-transfer-"));
afterAll(async () => {
  rmSync(sandbox, { recursive: true, force: true });
  await (await testPostgres()).end();
});

const counted = { places: 0 };
const open = {
  SQLite: () => openBackend({ databaseUrl: null, file: join(sandbox, `${++counted.places}`, "hallpass.db") }),
  PostgreSQL: async () => openBackend({ databaseUrl: await (await testPostgres()).createSchema(), file: "" }),
};
type Kind = keyof typeof open;

async function exported(kind: Kind, fill: (store: Store) => Promise<void>): Promise<string> {
  const backend = await open[kind]();
  await fill(createSqlStore(backend));
  const lines: string[] = [];
  await exportStore(
    backend,
    async (some) => void lines.push(some),
    () => {},
  );
  await backend.close();
  return lines.join("");
}

async function imported<T>(kind: Kind, text: string, then: (store: Store) => Promise<T>): Promise<T> {
  const backend = await open[kind]();
  try {
    await importStore(
      backend,
      () => linesOf(text),
      () => {},
    );
    return await then(createSqlStore(backend));
  } finally {
    await backend.close();
  }
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.split("\n");
}

/** More of some than is read at a time. */
const fill = (store: Store): Promise<void> => fillStore(store, { calls: 150, records: 450 });

describe("a whole store", () => {
  const written = { sqlite: "", everything: null as unknown };
  beforeAll(async () => {
    written.sqlite = await exported("SQLite", async (store) => {
      await fill(store);
      written.everything = await wholeStore(store);
    });
  });

  test.each([
    ["SQLite", "PostgreSQL"],
    ["PostgreSQL", "SQLite"],
    ["SQLite", "SQLite"],
    ["PostgreSQL", "PostgreSQL"],
  ] as const)("moves from %s to %s with everything in it, and goes on there", async (from, to) => {
    const text = await exported(from, fill);
    expect(text).toBe(written.sqlite);
    await imported(to, text, async (store) => {
      expect(await wholeStore(store)).toEqual(written.everything);
      await store.record([event(99)]);
      await store.addChat(someChat({ id: "next" }));
      await store.openAsk(grantAsk(5));
      expect((await store.asks({})).at(-1)?.id).toBe("ask-5");
      expect((await store.chats(null)).at(-1)?.id).toBe("next");
      expect(await store.verifyAudit()).toBeNull();
    });
  });

  test("an empty store moves too", async () => {
    const text = await exported("SQLite", async () => {});
    expect(text.split("\n")).toEqual(['{"hallpass":"store","version":1}', '{"end":true,"rows":0}', ""]);
    expect(await imported("PostgreSQL", text, (store) => store.sessions())).toEqual([]);
  });

  test.each(["SQLite", "PostgreSQL"] as const)("%s takes the lines of a version that knew of no births", async (kind) => {
    const earlier = written.sqlite.replace(/"born":[\d.]+,/g, "");
    expect(earlier).not.toContain('"born":');
    const births = await imported(kind, earlier, async (store) => [
      (await store.grants(null)).map(({ born }) => born),
      (await store.ask(askId("ask-0")))?.proposal?.born,
    ]);
    expect(births).toEqual([[null], 1_763_100_000_000.25]);
  });

  test.each(["SQLite", "PostgreSQL"] as const)("%s with anything in it takes no import, and stays as it is", async (kind) => {
    const backend = await open[kind]();
    const store = createSqlStore(backend);
    await store.addSession(someSession({ id: sessionId("mine") }), []);
    await expect(
      importStore(
        backend,
        () => linesOf(written.sqlite),
        () => {},
      ),
    ).rejects.toMatchObject({
      code: "bad-request",
      message: expect.stringContaining("not empty"),
    });
    expect((await store.sessions()).map(({ id }) => id)).toEqual(["mine"]);
    await backend.close();
  });

  test.each<[string, (text: string) => string, string]>([
    ["cut off", (text) => text.slice(0, text.length / 2).replace(/[^\n]*$/, ""), "incomplete"],
    ["cut off in a line", (text) => text.slice(0, text.length / 2), "not JSON"],
    ["with a line missing", (text) => text.replace(/\n\{"table":"mounts"[^\n]*/, ""), "incomplete"],
    [
      "with a record changed",
      (text) => text.replace('"requested\\":\\"\\\\u00007\\"', '"requested\\":\\"\\\\u00008\\"'),
      "broken at number 10",
    ],
    ["of another version", (text) => text.replace('"version":1', '"version":2'), "not of version 1"],
    ["that is something else", () => "hello\n", "not JSON"],
    ["with more after the end", (text) => `${text}{}\n`, "after its last line"],
    ["with a row of another shape", (text) => text.replace('"attended":1', '"attended":"1"'), "not of its table's shape"],
    ["with its tables in another order", (text) => text.replace('"table":"chats"', '"table":"projects"'), "out of place"],
    ["that is empty", () => "", "incomplete"],
  ])("an export %s is refused, and nothing of it is stored", async (_how, spoil, why) => {
    const spoiled = spoil(written.sqlite);
    expect(spoiled).not.toBe(written.sqlite);
    for (const kind of ["SQLite", "PostgreSQL"] as const) {
      const backend = await open[kind]();
      await expect(
        importStore(
          backend,
          () => linesOf(spoiled),
          () => {},
        ),
      ).rejects.toMatchObject({
        code: "bad-request",
        message: expect.stringContaining(why),
      });
      expect(await createSqlStore(backend).sessions()).toEqual([]);
      await backend.close();
    }
  });
});
