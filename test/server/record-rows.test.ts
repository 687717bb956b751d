// Every row of the record says what it is about: whose agent, in which workspace, which path, and the ask that has the card. A row of each kind
// is brought about here, and found by its path.

import { renameSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { endExpired } from "../../src/server/expiry.ts";
import { silentLog } from "../../src/server/log.ts";
import { auditKinds } from "../../src/core/audit.ts";
import { askId } from "../../src/core/names.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireRecord } from "../../src/wire/audit-routes.ts";
import { httpStage, type HttpStage } from "./http-stage.ts";

async function openAsk(stage: HttpStage, credential: string, path: string): Promise<string> {
  const body = { call: `c-${path}-${Math.random()}`, tool: "Read", operation: "read", path: stage.at.path(path), reason: "to look" };
  return (await stage.send("/api/agent/asks", { method: "POST", token: credential, body })).json.ask.id;
}

const search = async (stage: HttpStage, query: { path?: string; session?: string; kind?: string }): Promise<readonly WireRecord[]> =>
  (await stage.client.send(routes.audit, { query: { ...query, limit: 1000 } })).records.toReversed();

test("an answer, a grant, a refused yes, a closed ask and every end of a grant: each with its path, its agent and its ask", async () => {
  const stage = await httpStage();
  const { store, agent: loop } = stage.server;
  const { credential, session } = await stage.agent();
  const answer = (id: string, body: object) => stage.client.send(routes.answer, { id, body: body as never });
  // Allowed, then revoked; allowed for an hour, then over; no.
  const first = await openAsk(stage, credential, "lib/go.mod");
  const { grant } = await answer(first, { decision: "allow" });
  await stage.client.send(routes.revoke, { id: grant?.id ?? "" });
  const timed = await openAsk(stage, credential, "lib/go.mod");
  await answer(timed, { decision: "allow", minutes: 60 });
  await endExpired({ store, agent: loop, clock: () => Date.now() + 61 * 60_000, log: silentLog });
  const denied = await openAsk(stage, credential, "lib/go.mod");
  await answer(denied, { decision: "deny", note: "use ours" });
  const lib = stage.at.path("lib");
  const file = stage.at.path("lib/go.mod");
  const rows = (await search(stage, { path: lib, session })).map(({ event }) => event);
  expect(rows.filter(({ kind }) => kind !== "decision")).toMatchObject([
    { kind: "answer", verdict: "allow", until: "session", path: file, ask: first },
    { kind: "grant", path: lib, ask: first },
    { kind: "revocation", path: lib, ask: first, by: "person (test)" },
    { kind: "answer", verdict: "allow", until: "time", path: file, ask: timed },
    { kind: "grant", path: lib, ask: timed },
    { kind: "grant-ended", path: lib, ask: timed, why: "expired" },
    { kind: "answer", verdict: "deny", note: "use ours", path: file, ask: denied },
  ]);
  // A yes that has no effect, and an ask that is closed since the roots changed.
  const refused = await openAsk(stage, credential, "other/y.txt");
  renameSync(stage.at.path("other"), stage.at.path("gone"));
  await expect(answer(refused, { decision: "allow" })).rejects.toMatchObject({ code: "grant-changed" });
  renameSync(stage.at.path("gone"), stage.at.path("other"));
  const closed = await openAsk(stage, credential, "other/y.txt");
  await stage.client.send(routes.addMount, { id: session, body: { path: stage.at.path("other"), mode: "extend" } });
  await stage.client.send(routes.removeMount, { id: session, body: { path: stage.at.path("other") } });
  const others = await search(stage, { path: "/other", session });
  expect(others.map(({ event }) => event).filter(({ kind }) => kind !== "decision")).toMatchObject([
    { kind: "answer", verdict: "allow", path: stage.at.path("other/y.txt"), ask: refused },
    { kind: "grant-refused", path: stage.at.path("other/y.txt"), ask: refused },
    { kind: "roots-changed", change: "mounted", mode: "extend", path: stage.at.path("other"), by: "person (test)" },
    { kind: "ask-closed", why: "covered", path: stage.at.path("other/y.txt"), ask: closed },
    { kind: "roots-changed", change: "unmounted", mode: null, path: stage.at.path("other"), by: "person (test)" },
  ]);
  for (const { about } of await search(stage, { session }))
    expect(about).toEqual({ agent: "tester", workspace: stage.at.path("ws"), machine: null });
  expect(await store.verifyAudit()).toBeNull();
});

test("a yes for once: its use names its card, and where the roots change before it is used, that ended it and nobody revoked it", async () => {
  const stage = await httpStage();
  const { credential, session } = await stage.agent();
  const used = await openAsk(stage, credential, "lib/go.mod");
  await stage.client.send(routes.answer, { id: used, body: { decision: "allow_once" } });
  const [asked] = (await search(stage, { session, kind: "decision" })).filter(({ event }) => event["ask"] === used);
  const body = { call: asked?.event["call"], tool: "Read", operation: "read", path: stage.at.path("lib/go.mod") };
  expect((await stage.send("/api/agent/decide", { method: "POST", token: credential, body })).json).toMatchObject({ verdict: "allow" });
  expect((await search(stage, { session, kind: "decision" })).at(-1)?.event).toMatchObject({
    verdict: "allow",
    reason: "answered",
    ask: used,
  });
  const unused = await openAsk(stage, credential, "other/y.txt");
  await stage.client.send(routes.answer, { id: unused, body: { decision: "allow_once" } });
  await stage.client.send(routes.addMount, { id: session, body: { path: stage.at.path("lib"), mode: "read_only" } });
  expect(await search(stage, { session, kind: "revocation" })).toEqual([]);
  expect((await search(stage, { session, kind: "grant-ended" })).map(({ event }) => event)).toMatchObject([
    { grant: unused, ask: unused, path: stage.at.path("other/y.txt"), why: "roots-changed" },
  ]);
});

test("a record is about the workspace that there was: what came before a move says where it was then", async () => {
  const stage = await httpStage({ files: ["second/"] });
  const added = await stage.client.send(routes.addSession, {
    body: { workspace: stage.at.path("ws"), mounts: [{ path: stage.at.path("lib"), mode: "extend" }] },
  });
  await stage.client.send(routes.reanchor, { id: added.id, body: { workspace: stage.at.path("second"), transcript: "carry" } });
  const rows = await search(stage, { session: added.id });
  expect(rows.map(({ event, about }) => [event["change"], event["path"], event["before"], about?.agent, about?.workspace])).toEqual([
    ["mounted", stage.at.path("lib"), null, "the agent in ws", stage.at.path("ws")],
    ["moved", stage.at.path("second"), stage.at.path("ws"), "the agent in second", stage.at.path("second")],
  ]);
});

test("a yes that waited for the machine with the files is recorded with the time at which it was said", async () => {
  const stage = await httpStage();
  const { credential, session } = await stage.agent();
  const id = askId(await openAsk(stage, credential, "lib/go.mod"));
  const said = Date.now() - 60_000;
  await stage.server.agent.answer(id, { verdict: "allow", until: "session", by: "person (web)", at: said });
  const [answer] = await search(stage, { session, kind: "answer" });
  const [grant] = await search(stage, { session, kind: "grant" });
  expect(answer?.event).toMatchObject({ at: said, by: "person (web)" });
  expect(grant?.event.at).toBeGreaterThan(said);
});

test("the export has what the list has of each record, and verifies", async () => {
  const stage = await httpStage();
  const { credential, session } = await stage.agent();
  await stage.client.send(routes.answer, { id: await openAsk(stage, credential, "lib/go.mod"), body: { decision: "allow" } });
  await stage.client.send(routes.archiveSession, { id: session, query: {} });
  const lines: unknown[] = [];
  for await (const line of stage.client.lines(routes.exportAudit, {})) lines.push(JSON.parse(line));
  expect(lines).toEqual(await search(stage, {}));
  rmSync(stage.at.path("lib"), { recursive: true });
});

test("every kind can be asked for by its name", async () => {
  const stage = await httpStage();
  for (const kind of auditKinds) expect(await search(stage, { kind })).toEqual([]);
});
