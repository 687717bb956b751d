// Two devices, one ask, the same moment: a thousand times over, on the store that people have.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { httpStage, type Json, TOKEN } from "./http-stage.ts";

const SESSIONS = 25;
const ROOTS = 40;

test("of two answers to one ask exactly one is taken, a thousand times, and nothing is granted twice", { timeout: 240_000 }, async () => {
  const dir = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "hallpass-race-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const roots = Array.from({ length: ROOTS }, (_, at) => `repo-${at}`);
  const stage = await httpStage({
    stored: await openSqliteStore({ file: join(dir, "hallpass.db") }),
    hosts: () => null,
    asksPerMinute: 10_000,
    files: roots.map((root) => `${root}/.git/`),
  });
  const send = async (path: string, body: object, token = TOKEN): Promise<{ readonly status: number; readonly json: Json }> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await stage.server.app.fetch(
      new Request(`http://hallpass${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
    );
    return { status: response.status, json: await response.json() };
  };
  let pairs = 0;
  for (let at = 0; at < SESSIONS; at += 1) {
    const agent = await stage.agent();
    for (const root of roots) {
      const access = { call: root, tool: "Read", operation: "read", path: stage.at.path(`${root}/file`), reason: null };
      const { ask } = (await send("/api/agent/asks", access, agent.credential)).json;
      // Sometimes both say yes, sometimes they differ.
      const second = pairs % 3 === 0 ? "allow" : "deny";
      const answers = await Promise.all(["allow", second].map((decision) => send(`/api/asks/${ask.id}/answer`, { decision })));
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
      const won = answers.find(({ status }) => status === 200)?.json;
      const lost = answers.find(({ status }) => status === 409)?.json;
      expect(lost.error.code).toBe("request-closed");
      expect(lost.ask).toMatchObject({ id: ask.id, state: "answered", answer: won.ask.answer });
      pairs += 1;
    }
    const session = await stage.server.store.session(agent.session as never);
    expect(new Set(session?.allowedReadPaths).size).toBe(session?.allowedReadPaths.length);
  }
  expect(pairs).toBe(1000);
});
