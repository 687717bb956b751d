// A session ends by a person's word, with the program that ran its agent, or with nobody; and a person's word is told as what it was.

import { expect, test, vi } from "vitest";
import { openHostSession } from "../../src/adapters/host-session/open.ts";
import { createHookHandler } from "../../src/adapters/hook/socket-handler.ts";
import { hostNames } from "../../src/adapters/hook/host-table.ts";
import { hookHosts } from "../../src/adapters/hook/hosts/all.ts";
import { createPolicyFor } from "../../src/config/policy-for.ts";
import { randomIds, systemClock } from "../../src/core/clock.ts";
import { askId, sessionId } from "../../src/core/names.ts";
import type { Sandbox } from "../../src/sandbox/port.ts";
import { stopped } from "../../src/sandbox/port.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireMessage } from "../../src/wire/values.ts";
import { httpStage, type HttpStage, type StagePlan } from "./http-stage.ts";
import { createShellReports } from "../../src/server/shell-reports.ts";

/** A command that ends only when it is stopped. */
function endless(): Sandbox & { readonly ended: string[] } {
  const ended: string[] = [];
  return {
    name: "bubblewrap",
    ended,
    ready: () => Promise.resolve(null),
    run: (_command, { signal }) =>
      new Promise((resolve) => {
        const stop = (): void => resolve(stopped("session-closed", "the command was called off"));
        if (signal?.aborted === true) stop();
        signal?.addEventListener("abort", stop);
      }),
    revoke() {},
    endSession: (session) => void ended.push(session),
  };
}

const readsLib: StagePlan["script"] = (at) => [
  { calls: [{ name: "request_read_access", input: { path: at.path("lib/go.mod"), reason: "to look" } }] },
  "done",
];
const runs: StagePlan["script"] = () => [{ calls: [{ name: "bash", input: { command: "sleep 1000" } }] }, "done"];

async function speaking(stage: HttpStage) {
  const session = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
  const chat = await stage.client.send(routes.addChat, { body: { session: session.id } });
  const say = (text: string) => stage.client.send(routes.say, { id: chat.id, body: { text } });
  await say("look");
  const call = async () => {
    const { messages } = await stage.client.send(routes.messages, { id: chat.id, query: {} });
    return messages.flatMap((message: WireMessage) => (message.role === "agent" ? message.calls : []))[0];
  };
  const status = async () => (await stage.client.send(routes.chat, { id: chat.id })).status;
  return { session, chat, say, call, status };
}

const oneAsk = async (stage: HttpStage) => {
  let asks = await stage.client.send(routes.listAsks, { query: { state: "open" } });
  await vi.waitFor(async () => {
    asks = await stage.client.send(routes.listAsks, { query: { state: "open" } });
    expect(asks.length).toBe(1);
  }, 60_000);
  return asks[0]!;
};

test("speaking instead of answering withdraws the question, and says so", async () => {
  const stage = await httpStage({ script: readsLib });
  const { say, call } = await speaking(stage);
  const ask = await oneAsk(stage);
  await say("never mind");
  expect(await stage.client.send(routes.ask, { id: ask.id })).toMatchObject({ state: "closed", answer: null, closed: "withdrawn" });
  expect((await call())?.state).toMatchObject({ at: "done", outcome: { ok: false, code: "request-withdrawn" } });
  const { records } = await stage.client.send(routes.audit, { query: { kind: "ask-closed" } });
  expect(records.map(({ event }) => event)).toMatchObject([{ session: ask.session, ask: ask.id, why: "withdrawn" }]);
});

test("a stopped command, and a question of a stopped chat, are told as stopped by the person", async () => {
  const stage = await httpStage({ script: runs, sandbox: endless() });
  const { chat, call, status } = await speaking(stage);
  await vi.waitFor(async () => expect((await call())?.state.at).toBe("started"), 60_000);
  await stage.client.send(routes.cancel, { id: chat.id });
  expect((await call())?.state).toEqual({
    at: "done",
    outcome: { ok: false, code: "stopped", category: "denied-by-person", hint: "The person stopped this." },
  });
  expect(await status()).toBe("idle");

  const other = await httpStage({ script: readsLib });
  const asking = await speaking(other);
  const ask = await oneAsk(other);
  await other.client.send(routes.cancel, { id: asking.chat.id });
  expect(await other.client.send(routes.ask, { id: ask.id })).toMatchObject({ state: "closed", closed: "stopped" });
});

test("the end of a session stops its commands and closes its questions, each told why", async () => {
  const sandbox = endless();
  const stage = await httpStage({ script: runs, sandbox });
  const { session, call } = await speaking(stage);
  await vi.waitFor(async () => expect((await call())?.state.at).toBe("started"), 60_000);
  await stage.client.send(routes.archiveSession, { id: session.id, query: {} });
  expect((await call())?.state).toMatchObject({ at: "done", outcome: { ok: false, code: "session-closed" } });
  expect(sandbox.ended).toEqual([session.id]);

  const agent = await stage.agent();
  const { json } = await stage.send("/api/agent/asks", {
    method: "POST",
    token: agent.credential,
    body: { call: "c1", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: null },
  });
  await stage.client.send(routes.archiveSession, { id: agent.session, query: { why: "agent-left" } });
  expect(await stage.client.send(routes.ask, { id: json.ask.id })).toMatchObject({ state: "closed", closed: "agent-left" });
});

test("a program that leaves ends its session, and stops what runs in one that was ended; one that comes back keeps it", async () => {
  const stage = await httpStage();
  const over: string[] = [];
  const around = { home: stage.at.path("home"), env: {}, platform: process.platform };
  const open = (hostSession: string, leaves: boolean) =>
    openHostSession({
      connection: stage.connection,
      identity: { host: "mcp", hostSession, workspace: stage.at.path("ws"), leaves },
      over: (session) => void over.push(session),
      home: around.home,
      policyFor: createPolicyFor(around),
      clock: systemClock,
      ids: randomIds,
    });
  const ended = async (id: string) => (await stage.client.send(routes.session, { id })).archivedAt !== null;
  const [once, named] = [await open("one", true), await open("two", false)];
  await once.close();
  await named.close();
  expect([await ended(once.id), await ended(named.id)]).toEqual([true, false]);
  const again = await open("two", false);
  expect(again.id).toBe(named.id);
  await again.session("c1");
  await stage.client.send(routes.archiveSession, { id: again.id, query: {} });
  await vi.waitFor(() => expect(over).toEqual([again.id]), 60_000);
  await again.close();
});

test("the end of a host's session ends those of the agents below it, however deep, told why", async () => {
  const stage = await httpStage();
  const { hosted } = stage.server.agent;
  const plan = { host: "claude-code", workspace: stage.at.path("ws"), label: "claude-code", attended: true };
  const { session: first } = await hosted.register({ ...plan, hostSession: "run" });
  const { session: below } = await hosted.register({ ...plan, hostSession: "run/a", parent: first.id });
  const { session: deep } = await hosted.register({ ...plan, hostSession: "run/a/b", parent: below.id });
  const { session: other } = await hosted.register({ ...plan, hostSession: "another" });
  const asked = await hosted.ask(below.id, { call: "c", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod") }, null);
  if (asked.state !== "waiting") throw new Error("nobody was asked");
  await stage.client.send(routes.answer, { id: asked.ask.id, body: { decision: "allow" } });
  await stage.client.send(routes.archiveSession, { id: first.id, query: {} });
  const open = await stage.client.send(routes.listSessions, { query: { archived: "false" } });
  expect(open.map(({ id }) => id)).toEqual([other.id]);
  expect(await stage.client.send(routes.listGrants, {})).toEqual([]);
  const { records } = await stage.client.send(routes.audit, { query: { kind: "session-ended" } });
  const ends = records.map(({ event: { session, why } }) => [session, why]);
  expect(new Map(ends as [string, unknown][])).toEqual(
    new Map<string, unknown>([
      [first.id, "person"],
      [below.id, "starter-ended"],
      [deep.id, "starter-ended"],
    ]),
  );
});

test("a canary makes no session, and is judged all the same", async () => {
  const stage = await httpStage();
  const home = stage.at.path("home");
  const workspace = stage.at.path("ws");
  const answer = createHookHandler({
    sessions: stage.server.agent.hosted,
    home,
    data: "/nonexistent",
    settled: () => Promise.resolve(null),
    around: { env: {}, platform: process.platform },
    shells: createShellReports(),
    ids: randomIds,
  });
  const fire = async (name: keyof typeof hookHosts, path: string) => {
    const payload = JSON.stringify(hookHosts[name].sample({ path, cwd: workspace }));
    const words = await answer({ host: name, workspace, lets: [], ask: true, wait: null, attended: true, parent: null, payload });
    return hookHosts[name].blocks({ stdout: "", stderr: "", ...words });
  };
  for (const name of hostNames) {
    expect(await fire(name, `${home}/.ssh/id_hallpass_canary`), name).toBe(true);
    expect(await fire(name, `${workspace}/hallpass-canary.txt`), name).toBe(false);
  }
  expect(await stage.client.send(routes.listSessions, { query: {} })).toEqual([]);
});

/** How each host tells of a call and of its agent's end: in the run of this name. */
const speech = (workspace: string) => {
  const common = (run: string) => ({ session_id: run, cwd: workspace });
  const input = { command: "ls" };
  const below = (key: string, agent: string | undefined) => (agent === undefined ? {} : { [key]: agent });
  const claude = {
    call: (run: string, id: string, agent?: string): object => ({
      ...common(run),
      ...below("agent_id", agent),
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: input,
      tool_use_id: id,
    }),
    end: (run: string): object => ({ ...common(run), hook_event_name: "SessionEnd", reason: "exit" }),
  };
  const gemini = { hook_event_name: "BeforeTool", tool_name: "run_shell_command", timestamp: "1970-01-01T00:00:00.000Z" };
  return {
    "claude-code": claude,
    codex: claude,
    gemini: { ...claude, call: (run: string, id: string, agent?: string) => ({ ...claude.call(run, id, agent), ...gemini }) },
    copilot: {
      call: (run: string, id: string, agent?: string) => ({
        ...below("agentId", agent),
        sessionId: run,
        timestamp: 0,
        cwd: workspace,
        toolName: "bash",
        toolArgs: JSON.stringify(input),
        toolCallId: id,
      }),
      end: (run: string) => ({ sessionId: run, timestamp: 0, cwd: workspace, reason: "user_exit" }),
    },
    cursor: {
      call: (run: string, id: string, agent?: string) => ({
        ...below("subagent_id", agent),
        conversation_id: run,
        hook_event_name: "preToolUse",
        tool_name: "Shell",
        tool_input: input,
        tool_use_id: id,
        cwd: workspace,
      }),
      end: (run: string) => ({ conversation_id: run, session_id: "another name", hook_event_name: "sessionEnd", reason: "window_close" }),
    },
    opencode: {
      call: (run: string, id: string, agent?: string) => ({
        ...below("agent", agent),
        event: "tool.execute.before",
        tool: "bash",
        args: input,
        session: run,
        call: id,
      }),
      end: (run: string) => ({ event: "session.deleted", session: run }),
    },
  };
};

test.each(hostNames)(
  "%s says that its agent has left: its session and those below it end, their grants too, and what they asked is closed for that",
  async (host) => {
    const stage = await httpStage();
    const { agent, hub } = stage.server;
    const home = stage.at.path("home");
    const workspace = stage.at.path("ws");
    const answer = createHookHandler({
      sessions: { ...agent.hosted, register: (plan) => agent.hosted.enter(plan) },
      home,
      data: stage.at.path("home/data"),
      settled: (ask, time) => hub.settled(askId(ask), time),
      around: { env: {}, platform: process.platform },
      shells: createShellReports(),
      ids: randomIds,
    });
    const say = (payload: object) =>
      answer({
        host,
        workspace,
        lets: [],
        ask: false,
        wait: null,
        attended: true,
        parent: null,
        payload: JSON.stringify(payload),
      });
    const { call, end } = speech(workspace)[host];
    expect(await say(call("run-1", "t1"))).toMatchObject({ exit: 0 });
    expect(await say(call("run-1", "t2", "below"))).toMatchObject({ exit: 0 });
    const sessions = await stage.client.send(routes.listSessions, { query: { archived: "false" } });
    expect(sessions).toHaveLength(2);
    const first = sessions.find(({ parent }) => parent === null)?.id ?? "";
    const ask = (path: string, name: string) =>
      agent.hosted.ask(sessionId(first), { call: name, tool: "Read", operation: "read", path: stage.at.path(path) }, null);
    const [granted, open] = [await ask("lib/go.mod", "a1"), await ask("other/y.txt", "a2")];
    if (granted.state !== "waiting" || open.state !== "waiting") throw new Error("nobody was asked");
    await stage.client.send(routes.answer, { id: granted.ask.id, body: { decision: "allow" } });
    expect(await stage.client.send(routes.listGrants, {})).toHaveLength(1);
    // Another run's end is not this one's.
    expect(await say(end("run-2"))).toEqual({ exit: 0, stdout: "" });
    expect(await stage.client.send(routes.listSessions, { query: { archived: "false" } })).toHaveLength(2);
    expect(await say(end("run-1"))).toEqual({ exit: 0, stdout: "" });
    expect(await stage.client.send(routes.listSessions, { query: { archived: "false" } })).toEqual([]);
    expect(await stage.client.send(routes.listGrants, {})).toEqual([]);
    expect(await stage.client.send(routes.ask, { id: open.ask.id })).toMatchObject({ state: "closed", closed: "agent-left" });
    const { records } = await stage.client.send(routes.audit, { query: { kind: "session-ended" } });
    expect(records).toMatchObject([{ event: { by: host, why: "agent-left" } }, { event: { by: host, why: "agent-left" } }]);
    // Said twice, and of a session that nobody knows: nothing.
    expect(await say(end("run-1"))).toEqual({ exit: 0, stdout: "" });
  },
);
