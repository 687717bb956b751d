// Two machines on one PostgreSQL, each with files of its own. A yes is judged where the files are: it waits for that machine, is never taken
// for a no, and is settled once the machine is there. The card says which machine it waits for.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { openLeases } from "../../src/server/leases.ts";
import { silentLog } from "../../src/server/log.ts";
import { openPostgresSignals } from "../../src/store/postgres-signals.ts";
import { openPostgresStore } from "../../src/store/postgres.ts";
import type { Frame } from "../../src/wire/frames.ts";
import { routes } from "../../src/wire/http.ts";
import { testPostgres } from "../support/postgres.ts";
import { type HttpStage, httpStage, type StagePlan, TOKEN } from "./http-stage.ts";

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
  const access = (call: string) => ({ call, tool: "Read", operation: "read", path: stage.at.path("lib/go.mod") });
  const ask = async (call: string) => (await send("/api/agent/asks", { ...access(call), reason: "to look" })).json;
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
  "what a path of another machine is, this one does not say: X-ray, explanation, mounts and keeping name the machine",
  async () => {
    const url = await database();
    const box = await machine(url, "build-box");
    const laptop = await machine(url, "laptop");
    const { id, session } = await asked(box);
    await yes(box, id);
    const path = encodeURIComponent(box.at.path("ws"));
    const tree = `/api/sessions/${session}/tree?path=${path}`;
    const post = (to: string, body: object = {}) => laptop.send(to, { method: "POST", body });
    const refused = { status: 409, code: "files-elsewhere" };
    const [grant] = await laptop.client.send(routes.listGrants, {});
    for (const said of [
      await laptop.send(tree),
      await post(`/api/sessions/${session}/explain`, { path: box.at.path("ws/a.txt") }),
      await post(`/api/sessions/${session}/mounts`, { path: laptop.at.path("lib"), mode: "read_only" }),
      await laptop.send(`/api/grants/${grant?.id}/keep`, { method: "POST" }),
    ]) {
      expect(said).toMatchObject(refused);
      expect(said.json.error.message).toContain("build-box");
    }
    expect((await box.send(tree)).status).toBe(200);
    expect(await laptop.client.send(routes.session, { id: session })).toMatchObject({ machine: "build-box" });
    const ended = await laptop.client.send(routes.revoke, { id: grant?.id ?? "" });
    expect(ended).toMatchObject({ allowedBy: null, within: null, unknownOn: "build-box" });
  },
  LIMIT,
);
