import { expect, test } from "vitest";
import { HallpassError } from "../core/errors.ts";
import { event, someSession } from "../store/conformance/values.ts";
import { createMemoryStore } from "../store/memory.ts";
import { watchStore } from "./store-health.ts";

test("a store that cannot keep a record is not well until it keeps the next one", async () => {
  const memory = createMemoryStore();
  await memory.addSession(someSession(), []);
  const disk = { full: false };
  const { store, isWell } = watchStore({
    ...memory,
    async record(events) {
      if (disk.full) throw new HallpassError("io-error", "no room");
      await memory.record(events);
    },
  });
  const seen: boolean[] = [];
  for (const full of [false, true, true, false]) {
    disk.full = full;
    await store.record([event(1)]).catch(() => {});
    seen.push(isWell());
    // Refused for what it is, whatever the disk is like.
    await store.addSession(someSession(), []).catch(() => {});
    expect(isWell()).toBe(seen.at(-1));
  }
  expect(seen).toEqual([true, false, false, true]);
  expect(await store.audit({})).toHaveLength(2);
});
