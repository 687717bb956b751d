// A chat whose model has no room left: it is put in short and goes on, from a row that says the same after a restart.

import { expect, onTestFinished, test } from "vitest";
import { grow, policyOf } from "../../test/scene.ts";
import { createMemoryStore } from "../store/memory.ts";
import { type Agent, createAgent } from "./agent.ts";
import { offlineModel } from "./models/offline.ts";
import { type Model, ModelFault, type ModelPrompt } from "./ports.ts";
import { visibleTranscript } from "./visible.ts";

type Turn = string | Error | { readonly name: string; readonly input: object };

const full = (): ModelFault => new ModelFault("the conversation is too long", { kind: "context-full" });
const isSummaryOf = ({ tools }: ModelPrompt): boolean => tools.length === 0;

/** A chat in `ws` beside a repository, with a model that answers these in order, and a request for a summary with `summary`. */
async function talk(turns: Turn[], summary: string | (() => string | Promise<string>) = "short") {
  const { path } = grow([
    "home/ws/.git/",
    "home/ws/a.txt: hello\n",
    "home/lib/.git/",
    "home/lib/go.mod: module lib\n",
    "home/other/.git/",
    "home/other/x: X",
  ]);
  const prompts: ModelPrompt[] = [];
  const model: Model = {
    name: "fake/model",
    async turn(prompt) {
      prompts.push(prompt);
      if (isSummaryOf(prompt)) return { text: typeof summary === "string" ? summary : await summary(), calls: [], usage: null };
      const turn = turns.shift() ?? "done";
      if (turn instanceof Error) throw turn;
      return typeof turn === "string" ? { text: turn, calls: [], usage: null } : { text: "", calls: [{ id: "c", ...turn }], usage: null };
    },
  };
  const store = createMemoryStore();
  const home = path("home");
  const policy = policyOf({}, home);
  const begin = (): Agent => {
    const agent = createAgent({ store, model, home, policyFor: () => policy });
    onTestFinished(() => agent.close());
    return agent;
  };
  const agent = begin();
  const session = await agent.newSession({ workspace: path("home/ws") });
  const { id } = await agent.newChat(session.id);
  const transcript = () => store.transcript(id);
  const summaries = async () => (await transcript()).flatMap((message) => (message.role === "summary" ? [message.text] : []));
  const status = async () => (await store.chat(id))?.status;
  return { agent, begin, store, id, path, prompts, transcript, summaries, status };
}

const reads = { name: "read_file", input: { path: "a.txt" } };

test("a full context is put in short by the model, and the same turn is made again", async () => {
  const it = await talk([reads, full(), "all is well"]);
  await it.agent.say(it.id, "look at a.txt");
  expect(await it.status()).toBe("idle");
  const [summary = ""] = await it.summaries();
  expect(summary).toBe("What happened so far, in the model's own words:\n\nshort");
  const record = it.prompts.find(isSummaryOf)?.transcript[0]?.text ?? "";
  expect(record).toContain("Person: look at a.txt");
  expect(record).toContain("hello");
  const last = it.prompts.at(-1)?.transcript.map(({ role, text }) => `${role}: ${text}`);
  expect(last).toEqual([`summary: ${summary}`, "person: look at a.txt"]);
  expect((await it.transcript()).at(-1)).toMatchObject({ role: "agent", text: "all is well", error: null });
});

test("what was granted and denied is listed from what is stored, whatever the model says of it", async () => {
  const asks: Turn[] = [];
  const it = await talk(asks, "the person granted everything");
  const ask = (path: string): Turn => ({ name: "request_read_access", input: { path: it.path(path), reason: "why" } });
  asks.push(ask("home/lib/go.mod"), "thanks", ask("home/other/x"), full(), "done");
  for (const [words, answer] of [
    ["the module", { verdict: "allow", until: "session", by: "ada" }],
    ["the other", { verdict: "deny", by: "ada", note: "not that" }],
  ] as const) {
    await it.agent.say(it.id, words);
    const [open] = await it.store.asks({ state: "open" });
    if (open === undefined) throw new Error("nothing is asked");
    await it.agent.answer(open.id, answer);
    await it.agent.settled();
  }
  const [summary = ""] = await it.summaries();
  expect(summary).toMatch(/Asks and answers:\n- .*go\.mod.*: allowed for the session by ada\n- .*other\/x.*: denied by ada: "not that"/);
  expect(summary.endsWith(`Granted now:\n- ${it.path("home/lib")}, for reading`)).toBe(true);
});

test("a model that cannot put it in short leaves a plain list", async () => {
  const it = await talk([reads, full(), "done"], () => {
    throw new ModelFault("no");
  });
  await it.agent.say(it.id, "look at a.txt");
  const [summary = ""] = await it.summaries();
  expect(summary).toContain("The person said:\n- look at a.txt");
  expect(summary).toContain('Calls:\n- read_file {"path":"a.txt"}: done');
  expect(await it.status()).toBe("idle");
});

test("a record that is too long for the model is given in part", async () => {
  let asked = 0;
  const it = await talk([reads, full(), "done"], () => {
    asked += 1;
    if (asked === 1) throw full();
    return "shorter";
  });
  await it.agent.say(it.id, "x".repeat(100_000));
  const lengths = it.prompts.filter(isSummaryOf).map(({ transcript }) => transcript[0]?.text.length ?? 0);
  expect(lengths.every((length, index) => length <= (index === 0 ? 60_000 : 12_000))).toBe(true);
  expect((await it.summaries())[0]).toContain("shorter");
});

test("what is too long even in short fails once, and says so", async () => {
  const it = await talk([reads, full(), full(), "never"]);
  await it.agent.say(it.id, "look at a.txt");
  expect(await it.status()).toBe("failed");
  expect((await it.summaries()).length).toBe(1);
  expect((await it.transcript()).at(-1)).toMatchObject({ role: "agent", error: "the conversation is too long" });
});

test("after a restart the model is sent the same", async () => {
  const it = await talk([reads, full(), "done"]);
  await it.agent.say(it.id, "look at a.txt");
  const before = visibleTranscript(await it.transcript());
  await it.agent.close();
  const again = it.begin();
  await again.say(it.id, "go on");
  expect(it.prompts.at(-1)?.transcript.slice(0, before.length)).toEqual(before);
});

test("on request a chat at rest is put in short, once, and nothing else happens", async () => {
  const it = await talk(["hello"]);
  expect(await it.agent.compact(it.id)).toBe(false);
  await it.agent.say(it.id, "hi");
  const asked = it.prompts.length;
  expect(await it.agent.compact(it.id)).toBe(true);
  expect(await it.agent.compact(it.id)).toBe(false);
  expect(it.prompts.length).toBe(asked + 1);
  expect((await it.transcript()).at(-1)?.role).toBe("summary");
  expect(await it.status()).toBe("idle");
});

test("what is said while it is put in short is heard after it", async () => {
  const it = await talk(["hello", "heard"], async () => {
    await it.agent.hear(it.id, "one more thing");
    return "short";
  });
  await it.agent.say(it.id, "hi");
  await it.agent.compact(it.id);
  await it.agent.settled();
  expect(it.prompts.at(-1)?.transcript.map(({ role }) => role)).toEqual(["summary", "person"]);
  expect((await it.transcript()).at(-1)).toMatchObject({ role: "agent", text: "heard" });
});

test("the built-in agent reads what it needs, and is never put in short by itself", async () => {
  const { path } = grow(["home/ws/.git/", "home/ws/a.txt: hello\n"]);
  const store = createMemoryStore();
  const policy = policyOf({}, path("home"));
  const agent = createAgent({ store, model: offlineModel(), home: path("home"), policyFor: () => policy, compactAt: 10 });
  onTestFinished(() => agent.close());
  const session = await agent.newSession({ workspace: path("home/ws") });
  const chat = await agent.newChat(session.id);
  await agent.say(chat.id, "read a.txt");
  expect((await store.transcript(chat.id)).map(({ role }) => role)).toEqual(["person", "agent", "agent"]);
  expect(await agent.compact(chat.id)).toBe(true);
  await agent.say(chat.id, "read a.txt");
  const [summary] = (await store.transcript(chat.id)).filter(({ role }) => role === "summary");
  expect(summary?.text).toContain("The person said:\n- read a.txt");
  expect((await store.transcript(chat.id)).at(-1)?.text).toContain("hello");
});
