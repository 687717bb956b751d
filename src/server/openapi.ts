// The OpenAPI document of the interface, made from the routes' table: what is published cannot differ from what is served. Values that
// stand in many answers are described once, by name.

import { OpenAPIHono } from "@hono/zod-openapi";
import { z } from "zod";
import { treeEntrySchema, type Route, routes } from "../wire/http.ts";
import {
  askSchema,
  chatSchema,
  decisionSchema,
  grantSchema,
  messageSchema,
  problemSchema,
  projectSchema,
  sessionSchema,
} from "../wire/values.ts";
import { policyJsonSchema } from "../config/schema.ts";
import { canonicalJson } from "./views/canonical-json.ts";

const named: Readonly<Record<string, z.ZodType>> = {
  Ask: askSchema,
  Chat: chatSchema,
  Decision: decisionSchema,
  Grant: grantSchema,
  Message: messageSchema,
  Problem: problemSchema,
  Project: projectSchema,
  Session: sessionSchema,
  TreeEntry: treeEntrySchema,
};

export function openApiDocument(version: string): Readonly<Record<string, unknown>> {
  const app = new OpenAPIHono();
  const { openAPIRegistry: registry } = app;
  const scheme = registry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
  const rows: Readonly<Record<string, Route>> = routes;
  for (const [name, route] of Object.entries(rows)) {
    registry.registerPath({
      method: methods[route.method],
      path: route.path,
      operationId: name,
      summary: route.summary,
      tags: [tagOf(route)],
      security: route.role === "anyone" ? [] : [{ [scheme.name]: [] }],
      "x-role": route.role,
      request: {
        ...(route.path.includes("{id}") ? { params: z.object({ id: z.string() }) } : {}),
        ...(route.query === undefined ? {} : { query: route.query }),
        ...(route.body === undefined ? {} : { body: { required: true, content: { "application/json": { schema: route.body } } } }),
      },
      responses: {
        200: { description: "done", content: { [route.media ?? "application/json"]: { schema: route.answer } } },
        default: { description: "refused, with a code of the closed list", content: { "application/json": { schema: problemSchema } } },
      },
    });
  }
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Hallpass",
      version,
      description:
        "The file boundary for AI coding agents. Every address takes a bearer token: a person's, or an agent's own. `x-role` says whose; `anyone` needs none.",
      license: { name: "Apache-2.0" },
    },
  });
  const schemas = describedValues();
  const described = Object.entries(schemas).map(([name, schema]): [string, unknown] => [name, byName(schema, namesOf(schemas, name))]);
  return {
    ...document,
    components: {
      securitySchemes: document.components?.securitySchemes,
      schemas: { ...Object.fromEntries(described), ...policyComponents() },
    },
    paths: byName(document.paths ?? {}, namesOf(schemas, null)),
  };
}

/** A policy file, which travels as text: the schema that is published by itself, with its parts under names of their own. */
function policyComponents(): Readonly<Record<string, unknown>> {
  const { $schema: _, $id: __, $defs: parts, ...policy } = policyJsonSchema();
  const nameOf = (part: string): string => `Policy${part.charAt(0).toUpperCase()}${part.slice(1)}`;
  const own = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(own);
    return Object.fromEntries(
      Object.entries(value).map(([key, held]: [string, unknown]): [string, unknown] => [
        key,
        key === "$ref" && typeof held === "string"
          ? held.replace(/^#\/\$defs\/(.+)$/u, (_whole, part: string) => `#/components/schemas/${nameOf(part)}`)
          : own(held),
      ]),
    );
  };
  const named = Object.entries(parts ?? {}).map(([part, schema]: [string, unknown]): [string, unknown] => {
    const { id: _id, ...rest } = z.record(z.string(), z.unknown()).parse(schema);
    return [nameOf(part), own(rest)];
  });
  return { PolicyDocument: own(policy), ...Object.fromEntries(named) };
}

/** The document as it is published with the package. */
export const openApiText = (version: string): string => `${JSON.stringify(openApiDocument(version), null, 2)}\n`;

/**
 * The descriptions of the named values. A name could be given to a value itself only before it is made, and those who make them know
 * nothing of this; so each is described as the answer of an address of its own, and taken from there.
 */
function describedValues(): Readonly<Record<string, unknown>> {
  const app = new OpenAPIHono();
  for (const [name, schema] of Object.entries(named)) {
    const content = { "application/json": { schema } };
    app.openAPIRegistry.registerPath({ method: "get", path: `/${name}`, responses: { 200: { description: name, content } } });
  }
  const { paths = {} } = app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "", version: "" } });
  const schemaOf = (name: string): unknown => {
    const answer: unknown = paths[`/${name}`]?.get?.responses?.["200"];
    const read = answerSchema.safeParse(answer);
    return read.success ? read.data.content["application/json"].schema : {};
  };
  return Object.fromEntries(Object.keys(named).map((name) => [name, schemaOf(name)]));
}

const answerSchema = z.object({ content: z.object({ "application/json": z.object({ schema: z.unknown() }) }) });

/** Each description with its name, but for `without` itself. */
function namesOf(schemas: Readonly<Record<string, unknown>>, without: string | null): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(schemas)
      .filter(([name]) => name !== without)
      .map(([name, schema]) => [canonicalJson(schema), name]),
  );
}

/** The same, with a reference wherever a named description stands. */
function byName(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const name = names.get(canonicalJson(value));
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(value)) return value.map((item: unknown) => byName(item, names));
  return Object.fromEntries(Object.entries(value).map(([key, held]): [string, unknown] => [key, byName(held, names)]));
}

const methods = { GET: "get", POST: "post", PUT: "put", PATCH: "patch", DELETE: "delete" } as const;

const tagOf = ({ path }: Route): string => path.split("/").find((name) => name !== "" && name !== "api") ?? "daemon";
