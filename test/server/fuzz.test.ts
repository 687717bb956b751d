// A fuzzer of our own, driven by the published description alone: for every operation requests that nearly fit and requests that do not,
// by both roles. Nothing may be a fault of ours, every refusal has the one shape, and every answer is what the table promises.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { type Route, routes } from "../../src/wire/http.ts";
import { problemSchema } from "../../src/wire/values.ts";
import { httpStage, type HttpStage, TOKEN } from "./http-stage.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema: Schema }[];
  readonly body: Schema | null;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: Operation["parameters"];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** Things of the stage that exist, so that a guess can hit. */
interface Known {
  /** By the word that stands before the id in a path, or names it in a body. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  readonly paths: readonly string[];
  readonly credential: string;
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: [nested(depth - 1)] });

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1e308,
    2 ** 53,
    "",
    " ",
    "\0",
    "\u202e",
    "\ud800",
    "/",
    "..",
    "../../etc/passwd",
    "~",
    "__proto__",
    "%00",
    "-0",
    "NaN",
    "[object Object]",
  ),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.integer({ min: 1, max: 40_000 }).map((length) => "x".repeat(length)),
  fc.integer({ min: 1, max: 80 }).map(nested),
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(fc.constantFrom("a", "/", 1, null), { maxLength: 300 }),
);

/** A value of about this shape. Texts are often ids and paths that are there. */
function like(schema: Schema, known: Known, key = "", depth = 0): fc.Arbitrary<unknown> {
  if (depth > 6) return fc.constant(null);
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => like(choice, known, key, depth + 1)));
  if (schema.allOf !== undefined)
    return fc
      .tuple(...schema.allOf.map((part) => like(part, known, key, depth + 1)))
      .map((parts) => Object.assign({}, ...parts) as unknown);
  const type = Array.isArray(schema.type) ? (schema.type[0] as string) : (schema.type as string | undefined);
  switch (type) {
    case "object": {
      const shapes = Object.entries(schema.properties ?? {}).map(([name, value]) => [name, like(value, known, name, depth + 1)] as const);
      return fc.record(Object.fromEntries(shapes), { requiredKeys: [...(schema.required ?? [])] });
    }
    case "array":
      return fc.array(like(schema.items ?? {}, known, key, depth + 1), { maxLength: 4 });
    case "integer":
      return fc.integer({ min: 0, max: 1010 });
    case "number":
      return fc.oneof(fc.double({ noNaN: true }), fc.integer());
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case undefined:
    default: {
      const fitting = known.ids[key] ?? (/path|workspace|prefix/.test(key) ? known.paths : key === "text" ? TEXTS : undefined);
      const stray = fc.oneof(fc.constantFrom(...known.paths), fc.constantFrom(...TEXTS), fc.string({ maxLength: 20 }));
      return fitting === undefined ? stray : fc.oneof({ arbitrary: fc.constantFrom(...fitting), weight: 6 }, stray);
    }
  }
}

const TEXTS = ['{"read":{"/opt/**":"allow"}}', "{}", "{", "c1", "hello"];

/** The shape, now and then with something wrong in it: a key too many, one too few, another kind of value. */
function nearly(schema: Schema, known: Known, key = ""): fc.Arbitrary<unknown> {
  const fit = like(schema, known, key);
  const broken = fc
    .tuple(fit, fc.string({ maxLength: 10 }), hostile, fc.constantFrom("add", "change", "take", "replace"))
    .map(([value, key, wrong, how]) => {
      if (typeof value !== "object" || value === null || how === "replace") return wrong;
      const keys = Object.keys(value);
      const at = keys[key.length % Math.max(1, keys.length)] ?? key;
      if (how === "take") return Object.fromEntries(Object.entries(value).filter(([one]) => one !== at));
      return { ...value, [how === "add" ? key : at]: wrong };
    });
  return fc.oneof({ arbitrary: fit, weight: 5 }, { arbitrary: broken, weight: 3 }, { arbitrary: hostile, weight: 1 });
}

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

function requestsOf(operation: Operation, known: Known): fc.Arbitrary<Request> {
  const near = operation.name === "archiveSession" ? "ended" : (/\/(\w+)s\/\{id\}/.exec(operation.path)?.[1] ?? "session");
  const id = fc.oneof({ arbitrary: fc.constantFrom(...(known.ids[near] ?? [])), weight: 4 }, hostile.map(text));
  const query = fc.record(
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === "query")
        .map(({ name, schema }) => [
          name,
          name === "wait" ? fc.constantFrom("0", "0.01", "x", "-1") : nearly(schema, known, name).map(text),
        ]),
    ),
    {
      requiredKeys: operation.parameters
        .filter((parameter) => parameter.in === "query" && parameter.required === true)
        .map(({ name }) => name),
    },
  );
  const token = fc.oneof(
    { arbitrary: fc.constant(roleOf(operation) === "agent" ? known.credential : TOKEN), weight: 12 },
    fc.constantFrom(known.credential, TOKEN, "", "x", `${TOKEN} ${TOKEN}`),
  );
  const method = fc.oneof(
    { arbitrary: fc.constant(operation.method), weight: 15 },
    fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"),
  );
  const kind = fc.oneof(
    { arbitrary: fc.constant("application/json"), weight: 12 },
    fc.constantFrom("text/plain", "application/json; charset=utf-8", "multipart/form-data", ""),
  );
  const body: fc.Arbitrary<string> =
    operation.body === null
      ? fc.constant("{}")
      : fc.oneof(
          { arbitrary: nearly(operation.body, known).map((value) => JSON.stringify(value) ?? ""), weight: 10 },
          fc.string({ unit: "binary", maxLength: 40 }),
          fc.constantFrom("{", '{"a":1,"a":2}', "[".repeat(20_000), `"${"x".repeat(70_000)}"`, "\ufeff{}"),
        );
  const headers = fc.dictionary(
    fc.constantFrom(
      "x-session-id",
      "x-http-method-override",
      "x-forwarded-host",
      "accept",
      "x-hallpass-via",
      "expect",
      "range",
      "content-encoding",
    ),
    fc.string({ maxLength: 12 }).map((one) => one.replaceAll(/[^\x20-\x7e]/g, "").trim()),
    { maxKeys: 3 },
  );
  return fc.record({ id, query, token, method, kind, body, headers }).map((made) => {
    const search = new URLSearchParams(Object.entries(made.query).map(([key, value]): [string, string] => [key, value.toWellFormed()]));
    const path = operation.path.replace("{id}", encodeURIComponent(made.id.slice(0, 3000).toWellFormed()));
    const bodied = !["GET", "HEAD"].includes(made.method);
    return new Request(`http://hallpass${path}${search.size === 0 ? "" : `?${search.toString().slice(0, 6000)}`}`, {
      method: made.method,
      headers: {
        ...made.headers,
        ...(made.token === "" ? {} : { authorization: `Bearer ${made.token}` }),
        ...(bodied && made.kind !== "" ? { "content-type": made.kind } : {}),
      },
      ...(bodied ? { body: made.body } : {}),
    });
  });
}

const table: Readonly<Record<string, Route>> = routes;
const roleOf = ({ name }: Operation): string => table[name]?.role ?? "person";

async function operationsOf(stage: HttpStage): Promise<readonly Operation[]> {
  const { json } = await stage.send("/openapi.json");
  return Object.entries(json.paths as Record<string, Record<string, Described>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content["application/json"]?.schema ?? null,
    })),
  );
}

test("whatever is sent, nothing is a fault of ours, and every answer has the shape that was promised", async () => {
  const dir = mkdtempSync(join(tmpdir(), "hallpass-fuzz-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const stored = await openSqliteStore({ file: join(dir, "hallpass.db") });
  const stage = await httpStage({ stored, hosts: () => null, script: () => async () => "well" });
  const operations = await operationsOf(stage);
  expect(operations.map(({ name }) => name).toSorted()).toEqual(Object.keys(routes).toSorted());
  const agent = await stage.agent();
  const asked = await stage.send("/api/agent/asks", {
    method: "POST",
    token: agent.credential,
    body: { call: "c1", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: "to look" },
  });
  const opened = async (): Promise<string> =>
    (await stage.send("/api/sessions", { method: "POST", body: { workspace: stage.at.path("ws") } })).json.id;
  const session = await opened();
  const chat = await stage.send("/api/chats", { method: "POST", body: { session } });
  const other = await stage.agent();
  const granted = await stage.send("/api/agent/asks", {
    method: "POST",
    token: other.credential,
    body: { call: "c2", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: null },
  });
  const answered = await stage.send(`/api/asks/${granted.json.ask.id}/answer`, { method: "POST", body: { decision: "allow" } });
  const asking = await stage.agent();
  const always = await stage.send("/api/agent/asks", {
    method: "POST",
    token: asking.credential,
    body: { call: "c3", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: null },
  });
  await stage.send(`/api/asks/${always.json.ask.id}/answer`, { method: "POST", body: { decision: "allow", keep: true } });
  const rules = await stage.send("/api/kept_rules");
  const sessions = [agent.session, session, other.session];
  const known: Known = {
    ids: {
      session: sessions,
      parent: sessions,
      chat: [agent.chat, chat.json.id, other.chat],
      ask: [asked.json.ask.id, granted.json.ask.id],
      ask_id: [asked.json.ask.id, granted.json.ask.id],
      grant: [answered.json.grant.id],
      kept_rule: rules.json.map(({ id }: { readonly id: string }) => id),
      project: sessions,
      browser: [(await stage.send("/api/browsers", { method: "POST", body: { name: "Firefox on Android" } })).json.id],
      ended: [await opened(), await opened(), await opened()],
    },
    paths: ["ws", "lib", "other", "ws/src", "ws/a.txt", "ws/.env", "lib/go.mod", "missing"].map((path) => stage.at.path(path)),
    credential: agent.credential,
  };
  const counts = new Map<string, number>();
  const reached = new Map<string, number>();
  const began = performance.now();
  const one = fc.constantFrom(...operations).chain((operation) => requestsOf(operation, known).map((request) => ({ operation, request })));
  await fc.assert(
    fc.asyncProperty(one, async ({ operation, request }) => {
      const { method, url } = request;
      const response = await stage.server.app.fetch(request);
      const said = await response.text();
      counts.set(`${Math.floor(response.status / 100)}xx`, (counts.get(`${Math.floor(response.status / 100)}xx`) ?? 0) + 1);
      const what = `${operation.name}: ${method} ${url.slice(0, 300)} → ${response.status} ${said.slice(0, 300)}\n${stage.logged.slice(-1).join("").slice(0, 1500)}`;
      expect(response.status, what).toBeLessThan(500);
      expect(response.headers.get("x-content-type-options"), what).toBe("nosniff");
      expect(response.headers.get("access-control-allow-origin"), what).toBeNull();
      if (method === "HEAD") return;
      if (!response.ok) {
        expect(problemSchema.safeParse(JSON.parse(said)).success, what).toBe(true);
        return;
      }
      const route = Object.values(table).find((row) => row.path === operation.path && row.method === method);
      if (route === undefined) throw new Error(what);
      reached.set(operation.name, (reached.get(operation.name) ?? 0) + 1);
      const shape = route.media === undefined ? z.safeParse(route.answer, JSON.parse(said)) : null;
      expect(shape === null || shape.success, `${what} ${shape?.error?.message ?? ""}`).toBe(true);
    }),
    { numRuns: Number(process.env["FUZZ_RUNS"] ?? 5000), seed: Number(process.env["FUZZ_SEED"] ?? 20_240_917), endOnFailure: true },
  );
  await stage.server.agent.settled();
  const seconds = (performance.now() - began) / 1000;
  console.log(`fuzz: ${[...counts].map(([kind, count]) => `${count} ${kind}`).join(", ")} in ${seconds.toFixed(1)} s`);
  if (process.env["FUZZ_TELL"] !== undefined) console.log(operations.map(({ name }) => `${name} ${reached.get(name) ?? 0}`).join(", "));
  // It reached what it was to reach: enough was understood to be done, and enough was refused.
  expect(counts.get("2xx") ?? 0).toBeGreaterThan(300);
  expect(counts.get("4xx") ?? 0).toBeGreaterThan(1000);
});
