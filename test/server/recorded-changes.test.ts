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
