// How what was understood is done, turn by turn. A deed is data; doing it is a generator that hands out calls and gets back what became
// of them. Nothing is kept between turns: the deeds are played again through every turn since the person's message, with the outcomes that
// are in the transcript, and the calls they then want are the next turn. So the same transcript always gives the same turn, in whatever
// process. Every way on is taken once at the most, so a deed always comes to an end.

import { isInside, parent } from "../../../core/path/contain.ts";
import type { CallOutcome, ToolCall } from "../../transcript.ts";
import { mask } from "./message.ts";
import { joined, type Lines } from "./names.ts";
import { answerIn, askIn, entriesIn, manifestOf, nearIn, noteIn, number, refusal, text, type Values, valuesOf, wasCut } from "./outcome.ts";
import { commandFor, lookups } from "./project.ts";
import { isWhole, type Look, type PlannedCall, STILL_REFUSED, tell, tellComparison, totalOf } from "./tell.ts";
import { code, count } from "./words.ts";

/** One thing to be done: a call of a tool, or what takes several. */
export interface Deed {
  readonly does: string;
  /** What it is about, as the person named it; null for what has no path. */
  readonly path: string | null;
  readonly input: Values;
  readonly lines: Lines | null;
  /** Deeds of one stage do not depend on each other; a later stage waits for the ones before it. */
  readonly stage: number;
}

export interface World {
  /** The tools that are offered. */
  readonly tools: ReadonlySet<string>;
  /** What the person asked for, in their words. */
  readonly request: string;
}

/** What the asks of this exchange came to: none is put twice. */
type Doing = World & { readonly answers: Map<string, CallOutcome> };
/** Hands out calls and is given what became of each; nothing for a call that has to wait for another turn. */
type Run<T> = Generator<readonly PlannedCall[], T, readonly (CallOutcome | undefined)[]>;

export interface Plan {
  /** What is told of each deed, once everything is done. */
  readonly told: readonly string[];
  /** The next turn's calls; empty when everything is done. */
  readonly calls: readonly PlannedCall[];
  /** What happened was not what this plan would have done: somebody else's turns. */
  readonly strange: boolean;
}

/** So many calls in a turn, and so many turns for one message: past that it tells what it has. */
const MOST_CALLS = 8;
const MOST_TURNS = 16;
const UNKNOWN = refusal("request-closed");

/** Play the deeds through the turns that were made since. */
export function planAfter(deeds: readonly Deed[], turns: readonly (readonly ToolCall[])[], world: World): Plan {
  const told = deeds.map(({ path }) => `I did not get round to ${code(path ?? "it")}; say it again by itself.`);
  const answers = new Map<string, CallOutcome>();
  const run = doAll(deeds, { ...world, answers }, told);
  let wanted = run.next().value;
  for (const calls of turns) {
    const made = callsFor(wanted);
    if (made.length !== calls.length || made.some(({ name }, at) => calls[at]?.name !== name)) return { told, calls: [], strange: true };
    const outcomes = calls.map(({ state }): CallOutcome => (state.at === "done" ? state.outcome : UNKNOWN));
    for (const [at, call] of made.entries()) if (isAsk(call)) answers.set(text(call.input, "path"), outcomes[at] ?? UNKNOWN);
    wanted = run.next(wanted.map((call) => outcomes[serving(made, call)])).value;
  }
  return { told, calls: turns.length >= MOST_TURNS ? [] : callsFor(wanted), strange: false };
}

/** The calls of a turn. Equal ones are made once, and one ask serves its neighbourhood. */
function callsFor(wanted: readonly PlannedCall[]): readonly PlannedCall[] {
  const made: PlannedCall[] = [];
  for (const call of wanted) if (made.length < MOST_CALLS && serving(made, call) === -1) made.push(call);
  return made;
}

const isAsk = ({ name }: PlannedCall): boolean => name === "request_read_access";
const serving = (made: readonly PlannedCall[], call: PlannedCall): number =>
  made.findIndex((one) => JSON.stringify(one) === JSON.stringify(call) || (isAsk(one) && isAsk(call) && areNeighbours(one, call)));

/** In one directory, or one inside the other: a yes for one is most likely a yes for both. */
function areNeighbours(...calls: readonly [PlannedCall, PlannedCall]): boolean {
  const [one = "", other = ""] = calls.map(({ input }) => withoutDots(text(input, "path")));
  return parent(one) === parent(other) || isInside(one, other) || isInside(other, one);
}

function* doAll(deeds: readonly Deed[], world: Doing, told: string[]): Run<readonly PlannedCall[]> {
  for (const stage of new Set(deeds.map((deed) => deed.stage)))
    yield* together(
      deeds.map(function* (deed, at): Run<void> {
        if (deed.stage === stage) told[at] = yield* doOne(deed, world, deeds.length > 3);
      }),
    );
  return [];
}

/** Several at once; each goes on as soon as something of it has come back. */
function* together<T>(runs: readonly Run<T>[]): Run<readonly T[]> {
  const running = runs.map((run) => ({ run, state: run.next() }));
  for (;;) {
    const open = running.flatMap((one) => (one.state.done === true ? [] : [{ one, calls: one.state.value }]));
    if (open.length === 0) return running.flatMap(({ state }) => (state.done === true ? [state.value] : []));
    const outcomes = [...(yield open.flatMap(({ calls }) => calls))];
    for (const { one, calls } of open) {
      const own = outcomes.splice(0, calls.length);
      if (own.some((outcome) => outcome !== undefined)) one.state = one.run.next(own);
    }
  }
}

// ── One call ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const MAY_PASS = /^(?:stale-path|io-error)$/;
const SETTLED = /^(?:not-found|is-directory|not-directory|too-large|person-declined|recently-denied|stale-path|io-error)$/;

/** One call as it is, if its tool is offered. */
function* once(name: string, input: Values, { tools }: Doing): Run<CallOutcome> {
  if (!tools.has(name)) return refusal("unknown-tool");
  const [outcome = UNKNOWN] = yield [{ name, input }];
  return outcome;
}

/** Make a call. A refusal that says how to ask is followed, and the call made once more; a fault that may pass is tried again once. */
function* attempt(name: string, input: Values, world: Doing): Run<CallOutcome> {
  let asked = 0;
  for (let again = name !== "bash" && name !== "spawn_agent"; ;) {
    const outcome = yield* once(name, input, world);
    if (outcome.ok) return outcome;
    const ask = askIn(outcome.hint);
    if (again && MAY_PASS.test(outcome.code)) again = false;
    else if (ask === null || asked === 2 || SETTLED.test(outcome.code) || !world.tools.has("request_read_access")) return outcome;
    else {
      asked += 1;
      const answer = yield* askFor(isAbsolute(ask) ? ask : text(input, "path") || ask, "", world);
      if (!answer.ok && answer.code !== "already-in-scope") return answer;
    }
  }
}

/** A relative path is asked for by its absolute name, so the workspace's own name is looked up first. */
function* askFor(path: string, reason: string, world: Doing): Run<CallOutcome> {
  const workspace = isAbsolute(path) ? "" : text(valuesOf(yield* once("list_dir", { path: "." }, world)), "path");
  if (!isAbsolute(path) && !workspace.startsWith("/")) return refusal("out-of-scope");
  const absolute = workspace === "" ? path : withoutDots(`${workspace}/${path}`);
  const known = world.answers.get(absolute);
  if (known !== undefined) return "root" in answerIn(known) ? STILL_REFUSED : known;
  const words = world.request.replaceAll(/\s+/g, " ").trim();
  const why = `You asked: "${words.length > 250 ? `${words.slice(0, 250)}…` : words}". For that I need to read ${path || "it"}.`;
  const outcome = yield* once("request_read_access", { path: absolute, reason: (reason || why).slice(0, 500) }, world);
  const answer = answerIn(outcome);
  return "root" in answer ? outcome : answer;
}

/** A call about a path; where nothing has that name, the one that is most likely meant is taken. */
function* look(name: string, input: Values, world: Doing): Run<Look> {
  const outcome = yield* attempt(name, input, world);
  const named = text(input, "path");
  const near = nearIn(outcome);
  const path = near.length === 0 ? otherwise(name, named, world) : named.replace(/[^/]*\/?$/, () => near[0] ?? "");
  if (outcome.ok || outcome.code !== "not-found" || path === "" || near.length > 1) return { name, input, outcome };
  const second = { name, input: { ...input, path }, named, outcome: yield* attempt(name, { ...input, path }, world) };
  const isThere = second.outcome.ok || !NOTHING_THERE.test(second.outcome.code);
  return near.length === 1 || isThere ? second : { name, input, outcome };
}

const NOTHING_THERE =
  /^(?:not-found|not-directory|out-of-scope|out-of-whitelist|no-grant-root|root-too-broad|no-prompt-channel|unknown-tool)$/;

/** "LIST SRC" means `src`; "peek into api" and "go.mod from api" may mean a repository next door. */
function otherwise(name: string, path: string, { request }: World): string {
  if (path !== path.toLowerCase() && request.includes(path)) return path.toLowerCase();
  const isSpoken = path.includes("/") ? !request.includes(path) : name !== "read_file" || request.includes(`the ${path}`);
  return isSpoken && /^[a-z][\w-]*(?:\/|$)/.test(path) ? `../${path}` : "";
}

/** A file, by lines where it is too large to be read at once; a directory of that name is listed. */
function* readFile(path: string | null, lines: Lines | null, world: Doing): Run<Look> {
  // The last lines are known once it is known how many there are.
  const start = lines === null ? {} : windowOf("last" in lines ? { from: 1, to: 1 } : lines);
  let found = yield* look("read_file", { path, ...start }, world);
  if (isRefused(found, "is-directory")) return { ...(yield* look("list_dir", { path: found.input["path"] }, world)), named: found.named };
  const again = function* (window: Values): Run<Look> {
    const input = { ...found.input, ...window };
    return { ...found, input, outcome: yield* attempt("read_file", input, world) };
  };
  if (lines !== null && "last" in lines && found.outcome.ok) {
    const total = totalOf(valuesOf(found.outcome));
    found = yield* again(windowOf({ from: Math.max(1, total - lines.last + 1), to: Math.max(1, total) }));
  }
  for (const limit of [200, 20, 1]) {
    if (found.outcome.ok ? !wasCut(found.outcome.output) : found.outcome.code !== "too-large") return { ...found, asked: lines !== null };
    found = yield* again({ offset: found.input["offset"] ?? 1, limit });
  }
  return found;
}

const windowOf = ({ from, to }: { readonly from: number; readonly to: number }): Values => ({
  offset: from,
  limit: Math.min(to - from + 1, 2_000),
});
const isRefused = ({ outcome }: Look, reason: string): boolean => !outcome.ok && outcome.code === reason;

// ── One deed ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function* doOne(deed: Deed, world: Doing, brief: boolean): Run<string> {
  const found = yield* doing(deed, world);
  if (typeof found === "string") return found;
  const told = tell(found, brief);
  const instead = deed.does === "read_file" || deed.does === "list_dir" ? namedInstead(found) : null;
  return instead === null ? told : `${told} ${tell(yield* look(deed.does, { path: instead }, world), brief)}`;
}

/** What was found by the last call, or what is to be told. */
function* doing({ does, path, input, lines }: Deed, world: Doing): Run<Look | string> {
  const lookup = lookups[does];
  if (lookup !== undefined || does === "task") {
    const listed = yield* look("list_dir", { path: path ?? "." }, world);
    if (!listed.outcome.ok) return listed;
    const entries = entriesIn(valuesOf(listed.outcome));
    if (lookup === undefined) {
      const command = commandFor(text(input, "task"), entries);
      if (command === "") return "I do not know how this project does that. Say the command, for example: run `make`.";
      return yield* look("bash", { command }, world);
    }
    const dir = text(listed.input, "path");
    const looks = yield* together(lookup.files(entries).map((file) => look("read_file", { path: joined(dir, file) }, world)));
    const [first] = looks;
    if (first === undefined) return lookup.nothing;
    const manifest = manifestOf(first.outcome);
    const fact = Object.keys(manifest).length === 0 ? null : lookup.fact?.(manifest, text(input, "of"));
    return fact ?? looks.map((one) => tell(one)).join("\n\n");
  }
  switch (does) {
    case "read_file":
      return yield* readFile(path, lines, world);
    case "list_dir": {
      const found = yield* look(does, { path }, world);
      return isRefused(found, "not-directory") ? yield* look("read_file", { path: found.input["path"] }, world) : found;
    }
    case "compare":
      return tellComparison(yield* together([path, text(input, "with")].map((one) => readFile(one, null, world))));
    case "bash": {
      const { done, ...given } = input;
      const found = yield* look(does, given, world);
      const said = valuesOf(found.outcome);
      if (typeof done !== "string" || said["exit_code"] !== 0) return found;
      const nothing = / -nv /.test(text(given, "command")) && text(said, "stdout") === "";
      return nothing ? "Nothing was changed: something of that name is there already." : done;
    }
    case "create":
    case "append":
      return yield* writeAfterLook(does === "create", path, input, world);
    case "write_file":
      return yield* write({ path, ...input }, world);
    case "request_read_access": {
      const answer = answerIn(yield* askFor(path ?? "", text(input, "reason"), world));
      return "root" in answer ? `I may now read ${code(answer.root)}, for reading only.` : { name: does, input: { path }, outcome: answer };
    }
    default:
      return yield* look(does, { ...(path === null ? {} : { path }), ...input }, world);
  }
}

/** Missing directories are made, once. */
function* write(given: Values, world: Doing): Run<Look> {
  const outcome = yield* attempt("write_file", given, world);
  if (outcome.ok || outcome.code !== "not-found" || !/create_parents/.test(outcome.hint))
    return { name: "write_file", input: given, outcome };
  const input = { ...given, create_parents: true };
  return { name: "write_file", input, outcome: yield* attempt("write_file", input, world) };
}

/** A look at the very file that was named first, without asking for it: what is there is not overwritten by "create", and kept by "append". */
function* writeAfterLook(isNew: boolean, path: string | null, input: Values, world: Doing): Run<Look | string> {
  const name = code(path ?? "");
  const before = yield* once("read_file", { path, ...(isNew ? { offset: 1, limit: 1 } : {}) }, world);
  const said = valuesOf(before);
  const isThere = before.ok || /^(?:is-directory|binary-file|too-large)$/.test(before.code);
  if (isNew && isThere) return `${name} is there already, so I left it as it is. Say “write … to ${path ?? ""}” to replace it.`;
  if (isNew) return yield* write({ path, ...input }, world);
  if (isThere && (!isWhole(said) || typeof said["content"] !== "string")) return `${name} is too large for me to add to.`;
  if (!before.ok && before.code !== "not-found") return { name: "read_file", input: { path }, outcome: before };
  const old = text(said, "content");
  const content = `${old}${old === "" || old.endsWith("\n") ? "" : "\n"}${text(input, "content")}\n`;
  const written = yield* write({ path, content }, world);
  const now = valuesOf(written.outcome);
  return !written.outcome.ok || now["created"] === true
    ? written
    : `I added it to ${name}, which now has ${count(number(now, "bytes_written"), "byte")}.`;
}

/** A path in the note of a denial, if there is exactly one and it is not the one that was denied. */
function namedInstead({ outcome, input }: Look): string | null {
  const note = (!outcome.ok && outcome.code === "person-declined" && noteIn(outcome.hint)) || "";
  // "not …" and "don't …" name what to leave alone.
  if (/\b(?:not|don't|do not|never|except|instead of)\b/i.test(note) && !/\binstead\b(?! of)/i.test(note)) return null;
  const named = mask(note.slice(0, 2_000)).things.flatMap(({ kind, text: said }) =>
    said !== input["path"] && (kind === "path" || (/^(?:code|quote)$/.test(kind) && /^\S*[./]\S*$/.test(said))) ? [said] : [],
  );
  return new Set(named).size === 1 ? (named[0] ?? null) : null;
}

const isAbsolute = (path: string): boolean => path.startsWith("/") || path === "~" || path.startsWith("~/");

/** Dots worked out as they are written. For a guess at what lies together; what a path really is, the guard says. */
function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/"))
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}
