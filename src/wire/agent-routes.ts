// Routes of agents from elsewhere: a program registers the agent it runs, and the agent asks and uses under its own credential. The program
// is the person's and judges with everything that counts; the agent's credential learns of nothing that is not open to the agent.

import { z } from "zod";
import type { RouteTable } from "./route.ts";
import {
  agentAskSchema,
  agentDecisionSchema,
  chatSchema,
  idSchema,
  operationSchema,
  pathSchema,
  plannedWriteSchema,
  sessionSchema,
} from "./values.ts";

export const agentRoutes = {
  register: {
    method: "POST",
    path: "/api/agents/register",
    role: "person",
    summary: "a program registers the agent it runs; the same host and hostSession give the same session",
    body: z.strictObject({
      host: z.string().min(1).max(60),
      /** The host's own name of this run of the agent. */
      hostSession: z.string().min(1).max(200),
      workspace: pathSchema,
      label: z.string().max(120).optional(),
      /** Our session of the agent above it. */
      parent: idSchema.optional(),
      attended: z.boolean().optional(),
      /**
       * The process that started the program, and when that was started, by the kernel's count. Where it is a host whose hooks have called from this
       * workspace, the session is the one of its hooks.
       */
      startedBy: z.strictObject({ pid: z.number().int().positive(), born: z.string().min(1).max(40) }).optional(),
    }),
    answer: z.object({ session: sessionSchema, chat: chatSchema, credential: z.string() }),
  },
  agentState: {
    method: "GET",
    path: "/api/sessions/{id}/state",
    role: "person",
    summary: "what a program judges with for the agent it runs, in one call: roots, grants and yeses for this call",
    query: z.strictObject({ call: z.string().max(200).optional() }),
    answer: z.object({
      session: sessionSchema,
      /** Workspaces whose project policies hold here too. */
      inherited: z.array(z.string()),
      projects: z.array(z.string()),
      grants: z.array(
        z.object({
          id: z.string(),
          session: z.string(),
          ask: z.string(),
          path: z.string(),
          dev: z.number(),
          ino: z.number(),
          /** Missing from what an earlier daemon says. */
          born: z.number().nullable().default(null),
          by: z.string(),
          at: z.number(),
          expires: z.number().nullable(),
          revokedAt: z.number().nullable(),
        }),
      ),
      once: z.array(
        z.object({
          call: z.string(),
          ask: z.string(),
          right: z.enum(["read", "write"]),
          path: z.string(),
          operation: operationSchema,
          offers: z.enum(["once", "session"]),
          by: z.string(),
          at: z.number(),
        }),
      ),
    }),
  },
  agentSession: {
    method: "GET",
    path: "/api/agent/session",
    role: "agent",
    summary: "the agent's session as it stands: its workspace and what else is open to it",
    answer: z.object({ session: sessionSchema }),
  },
  decide: {
    method: "POST",
    path: "/api/agent/decide",
    role: "agent",
    summary: "judge one access of this agent; it is recorded",
    body: z.strictObject({ call: z.string().max(200), tool: z.string().max(200), operation: operationSchema, path: pathSchema }),
    answer: agentDecisionSchema,
  },
  agentAsk: {
    method: "POST",
    path: "/api/agent/asks",
    role: "agent",
    summary: "put an access before a person; answered at once where nobody need be asked",
    body: z.strictObject({
      call: z.string().max(200),
      tool: z.string().max(200),
      operation: operationSchema,
      path: pathSchema,
      reason: z.string().min(1).max(500).nullable(),
      // A command that nothing on the agent's machine confines; the path is its text.
      unconfined: z.literal(true).optional(),
      // A command that needs the network; the path is its text.
      network: z.literal(true).optional(),
      // For a write: what it would make of files, and a digest of all that it would write. A yes for once is to that content alone.
      writes: z.array(plannedWriteSchema).max(400).optional(),
      content: z.string().min(1).max(200).optional(),
    }),
    answer: z.discriminatedUnion("state", [
      z.object({ state: z.literal("waiting"), ask: agentAskSchema }),
      z.object({ state: z.literal("done"), ok: z.boolean(), code: z.string().nullable(), text: z.string() }),
    ]),
  },
  agentWait: {
    method: "GET",
    path: "/api/agent/asks/{id}",
    role: "agent",
    summary: "an ask of this agent; waits until it is settled, so many seconds at the most",
    query: z.strictObject({ wait: z.coerce.number().min(0).max(60).optional() }),
    answer: agentAskSchema,
  },
  agentCancel: {
    method: "POST",
    path: "/api/agent/asks/{id}/cancel",
    role: "agent",
    summary: "the agent no longer needs it",
    answer: agentAskSchema,
  },
  agentRecord: {
    method: "POST",
    path: "/api/agent/record",
    role: "agent",
    summary: "decisions that were made where the agent runs",
    body: z.strictObject({ events: z.array(z.looseObject({ kind: z.enum(["decision", "open-failed"]) })).max(500) }),
    answer: z.object({ recorded: z.number() }),
  },
} as const satisfies RouteTable;
