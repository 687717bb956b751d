// Routes of projects, sessions and their roots, and of what an agent could see in them.

import { z } from "zod";
import { limitSchema, type RouteTable } from "./route.ts";
import {
  askingSchema,
  decisionSchema,
  idSchema,
  mountModeSchema,
  mountSchema,
  operationSchema,
  pathSchema,
  projectSchema,
  sessionSchema,
} from "./values.ts";

export const treeEntrySchema = z.object({
  name: z.string(),
  path: z.string(),
  kind: z.enum(["file", "directory", "link", "other"]),
  /** Where a link leads in the end; null for everything else. For the person: an agent is not told. */
  leads: z.string().nullable(),
  /** What the agent may do with it: read and write (of a directory: make files in it), read, nothing (withheld: a secret or denied), or only after an ask. */
  state: z.enum(["writable", "readable", "withheld", "outside"]),
  reason: z.string(),
});

export const sessionRoutes = {
  listProjects: { method: "GET", path: "/api/projects", role: "person", summary: "every project", answer: z.array(projectSchema) },
  addProject: {
    method: "POST",
    path: "/api/projects",
    role: "person",
    summary: "register a directory as a project",
    body: z.strictObject({ path: pathSchema, name: z.string().min(1).max(200).optional() }),
    answer: projectSchema,
  },

  listSessions: {
    method: "GET",
    path: "/api/sessions",
    role: "person",
    summary: "sessions, newest first; `before` is the last one's id of the page before",
    query: z.strictObject({ archived: z.enum(["true", "false"]).optional(), before: idSchema.optional(), limit: limitSchema }),
    answer: z.array(sessionSchema),
  },
  addSession: {
    method: "POST",
    path: "/api/sessions",
    role: "person",
    summary: "open a session in a workspace",
    body: z.strictObject({
      workspace: pathSchema,
      project: idSchema.optional(),
      asking: askingSchema.optional(),
      attended: z.boolean().optional(),
      mounts: z.array(mountSchema).max(64).optional(),
    }),
    answer: sessionSchema,
  },
  session: { method: "GET", path: "/api/sessions/{id}", role: "person", summary: "one session", answer: sessionSchema },
  shrinkSession: {
    method: "PATCH",
    path: "/api/sessions/{id}",
    role: "person",
    summary: "take entries out of allowed_read_paths; nothing can be added",
    body: z.strictObject({ allowed_read_paths: z.array(pathSchema).max(10_000) }),
    answer: sessionSchema,
  },
  archiveSession: {
    method: "POST",
    path: "/api/sessions/{id}/archive",
    role: "person",
    summary: "end a session: its commands are stopped, its asks closed, its grants end",
    /** `agent-left`: said by the program that ran its agent, which is gone. */
    query: z.strictObject({ why: z.enum(["person", "agent-left"]).optional() }),
    answer: sessionSchema,
  },
  reanchor: {
    method: "POST",
    path: "/api/sessions/{id}/reanchor",
    role: "person",
    summary: "move the workspace; once-grants end and open asks are judged again",
    body: z.strictObject({ workspace: pathSchema, transcript: z.enum(["carry", "drop"]).optional() }),
    answer: sessionSchema,
  },
  addMount: {
    method: "POST",
    path: "/api/sessions/{id}/mounts",
    role: "person",
    summary: "add a root, or change its mode",
    body: z.strictObject({ path: pathSchema, mode: mountModeSchema }),
    answer: sessionSchema,
  },
  removeMount: {
    method: "POST",
    path: "/api/sessions/{id}/mounts/remove",
    role: "person",
    summary: "take a root out; fine if it is not there",
    body: z.strictObject({ path: pathSchema }),
    answer: sessionSchema,
  },
  tree: {
    method: "GET",
    path: "/api/sessions/{id}/tree",
    role: "person",
    summary: "one directory as the agent would see it, now or after a yes to an ask",
    /** `opens`: after a yes to the folder or the repository that the ask offers, and not to what it proposes. */
    query: z.strictObject({
      path: pathSchema,
      ask: idSchema.optional(),
      opens: z.enum(["folder", "repository"]).optional(),
      limit: limitSchema,
    }),
    answer: z.object({ path: z.string(), entries: z.array(treeEntrySchema), more: z.boolean() }),
  },
  complete: {
    method: "GET",
    path: "/api/sessions/{id}/complete",
    role: "person",
    summary: "paths in scope that are meant by this, the likeliest first",
    query: z.strictObject({ prefix: z.string().max(4096) }),
    answer: z.array(z.string()),
  },
  explain: {
    method: "POST",
    path: "/api/sessions/{id}/explain",
    role: "person",
    summary: "judge an access without doing it, and say why",
    body: z.strictObject({ path: pathSchema, operation: operationSchema.optional() }),
    answer: decisionSchema,
  },
} as const satisfies RouteTable;
