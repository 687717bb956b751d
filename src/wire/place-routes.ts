// Routes of the first page: where a session may begin.

import { z } from "zod";
import type { RouteTable } from "./route.ts";
import { sessionSchema } from "./values.ts";

const placeSchema = z.object({
  /** Absolute, or as it was begun: `~/code/shop`. */
  path: z.string(),
  /** Does it hold a repository? */
  isRepository: z.boolean(),
});

export const placeRoutes = {
  directories: {
    method: "GET",
    path: "/api/directories",
    role: "person",
    summary: "directories of this machine whose path begins like this; `~` and what is relative are seen from the home directory",
    query: z.strictObject({ prefix: z.string().max(4096) }),
    answer: z.array(placeSchema),
  },
  foundProjects: {
    method: "GET",
    path: "/api/projects/found",
    role: "person",
    summary: "repositories in the home directory that are no project yet, the one last worked in first; looked for briefly",
    answer: z.array(placeSchema),
  },
  addSample: {
    method: "POST",
    path: "/api/sessions/sample",
    role: "person",
    summary:
      "a small workspace to try things on, in the home directory: a repository beside it, secrets and a link; opened as a session that asks",
    answer: z.object({ session: sessionSchema, asks: z.string(), link: z.string(), secret: z.string() }),
  },
} as const satisfies RouteTable;
