// How what was understood is done, turn by turn. A deed is data; doing it is a generator that hands out calls and gets back what became
// of them. Nothing is kept between turns: the deeds are played again through every turn since the person's message, with the outcomes that
// are in the transcript, and the calls they then want are the next turn. So the same transcript always gives the same turn, in whatever
// process. Every way on is taken once at the most, so a deed always comes to an end.

import type { CallOutcome, ToolCall } from "../../transcript.ts";
import { mask } from "./message.ts";
import type { Lines } from "./names.ts";
import { answerIn, askIn, entriesIn, nearIn, noteIn, number, text, type Values, valuesOf, wasCut } from "./outcome.ts";
import { factIn, lookups, TASKS } from "./project.ts";
import { type PlannedCall, isWhole, type Look, STILL_REFUSED, tell, tellComparison, totalOf } from "./tell.ts";
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

/** Play the deeds through the turns that were made since. */
export function planAfter(deeds: readonly Deed[], turns: readonly (readonly ToolCall[])[], world: World): Plan {
  const told = deeds.map(({ path }) => `I did not get round to ${code(path ?? "it")}; say it again by itself.`);
  const answers = new Map<string, CallOutcome>();
  const run = doAll(deeds, world, told);
  let wanted = run.next().value;
  for (const calls of turns) {
    const made = callsFor(wanted);
    if (made.length !== calls.length || made.some(({ name }, at) => calls[at]?.name !== name)) return { told, calls: [], strange: true };
    const outcomes = calls.map(({ state }): CallOutcome => (state.at === "done" ? state.outcome : UNKNOWN));
    for (const [at, call] of made.entries()) if (isAsk(call)) answers.set(askedFor(call), outcomes[at] ?? UNKNOWN);
    wanted = run.next(wanted.map((call) => outcomes[serving(made, call)])).value;
    // What was asked for once in this exchange is not asked for again: the answer is known.
    while (wanted.some((call) => answerTo(call, answers) !== undefined))
      wanted = run.next(wanted.map((call) => answerTo(call, answers))).value;
  }
  return { told, calls: turns.length >= MOST_TURNS ? [] : callsFor(wanted), strange: false };
}

const UNKNOWN: CallOutcome = { ok: false, code: "request-closed", hint: "" };
const isAsk = ({ name }: PlannedCall): boolean => name === "request_read_access";
const askedFor = ({ input }: PlannedCall): string => withoutDots(text(input, "path"));

function answerTo(call: PlannedCall, answers: ReadonlyMap<string, CallOutcome>): CallOutcome | undefined {
  const answer = isAsk(call) ? answers.get(askedFor(call)) : undefined;
  return answer !== undefined && "root" in answerIn(answer) ? STILL_REFUSED : answer;
}

/** The calls of a turn. Equal ones are made once, and one ask serves its neighbourhood. */
function callsFor(wanted: readonly PlannedCall[]): readonly PlannedCall[] {
  const made: PlannedCall[] = [];
  for (const call of wanted) if (made.length < MOST_CALLS && serving(made, call) === -1) made.push(call);
  return made;
}

function serving(made: readonly PlannedCall[], call: PlannedCall): number {
  const same = JSON.stringify(call);
  return made.findIndex(
    (one) => JSON.stringify(one) === same || (isAsk(one) && isAsk(call) && areNeighbours(askedFor(one), askedFor(call))),
  );
}

/** In one directory, or one inside the other: a yes for one is most likely a yes for both. */
function areNeighbours(one: string, other: string): boolean {
  const dir = (full: string): string => full.slice(0, full.lastIndexOf("/") + 1);
  return dir(one) === dir(other) || other.startsWith(`${one}/`) || one.startsWith(`${other}/`);
}

function* doAll(deeds: readonly Deed[], world: World, told: string[]): Run<readonly PlannedCall[]> {
  for (const stage of new Set(deeds.map((deed) => deed.stage))) {
    const tellOne = function* (deed: Deed, at: number): Run<void> {
      if (deed.stage === stage) told[at] = yield* doOne(deed, world, deeds.length > 3);
    };
    yield* together(deeds.map(tellOne));
  }
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

/** Make a call. A refusal that says how to ask is followed, and the call made once more; a fault that may pass is tried again once. */
function* attempt(call: PlannedCall, world: World): Run<CallOutcome> {
  if (!world.tools.has(call.name)) return { ok: false, code: "unknown-tool", hint: "" };
  let asked = 0;
  for (let again = true; ;) {
    const [outcome = UNKNOWN] = yield [call];
    if (outcome.ok) return outcome;
    const ask = askIn(outcome.hint);
    if (again && MAY_PASS.has(outcome.code) && !isCommand(call)) again = false;
    else if (ask === null || asked === 2 || SETTLED.has(outcome.code) || !world.tools.has("request_read_access")) return outcome;
    else {
      asked += 1;
      const answer = yield* askFor(isAbsolute(ask) ? ask : text(call.input, "path") || ask, reasonFor(call, world), world);
      if (!answer.ok && answer.code !== "already-in-scope") return answer;
    }
  }
}

const MAY_PASS: ReadonlySet<string> = new Set(["stale-path", "io-error"]);
const SETTLED: ReadonlySet<string> = new Set([
  "not-found",
  "is-directory",
  "not-directory",
  "too-large",
  "person-declined",
  "recently-denied",
  ...MAY_PASS,
]);
const isCommand = ({ name }: PlannedCall): boolean => name === "bash" || name === "spawn_agent";

/** A relative path is asked for by its absolute name, so the workspace's own name is looked up first. */
function* askFor(path: string, reason: string, { tools }: World): Run<CallOutcome> {
  let absolute = path;
  if (!isAbsolute(path)) {
    const [listed = UNKNOWN] = tools.has("list_dir") ? yield [{ name: "list_dir", input: { path: "." } }] : [];
    const workspace = listed.ok ? text(valuesOf(listed.output), "path") : "";
    if (!workspace.startsWith("/")) return { ok: false, code: "out-of-scope", hint: "" };
    absolute = withoutDots(`${workspace}/${path}`);
  }
  const [outcome = UNKNOWN] = yield [{ name: "request_read_access", input: { path: absolute, reason: reason.slice(0, 500) } }];
  const answer = answerIn(outcome);
  return "root" in answer ? outcome : answer;
}

function reasonFor({ input }: PlannedCall, { request }: World): string {
  const words = request.replaceAll(/\s+/g, " ").trim();
  const asked = words.length > 250 ? `${words.slice(0, 250)}…` : words;
  return `You asked: "${asked}". For that I need to read ${text(input, "path") || "it"}.`;
}

/** A call about a path; where there is none of that name and one near name, that one is taken. */
function* look(name: string, input: Values, world: World): Run<Look> {
  const outcome = yield* attempt({ name, input }, world);
  const path = text(input, "path");
  const near = !outcome.ok && outcome.code === "not-found" && path !== "" ? nearIn(outcome.hint) : [];
  if (near.length !== 1) return { name, input, outcome };
  const found = { ...input, path: beside(path, near[0] ?? "") };
  return { name, input: found, named: path, outcome: yield* attempt({ name, input: found }, world) };
}

/** A file, by lines where it is too large to be read at once; a directory of that name is listed. */
function* readFile({ path, lines }: Deed, world: World): Run<Look> {
  // The last lines are known once it is known how many there are.
  const start = lines === null ? {} : windowOf("last" in lines ? { from: 1, to: 1 } : lines);
  let found = yield* look("read_file", { path, ...start }, world);
  if (isRefused(found, "is-directory")) return { ...(yield* look("list_dir", { path: found.input["path"] }, world)), named: found.named };
  if (lines !== null && "last" in lines && found.outcome.ok) {
    const total = totalOf(valuesOf(found.outcome.output) ?? {});
    const window = windowOf({ from: Math.max(1, total - lines.last + 1), to: Math.max(1, total) });
    const input = { ...found.input, ...window };
    found = { ...found, input, outcome: yield* attempt({ name: "read_file", input }, world) };
  }
  for (const limit of [200, 20, 1]) {
    if (found.outcome.ok ? !wasCut(found.outcome.output) : found.outcome.code !== "too-large") return { ...found, asked: lines !== null };
    const input = { ...found.input, offset: found.input["offset"] ?? 1, limit };
    found = { ...found, input, outcome: yield* attempt({ name: "read_file", input }, world) };
  }
  return found;
}

const windowOf = ({ from, to }: { readonly from: number; readonly to: number }): Values => ({
  offset: from,
  limit: Math.min(to - from + 1, 2_000),
});
const isRefused = ({ outcome }: Look, reason: string): boolean => !outcome.ok && outcome.code === reason;

// ── One deed ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function* doOne(deed: Deed, world: World, brief: boolean): Run<string> {
  const found = yield* doing(deed, world);
  if (typeof found === "string") return found;
  const told = tell(found, brief);
  const instead = deed.does === "read_file" || deed.does === "list_dir" ? namedInstead(found) : null;
  return instead === null ? told : `${told} ${tell(yield* look(deed.does, { path: instead }, world), brief)}`;
}

/** What was found by the last call, or what is to be told. */
function* doing(deed: Deed, world: World): Run<Look | string> {
  const { does, path, input } = deed;
  const lookup = lookups[does];
  if (lookup !== undefined) {
    const listed = yield* look("list_dir", { path }, world);
    if (!listed.outcome.ok) return listed;
    const files = lookup.files(entriesIn(valuesOf(listed.outcome.output)));
    const looks = yield* together(files.map((file) => look("read_file", { path: path === "." ? file : `${path ?? ""}/${file}` }, world)));
    const [first] = looks;
    if (first === undefined) return lookup.nothing;
    const fact = first.outcome.ok ? factIn(lookup, text(valuesOf(first.outcome.output), "content"), text(input, "of")) : null;
    return fact ?? looks.map((one) => tell(one)).join("\n\n");
  }
  switch (does) {
    case "read_file":
      return yield* readFile(deed, world);
    case "list_dir": {
      const found = yield* look(does, { path }, world);
      return isRefused(found, "not-directory") ? yield* look("read_file", { path: found.input["path"] }, world) : found;
    }
    case "compare":
      return tellComparison(yield* together([path, text(input, "with")].map((one) => readFile({ ...deed, path: one }, world))));
    case "task": {
      const listed = yield* look("list_dir", { path: "." }, world);
      if (!listed.outcome.ok) return listed;
      const entries = entriesIn(valuesOf(listed.outcome.output));
      const command = TASKS.find(([name]) => entries.includes(name))?.[number(input, "task")];
      if (command === undefined) return "I do not know how this project does that. Say the command, for example: run `make`.";
      return yield* look("bash", { command }, world);
    }
    case "bash": {
      const { done, ...given } = input;
      const found = yield* look(does, given, world);
      const said = found.outcome.ok ? valuesOf(found.outcome.output) : null;
      if (typeof done !== "string" || said?.["exit_code"] !== 0) return found;
      const nothing = / -nv /.test(text(given, "command")) && text(said, "stdout") === "";
      return nothing ? "Nothing was changed: something of that name is there already." : done;
    }
    case "create":
    case "append":
      return yield* writeAfterLook(deed, world);
    case "write_file":
      return yield* write(path, input, world);
    case "request_read_access": {
      const outcome = world.tools.has(does)
        ? yield* askFor(path ?? "", text(input, "reason") || reasonFor({ name: does, input: { path } }, world), world)
        : NO_TOOL;
      const answer = answerIn(outcome);
      return "root" in answer ? `I may now read ${code(answer.root)}, for reading only.` : { name: does, input: { path }, outcome: answer };
    }
    default:
      return yield* look(does, { ...(path === null ? {} : { path }), ...input }, world);
  }
}

const NO_TOOL: CallOutcome = { ok: false, code: "unknown-tool", hint: "" };

/** Missing directories are made, once. */
function* write(path: string | null, input: Values, world: World): Run<Look> {
  const given = { path, ...input };
  const outcome = yield* attempt({ name: "write_file", input: given }, world);
  const again =
    !outcome.ok && outcome.code === "not-found" && /create_parents/.test(outcome.hint) ? { ...given, create_parents: true } : null;
  if (again === null) return { name: "write_file", input: given, outcome };
  return { name: "write_file", input: again, outcome: yield* attempt({ name: "write_file", input: again }, world) };
}

/** A look at the very file that was named first, without asking for it: what is there is not overwritten by "create", and kept by "append". */
function* writeAfterLook({ does, path, input }: Deed, world: World): Run<Look | string> {
  const name = code(path ?? "");
  const isNew = does === "create";
  const [before = UNKNOWN] = world.tools.has("read_file")
    ? yield [{ name: "read_file", input: { path, ...(isNew ? { offset: 1, limit: 1 } : {}) } }]
    : [NO_TOOL];
  const said = before.ok ? valuesOf(before.output) : null;
  const isThere = before.ok || /^(?:is-directory|binary-file|too-large)$/.test(before.code);
  if (isNew) {
    if (isThere) return `${name} is there already, so I left it as it is. Say “write … to ${path ?? ""}” to replace it.`;
    return yield* write(path, input, world);
  }
  if (isThere && (said === null || !isWhole(said) || typeof said["content"] !== "string")) return `${name} is too large for me to add to.`;
  if (!before.ok && before.code !== "not-found") return { name: "read_file", input: { path }, outcome: before };
  const old = text(said, "content");
  const content = `${old}${old === "" || old.endsWith("\n") ? "" : "\n"}${text(input, "content")}\n`;
  const written = yield* write(path, { content }, world);
  const now = written.outcome.ok ? valuesOf(written.outcome.output) : null;
  return now === null || now["created"] === true
    ? written
    : `I added it to ${name}, which now has ${count(number(now, "bytes_written"), "byte")}.`;
}

/** A path in the note of a denial, if there is exactly one and it is not the one that was denied. */
function namedInstead({ outcome, input }: Look): string | null {
  const note = !outcome.ok && outcome.code === "person-declined" ? noteIn(outcome.hint) : null;
  // "not …" and "don't …" name what to leave alone.
  if (note === null || (/\b(?:not|don't|do not|never|except|instead of)\b/i.test(note) && !/\binstead\b(?! of)/i.test(note))) return null;
  const named = mask(note.slice(0, 2_000)).things.filter(
    ({ kind, text: said }) => kind === "path" || ((kind === "code" || kind === "quote") && /^\S*[./]\S*$/.test(said)),
  );
  const others = [...new Set(named.map((one) => one.text))].filter((one) => one !== input["path"]);
  return others.length === 1 ? (others[0] ?? null) : null;
}

const isAbsolute = (path: string): boolean => path.startsWith("/") || path === "~" || path.startsWith("~/");

/** Dots worked out as they are written. For a guess at what lies together; what a path really is, the guard says. */
function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

/** The name, in the directory of `path`. */
const beside = (path: string, name: string): string => path.replace(/[^/]*\/?$/, () => name);
