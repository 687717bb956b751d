// The socket file of a daemon: there while it listens, put back where a hook took it away, gone when it stops.

import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { tree } from "../../test/tree.ts";
import { parseHookSocket } from "../adapters/hook/socket-file.ts";
import type { DaemonParts } from "../server/daemon.ts";
import { createNone } from "../sandbox/none.ts";
import { silentLog } from "../server/log.ts";
import { createHookSocket } from "./hook-socket.ts";

const at = tree(["data/", "home/"]);
afterAll(() => at.remove());
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds));

const never = (): never => {
  throw new Error("nobody asked");
};
const nothing: DaemonParts = {
  hosted: {
    register: never,
    enter: never,
    state: never,
    live: never,
    decide: never,
    ask: never,
    find: never,
    whyNoGrant: never,
    leave: never,
    cancel: never,
  },
  sandbox: createNone("none here"),
  shells: { begin: never, find: never, claim: never, drop: never, report: never, state: never, forget: never },
  settled: never,
  called: never,
  store: { record: never, audit: never, sessionOfHost: never },
  log: silentLog,
  clock: () => 0,
};
const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("close", () => socket.destroy());
  });

test("a socket file that was removed is put back with the same words, until the daemon stops; then nobody listens there", async () => {
  const dir = at.path("data");
  const file = join(dir, "hook.socket");
  const socket = createHookSocket({ home: at.path("home"), env: {}, platform: "linux", milliseconds: 20 });
  await socket.open(dir, nothing);
  const line = readFileSync(file, "utf8");
  const port = parseHookSocket(line)?.port ?? 0;
  expect([await isOpen(port), statSync(file).mode & 0o777]).toEqual([true, 0o600]);
  rmSync(file);
  await expect.poll(() => existsSync(file)).toBe(true);
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([line, 0o600]);
  socket.shut(dir);
  await pause(100);
  expect([existsSync(file), await isOpen(port)]).toEqual([false, false]);
});

test("each start has secrets of its own", async () => {
  const lines: string[] = [];
  for (const _ of [1, 2]) {
    const socket = createHookSocket({ home: at.path("home"), env: {}, platform: "linux" });
    await socket.open(at.path("data"), nothing);
    lines.push(readFileSync(join(at.path("data"), "hook.socket"), "utf8"));
    socket.shut(at.path("data"));
  }
  const [one, other] = lines.map(parseHookSocket);
  expect(one?.token).not.toBe(other?.token);
  expect(one?.proof).not.toBe(other?.proof);
});
