// How what was understood is done, turn by turn. Nothing is kept between turns: the deeds are played again from the person's message
// through every turn since, with the outcomes that are in the transcript, and what they then want is the next turn. So the same
// transcript always gives the same turn, in whatever process.
//
// One step is one thing tried with one tool. Every way on is taken once at the most, so a step always comes to an end: by a finding,
// or by a refusal that is accepted.
//
//   try ──▶ found, refused, missing                       settled
//    │ ▲
//    │ └── granted: once more        not found, one near name: that one        a directory: listed        too large: by lines
//    ▼
//   ask ──▶ denied, cannot be asked                       settled
//    ▲
//   locate: a relative path is asked for by its absolute name, so the workspace's own name is looked up first

import type { CallOutcome, ToolCall } from "../../transcript.ts";
import { mask } from "./message.ts";
import type { Lines } from "./names.ts";
import { answerIn, askIn, type Finding, foundBy, nearIn, noteIn, wasCut, workspaceIn } from "./outcome.ts";

export interface PlannedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface PlannedStep {
  readonly tool: string;
  /** Null for what has no path. */
  readonly path: string | null;
  /** What the person called it, where a near name was taken instead. */
  readonly named: string | null;
  /** Without the path. */
  readonly input: PlannedCall["input"];
  /** Where else it may be, if it is not there. */
  readonly otherwise: readonly string[];
  readonly lines: Lines | null;
  readonly next: "try" | "ask" | "locate";
  /** What to ask with; absolute once it is known. */
  readonly askFor: string | null;
  /** The ways that were taken. */
  readonly taken: ReadonlySet<Way>;
  readonly finding: Finding | null;
}
type Way = "asked" | "again" | "near" | "other-tool" | "parents" | "window" | "smaller" | "smallest";

/** One thing to be done. */
export interface Deed {
  /** What is tried first, all at once. */
  readonly steps: readonly PlannedStep[];
  /** What follows once that is settled; nothing where it is enough. */
  readonly next?: (done: readonly PlannedStep[]) => readonly PlannedStep[];
  /** How it is told; by its steps, unless this says something. */
  readonly tell?: (done: readonly PlannedStep[]) => string | null;
}

/** Deeds of one stage do not depend on each other; a later stage waits for the ones before it. */
export interface Staged extends Deed {
  readonly stage: number;
}

interface Task extends Staged {
  readonly followed: boolean;
}

export interface World {
  /** The tools that are offered. */
  readonly tools: ReadonlySet<string>;
  /** The workspace's own name, once it is known. */
  readonly workspace: string | null;
  /** What the person asked for, in their words. */
  readonly request: string;
  /** Long outputs are to be avoided. */
  readonly frugal: boolean;
}

export interface Plan {
  /** The deeds, with what was found. */
  readonly deeds: readonly Deed[];
  /** The next turn's calls; empty when everything is settled. */
  readonly calls: readonly PlannedCall[];
  /** What happened was not what this plan would have done: somebody else's turns. */
  readonly strange: boolean;
}

/** So many calls in a turn, and so many turns for one message: past that it tells what it has. */
const MOST_CALLS = 8;
const MOST_TURNS = 16;

export function step(tool: string, path: string | null, input: PlannedStep["input"] = {}, more: Partial<PlannedStep> = {}): PlannedStep {
  return {
    tool,
    path,
    named: null,
    input,
    otherwise: [],
    lines: null,
    next: "try",
    askFor: null,
    taken: new Set(),
    finding: null,
    ...more,
  };
}

/** A look at a file that is to be written: the one that was named, never one with a similar name, and nobody is asked for it. */
export const lookBeforeWriting = (path: string, lines: Lines | null): PlannedStep =>
  step("read_file", path, {}, { lines, taken: new Set<Way>(["near", "asked", "other-tool"]) });

/** Asking for access and nothing else. */
export function askStep(path: string, reason: string | null): PlannedStep {
  const absolute = isAbsolute(path);
  const input = reason === null ? {} : { reason };
  return step("request_read_access", path, input, { next: absolute ? "ask" : "locate", askFor: absolute ? path : null });
}

/** Play the deeds through the turns that were made since. */
export function planAfter(deeds: readonly Staged[], turns: readonly (readonly ToolCall[])[], start: World): Plan {
  let world = start;
  const answers = new Map<string, ReturnType<typeof answerIn>>();
  let tasks: readonly Task[] = deeds.map((deed) => ({ ...deed, steps: deed.steps.map((one) => fitted(one, world)), followed: false }));
  for (const calls of turns) {
    const turn = turnOf(tasks, world);
    if (turn.calls.length !== calls.length || turn.calls.some(({ name }, at) => calls[at]?.name !== name))
      return { deeds: tasks, calls: [], strange: true };
    const outcomes = calls.map(({ state }): CallOutcome => (state.at === "done" ? state.outcome : UNKNOWN));
    const here = turn.calls.findIndex(({ name, input }) => name === "list_dir" && input["path"] === ".");
    const listed = outcomes[here];
    world = { ...world, workspace: world.workspace ?? (listed?.ok === true ? workspaceIn(listed.output) : null) };
    for (const [at, { name, input }] of turn.calls.entries())
      if (name === "request_read_access") answers.set(withoutDots(String(input["path"])), answerIn(outcomes[at] ?? UNKNOWN));
    const taught = (one: PlannedStep): PlannedStep => {
      const wait = turn.waits.get(one);
      const outcome = wait === undefined ? undefined : outcomes[wait.call];
      const after = wait === undefined || outcome === undefined ? one : wait.rides ? overheard(one, outcome) : learn(one, outcome, world);
      return askedBefore(after, answers);
    };
    tasks = tasks.map((task) => followed({ ...task, steps: task.steps.map(taught) }, world));
  }
  return { deeds: tasks, calls: turns.length >= MOST_TURNS ? [] : turnOf(tasks, world).calls, strange: false };
}

const UNKNOWN: CallOutcome = { ok: false, code: "request-closed", hint: "" };

/** A step with the tools there are. */
function fitted(one: PlannedStep, { tools }: World): PlannedStep {
  const tool = one.tool === "read_file" && !tools.has("read_file") && tools.has("view_file") ? "view_file" : one.tool;
  const missing = [tool, ...(one.next === "locate" ? ["list_dir"] : [])].find((name) => !tools.has(name));
  return missing === undefined ? { ...one, tool } : { ...one, tool, finding: { kind: "no-tool", tool: missing } };
}

interface Turn {
  readonly calls: readonly PlannedCall[];
  /** Which call each step waits for; a step that rides on another's ask waits for that one. */
  readonly waits: ReadonlyMap<PlannedStep, { readonly call: number; readonly rides: boolean }>;
}

/** The calls of the first stage that is not settled. Equal calls are made once, and one ask serves its neighbourhood. */
function turnOf(tasks: readonly Task[], world: World): Turn {
  const open = tasks.filter(({ steps }) => steps.some(({ finding }) => finding === null));
  const stage = Math.min(...open.map((task) => task.stage));
  const calls: PlannedCall[] = [];
  const asks: { readonly path: string; readonly call: number }[] = [];
  const waits = new Map<PlannedStep, { readonly call: number; readonly rides: boolean }>();
  for (const one of open.filter((task) => task.stage === stage).flatMap(({ steps }) => steps)) {
    const call = callOf(one, world);
    if (call === null) continue;
    const mayRide = one.next === "ask" && one.tool !== "request_read_access";
    const ride = mayRide ? asks.find(({ path }) => areNeighbours(path, one.askFor ?? "")) : undefined;
    const same = calls.findIndex((other) => JSON.stringify(other) === JSON.stringify(call));
    if (ride !== undefined) waits.set(one, { call: ride.call, rides: true });
    else if (same !== -1) waits.set(one, { call: same, rides: false });
    else if (calls.length < MOST_CALLS) {
      const at = calls.push(call) - 1;
      waits.set(one, { call: at, rides: false });
      if (one.next === "ask") asks.push({ path: one.askFor ?? "", call: at });
    }
  }
  return { calls, waits };
}

/** What was asked for once in this exchange is not asked for again: the answer is known. */
function askedBefore(one: PlannedStep, answers: ReadonlyMap<string, ReturnType<typeof answerIn>>): PlannedStep {
  const answer = one.finding === null && one.next === "ask" ? answers.get(withoutDots(one.askFor ?? "")) : undefined;
  if (answer === undefined) return one;
  return take(one, "asked", { finding: answer.kind === "granted" ? { kind: "refused", code: "out-of-scope", hint: "" } : answer });
}

/** In one directory, or one inside the other: a yes for one is most likely a yes for both. */
function areNeighbours(path: string, another: string): boolean {
  const [one, other] = [withoutDots(path), withoutDots(another)];
  const dir = (full: string): string => full.slice(0, full.lastIndexOf("/") + 1);
  return dir(one) === dir(other) || other.startsWith(`${one}/`) || one.startsWith(`${other}/`);
}

/** Once everything so far is settled: what the deed says comes then, or what the person named instead. */
function followed(task: Task, world: World): Task {
  if (task.followed || task.steps.some(({ finding }) => finding === null)) return task;
  const [first] = task.steps;
  const instead =
    task.steps.length === 1 && first !== undefined && /^(?:read_file|list_dir)$/.test(first.tool) ? namedInstead(first) : null;
  const more = instead === null ? (task.next?.(task.steps) ?? []) : [step(first?.tool ?? "", instead)];
  return { ...task, steps: [...task.steps, ...more.map((one) => fitted(one, world))], followed: true };
}

/** A path in the note of a denial, if there is exactly one and it is not the one that was denied. */
function namedInstead({ finding, path }: PlannedStep): string | null {
  if (finding?.kind !== "denied" || finding.note === null) return null;
  // "not …" and "don't …" name what to leave alone.
  if (/\b(?:not|don't|do not|never|except|instead of)\b/i.test(finding.note) && !/\binstead\b(?! of)/i.test(finding.note)) return null;
  const named = mask(finding.note.slice(0, 2_000)).things.filter(
    ({ kind, text }) => kind === "path" || ((kind === "code" || kind === "quote") && /^\S+$/.test(text) && /[./]/.test(text)),
  );
  const others = [...new Set(named.map(({ text }) => text))].filter((one) => one !== path);
  return others.length === 1 ? (others[0] ?? null) : null;
}

// ── One step ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The call it needs next; null when it is settled. */
function callOf(one: PlannedStep, world: World): PlannedCall | null {
  if (one.finding !== null) return null;
  if (one.next === "locate") return { name: "list_dir", input: { path: "." } };
  if (one.next === "ask") return { name: "request_read_access", input: { path: one.askFor, reason: reasonFor(one, world) } };
  return { name: one.tool, input: { ...(one.path === null ? {} : { path: one.path }), ...one.input, ...windowOf(one, world) } };
}

/** At most 500 characters, on one line. */
function reasonFor({ path, askFor, input }: PlannedStep, { request }: World): string {
  const given = input["reason"];
  if (typeof given === "string") return given.slice(0, 500);
  const words = request.replaceAll(/\s+/g, " ").trim();
  const asked = words.length > 250 ? `${words.slice(0, 250)}…` : words;
  return `You asked: "${asked}". For that I need to read ${path ?? askFor ?? "it"}.`.slice(0, 500);
}

const READS = /^(?:read|view)_file$/;

function windowOf({ tool, lines, taken }: PlannedStep, { frugal }: World): PlannedStep["input"] {
  if (!READS.test(tool)) return {};
  const most = taken.has("smallest") ? 1 : taken.has("smaller") ? 20 : frugal ? 60 : 200;
  if (lines === null) return taken.has("window") || frugal ? { offset: 1, limit: most } : {};
  // The last lines are known once it is known how many there are.
  if ("last" in lines) return { offset: 1, limit: 1 };
  return { offset: lines.from, limit: Math.min(lines.to - lines.from + 1, taken.has("smaller") ? most : 2_000) };
}

const settle = (one: PlannedStep, finding: Finding): PlannedStep => ({ ...one, finding });
const take = (one: PlannedStep, way: Way, change: Partial<PlannedStep> = {}): PlannedStep => ({
  ...one,
  ...change,
  taken: new Set([...one.taken, way]),
});

/** The step after its call came to this. */
function learn(one: PlannedStep, outcome: CallOutcome, world: World): PlannedStep {
  if (one.next === "locate") {
    const askFor = absoluteOf(one.path ?? "", outcome.ok ? workspaceIn(outcome.output) : null);
    return askFor === null ? settle(one, { kind: "refused", code: "out-of-scope", hint: "" }) : { ...one, next: "ask", askFor };
  }
  if (one.next === "ask") return answered(one, outcome);
  return outcome.ok ? done(one, outcome.output) : failed(one, outcome, world);
}

function done(one: PlannedStep, output: string): PlannedStep {
  const { tool, lines, taken } = one;
  if (READS.test(tool) && wasCut(output) && !taken.has("smallest")) return smaller(one);
  const finding = foundBy(tool, output);
  if (finding.kind !== "file" || lines === null || !("last" in lines)) return settle(one, finding);
  const last = Math.min(lines.last, 2_000);
  return { ...one, lines: { from: Math.max(1, finding.total - last + 1), to: Math.max(1, finding.total) } };
}

/** Fewer lines at once: two hundred, then twenty, then one. */
function smaller(one: PlannedStep): PlannedStep {
  return take(one, !one.taken.has("window") && one.lines === null ? "window" : one.taken.has("smaller") ? "smallest" : "smaller");
}

function failed(one: PlannedStep, outcome: Extract<CallOutcome, { ok: false }>, { tools, workspace }: World): PlannedStep {
  const { code, hint } = outcome;
  const { taken, tool, path } = one;
  const refused = settle(one, { kind: "refused", code, hint });
  const instead = (other: string, when: boolean): PlannedStep =>
    when && !taken.has("other-tool") && tools.has(other) ? take(one, "other-tool", { tool: other, lines: null }) : refused;
  switch (code) {
    case "not-found":
      return missing(one, hint);
    case "is-directory":
      return instead("list_dir", READS.test(tool));
    case "not-directory":
      return instead("read_file", tool === "list_dir");
    case "too-large":
      return READS.test(tool) && !taken.has("smallest") ? smaller(one) : refused;
    case "stale-path":
    case "io-error":
      return taken.has("again") || tool === "bash" || tool === "spawn_agent" ? refused : take(one, "again");
    case "person-declined":
    case "recently-denied":
      return settle(one, { kind: "denied", note: noteIn(hint), before: code === "recently-denied" });
    default:
      break;
  }
  // A refusal that says how to ask is followed once; any other is accepted.
  const ask = askIn(hint);
  if (ask === null || taken.has("asked") || !tools.has("request_read_access")) return refused;
  const absolute = isAbsolute(ask) ? ask : absoluteOf(path ?? ask, workspace);
  if (absolute !== null) return { ...one, next: "ask", askFor: absolute };
  return tools.has("list_dir") ? { ...one, next: "locate" } : refused;
}

function missing(one: PlannedStep, hint: string): PlannedStep {
  const near = nearIn(hint);
  const [only] = near;
  const [other, ...otherwise] = one.otherwise;
  if (one.tool === "write_file" && /create_parents/.test(hint) && !one.taken.has("parents"))
    return take(one, "parents", { input: { ...one.input, create_parents: true } });
  if (near.length === 1 && only !== undefined && !one.taken.has("near"))
    return take(one, "near", { path: beside(one.path ?? "", only), named: one.path, otherwise: [] });
  if (other !== undefined) return { ...one, path: other, otherwise };
  return settle(one, { kind: "missing", near: near.map((name) => beside(one.path ?? "", name)) });
}

function answered(one: PlannedStep, outcome: CallOutcome): PlannedStep {
  const asked = take(one, "asked", { next: "try" });
  const answer = answerIn(outcome);
  // Who asked for nothing but the access has what they wanted.
  const goesOn = answer.kind === "granted" || (answer.kind === "refused" && answer.code === "already-in-scope");
  return goesOn && one.tool !== "request_read_access" ? asked : settle(asked, answer);
}

/** Another's ask has been answered, and this step would have asked for much the same. */
function overheard(one: PlannedStep, outcome: CallOutcome): PlannedStep {
  const answer = answerIn(outcome);
  return answer.kind === "denied" ? settle(take(one, "asked", { next: "try" }), answer) : { ...one, next: "try" };
}

const isAbsolute = (path: string): boolean => path.startsWith("/") || path === "~" || path.startsWith("~/");

/** `path` seen from the workspace. */
function absoluteOf(path: string, workspace: string | null): string | null {
  if (isAbsolute(path)) return path;
  return workspace === null ? null : withoutDots(`${workspace}/${path}`);
}

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
function beside(path: string, name: string): string {
  const slash = path.endsWith("/") ? path.lastIndexOf("/", path.length - 2) : path.lastIndexOf("/");
  return slash === -1 ? name : `${path.slice(0, slash + 1)}${name}`;
}
