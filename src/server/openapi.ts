// The OpenAPI document of the interface, made from the routes' table: what is published cannot differ from what is served. Values that
// stand in many answers are described once, by name.

import { z } from "zod";
import { policyJsonSchema } from "../config/schema.ts";
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

const schemaNames = z.registry<{ readonly id: string }>();
for (const [id, schema] of Object.entries({
  Ask: askSchema,
  Chat: chatSchema,
  Decision: decisionSchema,
  Grant: grantSchema,
  Message: messageSchema,
  Problem: problemSchema,
  Project: projectSchema,
  Session: sessionSchema,
  TreeEntry: treeEntrySchema,
}))
  schemaNames.add(schema, { id });

const objectSchema = z.record(z.string(), z.unknown());

export function openApiDocument(version: string): Readonly<Record<string, unknown>> {
  const rows: Readonly<Record<string, Route>> = routes;
  const schemas: Record<string, unknown> = {};
  /** The named values in it are put among the schemas, and stand there as references. */
  const describe = (value: z.ZodType): Readonly<Record<string, unknown>> => {
    // Within an object, so that one that is itself named is a reference too.
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ value }), { metadata: schemaNames, io: "input" });
    for (const [name, { id: _, ...schema }] of Object.entries($defs)) schemas[name] = schema;
    return objectSchema.parse(properties?.["value"]);
  };
  const content = (value: z.ZodType, media = "application/json") => ({ content: { [media]: { schema: describe(value) } } });
  const refused = { description: "refused, with a code of the closed list", ...content(problemSchema) };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries(rows)) {
    const parameters = [...(route.path.includes("{id}") ? [ID] : []), ...(route.query === undefined ? [] : queryOf(describe(route.query)))];
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: {
        operationId: name,
        summary: route.summary,
        tags: [tagOf(route)],
        security: route.role === "anyone" ? [] : [{ token: [] }],
        "x-role": route.role,
        ...(parameters.length === 0 ? {} : { parameters }),
        ...(route.body === undefined ? {} : { requestBody: { required: true, ...content(route.body) } }),
        responses: { 200: { description: "done", ...content(route.answer, route.media) }, default: refused },
      },
    };
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Hallpass",
      version,
      description:
        "The file boundary for AI coding agents. Every address takes a bearer token: a person's, or an agent's own. `x-role` says whose; `anyone` needs none.",
      license: { name: "Apache-2.0" },
    },
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } }, schemas: { ...schemas, ...policySchemas() } },
    paths,
  };
  return withReferences(document, (name) => name);
}

/** A policy file, which travels as text: the schema that is published by itself, with its parts under names of their own. */
function policySchemas(): Readonly<Record<string, unknown>> {
  const nameOf = (part: string): string => `Policy${part.charAt(0).toUpperCase()}${part.slice(1)}`;
  const { $schema: _, $id: __, $defs: parts = {}, ...policy } = policyJsonSchema();
  const schemas = Object.entries(objectSchema.parse(parts)).map(([part, schema]): [string, unknown] => {
    const { id: _id, ...rest } = objectSchema.parse(schema);
    return [nameOf(part), rest];
  });
  return withReferences({ PolicyDocument: policy, ...Object.fromEntries(schemas) }, nameOf);
}

/** The same with its references where a document of OpenAPI has what they lead to. */
function withReferences(value: object, nameOf: (name: string) => string): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(value).replaceAll(/"#\/\$defs\/(\w+)"/gu, (_whole, name: string) => `"#/components/schemas/${nameOf(name)}"`);
  return objectSchema.parse(JSON.parse(text));
}

const ID = { name: "id", in: "path", required: true, schema: { type: "string" } };

function queryOf({ properties = {}, required = [] }: { readonly properties?: unknown; readonly required?: unknown }): readonly object[] {
  return Object.entries(objectSchema.parse(properties)).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    return { name, in: "query", ...(isRequired ? { required: true } : {}), schema };
  });
}

/** The document as it is published with the package. */
export const openApiText = (version: string): string => `${JSON.stringify(openApiDocument(version), null, 2)}\n`;

const tagOf = ({ path }: Route): string => path.split("/").find((name) => name !== "" && name !== "api") ?? "daemon";
