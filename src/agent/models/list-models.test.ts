import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { findLocalServers, listModels } from "./list-models.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

async function answering(status: number, body: string): Promise<{ readonly address: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? ""}`.trim());
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

test("servers on this machine are found at their ports, without a key; an address elsewhere is not asked, and what does not answer is not there", async () => {
  const ollama = await answering(200, '{"data":[{"id":"llama3:8b"}]}');
  const other = await answering(200, "<html>");
  const fetched: string[] = [];
  const places: Readonly<Record<string, string>> = {
    ollama: ollama.address,
    lmstudio: other.address,
    vllm: "http://192.0.2.1:8000/v1",
    "llama.cpp": "http://127.0.0.1:1/v1",
  };
  const found = await findLocalServers(
    (input, init) => {
      fetched.push(new Request(input).url);
      return fetch(input, init);
    },
    (provider) => places[provider] ?? null,
  );
  expect(found).toEqual([{ provider: "ollama", address: ollama.address, models: ["llama3:8b"] }]);
  expect(ollama.asked).toEqual(["/v1/models"]);
  expect(fetched.filter((url) => url.includes("192.0.2.1"))).toEqual([]);
});

test("OpenRouter, which lists its models to everybody, is asked about the key first", async () => {
  const { address, asked } = await answering(200, '{"data":[{"id":"a/b"}]}');
  const service = {
    provider: "openrouter",
    address,
    dialect: "compatible",
    key: "k",
    bearer: false,
    keyIsSaved: true,
    keyVariable: "",
    addressVariable: "",
  } as const;
  expect(await listModels(service, { fetch, now: Date.now })).toEqual(["a/b"]);
  expect(asked).toEqual(["/v1/key Bearer k", "/v1/models Bearer k"]);
});
