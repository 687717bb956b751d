// A person's message → what they want done. What is not understood is said to be so and never guessed at, and nothing is done that was
// not plainly asked for. Pure: the same words after the same conversation mean the same. Never throws. In steps, since a long message and
// the first use of each expression take a while.

import type { Steps } from "../../../core/steps.ts";
import type { Message, ToolCall, Transcript } from "../../transcript.ts";
import { isShellLine } from "./commands.ts";
import { run } from "./deeds.ts";
import { type Intent, intents, type Talk } from "./intents.ts";
import {
  clausesOf,
  IF_YOU_CAN,
  mask,
  type MaskedText,
  type MessageClause,
  plainer,
  respell,
  thingsIn,
  unmask,
  withoutManners,
} from "./message.ts";
import { type Deed, text as textOf } from "./outcome.ts";
import { english } from "./translate.ts";

export interface ReadRequest {
  readonly deeds: readonly Deed[];
  /** Parts that were not understood, as they were written. */
  readonly unclear: readonly string[];
  /** Parts that said what not to do. */
  readonly left: readonly string[];
  readonly talk: Talk | null;
  /** It only says to do again what was asked before. */
  readonly repeats: boolean;
}

/** What of the conversation so far a message may refer to. */
export interface EarlierExchange {
  /** What was done for the last message that asked for something, and its words. */
  readonly deeds: readonly Deed[];
  readonly request: string;
  /** What was looked at or named last, in order. */
  readonly places: readonly string[];
  /** Something of it was refused, denied or not there. */
  readonly unsettled: boolean;
}

export const nothingBefore: EarlierExchange = { deeds: [], request: "", places: [], unsettled: false };

/** A longer message is no request, so long a clause is prose, so many clauses are enough, and so much is done for one message. */
const LONGEST_MESSAGE = 50_000;
const LONGEST_CLAUSE = 1_000;
const MOST_CLAUSES = 40;
const MOST_DEEDS = 12;

const CONDITION = new RegExp(
  `^(?!${IF_YOU_CAN}\\b)(?:if|unless|when(?! (?:was|did)\\b)|whenever|in case|should|once|until|suppose|assuming|before|after|while|as soon as)(?![\\p{L}'])`,
  "iu",
);
const NEGATION =
  /^(?:(?:do not|don't|dont|never|not|stop|avoid|no need to|refrain from|you (?:must|should|may|can|shall)(?:n't| not)|without|i (?:do not|don't) want(?: you)? to|under no circumstances)(?!\p{L})|no (?=\p{Ll}+(?:s|es|as) )|ne |n'(?=\p{L}))/iu;
/** Said of oneself beside a request: nothing to be told about where the rest is clear. */
const STATEMENT = /^(?:i|we)(?:'m|'ve| am| are| have| just| already| only|) (?!(?:want|need|would|wish|hope|must|should)\b)/i;
/** What may be meant again in the next clause without being said. */
const VERB = /^(?:run|show me|show|list|read|open|search for|find)(?= )/i;
/** What takes back what stands before it. */
const TAKEN_BACK =
  /^(?:wait|hold on|i(?:'ve| have)? changed my mind|never ?mind|forget (?:it|that)|on second thoughts?|not (?:yet|now|sure|really)|actually,? no|scratch that|oops|sorry)\b[^\ue000]*$/i;
const NEGATED = /(?<!\p{L})(?:nicht|niemals|keinesfalls|auf keinen fall|nunca|jamás|jamais)(?!\p{L})/iu;
const POLITE = /\b(?:(?:can|could|would|will) you|(?:can|could|shall) we(?= (?:run|build|test|lint))|please|pls)\b/i;
const MENTION = /^(?:i (?:have|put|keep|wrote|saved)|there(?:'s| is| are)|my|we have|our|the|this|it|here(?:'s| is| are))\b/i;
const EXCEPT = /,? (?:except|other than|apart from|excluding|but not|without) .*$/i;
/** A verb without an object, or a word of manners: nothing to be told about. */
const EMPTY = new RegExp(
  `^(?:find|look|search|go|check|see|read|ok|okay|please|thanks|thank you|great|then|and|also|so|(?:show|give|tell) me the (?:results?|output|outcome)|there|i(?:'m| am) (?:new|curious)\\b.*|(?:tell me )?what (?:you (?:find|see|think)|fail(?:s|ed)|happen(?:s|ed)|breaks|\\S+ (?:says|does)|it(?:'s| is)(?: about)?)|(?:what|which)(?:(?! (?:does|do|did|is|are) ).)* (?:it|they) [a-z]+|tell me(?: (?:(?:if|whether|how|why)\\b.*|the (?:results?|answer|difference|outcome)|about it))?|(?:let me|i want to) know.*|know.*|report(?: back)?|explain (?:it|them|that)(?: to me)?|summari[sz]e (?:it|them|that)|show me|that's all|that is all|it|good|for me|hi|hello|hey|${IF_YOU_CAN})$`,
  "i",
);

const nothing: ReadRequest = { deeds: [], unclear: [], left: [], talk: null, repeats: false };

export function* understand(message: string, before: EarlierExchange = nothingBefore): Steps<ReadRequest> {
  if (message.length > LONGEST_MESSAGE) return { ...nothing, unclear: [`${message.slice(0, 60)}…`] };
  const masked = mask(message);
  yield;
  if (masked.things.some(({ kind }) => kind === "url")) return { ...nothing, talk: "no-network" };
  const reading = new MessageReader(masked, before.places);
  for (const line of masked.text.replaceAll(/:[ \t]?\n\s?/g, ": ").split(/\n+/)) yield* reading.take(line);
  const understanding = reading.understanding();
  const again = understanding.talk === "again" || (understanding.talk === "yes" && before.unsettled);
  return again && before.deeds.length > 0
    ? { ...understanding, deeds: before.deeds, repeats: true, talk: understanding.talk === "yes" ? "yes" : null }
    : understanding;
}

interface Meaning {
  readonly intent: Intent;
  readonly deeds: readonly Deed[];
  readonly talk: Talk | null;
}

const WIDE = intents.filter(({ wide }) => wide);
const NARROW = intents.filter(({ wide }) => !wide);
const TALK = intents.filter(({ tool }) => tool === "");

/** "Delete a.txt?" and "delete a.txt or b.txt" leave open whether it is meant, unless it is politely asked for. */
const isDoubtful = (clause: string): boolean =>
  / or |\b(?:maybe|perhaps|not yet|not now)\b/i.test(clause) || (/\?\s*$/.test(clause) && !POLITE.test(clause));

/** A message as far as it has been read: what was found, and what "it" would mean now. */
class MessageReader {
  readonly #deeds: Deed[] = [];
  readonly #unclear: string[] = [];
  readonly #left: string[] = [];
  #talk: Talk | null = null;
  #lines = 0;
  #clauses = 0;
  /** Something is changed by what was read so far. */
  #changes = false;
  /** The line that is being read, where it is in another language. */
  #foreign: string | null = null;

  readonly #masked: MaskedText;
  #places: readonly string[];
  constructor(masked: MaskedText, places: readonly string[]) {
    this.#masked = masked;
    this.#places = places;
  }

  *take(written: string): Steps<void> {
    // What somebody else said is no request.
    if (written.trim() === "" || /^\s?>/.test(written)) return;
    this.#lines += 1;
    const shell = this.#raw(written.replace(/^\s?(?:please )?(?:(?:run|execute) |[$!] ?)/i, ""));
    if (/^\s?[$!]/.test(written) || isShellLine(shell)) return this.#put([run(shell)], true);
    yield;
    const line = written.length > LONGEST_CLAUSE ? written : english(written);
    this.#foreign = line === written ? null : written;
    yield;
    const clauses = clausesOf(line);
    for (let at = 0; at < clauses.length && this.#clauses < MOST_CLAUSES;) {
      const { start, end, joined: how } = clauses[at] ?? { start: 0, end: 0, joined: "sentence" };
      this.#clauses += 1;
      yield;
      const clause = line.slice(start, end);
      const text = clause.length > LONGEST_CLAUSE ? "" : withoutManners(clause);
      const plain = clause.replaceAll("’", "'").replaceAll(/^[\s¿¡]+|[\s.!?,:;]{1,9}$/g, "");
      const talk = (yield* this.#match(plain, TALK))?.talk ?? null;
      // What hangs on an "if" is not done without it, and what hangs on a "don't" is not done at all.
      const isNot = NEGATION.test(text) || NEGATED.test(text.replaceAll(/["“].*["”]/g, ""));
      if (talk !== null || TAKEN_BACK.test(plain)) at += this.#chat(talk ?? "no");
      else if (CONDITION.test(text) || isNot) {
        const ends = ({ joined }: MessageClause): boolean => joined === "sentence" || (isNot && (joined === "then" || joined === "but"));
        const next = clauses.findIndex((other, index) => index > at && ends(other));
        at = next === -1 ? clauses.length : next;
        const hanging = line.slice(start, clauses[at - 1]?.end);
        if (isNot) this.#left.push(this.#written(hanging).replace(/[.!?]$/, ""));
        else this.#unclear.push(this.#written(hanging));
      } else {
        const verb = how === "sentence" ? "" : (VERB.exec(withoutManners(line.slice(clauses[at - 1]?.start, start)))?.[0] ?? "");
        at += (yield* this.#takeWide(line, clauses.slice(at, at + 4))) || (yield* this.#takeNarrow(clause, text, verb));
      }
    }
  }

  understanding(): ReadRequest {
    // Requests that stand among much else were most likely pasted, not made; and nothing is changed for what may be a pasted log.
    const pasted = this.#unclear.length >= 3 && this.#unclear.length > this.#deeds.length;
    const log = this.#lines > 1 && this.#unclear.length > 0 && this.#changes;
    const deeds = pasted || log ? [] : this.#deeds.slice(0, MOST_DEEDS);
    const isRequest = this.#unclear.some((part) => !STATEMENT.test(part));
    const isManners = this.#talk === "greeting" || this.#talk === "thanks";
    const talk = deeds.length > 0 || log || (isManners && isRequest) ? null : this.#talk;
    // What is said of oneself needs no answer where the rest is understood.
    const isAside = (part: string): boolean => deeds.length > 0 && !this.#changes && STATEMENT.test(part);
    return { deeds, unclear: talk === null ? this.#unclear.filter((part) => !isAside(part)) : [], left: this.#left, talk, repeats: false };
  }

  /** What is to be written or run may hold any words: the shortest stretch that makes sense is taken. How many clauses it took. */
  *#takeWide(line: string, clauses: readonly MessageClause[]): Steps<number> {
    for (const [more, { end }] of clauses.entries()) {
      const stretch = line.slice(clauses[0]?.start, end);
      const meaning = stretch.length > LONGEST_CLAUSE * 4 ? null : yield* this.#meaning(withoutManners(stretch), WIDE);
      if (meaning === null) continue;
      if (isDoubtful(stretch)) this.#unclear.push(this.#written(stretch));
      else this.#put(meaning.deeds, true);
      return more + 1;
    }
    return 0;
  }

  /** `verb`: of the clause before it, which is meant again where this one has none: "run the build, then the tests". */
  *#takeNarrow(clause: string, text: string, verb: string): Steps<number> {
    const withoutException = text.replace(EXCEPT, "");
    if (withoutException !== text) this.#left.push(this.#written(text.slice(withoutException.length)));
    if (EMPTY.test(withoutException) || !/[\p{L}\p{N}\ue000]/u.test(clause)) return 1;
    const meaning =
      withoutException === ""
        ? null
        : ((yield* this.#meaning(withoutException, NARROW)) ??
          (verb === "" ? null : yield* this.#meaning(`${verb} ${withoutException}`, NARROW)));
    const paths = thingsIn(withoutException, this.#masked).flatMap(({ kind, text: path }) => (kind === "path" ? [path] : []));
    if (meaning !== null && meaning.talk !== null) return this.#chat(meaning.talk);
    // "Delete a.txt except its first line": what is changed is never more than what was asked for.
    if (meaning !== null && !(meaning.intent.changes && (isDoubtful(clause) || withoutException !== text)))
      this.#put(meaning.deeds, meaning.intent.changes);
    // "There is a repository at …": nothing to be done, but what "it" means from here on.
    else if (MENTION.test(withoutException) && paths.length > 0) this.#places = paths;
    else this.#unclear.push(this.#written(withoutException === "" ? clause : withoutException));
    return 1;
  }

  /** What is said beside requests is no answer to them, but "no" takes them back. */
  #chat(talk: Talk): number {
    if (talk === "no") this.#deeds.splice(0);
    this.#talk ??= talk;
    return 1;
  }

  *#meaning(text: string, rows: readonly Intent[]): Steps<Meaning | null> {
    for (const variant of plainer(text)) {
      const meaning = yield* this.#match(variant, rows);
      if (meaning !== null) return meaning;
    }
    // What may be a typo is good enough for a look, and for nothing else.
    const corrected = yield* this.#match(respell(text), rows);
    return corrected?.intent.changes === true ? null : corrected;
  }

  /** The first intent that makes sense of a clause. A path must be something; what it is is for the tools to say. */
  *#match(text: string, rows: readonly Intent[]): Steps<Meaning | null> {
    for (const intent of rows) {
      for (const pattern of intent.phrases) {
        // Its first use compiles it, which takes a millisecond or more.
        yield;
        const match = pattern.exec(text);
        const deedsOrTalk = match === null ? [] : intent.does(match.groups ?? {}, { text, masked: this.#masked, places: this.#places });
        if (typeof deedsOrTalk === "string") return { intent, deeds: [], talk: deedsOrTalk };
        if (deedsOrTalk.length > 0 && deedsOrTalk.every(({ input: { path = "x" } }) => path !== ""))
          return { intent, deeds: deedsOrTalk, talk: null };
      }
    }
    return null;
  }

  #put(deeds: readonly Deed[], changes: boolean): void {
    this.#changes ||= changes;
    const same = (one: Deed, other: Deed): boolean => JSON.stringify(one) === JSON.stringify(other);
    // Without a change, nothing is looked at twice.
    for (const deed of deeds) if (this.#changes || !this.#deeds.some((other) => same(other, deed))) this.#deeds.push(deed);
    const places = this.#deeds.flatMap(placesOf);
    if (places.length > 0) this.#places = places;
  }

  #raw(text: string): string {
    return unmask(text, this.#masked).trim();
  }

  /** In the person's own words. */
  #written(part: string): string {
    return this.#raw(this.#foreign ?? part);
  }
}

/** What a deed is about, for words that point back to it. */
const placesOf = ({ input }: Deed): readonly string[] => [textOf(input, "path"), textOf(input, "with")].filter((path) => path !== "");

// ── The conversation before ───────────────────────────────────────────────────────────────────────────────────────────────────

/** A message of the person's and the turns it led to. */
export interface Exchange {
  readonly person: Extract<Message, { role: "person" }>;
  /** The calls of each turn that made any. */
  readonly turns: readonly (readonly ToolCall[])[];
}

/** So many messages back. */
const MOST_EXCHANGES = 30;

export function exchangesIn(transcript: Transcript): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  for (const message of transcript) {
    const last = exchanges.at(-1);
    if (message.role === "person") exchanges.push({ person: message, turns: [] });
    else if (message.role === "agent" && last !== undefined && message.calls.length > 0)
      exchanges.splice(-1, 1, { ...last, turns: [...last.turns, message.calls] });
  }
  return exchanges.slice(-MOST_EXCHANGES);
}

/** What is remembered after these exchanges. Nothing a file says gets in here. */
export function* memoryOf(exchanges: readonly Exchange[]): Steps<EarlierExchange> {
  let memory = nothingBefore;
  for (const exchange of exchanges) memory = yield* remember(memory, exchange);
  return memory;
}

function* remember(before: EarlierExchange, { person, turns }: Exchange): Steps<EarlierExchange> {
  const { deeds, repeats } = yield* understand(person.text, before);
  if (deeds.length === 0) return before;
  const finishedCalls = turns
    .flat()
    .flatMap(({ name, input, state }) => (state.at === "done" ? [{ name, input, ok: state.outcome.ok }] : []));
  // A near name may have been taken instead of what was named.
  const readPaths = finishedCalls.flatMap(({ name, input, ok }) => (ok && name !== "request_read_access" ? [textOf(input, "path")] : []));
  const places = [...deeds.flatMap(placesOf), ...readPaths.filter((path) => !/^\.?$/.test(path))];
  return {
    deeds,
    request: repeats ? before.request : person.text,
    places: [...new Set(places)],
    unsettled: finishedCalls.some(({ ok }) => !ok),
  };
}
