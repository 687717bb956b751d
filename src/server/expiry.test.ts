import { expect, test } from "vitest";
import { httpStage } from "../../test/server/http-stage.ts";
import { routes } from "../wire/http.ts";
import { endExpired, EXPIRED } from "./expiry.ts";
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
  expect(await stage.client.send(routes.audit, { query: { kind: "revocation" } })).toMatchObject({
    records: [{ event: { session, by: EXPIRED } }],
  });
});
