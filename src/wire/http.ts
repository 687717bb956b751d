// Every route of the HTTP interface as data: method, path, what goes in, what comes out, and whose role it takes. The server makes its
// routes from this table, the client its calls, and `/openapi.json` its document, so that the three cannot differ.

import { z } from "zod";
import {
  askingSchema,
  askSchema,
  chatSchema,
  decisionSchema,
  grantSchema,
  idSchema,
  messageSchema,
  mountModeSchema,
  mountSchema,
  operationSchema,
  pathSchema,
  projectSchema,
  sessionSchema,
} from "./values.ts";

/** Who may call: a person answers and revokes, an agent asks and uses. A person may not call an agent's routes: it has no session. */
export type Role = "person" | "agent";

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `{id}` for ids. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  /** The answer's kind, where it is not JSON. */
  readonly media?: string;
}

const text = z.string().min(1).max(32_768);
const limit = z.coerce.number().int().min(1).max(1000).optional();

/** A person's answer to an ask. `digest` is the card's: an answer to something else than what is there now is refused. */
export const answerBodySchema = z.discriminatedUnion("decision", [
  z.strictObject({
    decision: z.literal("allow"),
    digest: z.string().optional(),
    /** Ends the grant earlier than the session. */
    minutes: z
      .number()
      .int()
      .min(1)
      .max(7 * 24 * 60)
      .optional(),
  }),
  z.strictObject({ decision: z.literal("allow_once"), digest: z.string().optional() }),
  z.strictObject({ decision: z.literal("deny"), digest: z.string().optional(), note: z.string().max(2000).optional() }),
  z.strictObject({ decision: z.literal("deny_and_stop"), digest: z.string().optional(), note: z.string().max(2000).optional() }),
  z.strictObject({ decision: z.literal("reply"), digest: z.string().optional(), text }),
]);
export type AnswerBody = z.infer<typeof answerBodySchema>;

/** `via`: where the person answered, for the record (`web`, `terminal`, `mcp` …). */
const answered = z.object({ ask: askSchema, grant: grantSchema.nullable() });

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

export const treeEntrySchema = z.object({
  name: z.string(),
  path: z.string(),
  kind: z.enum(["file", "directory", "link", "other"]),
  /** What the agent may do with it: read and write, read, nothing (withheld: a secret or denied), or only after an ask. */
  state: z.enum(["writable", "readable", "withheld", "outside"]),
  reason: z.string(),
});

const auditRecord = z.object({
  sequence: z.number(),
  hash: z.string(),
  event: z.looseObject({ kind: z.string(), at: z.number(), session: z.string() }),
});

export const routes = {
  // ── The daemon ──
  health: {
    method: "GET",
    path: "/api/health",
    role: "person",
    summary: "is it well, and what is it",
    answer: z.object({
      /** False where the last thing that was to be recorded could not be. */
      ok: z.boolean(),
      version: z.string(),
      store: z.enum(["memory", "sqlite", "postgres"]),
      machine: z.string(),
      model: z.string(),
      startedAt: z.number(),
      openAsks: z.number(),
    }),
  },
  metrics: { method: "GET", path: "/metrics", role: "person", summary: "figures for Prometheus", answer: z.string(), media: "text/plain" },

  // ── Projects ──
  listProjects: { method: "GET", path: "/api/projects", role: "person", summary: "every project", answer: z.array(projectSchema) },
  addProject: {
    method: "POST",
    path: "/api/projects",
    role: "person",
    summary: "register a directory as a project",
    body: z.strictObject({ path: pathSchema, name: z.string().min(1).max(200).optional() }),
    answer: projectSchema,
  },

  // ── Sessions and their roots ──
  listSessions: {
    method: "GET",
    path: "/api/sessions",
    role: "person",
    summary: "sessions, newest first",
    query: z.strictObject({ archived: z.enum(["true", "false"]).optional(), limit }),
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
  archiveSession: { method: "POST", path: "/api/sessions/{id}/archive", role: "person", summary: "end a session", answer: sessionSchema },
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
    query: z.strictObject({ path: pathSchema, ask: idSchema.optional(), limit }),
    answer: z.object({ path: z.string(), entries: z.array(treeEntrySchema), more: z.boolean() }),
  },
  complete: {
    method: "GET",
    path: "/api/sessions/{id}/complete",
    role: "person",
    summary: "paths in scope that begin like this",
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

  // ── Chats ──
  listChats: {
    method: "GET",
    path: "/api/chats",
    role: "person",
    summary: "chats, newest first",
    query: z.strictObject({ session: idSchema.optional() }),
    answer: z.array(chatSchema),
  },
  addChat: {
    method: "POST",
    path: "/api/chats",
    role: "person",
    summary: "begin a chat in a session",
    body: z.strictObject({ session: idSchema, title: z.string().max(200).optional() }),
    answer: chatSchema,
  },
  chat: { method: "GET", path: "/api/chats/{id}", role: "person", summary: "one chat", answer: chatSchema },
  messages: {
    method: "GET",
    path: "/api/chats/{id}/messages",
    role: "person",
    summary: "the newest messages, or those before one; in order, and last what was said and not heard yet",
    query: z.strictObject({ before: z.string().optional(), limit }),
    answer: z.object({ messages: z.array(messageSchema), earlier: z.boolean() }),
  },
  say: {
    method: "POST",
    path: "/api/chats/{id}/messages",
    role: "person",
    summary: "say something, also while the chat runs: it is stored at once and heard before the next turn",
    body: z.strictObject({ text }),
    answer: chatSchema,
  },
  cancel: {
    method: "POST",
    path: "/api/chats/{id}/cancel",
    role: "person",
    summary: "stop, and close what is open; what was said meanwhile is heard next",
    answer: chatSchema,
  },
  grantReadAccess: {
    method: "POST",
    path: "/api/chats/{id}/grant_read_access",
    role: "person",
    summary: "answer an ask of this chat",
    body: z.intersection(z.object({ ask_id: z.string() }), z.looseObject({ decision: z.string() })),
    answer: answered,
  },
  answerUserInput: {
    method: "POST",
    path: "/api/chats/{id}/answer_user_input",
    role: "person",
    summary: "answer a question of this chat",
    body: z.strictObject({ ask_id: z.string(), answer: text }),
    answer: answered,
  },

  // ── Asks ──
  listAsks: {
    method: "GET",
    path: "/api/asks",
    role: "person",
    summary: "asks of every session and agent",
    query: z.strictObject({ state: z.enum(["open", "answered", "closed"]).optional(), session: idSchema.optional(), limit }),
    answer: z.array(askSchema),
  },
  ask: { method: "GET", path: "/api/asks/{id}", role: "person", summary: "one ask", answer: askSchema },
  answer: {
    method: "POST",
    path: "/api/asks/{id}/answer",
    role: "person",
    summary: "answer it; one answer wins, the others get 409 and its final state",
    body: answerBodySchema,
    answer: answered,
  },

  // ── Grants ──
  listGrants: {
    method: "GET",
    path: "/api/grants",
    role: "person",
    summary: "grants, with who gave them and what was read under each",
    query: z.strictObject({ session: idSchema.optional() }),
    answer: z.array(grantSchema),
  },
  grantReads: {
    method: "GET",
    path: "/api/grants/{id}/reads",
    role: "person",
    summary: "what was read under a grant, newest first",
    query: z.strictObject({ limit }),
    answer: z.array(z.object({ path: z.string(), at: z.number(), tool: z.string(), operation: z.string() })),
  },
  revoke: { method: "POST", path: "/api/grants/{id}/revoke", role: "person", summary: "end a grant now", answer: grantSchema },
  revokeAll: {
    method: "POST",
    path: "/api/sessions/{id}/revoke_all",
    role: "person",
    summary: "end every grant of a session",
    answer: z.object({ revoked: z.number() }),
  },
  keepGrant: {
    method: "POST",
    path: "/api/grants/{id}/keep",
    role: "person",
    summary: "keep a grant for good: a rule in the operator's policy file",
    answer: z.object({ file: z.string(), line: z.number() }),
  },

  // ── Policy ──
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

  // ── The record ──
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
      limit,
    }),
    answer: z.object({ records: z.array(auditRecord), earlier: z.boolean() }),
  },
  exportAudit: {
    method: "GET",
    path: "/api/audit/export",
    role: "person",
    summary: "the whole record, one JSON object a line",
    answer: z.string(),
    media: "application/x-ndjson",
  },

  // ── Agents from elsewhere ──
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
    }),
    answer: z.object({ session: sessionSchema, chat: chatSchema, credential: z.string() }),
  },
  agentSession: {
    method: "GET",
    path: "/api/agent/session",
    role: "agent",
    summary: "the session as it stands, for one call: roots, grants and yeses for this call",
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
        z.object({ call: z.string(), ask: z.string(), right: z.enum(["read", "write"]), path: z.string(), by: z.string(), at: z.number() }),
      ),
    }),
  },
  decide: {
    method: "POST",
    path: "/api/agent/decide",
    role: "agent",
    summary: "judge one access of this agent; it is recorded",
    body: z.strictObject({ call: z.string().max(200), tool: z.string().max(200), operation: operationSchema, path: pathSchema }),
    answer: decisionSchema,
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
    }),
    answer: z.discriminatedUnion("state", [
      z.object({ state: z.literal("waiting"), ask: askSchema }),
      z.object({ state: z.literal("done"), ok: z.boolean(), code: z.string().nullable(), text: z.string() }),
    ]),
  },
  agentWait: {
    method: "GET",
    path: "/api/agent/asks/{id}",
    role: "agent",
    summary: "an ask of this agent; waits until it is settled, so many seconds at the most",
    query: z.strictObject({ wait: z.coerce.number().min(0).max(60).optional() }),
    answer: askSchema,
  },
  agentCancel: {
    method: "POST",
    path: "/api/agent/asks/{id}/cancel",
    role: "agent",
    summary: "the agent no longer needs it",
    answer: askSchema,
  },
  agentRecord: {
    method: "POST",
    path: "/api/agent/record",
    role: "agent",
    summary: "decisions that were made where the agent runs",
    body: z.strictObject({ events: z.array(z.looseObject({ kind: z.enum(["decision", "open-failed"]) })).max(500) }),
    answer: z.object({ recorded: z.number() }),
  },
} as const satisfies Readonly<Record<string, Route>>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
