// The spool: what is kept is on the disk and whole, what cannot be kept is refused, and the daemon adds each line once, whenever it is ended.

import fs, {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tree } from "../../../test/tree.ts";
import type { AuditEvent } from "../../core/audit.ts";
import { askId, callId, sessionId } from "../../core/names.ts";
import { type DecisionEvent, LINE_BYTES, readSpoolLine, SEAL, spoolCall, SPOOL, type SpooledCall, spoolLine } from "./spool.ts";
import { type SpoolPorts, takeSpool } from "./take-spool.ts";

const decision = (requested: string): DecisionEvent => ({
  kind: "decision",
  at: 7,
  session: sessionId("session"),
  call: callId("call"),
  tool: "Read",
  operation: "read",
  requested,
  real: null,
  verdict: "allow",
  reason: "in-workspace",
  rule: null,
  root: "/ws",
  grant: null,
  ask: null,
  fault: null,
});
const called = (...paths: readonly string[]): SpooledCall => ({
  host: "claude-code",
  workspace: "/ws",
  sessionId: "s1",
  agentId: null,
  events: paths.map(decision),
});

function scene() {
  const at = tree(["data/"]);
  onTestFinished(() => at.remove());
  const data = at.path("data");
  const file = join(data, SPOOL.dir, SPOOL.file);
  return { data, file, names: (): readonly string[] => readdirSync(join(data, SPOOL.dir)) };
}

/** A record in memory. `ended` times out of reach: it is as if the process had been killed before, or after, a transaction. */
function recorded(known: string | null = null) {
  const events: AuditEvent[] = [];
  const damaged: number[] = [];
  let killed: { left: number; isAfter: boolean } | null = null;
  const ports: SpoolPorts = {
    clock: () => 99,
    damaged: (_file, end) => void damaged.push(end),
    sessionOfHost: async () => (known === null ? null : { id: sessionId(known) }),
    audit: async ({ session, limit }) =>
      events
        .filter((event) => event.session === session)
        .toReversed()
        .slice(0, limit)
        .map((event) => ({ event })),
    record: async (more) => {
      const isEnd = killed !== null && killed.left-- === 0;
      if (isEnd && killed?.isAfter === false) throw new Error("killed");
      events.push(...more);
      if (isEnd) throw new Error("killed");
    },
  };
  const paths = (): readonly string[] => events.flatMap((event) => (event.kind === "decision" ? [event.requested] : []));
  return { ports, events, damaged, paths, kill: (left: number, isAfter: boolean) => void (killed = { left, isAfter }) };
}

test("what is kept is private, and is added in order, marked late, to the session the daemon has for the agent", async () => {
  const { data, file } = scene();
  spoolCall(data, called("a", "b"));
  spoolCall(data, called('c\n"ü\ud800'));
  expect([statSync(file).mode & 0o777, statSync(join(data, SPOOL.dir)).mode & 0o777]).toEqual([0o600, 0o700]);
  const { ports, events, paths } = recorded("known");
  expect(await takeSpool(data, ports)).toBe(3);
  expect(paths()).toEqual(["a", "b", 'c\n"ü\ud800']);
  expect(events.slice(0, 3)).toMatchObject(Array.from({ length: 3 }, () => ({ at: 7, late: 99, session: "known", ask: null })));
  expect(events.slice(3)).toMatchObject([{ kind: "spool-taken", count: 3, damaged: 0 }]);
  expect([existsSync(file), await takeSpool(data, ports), events.length]).toEqual([false, 0, 4]);
});

test("an agent that the daemon has no session for is told by its host's name for it", async () => {
  const { data } = scene();
  spoolCall(data, { ...called("a"), agentId: "below" });
  const { ports, events } = recorded();
  await takeSpool(data, ports);
  expect(events[0]?.session).toBe("claude-code:s1/below");
});

test("ended before or after any of its transactions, each decision is recorded once and in order", async () => {
  const wanted = Array.from({ length: 450 }, (_, number) => `p${number}`);
  for (const isAfter of [false, true])
    for (const left of [0, 1, 2, 3, 4]) {
      const { data, names } = scene();
      for (const path of wanted) appendSpool(data, called(path));
      const { ports, paths, kill } = recorded();
      kill(left, isAfter);
      await expect(takeSpool(data, ports)).rejects.toThrow("killed");
      // Hooks go on meanwhile.
      appendSpool(data, called("later"));
      await takeSpool(data, ports);
      expect([isAfter, left, paths()]).toEqual([isAfter, left, [...wanted, "later"]]);
      expect(names()).toEqual([]);
    }
});

test("ended after the file was moved and before anything was read, or after all of it was recorded, nothing is lost or doubled", async () => {
  const { data, file } = scene();
  spoolCall(data, called("a"));
  const moved = join(data, SPOOL.dir, `${SPOOL.taken}x`);
  renameSync(file, moved);
  const text = readFileSync(moved);
  const { ports, paths } = recorded();
  await takeSpool(data, ports);
  writeFileSync(moved, text, { mode: 0o600 });
  await takeSpool(data, ports);
  expect(paths()).toEqual(["a"]);
});

test("damaged lines are counted and told, and those around them are added", async () => {
  const { data, file } = scene();
  spoolCall(data, called("a"));
  const whole = readFileSync(file);
  appendFileSync(file, "no line of ours\n");
  appendFileSync(
    file,
    whole.map((byte, at) => (at === 60 ? byte ^ 1 : byte)),
  );
  // As a full disk leaves it: cut short, without its end.
  appendFileSync(file, whole.subarray(0, 50));
  spoolCall(data, called("b"));
  appendFileSync(file, Buffer.concat([Buffer.alloc(LINE_BYTES * 2, 0x61), Buffer.from("\n")]));
  spoolCall(data, called("c"));
  appendFileSync(file, Buffer.from([0xff, 0xfe, 0x00]));
  const { ports, paths, events, damaged } = recorded();
  await takeSpool(data, ports);
  expect(paths()).toEqual(["a", "b", "c"]);
  expect([damaged.length, events.at(-1)]).toMatchObject([5, { kind: "spool-taken", count: 3, damaged: 5 }]);
});

test("cut at any byte, a line is read whole or not at all", () => {
  const line = spoolLine(called("a")).subarray(1, -1);
  expect(readSpoolLine(line)).toEqual(called("a"));
  for (let length = 0; length < line.length; length += 1) expect(readSpoolLine(line.subarray(0, length))).toBeNull();
  const foreign = spoolLine({ ...called("a"), events: [{ ...decision("a"), kind: "grant" } as unknown as DecisionEvent] });
  expect(readSpoolLine(foreign.subarray(1, -1))).toBeNull();
});

test("what cannot be kept is refused, and told with what to do", () => {
  const refusal = (act: (data: string, file: string) => void, most?: number, paths: readonly string[] = ["a"]): string => {
    const { data, file } = scene();
    mkdirSync(join(data, SPOOL.dir), { mode: 0o700 });
    act(data, file);
    try {
      spoolCall(data, called(...paths), most === undefined ? {} : { most });
      return "";
    } catch (error) {
      return String(error);
    }
  };
  expect(refusal(() => {})).toBe("");
  expect(refusal((data) => spoolCall(data, called("a")), 500)).toMatch(/is full .*hallpass serve/);
  expect(refusal(() => {}, undefined, ["x".repeat(LINE_BYTES)])).toMatch(/more paths than one line/);
  expect(refusal((_, file) => symlinkSync("elsewhere", file))).toMatch(/cannot be written \(ELOOP\)/);
  expect(refusal((_, file) => mkdirSync(file))).toMatch(/cannot be written \(EISDIR\)/);
  expect(refusal((_, file) => (writeFileSync(file, ""), chmodSync(file, 0o644)))).toMatch(/not a file of this user alone/);
  expect(refusal((_, file) => (writeFileSync(file, "", { mode: 0o600 }), linkSync(file, `${file}-too`)))).toMatch(/this user alone/);
});

test("a spool that is not ours is not read, and is left for a person", async () => {
  const { data, file, names } = scene();
  spoolCall(data, called("a"));
  chmodSync(file, 0o666);
  const { ports, events, damaged } = recorded();
  expect([await takeSpool(data, ports), events, damaged]).toEqual([0, [], [0]]);
  expect(names()).toMatchObject([expect.stringMatching(/^not-ours-/)]);
  expect(await takeSpool(data, ports)).toBe(0);
});

/** Something happens to the file between the write of a line and the look at where it stands. */
function meanwhile(act: () => void): void {
  const real = fs.fdatasyncSync;
  onTestFinished(() => {
    fs.fdatasyncSync = real;
    syncBuiltinESMExports();
  });
  fs.fdatasyncSync = (handle) => {
    real(handle);
    act();
  };
  syncBuiltinESMExports();
}

test("moved away while the line was written, and not read to its end, the line is kept", async () => {
  const { data, file } = scene();
  meanwhile(() => existsSync(file) && renameSync(file, join(data, SPOOL.dir, `${SPOOL.taken}x`)));
  spoolCall(data, called("a"));
  const { ports, paths } = recorded();
  await takeSpool(data, ports);
  expect(paths()).toEqual(["a"]);
});

test("sealed while the line was written, the line is kept once: in that file before the seal, or in the next", async () => {
  for (const isBefore of [true, false]) {
    const { data, file } = scene();
    const moved = join(data, SPOOL.dir, `${SPOOL.taken}x`);
    let isFirst = true;
    meanwhile(() => {
      if (!isFirst) return;
      isFirst = false;
      const text = readFileSync(file);
      renameSync(file, moved);
      writeFileSync(moved, Buffer.concat(isBefore ? [text, SEAL] : [SEAL, text]));
    });
    spoolCall(data, called("a"));
    expect(existsSync(file)).toBe(!isBefore);
    const { ports, paths } = recorded();
    await takeSpool(data, ports);
    expect(paths()).toEqual(["a"]);
  }
});

test("a program that decides in a session of the daemon's is recorded in it, as it decided, and not late", async () => {
  const { data } = scene();
  const failure = { kind: "open-failed", at: 8, session: sessionId("s"), call: callId("c"), requested: "b", code: "io-error" } as const;
  const event = { ...decision("a"), ask: askId("its-ask") };
  spoolCall(data, { session: "s", events: [event, failure] }, { isOnDisk: false });
  const { ports, events } = recorded("another");
  expect(await takeSpool(data, ports)).toBe(0);
  expect(events.slice(0, 2)).toEqual([{ ...event, session: "s" }, failure]);
});

test("while several processes add lines as fast as they can and the daemon takes them, each is recorded once", async () => {
  const { data } = scene();
  const { ports, paths } = recorded();
  const writers = Array.from({ length: 3 }, (_, number) => writer(data, `w${number}-`));
  const ended = Promise.all(writers.map(([child]) => once(child, "exit")));
  const over = new AbortController();
  void ended.then(() => over.abort());
  while (!over.signal.aborted) await takeSpool(data, ports);
  expect(await ended).toEqual([
    [0, null],
    [0, null],
    [0, null],
  ]);
  await takeSpool(data, ports);
  const wanted = writers.flatMap(([, names]) => names);
  expect([...paths()].toSorted()).toEqual(wanted.toSorted());
});

/** A process that spools so many calls, and what it names. */
function writer(data: string, prefix: string): readonly [ChildProcess, readonly string[]] {
  const names = Array.from({ length: 400 }, (_, number) => `${prefix}${number}`);
  const event = decision("NAME");
  const text = `import { spoolCall } from ${JSON.stringify(new URL("./spool.ts", import.meta.url).href)};
    for (const requested of ${JSON.stringify(names)})
      spoolCall(${JSON.stringify(data)}, { session: "s", events: [{ ...${JSON.stringify(event)}, requested }] }, { isOnDisk: false });`;
  return [
    spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", text], { stdio: ["ignore", "ignore", "inherit"] }),
    names,
  ];
}

/** As a hook that does not wait for the disk. */
function appendSpool(data: string, call: SpooledCall): void {
  mkdirSync(join(data, SPOOL.dir), { recursive: true, mode: 0o700 });
  appendFileSync(join(data, SPOOL.dir, SPOOL.file), spoolLine(call), { mode: 0o600 });
}
