// Reads the decisions that an agent's side reports, strictly: two kinds of events, every field checked. The session is the caller's, and the
// time is limited to that session's.

import { z } from "zod";
import type { AuditEvent } from "../../core/audit.ts";
import { isCode } from "../../core/errors.ts";
import { callId, grantId, ruleId, type SessionId } from "../../core/names.ts";
import { operationSchema, verdictSchema } from "../../wire/values.ts";
import { Refusal } from "../problem.ts";

const text = z.string().min(1).max(4096);
const name = z.string().min(1).max(200);
const id = z.string().min(1).max(200);

const eventSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("decision"),
    at: z.number(),
    session: z.string(),
    call: id,
    tool: name,
    operation: z.union([operationSchema, z.literal("connect")]),
    requested: z.string().max(4096),
    real: text.nullable(),
    verdict: verdictSchema,
    reason: name,
    rule: text.nullable(),
    root: text.nullable(),
    grant: id.nullable(),
    ask: id.nullable(),
    fault: z.string().max(2000).nullable(),
  }),
  z.strictObject({
    kind: z.literal("open-failed"),
    at: z.number(),
    session: z.string(),
    call: id,
    requested: z.string().max(4096),
    code: z.string().refine(isCode),
  }),
]);

export interface Recorder {
  readonly session: SessionId;
  /** When the session began, and now: nothing was decided before or after. */
  readonly since: number;
  readonly now: number;
}

/** The events as they are recorded. Throws `bad-request` where one of them is malformed; then none is. */
export function agentEvents(events: readonly unknown[], { session, since, now }: Recorder): readonly AuditEvent[] {
  return events.map((value, index): AuditEvent => {
    const parsed = eventSchema.safeParse(value);
    if (!parsed.success) throw new Refusal("bad-request", `event ${index + 1} has another shape than a decision or an open-failed`);
    const event = parsed.data;
    const recorded = { at: Math.round(Math.min(now, Math.max(since, event.at))), session, call: callId(event.call) };
    if (event.kind === "open-failed") {
      const { kind, requested, code } = event;
      return { ...recorded, kind, requested, code: isCode(code) ? code : "io-error" };
    }
    return {
      ...event,
      ...recorded,
      rule: event.rule === null ? null : ruleId(event.rule),
      grant: event.grant === null ? null : grantId(event.grant),
      // Whoever judged for itself has asked nobody yet; the ask that it then makes is judged here.
      ask: null,
    };
  });
}
