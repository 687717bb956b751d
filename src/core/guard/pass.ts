// A pass: single-use proof that an access was allowed. It holds the pin of what was judged, so it cannot be stored, sent or forged.
// judge.ts alone mints one, open.ts alone spends one.

import type { Operation } from "../access.ts";
import { HallpassError } from "../errors.ts";
import type { Target } from "../fs/resolve.ts";
import type { Ask } from "../session/ask.ts";
import type { Root } from "../session/root.ts";
import type { Session } from "../session/session.ts";

/** What was judged: the target with its pin, and the session it was judged for. */
export interface Judgement {
  readonly target: Exclude<Target, { readonly state: "unreachable" }>;
  readonly root: Root | null;
  readonly session: Session;
  /** What was offered by the card whose yes, for this very call, it passes by; null where it passes without one. */
  readonly answer: Ask["offers"] | null;
}

class PassObject<O extends Operation> {
  #judgement: Judgement | null;
  readonly operation: O;

  constructor(operation: O, judgement: Judgement) {
    this.operation = operation;
    this.#judgement = judgement;
  }

  static spend<O extends Operation>(pass: PassObject<O>): Judgement {
    const judgement = pass.#judgement;
    if (judgement === null) throw new HallpassError("guard-fault", "a pass opens one thing, once");
    pass.#judgement = null;
    return judgement;
  }

  /** Let go without opening. A spent pass has nothing to let go. */
  close(): void {
    this.#judgement?.target.pin.close();
    this.#judgement = null;
  }
}

/** Proof that an access was allowed. Only the guard makes one, and it opens one thing once. */
export type Pass<O extends Operation> = PassObject<O>;

export function mintPass<O extends Operation>(operation: O, judgement: Judgement): Pass<O> {
  return new PassObject(operation, judgement);
}

/** What the pass stands for; from now on the caller closes its pin. A second time throws. */
export function spendPass<O extends Operation>(pass: Pass<O>): Judgement {
  return PassObject.spend(pass);
}
