import { expect, test } from "vitest";
import type { App } from "./ports.ts";
import { withSpans } from "./telemetry.ts";

const SECRET = "s3cret-token";

function app(answer: (request: Request) => Response = () => new Response("the file's content", { status: 201 })): App {
  return { fetch: async (request) => answer(request), callerOf: async () => null };
}

/** OpenTelemetry's interface as far as it is used, and everything it was told. */
function standIn() {
  const spans: { name: string; kind: number; attributes: Record<string, unknown>; ended: number }[] = [];
  const names: string[] = [];
  const api = {
    trace: {
      getTracer(name: string) {
        names.push(name);
        return {
          startSpan(spanName: string, { kind }: { kind: number }) {
            const span = { name: spanName, kind, attributes: {} as Record<string, unknown>, ended: 0 };
            spans.push(span);
            return {
              setAttribute: (key: string, value: unknown) => void (span.attributes[key] = value),
              end: () => void (span.ended += 1),
            };
          },
        };
      },
    },
  };
  return { api, spans, names };
}

const request = (method: string, path: string): Request =>
  new Request(`http://127.0.0.1:7777${path}`, {
    method,
    headers: { authorization: `Bearer ${SECRET}`, "content-type": "application/json" },
    ...(method === "POST" ? { body: JSON.stringify({ text: "read /home/me/private" }) } : {}),
  });

test("a request is a span with its method, its path's shape and its status, and nothing else of it", async () => {
  const { api, spans, names } = standIn();
  const traced = await withSpans(app(), async () => api);
  const response = await traced.fetch(request("POST", "/api/chats/0123456789abcdef/messages?before=private"));
  expect([response.status, await response.text()]).toEqual([201, "the file's content"]);
  await traced.fetch(request("GET", "/home/me/private"));
  expect(names).toEqual(["hallpass"]);
  expect(spans).toEqual([
    {
      name: "POST /api/chats/{id}/messages",
      kind: 1,
      attributes: { "http.request.method": "POST", "http.route": "/api/chats/{id}/messages", "http.response.status_code": 201 },
      ended: 1,
    },
    {
      name: "GET other",
      kind: 1,
      attributes: { "http.request.method": "GET", "http.route": "other", "http.response.status_code": 201 },
      ended: 1,
    },
  ]);
  for (const word of [SECRET, "private", "0123456789abcdef", "content"]) expect(JSON.stringify(spans)).not.toContain(word);
});

test("a request that fails ends its span too", async () => {
  const { api, spans } = standIn();
  const failing = app(() => {
    throw new Error("away");
  });
  await expect((await withSpans(failing, async () => api)).fetch(request("GET", "/api/asks"))).rejects.toThrow("away");
  expect(spans).toMatchObject([{ name: "GET /api/asks", ended: 1 }]);
});

test("without the package, or with something else of its name, the app is the very same", async () => {
  const bare = app();
  expect(await withSpans(bare, () => Promise.reject(new Error("Cannot find package")))).toBe(bare);
  for (const other of [null, "api", {}, { trace: null }, { trace: { getTracer: 1 } }])
    expect(await withSpans(bare, async () => other)).toBe(bare);
  const throwing = { trace: { getTracer: () => void JSON.parse("{") } };
  expect(await withSpans(bare, async () => throwing)).toBe(bare);
});

test("a provider that throws keeps no request from its answer", async () => {
  const fail = (): never => {
    throw new Error("a provider's own fault");
  };
  for (const startSpan of [fail, () => ({ setAttribute: fail, end: fail })]) {
    const traced = await withSpans(app(), async () => ({ trace: { getTracer: () => ({ startSpan }) } }));
    expect((await traced.fetch(request("GET", "/api/asks"))).status).toBe(201);
  }
});
