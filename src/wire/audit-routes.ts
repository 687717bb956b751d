// Routes of the record.

import { z } from "zod";
import { limitSchema, type RouteTable } from "./route.ts";
import { idSchema, pathSchema } from "./values.ts";

export { auditKinds } from "../core/audit.ts";

const auditRecord = z.object({
  sequence: z.number(),
  hash: z.string(),
  event: z.looseObject({ kind: z.string(), at: z.number(), session: z.string() }),
  /** Whose session it was; null where it was nobody's. No part of the chain. `machine` is null where it is the daemon's own. */
  about: z.object({ agent: z.string(), workspace: z.string(), machine: z.string().nullable() }).nullable(),
});

export type WireRecord = z.infer<typeof auditRecord>;

export const auditRoutes = {
  audit: {
    method: "GET",
    path: "/api/audit",
    role: "person",
    summary: "the record, newest first",
    query: z.strictObject({
      session: idSchema.optional(),
      before: z.coerce.number().int().optional(),
      kind: z.string().max(40).optional(),
      verdict: z.enum(["allow", "ask", "deny"]).optional(),
      since: z.coerce.number().optional(),
      /** Part of a path: as it was asked for, as it really is, or as it was granted. */
      path: pathSchema.optional(),
      limit: limitSchema,
    }),
    /** `next`: there may be more before this number; null where there is none. For a path a page may be empty and not the last. */
    answer: z.object({ records: z.array(auditRecord), next: z.number().nullable() }),
  },
  exportAudit: {
    method: "GET",
    path: "/api/audit/export",
    role: "person",
    summary: "the whole record, one JSON object a line",
    /** After this number: the first line then says where it begins. */
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional() }),
    answer: z.string(),
    media: "application/x-ndjson",
  },
} as const satisfies RouteTable;
