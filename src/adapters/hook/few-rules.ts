// Of many rules only those that could speak of a path are made ready: a rule's longest plain piece must stand in the path, or it
// matches nothing there. Judges first with none of them, which also tells the real path, then with those few. Promise: the same
// decision as with all of them; where a path turns out to be another one meanwhile, all of them are asked.

import type { Access } from "../../core/access.ts";
import type { Decision } from "../../core/guard/decision.ts";
import type { Guard } from "../../core/guard/guard.ts";
import { compileLayers } from "../../core/policy/compile.ts";
import { plainPieceOf } from "../../core/policy/glob.ts";
import type { AuthorLayer, Policy } from "../../core/policy/rule.ts";
import type { Session } from "../../core/session/session.ts";

/** A policy whose rules are taken out as they are needed. */
export interface RuleBook {
  /** With every author's last word and none of their rules. */
  readonly bare: Policy;
  /** With the rules that could speak of these places, in their order; null where there are none. `null`: with all rules. */
  speakingOf(places: string | null): Policy | null;
  /** Let go of what it is read from. */
  close(): void;
}

export function ruleBookOf(policy: Policy): RuleBook {
  return {
    bare: { ...policy, layers: policy.layers.map((layer) => keeping(layer, () => false)) },
    speakingOf(places) {
      const speaks = speakingOf(places);
      const layers = policy.layers.map((layer) => keeping(layer, (glob) => speaks(plainPieceOf(glob))));
      return places === null || layers.some(({ rules }) => rules.length > 0) ? { ...policy, layers } : null;
    },
    close() {},
  };
}

/** `session` is opened with the book's bare policy. */
export function createFewRulesJudge(guard: Guard, session: Session, book: RuleBook): (access: Access) => Decision {
  const ruled = (policy: Policy): Session => ({
    ...session,
    policy: { ...session.policy, policy, layers: compileLayers(policy, session.home) },
  });
  return (access) => {
    const first = guard.judge(access, session);
    const seen = placesOf(first);
    const few = seen === null ? null : book.speakingOf(seen);
    if (few === null) return first;
    close(first);
    const second = guard.judge(access, ruled(few));
    // RACE: a link may lead elsewhere by now, where other rules speak.
    if (placesOf(second) === seen) return second;
    close(second);
    return guard.judge(access, ruled(book.speakingOf(null) ?? book.bare));
  };
}

/** A layer with those of its rules that are wanted. The branches do the same; told apart, each keeps its type: a project's rules never allow. */
function keeping(layer: AuthorLayer, wanted: (glob: string) => boolean): AuthorLayer {
  return layer.name === "project"
    ? { ...layer, rules: layer.rules.filter(({ glob }) => wanted(glob)) }
    : { ...layer, rules: layer.rules.filter(({ glob }) => wanted(glob)) };
}

/** Every path that rules are asked about, as one text; null where there is none. */
function placesOf({ trace }: Decision): string | null {
  const first = trace[0];
  return first.at === "resolve" ? [first.real].concat(first.links).join("\n").toLowerCase() : null;
}

/** Could a pattern with this piece match any of the places? `null`: any pattern could. */
export function speakingOf(places: string | null): (piece: string) => boolean {
  if (places === null || !isAscii(places)) return () => true;
  return (piece) => places.includes(piece);
}

/** By hand: the first regular expression of a process takes longer than this. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

function close(decision: Decision): void {
  if (decision.verdict === "allow") decision.pass.close();
}
