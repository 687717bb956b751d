// Nobody waits for one client: whatever a client asks for, the daemon's thread lets the others have a turn within 50 ms of its own work. The
// store answers at once, so that without turns of its own a long list, or many chats, would be one piece of work. `npm run stall` measures
// the same on a whole daemon, by the clock.

import { describe, expect, test } from "vitest";
import { recordedEvent } from "../../scripts/fill-store.ts";
import { offlineModel } from "../../src/agent/models/offline.ts";
import { sessionId } from "../../src/core/names.ts";
import { routes } from "../../src/wire/http.ts";
import { longest } from "../support/longest-turn.ts";
import { httpStage, type HttpStage, TOKEN } from "./http-stage.ts";

const LIMIT = 50;
const RECORDS = 10_000;
const ASKS = 120;
const CHATS = 60;

const times = <T>(count: number, make: (number: number) => T): T[] => Array.from({ length: count }, (_, number) => make(number));

/** Nothing of an answer is kept: what the client does with it is not the daemon's work. */
async function drain(stage: HttpStage, path: string): Promise<number> {
  const response = await stage.server.app.fetch(
    new Request(`http://127.0.0.1:${stage.port}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}`, host: `127.0.0.1:${stage.port}` },
    }),
  );
  if (response.body === null) return response.status;
  const reader = response.body.getReader();
  while (!(await reader.read()).done);
  return response.status;
}

/** So many open asks, each for a directory of its own. */
async function askMuch(stage: HttpStage): Promise<void> {
  const { session } = await stage.agent();
  for (let number = 0; number < ASKS; number += 1)
    await stage.server.agent.hosted.ask(
      sessionId(session),
      { call: `c${number}`, tool: "read_file", operation: "read", path: stage.at.path(`many/d${number}/a.txt`) },
      "to read it",
    );
}

describe.skipIf(process.platform !== "linux")("the longest that one client holds up all the others", () => {
  test("the record, exported", async () => {
    const stage = await httpStage();
    await stage.server.store.record(times(RECORDS, (number) => recordedEvent(number, 100)));
    await drain(stage, "/api/health");
    expect(await longest(() => drain(stage, "/api/audit/export"))).toBeLessThan(LIMIT);
  });

  test("a page's first load, and sockets that subscribe to everything, with hundreds of open asks", async () => {
    const stage = await httpStage({
      files: times(ASKS, (number) => [`many/d${number}/.git/`, `many/d${number}/a.txt: x`]).flat(),
      asksPerMinute: 1_000_000,
    });
    await askMuch(stage);
    const load = () => Promise.all(["sessions", "chats", "asks?state=open", "grants"].map((name) => drain(stage, `/api/${name}`)));
    await load();
    expect(await longest(() => Promise.all(times(4, load)))).toBeLessThan(LIMIT);
    let live = 0;
    const listeners = times(10, () =>
      stage.server.hub.connect({ role: "person", browser: null }, { send: () => void (live += 1), unsent: () => 0, end() {} }),
    );
    const subscribe = JSON.stringify({ type: "subscribe", chats: "all" });
    expect(await longest(() => Promise.all(listeners.map((one) => one.receive(subscribe))))).toBeLessThan(LIMIT);
    expect(live).toBeGreaterThanOrEqual(10);
    for (const one of listeners) one.close();
  });

  test("many chats at once, of the built-in agent", async () => {
    const stage = await httpStage({ model: offlineModel() });
    const session = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
    const chats: string[] = [];
    for (let number = 0; number <= CHATS; number += 1)
      chats.push((await stage.client.send(routes.addChat, { body: { session: session.id } })).id);
    const say = async (chat: string): Promise<void> => {
      await stage.client.send(routes.say, { id: chat, body: { text: "read a.txt" } });
    };
    const isIdle = async (chat: string): Promise<boolean> => (await stage.server.store.chat(chat))?.status === "idle";
    const idle = async (some: readonly string[]): Promise<void> => {
      for (const chat of some) while (!(await isIdle(chat))) await new Promise((resolve) => void setTimeout(resolve, 20));
    };
    const [first = "", ...others] = chats;
    // The first one has every phrase compiled that the agent understands.
    const begin = async (): Promise<void> => {
      await say(first);
      await idle([first]);
    };
    expect(await longest(begin)).toBeLessThan(LIMIT);
    expect(
      await longest(async () => {
        const said: Promise<void>[] = [];
        // Many clients, each in a turn of its own: what they do is not the daemon's work.
        for (const chat of others) {
          said.push(say(chat));
          await new Promise((resolve) => void setImmediate(resolve));
        }
        await Promise.all(said);
        await idle(others);
      }),
    ).toBeLessThan(LIMIT);
  });
});
