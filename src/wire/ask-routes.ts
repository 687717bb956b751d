// Routes of asks, answers and what comes of them: grants.

import { z } from "zod";
import { limitSchema, type RouteTable, textSchema } from "./route.ts";
import {
  afterRevokeAllSchema,
  afterRevokeSchema,
  askSchema,
  grantSchema,
  idSchema,
  keptRuleSchema,
  readSchema,
  ruleAtSchema,
} from "./values.ts";

/** A person's answer to an ask. `digest` is the card's: an answer to something else than what is there now is refused. */
export const answerBodySchema = z.discriminatedUnion("decision", [
  z.strictObject({
    decision: z.literal("allow"),
    digest: z.string().optional(),
    /** Another directory than the proposed one: the folder in it, or the repository around it. Only what the ask offers. */
    opens: z.enum(["folder", "repository"]).optional(),
    /** Ends the grant earlier than the session. */
    minutes: z
      .number()
      .int()
      .min(1)
      .max(7 * 24 * 60)
      .optional(),
    /** Keep the grant for every session of its workspace, as `keepGrant` does. */
    keep: z.literal(true).optional(),
  }),
  z.strictObject({ decision: z.literal("allow_once"), digest: z.string().optional() }),
  z.strictObject({ decision: z.literal("deny"), digest: z.string().optional(), note: z.string().max(2000).optional() }),
  z.strictObject({ decision: z.literal("deny_and_stop"), digest: z.string().optional(), note: z.string().max(2000).optional() }),
  z.strictObject({ decision: z.literal("reply"), digest: z.string().optional(), text: textSchema }),
]);
/** An answer to an ask. */
export type AnswerBody = z.infer<typeof answerBodySchema>;

const [allow, allowOnce, deny, denyAndStop, reply] = answerBodySchema.options;
const ofChat = { ask_id: z.string() };

/** The same with the ask's id, where the address names a chat. */
export const answerInChatSchema = z.discriminatedUnion("decision", [
  allow.extend(ofChat),
  allowOnce.extend(ofChat),
  deny.extend(ofChat),
  denyAndStop.extend(ofChat),
  reply.extend(ofChat),
]);

export const answeredSchema = z.object({
  ask: askSchema,
  grant: grantSchema.nullable(),
  /** Where the rule stands that keeps it; null where it was not to be kept, or could not be: then `notKept` says why. */
  kept: ruleAtSchema.nullable(),
  notKept: z.string().nullable(),
});

export const askRoutes = {
  listAsks: {
    method: "GET",
    path: "/api/asks",
    role: "person",
    summary:
      "the newest asks of every session and agent, in the order in which they came; `before` is the first one's id of the page after",
    query: z.strictObject({
      state: z.enum(["open", "answered", "closed"]).optional(),
      session: idSchema.optional(),
      before: idSchema.optional(),
      limit: limitSchema,
    }),
    answer: z.array(askSchema),
  },
  ask: { method: "GET", path: "/api/asks/{id}", role: "person", summary: "one ask", answer: askSchema },
  answer: {
    method: "POST",
    path: "/api/asks/{id}/answer",
    role: "person",
    summary: "answer it; one answer wins, the others get 409 and its final state",
    body: answerBodySchema,
    answer: answeredSchema,
  },

  listGrants: {
    method: "GET",
    path: "/api/grants",
    role: "person",
    summary: "grants in the order they were given, by whom, and what was read under each; `after` is the last one's id of the page before",
    query: z.strictObject({ session: idSchema.optional(), after: idSchema.optional(), limit: limitSchema }),
    answer: z.array(grantSchema),
  },
  grantReads: {
    method: "GET",
    path: "/api/grants/{id}/reads",
    role: "person",
    summary: "what was read under a grant, newest first",
    query: z.strictObject({ limit: limitSchema }),
    answer: z.array(readSchema),
  },
  revoke: {
    method: "POST",
    path: "/api/grants/{id}/revoke",
    role: "person",
    summary: "end a grant now, and take out the rule that keeps it for its workspace",
    answer: grantSchema.extend(afterRevokeSchema.shape),
  },
  revokeAll: {
    method: "POST",
    path: "/api/sessions/{id}/revoke_all",
    role: "person",
    summary: "end every grant of a session, and every yes for once that was not used",
    answer: afterRevokeAllSchema,
  },
  keepGrant: {
    method: "POST",
    path: "/api/grants/{id}/keep",
    role: "person",
    summary: "keep a grant for every session in its workspace: a rule in the operator's policy file",
    answer: ruleAtSchema,
  },
  listKeptRules: {
    method: "GET",
    path: "/api/kept_rules",
    role: "person",
    summary: "rules of the operator's policy that let the agents of one workspace read, and what was read by each",
    answer: z.array(keptRuleSchema),
  },
  keptRuleReads: {
    method: "GET",
    path: "/api/kept_rules/{id}/reads",
    role: "person",
    summary: "what was read by a kept rule, newest first",
    query: z.strictObject({ limit: limitSchema }),
    answer: z.array(readSchema),
  },
  revokeKeptRule: {
    method: "POST",
    path: "/api/kept_rules/{id}/revoke",
    role: "person",
    summary: "take a kept rule out of the policy, and end the grants for the same directory in its workspace",
    answer: keptRuleSchema.extend(afterRevokeSchema.shape).extend({ revoked: z.number() }),
  },
} as const satisfies RouteTable;
