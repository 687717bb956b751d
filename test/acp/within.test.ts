// Our agent and an editor in one process, with a model that does what the test says: questions of the agent's as the editor's forms, a
// card that grows while it is shown, and the record, which says where the person answered.

import { setTimeout as pause } from "node:timers/promises";
import {
  client as acpClient,
  type ClientContext,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { createAcpAgent } from "../../src/adapters/acp/agent.ts";
import { type Script, scriptedModel } from "../../src/agent/models/scripted.ts";
import { openOwnApp } from "../../src/cli/own-app.ts";
import { openProcessBackend } from "../../src/cli/process-backend.ts";
import { hostWith } from "../../src/cli/run-command.ts";
import { routes } from "../../src/wire/http.ts";
import { tree } from "../tree.ts";
import { READING } from "./editor.ts";

interface Plan {
  readonly script: Script;
  readonly form?: (message: string) => { action: "accept"; content: Record<string, string> } | { action: "decline" | "cancel" };
  readonly option?: (asked: RequestPermissionRequest) => string;
  /** How long the person reads, in milliseconds. */
  readonly reading?: number;
  /** Is there an inbox? */
  readonly where?: "daemon" | "process";
}

async function within(
  { script, form, option = () => "deny", reading = READING, where = "process" }: Plan,
  work: (at: {
    readonly agent: ClientContext;
    readonly own: Awaited<ReturnType<typeof openOwnApp>>;
    prompt(text: string): Promise<string>;
    texts(): string;
  }) => Promise<void>,
) {
  const at = tree(["home/ws/a.txt: inside", "home/lib/.git/", "home/lib/b.txt: outside b", "home/lib/c.txt: outside c"]);
  const model = typeof script === "function" ? scriptedModel(script) : scriptedModel(script);
  const own = await openOwnApp({
    home: at.path("home"),
    env: { PROJECT_ROOT_WHITELIST: at.path("home") },
    platform: process.platform,
    via: "acp",
    model,
  });
  const { app, close } = createAcpAgent({ reached: { ...own, where }, version: "1", asking: "by-guard" });
  onTestFinished(async () => {
    close();
    await own.close();
    at.remove();
  });
  const [there, back] = [new TransformStream<Uint8Array, Uint8Array>(), new TransformStream<Uint8Array, Uint8Array>()];
  app.connect(ndJsonStream(back.writable, there.readable));
  const asked: RequestPermissionRequest[] = [];
  const texts: string[] = [];
  await acpClient({ name: "editor" })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      await pause(reading);
      return { outcome: { outcome: "selected", optionId: option(params) } };
    })
    .onRequest(methods.client.elicitation.create, async ({ params }) => {
      await pause(reading);
      return form?.("message" in params ? String(params.message) : "") ?? { action: "cancel" };
    })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") texts.push(update.content.text);
    })
    .connectWith(ndJsonStream(there.writable, back.readable), async (agent) => {
      const clientCapabilities = form === undefined ? {} : { elicitation: { form: {} } };
      await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd: at.path("home/ws"), mcpServers: [] });
      const prompt = async (text: string) =>
        (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })).stopReason;
      await work({ agent, own, prompt, texts: () => texts.join("") });
    });
  const asks = await own.client.send(routes.listAsks, { query: {} });
  return { at, asked, texts: () => texts.join(""), asks, own };
}

const question = { calls: [{ name: "ask_user_input", input: { question: "Which of the two?", options: ["left", "right"] } }] };
/** Says what came of its last call. */
const tell: Script = async (transcript) => {
  const last = transcript.findLast((message) => message.role === "agent");
  const state = last?.role === "agent" ? last.calls[0]?.state : undefined;
  return state?.at === "done" ? `it came to ${JSON.stringify(state.outcome)}` : question;
};

test.each([
  ["accepted", { action: "accept" as const, content: { answer: "left" } }, '"output":"left"'],
  ["accepted without an answer", { action: "accept" as const, content: {} }, '"ok":false'],
  ["declined", { action: "decline" as const }, '"ok":false'],
  ["dismissed", { action: "cancel" as const }, '"ok":false'],
])("a question of the agent's is a form of the editor's: %s", async (_, said, comes) => {
  const shown: string[] = [];
  const { texts } = await within({ script: tell, form: (message) => (shown.push(message), said) }, async ({ prompt }) => {
    expect(await prompt("go on")).toBe("end_turn");
  });
  expect(shown).toEqual(["Which of the two?"]);
  await expect.poll(texts).toContain(comes);
});

test("in an editor without forms the question is told, and the person's next words are the answer", async () => {
  const { texts } = await within({ script: tell }, async ({ prompt }) => {
    expect(await prompt("go on")).toBe("end_turn");
    expect(await prompt("right")).toBe("end_turn");
  });
  await expect.poll(texts).toMatch(/Which of the two\?[^]*- left\n- right[^]*"output":"right"/u);
});

test("two files of one repository in one turn are one card; a yes to it reads both", async () => {
  const paths: string[] = [];
  const script: Script = async (transcript) => {
    const last = transcript.findLast((message) => message.role === "agent");
    if (last?.role === "agent")
      return last.calls.map(({ state }) => (state.at === "done" && state.outcome.ok ? state.outcome.output : "no")).join(" ");
    return { calls: paths.map((path) => ({ name: "read_file", input: { path } })) };
  };
  const made = await within({ script, option: () => "session" }, async ({ prompt }) => {
    paths.push("../lib/b.txt", "../lib/c.txt");
    expect(await prompt("go on")).toBe("end_turn");
  });
  await expect.poll(made.texts).toMatch(/outside b[^]*outside c/u);
  expect(made.asks.length).toBe(1);
  // It was answered in the editor, and the record says so.
  const { records } = await made.own.client.send(routes.audit, { query: {} });
  expect(records.flatMap(({ event }) => (event.kind === "answer" ? [event["by"]] : []))).toEqual(["person (acp)"]);
});

test("a form that is filled in at once is nobody's answer: the turn ends, and the agent has heard nothing", async () => {
  const { texts, asks } = await within(
    { script: tell, form: () => ({ action: "accept", content: { answer: "left" } }), reading: 0 },
    async ({ prompt }) => {
      expect(await prompt("go on")).toBe("cancelled");
    },
  );
  await expect.poll(texts).toContain("sooner than a person can read it");
  expect(texts()).not.toContain('"output":"left"');
  expect(asks.map(({ state }) => state)).toEqual(["closed"]);
});

test("where there is an inbox, a yes at once leaves the ask open there, and the person's own answer counts", async () => {
  const script: Script = async (transcript) => {
    const last = transcript.findLast((message) => message.role === "agent");
    const state = last?.role === "agent" ? last.calls[0]?.state : undefined;
    if (state?.at === "done") return state.outcome.ok ? state.outcome.output : "no";
    return { calls: [{ name: "read_file", input: { path: "../lib/b.txt" } }] };
  };
  const made = await within({ script, option: () => "session", reading: 0, where: "daemon" }, async ({ prompt, own, texts }) => {
    const turn = prompt("go on");
    await expect.poll(texts).toContain("It waits for an answer in the inbox");
    const [ask] = await own.client.send(routes.listAsks, { query: { state: "open" } });
    expect(await own.client.send(routes.listGrants, {})).toEqual([]);
    await own.client.send(routes.answer, { id: ask?.id ?? "", body: { decision: "allow_once", digest: ask?.digest ?? "" } });
    expect(await turn).toBe("end_turn");
  });
  expect(made.asked.length).toBe(1);
  await expect.poll(made.texts).toContain("outside b");
});

test.each(["acp", "terminal"])("an app within the process records that its person answered in %s", async (via) => {
  const at = tree(["home/ws/", "home/lib/.git/", "home/lib/b.txt: outside"]);
  const env = { PROJECT_ROOT_WHITELIST: at.path("home") };
  const host = { ...hostWith(process.stdout), home: at.path("home"), cwd: at.path("home/ws"), env };
  const { client, close } = await openProcessBackend(host, { model: null, preset: null, remark: null, via });
  onTestFinished(async () => {
    await close();
    at.remove();
  });
  const session = await client.send(routes.addSession, { body: { workspace: at.path("home/ws"), asking: "by-guard" } });
  const chat = await client.send(routes.addChat, { body: { session: session.id } });
  await client.send(routes.say, { id: chat.id, body: { text: `read ${at.path("home/lib/b.txt")}` } });
  const open = () => client.send(routes.listAsks, { query: { state: "open" } });
  await expect.poll(async () => (await open()).length).toBe(1);
  await client.send(routes.answer, { id: (await open())[0]?.id ?? "", body: { decision: "deny" } });
  const { records } = await client.send(routes.audit, { query: {} });
  expect(records.flatMap(({ event }) => (event.kind === "answer" ? [event["by"]] : []))).toEqual([`person (${via})`]);
});
