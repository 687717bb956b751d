// npm run skew: what is promised about "once", about the end of a grant and about the order of the record holds whatever the clocks say. Two
// instances on one PostgreSQL whose clocks are half a second to a day apart, in both directions; and one daemon on SQLite whose clock is set
// forward and back while it runs and while it is stopped. The clocks are libfaketime's (Debian: faketime), which leaves the time that passes alone.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectDaemon } from "../../src/cli/daemon-connection.ts";
import { openPostgresStore } from "../../src/store/postgres.ts";
import type { Client } from "../../src/wire/client.ts";
import { createClient } from "../../src/wire/client.ts";
import type { AppConnection } from "../../src/wire/connection.ts";
import { routes } from "../../src/wire/http.ts";
import { startPostgres } from "../support/postgres.ts";

const library = faketime();
if (library === null) {
  console.log("skipped: libfaketime is not here and could not be installed (Debian: apt-get install faketime)");
  process.exit(0);
}

const SECOND = 1000;
const [HOUR, DAY] = [3_600_000, 86_400_000];
const TOKEN = "S".repeat(43);
const root = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-skew-")));
const at = (...names: string[]): string => join(root, ...names);
const access = { tool: "Read", operation: "read" as const, path: at("lib/a.txt") };
const children = new Set<ChildProcess>();
let [failures, calls] = [0, 0];

function check(what: string, got: unknown, wanted: unknown): void {
  const isOk = JSON.stringify(got) === JSON.stringify(wanted);
  if (!isOk) failures += 1;
  console.log(`${isOk ? "ok  " : "FAIL"} ${what}${isOk ? "" : `: ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`}`);
}

try {
  mkdirSync(at("home/.config/hallpass"), { recursive: true });
  writeFileSync(at("home/.config/hallpass/policy.json"), JSON.stringify({ ceilings: [root] }));
  for (const dir of ["ws", "lib/.git"]) mkdirSync(at(dir), { recursive: true });
  writeFileSync(at("lib/a.txt"), "a\n");
  await betweenInstances();
  await oneDaemon();
  process.exitCode = failures === 0 ? 0 : 1;
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}

interface Instance {
  readonly app: AppConnection;
  /** From now on its machine's clock is so many milliseconds off. */
  setClock(off: number): void;
  stop(): Promise<void>;
}

async function start(name: string, off: number, env: Readonly<Record<string, string>> = {}): Promise<Instance> {
  const file = at(`${name}.time`);
  const setClock = (milliseconds: number): void => writeFileSync(file, `${milliseconds < 0 ? "" : "+"}${milliseconds / SECOND}s\n`);
  setClock(off);
  const program = join(import.meta.dirname, "../../bin/hallpass.js");
  const words = ["serve", "--no-open", "--link", "--port", "0", "--machine", "one", "--asks-per-minute", "10000", "--data", at(name)];
  const child: ChildProcess = spawn(process.execPath, [program, ...words], {
    env: {
      PATH: process.env["PATH"],
      HOME: at("home"),
      CI: "1",
      HALLPASS_TOKEN: TOKEN,
      LD_PRELOAD: library ?? "",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  child.on("exit", () => children.delete(child));
  let errors = "";
  child.stderr?.on("data", (text: Buffer) => (errors += text.toString()));
  const ended = once(child, "exit");
  const address = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout?.on("data", (text: Buffer) => {
      said += text.toString();
      const found = /(https?:\/\/\S+)\/#token=/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on("exit", () => reject(new Error(`the daemon ended: ${errors}`)));
  });
  const app = connectDaemon({ address, token: TOKEN, socketPath: null }, "test");
  return {
    app,
    setClock,
    async stop() {
      await app.close();
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** A new agent in a session of its own; `by` is its client at an instance. */
async function newAgent({ app }: Instance) {
  calls += 1;
  const body = { host: "test", hostSession: `run-${calls}`, workspace: at("ws") };
  const { credential, session } = await app.client.send(routes.register, { body });
  const by = (instance: Instance): Client =>
    createClient({ address: instance.app.client.address, token: credential, fetch: instance.app.fetch, via: "test" });
  return { by, session: session.id };
}

async function decide(client: Client, call: string): Promise<string> {
  return (await client.send(routes.decide, { body: { ...access, call } })).verdict;
}

async function ask(client: Client, call: string): Promise<string> {
  const asked = await client.send(routes.agentAsk, { body: { ...access, call, reason: null } });
  if (asked.state !== "waiting") throw new Error("nothing was asked");
  return asked.ask.id;
}

async function betweenInstances(): Promise<void> {
  const postgres = await startPostgres();
  try {
    for (const apart of [0, SECOND / 2, 3 * SECOND, HOUR, DAY].flatMap((one) => (one === 0 ? [0] : [one, -one]))) {
      const url = await postgres.createDatabase();
      const env = { HALLPASS_DATABASE_URL: url };
      const [here, there] = [await start("here", 0, env), await start("there", apart, env)];
      const named = (what: string): string => `${String(apart / SECOND).padStart(7)} s apart: ${what}`;
      for (const [answers, uses] of [
        [here, there],
        [there, here],
      ] as const) {
        const way = answers === here ? "" : ", the other way";
        const { by } = await newAgent(answers);
        await answers.app.client.send(routes.answer, { id: await ask(by(answers), "one"), body: { decision: "allow_once" } });
        const verdicts: string[] = [];
        for (let time = 0; time < 4; time += 1) verdicts.push(await decide(by(time % 2 === 0 ? uses : answers), "one"));
        check(named(`a yes for once is used once${way}`), verdicts, ["allow", "ask", "ask", "ask"]);
        const second = await newAgent(answers);
        const id = await ask(second.by(answers), "two");
        const { grant } = await answers.app.client.send(routes.answer, { id, body: { decision: "allow", minutes: 60 } });
        check(
          named(`a grant for an hour counts at both${way}`),
          [await decide(second.by(uses), "a"), await decide(second.by(answers), "b")],
          ["allow", "allow"],
        );
        if (grant !== null) await uses.app.client.send(routes.revoke, { id: grant.id });
        check(
          named(`revoked elsewhere it is gone at both${way}`),
          [await decide(second.by(answers), "c"), await decide(second.by(uses), "d")],
          ["ask", "ask"],
        );
      }
      const { records } = await here.app.client.send(routes.audit, { query: { limit: 500 } });
      const times = records.toReversed().map(({ event }) => event.at);
      check(
        named("the record's times are in its order, by one clock"),
        times.every((one, index) => one >= (times[index - 1] ?? 0) - SECOND),
        true,
      );
      await Promise.all([here.stop(), there.stop()]);
      const store = await openPostgresStore({ url });
      check(named("the chain is whole"), await store.verifyAudit(), null);
      await store.close();
    }
  } finally {
    await postgres.end();
  }
}

async function oneDaemon(): Promise<void> {
  let daemon = await start("data", 0);
  const granted = async (minutes: number): Promise<Client> => {
    const { by } = await newAgent(daemon);
    await daemon.app.client.send(routes.answer, { id: await ask(by(daemon), "ask"), body: { decision: "allow", minutes } });
    return by(daemon);
  };
  for (const back of [SECOND / 2, 2 * HOUR, DAY]) {
    daemon.setClock(0);
    const { by } = await newAgent(daemon);
    await daemon.app.client.send(routes.answer, { id: await ask(by(daemon), "one"), body: { decision: "allow_once" } });
    const verdicts = [await decide(by(daemon), "one")];
    daemon.setClock(-back);
    for (let time = 0; time < 3; time += 1) verdicts.push(await decide(by(daemon), "one"));
    check(`set back ${back / SECOND} s: a yes for once is used once`, verdicts, ["allow", "ask", "ask", "ask"]);
  }
  daemon.setClock(0);
  const hour = await granted(60);
  daemon.setClock(59 * 60 * SECOND);
  check("a grant for an hour counts after 59 minutes", await decide(hour, "a"), "allow");
  daemon.setClock(62 * 60 * SECOND);
  check("and not after 62", await decide(hour, "b"), "ask");
  daemon.setClock(-DAY);
  check("nor when the clock is set back a day", await decide(hour, "c"), "ask");
  await sleep(100);
  await granted(60);
  await daemon.stop();
  daemon = await start("data", -2 * DAY);
  const { length } = await daemon.app.client.send(routes.listGrants, {});
  check("started again with a clock that is two days behind, no grant that ends by a time is left", length, 0);
  await daemon.stop();
}

/** libfaketime, installed where that may be done. */
function faketime(): string | null {
  const find = (): string | null => {
    const dirs = existsSync("/usr/lib") ? readdirSync("/usr/lib").map((name) => `/usr/lib/${name}/faketime`) : [];
    return [...dirs, "/usr/local/lib/faketime"].map((dir) => `${dir}/libfaketimeMT.so.1`).find((file) => existsSync(file)) ?? null;
  };
  const isDebian = existsSync("/etc/debian_version") && readFileSync("/etc/debian_version", "utf8") !== "";
  if (find() === null && isDebian && process.getuid?.() === 0) spawnSync("apt-get", ["install", "-y", "faketime"], { stdio: "ignore" });
  return find();
}
