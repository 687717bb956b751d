// A person's message → what they want done. What is not understood is said to be so and never guessed at, and nothing is done that was
// not plainly asked for. Pure: the same words after the same conversation mean the same. Never throws.

import type { Message, ToolCall, Transcript } from "../../transcript.ts";
import { isShellLine } from "./commands.ts";
import { run } from "./deeds.ts";
import type { Deed } from "./doing.ts";
import { type Intent, intents, type Talk, talk as talks } from "./intents.ts";
import { clausesOf, mask, type Masked, thingsIn, unmask, withoutManners, withoutReason, withoutTypos } from "./message.ts";
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

const CONDITION =
  /^(?:if|unless|when(?! (?:was|did)\b)|whenever|in case|should|once|until|suppose|assuming|before|after|while|as soon as|wenn|falls|bevor|si|cuando|antes de|quand|avant de)(?![\p{L}'])/iu;
const MANNER_OF_IF = /^if (?:you (?:can|could|may|please|like|want|don't mind|have time)|possible|necessary|needed)\b/i;
const NEGATION =
  /^(?:(?:do not|don't|dont|never|not|stop|avoid|no need to|refrain from|you (?:must|should|may|can|shall)(?:n't| not)|without|i (?:do not|don't) want(?: you)? to|under no circumstances)(?!\p{L})|no (?=\p{Ll}+(?:s|es|as) )|ne |n'(?=\p{L}))/iu;
const NEGATED = /(?<!\p{L})(?:nicht|niemals|keinesfalls|auf keinen fall|nunca|jamás|jamais)(?!\p{L})/iu;
const POLITE =
  /(?<!\p{L})(?:(?:can|could|would|will) you|please|pls|bitte|kannst du|könntest du|por favor|puedes|podrías|peux-tu|pouvez-vous)(?!\p{L})/iu;
const MENTION = /^(?:i (?:have|put|keep|wrote|saved)|there(?:'s| is| are)|my|we have|our|the|this|it|here(?:'s| is| are))\b/i;
/** A verb without an object, or a word of manners: nothing to be told about. */
const EMPTY =
  /^(?:find|look|search|go|check|see|read|ok|okay|please|thanks|thank you|danke|gracias|great|then|and|also|so|(?:show|give|tell) me the (?:results?|output|outcome)|there|tell me(?: (?:what (?:you (?:find|see)|it (?:says|does)|it(?:'s| is)(?: about)?)|(?:if|whether|how|why)\b.*|the (?:results?|answer|difference|outcome)|about it))?|(?:let me|i want to) know.*|know.*|report(?: back)?|explain (?:it|them|that)(?: to me)?|summari[sz]e (?:it|them|that)|show me|that's all|that is all|it|good|for me|hi|hello|hey|if (?:you (?:can|could|may|please|like|want|don't mind|have time)|possible|necessary|needed))$/i;

export function understand(message: string, before: Before = nothingBefore): Understanding {
  if (message.length > LONGEST_MESSAGE) return { ...nothing, unclear: [`${message.slice(0, 60)}…`] };
  const masked = mask(message);
  const talk = masked.text.length > 300 ? null : talkOf(masked.text, masked, before);
  if (talk === "again" || (talk === "yes" && before.unsettled && before.deeds.length > 0))
    return before.deeds.length === 0
      ? { ...nothing, talk }
      : { ...nothing, deeds: before.deeds, repeats: true, talk: talk === "yes" ? talk : null };
  if (talk !== null) return { ...nothing, talk };
  const reading = new Reading(masked, before);
  for (const line of masked.text.replaceAll(/:[ \t]?\n\s?/g, ": ").split(/\n+/)) reading.take(line);
  return reading.understanding();
}

const nothing: Understanding = { deeds: [], unclear: [], left: [], talk: null, repeats: false };

/** What a whole sentence is, if it is only talk. With a file in it, it may be a request. */
function talkOf(sentence: string, masked: Masked, before: Before): Talk | null {
  const things = thingsIn(sentence, masked);
  if (things.some(({ kind }) => kind === "url")) return "no-network";
  const plain = sentence.replaceAll("’", "'").replaceAll(/\s+/g, " ").trim();
  for (const text of [plain.replace(/[\s.!?,:;]{1,9}$/, "").replace(/^[¿¡]/, ""), plain, withoutManners(plain)]) {
    const found = things.length > 0 ? null : meaningOf(text, talks, masked, before);
    if (found !== null) return found.talk;
  }
  return null;
}

interface Meaning {
  readonly intent: Intent;
  readonly deeds: readonly Deed[];
  readonly talk: Talk | null;
}

/** The first intent that makes sense of a clause. */
function meaningOf(text: string, rows: readonly Intent[], masked: Masked, before: Before): Meaning | null {
  for (const intent of rows)
    for (const pattern of intent.phrases) {
      const match = pattern.exec(text);
      const found = match === null ? null : intent.does(match.groups ?? {}, { ...before, text, masked });
      if (typeof found === "string") return { intent, deeds: [], talk: found };
      if (found !== null && found.length > 0 && found.every(isUsable)) return { intent, deeds: found, talk: null };
    }
  return null;
}

/** A path must be something; what it is is for the tools to say. */
const isUsable = ({ path }: Deed): boolean => path === null || path.trim() !== "";

const WIDE = intents.filter(({ wide }) => wide);
const NARROW = [...talks, ...intents.filter(({ wide }) => !wide)];

/** A message as far as it has been read: what was found, which stage it is at, and what "it" would mean now. */
class Reading {
  readonly #masked: Masked;
  #before: Before;
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
    for (let at = 0; at < clauses.length && this.#clauses < MOST_CLAUSES; at += 1) {
      const clause = clauses[at];
      if (clause === undefined) return;
      this.#clauses += 1;
      if (clause.joined === "then") this.#waits = true;
      const said = line.slice(clause.start, clause.end);
      const sentence = clauses.findIndex((other, index) => index > at && other.joined === "sentence");
      const text = said.length > LONGEST_CLAUSE ? "" : withoutManners(said);
      // What hangs on an "if" is not done without it, and what hangs on a "don't" is not done at all.
      if (CONDITION.test(text) && !MANNER_OF_IF.test(text)) {
        const end = sentence === -1 ? clauses.length : sentence;
        this.#unclear.push(this.#raw(line.slice(clause.start, clauses[end - 1]?.end)));
        at = end - 1;
      } else if (NEGATION.test(text) || NEGATED.test(text.replaceAll(/["“].*["”]/g, ""))) {
        const next = clauses.findIndex(
          (other, index) => index > at && (other.joined !== "and" || /\bbut\b/i.test(line.slice(clauses[index - 1]?.end, other.start))),
        );
        const end = next === -1 ? clauses.length : next;
        this.#left.push(this.#raw(line.slice(clause.start, clauses[end - 1]?.end)).replace(/[.!?]$/, ""));
        at = end - 1;
      } else at += this.#takeWide(line, clauses.slice(at, at + 4)) ?? this.#takeNarrow(said, text);
    }
  }

  understanding(): Understanding {
    const { length } = this.#deeds;
    // Requests that stand among much else were most likely pasted, not made; and nothing is changed for what may be a pasted log.
    const pasted = this.#unclear.length >= 3 && this.#unclear.length > length;
    const log = this.#lines > 1 && this.#unclear.length > 0 && this.#changes;
    const deeds = pasted || log ? [] : this.#deeds.slice(0, MOST_DEEDS);
    const talk = deeds.length === 0 && !log ? this.#talk : null;
    const unclear = deeds.length === 0 ? [...this.#mentions, ...this.#unclear] : this.#unclear;
    return { deeds, unclear: talk === null ? unclear : [], left: this.#left, talk, repeats: false };
  }

  /** What is to be written or run may hold any words: the shortest stretch that makes sense is taken. How many clauses more it took. */
  #takeWide(line: string, clauses: ReturnType<typeof clausesOf>): number | null {
    const [first] = clauses;
    for (const [more, { end }] of clauses.entries()) {
      const said = line.slice(first?.start, end);
      const meaning = said.length > LONGEST_CLAUSE * 4 ? null : meaningOf(withoutManners(said), WIDE, this.#masked, this.#before);
      if (meaning === null) continue;
      if (isDoubtful(said)) this.#unclear.push(this.#raw(said));
      else this.#put(meaning.deeds, true);
      return more;
    }
    return null;
  }

  #takeNarrow(said: string, text: string): number {
    const kept = text.replace(/,? (?:except|other than|apart from|excluding|but not|without) .*$/i, "");
    if (kept !== text) this.#left.push(this.#raw(text.slice(kept.length)).trim());
    if (EMPTY.test(kept) || !/[\p{L}\p{N}\ue000]/u.test(said)) return 0;
    const meaning = kept === "" ? null : this.#meaning(kept);
    if (meaning?.talk === "no" && this.#deeds.length > 0) this.#deeds.splice(0);
    if (meaning?.talk !== undefined && meaning.talk !== null)
      this.#talk = meaning.talk === "again" ? this.#talk : (this.#talk ?? meaning.talk);
    else if (meaning !== null && !(meaning.intent.changes && isDoubtful(said))) this.#put(meaning.deeds, meaning.intent.changes);
    else if (MENTION.test(kept) && this.#mention(kept)) this.#mentions.push(this.#raw(kept));
    else this.#unclear.push(this.#raw(kept === "" ? said : kept));
    return 0;
  }

  #meaning(text: string): Meaning | null {
    if (thingsIn(text, this.#masked).some(({ kind }) => kind === "url")) return null;
    const found = (one: string): Meaning | null => meaningOf(one, NARROW, this.#masked, this.#before);
    const meaning = found(text) ?? (withoutReason(text) === text ? null : found(withoutManners(withoutReason(text))));
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
    for (const deed of deeds) if (this.#changes || !this.#deeds.some((other) => isSame(other, deed))) this.#deeds.push({ ...deed, stage });
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

/** "Delete a.txt?" and "delete a.txt or b.txt" leave open whether it is meant, unless it is politely asked for. */
const isDoubtful = (said: string): boolean => / or /i.test(said) || (/\?\s*$/.test(said) && !POLITE.test(said));

const DIRECTORIES = /^(?:list_dir|find_files|grep|spawn_agent|overview|read all)$/;

/** What a deed is about, for words that point back to it. */
export const placesOf = ({ does, path, input }: Deed): readonly Place[] =>
  [path, does === "compare" ? input["with"] : null].flatMap((one) =>
    typeof one === "string" ? [{ path: one, directory: DIRECTORIES.test(does) }] : [],
  );

const isSame = (one: Deed, other: Deed): boolean => JSON.stringify({ ...one, stage: 0 }) === JSON.stringify({ ...other, stage: 0 });

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
  const wanted = deeds.flatMap(placesOf);
  // A near name or a directory may have been taken instead of what was named.
  const seen = calls.flatMap(({ name, input, state }) =>
    state.at === "done" && state.outcome.ok && name !== "request_read_access" && !/^\.?$/.test(textOf(input, "path"))
      ? [{ path: textOf(input, "path"), directory: DIRECTORIES.test(name) }]
      : [],
  );
  const places = [...wanted.map((place) => seen.find(({ path }) => path === place.path) ?? place), ...seen];
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
  if (!state.outcome.ok) {
    const near = state.outcome.code === "not-found" ? nearIn(state.outcome.hint) : [];
    return near.length < 2 ? [] : near.map((one) => path.slice(0, path.lastIndexOf("/") + 1) + one);
  }
  const found = valuesOf(state.outcome.output);
  const names = name === "find_files" ? texts(found, "files") : entriesIn(found).map((entry) => joined(path || ".", entry));
  return names.slice(0, MOST_OFFERED);
}
