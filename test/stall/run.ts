// npm run stall: nobody waits for one client. A whole daemon does the largest things that a client can ask of it, one after the other, while another
// client asks every few milliseconds how it is. Neither may its event loop be held up for more than 50 ms, nor may that client wait so long.
// By the clock, so it wants a quiet machine; `-- --work` counts processor time, as test/server/longest-turn.test.ts does for a part of it.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectDaemon } from "../../src/cli/daemon-connection.ts";
import { openStore } from "../../src/store/open.ts";
import type { AppConnection } from "../../src/wire/connection.ts";
import { routes } from "../../src/wire/http.ts";
import { recordMany } from "../support/many-records.ts";

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
const PROBE = 5;
const FIRST = "a first chat, which loads what it needs";

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
  const daemon = await start();
  try {
    let isWell = true;
    for (const [name, act] of Object.entries(actsOf(daemon.app))) {
      await daemon.longest();
      const waited = await probing(daemon.address, daemon.app.client.token, act);
      const held = await daemon.longest();
      // What is loaded once for the first chat is told, and not judged: nobody can be held up by it a second time.
      const isOk = name === FIRST || (held <= LIMIT && (values.work || waited <= LIMIT));
      isWell &&= isOk;
      console.log(
        `${isOk ? "ok  " : "LATE"} ${name.padEnd(44)} loop ${held.toFixed(0).padStart(5)} ms  probe ${waited.toFixed(0).padStart(5)} ms`,
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
  const touch = (count: number): string => `seq -f 'name-%06.0f.txt' ${count} | xargs touch`;
  execFileSync("sh", ["-c", touch(FILES)], { cwd: at("lib/many") });
  execFileSync("sh", ["-c", `for d in $(seq 100); do mkdir d$d && (cd d$d && ${touch(FILES / 100)}); done`], { cwd: at("ws") });
  const store = await openStore({ databaseUrl: null, file: at("data/hallpass.db") });
  await recordMany(store, RECORDS);
  await store.close();
}

interface Running {
  readonly app: AppConnection;
  readonly address: string;
  /** The longest that the event loop was held up since this was last asked. */
  longest(): Promise<number>;
  stop(): Promise<void>;
}

async function start(): Promise<Running> {
  const program = join(import.meta.dirname, "../../bin/hallpass.js");
  const words = [
    "--import",
    join(import.meta.dirname, "loop-delay.mjs"),
    program,
    "serve",
    "--link",
    "--no-open",
    "--port",
    "0",
    "--data",
    at("data"),
  ];
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env["PATH"], HOME: at("home"), CI: "1", HALLPASS_STALL: values.work ? "work" : "clock" },
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  const ended = once(child, "exit");
  let said = "";
  const [, address = "", token = ""] = await new Promise<RegExpExecArray>((resolve, reject) => {
    child.stdout?.on("data", (text: Buffer) => {
      said += text.toString();
      const match = /(https?:\/\/\S+)\/#token=([^\s&]+)/.exec(said);
      if (match !== null) resolve(match);
    });
    child.on("exit", () => reject(new Error(`the daemon did not start: ${said}`)));
  });
  const app = connectDaemon({ address, token, socketPath: null }, "test");
  return {
    app,
    address,
    async longest() {
      child.send("longest");
      const [message]: unknown[] = await once(child, "message");
      if (typeof message !== "object" || message === null || !("longest" in message)) throw new Error("the daemon said something else");
      return Number(message.longest);
    },
    async stop() {
      await app.close();
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** What is done while `act` is: one question after the other. Gives the longest that one of them waited. */
async function probing(address: string, token: string, act: () => Promise<unknown>): Promise<number> {
  const over = new AbortController();
  let most = 0;
  const probes = (async () => {
    while (!over.signal.aborted) {
      const began = performance.now();
      await fetched(`${address}/api/health`, token);
      most = Math.max(most, performance.now() - began);
      await sleep(PROBE);
    }
  })();
  await act();
  over.abort();
  await probes;
  return most;
}

/** A request whose answer nobody keeps: what this process does with it must not look like the daemon's work. */
function fetched(url: string, token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.on("end", resolve).on("error", reject).resume();
    });
    asked.on("error", reject).end();
  });
}

function actsOf({ client, subscribe }: AppConnection): Readonly<Record<string, () => Promise<unknown>>> {
  const get = (path: string): Promise<void> => fetched(`${client.address}/api/${path}`, client.token);
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
    [FIRST]: async () => talk(await chatIn("small"), "read a.txt"),
    "the record, exported": () => get("audit/export"),
    "the survey of a large directory": async () => talk(await chatIn("small"), `read ${at("lib/many/name-000001.txt")}`),
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
