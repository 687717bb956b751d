// createGuard(ports) → judge, open, use, answer, revoke. Puts the two layers together: what judge allowed, open opens. A fault
// anywhere becomes a deny, in this one place, and everything is recorded.

import { type Access, NETWORK, type Operation } from "../access.ts";
import { answerEvent, type Audit, type AuditEvent } from "../audit.ts";
import { type Clock, type Ids, randomIds, systemClock } from "../clock.ts";
import { type Code, HallpassError } from "../errors.ts";
import { platform } from "../fs/pin.ts";
import { Scratch } from "../fs/read.ts";
import type { AskId, GrantId } from "../names.ts";
import type { Answer } from "../session/ask.ts";
import { type AnswerableAsk, revoke, type SettleResult, settle } from "../session/grant.ts";
import type { Session } from "../session/session.ts";
import type { AllowedDecision, AskDecision, Decision, DeniedDecision, Step } from "./decision.ts";
import type { FileResult } from "./handle.ts";
import { judge } from "./judge.ts";
import { judgeNetwork, type NetworkAccess, type NetworkDecision } from "./network.ts";
import { open, type OpenedTarget, type OpenResult } from "./open.ts";
import type { Pass } from "./pass.ts";

/** What a guard needs from outside. Without an audit nothing is recorded. */
export interface GuardPorts {
  readonly audit?: Audit;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** The result of `use`: what the work returned, or why it was not started. */
export type UseResult<O extends Operation, T> =
  | (AllowedDecision<O> & { readonly done: FileResult<T> })
  | AskDecision<O>
  | DeniedDecision<O>;

/** Decides about accesses, opens what it allowed, and records both. */
export interface Guard {
  /** Decide about one access. An allow holds a pass, which the caller opens or closes. Never throws. */
  judge<O extends Operation>(access: Access<O>, session: Session): Decision<O>;
  /** Decide whether a command has the network. Never throws. */
  connect(access: NetworkAccess, session: Session): NetworkDecision;
  /** Open what was allowed. The caller closes it. */
  open<O extends Operation>(pass: Pass<O>): OpenResult<O>;
  /** Judge, open, work, close, record: what every tool calls. Rejects with what `work` throws, after closing. */
  use<O extends Operation, T>(access: Access<O>, session: Session, work: (opened: OpenedTarget<O>) => Promise<T>): Promise<UseResult<O, T>>;
  /**
   * Turn a person's answer into a grant, or a refusal that says why. A grant for the session is given only if the access passes with it. The
   * access is to be judged again afterwards.
   */
  answer(session: Session, ask: AnswerableAsk, answer: Answer): SettleResult;
  /** End a grant. The next access is judged without it. */
  revoke(session: Session, grant: GrantId, by: string): Session;
}

/** Make a guard. Throws `guard-fault` where the platform cannot keep its word, rather than guard by guessing. */
export function createGuard(ports: GuardPorts = {}): Guard {
  const { audit, clock = systemClock, ids = randomIds } = ports;
  const wrong = platform.selfTest();
  if (wrong !== null) throw new HallpassError("guard-fault", `this machine cannot hold the boundary: ${wrong}`);
  const scratch = new Scratch();
  const inner = { clock, ids };
  const opener = { ids, scratch };

  const decide = <O extends Operation>(access: Access<O>, session: Session): Decision<O> => {
    let decision: Decision<O>;
    try {
      decision = judge(access, session, inner);
    } catch (error) {
      decision = faulty(access, error);
    }
    if (audit === undefined) return decision;
    try {
      audit(eventOf(decision, session, clock()));
      return decision;
    } catch (error) {
      if (decision.verdict === "allow") decision.pass.close();
      return faulty(access, error);
    }
  };

  /**
   * Would this access pass in a session? So does what a rule asks about in its root, and what a setting asks about or shuts there: the card
   * said so of what it would open. Nothing is accessed, so nothing is recorded.
   */
  const passes = (session: Session, { call, path }: AnswerableAsk): boolean => {
    const decision = judge({ call, tool: "answer", operation: "read", path }, session, inner);
    if (decision.verdict === "allow") decision.pass.close();
    if (decision.verdict === "allow") return true;
    return decision.root !== null && (decision.verdict === "ask" || decision.trace.at(-1)?.at === "setting");
  };

  return {
    judge: decide,
    open: (pass) => open(pass, opener),

    async use(access, session, work) {
      const decision = decide(access, session);
      if (decision.verdict !== "allow") return decision;
      const opening = open(decision.pass, opener);
      if (!opening.ok) {
        audit?.({ kind: "open-failed", at: clock(), session: session.id, call: access.call, requested: access.path, code: opening.code });
        return used(decision, { ok: false, code: opening.code });
      }
      try {
        return used(decision, { ok: true, value: await work(opening.opened) });
      } finally {
        // INVARIANT: what was opened is closed when the work is over, however it ends.
        opening.opened.close();
      }
    },

    connect(access, session) {
      let decision: NetworkDecision;
      let fault: string | null = null;
      try {
        decision = judgeNetwork(access, session, inner);
      } catch (error) {
        decision = NO_NETWORK;
        fault = error instanceof Error ? error.message : String(error);
      }
      // What it does without is no decision.
      if (audit === undefined || (!access.isNeeded && decision.verdict !== "allow")) return decision;
      try {
        audit(networkEvent(access, decision, session, clock(), fault));
        return decision;
      } catch {
        return NO_NETWORK;
      }
    },

    answer(session, ask, answer) {
      const at = clock();
      audit?.(answerEvent({ at, session: session.id, ask: ask.id, path: ask.path }, answer));
      const settled = settle(session, ask, answer, { ...inner, passes });
      if (settled.ok) {
        const { grant } = settled;
        const expires = grant.until === "call" ? null : grant.root.expires;
        audit?.({
          kind: "grant",
          at,
          session: session.id,
          grant: grant.id,
          ask: ask.id,
          until: expires === null ? grant.until : "time",
          expires,
          path: grant.until === "call" ? grant.path : grant.root.dir,
          by: answer.by,
        });
      } else if (answer.verdict === "allow") {
        audit?.({ kind: "grant-refused", at, session: session.id, ask: ask.id, path: ask.path, code: settled.code });
      }
      return settled;
    },

    revoke(session, grant, by) {
      audit?.({ kind: "revocation", at: clock(), session: session.id, grant, ...openedBy(session, grant), by });
      return revoke(session, grant);
    },
  };
}

/** What a grant opens, and the ask that it answers. Null where the session has no such grant. */
function openedBy({ grants, network }: Session, id: GrantId): { readonly path: string | null; readonly ask: AskId | null } {
  const grant = grants.find((one) => one.id === id);
  if (grant !== undefined) return { path: grant.until === "call" ? grant.path : grant.root.dir, ask: grant.answers };
  const networkGrant = network.find((one) => one.id === id);
  return networkGrant === undefined ? { path: null, ask: null } : { path: NETWORK, ask: networkGrant.answers };
}

function used<O extends Operation, T>(decision: AllowedDecision<O>, done: FileResult<T>): UseResult<O, T> {
  const { access, real, root, verdict, reason, trace } = decision;
  return { access, real, root, verdict, reason, trace, done };
}

function faulty<O extends Operation>(access: Access<O>, error: unknown): DeniedDecision<O> {
  const code: Code = error instanceof HallpassError ? error.code : "guard-fault";
  const message = error instanceof Error ? error.message : String(error);
  return {
    access,
    real: null,
    root: null,
    verdict: "deny",
    reason: "guard-fault",
    trace: [{ at: "fault", message: `${code}: ${message}` }],
  };
}

/** What cannot be judged, or not be recorded, has no network. */
const NO_NETWORK = { verdict: "deny", reason: "guard-fault", rule: null } as const satisfies NetworkDecision;

function networkEvent(
  { call, tool }: NetworkAccess,
  decision: NetworkDecision,
  { id: session }: Session,
  at: number,
  fault: string | null,
): AuditEvent {
  const { verdict, reason } = decision;
  return {
    kind: "decision",
    at,
    session,
    call,
    tool,
    operation: "connect",
    requested: NETWORK,
    real: null,
    verdict,
    reason,
    rule: decision.verdict === "ask" ? null : decision.rule,
    root: null,
    grant: decision.verdict === "allow" && reason === "network-granted" ? (decision.grant?.id ?? null) : null,
    ask: decision.verdict === "ask" ? decision.ask.id : null,
    fault,
  };
}

const isLayer = (step: Step): step is Extract<Step, { readonly at: "layer" }> => step.at === "layer";

function eventOf(decision: Decision, session: Session, at: number): AuditEvent {
  const { access, real, root, verdict, reason, trace } = decision;
  const first = trace[0];
  // What a rule allowed, the rule for the path itself allowed; a deny may be that of a link on the way.
  const spoken = reason === "policy-allow" ? trace.find(isLayer) : trace.findLast(isLayer);
  return {
    kind: "decision",
    at,
    session: session.id,
    call: access.call,
    tool: access.tool,
    operation: access.operation,
    requested: String(access.path),
    real,
    verdict,
    reason,
    rule: spoken?.rule ?? null,
    root: root?.dir ?? null,
    grant: root?.from === "grant" ? root.grant : null,
    ask: verdict === "ask" ? decision.ask.id : null,
    fault: first.at === "fault" ? first.message : null,
  };
}
