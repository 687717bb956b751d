// The providers against fake services on loopback: real HTTP, real streams, cut at odd places.

import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { grow, policyOf } from "../../../test/scene.ts";
import { callId } from "../../core/names.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createAgent } from "../agent.ts";
import { ModelFault, type ModelPrompt, type ModelTurn } from "../ports.ts";
import { openModel } from "./providers.ts";

// ── The fake ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly messages: readonly unknown[] };
}
type Handler = (response: ServerResponse, seen: Seen) => void | Promise<void>;

const seen: Seen[] = [];
const handlers: Handler[] = [];
const open = new Set<ServerResponse>();
const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (piece: string) => (text += piece));
  request.on("end", () => {
    const one: Seen = { url: request.url ?? "", headers: request.headers, body: JSON.parse(text) as Seen["body"] };
    seen.push(one);
    open.add(response);
    response.on("close", () => open.delete(response));
    const handler = handlers.shift() ?? ((other: ServerResponse) => void other.writeHead(500).end("no handler"));
    void handler(response, one);
  });
});
let address = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  seen.length = 0;
  handlers.length = 0;
});

const immediately = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Send a stream in pieces of seven bytes, so that lines, JSON and letters are cut anywhere. */
async function drip(response: ServerResponse, text: string, end = true): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) {
    response.write(bytes.subarray(at, at + 7));
    if (at % 70 === 0) await immediately();
  }
  if (end) response.end();
}

const sse = (...values: readonly unknown[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("") + "data: [DONE]\n\n";
const chunk = (delta: unknown, more: object = {}): object => ({
  id: "r1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
const finished = (reason: string): object => ({
  ...chunk({}),
  choices: [{ index: 0, delta: {}, finish_reason: reason }],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
});
const text =
  (...pieces: readonly string[]): Handler =>
  (response) =>
    drip(response, sse(...pieces.map((content) => chunk({ content })), finished("stop")));
const status =
  (code: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (response) =>
    void response.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const anthropicEvents = (...events: readonly [string, object][]): string =>
  events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join("");
const anthropicStart: [string, object] = [
  "message_start",
  {
    message: {
      id: "m1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 20, output_tokens: 1 },
    },
  },
];
const anthropicEnd = (reason: string): [string, object][] => [
  ["message_delta", { delta: { stop_reason: reason }, usage: { output_tokens: 9 } }],
  ["message_stop", {}],
];

// ── What is asked of it ───────────────────────────────────────────────────────────────────────────────────────────────────────

const prompt: ModelPrompt = {
  system: "You work in one workspace.",
  transcript: [{ role: "person", id: "p1", at: 1, text: "read a.txt" }],
  tools: [
    {
      name: "read_file",
      description: "Read a file.",
      schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false },
    },
  ],
};
const waits: number[] = [];
const patience = {
  random: () => 0.5,
  sleep: (milliseconds: number) => {
    waits.push(milliseconds);
    return Promise.resolve();
  },
};
beforeEach(() => {
  waits.length = 0;
});

const compatible = (more: object = {}) =>
  openModel("openai-compatible/m", {
    env: { HALLPASS_MODEL_URL: `${address}/v1`, HALLPASS_MODEL_KEY: "k-12345" },
    patience: { ...patience, ...more },
  });
const anthropic = (more: object = {}) =>
  openModel("anthropic/claude-x", {
    env: { ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: "k-67890" },
    patience: { ...patience, ...more },
  });

async function turn(model: ReturnType<typeof openModel>, one: ModelPrompt = prompt, signal = new AbortController().signal) {
  const deltas: string[] = [];
  const result = await model.turn(one, { signal, delta: (piece) => deltas.push(piece) });
  return { result, deltas };
}

async function faultOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ModelFault);
  return (error as ModelFault).message;
}

describe("a conversation that is too long", () => {
  const isFull = async (model: ReturnType<typeof openModel>): Promise<boolean> => {
    const error: unknown = await turn(model).catch((reason: unknown) => reason);
    return error instanceof ModelFault && error.kind === "context-full";
  };

  test.each<[string, number, object]>([
    ["OpenAI", 400, { error: { code: "context_length_exceeded", message: "Please reduce the length of the messages." } }],
    ["vLLM and OpenRouter", 400, { error: { message: "This model's maximum context length is 8192 tokens." } }],
    ["Mistral", 400, { message: "Prompt contains 9000 tokens, too large for model with 8192 maximum context length" }],
    ["Google", 400, { error: { message: "The input token count (9000) exceeds the maximum number of tokens allowed (8192)." } }],
    ["llama.cpp", 400, { error: { type: "exceed_context_size_error", message: "the request exceeds the available context size" } }],
    ["LM Studio", 400, { error: "The number of tokens to keep from the initial prompt is greater than the context length" }],
    ["a proxy", 413, { error: { message: "Payload Too Large" } }],
  ])("is known from %s, and not sent again as it is", async (_service, code, body) => {
    handlers.push(status(code, body));
    expect(await isFull(compatible())).toBe(true);
    expect(seen.length).toBe(1);
  });

  test("is known from Anthropic, before the turn and in it", async () => {
    handlers.push(
      status(400, {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
      }),
    );
    expect(await isFull(anthropic())).toBe(true);
    handlers.push((response) => drip(response, anthropicEvents(anthropicStart, ...anthropicEnd("max_tokens"))));
    expect(await isFull(anthropic())).toBe(true);
  });

  test.each([400, 401, 404, 422, 429, 500])("is not what another %i says", async (code) => {
    handlers.push(...[1, 2, 3].map(() => status(code, { error: { message: "no" } })));
    expect(await isFull(compatible())).toBe(false);
  });

  test("is put in short, and the chat goes on", async () => {
    const { path } = grow(["home/ws/.git/"]);
    const store = createMemoryStore();
    const policy = policyOf({}, path("home"));
    const agent = createAgent({ store, model: compatible(), home: path("home"), policyFor: () => policy });
    const session = await agent.newSession({ workspace: path("home/ws") });
    const chat = await agent.newChat(session.id);
    const tooLong = status(400, { error: { code: "context_length_exceeded", message: "too long" } });
    handlers.push(text("hello"), tooLong, text("they greeted"), text("goodbye"));
    await agent.say(chat.id, "hi");
    await agent.say(chat.id, "bye");
    await agent.close();
    expect((await store.transcript(chat.id)).map(({ role, text: said }) => `${role}: ${said}`)).toEqual([
      "person: hi",
      "agent: hello",
      "person: bye",
      "summary: What happened so far, in the model's own words:\n\nthey greeted",
      "person: bye",
      "agent: goodbye",
    ]);
    expect(JSON.stringify(seen.at(-1)?.body.messages)).toContain("they greeted");
    expect(JSON.stringify(seen.at(-1)?.body.messages)).not.toContain("hello");
  });
});

describe("an OpenAI-compatible service", () => {
  test("streams text as it comes and counts what it cost", async () => {
    handlers.push(text("Grüße, ", "日本", " 🎉"));
    const { result, deltas } = await turn(compatible());
    expect(result).toEqual<ModelTurn>({ text: "Grüße, 日本 🎉", calls: [], usage: { input: 11, output: 7 } });
    expect(deltas).toEqual(["Grüße, ", "日本", " 🎉"]);
    expect(seen[0]).toMatchObject({
      url: "/v1/chat/completions",
      headers: { authorization: "Bearer k-12345" },
      body: {
        model: "m",
        stream: true,
        tool_choice: "auto",
        messages: [
          { role: "system", content: "You work in one workspace." },
          { role: "user", content: "read a.txt" },
        ],
        tools: [{ type: "function", function: { name: "read_file", parameters: prompt.tools[0]?.schema } }],
      },
    });
  });

  test("gives several calls that came in pieces, interleaved", async () => {
    const piece = (index: number, more: object): object => chunk({ tool_calls: [{ index, ...more }] });
    handlers.push((response) =>
      drip(
        response,
        sse(
          piece(0, { id: "c1", type: "function", function: { name: "read_file", arguments: '{"pa' } }),
          piece(1, { id: "c2", type: "function", function: { name: "list_dir", arguments: "" } }),
          piece(0, { function: { arguments: 'th":"a' } }),
          piece(1, { function: { arguments: '{"path":"."}' } }),
          piece(0, { function: { arguments: '.txt"}' } }),
          finished("tool_calls"),
        ),
      ),
    );
    const { result } = await turn(compatible());
    expect(result.calls).toEqual([
      { id: "c1", name: "read_file", input: { path: "a.txt" } },
      { id: "c2", name: "list_dir", input: { path: "." } },
    ]);
  });

  test("passes on calls that cannot be read and tools nobody has", async () => {
    handlers.push((response) =>
      drip(
        response,
        sse(
          chunk({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "read_file", arguments: '{"path": "a' } }] }),
          chunk({ tool_calls: [{ index: 1, id: "c2", type: "function", function: { name: "rm -rf", arguments: "[1]" } }] }),
          chunk({ tool_calls: [{ index: 2, id: "c3", type: "function", function: { name: "list_dir", arguments: "" } }] }),
          finished("tool_calls"),
        ),
      ),
    );
    const { result } = await turn(compatible());
    expect(result.calls).toEqual([
      { id: "c1", name: "read_file", input: '{"path": "a' },
      { id: "c2", name: "rm -rf", input: [1] },
      { id: "c3", name: "list_dir", input: {} },
    ]);
  });

  test("a call that takes the id of an earlier one gets another", async () => {
    handlers.push((response) =>
      drip(
        response,
        sse(
          chunk({ tool_calls: [{ index: 0, id: "old", type: "function", function: { name: "read_file", arguments: '{"path":"b"}' } }] }),
          finished("tool_calls"),
        ),
      ),
    );
    const model = openModel("openai-compatible/m", { env: { HALLPASS_MODEL_URL: address }, ids: () => "fresh" });
    const { result } = await turn(model, {
      ...prompt,
      transcript: [
        ...prompt.transcript,
        {
          role: "agent",
          id: "g1",
          at: 2,
          text: "",
          usage: null,
          error: null,
          calls: [
            { id: callId("old"), name: "read_file", input: { path: "a" }, state: { at: "done", outcome: { ok: true, output: "A" } } },
          ],
        },
      ],
    });
    expect(result.calls.map(({ id }) => id)).toEqual(["call_fresh"]);
    expect(seen[0]?.headers.authorization).toBeUndefined();
    expect(seen[0]?.body.messages.slice(2)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "old", type: "function", function: { name: "read_file", arguments: '{"path":"a"}' } }],
      },
      { role: "tool", tool_call_id: "old", content: "A" },
    ]);
  });

  test("waits as long as it is asked to after 429, and goes on", async () => {
    handlers.push(status(429, { error: { message: "slow down" } }, { "retry-after": "7" }), text("done"));
    const { result } = await turn(compatible());
    expect(result.text).toBe("done");
    expect(waits).toEqual([7_000]);
  });

  test("does not wait longer than is reasonable", async () => {
    handlers.push(status(429, { error: { message: "come back tomorrow" } }, { "retry-after": "86400" }));
    expect(await faultOf(turn(compatible()))).toBe("openai-compatible is rate-limiting us (429: come back tomorrow); try again later");
    expect(waits).toEqual([]);
  });

  test("reads retry-after as a date too", async () => {
    const now = Date.UTC(2026, 0, 1);
    handlers.push(status(503, {}, { "retry-after": new Date(now + 3_000).toUTCString() }), text("done"));
    await turn(compatible({ now: () => now }));
    expect(waits).toEqual([3_000]);
  });

  test.each([408, 409, 500, 502, 529])("tries again after %i, a little later each time, three times in all", async (code) => {
    handlers.push(...[1, 2, 3].map(() => status(code, { error: { message: "broken" } })));
    expect(await faultOf(turn(compatible()))).toContain(`(${code}: broken)`);
    expect(seen).toHaveLength(3);
    expect(waits).toEqual([500, 1_000]);
  });

  test.each([400, 404, 422])("does not try again after %i", async (code) => {
    handlers.push(status(code, { error: { message: "no" } }));
    expect(await faultOf(turn(compatible()))).toContain(`(${code}: no)`);
    expect(seen).toHaveLength(1);
  });

  test("a reset connection is tried again, and is a fault after the third", async () => {
    const reset: Handler = (response) => void response.socket?.resetAndDestroy();
    handlers.push(reset, text("done"));
    expect((await turn(compatible())).result.text).toBe("done");
    handlers.push(reset, reset, reset);
    expect(await faultOf(turn(compatible()))).toMatch(/^the connection to openai-compatible at http:\S+ broke/);
  });

  test("a connection that breaks after words were told is a fault at once", async () => {
    handlers.push(async (response) => {
      await drip(response, sse(chunk({ content: "half of " })).replace("data: [DONE]\n\n", ""), false);
      setTimeout(() => response.socket?.resetAndDestroy(), 50);
    });
    const deltas: string[] = [];
    const model = compatible();
    const failed = model.turn(prompt, { signal: new AbortController().signal, delta: (piece) => deltas.push(piece) });
    expect(await faultOf(failed)).toMatch(/broke/);
    expect(deltas).toEqual(["half of "]);
    expect(seen).toHaveLength(1);
  });

  test("an answer that ends without its end is tried again; half a call is never passed on", async () => {
    const half = sse(
      chunk({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "read_file", arguments: '{"path":"a' } }] }),
    ).replace("data: [DONE]\n\n", "");
    handlers.push((response) => drip(response, half), text("whole"));
    expect((await turn(compatible())).result).toMatchObject({ text: "whole", calls: [] });
    expect(seen).toHaveLength(2);
  });

  test("silence ends the turn, before the first byte and after it", async () => {
    handlers.push(() => undefined);
    const message = await faultOf(turn(compatible({ silence: 100 })));
    expect(message).toMatch(/sent nothing for 0.1 s.*HALLPASS_MODEL_TIMEOUT/);
    handlers.push((response) => drip(response, sse(chunk({ content: "hm" })).replace("data: [DONE]\n\n", ""), false));
    expect(await faultOf(turn(compatible({ silence: 100 })))).toMatch(/sent nothing/);
    expect(seen).toHaveLength(2);
  });

  test("signs of life count as bytes", async () => {
    handlers.push(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let beat = 0; beat < 8; beat += 1) {
        response.write(": still here\n\n");
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      response.end(sse(chunk({ content: "at last" }), finished("stop")));
    });
    expect((await turn(compatible({ silence: 250 }))).result.text).toBe("at last");
  });

  test("can be aborted in the middle of a stream, while waiting to try again, and before it begins", async () => {
    const stop = new AbortController();
    handlers.push((response) => drip(response, sse(chunk({ content: "one" })).replace("data: [DONE]\n\n", ""), false));
    const running = compatible().turn(prompt, { signal: stop.signal, delta: () => stop.abort(new Error("enough")) });
    await expect(running).rejects.toThrow("enough");
    await expect.poll(() => open.size).toBe(0);

    const second = new AbortController();
    handlers.push(status(500, {}));
    const sleep = (): Promise<void> => {
      setTimeout(() => second.abort(new Error("no more")), 10);
      return new Promise(() => undefined);
    };
    await expect(turn(compatible({ sleep }), prompt, second.signal)).rejects.toThrow("no more");

    const before = seen.length;
    await expect(turn(compatible(), prompt, AbortSignal.abort(new Error("never")))).rejects.toThrow("never");
    expect(seen).toHaveLength(before);
  });

  test("a redirect is not followed, and the key does not travel", async () => {
    handlers.push((response) => void response.writeHead(302, { location: `${address}/elsewhere` }).end());
    expect(await faultOf(turn(compatible()))).toMatch(/redirects elsewhere \(302\); set HALLPASS_MODEL_URL/);
    expect(seen).toHaveLength(1);
  });

  test("nothing listening is a fault that says so", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const model = openModel("ollama/llama", { env: { OLLAMA_HOST: `127.0.0.1:${port}` }, patience });
    expect(await faultOf(turn(model))).toBe(
      `nothing answers at http://127.0.0.1:${port}/v1; start ollama, or set OLLAMA_HOST to where it is`,
    );
    expect(waits).toHaveLength(2);
  });

  test("what is no stream at all is a fault, not a crash", async () => {
    for (const body of ["<html>hello</html>", "data: {broken\n\n", "", "data: []\n\ndata: null\n\n"]) {
      handlers.push(...[1, 2, 3].map((): Handler => (response) => drip(response, body)));
      await faultOf(turn(compatible()));
      handlers.length = 0;
    }
  });
});

describe("Anthropic", () => {
  test("streams text and calls, with its own headers, and counts", async () => {
    handlers.push((response) =>
      drip(
        response,
        anthropicEvents(
          anthropicStart,
          ["content_block_start", { index: 0, content_block: { type: "text", text: "" } }],
          ["content_block_delta", { index: 0, delta: { type: "text_delta", text: "I'll look. " } }],
          ["ping", {}],
          ["content_block_stop", { index: 0 }],
          ["content_block_start", { index: 1, content_block: { type: "tool_use", id: "t1", name: "read_file", input: {} } }],
          ["content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: '{"path":' } }],
          ["content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: '"é.txt"}' } }],
          ["content_block_stop", { index: 1 }],
          ["content_block_start", { index: 2, content_block: { type: "tool_use", id: "t2", name: "nonsense", input: {} } }],
          ["content_block_delta", { index: 2, delta: { type: "input_json_delta", partial_json: "{not json" } }],
          ["content_block_stop", { index: 2 }],
          ...anthropicEnd("tool_use"),
        ),
      ),
    );
    const { result, deltas } = await turn(anthropic());
    expect(result).toEqual<ModelTurn>({
      text: "I'll look. ",
      calls: [
        { id: "t1", name: "read_file", input: { path: "é.txt" } },
        { id: "t2", name: "nonsense", input: "{not json" },
      ],
      usage: { input: 20, output: 9 },
    });
    expect(deltas).toEqual(["I'll look. "]);
    expect(seen[0]).toMatchObject({
      url: "/v1/messages",
      headers: { "x-api-key": "k-67890" },
      body: {
        model: "claude-x",
        max_tokens: 32_000,
        system: [{ type: "text", text: "You work in one workspace." }],
        messages: [{ role: "user", content: [{ type: "text", text: "read a.txt" }] }],
        tools: [{ name: "read_file", input_schema: prompt.tools[0]?.schema }],
      },
    });
  });

  test("an unreadable call and its refusal can be sent back", async () => {
    handlers.push((response) => drip(response, anthropicEvents(anthropicStart, ...anthropicEnd("end_turn"))));
    const outcome = { ok: false, code: "bad-request", hint: "read_file: expected object" } as const;
    await turn(anthropic(), {
      ...prompt,
      transcript: [
        ...prompt.transcript,
        {
          role: "agent",
          id: "g1",
          at: 2,
          text: "",
          usage: null,
          error: null,
          calls: [{ id: callId("t 1"), name: "rm -rf", input: "{not json", state: { at: "done", outcome } }],
        },
      ],
    });
    expect(seen[0]?.body.messages.slice(1)).toMatchObject([
      { role: "assistant", content: [{ type: "tool_use", id: "call_number_0", name: "rm_-rf", input: { unreadable: "{not json" } }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_number_0", is_error: true, content: "bad-request: read_file: expected object" },
        ],
      },
    ]);
  });

  test("a wrong key is a fault that names the variable and never the key", async () => {
    handlers.push(status(401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key k-67890" } }));
    const message = await faultOf(turn(anthropic()));
    expect(message).toBe("anthropic refused the key (401: invalid x-api-key …); set ANTHROPIC_API_KEY to a valid one");
  });

  test("takes a bearer token where there is no key", async () => {
    handlers.push((response) => drip(response, anthropicEvents(anthropicStart, ...anthropicEnd("end_turn"))));
    await turn(openModel("anthropic/claude-x", { env: { ANTHROPIC_BASE_URL: address, ANTHROPIC_AUTH_TOKEN: "tok" } }));
    expect(seen[0]?.headers.authorization).toBe("Bearer tok");
    expect(seen[0]?.headers["x-api-key"]).toBeUndefined();
  });

  test("being overloaded is waited out", async () => {
    handlers.push(
      (response) => drip(response, anthropicEvents(["error", { error: { type: "overloaded_error", message: "Overloaded" } }])),
      (response) =>
        drip(
          response,
          anthropicEvents(
            anthropicStart,
            ["content_block_start", { index: 0, content_block: { type: "text", text: "" } }],
            ["content_block_delta", { index: 0, delta: { type: "text_delta", text: "ok" } }],
            ["content_block_stop", { index: 0 }],
            ...anthropicEnd("end_turn"),
          ),
        ),
    );
    expect((await turn(anthropic())).result.text).toBe("ok");
    expect(waits).toEqual([500]);
  });
});

describe("OpenAI", () => {
  test("speaks the older dialect to whoever stands in at another address", async () => {
    handlers.push(text("hello"));
    const model = openModel("openai/gpt-x", { env: { OPENAI_API_KEY: "k-openai", OPENAI_BASE_URL: `${address}/v1/` } });
    expect((await turn(model)).result.text).toBe("hello");
    expect(seen[0]?.url).toBe("/v1/chat/completions");
    expect(seen[0]?.headers.authorization).toBe("Bearer k-openai");
  });

  test("speaks its own dialect at its own address, asks it to keep nothing, and leaves optional fields optional", async () => {
    const requests: { url: string; body: string }[] = [];
    const model = openModel("openai/gpt-x", {
      env: { OPENAI_API_KEY: "k-openai" },
      fetch: (input, init) => {
        requests.push({ url: input as string, body: init?.body as string });
        const events = [
          { type: "response.created", response: { id: "r", created_at: 1, model: "gpt-x" } },
          { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "i" } },
          { type: "response.output_text.delta", item_id: "i", delta: "hi" },
          { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "i" } },
          {
            type: "response.output_item.added",
            output_index: 1,
            item: { type: "function_call", id: "f", call_id: "c1", name: "read_file", arguments: "" },
          },
          { type: "response.function_call_arguments.delta", item_id: "f", output_index: 1, delta: '{"path":"a"}' },
          {
            type: "response.output_item.done",
            output_index: 1,
            item: { type: "function_call", id: "f", call_id: "c1", name: "read_file", arguments: '{"path":"a"}', status: "completed" },
          },
          { type: "response.completed", response: { usage: { input_tokens: 3, output_tokens: 2 } } },
        ];
        return Promise.resolve(new Response(sse(...events), { headers: { "content-type": "text/event-stream" } }));
      },
    });
    const { result } = await turn(model);
    expect(result).toEqual<ModelTurn>({
      text: "hi",
      calls: [{ id: "c1", name: "read_file", input: { path: "a" } }],
      usage: { input: 3, output: 2 },
    });
    expect(requests[0]?.url).toBe("https://api.openai.com/v1/responses");
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ store: false, tools: [{ name: "read_file", strict: false }] });
  });
});

test("a provider's package is loaded when it is first spoken to, and not before", () => {
  for (const name of readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts") || name.endsWith(".test.ts")) continue;
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    expect(text, name).not.toMatch(/^import (?!type )[^;]*from "(?:@ai-sdk\/|ai")/m);
    if (name !== "connect.ts") expect(text, name).not.toMatch(/\bimport\(/);
  }
});

test("nothing is fetched and no key is needed to open a model; the offline one needs none at all", () => {
  expect(openModel("offline", { env: {} }).name).toBe("offline/guide");
  expect(openModel("offline/guide", { env: {} }).name).toBe("offline/guide");
  expect(openModel("openrouter/meta/llama", { env: { OPENROUTER_API_KEY: "k" } }).name).toBe("openrouter/meta/llama");
  expect(() => openModel("offline/other", { env: {} })).toThrow(ModelFault);
  expect(() => openModel("ollama/m", { env: { HALLPASS_MODEL_TIMEOUT: "soon" } })).toThrow("HALLPASS_MODEL_TIMEOUT");
});
