// Access × Session → Decision. The page to read first: the steps below are taken in this order, and every decision carries them as
// its trace. Promise: no match asks, nobody there denies, a deny is never lifted by a grant, and only an allow holds a pass.

import { type Access, needs, type Operation, type Right } from "../access.ts";
import type { Clock, Ids } from "../clock.ts";
import { isVirtual } from "../fs/at.ts";
import { pinEntry } from "../fs/pin.ts";
import { isStill, type ResolvedPath, type Target } from "../fs/resolve.ts";
import { askId } from "../names.ts";
import { isInside } from "../path/contain.ts";
import { evaluate, type Evaluation } from "../policy/evaluate.ts";
import { isSystemPlace } from "../policy/system-places.ts";
import type { Ask, AskReason } from "../session/ask.ts";
import type { CallGrant } from "../session/grant.ts";
import { narrower, type Proposal, propose, wider } from "../session/propose.ts";
import { gives, type Root } from "../session/root.ts";
import { scopeOf } from "../session/scope.ts";
import type { Session } from "../session/session.ts";
import { survey } from "../session/survey.ts";
import type { AllowReason, AskDecision, Decision, DeniedDecision, DenyReason, Step } from "./decision.ts";
import { executedByGit } from "./git-runs.ts";
import { isGitignored } from "./gitignored.ts";
import { hiddenSecret } from "./hidden-secret.ts";
import { TooManyNames } from "./looked-through.ts";
import { mintPass } from "./pass.ts";
import { protectedLinkTo } from "./protected-links.ts";
import { resolveAccess } from "./resolve-access.ts";

export interface JudgePorts {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Judge one access. Throws only on a fault, with nothing left open; `guard.ts` makes that a deny. */
export function judge<O extends Operation>(access: Access<O>, session: Session, ports: JudgePorts): Decision<O> {
  const named = resolveAccess(access, session.workspace.dir, session.home);
  if (!named.ok) {
    const step: Step = { at: "unresolved", requested: String(access.path), why: named.why };
    return { access, real: null, root: null, verdict: "deny", reason: "invalid-path", trace: [step] };
  }
  const { absolute, resolved } = named;
  let decision: Decision<O> | null = null;
  try {
    const turned = judgeTurns(access, session, ports, absolute, resolved);
    if (turned !== null) return turned;
    decision = new Judge(access, session, ports, absolute, resolved).decide();
    return decision;
  } finally {
    // INVARIANT: the pin lives on in a pass, or not at all.
    if (decision?.verdict !== "allow") resolved.target.pin?.close();
  }
}

/**
 * A path may leave a directory by `..` that it could not open. Where one of them is in no root, or is shut, the whole path gets the answer
 * of that directory, whether it exists or not: otherwise whoever goes out and comes back would learn which. Null: nothing is in the way.
 */
function judgeTurns<O extends Operation>(
  access: Access<O>,
  session: Session,
  ports: JudgePorts,
  absolute: string,
  { turns, links }: ResolvedPath,
): Decision<O> | null {
  for (const turn of turns) {
    // What holds a root is there: that tells nothing.
    if (scopeOf(session).isAround(turn)) continue;
    const target: Target = { state: "unreachable", path: turn, reason: "not-found", pin: null };
    const decision = new Judge(access, session, ports, absolute, { target, links, turns }, true).decide();
    if (decision.verdict !== "deny" || decision.reason !== "not-found") return decision;
  }
  return null;
}

class Judge<O extends Operation> {
  readonly #access: Access<O>;
  readonly #session: Session;
  readonly #ports: JudgePorts;
  readonly #target: Target;
  readonly #links: readonly string[];
  readonly #right: Right;
  readonly #trace: [Step, ...Step[]];
  readonly #onTheWay: boolean;
  #root: Root | null = null;

  /** `onTheWay`: the target is a directory that the path leaves by `..`, and not what it leads to. */
  constructor(access: Access<O>, session: Session, ports: JudgePorts, absolute: string, { target, links }: ResolvedPath, onTheWay = false) {
    this.#onTheWay = onTheWay;
    this.#access = access;
    this.#session = session;
    this.#ports = ports;
    this.#target = target;
    this.#links = links;
    this.#right = needs[access.operation];
    const way = onTheWay ? ({ onTheWay } as const) : {};
    this.#trace = [{ at: "resolve", requested: access.path, absolute, real: target.path, links, ...way }];
  }

  decide(): Decision<O> {
    const session = this.#session;
    const path = this.#target.path;

    // 1. Secrets: the real name, or the name of any link on the way. Final.
    const secret = this.#secretName();
    if (secret !== null) return this.#protectedName() ?? this.#deny("secret-file", secret);

    // 2. Scope: the root that holds the path, if it is still the directory it was.
    let stale = false;
    let moved = false;
    const now = this.#ports.clock();
    this.#root = scopeOf(session).find(path, this.#right, (root) => {
      if (root.from === "grant" && root.expires !== null && root.expires <= now) return false;
      // The workspace needs no look: whoever could put another directory in its place could as well put files into it.
      if (root.from === "workspace" || isStill(root)) return true;
      stale ||= root.from === "grant";
      moved ||= root.from === "mount";
      return false;
    });
    if (moved && this.#root === null) return this.#deny("root-moved");
    const root = this.#root;

    // 3. System places, which no root opens. A pipe or device is told apart only where that gives nothing away.
    const other = this.#target.state === "present" && this.#target.kind === "other";
    const system = isSystemPlace(path) ? path : this.#links.find(isSystemPlace);
    if (system !== undefined) return this.#deny(other ? "not-regular-file" : "virtual-fs", { at: "system-place", path: system });

    // 4. Rules: a deny is final, for the target and for every link on the way to it.
    const ruling = this.#rules(path, root?.dir ?? null);
    if (ruling.strictest?.verdict === "deny") return this.#deny("policy-deny");
    for (const link of this.#links) {
      const linkRoot = scopeOf(session).find(link, this.#right, () => true);
      if (this.#rules(link, linkRoot?.dir ?? null).strictest?.verdict === "deny") return this.#deny("policy-deny");
    }
    this.#trace.push({ at: "scope", root });
    return root === null ? this.#outside(ruling, stale) : this.#inside(root, ruling);
  }

  /** In a root: it must give the right, and what is there must be fit for the operation. */
  #inside(root: Root, ruling: Evaluation): Decision<O> {
    const target = this.#target;
    if (target.state === "unreachable") return this.#deny(target.reason);
    if (!gives(root, this.#right)) return this.#deny(root.from === "mount" ? "read-only-mount" : "read-only-grant");
    const unfit = this.#unfit(root);
    if (unfit !== null) return unfit;
    const answer = this.#answered();
    if (answer !== null) return this.#allow("answered", answer);
    if (ruling.strictest?.verdict === "ask") return this.#askOnce("policy-ask");
    const setting = this.#settings(root);
    if (setting === "deny") return this.#deny("policy-deny");
    if (setting === "ask") return this.#askOnce("policy-ask");
    return this.#allow(root.from === "workspace" ? "in-workspace" : root.from === "mount" ? "in-mount" : "in-grant");
  }

  /**
   * In no root: an operator's rule may allow, a write needs one that at least asks, and a read is asked about if it can be granted or a rule asks.
   * INVARIANT: a repository's own ask counts only where its owners' word, or nobody's, would let the access pass or ask about it.
   */
  #outside(ruling: Evaluation, stale: boolean): Decision<O> {
    const verdict = ruling.strictest?.verdict ?? null;
    const answer = this.#answered();
    if (answer !== null) return this.#unfit(null) ?? this.#allow("answered", answer);
    if (verdict === "allow") {
      if (this.#target.state === "unreachable") return this.#deny(this.#target.reason);
      return this.#unfit(null) ?? this.#allow("policy-allow");
    }
    if (this.#right === "write")
      return verdict === "ask" && ruling.owners !== null ? this.#askOnce("policy-ask") : this.#deny("write-out-of-scope");
    const reason: AskReason = stale ? "grant-stale" : verdict === "ask" ? "policy-ask" : "out-of-scope";
    const proposed = propose(this.#target.path, this.#session);
    this.#trace.push({ at: "propose", proposal: proposed.ok ? proposed.proposal : null, refused: proposed.ok ? null : proposed.code });
    if (!proposed.ok) {
      // Nothing to grant for the session: this path once, if the machine's owners spoke of it, and nobody is bothered otherwise.
      return verdict === "ask" && ruling.owners !== null ? this.#askOnce(reason) : this.#deny(proposed.code);
    }
    // What a yes would open is judged as if it had been given: no ask for what stays shut, and for once where a rule asks there too.
    const granted = this.#rules(this.#target.path, proposed.proposal.dir, false).strictest?.verdict ?? null;
    if (granted === "deny") return this.#deny("policy-deny");
    if (granted === "ask") return this.#askOnce(stale ? "grant-stale" : "policy-ask");
    if (this.#session.policy.policy.asks.offer === "once") return this.#askOnce(reason);
    if (!this.#session.attended) return this.#deny("no-prompt-channel");
    return this.#ask({ ...this.#commonAskFields(reason), ...this.#sessionOffer(proposed.proposal) });
  }

  #secretName(): Step | null {
    const { secrets } = this.#session.policy;
    for (const path of [this.#target.path, ...this.#links]) {
      const pattern = secrets.find(path);
      if (pattern !== null) return { at: "secret", path, pattern };
    }
    return null;
  }

  /** A name that executes later is not written, itself or through a link of that name. A secret may be one too: `.envrc`. */
  #protectedName(): Decision<O> | null {
    if (this.#right === "read") return null;
    const { protect } = this.#session.policy;
    for (const path of [this.#target.path, ...this.#links]) {
      const pattern = protect.find(path);
      if (pattern !== null) return this.#deny("protected-path", { at: "protected", path, pattern });
    }
    return null;
  }

  /** What executes later under another name: settings and hooks of git, and what links of protected names lead to. Exceptions lift it too. */
  #runByOthers(root: Root | null): Decision<O> | null {
    const { path } = this.#target;
    const { policy, home } = this.#session;
    if (policy.protect.lifts(path)) return null;
    const byGit = executedByGit(path, root?.dir ?? null, home);
    if (byGit !== null) return this.#deny("protected-path", { at: "protected", path, pattern: byGit });
    try {
      const link = root === null ? null : protectedLinkTo(path, root.dir, policy.protect);
      return link === null ? null : this.#deny("protected-path", { at: "protected", path, pattern: `where ${link} leads` });
    } catch (error) {
      if (!(error instanceof TooManyNames)) throw error;
      return this.#deny("protected-path", { at: "protected", path, pattern: "too many names around it to check" });
    }
  }

  #rules(path: string, root: string | null, outsideScope = this.#root === null): Evaluation {
    const { policy, workspace } = this.#session;
    const place = { root, outsideWorkspace: !isInside(workspace.dir, path), outsideScope };
    const ruling = evaluate(policy, path, this.#right, place);
    for (const layerVerdict of ruling.layerVerdicts) this.#trace.push({ at: "layer", ...layerVerdict });
    return ruling;
  }

  /** What is there is nothing to open, or is not to be written. Null if it is fit. */
  #unfit(root: Root | null): Decision<O> | null {
    const target = this.#target;
    if (target.state === "unreachable") return this.#deny(target.reason);
    if (target.state === "present" && target.kind === "other") return this.#deny("not-regular-file");
    if ((root === null || target.pin.facts.dev !== root.dev) && isVirtual(target.pin)) return this.#deny("virtual-fs");
    if (this.#right === "write") {
      const guarded = this.#protectedName() ?? this.#runByOthers(root);
      if (guarded !== null) return guarded;
      if (target.state === "entry" && this.#access.operation !== "remove") {
        if (target.found === "link") return this.#deny("symlink-write");
        if (target.found === "other") return this.#deny("not-regular-file");
      }
    }
    const hidden = this.#hiddenSecret(root);
    return hidden === null ? null : this.#deny("secret-file", { at: "secret", path: target.path, pattern: hidden });
  }

  /** Is the file that is there, to be read or to be replaced, a secret in spite of its name? */
  #hiddenSecret(root: Root | null): string | null {
    const target = this.#target;
    const { policy } = this.#session;
    if (target.state === "present" && target.kind === "file") return hiddenSecret(target.pin, target.path, root?.dir ?? null, policy);
    if (target.state !== "entry" || target.found !== "file") return null;
    const file = pinEntry(target.pin, target.name);
    try {
      return file.kind === "file" ? hiddenSecret(file, target.path, root?.dir ?? null, policy) : null;
    } finally {
      file.close();
    }
  }

  /** What the policy says about files git ignores and files with several names. */
  #settings(root: Root): "allow" | "ask" | "deny" {
    const { gitignored, hardlinks } = this.#session.policy.policy;
    const target = this.#target;
    const file = target.state === "present" && target.kind === "file";
    if (hardlinks !== "allow" && file && target.pin.facts.nlink > 1) {
      this.#trace.push({ at: "setting", name: "hardlinks", verdict: hardlinks });
      return hardlinks;
    }
    if (
      gitignored !== "allow" &&
      target.path !== root.dir &&
      isGitignored(root.dir, target.path, target.state === "present" && target.kind === "dir")
    ) {
      this.#trace.push({ at: "setting", name: "gitignored", verdict: gitignored });
      return gitignored;
    }
    return "allow";
  }

  /** Was exactly this answered, for this call? */
  #answered(): CallGrant | null {
    const { call } = this.#access;
    for (const grant of this.#session.grants) {
      if (grant.until !== "call" || grant.call !== call || grant.right !== this.#right || grant.path !== this.#target.path) continue;
      if (this.#isCovered(grant)) return grant;
    }
    return null;
  }

  /**
   * Is this what the yes was given for? Reading shows what a path holds: the text of a file, searched or not, and of a directory its names. INVARIANT:
   * never what lies below it, which only a yes to a search opens.
   */
  #isCovered({ operation: answered }: CallGrant): boolean {
    const { operation } = this.#access;
    if (this.#right === "write" || operation === answered) return true;
    const target = this.#target;
    const isFile = target.state === "present" && target.kind === "file";
    return answered === "read" && (operation === "list" || (operation === "search" && isFile));
  }

  /** What a yes for the session may open: what is proposed, less of it, or the repository around it. */
  #sessionOffer(proposal: Proposal) {
    const { policy } = this.#session;
    const { operation } = this.#access;
    const folder = narrower(proposal, this.#target.path, operation === "list" || operation === "search");
    const enclosing = wider(proposal, this.#session);
    return {
      offers: "session" as const,
      right: "read" as const,
      proposal,
      survey: survey(proposal.dir, policy),
      ...(folder === null ? {} : { folder }),
      ...(enclosing === null ? {} : { repository: { ...enclosing, survey: survey(enclosing.dir, policy) } }),
    };
  }

  #commonAskFields(reason: AskReason) {
    const { path: requested, ...asker } = this.#access;
    const { ids, clock } = this.#ports;
    const way = {
      ...(this.#links.length === 0 ? {} : { links: this.#links }),
      ...(this.#onTheWay ? ({ onTheWay: true } as const) : {}),
    };
    return { ...asker, id: askId(ids()), session: this.#session.id, requested, path: this.#target.path, ...way, reason, at: clock() };
  }

  #askOnce(reason: AskReason): Decision<O> {
    if (!this.#session.attended) return this.#deny("no-prompt-channel");
    return this.#ask({ ...this.#commonAskFields(reason), offers: "once", right: this.#right });
  }

  #ask(ask: Ask): AskDecision<O> {
    return { access: this.#access, real: this.#target.path, root: this.#root, verdict: "ask", reason: ask.reason, ask, trace: this.#trace };
  }

  #deny(reason: DenyReason, step?: Step): DeniedDecision<O> {
    if (step !== undefined) this.#trace.push(step);
    return { access: this.#access, real: this.#target.path, root: this.#root, verdict: "deny", reason, trace: this.#trace };
  }

  /** `answer`: the yes for this very call that it passes by. */
  #allow(reason: AllowReason, answer: CallGrant | null = null): Decision<O> {
    const target = this.#target;
    if (target.state === "unreachable") return this.#deny(target.reason);
    const pass = mintPass(this.#access.operation, {
      target,
      root: this.#root,
      session: this.#session,
      answer: answer?.offers ?? null,
    });
    return { access: this.#access, real: target.path, root: this.#root, verdict: "allow", reason, pass, trace: this.#trace };
  }
}
