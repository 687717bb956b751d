import { expect, test } from "vitest";
import { httpStage } from "../../test/server/http-stage.ts";
import { sessionId } from "../core/names.ts";
import { routes } from "../wire/http.ts";
import { endExpired, endUncertain } from "./expiry.ts";
import { silentLog } from "./log.ts";

test("a grant whose time is over is ended in the store: a clock that is set back does not revive it", async () => {
  const stage = await httpStage();
  const { store, agent } = stage.server;
  const { credential, session } = await stage.agent();
  const access = { tool: "Read", operation: "read", path: stage.at.path("lib/go.mod") };
  const { json } = await stage.send("/api/agent/asks", {
    method: "POST",
    token: credential,
    body: { ...access, call: "c1", reason: null },
  });
  await stage.client.send(routes.answer, { id: json.ask.id, body: { decision: "allow", minutes: 60 } });
  const decide = async (call: string): Promise<string> =>
    (await stage.send("/api/agent/decide", { method: "POST", token: credential, body: { ...access, call } })).json.verdict;
  expect(await decide("c2")).toBe("allow");
  const look = (clock: () => number) => endExpired({ store, agent, clock, log: silentLog });
  expect(await look(() => Date.now())).toBe(0);
  expect(await look(() => Date.now() + 61 * 60_000)).toBe(1);
  // It is an hour earlier again by now.
  expect(await decide("c3")).toBe("ask");
  // Nobody took it back, and the record does not say so.
  expect(await stage.client.send(routes.audit, { query: { kind: "revocation" } })).toMatchObject({ records: [] });
  expect(await stage.client.send(routes.audit, { query: { kind: "grant-ended" } })).toMatchObject({
    records: [{ event: { session, why: "expired", path: stage.at.path("lib") } }],
  });
  // Nobody has revoked it, and nobody is told so.
  const [chat] = await store.chats(sessionId(session));
  const told = (await store.transcript(chat?.id ?? "")).flatMap((message) => (message.role === "reminder" ? [message.text] : []));
  expect(told).toEqual([`The grant for reading ${stage.at.path("lib")} has ended: its time is over. Ask again if you need it.`]);
});

test("a daemon that finds its clock set back ends the grants that end by a time, and leaves the others", async () => {
  const stage = await httpStage();
  const { store, agent } = stage.server;
  const { credential } = await stage.agent();
  for (const [number, path] of ["lib/go.mod", "other/a.txt"].entries()) {
    const body = { tool: "Read", operation: "read", path: stage.at.path(path), call: `c${number}`, reason: null };
    const { json } = await stage.send("/api/agent/asks", { method: "POST", token: credential, body });
    if (json.ask === undefined) continue;
    await stage.client.send(routes.answer, { id: json.ask.id, body: { decision: "allow", ...(number === 0 ? { minutes: 60 } : {}) } });
  }
  const others = (await store.grants(null)).filter(({ expires }) => expires === null).length;
  const look = (clock: () => number) => endUncertain({ store, agent, clock, log: silentLog });
  expect(await look(() => Date.now())).toBe(0);
  expect(await look(() => Date.now() - 2 * 3_600_000)).toBe(1);
  expect((await store.grants(null)).length).toBe(others);
  const [{ event } = { event: null }] = (await stage.client.send(routes.audit, { query: { kind: "grant-ended" } })).records;
  expect(event).toMatchObject({ why: "clock-set-back", path: stage.at.path("lib") });
});
