// What an agent's credential can see, key by key: of every route it may call and every frame it hears. A key that is not here must be
// thought about before it is added: whatever an agent's credential sees, the agent may learn.

import { expect, test } from "vitest";
import type { Packet } from "../../src/server/packet.ts";
import { type RouteName, routes } from "../../src/wire/http.ts";
import { openHostSession } from "../../src/adapters/host-session/open.ts";
import { compilePolicy } from "../../src/core/policy/compile.ts";
import { emptyPolicy } from "../../src/core/policy/rule.ts";
import { cardText } from "../../src/adapters/mcp/card.ts";
import { permissionRequest } from "../../src/adapters/acp/permission.ts";
import { httpStage, type HttpStage, type Json, type Said } from "./http-stage.ts";

/** Every key in it, as paths; of a list, those of its elements. */
function keysOf(value: unknown, at = ""): readonly string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((one: unknown) => keysOf(one, `${at}[]`)))];
  if (typeof value !== "object" || value === null) return at === "" ? [] : [at];
  return Object.entries(value).flatMap(([key, held]) => keysOf(held, at === "" ? key : `${at}.${key}`));
}

const session = [
  "id",
  "project",
  "parent",
  "workspace",
  "asking",
  "attended",
  "host",
  "label",
  "shell",
  "machine",
  "mounts[]",
  "allowed_read_paths[]",
  "at",
  "archivedAt",
];
const of = (name: string, keys: readonly string[]): readonly string[] => keys.map((key) => `${name}.${key}`);
/** Lists that are empty have no elements to name. */
const ofEmpty = (name: string, keys: readonly string[]): readonly string[] =>
  of(name, keys).filter((key) => !key.endsWith("mounts[]") && !key.endsWith("paths[]"));
const ask = ["id", "state", "requested[]", "reason", "hint"];

const access = (stage: HttpStage, call: string, path = "link/go.mod") => ({
  call,
  tool: "Read",
  operation: "read",
  path: stage.at.path(path),
});
/** A link outside, to a repository with two secrets and two repositories in it. */
const files = ["lib/id_rsa: KEY", "lib/inner/.git/", "lib/inner/deep.txt: d", "link => lib"];
/** What a credential must not tell: where the link leads, what marks the root, how much is there. */
const hidden = (stage: HttpStage): readonly string[] => [stage.at.path("lib"), "secrets", "survey", "files", "proposal", "trace", "real"];

async function staged() {
  const stage = await httpStage({ files });
  await stage.client.send(routes.addProject, { body: { path: stage.at.path("other"), name: "other" } });
  const agent = await stage.agent();
  const post = (path: string, body?: object): Promise<Said> =>
    stage.send(path, { method: "POST", token: agent.credential, ...(body === undefined ? {} : { body }) });
  return { stage, agent, post };
}

test("every route of an agent's gives these keys and no others, and nothing of what is not open to it", async () => {
  const { stage, agent, post } = await staged();
  const seen: Partial<Record<RouteName, readonly string[]>> = {};
  const texts: string[] = [];
  const see = (name: RouteName, { status, text, json }: Said): Json => {
    expect(status, text).toBe(200);
    seen[name] = keysOf(json).toSorted();
    texts.push(text);
    return json;
  };
  see("agentSession", await stage.send("/api/agent/session", { token: agent.credential }));
  see("decide", await post("/api/agent/decide", access(stage, "c1")));
  const asked = see("agentAsk", await post("/api/agent/asks", { ...access(stage, "c2"), reason: "to see" }));
  see("agentWait", await stage.send(`/api/agent/asks/${asked.ask.id}?wait=0`, { token: agent.credential }));
  see("agentCancel", await post(`/api/agent/asks/${asked.ask.id}/cancel`));
  see("agentRecord", await post("/api/agent/record", { events: [] }));
  const wanted: Partial<Record<RouteName, readonly string[]>> = {
    agentSession: ofEmpty("session", session).toSorted(),
    decide: ["hint", "reason", "requested", "verdict"],
    agentAsk: ["state", ...of("ask", ask)].toSorted(),
    agentWait: ask.toSorted(),
    agentCancel: ask.toSorted(),
    agentRecord: ["recorded"],
  };
  expect(seen).toEqual(wanted);
  const agents = Object.entries(routes).flatMap(([name, { role }]) => (role === "agent" ? [name] : []));
  expect(Object.keys(wanted).toSorted()).toEqual(agents.toSorted());
  for (const text of texts) for (const word of hidden(stage)) expect(text).not.toContain(word);
  // The same, for the person: what is kept from the agent is there to be told.
  const card = await stage.client.send(routes.ask, { id: asked.ask.id });
  expect(card).toMatchObject({ path: stage.at.path("lib/go.mod"), proposal: { dir: stage.at.path("lib") } });
  expect(card.survey?.secrets).toBeGreaterThan(0);
});

test("an answer that has ended, and an access in scope, tell no more", async () => {
  const { stage, agent, post } = await staged();
  const asked = await post("/api/agent/asks", { ...access(stage, "c1"), reason: "to see" });
  await stage.client.send(routes.answer, { id: asked.json.ask.id, body: { decision: "deny", note: "not today" } });
  const waited = await stage.send(`/api/agent/asks/${asked.json.ask.id}?wait=1`, { token: agent.credential });
  expect(keysOf(waited.json).toSorted()).toEqual(ask.toSorted());
  const again = await post("/api/agent/asks", { ...access(stage, "c1"), reason: "to see" });
  expect(keysOf(again.json)).toEqual(["state", "ok", "code", "text"]);
  expect(again.json.text).toContain("not today");
  for (const { text } of [waited, again]) for (const word of hidden(stage)) expect(text).not.toContain(word);
  const inside = await post("/api/agent/decide", access(stage, "c2", "ws/a.txt"));
  expect(inside.json.verdict).toBe("allow");
  expect(keysOf(inside.json).toSorted()).toEqual(["hint", "reason", "requested", "verdict"]);
});

test("an agent's connection hears of its asks without the card; the person's hears the card", async () => {
  const { stage, agent, post } = await staged();
  const hear = async (caller: Parameters<typeof stage.server.hub.connect>[0], after: string | null = null) => {
    const heard: Json[] = [];
    const sink = { send: ({ text }: Packet) => void heard.push(JSON.parse(text)), unsent: () => 0, end() {} };
    await stage.server.hub.connect(caller, sink).receive(JSON.stringify({ type: "subscribe", chats: [agent.chat], after }));
    return heard;
  };
  const caller = await stage.server.app.callerOf(agent.credential);
  if (caller === null) throw new Error("the credential is unknown");
  const live = await hear(caller);
  const first = live.at(-1).cursor;
  const asked = await post("/api/agent/asks", { ...access(stage, "c1"), reason: "to see" });
  const person = await hear({ role: "person", browser: null });
  const begun = await hear(caller);
  await stage.client.send(routes.answer, { id: asked.json.ask.id, body: { decision: "deny" } });
  await expect.poll(() => begun.some(({ type }) => type === "ask_settled")).toBe(true);
  const replayed = await hear(caller, first);
  for (const heard of [live, begun, replayed]) {
    const asks = heard.flatMap((frame) => (frame.type === "snapshot" ? frame.asks : frame.ask === undefined ? [] : [frame.ask]));
    expect(asks.length).toBeGreaterThan(0);
    for (const one of asks) expect(keysOf(one).toSorted()).toEqual(ask.toSorted());
    for (const word of hidden(stage)) expect(JSON.stringify(heard)).not.toContain(word);
  }
  expect(JSON.stringify(person)).toContain(stage.at.path("lib"));
});

test("the program that a person started still draws the whole card", async () => {
  const { stage } = await staged();
  const hostSession = await openHostSession({
    connection: stage.connection,
    identity: { host: "mcp", hostSession: "one", workspace: stage.at.path("ws"), label: "writer" },
    home: stage.at.path("home"),
    policyFor: () => compilePolicy(emptyPolicy, stage.at.path("home")),
    clock: () => Date.now(),
    ids: () => crypto.randomUUID(),
  });
  const asked = await hostSession.ask(
    { call: "c1", tool: "read_file", operation: "read", path: stage.at.path("link/go.mod") },
    "to see how it is done",
  );
  if (asked.state !== "waiting") throw new Error(asked.text);
  const waited = await hostSession.wait(asked.ask.id, 0);
  for (const card of [asked.ask, waited]) {
    const text = cardText(card);
    for (const part of [
      "writer",
      stage.at.path("ws"),
      stage.at.path("link/go.mod"),
      stage.at.path("lib"),
      "2 secret files stay hidden",
      "to see how it is done",
    ])
      expect(text).toContain(part);
    expect(JSON.stringify(permissionRequest("s", card))).toContain("2 secret files stay hidden");
  }
  expect((await hostSession.answer(asked.ask.id, { decision: "allow", digest: waited.digest })).answer?.verdict).toBe("allow");
  expect((await hostSession.session("c2")).grants.length).toBe(1);
  await hostSession.close();
});
