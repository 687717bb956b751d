// The doctor on a bare machine, on one with everything, and with each of its places and policies broken in turn: the sentence fits the fault.

import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { SPOOL, SPOOL_BYTES } from "../../src/adapters/hook/spool.ts";
import { takeLock } from "../../src/server/lock.ts";
import { startDaemonAt } from "./daemon.ts";
import { dataOf, examine } from "./examine.ts";
import { makePlace, type Place, plainUser, program, startTerminal } from "./terminal.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
const place = (): Place => {
  const made = makePlace();
  cleanups.push(() => made.remove());
  return made;
};
const quick = { words: ["--no-canary"] };

/** A data directory as a daemon leaves it, with its file saying that one answers there. */
function daemonFile(at: Place, address: string): void {
  mkdirSync(dataOf(at), { recursive: true, mode: 0o700 });
  chmodSync(dataOf(at), 0o700);
  writeFileSync(join(dataOf(at), "daemon.json"), JSON.stringify({ address, socket: null, pid: 1, version: "0", started: 0 }), {
    mode: 0o600,
  });
  writeFileSync(join(dataOf(at), "token"), "a-token-that-is-long-enough-to-be-one-0123456789", { mode: 0o600 });
}

describe("the doctor", () => {
  test("on a bare machine nothing is wrong, and what is missing is named with what to do", async () => {
    const { code, part } = await examine(place());
    expect(code).toBe(0);
    expect(part("node")?.state).toBe("well");
    expect(part("/proc")?.state).toBe("well");
    expect(part("data directory")?.says).toContain("does not exist yet");
    expect(part("daemon")).toMatchObject({ state: "note", says: "does not run" });
    expect(part("daemon")?.remedy).toContain("hallpass serve");
    expect(part("database")?.says).toBe("there is none yet");
    expect(part("policy (operator)")?.says).toContain("none at");
    expect(part("agents")?.state).toBe("note");
  });

  test("what was decided and waits to be recorded is told, and is wrong once half of the room is used", async () => {
    const at = place();
    mkdirSync(join(dataOf(at), SPOOL.dir), { recursive: true, mode: 0o700 });
    chmodSync(dataOf(at), 0o700);
    const file = join(dataOf(at), SPOOL.dir, SPOOL.file);
    writeFileSync(file, "x".repeat(2_000), { mode: 0o600 });
    const { part } = await examine(at, quick);
    expect(part("spool")).toMatchObject({ state: "note", says: "decisions wait to be recorded: 2 of 65536 KiB" });
    truncateSync(file, SPOOL_BYTES / 2 + 1);
    expect((await examine(at, quick)).part("spool")?.state).toBe("wrong");
  });

  test("with a daemon and a policy all is well; and after its death the sentence is another one", async () => {
    const at = place();
    at.file("home/notes/a.txt", "a\n");
    chmodSync(at.file("home/.config/hallpass/policy.json", '{ "read": { "~/notes/**": "allow" } }'), 0o644);
    const daemon = await startDaemonAt(at);
    cleanups.push(() => daemon.stop());
    const { code, part, out } = await examine(at, quick);
    expect(part("data directory")).toMatchObject({ state: "well" });
    expect(part("daemon"), out).toMatchObject({ state: "well" });
    expect(part("lock")).toMatchObject({ state: "well", says: "held by the daemon" });
    expect(part("database")).toMatchObject({ state: "well" });
    expect(part("policy (operator)")?.says).toMatch(/by .+, 1 rule/u);
    expect(code).toBe(0);

    rmSync(join(dataOf(at), "lock"));
    const unlocked = await examine(at, quick);
    expect(unlocked.part("lock")).toMatchObject({ state: "wrong", says: "the daemon runs without its lock" });
    await daemon.stop();

    daemonFile(at, "http://127.0.0.1:9");
    const dead = await examine(at, quick);
    expect(dead.code).toBe(1);
    expect(dead.part("daemon")?.says).toContain("should answer at http://127.0.0.1:9 and does not");
    expect(dead.part("daemon")?.remedy).toContain("hallpass serve");
  });

  test("a daemon that takes calls and never answers, and one that answers something else", async () => {
    const at = place();
    const silent = createServer(() => {});
    const strange = createServer((_request, response) => response.end("{}"));
    for (const server of [silent, strange]) {
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
      cleanups.push(
        () => server.close(),
        () => server.closeAllConnections(),
      );
    }
    const at_ = (server: typeof silent): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    daemonFile(at, at_(silent));
    const hangs = await examine(at, quick);
    expect(hangs.part("daemon")).toMatchObject({ state: "wrong" });
    expect(hangs.part("daemon")?.says).toMatch(/should answer at .* and does not/u);
    daemonFile(at, at_(strange));
    const other = await examine(at, quick);
    expect(other.part("daemon"), other.out).toMatchObject({ state: "wrong" });
    expect(other.part("daemon")?.says).toMatch(/answers, but not correctly/u);
  });

  test("a lock that somebody holds while no daemon answers", async () => {
    const at = place();
    mkdirSync(dataOf(at), { recursive: true });
    chmodSync(dataOf(at), 0o700);
    const lock = takeLock(join(dataOf(at), "lock"));
    cleanups.push(() => lock?.release());
    const { part, code, out } = await examine(at, quick);
    expect(part("lock"), out).toMatchObject({ state: "wrong", says: "some process holds it, and no daemon answers" });
    expect(part("lock")?.remedy).toContain("hallpass serve");
    expect(code).toBe(1);
  });

  test("a data directory that cannot be written, and one of somebody else's", async () => {
    const at = place();
    mkdirSync(dataOf(at), { recursive: true });
    chmodSync(dataOf(at), 0o500);
    if (plainUser !== undefined) at.give(plainUser);
    const shut = await examine(at, { ...quick, uid: plainUser });
    expect(shut.part("data directory"), shut.out).toMatchObject({ state: "wrong" });
    expect(shut.part("data directory")?.says).toMatch(/is not writable$/u);
    expect(shut.part("data directory")?.remedy).toMatch(/^chmod u\+rwx /u);
    expect(shut.code).toBe(1);
    if (plainUser === undefined) return;
    const foreign = await examine(at, quick);
    expect(foreign.part("data directory")?.says).toMatch(/belongs to somebody else$/u);
    expect(foreign.part("data directory")?.remedy).toContain("HALLPASS_DATA");
  });

  test.each<readonly [string, string, (at: Place) => void, string, RegExp, RegExp]>([
    [
      "a data directory others may write to",
      "data directory",
      (at) => {
        mkdirSync(dataOf(at), { recursive: true });
        chmodSync(dataOf(at), 0o777);
      },
      "wrong",
      /others may write/u,
      /chmod go-w/u,
    ],
    [
      "a file in its place",
      "data directory",
      (at) => void at.file("home/.local/share/hallpass", "x"),
      "wrong",
      /is not a directory/u,
      /HALLPASS_DATA/u,
    ],
    [
      "a database that is none",
      "database",
      (at) => {
        at.file("home/.local/share/hallpass/hallpass.db", "this is no database at all, only text that goes on and on".repeat(50));
        chmodSync(dataOf(at), 0o700);
      },
      "wrong",
      /cannot be opened/u,
      /move .* aside/u,
    ],
    [
      "a malformed policy",
      "policy (operator)",
      (at) => void at.file("home/.config/hallpass/policy.json", '{ "reed": {} }'),
      "wrong",
      /policy\.json:1:3: unknown key `reed`/u,
      /everything is denied/u,
    ],
    [
      "a policy anybody may change",
      "policy (operator)",
      (at) => chmodSync(at.file("home/.config/hallpass/policy.json", "{}"), 0o666),
      "wrong",
      /anybody on this machine may change .*policy\.json/u,
      /chmod go-w/u,
    ],
    [
      "a policy its group may change",
      "policy (operator)",
      (at) => chmodSync(at.file("home/.config/hallpass/policy.json", "{}"), 0o664),
      "note",
      /the group of .*policy\.json may change it/u,
      /chmod g-w/u,
    ],
    [
      "a repository's policy that claims too much",
      "policy (project)",
      (at) => void at.file("home/code/app/.hallpass/policy.json", '{ "read": { "~/x/**": "allow" } }'),
      "note",
      /by /u,
      /policy lint/u,
    ],
  ])("%s", async (_name, part, breakIt, state, says, remedy) => {
    const at = place();
    breakIt(at);
    const found = await examine(at, quick);
    expect(found.part(part), found.out).toMatchObject({ state });
    expect(found.part(part)?.says).toMatch(says);
    expect(found.part(part)?.remedy).toMatch(remedy);
    expect(found.code).toBe(state === "wrong" ? 1 : 0);
  });

  test.runIf(plainUser !== undefined)("a policy that somebody else wrote", async () => {
    const at = place();
    const file = at.file("home/.config/hallpass/policy.json", "{}");
    chmodSync(file, 0o644);
    chownSync(file, 4711, statSync(file).gid);
    const { part, code } = await examine(at, quick);
    expect(part("policy (operator)")).toMatchObject({ state: "wrong" });
    expect(part("policy (operator)")?.says).toContain("belongs to user 4711, who can change your rules");
    expect(part("policy (operator)")?.remedy).toMatch(/chown \d+ /u);
    expect(code).toBe(1);
  });

  test("a policy that lies in the workspace", async () => {
    const at = place();
    chmodSync(at.file("home/.config/hallpass/policy.json", "{}"), 0o644);
    const { part } = await examine({ ...at, workspace: at.home }, quick);
    expect(part("policy (operator)")).toMatchObject({ state: "wrong" });
    expect(part("policy (operator)")?.says).toContain("lies in the workspace or is reached through it");
  });

  test("for people it is a list with marks, one remedy each, and a last word", async () => {
    const at = place();
    at.file("home/.config/hallpass/policy.json", "{");
    const text = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [program, "doctor"],
        { cwd: at.workspace, env: { PATH: process.env["PATH"] ?? "", HOME: at.home } },
        (_error, out) => resolve(out),
      );
    });
    expect(text).toMatch(/^✓ node /mu);
    expect(text).toMatch(/^– daemon /mu);
    expect(text).toMatch(/^✗ policy \(operator\)[\s\S]*→ fix it/mu);
    expect(text).toMatch(/1 thing is wrong\n$/u);
    expect(text).not.toContain("\u001b");
  });

  test("at a terminal it has colour and fits the window, and with NO_COLOR it has none", async () => {
    const at = place();
    for (const env of [{}, { NO_COLOR: "1" }]) {
      const terminal = startTerminal(["doctor"], { cwd: at.workspace, home: at.home, cols: 60, rows: 60, env });
      cleanups.push(() => terminal.close());
      await terminal.sees(/all is well|wrong$/mu);
      expect(/\u001b\[\d+m/u.test(terminal.raw)).toBe(!("NO_COLOR" in env));
      // A line that is too long would have been broken by the terminal, and go on in the first column.
      for (const text of terminal.screen()) expect(text).toMatch(/^(?:[✓✗–] | {2}|all is well|\d+ things? |$)/u);
    }
  });
});
