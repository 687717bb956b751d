// What can go wrong with a model's service, in each provider's own words over real HTTP: the kind of fault is told apart, the message says what
// to do and holds no key, and the chat goes on with the next thing that is said.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createAgent } from "../src/agent/agent.ts";
import type { AgentEvent } from "../src/agent/events.ts";
import { openModel } from "../src/agent/models/providers.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { emptyPolicy } from "../src/core/policy/rule.ts";
import { createMemoryStore } from "../src/store/memory.ts";
import { anthropicStream, chatStream, responsesStream, type SpokenTurn } from "./support/model-dialects.ts";
import { tree } from "./tree.ts";

const KEY = "sk-0123456789abcdef";
type Handler = (response: ServerResponse) => void;

interface Provider {
  readonly name: string;
  readonly env: (url: string) => Readonly<Record<string, string>>;
  /** Where it is asked without a key, and refuses; the others are not asked at all. */
  readonly withoutKey?: Provider["env"];
  /** Where its requests would go, if that cannot be set. */
  readonly leads?: string;
  readonly stream: (turn: SpokenTurn, at: number) => string;
  readonly wrongKey: readonly [number, unknown];
  readonly quota: readonly [number, unknown];
  /** The body of a refusal for too many requests; with a time in it where its headers have none. */
  readonly tooMany: unknown;
  readonly full: readonly [number, unknown];
}

const error = (message: string, more: object = {}): unknown => ({ error: { message, ...more } });
const tooLong = error("This model's maximum context length is 8192 tokens.", { code: "context_length_exceeded" });

const providers: Readonly<Record<string, Provider>> = {
  Anthropic: {
    name: "anthropic/m",
    env: (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
    stream: anthropicStream,
    wrongKey: [401, { type: "error", error: { type: "authentication_error", message: `invalid x-api-key ${KEY}` } }],
    quota: [
      400,
      { type: "error", error: { type: "invalid_request_error", message: "Your credit balance is too low to access the Anthropic API." } },
    ],
    tooMany: { type: "error", error: { type: "rate_limit_error", message: "This request would exceed your rate limit." } },
    full: [400, { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" } }],
  },
  "OpenAI (responses)": {
    name: "openai/m",
    env: () => ({ OPENAI_API_KEY: KEY }),
    leads: "https://api.openai.com",
    stream: responsesStream,
    wrongKey: [401, error(`Incorrect API key provided: ${KEY}.`, { code: "invalid_api_key" })],
    quota: [429, error("You exceeded your current quota, please check your plan and billing details.", { code: "insufficient_quota" })],
    tooMany: error("Rate limit reached for requests", { code: "rate_limit_exceeded" }),
    full: [400, tooLong],
  },
  "OpenAI (chat)": {
    name: "openai/m",
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url }),
    stream: chatStream,
    wrongKey: [401, error(`Incorrect API key provided: ${KEY}.`, { code: "invalid_api_key" })],
    quota: [429, error("You exceeded your current quota, please check your plan and billing details.", { code: "insufficient_quota" })],
    tooMany: error("Rate limit reached for requests", { code: "rate_limit_exceeded" }),
    full: [400, tooLong],
  },
  Google: {
    name: "google/m",
    env: (url) => ({ GEMINI_API_KEY: KEY, GEMINI_BASE_URL: url }),
    stream: chatStream,
    // It refuses a key with 400, and wraps what it says into a list.
    wrongKey: [400, [{ error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } }]],
    quota: [
      429,
      [
        {
          error: {
            code: 429,
            message: "You exceeded your current quota.",
            details: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }],
          },
        },
      ],
    ],
    tooMany: [{ error: { code: 429, message: "You exceeded your current quota.", details: [{ retryDelay: "2s" }] } }],
    full: [400, [{ error: { message: "The input token count (9000) exceeds the maximum number of tokens allowed (8192)." } }]],
  },
  Ollama: {
    name: "ollama/m",
    env: (url) => ({ OLLAMA_HOST: url, OLLAMA_API_KEY: KEY }),
    withoutKey: (url) => ({ OLLAMA_HOST: url }),
    stream: chatStream,
    wrongKey: [401, { error: "unauthorized" }],
    quota: [402, { error: "your plan is used up" }],
    tooMany: { error: "too many requests" },
    full: [400, error("the request exceeds the available context size")],
  },
};

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

/** A chat with the model behind a service that does these things one after the other. */
async function scene(provider: Provider, handlers: readonly Handler[], env: Provider["env"] = provider.env) {
  const left = [...handlers];
  /** What each request held. */
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      asked.push(body);
      (left.shift() ?? status(500, { error: "nothing left" }))(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = tree(["ws/", "ws/a.txt: hello"]);
  const store = createMemoryStore();
  const policy = compilePolicy(emptyPolicy, "/home/nobody-here");
  const events: AgentEvent[] = [];
  const { leads } = provider;
  const open = () =>
    openModel(provider.name, {
      env: env(url),
      ...(leads === undefined ? {} : { fetch: (input, init) => fetch(new Request(input).url.replace(leads, url), init) }),
      // A service that hangs is given up soon the first time; nobody else is hurried.
      patience: { silence: left.length < handlers.length || handlers[0] !== hangs ? 60_000 : 500, sleep: async () => {} },
    });
  const agent = createAgent({
    store,
    // Opened with each turn, as the program does.
    model: { name: provider.name, turn: async (prompt, how) => open().turn(prompt, how) },
    home: "/home/nobody-here",
    policyFor: () => policy,
    listener: (event) => events.push(event),
  });
  cleanups.push(async () => {
    await agent.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    at.remove();
  });
  const session = await agent.newSession({ workspace: at.path("ws") });
  const chat = await agent.newChat(session.id);
  const last = async () => (await store.transcript(chat.id)).findLast((message) => message.role === "agent");
  return { agent, chat, last, asked, events, store };
}

const hangs: Handler = () => {};
const status =
  (code: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Handler =>
  (response) =>
    void response.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

for (const [title, provider] of Object.entries(providers)) {
  const streamed =
    (turn: SpokenTurn): Handler =>
    (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const text = provider.stream(turn, 1);
      for (let from = 0; from < text.length; from += 23) response.write(text.slice(from, from + 23));
      response.end();
    };
  const answers = streamed({ text: "hello" });
  const broken: Handler = (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(provider.stream({ text: "half" }, 1).slice(0, -120), () => response.destroy());
  };

  describe(title, () => {
    test.each<[string, Handler, string, RegExp]>([
      ["a wrong key", status(...provider.wrongKey), "wrong-key", /refused the key/],
      ["a quota that is used up", status(...provider.quota), "quota", /used up .*check the plan and billing/],
      ["a rate limit that is long", status(429, provider.tooMany, { "retry-after": "3600" }), "rate-limit", /is rate-limiting us/],
      ["a model that hangs", hangs, "silent", /sent nothing for 0.5 s/],
    ])("%s is said as what it is, without the key, and the chat goes on", async (_name, handler, kind, words) => {
      const { agent, chat, last, asked } = await scene(provider, [handler, answers]);
      await agent.say(chat.id, "hi");
      expect(await last()).toMatchObject({ error: expect.stringMatching(words) as string, fault: { kind } });
      expect(JSON.stringify(await last())).not.toContain(KEY);
      expect(asked.length).toBe(1);
      await agent.say(chat.id, "again");
      expect(await last()).toMatchObject({ text: "hello", error: null });
    });

    test("a rate limit says from when on another try may help; a short one is waited out, and that is told", async () => {
      const long = await scene(provider, [status(429, provider.tooMany, { "retry-after": "3600" })]);
      const before = Date.now();
      await long.agent.say(long.chat.id, "hi");
      const message = await long.last();
      const retryAt = message?.role === "agent" ? (message.fault?.retryAt ?? 0) : 0;
      expect(retryAt - before).toBeGreaterThan(3_500_000);
      const headers: Readonly<Record<string, string>> = title === "Google" ? {} : { "retry-after": "2" };
      const short = await scene(provider, [status(429, provider.tooMany, headers), answers]);
      await short.agent.say(short.chat.id, "hi");
      expect(await short.last()).toMatchObject({ text: "hello", error: null });
      const [wait] = short.events.filter((event) => event.type === "turn-wait");
      expect(wait).toMatchObject({ kind: "rate-limit" });
      expect((wait?.until ?? 0) - before).toBeGreaterThan(1_500);
    });

    test("without a key nothing is sent, or the service says that it wants one; the message says where to enter it, and with one the chat goes on", async () => {
      const { withoutKey, wrongKey } = provider;
      const refusals = withoutKey === undefined ? [] : [status(...wrongKey)];
      let env = withoutKey ?? (() => ({}));
      const { agent, chat, last, asked } = await scene(provider, [...refusals, answers], (url) => env(url));
      await agent.say(chat.id, "hi");
      expect(await last()).toMatchObject({
        error: expect.stringMatching(/needs a key(?: .*)?; enter it under Models/) as string,
        fault: { kind: "missing-key" },
      });
      expect(asked.length).toBe(refusals.length);
      env = provider.env;
      await agent.say(chat.id, "again");
      expect(await last()).toMatchObject({ text: "hello", error: null });
    });

    test("a picture is sent; where the service takes none, the turn is made without it; and the chat goes on", async () => {
      const data = Buffer.from("a picture").toString("base64");
      const refused = status(400, error("this model does not support image input"));
      const { agent, chat, last, asked } = await scene(provider, [answers, refused, answers, answers]);
      for (const text of ["look", "and at this"]) {
        await agent.hear(chat.id, text, [{ type: "image/png", data }]);
        await agent.settled();
        expect(await last()).toMatchObject({ text: "hello", error: null });
      }
      expect(asked.map((body) => body.includes(data))).toEqual([true, true, false]);
      await agent.say(chat.id, "again");
      expect(await last()).toMatchObject({ text: "hello", error: null });
    });

    test("a stream that breaks is a fault, and the chat goes on", async () => {
      const { agent, chat, last } = await scene(provider, [broken, broken, broken, answers]);
      await agent.say(chat.id, "hi");
      expect(await last()).toMatchObject({
        error: expect.stringMatching(/broke|ended before|cannot be read/) as string,
        fault: { kind: "other" },
      });
      await agent.say(chat.id, "again");
      for (let tries = 0; tries < 2 && (await last())?.text !== "hello"; tries += 1) await agent.say(chat.id, "again");
      expect(await last()).toMatchObject({ text: "hello", error: null });
    });

    test("a full context is put in short, and the turn is made again", async () => {
      const { agent, chat, last, store } = await scene(provider, [
        answers,
        status(...provider.full),
        streamed({ text: "in short" }),
        streamed({ text: "done" }),
      ]);
      await agent.say(chat.id, "hi");
      await agent.say(chat.id, "more");
      expect(await last()).toMatchObject({ text: "done", error: null });
      expect((await store.transcript(chat.id)).map(({ role }) => role)).toContain("summary");
    });

    test("a call that comes in pieces is one call, and is done", async () => {
      const { agent, chat, store, last } = await scene(provider, [
        streamed({ call: { name: "read_file", input: '{"path":"a.txt"}' } }),
        answers,
      ]);
      await agent.say(chat.id, "read it");
      const calls = (await store.transcript(chat.id)).flatMap((message) => (message.role === "agent" ? message.calls : []));
      expect(calls).toMatchObject([{ name: "read_file", input: { path: "a.txt" }, state: { at: "done", outcome: { ok: true } } }]);
      expect(await last()).toMatchObject({ text: "hello" });
    });
  });
}
