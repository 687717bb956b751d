// npm run stall: nobody waits for one client. A whole daemon does the largest things that a client can ask of it, one after the other, while another
// client asks every few milliseconds how it is. Neither may its event loop be held up for more than 50 ms, nor may that client wait so long.
// By the clock, so it wants a quiet machine; `-- --work` counts processor time, as test/server/longest-turn.test.ts does for a part of it.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fillStore } from "../../scripts/fill-store.ts";
import type { AppConnection } from "../../src/wire/connection.ts";
import { routes } from "../../src/wire/http.ts";
import { fetched, fileName, manyFiles, probing, startProbed } from "../support/probed-daemon.ts";

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "100000" },
    files: { type: "string", default: "100000" },
    limit: { type: "string", default: "50" },
    // By processor time alone, for a machine that has much else to do.
    work: { type: "boolean", default: false },
  },
});
const [RECORDS, FILES, LIMIT] = [Number(values.records), Number(values.files), Number(values.limit)];
const [CHATS, SOCKETS, LOADS] = [200, 200, 20];

const root = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-stall-")));
const at = (...names: string[]): string => join(root, ...names);
try {
  process.exitCode = (await measured()) ? 0 : 1;
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}

async function measured(): Promise<boolean> {
  console.log(`making ${RECORDS} records, a directory of ${FILES} names and a workspace of ${FILES} files`);
  await prepare();
  const daemon = await startProbed({ data: at("data"), home: at("home"), by: values.work ? "work" : "clock" });
  try {
    let isWell = true;
    for (const [name, act] of Object.entries(actsOf(daemon.app))) {
      const { loop, probe } = await probing(daemon, act);
      const isOk = loop <= LIMIT && probe <= LIMIT;
      isWell &&= isOk;
      console.log(
        `${isOk ? "ok  " : "LATE"} ${name.padEnd(44)} loop ${loop.toFixed(0).padStart(5)} ms  probe ${probe.toFixed(0).padStart(5)} ms`,
      );
    }
    return isWell;
  } finally {
    await daemon.stop();
  }
}

async function prepare(): Promise<void> {
  for (const dir of ["home/.config/hallpass", "data", "ws", "small", "lib/.git", "lib/many"])
    mkdirSync(at(dir), { recursive: true, mode: 0o700 });
  writeFileSync(at("home/.config/hallpass/policy.json"), JSON.stringify({ ceilings: [root] }));
  writeFileSync(at("small/a.txt"), "a\n");
  manyFiles(at("lib/many"), FILES, "in-one");
  manyFiles(at("ws"), FILES, "as-a-repository");
  await fillStore({ databaseUrl: null, file: at("data/hallpass.db") }, { records: RECORDS, sessions: 100, chats: 0, messages: 0 });
}

function actsOf({ client, subscribe }: AppConnection): Readonly<Record<string, () => Promise<unknown>>> {
  const get = (path: string): Promise<number> => fetched(client, path);
  const chatIn = async (workspace: string): Promise<string> => {
    const session = await client.send(routes.addSession, { body: { workspace: at(workspace) } });
    return (await client.send(routes.addChat, { body: { session: session.id } })).id;
  };
  const say = (chat: string, text: string) => client.send(routes.say, { id: chat, body: { text } });
  const settled = async (chat: string): Promise<void> => {
    while ((await client.send(routes.chat, { id: chat })).status === "running") await sleep(50);
  };
  const talk = async (chat: string, text: string): Promise<void> => {
    await say(chat, text);
    await settled(chat);
  };
  const load = () => Promise.all(["sessions", "chats", "asks?state=open", "grants", "audit"].map(get));
  return {
    "nothing else (for comparison)": () => sleep(1_000),
    "a first chat, which loads what it needs": async () => talk(await chatIn("small"), "read a.txt"),
    "the record, exported": () => get("audit/export"),
    "the survey of a large directory": async () => talk(await chatIn("small"), `read ${at("lib/many", fileName(1))}`),
    "the inventory of a large workspace, twice": async () => {
      const chat = await chatIn("ws");
      await talk(chat, "run `true`");
      await talk(chat, "run `true`");
    },
    [`${CHATS} chats at once`]: async () => {
      const chats: string[] = [];
      for (let number = 0; number < CHATS; number += 1) chats.push(await chatIn("small"));
      await Promise.all(chats.map((chat) => say(chat, "read a.txt")));
      for (const chat of chats) await settled(chat);
    },
    [`${LOADS} page loads at once`]: () => Promise.all(Array.from({ length: LOADS }, load)),
    [`${SOCKETS} sockets that listen to everything`]: async () => {
      const live = Array.from({ length: SOCKETS }, () => {
        let close = (): void => {};
        const ready = new Promise<void>((resolve) => {
          const heard = { chats: "all" as const, connection() {}, frame: () => resolve() };
          const subscription = subscribe(heard);
          close = () => subscription.close();
        });
        return { ready, close };
      });
      await Promise.all(live.map(({ ready }) => ready));
      for (const one of live) one.close();
    },
  };
}
