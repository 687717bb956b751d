import { expect, test } from "vitest";
import { gathered } from "./gathered.ts";

/** A disk that is done with a write when the test says so. */
function disk() {
  const writes: { readonly values: readonly number[]; done(): void; fail(error: Error): void }[] = [];
  const keep = (values: readonly number[]) =>
    new Promise<void>((done, fail) => void writes.push({ values, done: () => done(), fail: (error) => fail(error) }));
  return { writes, keep };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
/** What has become of each call. */
const states = (calls: readonly Promise<void>[]) => {
  const seen = calls.map(() => "waits");
  for (const [index, call] of calls.entries())
    void call.then(
      () => (seen[index] = "kept"),
      () => (seen[index] = "failed"),
    );
  return seen;
};

test("a single record is written at once", async () => {
  const { writes, keep } = disk();
  const seen = states([gathered(keep)([1, 2])]);
  expect(writes.map(({ values }) => values)).toEqual([[1, 2]]);
  await turn();
  expect(seen).toEqual(["waits"]);
  writes[0]?.done();
  await turn();
  expect(seen).toEqual(["kept"]);
});

test("what comes while one is written goes in one write, in order, and nobody goes on before its own is kept", async () => {
  const { writes, keep } = disk();
  const record = gathered(keep);
  const seen = states([record([1]), record([2]), record([3, 4]), record([5])]);
  await turn();
  expect(writes).toHaveLength(1);
  writes[0]?.done();
  await turn();
  expect(writes.map(({ values }) => values)).toEqual([[1], [2, 3, 4, 5]]);
  expect(seen).toEqual(["kept", "waits", "waits", "waits"]);
  writes[1]?.done();
  await turn();
  expect(seen).toEqual(["kept", "kept", "kept", "kept"]);
});

test("a write that fails stops every call in it, and none after it", async () => {
  const { writes, keep } = disk();
  const record = gathered(keep);
  const calls = [record([1]), record([2]), record([3])];
  const seen = states(calls);
  writes[0]?.done();
  await turn();
  writes[1]?.fail(new Error("the disk is full"));
  await turn();
  expect(seen).toEqual(["kept", "failed", "failed"]);
  await expect(calls[1]).rejects.toThrow("the disk is full");
  const later = states([record([4])]);
  expect(writes[2]?.values).toEqual([4]);
  writes[2]?.done();
  await turn();
  expect(later).toEqual(["kept"]);
});

test("no write holds more than the daemon takes", async () => {
  const sizes: number[] = [];
  const record = gathered<number>((values) => (sizes.push(values.length), Promise.resolve()));
  const many = (count: number) => record(Array.from({ length: count }, (_, index) => index));
  await Promise.all([many(1), many(300), many(200), many(1), many(1200), many(2)]);
  expect(sizes).toEqual([1, 500, 1, 500, 500, 200, 2]);
});

test("nor more bytes than it takes, whether of one call or of many", async () => {
  const sizes: number[] = [];
  const record = gathered<string>((values) => (sizes.push(JSON.stringify(values).length), Promise.resolve()));
  const path = "x".repeat(4000);
  await Promise.all([...Array.from({ length: 100 }, () => record([path])), record(Array.from({ length: 40 }, () => path))]);
  expect(Math.max(...sizes)).toBeLessThan(50_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(140 * 4000);
  expect(sizes.length).toBeLessThan(20);
});
