// The lifetime of one command, from the call to its end: whether and why it must stop, and what to kill then. The first reason counts.

import type { GrantId, SessionId } from "../core/names.ts";
import type { GrantLoss } from "../core/session/grant.ts";
import { type RunOptions, type StopCode, type CommandStop, stopped } from "./port.ts";

/** Why a command that saw a grant is stopped: a sentence without a full stop. */
export const grantGone = (how: GrantLoss): string =>
  how === "ended" ? "a grant that the command saw was revoked" : unreachable("a grant that the command saw");

const unreachable = (what: string): string => `the daemon that could revoke ${what} was away for too long, so it counts as revoked`;

/** Whatever is to be stopped, and how depends on why. */
export interface Stoppable {
  kill(code: StopCode): void;
}

export class Life {
  readonly #options: RunOptions;
  readonly #abort = (): void => this.stop("session-closed", "the command was called off");
  #grants: ReadonlySet<GrantId>;
  readonly #revoked = new Set<GrantId>();
  readonly #hideByGrant = new Map<GrantId, (how: GrantLoss) => void>();
  #child: Stoppable | null = null;
  #timer: NodeJS.Timeout | null = null;
  #reason: CommandStop | null = null;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#grants = new Set(options.session.grants.map(({ id }) => id));
    options.signal?.addEventListener("abort", this.#abort, { once: true });
    if (options.signal?.aborted === true) this.#abort();
  }

  /** Why it was stopped; null if it was not. */
  reason(): CommandStop | null {
    return this.#reason;
  }

  /** Its time runs from here. */
  start(): void {
    const { time } = this.#options;
    if (time === null) return;
    this.#timer = setTimeout(() => this.stop("timeout", `the command did not end within ${time} ms and was stopped`), time);
  }

  /** These grants it can see, and no others. Gives why it was stopped already. */
  sees(grants: ReadonlySet<GrantId>): CommandStop | null {
    this.#grants = grants;
    return this.#reason;
  }

  /** The process, from now on. */
  holds(child: Stoppable): void {
    this.#child = child;
    if (this.#reason !== null) child.kill(this.#reason.code);
  }

  readonly stop = (code: StopCode, why: string): void => {
    this.#reason ??= stopped(code, why);
    this.#child?.kill(code);
  };

  /** It sees this grant too from now on, and `hide` takes it away. False where it was revoked already. */
  shows(grant: GrantId, hide: (how: GrantLoss) => void): boolean {
    if (this.#revoked.has(grant)) return false;
    this.#hideByGrant.set(grant, hide);
    return true;
  }

  revoke(grant: GrantId, how: GrantLoss): void {
    if (grant === this.#options.networkGrant?.id)
      return this.stop("grant-revoked", how === "ended" ? "the network that the command had was revoked" : unreachable("the network"));
    this.#revoked.add(grant);
    const hide = this.#hideByGrant.get(grant);
    this.#hideByGrant.delete(grant);
    if (hide !== undefined) return hide(how);
    if (this.#grants.has(grant)) this.stop("grant-revoked", grantGone(how));
  }

  endSession(session: SessionId): void {
    if (this.#options.session.id === session) this.stop("session-closed", "its session has ended");
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#abort);
  }
}
