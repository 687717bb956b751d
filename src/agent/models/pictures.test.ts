// Pictures of a message as each service takes them, and what becomes of them where the model takes none.

import { describe, expect, test } from "vitest";
import { anthropicStream, chatStream, responsesStream } from "../../../test/support/model-dialects.ts";
import type { Message, Picture } from "../transcript.ts";
import { openModel } from "./providers.ts";

const picture: Picture = { type: "image/png", data: Buffer.from("a picture").toString("base64") };
const said = (id: string, ...pictures: readonly Picture[]): Message => ({ role: "person", id, at: 1, text: `look at ${id}`, pictures });
const address = `data:image/png;base64,${picture.data}`;

/** One turn of this model, and what was sent: the service refuses pictures, or takes them. */
async function turned(name: string, env: Readonly<Record<string, string>>, transcript: readonly Message[], refuses: string | null = null) {
  const bodies: string[] = [];
  const spoken = { text: "I see." };
  const model = openModel(name, {
    env,
    patience: { sleep: async () => {} },
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const body = await request.text();
      bodies.push(body);
      if (refuses !== null && body.includes(picture.data)) return Response.json({ error: { message: refuses } }, { status: 400 });
      const stream = request.url.includes("/responses")
        ? responsesStream
        : request.url.includes("/messages")
          ? anthropicStream
          : chatStream;
      return new Response(stream(spoken, 1), { headers: { "content-type": "text/event-stream" } });
    },
  });
  const { text } = await model.turn({ system: "s", transcript, tools: [] }, { signal: new AbortController().signal, delta: () => {} });
  return { text, bodies, model };
}

const services = [
  [
    "anthropic/claude-x",
    { ANTHROPIC_API_KEY: "k" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: picture.data } },
  ],
  ["openai/gpt-x", { OPENAI_API_KEY: "k" }, { type: "input_image", image_url: address }],
  ["openai/gpt-x", { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }, { type: "image_url", image_url: { url: address } }],
  ["google/gemini-x", { GEMINI_API_KEY: "k" }, { type: "image_url", image_url: { url: address } }],
  ["ollama/llava", {}, { type: "image_url", image_url: { url: address } }],
] as const;

describe("a picture goes out in the form of the service, before the words", () => {
  test.each(services)("%s %o", async (name, env, part) => {
    const { text, bodies } = await turned(name, env, [said("one", picture)]);
    expect(text).toBe("I see.");
    const sent: unknown = JSON.parse(bodies[0] ?? "");
    expect(JSON.stringify(sent)).toContain(JSON.stringify(part).slice(1, -1));
    expect((bodies[0] ?? "").indexOf(picture.data)).toBeLessThan((bodies[0] ?? "").indexOf("look at one"));
  });
});

describe("where the model takes none", () => {
  test.each(services)("%s: the turn is made without it, and the model reads that there was one", async (name, env) => {
    const { text, bodies } = await turned(name, env, [said("one", picture)], "this model does not support image input");
    expect(text).toBe("I see.");
    expect(bodies.map((body) => body.includes(picture.data))).toEqual([true, false]);
    expect(bodies[1]).toContain("a picture stood here");
  });

  test("another refusal stays one, and is not tried again without it", async () => {
    await expect(turned("ollama/llava", {}, [said("one", picture)], "no such parameter")).rejects.toThrow(/no such parameter/);
  });

  test.each([
    ["ollama/llama3.1:8b", true],
    ["openrouter/deepseek/deepseek-chat", true],
    ["openrouter/qwen/qwen3-coder", true],
    ["openai/gpt-4o", undefined],
    ["ollama/llama3.2-vision", undefined],
    ["anthropic/claude-sonnet-4-5", undefined],
    ["offline", true],
  ])("%s is known to: %s", (name, isBlind) => {
    const env = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", OPENROUTER_API_KEY: "k" };
    expect(openModel(name, { env }).isBlind).toBe(isBlind);
  });
});

test("only the newest eight are sent; the offline agent says that it sees none", async () => {
  const many = Array.from({ length: 10 }, (_, at) =>
    said(`number ${at}`, { ...picture, data: Buffer.from(`picture ${at}`).toString("base64") }),
  );
  const { bodies } = await turned("ollama/llava", {}, many);
  expect((bodies[0] ?? "").split("data:image/png;base64,").length - 1).toBe(8);
  expect((bodies[0] ?? "").split("a picture stood here").length - 1).toBe(2);
  const told = await turned("offline", {}, [said("one", picture)]);
  expect(told.text).toContain("I cannot see pictures");
});
