// Two machines on one PostgreSQL, each with files of its own. A yes is judged where the files are: it waits for that machine, is never taken
// for a no, and is settled once the machine is there. The card says which machine it waits for. What only the machine with the files can tell, it tells.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { openLeases } from "../../src/server/leases.ts";
import { silentLog } from "../../src/server/log.ts";
import { openPostgresSignals } from "../../src/store/postgres-signals.ts";
import { openPostgresStore } from "../../src/store/postgres.ts";
import type { Frame } from "../../src/wire/frames.ts";
import { routes } from "../../src/wire/http.ts";
import { testPostgres } from "../support/postgres.ts";
import { type HttpStage, httpStage, type Json, type StagePlan, TOKEN } from "./http-stage.ts";

afterAll(async () => (await testPostgres()).end());

const LIMIT = 120_000;
const soon = { timeout: 60_000 };

/** A daemon of this machine on the shared store. */
async function machine(url: string, name: string, plan: StagePlan = {}): Promise<HttpStage> {
  const stored = await openPostgresStore({ url });
  const shared = {
    signals: await openPostgresSignals({ url }),
    leases: await openLeases({ url, log: silentLog, machine: name, look: 50 }),
  };
  const stage = await httpStage({ stored, storeKind: "postgres", machine: name, shared, ...plan });
  stage.server.start();
  return stage;
}

const database = async (): Promise<string> => (await testPostgres()).createDatabase();

/** An agent on this machine asks to read what is in `lib`. */
async function asked(stage: HttpStage) {
  const agent = await stage.agent();
  const send = (path: string, body: object) => stage.send(path, { method: "POST", token: agent.credential, body });
  const access = (call: string, path = "lib/go.mod") => ({ call, tool: "Read", operation: "read", path: stage.at.path(path) });
  const ask = async (call: string, path?: string) => (await send("/api/agent/asks", { ...access(call, path), reason: "to look" })).json;
  const decide = async (call: string): Promise<string> => (await send("/api/agent/decide", access(call))).json.verdict;
  return { id: (await ask("c1")).ask.id as string, session: agent.session, ask, decide };
}

const yes = (stage: HttpStage, id: string, body: object = { decision: "allow" }) =>
  stage.send(`/api/asks/${id}/answer`, { method: "POST", body });
const shown = (stage: HttpStage, id: string) => stage.client.send(routes.ask, { id });
const answersOf = async (stage: HttpStage) =>
  (await stage.client.send(routes.audit, { query: { kind: "answer" } })).records.map(({ event }) => [event["verdict"], event["by"]]);

function frames(stage: HttpStage): Frame[] {
  const heard: Frame[] = [];
  const socket = stage.server.connect([`hallpass.token.${TOKEN}`]);
  onTestFinished(() => socket.close());
  socket.addEventListener("message", ({ data }) => void heard.push(JSON.parse(String(data)) as Frame));
  socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "subscribe", chats: "all", after: null })));
  return heard;
}

test(
  "a yes on a machine without the files is settled by the machine that has them, as it was given",
  async () => {
    const url = await database();
    const box = await machine(url, "build-box");
    const laptop = await machine(url, "laptop");
    const heard = frames(laptop);
    await expect.poll(() => heard.some(({ type }) => type === "live"), soon).toBe(true);
    const { id, decide } = await asked(box);
    // The card says where the files are, on every screen of the other machine, whoever made it.
    expect(await shown(laptop, id)).toMatchObject({ state: "open", asker: { machine: "build-box" }, waiting: null });
    expect(await shown(box, id)).toMatchObject({ asker: { machine: null } });
    const opened = () => heard.flatMap((frame) => (frame.type === "ask_open" && frame.ask.id === id ? [frame.ask] : []));
    await expect.poll(() => opened().length, soon).toBeGreaterThan(0);
    expect(opened()[0]?.asker.machine).toBe("build-box");
    const said = await yes(laptop, id, { decision: "allow", minutes: 60, digest: opened()[0]?.digest });
    expect(said).toMatchObject({ status: 200, json: { grant: null, ask: { waiting: { machine: "build-box", by: "person (api)" } } } });
    await expect.poll(async () => (await shown(laptop, id)).state, soon).toBe("answered");
    const answer = { verdict: "allow", until: "session", by: "person (api)", at: said.json.ask.waiting.at };
    expect(await shown(laptop, id)).toMatchObject({ answer, refused: null, waiting: null, grant: expect.any(String) });
    expect(await laptop.client.send(routes.listGrants, {})).toMatchObject([
      { path: box.at.path("lib"), machine: "build-box", live: true, expires: expect.any(Number) },
    ]);
    expect(await answersOf(laptop)).toEqual([["allow", "person (api)"]]);
    expect(await decide("c2")).toBe("allow");
    const settled = () => heard.flatMap((frame) => (frame.type === "ask_settled" ? [frame.ask.asker.machine] : []));
    await expect.poll(settled, soon).toEqual(["build-box"]);
  },
  LIMIT,
);

test(
  "where that machine is offline the card says so and waits; a second yes is refused, and it is settled when the machine is back",
  async () => {
    const url = await database();
    const box = await machine(url, "build-box");
    const { id, session } = await asked(box);
    const laptop = await machine(url, "laptop");
    await box.server.close();
    await expect
      .poll(
        async () => (await shown(laptop, id)).waiting ?? (await yes(laptop, id, { decision: "allow", keep: true })).json.ask.waiting,
        soon,
      )
      .not.toBeNull();
    const waiting = async () => (await shown(laptop, id)).waiting;
    await expect.poll(waiting, soon).toMatchObject({ machine: "build-box", isThere: false });
    const { card, state, answer } = await shown(laptop, id);
    expect([state, answer]).toEqual(["open", null]);
    const fact = card.facts.find(({ kind }) => kind === "waiting")?.parts.map(({ text }) => text);
    expect(fact?.join("")).toContain("build-box is offline; it will be settled when it is back");
    // A yes cannot be given twice; a no takes it back, and is offered.
    expect(card.choices.map(({ grants }) => grants)).toEqual([false, false]);
    expect(await yes(laptop, id)).toMatchObject({ status: 409, code: "files-elsewhere" });
    expect(await answersOf(laptop)).toEqual([]);
    const back = await machine(url, "build-box", { home: box.at.path("home") });
    await expect.poll(async () => (await shown(laptop, id)).state, soon).toBe("answered");
    expect(await shown(back, id)).toMatchObject({ answer: { verdict: "allow" }, refused: null });
    expect((await back.client.send(routes.session, { id: session })).allowed_read_paths).toEqual([box.at.path("lib")]);
    // It was to be kept: the rule is written where it holds.
    await expect.poll(() => back.client.send(routes.listKeptRules, {}), soon).toMatchObject([{ path: `${box.at.path("lib")}/**` }]);
    expect(await laptop.client.send(routes.listKeptRules, {})).toEqual([]);
  },
  LIMIT,
);

test(
  "a no given while a yes waits stands, and the machine that comes back grants nothing",
  async () => {
    const url = await database();
    const box = await machine(url, "build-box");
    const [{ id }, { id: other }] = [await asked(box), await asked(box)];
    const laptop = await machine(url, "laptop");
    await box.server.close();
    expect((await yes(laptop, id)).json.ask).toMatchObject({ state: "open", waiting: { machine: "build-box" } });
    expect(await yes(laptop, id, { decision: "deny" })).toMatchObject({ status: 200, json: { ask: { state: "answered" } } });
    const back = await machine(url, "build-box", { home: box.at.path("home") });
    await yes(laptop, other);
    await expect.poll(async () => (await shown(laptop, other)).state, soon).toBe("answered");
    expect(await shown(back, id)).toMatchObject({ answer: { verdict: "deny" }, grant: null });
  },
  LIMIT,
);

test(
  "a yes that waited for what is another directory by then comes to nothing, and is stored as a yes",
  async () => {
    const url = await database();
    const box = await machine(url, "build-box");
    const { id } = await asked(box);
    const laptop = await machine(url, "laptop");
    await box.server.close();
    await yes(laptop, id);
    renameSync(box.at.path("lib"), box.at.path("was-lib"));
    mkdirSync(box.at.path("lib/.git"), { recursive: true });
    writeFileSync(box.at.path("lib/go.mod"), "another");
    await machine(url, "build-box", { home: box.at.path("home") });
    await expect.poll(async () => (await shown(laptop, id)).state, soon).toBe("answered");
    expect(await shown(laptop, id)).toMatchObject({ answer: { verdict: "allow" }, grant: null, refused: "grant-changed" });
    expect(await answersOf(laptop)).toEqual([["allow", "person (api)"]]);
  },
  LIMIT,
);

test(
  "the X-ray of another machine's ask is served by that machine; mounting and keeping name it",
  async () => {
    const url = await database();
    const box = await machine(url, "build-box", {
      files: ["mono/.git/", "mono/top.txt", "mono/packages/ui/package.json: {}", "mono/.env"],
    });
    const laptop = await machine(url, "laptop");
    const { session, ask } = await asked(box);
    const opened = (await ask("c2", "mono/packages/ui/package.json")).ask.id as string;
    const looks = {
      workspace: `tree?path=${encodeURIComponent(box.at.path("ws"))}`,
      proposed: `tree?path=${encodeURIComponent(box.at.path("mono/packages/ui"))}&ask=${opened}&limit=10`,
      repository: `tree?path=${encodeURIComponent(box.at.path("mono"))}&ask=${opened}&opens=repository`,
      beyond: `tree?path=${encodeURIComponent(box.at.path("mono"))}&ask=${opened}`,
      outside: `tree?path=${encodeURIComponent(box.at.path("other"))}`,
      foreign: `tree?path=${encodeURIComponent(laptop.at.path("ws"))}`,
      completion: "complete?prefix=a",
    };
    for (const [name, look] of Object.entries(looks)) {
      const [there, here] = await Promise.all([box, laptop].map((stage) => stage.send(`/api/sessions/${session}/${look}`)));
      expect([name, here?.status, here?.json]).toEqual([name, there?.status, there?.json]);
      expect([name, here?.status]).toEqual([name, ["beyond", "outside", "foreign"].includes(name) ? 403 : 200]);
    }
    const wide = (await laptop.send(`/api/sessions/${session}/${looks.repository}`)).json.entries;
    expect(wide.map(({ name, state }: Json) => [name, state])).toEqual([
      [".git", "readable"],
      ["packages", "readable"],
      [".env", "withheld"],
      ["top.txt", "readable"],
    ]);
    const post = (to: string, body: object = {}) => laptop.send(to, { method: "POST", body });
    const explained = await post(`/api/sessions/${session}/explain`, { path: box.at.path("ws/a.txt") });
    expect(explained).toMatchObject({ status: 200, json: { verdict: "allow", real: box.at.path("ws/a.txt") } });
    await yes(box, opened);
    const [grant] = await laptop.client.send(routes.listGrants, {});
    for (const said of [
      await post(`/api/sessions/${session}/mounts`, { path: laptop.at.path("lib"), mode: "read_only" }),
      await laptop.send(`/api/grants/${grant?.id}/keep`, { method: "POST" }),
    ]) {
      expect(said).toMatchObject({ status: 409, code: "files-elsewhere" });
      expect(said.json.error.message).toContain("build-box");
    }
    expect(await laptop.client.send(routes.session, { id: session })).toMatchObject({ machine: "build-box" });
    const ended = await laptop.client.send(routes.revoke, { id: grant?.id ?? "" });
    expect(ended).toMatchObject({ allowedBy: null, within: null, unknownOn: "build-box" });
    // Nobody is left to look: that is said, at once and by name.
    await box.server.close();
    const away = async () => (await laptop.send(`/api/sessions/${session}/${looks.workspace}`)).json.error?.message;
    await expect.poll(away, soon).toContain("`build-box`, which is offline");
  },
  LIMIT,
);

test(
  "the change that a write would make is shown on every machine, as the file is where it is",
  async () => {
    const url = await database();
    const box = await machine(url, "build-box", { policy: { write: { "a.txt": "ask" } } });
    const laptop = await machine(url, "laptop");
    const { credential } = await box.agent();
    const path = box.at.path("ws/a.txt");
    const body = {
      call: "w1",
      tool: "Write",
      operation: "replace",
      path,
      reason: null,
      writes: [{ what: "whole", path, content: "new\n" }],
    };
    const raised = await box.send("/api/agent/asks", { method: "POST", token: credential, body });
    const { id } = raised.json.ask;
    const there = await shown(box, id);
    expect(there).toMatchObject({ changes: [{ path, does: "overwrites", unshown: null }], diff: expect.stringContaining("-inside") });
    expect(await shown(laptop, id)).toMatchObject({ diff: there.diff, changes: there.changes });
    await box.server.close();
    const changes = async () => (await shown(laptop, id)).changes;
    await expect.poll(changes, soon).toEqual([{ path, does: "unknown", unshown: "elsewhere" }]);
    const said = (await shown(laptop, id)).card.facts.find(({ kind }) => kind === "change");
    expect([said?.weight, said?.parts.map(({ text }) => text).join("")]).toEqual(["warn", expect.stringContaining("does not answer now")]);
  },
  LIMIT,
);
