// Every route of the HTTP interface as data: method, path, what goes in, what comes out, and whose role it takes. The server makes its
// routes from this table, the client its calls, and `/openapi.json` its document, so that the three cannot differ. Each subject has a file.

import { z } from "zod";
import { agentRoutes } from "./agent-routes.ts";
import { askRoutes } from "./ask-routes.ts";
import { auditRoutes } from "./audit-routes.ts";
import { browserRoutes } from "./browser-routes.ts";
import { chatRoutes } from "./chat-routes.ts";
import { placeRoutes } from "./place-routes.ts";
import { modelRoutes } from "./model-routes.ts";
import { policyRoutes } from "./policy-routes.ts";
import { pushRoutes } from "./push-routes.ts";
import type { RouteTable } from "./route.ts";
import { sessionRoutes } from "./session-routes.ts";

export { type AnswerBody, answerBodySchema } from "./ask-routes.ts";
export type { Role, Route } from "./route.ts";
export { treeEntrySchema } from "./session-routes.ts";

/** Every route of the HTTP interface, in the order of docs/server-api.md. */
export const routes = {
  health: {
    method: "GET",
    path: "/api/health",
    role: "person",
    summary: "is it well, and what is it",
    answer: z.object({
      /** False where the last thing that was to be recorded could not be. */
      ok: z.boolean(),
      /** What of the store could not be read, a sentence a row; empty where all is well. */
      degraded: z.array(z.string()),
      version: z.string(),
      store: z.enum(["memory", "sqlite", "postgres"]),
      machine: z.string(),
      model: z.string(),
      startedAt: z.number(),
      openAsks: z.number(),
    }),
  },
  metrics: { method: "GET", path: "/metrics", role: "person", summary: "figures for Prometheus", answer: z.string(), media: "text/plain" },
  ...browserRoutes,
  ...pushRoutes,
  ...placeRoutes,
  ...sessionRoutes,
  ...chatRoutes,
  ...modelRoutes,
  ...askRoutes,
  ...policyRoutes,
  ...auditRoutes,
  ...agentRoutes,
} as const satisfies RouteTable;

/** Every route, by name. */
export type Routes = typeof routes;
/** The name of a route. */
export type RouteName = keyof Routes;
