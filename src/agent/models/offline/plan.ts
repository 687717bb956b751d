// Wishes → calls, turn by turn. Nothing is kept between turns: the plan is played again from the person's message through every turn
// since, with the outcomes that are in the transcript, and what it then wants is the next turn. So the same transcript always gives
// the same turn, in whatever process. Calls are matched to their turns by order; ids are the loop's own business.

import type { Outcome, ToolCall } from "../../transcript.ts";
import { answerIn, type Finding } from "./finding.ts";
import { mask } from "./mask.ts";
import { type Call, callOf, learn, newProbe, overheard, type Probe, type Way, withoutDots, type World, workspaceIn } from "./probe.ts";
import type { Staged, Wish } from "./wish.ts";

/** A wish and what was tried for it. */
export interface Task extends Staged {
  readonly probes: readonly Probe[];
}

export interface Plan {
  readonly tasks: readonly Task[];
  /** The next turn's calls; empty when everything is settled. */
  readonly calls: readonly Call[];
  /** What happened was not what this plan would have done: somebody else's turns. */
  readonly strange: boolean;
}

/** So many calls in a turn, and so many turns for one message: past that it tells what it has. */
const MOST_CALLS = 8;
const MOST_TURNS = 16;

/** Play the wishes through the turns that were made since. */
export function planAfter(wishes: readonly Staged[], turns: readonly (readonly ToolCall[])[], start: World): Plan {
  let world = start;
  const answers = new Map<string, ReturnType<typeof answerIn>>();
  let tasks: readonly Task[] = wishes.map((one) => ({ ...one, probes: probesFor(one.wish, world) }));
  for (const calls of turns) {
    const step = stepOf(tasks, world);
    if (step.calls.length !== calls.length || step.calls.some(({ name }, at) => calls[at]?.name !== name))
      return { tasks, calls: [], strange: true };
    const outcomes = calls.map(({ state }): Outcome => (state.at === "done" ? state.outcome : UNKNOWN));
    world = { ...world, workspace: world.workspace ?? workspaceFrom(calls) };
    for (const [at, { name, input }] of step.calls.entries())
      if (name === "request_read_access") answers.set(withoutDots(String(input["path"])), answerIn(outcomes[at] ?? UNKNOWN));
    tasks = tasks.map((task) => followed(askedBefore(taught(task, step, outcomes, world), answers), world));
  }
  return { tasks, calls: turns.length >= MOST_TURNS ? [] : stepOf(tasks, world).calls, strange: false };
}

const UNKNOWN: Outcome = { ok: false, code: "request-closed", hint: "" };

// ── One turn ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Step {
  readonly calls: readonly Call[];
  /** Which call each probe waits for; a probe that rides on another's ask waits for that one. */
  readonly waits: ReadonlyMap<Probe, { readonly call: number; readonly rides: boolean }>;
}

/** The calls of the first stage that is not settled. Equal calls are made once, and one ask serves its neighbourhood. */
function stepOf(tasks: readonly Task[], world: World): Step {
  const open = tasks.filter(({ probes }) => probes.some(({ finding }) => finding === null));
  const stage = Math.min(...open.map((task) => task.stage));
  const calls: Call[] = [];
  const asks: { readonly path: string; readonly call: number }[] = [];
  const waits = new Map<Probe, { readonly call: number; readonly rides: boolean }>();
  for (const probe of open.filter((task) => task.stage === stage).flatMap(({ probes }) => probes)) {
    const call = callOf(probe, world);
    if (call === null) continue;
    const ride =
      probe.next === "ask" && probe.tool !== "request_read_access"
        ? asks.find(({ path }) => areNeighbours(path, probe.askFor ?? ""))
        : undefined;
    const same = calls.findIndex((other) => JSON.stringify(other) === JSON.stringify(call));
    if (ride !== undefined) waits.set(probe, { call: ride.call, rides: true });
    else if (same !== -1) waits.set(probe, { call: same, rides: false });
    else if (calls.length < MOST_CALLS) {
      const at = calls.push(call) - 1;
      waits.set(probe, { call: at, rides: false });
      if (probe.next === "ask") asks.push({ path: probe.askFor ?? "", call: at });
    }
  }
  return { calls, waits };
}

function taught(task: Task, { waits }: Step, outcomes: readonly Outcome[], world: World): Task {
  const probes = task.probes.map((probe) => {
    const wait = waits.get(probe);
    const outcome = wait === undefined ? undefined : outcomes[wait.call];
    if (wait === undefined || outcome === undefined) return probe;
    return wait.rides ? overheard(probe, outcome) : learn(probe, outcome, world);
  });
  return { ...task, probes };
}

/** What was asked for once in this exchange is not asked for again: the answer is known. */
function askedBefore(task: Task, answers: ReadonlyMap<string, ReturnType<typeof answerIn>>): Task {
  const probes = task.probes.map((probe): Probe => {
    const answer = probe.finding === null && probe.next === "ask" ? answers.get(withoutDots(probe.askFor ?? "")) : undefined;
    if (answer === undefined) return probe;
    const finding: Finding = answer.kind === "granted" ? { kind: "refused", code: "out-of-scope", hint: "" } : answer;
    return { ...probe, taken: new Set<Way>([...probe.taken, "asked"]), finding };
  });
  return { ...task, probes };
}

/** In one directory, or one inside the other: a yes for one is most likely a yes for both. */
function areNeighbours(path: string, another: string): boolean {
  const [one, other] = [withoutDots(path), withoutDots(another)];
  const dir = (full: string): string => full.slice(0, full.lastIndexOf("/") + 1);
  return dir(one) === dir(other) || other.startsWith(`${one}/`) || one.startsWith(`${other}/`);
}

function workspaceFrom(calls: readonly ToolCall[]): string | null {
  const listed = calls.find(
    ({ name, input }) => name === "list_dir" && typeof input === "object" && input !== null && "path" in input && input.path === ".",
  );
  return listed?.state.at === "done" && listed.state.outcome.ok ? workspaceIn(listed.state.outcome.output) : null;
}

// ── From wishes to probes ─────────────────────────────────────────────────────────────────────────────────────────────────────

function probesFor(wish: Wish, world: World): readonly Probe[] {
  return first(wish).map((probe) => {
    const tool = probe.tool === "read_file" && !world.tools.has("read_file") && world.tools.has("view_file") ? "view_file" : probe.tool;
    const writes = wish.do === "create" || wish.do === "append" ? ["write_file"] : [];
    const missing = [tool, ...(probe.next === "locate" ? ["list_dir"] : []), ...writes].find((one) => !world.tools.has(one));
    return missing === undefined ? { ...probe, tool } : { ...probe, finding: { kind: "no-tool", tool: missing } };
  });
}

function first(wish: Wish): readonly Probe[] {
  switch (wish.do) {
    case "read":
      return [newProbe("read_file", wish.path, {}, { lines: wish.lines, otherwise: wish.otherwise })];
    case "list":
      return [newProbe("list_dir", wish.path)];
    case "find":
      return [newProbe("find_files", wish.path, { pattern: wish.pattern })];
    case "search":
      return [
        newProbe("grep", wish.path, {
          pattern: wish.text,
          ...(wish.regex ? {} : { literal: true }),
          ...(wish.ignoreCase ? { ignore_case: true } : {}),
          ...(wish.glob === null ? {} : { glob: wish.glob }),
        }),
      ];
    case "compare":
      return [newProbe("read_file", wish.left), newProbe("read_file", wish.right)];
    case "write":
      return [newProbe("write_file", wish.path, { content: wish.content })];
    case "create":
    case "append":
      // What is to be written is the file that was named, never one with a similar name; and for a look before writing nobody is asked.
      return [
        {
          ...newProbe("read_file", wish.path, {}, { lines: wish.do === "create" ? { from: 1, to: 1 } : null }),
          taken: new Set<Way>(["near", "asked", "other-tool"]),
        },
      ];
    case "edit":
      return [newProbe("edit_file", wish.path, { old: wish.old, new: wish.new, ...(wish.all ? { all: true } : {}) })];
    case "run":
      return [newProbe("bash", null, { command: wish.command, ...(wish.cwd === null ? {} : { cwd: wish.cwd }) })];
    case "access":
      return [newProbe("list_access", null)];
    case "ask": {
      const absolute = /^(?:\/|~$|~\/)/.test(wish.path);
      const probe = newProbe("request_read_access", wish.path, wish.reason === null ? {} : { reason: wish.reason });
      return [{ ...probe, next: absolute ? "ask" : "locate", askFor: absolute ? wish.path : null }];
    }
    case "spawn":
      return [newProbe("spawn_agent", wish.path, { task: wish.task })];
  }
}

/** What follows once everything so far is settled: writing what was read, or reading what the person named instead. */
function followed(task: Task, world: World): Task {
  const [probe, more] = task.probes;
  if (probe === undefined || probe.finding === null || more?.finding === null) return task;
  if (task.wish.do === "append" && more === undefined && world.tools.has("write_file")) {
    const before = textToExtend(probe);
    if (before === null) return task;
    const content = `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${task.wish.content}\n`;
    return { ...task, probes: [probe, newProbe("write_file", probe.path, { content })] };
  }
  // Nothing can be seen there, or nothing is: the write itself will be judged.
  if (task.wish.do === "create" && more === undefined && world.tools.has("write_file") && !isThere(probe))
    return { ...task, probes: [probe, newProbe("write_file", probe.path, { content: task.wish.content })] };
  const instead = task.wish.do === "read" || task.wish.do === "list" ? (more === undefined ? namedInstead(probe) : null) : null;
  return instead === null ? task : { ...task, probes: [probe, newProbe(probe.tool, instead)] };
}

/** The whole of a file that is there, or nothing where none is; null where it cannot be told. */
function textToExtend({ finding }: Probe): string | null {
  if (finding?.kind === "file") return finding.whole ? finding.text : null;
  return finding?.kind === "missing" ? "" : null;
}

const isThere = ({ finding }: Probe): boolean =>
  finding?.kind === "file" ||
  finding?.kind === "told" ||
  (finding?.kind === "refused" && (finding.code === "is-directory" || finding.code === "binary-file" || finding.code === "too-large"));

/** A path in the note of a denial, if there is exactly one and it is not the one that was denied. */
function namedInstead({ finding, path }: Probe): string | null {
  if (finding?.kind !== "denied" || finding.note === null) return null;
  // "not …" and "don't …" name what to leave alone.
  if (/\b(?:not|don't|do not|never|except|instead of)\b/i.test(finding.note) && !/\binstead\b(?! of)/i.test(finding.note)) return null;
  const named = mask(finding.note).things.filter(
    ({ kind, text }) => kind === "path" || ((kind === "code" || kind === "quote") && /^[^\s]*[./][^\s]*$/.test(text)),
  );
  const others = [...new Set(named.map(({ text }) => text))].filter((one) => one !== path);
  return others.length === 1 ? (others[0] ?? null) : null;
}
