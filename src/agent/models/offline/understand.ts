// A person's message → what they want done. Plain English about files, in many phrasings; what is not understood is said to be so and
// never guessed at. Pure: the same words after the same conversation mean the same. Never throws.

import { clausesOf, stripped } from "./clauses.ts";
import { mask, type Masked, thingsIn, unmask } from "./mask.ts";
import { asking, doing } from "./phrases-doing.ts";
import { looking, looksLikeFile } from "./phrases-looking.ts";
import { talkOf } from "./talk.ts";
import { type Memory, nothingBefore, type Place, type Staged, type Talk, type Understanding, type Wish } from "./wish.ts";

/** A message this long is no request, so long a clause is prose, and so many clauses are enough. */
const LONGEST_MESSAGE = 200_000;
const LONGEST_CLAUSE = 1_000;
const MOST_CLAUSES = 40;
/** So many things are done for one message. */
export const MOST_WISHES = 12;

export function understand(message: string, memory: Memory = nothingBefore): Understanding {
  if (message.length > LONGEST_MESSAGE) return { ...empty, unclear: [`${message.slice(0, 60)}…`] };
  const masked = mask(message);
  const talk = masked.text.length > LONGEST_CLAUSE ? null : talkOf(masked.text, masked);
  if (talk === "again") return again(memory);
  if (talk === "yes" && memory.unsettled && memory.wishes.length > 0) return { ...again(memory), talk };
  if (talk !== null) return { ...empty, talk };
  const found = new Reading(masked, memory);
  for (const line of linesOf(masked.text)) found.take(line);
  return found.understanding();
}

const empty: Understanding = { wishes: [], unclear: [], left: [], talk: null, repeats: false };

function again({ wishes }: Memory): Understanding {
  return wishes.length === 0 ? { ...empty, talk: "nothing-before" } : { ...empty, wishes, repeats: true };
}

/** Lines are read one by one, but what a colon or a block stands before belongs together. */
function linesOf(text: string): readonly string[] {
  return text
    .replaceAll(/:[ \t]*\n\s*/g, ": ")
    .split(/\n+/)
    .filter((line) => line.trim() !== "");
}

/** A message as far as it has been read: what was found, which stage it is at, and what "it" would mean now. */
class Reading {
  readonly #masked: Masked;
  #memory: Memory;
  readonly #places: Place[] = [];
  readonly #wishes: Staged[] = [];
  readonly #unclear: string[] = [];
  readonly #mentions: string[] = [];
  readonly #left: string[] = [];
  #talk: Talk | null = null;
  #stage = 0;
  #closed = false;
  #clauses = 0;

  constructor(masked: Masked, memory: Memory) {
    this.#masked = masked;
    this.#memory = memory;
  }

  take(line: string): void {
    const clauses = clausesOf(line);
    for (let at = 0; at < clauses.length && this.#clauses < MOST_CLAUSES; at += 1) {
      this.#clauses += 1;
      const clause = clauses[at];
      if (clause === undefined) return;
      if (clause.later) this.#closed = true;
      if (isConditional(line.slice(clause.start, clause.end))) {
        // What hangs on an "if" is not done without it.
        const next = clauses.findIndex((other, index) => index > at && other.first);
        const last = next === -1 ? clauses.length - 1 : next - 1;
        this.#unclear.push(unmask(line.slice(clause.start, clauses[last]?.end ?? clause.end), this.#masked).trim());
        at = last;
        continue;
      }
      // What is to be written or run may hold any words: the shortest stretch that makes sense is taken.
      const end = clauses.slice(at, at + 4).findIndex((other) => this.#doing(line.slice(clause.start, other.end)));
      if (end === -1) this.#looking(line.slice(clause.start, clause.end));
      else at += end;
    }
  }

  understanding(): Understanding {
    // Requests that stand among much else were most likely pasted, not made.
    const pasted = this.#unclear.length >= 3 && this.#unclear.length > this.#wishes.length;
    const wishes = pasted ? [] : distinct(this.#wishes).slice(0, MOST_WISHES);
    const talk = wishes.length === 0 ? this.#talk : null;
    const unclear = wishes.length === 0 ? [...this.#mentions, ...this.#unclear] : this.#unclear;
    return { wishes, unclear: talk === null ? unclear : [], left: this.#left, talk, repeats: false };
  }

  #doing(text: string): boolean {
    const wish = text.length > LONGEST_CLAUSE * 4 ? null : doing(text, this.#masked, this.#memory);
    if (wish === null) return false;
    this.#closed = true;
    this.#put([wish]);
    this.#closed = true;
    return true;
  }

  #looking(clause: string): void {
    const text = stripped(clause);
    const said = text.replace(/,?\s+(?:except|other than|apart from|excluding|but not|without)\b.*$/i, "");
    if (said !== text) this.#left.push(unmask(text.slice(said.length), this.#masked).trim());
    if (/^(?:do not|don't|dont|never|not|stop|avoid|no need to|you (?:must|should|may|can)(?:n't| not)|without)\b/i.test(said)) {
      this.#left.push(unmask(said, this.#masked));
      return;
    }
    if (isEmptyTalk(said)) return;
    const wishes = said.length > LONGEST_CLAUSE ? null : wishesIn(said, this.#masked, this.#memory);
    if (wishes !== null) return this.#put(wishes);
    const talk = talkOf(clause, this.#masked);
    if (talk !== null && talk !== "again") this.#talk ??= talk;
    else if (MENTION.test(said) && this.#mention(said)) this.#mentions.push(unmask(said, this.#masked));
    else this.#unclear.push(unmask(said, this.#masked));
  }

  /** "There is a repository at …": nothing to be done, but what "it" means from here on. */
  #mention(said: string): boolean {
    const places = thingsIn(said, this.#masked).flatMap(({ kind, text }) =>
      kind === "path" ? [{ path: text, directory: !looksLikeFile(text) }] : [],
    );
    if (places.length > 0) this.#memory = { ...this.#memory, places, offered: [] };
    return places.length > 0;
  }

  #put(wishes: readonly Wish[]): void {
    if (this.#closed && this.#wishes.length > 0) this.#stage += 1;
    this.#closed = false;
    for (const wish of wishes) {
      this.#wishes.push({ wish, stage: this.#stage });
      this.#places.push(...placesOf(wish));
    }
    if (this.#places.length > 0) this.#memory = { ...this.#memory, places: this.#places, offered: [] };
  }
}

const MENTION = /^(?:i (?:have|put|keep|wrote|saved)|there(?:'s| is| are)|my|we have|our|the|this|it|here(?:'s| is| are))\b/i;

const isConditional = (text: string): boolean =>
  /^(?:if|unless|when|whenever|in case|should|once|until|suppose|assuming)\b/i.test(stripped(text)) &&
  !/^if (?:you (?:can|could|may|please|like|want|don't mind|have time)|possible|necessary|needed)\b/i.test(stripped(text));

function wishesIn(text: string, masked: Masked, memory: Memory): readonly Wish[] | null {
  if (talkOf(text, masked) !== null) return null;
  const asked = asking(text, masked);
  if (asked !== null) return [asked];
  // What lies on the network is not read as a file, whatever the verb.
  if (thingsIn(text, masked).some(({ kind }) => kind === "url")) return null;
  for (const phrase of looking) {
    const wishes = phrase({ text, masked, memory });
    if (wishes !== null && wishes.length > 0 && wishes.every(isUsable)) return wishes;
  }
  return null;
}

/** A path must be something; what it is is for the tools to say. */
const isUsable = (wish: Wish): boolean => !("path" in wish) || wish.path.trim() !== "";

/** What a wish is about, for words that point back to it. */
export function placesOf(wish: Wish): readonly Place[] {
  switch (wish.do) {
    case "compare":
      return [wish.left, wish.right].map((path) => ({ path, directory: false }));
    case "read":
    case "create":
    case "write":
    case "append":
    case "edit":
    case "ask":
      return [{ path: wish.path, directory: false }];
    case "list":
    case "find":
    case "search":
    case "spawn":
      return [{ path: wish.path, directory: true }];
    case "run":
    case "access":
      return [];
  }
}

/** A verb without an object, or a word of manners: nothing to be told about. */
const isEmptyTalk = (text: string): boolean =>
  /^(?:find|look|search|go|check|see|read|ok|okay|please|thanks|thank you|great|then|and|also|so|tell me(?: (?:what you (?:find|see)|the (?:result|answer|difference)|about it))?|(?:let me|i want to) know.*|show me|that's all|that is all|it|good|for me|hi|hello|hey|if (?:you (?:can|could|may|please|like|want|don't mind|have time)|possible|necessary|needed))$/i.test(
    text,
  ) || !/[\p{L}\p{N}\ue000]/u.test(text);

/** Nothing is looked at twice, unless something was done in between; what is done may be meant to be done twice. */
function distinct(wishes: readonly Staged[]): readonly Staged[] {
  const seen = new Set<string>();
  return wishes.filter(({ wish }) => {
    if (DOING.has(wish.do)) {
      seen.clear();
      return true;
    }
    const key = JSON.stringify(wish);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

const DOING: ReadonlySet<Wish["do"]> = new Set<Wish["do"]>(["create", "write", "append", "edit", "run", "spawn"]);
