// The door from both sides: what the daemon has fits, what is written is read, and what has not shown the token learns nothing.

import { dirname } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { memoryDesk } from "../../../test/hook/door-server.ts";
import { tree } from "../../../test/tree.ts";
import type { Hosted } from "../../agent/hosted.ts";
import { placeOf } from "../../server/daemon-place.ts";
import { createHookDoor, type HookDesk } from "./at-daemon.ts";
import { doorFile, doorLine, parseDoor, wordsFromHttp, wordsToHttp } from "./door.ts";

const door = { port: 7777, token: "t".repeat(32), proof: "p".repeat(32) };

test("the agent's hosted sessions are a desk for hooks", () => {
  const fits = (hosted: Hosted): HookDesk => hosted;
  expect(fits).toBeTypeOf("function");
});

test.each([
  { home: "/home/ada", env: {}, platform: "linux" as const },
  { home: "/home/ada", env: { XDG_DATA_HOME: "/data" }, platform: "linux" as const },
  { home: "/home/ada", env: { XDG_DATA_HOME: "relative" }, platform: "linux" as const },
  { home: "/home/ada", env: { HALLPASS_DATA: "/elsewhere" }, platform: "linux" as const },
  { home: "/Users/ada", env: {}, platform: "darwin" as const },
])("the door file is in the daemon's own directory: %j", (around) => {
  expect(dirname(doorFile(around))).toBe(placeOf(around).dir);
});

describe("the line in the file", () => {
  test("is read as it was written", () => expect(parseDoor(doorLine(door))).toEqual(door));
  test.each([
    "",
    "7777",
    "7777 a b\n",
    doorLine({ ...door, port: 99_999 }),
    doorLine({ ...door, proof: door.token }),
    `${doorLine(door)}more`,
    ` ${doorLine(door)}`,
  ])("%j is no door", (text) => expect(parseDoor(text)).toBeNull());
});

describe("an answer", () => {
  test.each([
    { exit: 0 as const, stdout: "{}\n" },
    { exit: 0 as const, stdout: "" },
    { exit: 2 as const, stderr: "no – ü\n" },
  ])("%j comes back as it was", (words) => {
    expect(wordsFromHttp({ status: 200, ...wordsToHttp(words, door.proof) }, door.proof)).toEqual(words);
  });
  test("without the proof, with another, cut short, or a block without a word is none", () => {
    const good = { status: 200, ...wordsToHttp({ exit: 0, stdout: "{}" }, door.proof) };
    expect(wordsFromHttp(good, "other")).toBeNull();
    expect(wordsFromHttp({ ...good, status: 500 }, door.proof)).toBeNull();
    expect(wordsFromHttp({ ...good, body: "{" }, door.proof)).toBeNull();
    expect(wordsFromHttp({ ...good, headers: { ...good.headers, "x-hallpass-exit": "1" } }, door.proof)).toBeNull();
    expect(wordsFromHttp({ status: 200, ...wordsToHttp({ exit: 2, stderr: " " }, door.proof) }, door.proof)).toBeNull();
  });
});

describe("the handler", () => {
  const failing: HookDesk = {
    register: () => Promise.reject(new Error("the store is gone")),
    decide: () => Promise.reject(new Error("unreachable")),
    ask: () => Promise.reject(new Error("unreachable")),
  };
  const handle = createHookDoor({ desk: failing, door, home: "/home/ada", settled: async () => undefined, ids: () => "id" });
  const asked = (host: string, payload: string, authorization: string | null) =>
    handle({
      host,
      payload,
      header: (name) => (name === "authorization" ? authorization : name === "x-hallpass-workspace" ? "/home/ada/app" : null),
    });
  const call = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "a" }, session_id: "s" });

  test("says nothing, and no proof, to whoever has not the token", async () => {
    for (const authorization of [null, "", "Bearer x", `Bearer ${door.proof}`]) {
      const { status, headers, body } = await asked("claude-code", call, authorization);
      expect([status, body, JSON.stringify(headers).includes(door.proof)]).toEqual([401, "", false]);
    }
    expect((await asked("emacs", call, `Bearer ${door.token}`)).status).toBe(404);
    expect((await asked("codex", "x".repeat(2 ** 21), `Bearer ${door.token}`)).status).toBe(413);
  });

  test("judges the first access in the session as it was just read, and reads it again for every other", async () => {
    const at = tree(["home/app/a.txt", "home/app/b.txt"]);
    onTestFinished(() => at.remove());
    const { desk } = memoryDesk(at.path("home"), [], []);
    const seen: string[] = [];
    const watched: HookDesk = {
      ...desk,
      decide: (session, access) => {
        seen.push(typeof session === "string" ? "by name" : "as read");
        return desk.decide(session, access);
      },
    };
    const answer = createHookDoor({ desk: watched, door, home: at.path("home"), settled: async () => undefined, ids: () => "id" });
    const headers: Readonly<Record<string, string>> = {
      authorization: `Bearer ${door.token}`,
      "x-hallpass-workspace": at.path("home/app"),
    };
    const payload = JSON.stringify({
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "cat a.txt b.txt" },
      session_id: "s",
      cwd: at.path("home/app"),
    });
    for (const _ of [1, 2]) {
      seen.length = 0;
      const said = await answer({ host: "claude-code", payload, header: (name) => headers[name] ?? null });
      expect(wordsFromHttp(said, door.proof)).toMatchObject({ exit: 0 });
      expect(seen.length).toBeGreaterThan(1);
      expect(seen).toEqual(["as read", ...seen.slice(1).map(() => "by name")]);
    }
  });

  test("a path that a call names twice uses a yes for once a single time, and the host is told that it was for once", async () => {
    const at = tree(["home/app/a.txt"]);
    onTestFinished(() => at.remove());
    const { desk } = memoryDesk(at.path("home"), [], []);
    let uses = 0;
    const once: HookDesk = {
      ...desk,
      async decide(session, access) {
        if ((uses += 1) > 1) throw new Error("it was used before");
        const decision = await desk.decide(session, access);
        return decision.verdict === "allow" ? { ...decision, reason: "answered" } : decision;
      },
    };
    const answer = createHookDoor({ desk: once, door, home: at.path("home"), settled: async () => undefined, ids: () => "id" });
    const headers: Readonly<Record<string, string>> = {
      authorization: `Bearer ${door.token}`,
      "x-hallpass-workspace": at.path("home/app"),
    };
    const path = at.path("home/app/a.txt");
    const tool_input = { file_path: path, also: path };
    const payload = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Read", tool_input, session_id: "s" });
    const said = wordsFromHttp(await answer({ host: "claude-code", payload, header: (name) => headers[name] ?? null }), door.proof);
    expect([uses, JSON.stringify(said)]).toEqual([1, expect.stringContaining("for this once")]);
  });

  test("blocks in the host's own way when anything behind it fails", async () => {
    for (const payload of [call, "not JSON", "{}"]) {
      const answer = await asked("claude-code", payload, `Bearer ${door.token}`);
      expect(wordsFromHttp(answer, door.proof)).toMatchObject({ exit: 2, stderr: expect.stringContaining("hook-failed") });
    }
  });
});
