// The selector: keys in, an answer out. Pure; the time comes in. What was typed before the card was there, a paste, and several keys at
// once are never an answer; in the first moments, and after any of these, nothing but Esc does anything.

import type { AnswerBody } from "../wire/http.ts";
import type { WireAsk } from "../wire/values.ts";
import { edit, type EditedInput, emptyEdit } from "./editing.ts";
import type { Key } from "./keys.ts";
import { confirmOptions, type Option, optionsFor } from "./options.ts";

/** How long after it appeared, and after a burst of keys, a card takes no answer but Esc. */
export const INERT = 500;

export interface Selector {
  readonly ask: WireAsk;
  readonly options: readonly Option[];
  readonly chosen: number;
  /** Until then only Esc counts; Infinity until the card has been painted. */
  readonly inertUntil: number;
  readonly writing: { readonly as: "note" | "reply"; readonly edited: EditedInput } | null;
  /** An answer is on its way. */
  readonly sending: boolean;
  readonly message: string | null;
}

export interface KeyOutcome {
  readonly selector: Selector;
  readonly answer: AnswerBody | null;
}

export function openSelector(ask: WireAsk): Selector {
  const { options, chosen } = optionsFor(ask, false);
  return { ask, options, chosen, inertUntil: Number.POSITIVE_INFINITY, writing: null, sending: false, message: null };
}

/** The card is on the screen. */
export function markAppeared(selector: Selector, now: number): Selector {
  return selector.inertUntil === Number.POSITIVE_INFINITY ? { ...selector, inertUntil: now + INERT } : selector;
}

/**
 * The keys that came together. `whole`: everything a yes needs is on the screen. An answer that grants comes from one single key, pressed
 * when the card had been there for a while.
 */
export function press(selector: Selector, keys: readonly Key[], now: number, whole: boolean): KeyOutcome {
  const nothing: KeyOutcome = { selector, answer: null };
  if (selector.sending || keys.length === 0) return nothing;
  if (selector.writing !== null) return write(selector, selector.writing, keys, now);
  const [key] = keys;
  if (key === undefined) return nothing;
  const renewed: Selector = { ...selector, inertUntil: Math.max(selector.inertUntil, now + INERT) };
  // INVARIANT: several keys in one go are type-ahead, a paste or a held key; they move at the most, and make the card wait.
  if (keys.length > 1 || key.type === "paste" || (key.type === "text" && key.text.length > 1)) {
    if (keys.every((one) => one.type === "key" && (one.name === "up" || one.name === "down")))
      return { selector: keys.reduce((moved, one) => ({ ...moved, chosen: step(moved, one) }), renewed), answer: null };
    return { selector: renewed, answer: null };
  }
  if (key.type === "key") {
    if (key.name === "escape")
      return { selector: { ...selector, sending: true }, answer: { decision: "deny", digest: selector.ask.digest } };
    if (key.name === "up" || key.name === "down") return { selector: { ...selector, chosen: step(selector, key) }, answer: null };
    if (key.name === "focus") return { selector: renewed, answer: null };
    if (key.name !== "enter") return nothing;
    return now < selector.inertUntil ? { selector: renewed, answer: null } : choose(selector, selector.chosen, whole, now);
  }
  // Within a word somebody types they are letters: then the card goes on waiting.
  if (key.text === "j" || key.text === "k")
    return { selector: { ...(now < selector.inertUntil ? renewed : selector), chosen: step(selector, key) }, answer: null };
  if (now < selector.inertUntil) return { selector: renewed, answer: null };
  if (key.text === "n" && selector.ask.kind === "pending_grant")
    return { selector: { ...selector, writing: { as: "note", edited: emptyEdit } }, answer: null };
  const digit = /^[1-9]$/u.test(key.text) ? Number(key.text) - 1 : -1;
  if (digit >= 0 && digit < selector.options.length) return choose(selector, digit, whole, now);
  // Somebody is typing something else: the card waits until they notice it.
  return { selector: renewed, answer: null };
}

function step({ options, chosen }: Selector, key: Key): number {
  const down = key.type === "key" ? key.name === "down" : key.type === "text" && key.text === "j";
  return (chosen + (down ? 1 : options.length - 1)) % options.length;
}

function choose(selector: Selector, at: number, whole: boolean, now: number): KeyOutcome {
  const option = selector.options[at];
  if (option === undefined) return { selector, answer: null };
  const moved = { ...selector, chosen: at };
  if (option.grants && !whole) return { selector: { ...moved, message: "make the window larger first" }, answer: null };
  switch (option.does.do) {
    case "answer":
      return { selector: { ...moved, sending: true }, answer: option.does.answer };
    case "write":
      return { selector: { ...moved, writing: { as: option.does.as, edited: emptyEdit } }, answer: null };
    case "confirm":
      return { selector: { ...moved, ...confirmOptions(selector.ask, option.does.choice), inertUntil: now + INERT }, answer: null };
    case "more": {
      // What is on the card is new: it waits anew before anything on it counts.
      return { selector: { ...moved, ...optionsFor(selector.ask, option.does.open), inertUntil: now + INERT }, answer: null };
    }
  }
}

/** Writing a note or a reply: it can only deny or answer a question, so that a paste is welcome here. */
function write(selector: Selector, writing: NonNullable<Selector["writing"]>, keys: readonly Key[], now: number): KeyOutcome {
  let { edited } = writing;
  for (const key of keys) {
    // Back on the options, the keys that follow must not fall on one.
    if (key.type === "key" && key.name === "escape")
      return { selector: { ...selector, writing: null, inertUntil: now + INERT }, answer: null };
    if (key.type === "key" && key.name === "enter") {
      const text = edited.text.trim();
      const { digest } = selector.ask;
      if (writing.as === "reply" && text === "")
        return { selector: { ...selector, message: "write something, or press Esc" }, answer: null };
      const answer: AnswerBody =
        writing.as === "reply"
          ? { decision: "reply", digest, text }
          : { decision: "deny", digest, ...(text === "" ? {} : { note: text.slice(0, LONGEST_NOTE) }) };
      return { selector: { ...selector, writing: { ...writing, edited }, sending: true }, answer };
    }
    edited = edit(edited, key);
  }
  return { selector: { ...selector, writing: { ...writing, edited } }, answer: null };
}

const LONGEST_NOTE = 2000;
