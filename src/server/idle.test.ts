import { expect, test } from "vitest";
import { routes } from "../wire/http.ts";
import { httpStage } from "../../test/server/http-stage.ts";
import { endIdle } from "./idle.ts";
import { silentLog } from "./log.ts";

test("a session that its agent left without a word ends after the time its policy says; one in use, listened to, or a person's own stays", async () => {
  const stage = await httpStage({ policy: { sessions: { idle_hours: 2 } } });
  const { store, agent, hub } = stage.server;
  const [left, used, heard] = [await stage.agent(), await stage.agent(), await stage.agent()];
  const own = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
  const listening = hub.connect({ role: "person", browser: null }, { send() {}, unsent: () => 0, end() {} });
  await listening.receive(JSON.stringify({ type: "subscribe", chats: [heard.chat], after: null }));
  const { json } = await stage.send("/api/agent/asks", {
    method: "POST",
    token: left.credential,
    body: { call: "c1", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: null },
  });
  const later = Date.now() + 2 * 60 * 60_000 + 60_000;
  const reading = { kind: "open-failed", at: later - 1000, session: used.session, call: "c", requested: "x", code: "not-found" } as never;
  await store.record([reading]);
  const { policyFor } = stage.server;
  const look = (clock: () => number, machine = "local") => endIdle({ store, agent, hub, clock, log: silentLog, machine, policyFor });
  expect(await look(() => Date.now())).toBe(0);
  expect(await look(() => later, "another")).toBe(0);
  expect(await look(() => later)).toBe(1);
  const open = await stage.client.send(routes.listSessions, { query: { archived: "false" } });
  expect(open.map(({ id }) => id).toSorted()).toEqual([used.session, heard.session, own.id].toSorted());
  expect(await stage.client.send(routes.ask, { id: json.ask.id })).toMatchObject({ state: "closed", closed: "idle" });
  const { records } = await stage.client.send(routes.audit, { query: { kind: "session-ended" } });
  expect(records).toMatchObject([{ event: { session: left.session, by: "hallpass", why: "idle" } }]);
  listening.close();
  expect(await look(() => later)).toBe(1);
});

test("a session is in use while an agent below it is; with it they end", async () => {
  const stage = await httpStage({ policy: { sessions: { idle_hours: 2 } } });
  const { store, agent, hub, policyFor } = stage.server;
  const plan = { host: "claude-code", workspace: stage.at.path("ws"), attended: true };
  const { session: first } = await agent.hosted.register({ ...plan, hostSession: "run" });
  const { session: below } = await agent.hosted.register({ ...plan, hostSession: "run/a", parent: first.id });
  const later = Date.now() + 2 * 60 * 60_000 + 60_000;
  const reading = { kind: "open-failed", at: later - 1000, session: below.id, call: "c", requested: "x", code: "not-found" } as never;
  await store.record([reading]);
  const look = (now: number) => endIdle({ store, agent, hub, clock: () => now, log: silentLog, machine: "local", policyFor });
  const open = async () => (await stage.client.send(routes.listSessions, { query: { archived: "false" } })).length;
  expect([await look(later), await open()]).toEqual([0, 2]);
  expect([await look(later + 2 * 60 * 60_000), await open()]).toEqual([2, 0]);
});
