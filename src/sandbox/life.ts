// The lifetime of one command, from the call to its end: whether and why it must stop, and what to kill then. The first reason counts.

import type { GrantId, SessionId } from "../core/names.ts";
import { type RunOptions, type StopCode, type Stopped, stopped } from "./port.ts";

/** Whatever is to be stopped, and how depends on why. */
export interface Stoppable {
  kill(code: StopCode): void;
}

export class Life {
  readonly #options: RunOptions;
  readonly #abort = (): void => this.stop("session-closed", "the command was called off");
  #grants: ReadonlySet<GrantId>;
  readonly #revoked = new Set<GrantId>();
  readonly #hideByGrant = new Map<GrantId, () => void>();
  #child: Stoppable | null = null;
  #timer: NodeJS.Timeout | null = null;
  #reason: Stopped | null = null;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#grants = new Set(options.session.grants.map(({ id }) => id));
    options.signal?.addEventListener("abort", this.#abort, { once: true });
    if (options.signal?.aborted === true) this.#abort();
  }

  /** Why it was stopped; null if it was not. */
  reason(): Stopped | null {
    return this.#reason;
  }

  /** Its time runs from here. */
  start(): void {
    const { time } = this.#options;
    if (time === null) return;
    this.#timer = setTimeout(() => this.stop("timeout", `the command did not end within ${time} ms and was stopped`), time);
  }

  /** These grants it can see, and no others. Gives why it was stopped already. */
  sees(grants: ReadonlySet<GrantId>): Stopped | null {
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
  shows(grant: GrantId, hide: () => void): boolean {
    if (this.#revoked.has(grant)) return false;
    this.#hideByGrant.set(grant, hide);
    return true;
  }

  revoke(grant: GrantId): void {
    if (grant === this.#options.networkGrant?.id) return this.stop("grant-revoked", "the network that the command had was revoked");
    this.#revoked.add(grant);
    const hide = this.#hideByGrant.get(grant);
    this.#hideByGrant.delete(grant);
    if (hide !== undefined) return hide();
    if (this.#grants.has(grant)) this.stop("grant-revoked", "a grant that the command saw was revoked");
  }

  endSession(session: SessionId): void {
    if (this.#options.session.id === session) this.stop("session-closed", "its session has ended");
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#abort);
  }
}
