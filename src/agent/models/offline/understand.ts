// A person's message → what they want done. What is not understood is said to be so and never guessed at, and nothing is done that was
// not plainly asked for. Pure: the same words after the same conversation mean the same. Never throws.

import type { Message, ToolCall, Transcript } from "../../transcript.ts";
import { isShellLine } from "./commands.ts";
import { run } from "./deeds.ts";
import type { Deed } from "./doing.ts";
import { type Intent, intents, type Talk } from "./intents.ts";
import {
  clausesOf,
  IF_YOU_CAN,
  mask,
  type Masked,
  type MessageClause,
  thingsIn,
  unmask,
  withoutManners,
  withoutNoise,
  withoutReason,
  withoutTypos,
} from "./message.ts";
import { joined, looksLikeFile, type Place, type Said } from "./names.ts";
import { entriesIn, nearIn, text as textOf, texts, valuesOf } from "./outcome.ts";

export interface Understanding {
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
export interface Before extends Omit<Said, "masked"> {
  /** What was done for the last message that asked for something, and its words. */
  readonly deeds: readonly Deed[];
  readonly request: string;
  /** Something of it was refused, denied or not there. */
  readonly unsettled: boolean;
}

export const nothingBefore: Before = { deeds: [], request: "", places: [], offered: [], unsettled: false };

/** A longer message is no request, so long a clause is prose, so many clauses are enough, and so much is done for one message. */
const LONGEST_MESSAGE = 50_000;
const LONGEST_CLAUSE = 1_000;
const MOST_CLAUSES = 40;
const MOST_DEEDS = 12;

const CONDITION = new RegExp(
  `^(?!${IF_YOU_CAN}\\b)(?:if|unless|when(?! (?:was|did)\\b)|whenever|in case|should|once|until|suppose|assuming|before|after|while|as soon as|wenn|falls|bevor|si|cuando|antes de|quand|avant de)(?![\\p{L}'])`,
  "iu",
);
const NEGATION =
  /^(?:(?:do not|don't|dont|never|not|stop|avoid|no need to|refrain from|you (?:must|should|may|can|shall)(?:n't| not)|without|i (?:do not|don't) want(?: you)? to|under no circumstances)(?!\p{L})|no (?=\p{Ll}+(?:s|es|as) )|ne |n'(?=\p{L}))/iu;
const NEGATED = /(?<!\p{L})(?:nicht|niemals|keinesfalls|auf keinen fall|nunca|jamás|jamais)(?!\p{L})/iu;
const POLITE =
  /(?<!\p{L})(?:(?:can|could|would|will) you|(?:can|could|shall) we(?= (?:run|build|test|lint))|please|pls|bitte|kannst du|könntest du|por favor|puedes|podrías|peux-tu|pouvez-vous)(?!\p{L})/iu;
const MENTION = /^(?:i (?:have|put|keep|wrote|saved)|there(?:'s| is| are)|my|we have|our|the|this|it|here(?:'s| is| are))\b/i;
const EXCEPT = /,? (?:except|other than|apart from|excluding|but not|without) .*$/i;
/** A verb without an object, or a word of manners: nothing to be told about. */
const EMPTY = new RegExp(
  `^(?:find|look|search|go|check|see|read|ok|okay|please|thanks|thank you|danke|gracias|great|then|and|also|so|(?:show|give|tell) me the (?:results?|output|outcome)|there|i(?:'m| am) (?:new|curious)\\b.*|(?:tell me )?what (?:you (?:find|see|think)|\\S+ (?:says|does)|it(?:'s| is)(?: about)?)|tell me(?: (?:(?:if|whether|how|why)\\b.*|the (?:results?|answer|difference|outcome)|about it))?|(?:let me|i want to) know.*|know.*|report(?: back)?|explain (?:it|them|that)(?: to me)?|summari[sz]e (?:it|them|that)|show me|that's all|that is all|it|good|for me|hi|hello|hey|${IF_YOU_CAN})$`,
  "i",
);

const nothing: Understanding = { deeds: [], unclear: [], left: [], talk: null, repeats: false };

export function understand(message: string, before: Before = nothingBefore): Understanding {
  if (message.length > LONGEST_MESSAGE) return { ...nothing, unclear: [`${message.slice(0, 60)}…`] };
  const masked = mask(message);
  if (masked.things.some(({ kind }) => kind === "url")) return { ...nothing, talk: "no-network" };
  const reading = new Reading(masked, before);
  for (const line of masked.text.replaceAll(/:[ \t]?\n\s?/g, ": ").split(/\n+/)) reading.take(line);
  const found = reading.understanding();
  const again = found.talk === "again" || (found.talk === "yes" && before.unsettled);
  return again && before.deeds.length > 0
    ? { ...found, deeds: before.deeds, repeats: true, talk: found.talk === "yes" ? "yes" : null }
    : found;
}

interface Meaning {
  readonly intent: Intent;
  readonly deeds: readonly Deed[];
  readonly talk: Talk | null;
}

/** The first intent that makes sense of a clause. A path must be something; what it is is for the tools to say. */
function meaningOf(text: string, rows: readonly Intent[], masked: Masked, before: Before): Meaning | null {
  for (const intent of rows)
    for (const pattern of intent.phrases) {
      const match = pattern.exec(text);
      const found = match === null ? null : intent.does(match.groups ?? {}, { ...before, text, masked });
      if (typeof found === "string") return { intent, deeds: [], talk: found };
      if (found !== null && found.length > 0 && found.every(({ path }) => path?.trim() !== "")) return { intent, deeds: found, talk: null };
    }
  return null;
}

const WIDE = intents.filter(({ wide }) => wide);
const NARROW = intents.filter(({ wide }) => !wide);
const TALK = intents.filter(({ tool }) => tool === "");

/** "Delete a.txt?" and "delete a.txt or b.txt" leave open whether it is meant, unless it is politely asked for. */
const isDoubtful = (said: string): boolean => / or /i.test(said) || (/\?\s*$/.test(said) && !POLITE.test(said));

/** A message as far as it has been read: what was found, which stage it is at, and what "it" would mean now. */
class Reading {
  readonly #deeds: Deed[] = [];
  readonly #unclear: string[] = [];
  readonly #mentions: string[] = [];
  readonly #left: string[] = [];
  #talk: Talk | null = null;
  #lines = 0;
  #clauses = 0;
  /** The next deed waits for the ones before it. */
  #waits = false;
  /** Something is changed by what was read so far. */
  #changes = false;

  readonly #masked: Masked;
  #before: Before;
  constructor(masked: Masked, before: Before) {
    this.#masked = masked;
    this.#before = before;
  }

  take(line: string): void {
    // What somebody else said is no request.
    if (line.trim() === "" || /^\s?>/.test(line)) return;
    this.#lines += 1;
    const shell = this.#raw(line.replace(/^\s?(?:please )?(?:(?:run|execute) |[$!] ?)/i, ""));
    if (/^\s?[$!]/.test(line) || isShellLine(shell)) return this.#put([run(shell)], true);
    const clauses = clausesOf(line);
    // How far what begins with a clause reaches, where the clause that `ends` it is found.
    const upTo = (at: number, ends: (other: MessageClause, index: number) => boolean): number => {
      const next = clauses.findIndex((other, index) => index > at && ends(other, index));
      return next === -1 ? clauses.length : next;
    };
    for (let at = 0; at < clauses.length && this.#clauses < MOST_CLAUSES;) {
      const { start, end, joined: how } = clauses[at] ?? { start: 0, end: 0, joined: "and" };
      this.#clauses += 1;
      if (how === "then") this.#waits = true;
      const said = line.slice(start, end);
      const text = said.length > LONGEST_CLAUSE ? "" : withoutManners(said);
      const plain = said.replaceAll("’", "'").replaceAll(/^[\s¿¡]+|[\s.!?,:;]{1,9}$/g, "");
      const talk = meaningOf(plain, TALK, this.#masked, this.#before)?.talk;
      // What hangs on an "if" is not done without it, and what hangs on a "don't" is not done at all.
      const isNot = NEGATION.test(text) || NEGATED.test(text.replaceAll(/["“].*["”]/g, ""));
      if (talk !== undefined && talk !== null) at += this.#chat(talk);
      else if (CONDITION.test(text) || isNot) {
        const isBut = (index: number): boolean => /\bbut\b/i.test(line.slice(clauses[index - 1]?.end, clauses[index]?.start));
        at = upTo(at, (other, index) => other.joined === "sentence" || (isNot && (other.joined === "then" || isBut(index))));
        const hanging = this.#raw(line.slice(start, clauses[at - 1]?.end));
        if (CONDITION.test(text)) this.#unclear.push(hanging);
        else this.#left.push(hanging.replace(/[.!?]$/, ""));
      } else at += this.#takeWide(line, clauses.slice(at, at + 4)) || this.#takeNarrow(said, text);
    }
  }

  understanding(): Understanding {
    // Requests that stand among much else were most likely pasted, not made; and nothing is changed for what may be a pasted log.
    const pasted = this.#unclear.length >= 3 && this.#unclear.length > this.#deeds.length;
    const log = this.#lines > 1 && this.#unclear.length > 0 && this.#changes;
    const deeds = pasted || log ? [] : this.#deeds.slice(0, MOST_DEEDS);
    const talk = deeds.length === 0 && !log ? this.#talk : null;
    const unclear = deeds.length === 0 ? [...this.#mentions, ...this.#unclear] : this.#unclear;
    return { deeds, unclear: talk === null ? unclear : [], left: this.#left, talk, repeats: false };
  }

  /** What is to be written or run may hold any words: the shortest stretch that makes sense is taken. How many clauses it took. */
  #takeWide(line: string, clauses: readonly MessageClause[]): number {
    for (const [more, { end }] of clauses.entries()) {
      const said = line.slice(clauses[0]?.start, end);
      const meaning = said.length > LONGEST_CLAUSE * 4 ? null : this.#meaning(withoutManners(said), WIDE);
      if (meaning === null) continue;
      if (isDoubtful(said)) this.#unclear.push(this.#raw(said));
      else this.#put(meaning.deeds, true);
      return more + 1;
    }
    return 0;
  }

  #takeNarrow(said: string, text: string): number {
    const kept = text.replace(EXCEPT, "");
    if (kept !== text) this.#left.push(this.#raw(text.slice(kept.length)).trim());
    if (EMPTY.test(kept) || !/[\p{L}\p{N}\ue000]/u.test(said)) return 1;
    const meaning = kept === "" ? null : this.#meaning(kept, NARROW);
    if (meaning?.talk !== undefined && meaning.talk !== null) return this.#chat(meaning.talk);
    if (meaning !== null && !(meaning.intent.changes && isDoubtful(said))) this.#put(meaning.deeds, meaning.intent.changes);
    else if (MENTION.test(kept) && this.#mention(kept)) this.#mentions.push(this.#raw(kept));
    else this.#unclear.push(this.#raw(kept === "" ? said : kept));
    return 1;
  }

  /** What is said beside requests is no answer to them, but "no" takes them back. */
  #chat(talk: Talk): number {
    if (talk === "no") this.#deeds.splice(0);
    this.#talk ??= talk;
    return 1;
  }

  #meaning(text: string, rows: readonly Intent[]): Meaning | null {
    if (thingsIn(text, this.#masked).some(({ kind }) => kind === "url")) return null;
    const found = (one: string): Meaning | null => meaningOf(one, rows, this.#masked, this.#before);
    const short = withoutManners(withoutReason(text));
    const meaning = found(text) ?? (short === text ? null : found(short)) ?? found(withoutNoise(short));
    // What may be a typo is good enough for a look, and for nothing else.
    const mended = meaning === null && withoutTypos(text) !== text ? found(withoutTypos(text)) : null;
    return meaning ?? (mended?.intent.changes === true ? null : mended);
  }

  /** "There is a repository at …": nothing to be done, but what "it" means from here on. */
  #mention(said: string): boolean {
    const paths = thingsIn(said, this.#masked).filter(({ kind }) => kind === "path");
    this.#point(paths.map(({ text }) => ({ path: text, directory: !looksLikeFile(text) })));
    return paths.length > 0;
  }

  #put(deeds: readonly Deed[], changes: boolean): void {
    const last = this.#deeds.at(-1);
    const stage = last === undefined ? 0 : last.stage + (this.#waits || changes ? 1 : 0);
    // What comes after a change waits for it; without one, nothing is looked at twice.
    this.#waits = changes;
    this.#changes ||= changes;
    const same = (one: Deed, other: Deed): boolean => JSON.stringify({ ...one, stage }) === JSON.stringify({ ...other, stage });
    for (const deed of deeds) if (this.#changes || !this.#deeds.some((other) => same(other, deed))) this.#deeds.push({ ...deed, stage });
    this.#point(this.#deeds.flatMap(placesOf));
  }

  /** What "it" means from here on. */
  #point(places: readonly Place[]): void {
    if (places.length > 0) this.#before = { ...this.#before, places, offered: [] };
  }

  #raw(text: string): string {
    return unmask(text, this.#masked).trim();
  }
}

const DIRECTORIES = /^(?:list_dir|find_files|grep|spawn_agent|overview|read all)$/;

/** What a deed is about, for words that point back to it. */
const placesOf = ({ does, path, input }: Deed): readonly Place[] =>
  [path, does === "compare" ? input["with"] : null].flatMap((one) =>
    typeof one === "string" ? [{ path: one, directory: DIRECTORIES.test(does) }] : [],
  );

// ── The conversation before ───────────────────────────────────────────────────────────────────────────────────────────────────

/** A message of the person's and the turns it led to. */
export interface Exchange {
  readonly person: Extract<Message, { role: "person" }>;
  /** The calls of each turn that made any. */
  readonly turns: readonly (readonly ToolCall[])[];
}

/** So many messages back, and so many names that were found. */
const MOST_EXCHANGES = 30;
const MOST_OFFERED = 20;

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

/** What is remembered after these exchanges. Nothing a file says gets in here but the names of files. */
export const memoryOf = (exchanges: readonly Exchange[]): Before => exchanges.reduce(remember, nothingBefore);

function remember(before: Before, { person, turns }: Exchange): Before {
  const calls = turns.flat();
  const { deeds, repeats } = understand(person.text, before);
  if (deeds.length === 0) return before;
  // A near name or a directory may have been taken instead of what was named.
  const seen = calls.flatMap(({ name, input, state }) =>
    state.at === "done" && state.outcome.ok && name !== "request_read_access" && !/^\.?$/.test(textOf(input, "path"))
      ? [{ path: textOf(input, "path"), directory: DIRECTORIES.test(name) }]
      : [],
  );
  const places = [...deeds.flatMap(placesOf).map((place) => seen.find(({ path }) => path === place.path) ?? place), ...seen];
  return {
    deeds,
    request: repeats ? before.request : person.text,
    places: places.filter(({ path }, at) => places.findIndex((other) => other.path === path) === at),
    offered: calls.flatMap(offeredBy),
    unsettled: calls.some(({ state }) => state.at === "done" && !state.outcome.ok),
  };
}

/** Names a person may choose from: near ones where several were, or what was found. */
function offeredBy({ name, input, state }: ToolCall): readonly string[] {
  if (state.at !== "done") return [];
  const path = textOf(input, "path");
  const near = nearIn(state.outcome).map((one) => path.slice(0, path.lastIndexOf("/") + 1) + one);
  if (!state.outcome.ok) return near.length < 2 ? [] : near;
  const found = valuesOf(state.outcome);
  return (name === "find_files" ? texts(found, "files") : entriesIn(found).map((entry) => joined(path || ".", entry))).slice(
    0,
    MOST_OFFERED,
  );
}
