// Routes of the policy: what holds and who says so, what a text would change, and writing the operator's.

import { z } from "zod";
import type { RouteTable } from "./route.ts";
import { decisionSchema, idSchema, operationSchema, pathSchema } from "./values.ts";

const policyFinding = z.object({
  file: z.string().nullable(),
  line: z.number().nullable(),
  column: z.number().nullable(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
});
const policyLayer = z.object({
  author: z.enum(["builtin", "administrator", "operator", "project"]),
  file: z.string().nullable(),
  exists: z.boolean(),
  /** The file as it is on disk; null for the builtin layer and where there is none. */
  text: z.string().nullable(),
  rules: z.array(
    z.object({
      right: z.string(),
      glob: z.string(),
      verdict: z.string(),
      why: z.string().nullable(),
      file: z.string().nullable(),
      line: z.number().nullable(),
    }),
  ),
});

export const policyRoutes = {
  policy: {
    method: "GET",
    path: "/api/policy",
    role: "person",
    summary: "the policy that holds in a workspace, layer by layer",
    query: z.strictObject({ workspace: pathSchema.optional() }),
    answer: z.object({ layers: z.array(policyLayer), findings: z.array(policyFinding), preset: z.string() }),
  },
  lintPolicy: {
    method: "POST",
    path: "/api/policy/lint",
    role: "person",
    summary: "what is wrong with a policy file's text",
    body: z.strictObject({ text: z.string().max(60_000) }),
    answer: z.object({ findings: z.array(policyFinding) }),
  },
  tryPolicy: {
    method: "POST",
    path: "/api/policy/try",
    role: "person",
    summary: "judge a path, under the policy as it is or as this text would make it",
    body: z.strictObject({
      workspace: pathSchema,
      path: pathSchema,
      operation: operationSchema.optional(),
      text: z.string().max(60_000).optional(),
      session: idSchema.optional(),
    }),
    answer: decisionSchema,
  },
  savePolicy: {
    method: "PUT",
    path: "/api/policy/operator",
    role: "person",
    summary: "write the operator's policy file, if it is still what was read and the new text is well-formed",
    body: z.strictObject({ text: z.string().max(60_000), before: z.string().max(60_000).nullable() }),
    answer: z.object({ file: z.string() }),
  },
} as const satisfies RouteTable;
