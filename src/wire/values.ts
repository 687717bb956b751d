// What both ends of the wire say: projects, sessions, grants, asks, messages, decisions. Shapes only, no behaviour; a shape here is
// never the definition of a domain type. Times are milliseconds since 1970.

import { z } from "zod";
import { askEnds, sessionEnds } from "../core/audit.ts";
import { factKinds } from "../core/facts.ts";

/** An id: 128 random bits in text. What does not look like one is not looked up. */
export const idSchema = z.string().regex(/^[A-Za-z0-9_-]{16,64}$/);
export const pathSchema = z.string().min(1).max(4096);
export const rightSchema = z.enum(["read", "write"]);
export const operationSchema = z.enum(["read", "list", "search", "create", "replace", "remove"]);
export const verdictSchema = z.enum(["allow", "ask", "deny"]);
export const mountModeSchema = z.enum(["read_only", "extend", "sandboxed"]);
export const chatStatusSchema = z.enum(["idle", "running", "waiting_for_input", "failed", "archived"]);
export const askingSchema = z.enum(["by-model", "by-guard"]);

/** What a call would make of files, as far as its input tells; for the card. */
export const plannedWriteSchema = z.discriminatedUnion("what", [
  z.strictObject({ what: z.literal("whole"), path: pathSchema, content: z.string() }),
  z.strictObject({
    what: z.literal("edits"),
    path: pathSchema,
    /** One after the other. An empty `old`: the file is made. */
    edits: z.array(z.strictObject({ old: z.string(), new: z.string(), all: z.boolean() })),
    /** Does the program look for the place less strictly? Then what does not fit here may still be done. */
    loose: z.boolean(),
  }),
  z.strictObject({
    what: z.literal("sections"),
    path: pathSchema,
    /** Lines, each looked for after the one before. */
    sections: z.array(z.strictObject({ after: z.array(z.string()), old: z.array(z.string()), new: z.array(z.string()) })),
    loose: z.boolean(),
  }),
  /** A unified diff. */
  z.strictObject({ what: z.literal("patch"), patch: z.string() }),
  z.strictObject({ what: z.literal("removal"), path: pathSchema }),
  z.strictObject({ what: z.literal("untold"), path: pathSchema, why: z.enum(["not-told", "too-large"]) }),
]);

export const projectSchema = z.object({ id: z.string(), path: z.string(), name: z.string(), at: z.number() });

export const mountSchema = z.strictObject({ path: pathSchema, mode: mountModeSchema });

/** Where a rule stands. */
export const ruleAtSchema = z.object({ file: z.string(), line: z.number() });

export const grantSchema = z.object({
  id: z.string(),
  session: z.string(),
  /** Who may read by it: the program (null for our own chat), the agent in it, its workspace, and the machine where that is another. */
  host: z.string().nullable(),
  label: z.string().nullable(),
  workspace: z.string(),
  machine: z.string().nullable(),
  ask: z.string(),
  path: z.string(),
  /** Who gave it, and from where. */
  by: z.string(),
  at: z.number(),
  expires: z.number().nullable(),
  revokedAt: z.number().nullable(),
  /** The agent's words for the ask it answers. */
  words: z.string().nullable(),
  /** False where the directory behind it is another one now, or gone: it opens nothing. */
  live: z.boolean(),
  /** How many reads by it were judged and recorded, and when the last; not what a command in the sandbox reads. */
  reads: z.number(),
  lastRead: z.number().nullable(),
});

/** A rule of the operator's policy that lets every agent in one workspace read: what *Always allow* writes. */
export const keptRuleSchema = z.object({
  id: z.string(),
  workspace: z.string(),
  /** What it opens, as it is written: a directory and `/**`, unless somebody wrote it by hand. */
  path: z.string(),
  at: ruleAtSchema,
  /** Who kept it and when; null where somebody wrote it into the file. */
  kept: z.object({ by: z.string(), at: z.number() }).nullable(),
  /** As of a grant; `complete` is false where the record was too long to look through, and there may be more. */
  reads: z.number(),
  lastRead: z.number().nullable(),
  complete: z.boolean(),
});

/** What may still be read after a revocation, and by what. */
export const afterRevokeSchema = z.object({
  /** The rule of the policy by which it may still be read. */
  allowedBy: ruleAtSchema.nullable(),
  /** Another root of the session that holds it: a mount, the workspace, or another grant. */
  within: z.string().nullable(),
  /** Roots of the session that lie in it, and are open by themselves. */
  inside: z.array(z.string()),
  /** A rule of the policy that may allow reading some of it. */
  partlyBy: ruleAtSchema.nullable(),
  /** The machine whose policy could not be looked at from here; null where it was. */
  unknownOn: z.string().nullable(),
  /** How many other sessions have a grant of their own that opens it. */
  others: z.number(),
});

/** What a session may read after all its grants were revoked, besides its workspace. */
export const afterRevokeAllSchema = z.object({
  revoked: z.number(),
  mounts: z.array(z.string()),
  /** Rules of the policy that allow reading outside the workspace, as they are written. */
  rules: z.array(ruleAtSchema.extend({ pattern: z.string() })),
  /** Does the policy give commands the network? */
  network: z.boolean(),
  /** The machine whose policy could not be looked at from here; null where it was. */
  unknownOn: z.string().nullable(),
});

export const readSchema = z.object({ path: z.string(), at: z.number(), tool: z.string(), operation: z.string() });

export const sessionSchema = z.object({
  id: z.string(),
  project: z.string().nullable(),
  parent: z.string().nullable(),
  workspace: z.string(),
  asking: askingSchema,
  attended: z.boolean(),
  /** The program that drives it from elsewhere (`claude-code`, `mcp` …); null where the chat is ours. */
  host: z.string().nullable(),
  /** What the agent in it is called, for people. */
  label: z.string().nullable(),
  /** Do the commands of a host report that they run confined? Null where there was none yet, or the session is no host's. */
  shell: z.enum(["verified", "unverified"]).nullable(),
  /** The machine its files are on, where that is another than the daemon's. */
  machine: z.string().nullable(),
  mounts: z.array(mountSchema),
  allowed_read_paths: z.array(z.string()),
  at: z.number(),
  archivedAt: z.number().nullable(),
  /** Why it ended. Missing where it has not, and where the record of it was archived. */
  ended: z.enum(sessionEnds).optional(),
});

export const chatSchema = z.object({
  id: z.string(),
  session: z.string(),
  title: z.string(),
  status: chatStatusSchema,
  at: z.number(),
  /** `provider/model`; null where it has the daemon's own. */
  model: z.string().nullable(),
  /** When a person archived it; null where it is not. That its session has ended is the status `archived`. */
  archivedAt: z.number().nullable(),
});

/** What kind of error it is; null for an ask, where nothing has been refused yet. */
export const categorySchema = z
  .enum([
    "invalid-input",
    "denied-by-policy",
    "denied-by-person",
    "file-too-large",
    "not-found",
    "not-accessible",
    "not-text",
    "read-failed",
  ])
  .nullable();

export const outcomeSchema = z.discriminatedUnion("ok", [
  /** `diff`: what the call changed, as a unified diff. `undo`: may a person undo it, was it undone, or why can it not be; missing where it changed nothing we know of. */
  z.object({
    ok: z.literal(true),
    output: z.string(),
    diff: z.string().optional(),
    undo: z.enum(["possible", "done", "too-large", "not-text", "not-readable"]).optional(),
  }),
  z.object({ ok: z.literal(false), code: z.string(), category: categorySchema, hint: z.string() }),
]);

export const callStateSchema = z.discriminatedUnion("at", [
  z.object({ at: z.literal("proposed") }),
  z.object({ at: z.literal("started") }),
  z.object({ at: z.literal("waiting"), ask: z.string(), kind: z.enum(["pending_grant", "pending_question"]) }),
  z.object({ at: z.literal("done"), outcome: outcomeSchema }),
]);

export const callSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** What the tool does, in a word, and of which kind that is; missing where the tool is not known. */
  verb: z.string().optional(),
  kind: z.enum(["read", "search", "edit", "execute", "other"]).optional(),
  input: z.unknown(),
  state: callStateSchema,
});

/** What is wrong with a model's service, as far as it can be told apart. */
export const modelFaultKindSchema = z.enum(["missing-key", "wrong-key", "quota", "rate-limit", "context-full", "silent", "other"]);

export const usageSchema = z.object({ input: z.number(), output: z.number() });

/** When the person went back to before it; missing where it is part of the conversation. */
const rewoundAt = z.number().optional();

export const messageSchema = z.discriminatedUnion("role", [
  z.object({
    role: z.literal("person"),
    id: z.string(),
    at: z.number(),
    text: z.string(),
    /** The pictures that were sent with it, by media type and size; each is fetched by its place. */
    pictures: z.array(z.object({ type: z.string(), bytes: z.number() })).optional(),
    /** It is stored, and the agent has not heard it yet: it does before its next turn. Then the message comes again without this. */
    waiting: z.literal(true).optional(),
    rewoundAt,
  }),
  z.object({
    role: z.literal("agent"),
    id: z.string(),
    at: z.number(),
    text: z.string(),
    calls: z.array(callSchema),
    usage: usageSchema.nullable(),
    /** `provider/model`, where the turn was counted. */
    model: z.string().optional(),
    error: z.string().nullable(),
    /** What kind of error it is, and from when on another try may help. */
    fault: z.object({ kind: modelFaultKindSchema, retryAt: z.number().nullable() }).optional(),
    rewoundAt,
  }),
  z.object({
    role: z.literal("reminder"),
    id: z.string(),
    at: z.number(),
    text: z.string(),
    dedupeKey: z.string().nullable(),
    turns: z.number().nullable(),
    rewoundAt,
  }),
  z.object({ role: z.literal("summary"), id: z.string(), at: z.number(), text: z.string(), rewoundAt }),
]);

export const surveySchema = z.object({
  repositories: z.number(),
  secrets: z.number(),
  files: z.number(),
  /** Files and directories that a rule denies, files that a rule asks about each time; missing where there are none. */
  shut: z.number().optional(),
  asked: z.number().optional(),
  /** What the policy says about files that git ignores and files with several names, where it does not allow them. */
  gitignored: z.enum(["ask", "deny"]).optional(),
  hardlinks: z.enum(["ask", "deny"]).optional(),
  /** There is a `node_modules`, in which nothing was counted. */
  uncounted: z.literal(true).optional(),
  worktree: z.boolean(),
  submodule: z.boolean(),
  /** False where the look stopped early: every count is then "at least". */
  complete: z.boolean(),
});

export const answerSchema = z.discriminatedUnion("verdict", [
  z.object({
    verdict: z.literal("allow"),
    until: z.enum(["call", "session"]),
    by: z.string(),
    at: z.number(),
    expires: z.number().nullable(),
    /** The directory that it opened, where that is another than the proposed one. */
    opened: z.string().optional(),
    /** It was given for good; whether a rule keeps it is told by `GET /api/kept_rules`. */
    keeps: z.literal(true).optional(),
  }),
  z.object({ verdict: z.literal("deny"), by: z.string(), at: z.number(), note: z.string().nullable(), stop: z.boolean() }),
  z.object({ verdict: z.literal("reply"), by: z.string(), at: z.number(), text: z.string() }),
]);

/** What a card says and what may be answered, in order; every screen lays out the same. */
export const cardSchema = z.object({
  /** Who wants what, as a question; fit to be shown as it is. */
  title: z.string(),
  facts: z.array(
    z.object({
      kind: z.enum(factKinds),
      label: z.string(),
      /** The sentence. All but `text` came from elsewhere and is to be escaped; `dir`, what a yes opens, is never cut. */
      parts: z.array(z.object({ kind: z.enum(["text", "name", "path", "dir", "words", "time"]), text: z.string() })),
      /** `must` and `warn`: without it nothing can be allowed. `may`: left out where there is no room. */
      weight: z.enum(["must", "warn", "may"]),
    }),
  ),
  choices: z.array(
    z.object({
      id: z.string(),
      /** What it opens and for how long; fit to be shown as it is. */
      label: z.string(),
      grants: z.boolean(),
      place: z.enum(["first", "more"]),
      /** What to say when it is confirmed; null where that is not needed. */
      confirm: z.string().nullable(),
      /** What is sent as the answer, with the ask's digest. */
      answer: z.object({
        decision: z.enum(["allow", "allow_once", "deny", "deny_and_stop"]),
        opens: z.enum(["folder", "repository"]).optional(),
        minutes: z.number().optional(),
        keep: z.literal(true).optional(),
      }),
    }),
  ),
});

/** An ask as a person sees it: everything a card shows. */
export const askSchema = z.object({
  id: z.string(),
  session: z.string(),
  chat: z.string(),
  kind: z.enum(["pending_grant", "pending_question"]),
  /**
   * Who asks: the program (null for our own chat), the agent in it, the chain of agents above it, outermost first, and the machine where
   * that is another than the daemon's.
   */
  asker: z.object({
    host: z.string().nullable(),
    label: z.string().nullable(),
    parents: z.array(z.string()),
    machine: z.string().nullable(),
  }),
  workspace: z.string(),
  tool: z.string(),
  /** Every path asked for, as the agent wrote it. */
  requested: z.array(z.string()),
  /** What the first of them really is. */
  path: z.string().nullable(),
  /** The links on the way there. */
  links: z.array(z.string()),
  /** `path` is a directory that the first of them leaves again by `..`, and not what it leads to. */
  onTheWay: z.boolean(),
  right: rightSchema,
  /** What the first of them was to do; null for a question. */
  operation: operationSchema.nullable(),
  offers: z.enum(["once", "session"]),
  /** What a yes for the session would open, and why that directory. */
  proposal: z.object({ dir: z.string(), because: z.string() }).nullable(),
  survey: surveySchema.nullable(),
  /** What else a yes may open: a folder in the proposed directory, and the repository that this is a part of. */
  folder: z.string().nullable(),
  repository: z.object({ dir: z.string(), because: z.string(), survey: surveySchema.nullable() }).nullable(),
  /** What a yes lets happen, where that is more than an access to the path: a command that nothing confines, the network for commands, or another agent. */
  about: z
    .discriminatedUnion("what", [
      z.object({ what: z.literal("command") }),
      z.object({ what: z.literal("network") }),
      z.object({ what: z.literal("agent"), task: z.string(), survey: surveySchema.nullable(), wasReadOnly: z.boolean() }),
    ])
    .nullable(),
  /** The boundary's code, and a sentence for it. */
  reason: z.string(),
  because: z.string(),
  /** The agent's own words; unverified. */
  words: z.string().nullable(),
  /** For a write: the difference it would make to what is there now, as a unified diff; null where there is none to show. */
  diff: z.string().nullable(),
  /** For a write: what becomes of each file. */
  changes: z.array(
    z.object({
      path: z.string(),
      does: z.enum(["creates", "overwrites", "changes", "removes", "unknown"]),
      /** Why no difference is shown; null where one is. */
      unshown: z.enum(["too-large", "not-text", "not-readable", "does-not-fit", "not-told", "elsewhere"]).nullable(),
    }),
  ),
  card: cardSchema,
  question: z.string().nullable(),
  options: z.array(z.string()),
  at: z.number(),
  expires: z.number().nullable(),
  state: z.enum(["open", "answered", "closed"]),
  answer: answerSchema.nullable(),
  /** A yes that was given where the files are not, and the machine that it waits for; it is judged there, and until then nothing is open. */
  waiting: z.object({ by: z.string(), at: z.number(), machine: z.string(), isThere: z.boolean() }).nullable(),
  /** The message whose call asked was rewound; missing where it was not. */
  rewound: z.literal(true).optional(),
  /** Why it was closed without an answer; null where it was not. */
  closed: z.enum(askEnds).nullable(),
  /** The grant the answer made, if it is still there to be revoked. */
  grant: z.string().nullable(),
  /** The code why a yes had no effect; null where it had one. */
  refused: z.string().nullable(),
  /** Answers given for the same root before, newest first. */
  earlier: z.array(z.object({ verdict: z.enum(["allow", "deny"]), by: z.string(), at: z.number() })),
  /** Of everything the card shows; an answer carries it back, so that a person answers what they saw. */
  digest: z.string(),
});

/**
 * An ask as the agent that made it sees it: that it is asked, and whether it still is. What the card says of a place that is not open to the
 * agent (where a path really leads, what is there, who answered) is the person's.
 */
export const agentAskSchema = z.object({
  id: z.string(),
  state: z.enum(["open", "answered", "closed"]),
  /** Every path asked for, as the agent wrote it. */
  requested: z.array(z.string()),
  /** The boundary's code. */
  reason: z.string(),
  /** What to do next. */
  hint: z.string(),
});

/** Why a command that was called has not begun: its roots are looked through, or another command of its directories has to end first. */
export const delaySchema = z.discriminatedUnion("for", [
  z.object({ for: z.literal("look"), directories: z.number() }),
  z.object({ for: z.literal("turn") }),
]);

export const stepSchema = z.looseObject({ at: z.string() });

/** One judgement: what `check` prints, and its words for a person and for a model. */
export const decisionSchema = z.object({
  verdict: verdictSchema,
  reason: z.string(),
  requested: z.string(),
  real: z.string().nullable(),
  root: z.string().nullable(),
  proposal: z.string().nullable(),
  offers: z.enum(["once", "session"]).nullable(),
  flags: z.array(z.string()),
  trace: z.array(stepSchema),
  /** For a person: the verdict in one line, then why, step by step. */
  headline: z.string(),
  lines: z.array(z.string()),
  /** What a yes would open, or what can be done about a no. */
  notes: z.array(z.string()),
  /** For a model: what was refused and what to do next. */
  hint: z.string(),
});

/** One judgement as the agent sees it: the verdict, and no more of what is not open to it than that. */
export const agentDecisionSchema = decisionSchema.pick({ verdict: true, reason: true, requested: true, hint: true });

/** A refusal or a fault, in every answer that is not what was asked for. */
export const problemSchema = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
  /** For `request-closed`: the ask in its final state. */
  ask: askSchema.optional(),
});

/** A registered project. */
export type WireProject = z.infer<typeof projectSchema>;
/** A directory that a session has beside its workspace. */
export type WireMount = z.infer<typeof mountSchema>;
/** A grant. */
export type WireGrant = z.infer<typeof grantSchema>;
export type WireKeptRule = z.infer<typeof keptRuleSchema>;
export type WireAfterRevoke = z.infer<typeof afterRevokeSchema>;
export type WireAfterRevokeAll = z.infer<typeof afterRevokeAllSchema>;
export type WireRead = z.infer<typeof readSchema>;
/** A session. */
export type WireSession = z.infer<typeof sessionSchema>;
/** A chat. */
export type WireChat = z.infer<typeof chatSchema>;
export type WireFaultKind = z.infer<typeof modelFaultKindSchema>;
export type WireDelay = z.infer<typeof delaySchema>;
export type WireOutcome = z.infer<typeof outcomeSchema>;
/** One tool call of a chat. */
export type WireCall = z.infer<typeof callSchema>;
/** A message of a chat. */
export type WireMessage = z.infer<typeof messageSchema>;
/** What a person said to an ask, as it is kept. */
export type WireAnswer = z.infer<typeof answerSchema>;
export type WireCard = z.infer<typeof cardSchema>;
/** An ask as a person sees it, with its card. */
export type WireAsk = z.infer<typeof askSchema>;
/** An ask as its agent sees it. */
export type WireAgentAsk = z.infer<typeof agentAskSchema>;
/** A decision as the agent sees it. */
export type WireAgentDecision = z.infer<typeof agentDecisionSchema>;
/** A decision as a person sees it. */
export type WireDecision = z.infer<typeof decisionSchema>;
/** Why a request failed (RFC 9457), with a code. */
export type WireProblem = z.infer<typeof problemSchema>;
