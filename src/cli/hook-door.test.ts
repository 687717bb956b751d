// The door file of a daemon: there while it listens on this machine, put back where a hook took it away, gone when it stops.

import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { tree } from "../../test/tree.ts";
import { parseDoor } from "../adapters/hook/door.ts";
import { openHookDoor } from "./hook-door.ts";

const at = tree(["data/", "other/", "home/"]);
afterAll(() => at.remove());
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds));

test("a door that was taken away is put back with the same words, until the daemon stops", async () => {
  const dir = at.path("data");
  const file = join(dir, "hook.door");
  const door = openHookDoor(at.path("home"), 20);
  door.open(dir, "http://127.0.0.1:4711/");
  const line = readFileSync(file, "utf8");
  expect([parseDoor(line)?.port, statSync(file).mode & 0o777]).toEqual([4711, 0o600]);
  rmSync(file);
  for (let left = 100; left > 0 && !existsSync(file); left -= 1) await pause(20);
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([line, 0o600]);
  door.shut(dir);
  await pause(100);
  expect(existsSync(file)).toBe(false);
});

test("there is no door where the daemon listens elsewhere, or speaks TLS", async () => {
  const dir = at.path("other");
  const door = openHookDoor(at.path("home"), 20);
  for (const address of ["http://192.168.0.1:4711/", "https://127.0.0.1:4711/"]) door.open(dir, address);
  await pause(60);
  expect(existsSync(join(dir, "hook.door"))).toBe(false);
  door.shut(dir);
});
