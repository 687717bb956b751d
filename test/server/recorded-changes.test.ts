// Whatever changes what agents may do is in the record, with who did it: the policy, a rule that was kept, the end of a session.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { httpStage, type HttpStage } from "./http-stage.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const operatorFile = (stage: HttpStage): string => stage.at.path("home/.config/hallpass/policy.json");
const newest = async (stage: HttpStage, limit: number) =>
  (await stage.client.send(routes.audit, { query: { limit } })).records.map(({ event }) => event);

async function granted(stage: HttpStage) {
  const agent = await stage.agent();
  const { json } = await stage.send("/api/agent/asks", {
    method: "POST",
    token: agent.credential,
    body: { call: "c1", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: "to look" },
  });
  const { grant } = await stage.client.send(routes.answer, { id: json.ask.id, body: { decision: "allow" } });
  if (grant === null) throw new Error("nothing was granted");
  return { agent, grant };
}

test("saving the policy is recorded: which file, which text before and after, by whom; a save that fails is not", async () => {
  const stage = await httpStage();
  const before = readFileSync(operatorFile(stage), "utf8");
  const text = `${before}// one more line\n`;
  await stage.client.send(routes.savePolicy, { body: { text, before } });
  const [event] = await newest(stage, 1);
  expect(event).toMatchObject({
    kind: "policy-changed",
    file: operatorFile(stage),
    before: digest(before),
    after: digest(text),
    by: "person (test)",
  });
  await expect(stage.client.send(routes.savePolicy, { body: { text: "{", before: text } })).rejects.toMatchObject({
    code: "invalid-policy",
  });
  await expect(stage.client.send(routes.savePolicy, { body: { text, before: "" } })).rejects.toMatchObject({ code: "stale-path" });
  expect(await newest(stage, 1)).toEqual([event]);
  expect(await stage.server.store.verifyAudit()).toBeNull();
});

test("keeping a grant is recorded once, with its rule; and so is what it did to the policy", async () => {
  const stage = await httpStage();
  const { grant } = await granted(stage);
  const before = readFileSync(operatorFile(stage), "utf8");
  const kept = await stage.client.send(routes.keepGrant, { id: grant.id });
  const after = readFileSync(operatorFile(stage), "utf8");
  const two = await newest(stage, 2);
  expect(two).toMatchObject([
    { kind: "policy-changed", before: digest(before), after: digest(after) },
    { kind: "rule-kept", grant: grant.id, path: stage.at.path("lib"), file: kept.file, line: kept.line, by: "person (test)" },
  ]);
  await stage.client.send(routes.keepGrant, { id: grant.id });
  expect(await newest(stage, 2)).toEqual(two);
});

test("ending a session is recorded once; its grants end, its ask is closed and its credential is nobody's", async () => {
  const stage = await httpStage();
  const { agent, grant } = await granted(stage);
  const other = await stage.send("/api/agent/asks", {
    method: "POST",
    token: agent.credential,
    body: { call: "c2", tool: "Read", operation: "read", path: stage.at.path("other/y.txt"), reason: null },
  });
  expect(await stage.client.send(routes.archiveSession, { id: agent.session, query: { why: "agent-left" } })).toMatchObject({
    allowed_read_paths: [],
  });
  const [event] = await newest(stage, 1);
  expect(event).toMatchObject({ kind: "session-ended", session: agent.session, by: "person (test)", why: "agent-left" });
  expect((await stage.server.store.grant(grant.id as never))?.revokedAt).not.toBeNull();
  expect((await stage.client.send(routes.ask, { id: other.json.ask.id })).state).toBe("closed");
  expect(await stage.send("/api/agent/session", { token: agent.credential })).toMatchObject({ status: 401 });
  await stage.client.send(routes.archiveSession, { id: agent.session, query: {} });
  expect(await newest(stage, 1)).toEqual([event]);
});

const asks = async (stage: HttpStage, agent: { readonly credential: string }, call: string, path: string) =>
  (
    await stage.send("/api/agent/asks", {
      method: "POST",
      token: agent.credential,
      body: { call, tool: "Read", operation: "read", path: stage.at.path(path), reason: "to look" },
    })
  ).json;

test("an answer is recorded as it was given: once, for a time, for the session, for good, no, and no and stop", async () => {
  const stage = await httpStage();
  const plain = { kind: "answer", verdict: "allow", expires: null, stop: false, note: null, by: "person (test)" };
  const later = expect.any(Number);
  const table = [
    [{ decision: "allow_once" }, { ...plain, until: "call" }, null],
    [
      { decision: "allow", minutes: 60 },
      { ...plain, until: "time", expires: later },
      { until: "time", expires: later },
    ],
    [{ decision: "allow" }, { ...plain, until: "session" }, { until: "session", expires: null }],
    [
      { decision: "allow", keep: true },
      { ...plain, until: "always" },
      { until: "session", expires: null },
    ],
    [{ decision: "deny", note: "use ours" }, { ...plain, verdict: "deny", until: null, note: "use ours" }, null],
    [{ decision: "deny_and_stop" }, { ...plain, verdict: "deny", until: null, stop: true }, null],
  ] as const;
  for (const [number, [body, answer, grant]] of table.entries()) {
    // What was kept for good asks nobody again: the rest is about another repository.
    const path = number < 4 ? "lib/go.mod" : "other/y.txt";
    const agent = await stage.agent();
    const { ask } = await asks(stage, agent, `c${number}`, path);
    await stage.client.send(routes.answer, { id: ask.id, body });
    const its = async (kind: string) =>
      (await stage.client.send(routes.audit, { query: { session: agent.session, kind } })).records.map(({ event }) => event);
    expect(await its("answer")).toEqual([{ ...answer, at: later, session: agent.session, ask: ask.id, path: stage.at.path(path) }]);
    expect(await its("grant")).toMatchObject(grant === null ? [] : [{ ...grant, ask: ask.id }]);
  }
});

test("a decision names the ask that was opened for it or that it was put to, and none where nobody was asked", async () => {
  const stage = await httpStage();
  const agent = await stage.agent();
  const decide = (call: string) =>
    stage.send("/api/agent/decide", {
      method: "POST",
      token: agent.credential,
      body: { call, tool: "Read", operation: "read", path: stage.at.path("lib/go.mod") },
    });
  expect((await decide("c0")).json).toMatchObject({ verdict: "ask" });
  const { ask } = await asks(stage, agent, "c1", "lib/go.mod");
  await asks(stage, agent, "c2", "lib/src/x.go");
  await stage.client.send(routes.answer, { id: ask.id, body: { decision: "deny" } });
  await asks(stage, agent, "c3", "lib/go.mod");
  const { records } = await stage.client.send(routes.audit, { query: { session: agent.session, kind: "decision" } });
  expect(records.map(({ event }) => [event["call"], event["verdict"], event["ask"]]).toReversed()).toEqual([
    ["c0", "ask", null],
    ["c1", "ask", ask.id],
    ["c2", "ask", ask.id],
    ["c3", "ask", null],
  ]);
});
