// How what was understood is done, one call in a turn. Doing is a generator that hands out a call and gets back what became of it. Nothing
// is kept between turns: everything is played again through the turns since the person's message, with the outcomes that are in the
// transcript, and the call it then wants is the next turn. So the same transcript always gives the same turn, in whatever process. Every
// way on is taken once at the most, so it always comes to an end.

import { show } from "../../../core/path/show.ts";
import type { CallOutcome, ToolCall } from "../../transcript.ts";
import { mask } from "./message.ts";
import { joined, looksLikeFile } from "./names.ts";
import {
  answerIn,
  askIn,
  type Deed,
  entriesIn,
  manifestOf,
  nearIn,
  noteIn,
  number,
  refusal,
  text,
  texts,
  type Values,
  valuesOf,
  wasCut,
} from "./outcome.ts";
import { commandFor, lookups } from "./project.ts";
import { isWhole, type CallReport, STILL_REFUSED, tell, tellComparison, totalOf } from "./tell.ts";
import { code, count } from "./words.ts";

export interface AgentSurroundings {
  /** The tools that are offered. */
  readonly tools: ReadonlySet<string>;
  /** What the person asked for, in their words. */
  readonly request: string;
}

/** With the outcome of each ask of this exchange, so that none is put twice. */
type Execution = AgentSurroundings & { readonly answers: Map<string, CallOutcome> };
/** Yields calls and receives the outcome of each. */
type Run<T> = Generator<Deed, T, CallOutcome>;

export interface Plan {
  /** The report on each deed, once everything is done. */
  readonly reports: readonly string[];
  /** The next turn's call; null when everything is done. */
  readonly call: Deed | null;
  /** What happened was not what this plan would have done: somebody else's turns. */
  readonly isForeign: boolean;
}

/** So many turns for one message: past that it tells what it has. */
const MOST_TURNS = 16;
const UNKNOWN = refusal("request-closed");

/** Play the deeds through the turns that were made since. */
export function planAfter(deeds: readonly Deed[], turns: readonly (readonly ToolCall[])[], world: AgentSurroundings): Plan {
  const reports = deeds.map(({ input }) => `I did not get round to ${code(text(input, "path") || "it")}; say it again by itself.`);
  const run = doAll(deeds, { ...world, answers: new Map() }, reports);
  let nextCall = run.next().value;
  for (const [call, ...others] of turns) {
    if (call === undefined || others.length > 0 || call.name !== nextCall?.name) return { reports, call: null, isForeign: true };
    nextCall = run.next(call.state.at === "done" ? call.state.outcome : UNKNOWN).value;
  }
  return { reports, call: turns.length < MOST_TURNS ? (nextCall ?? null) : null, isForeign: false };
}

function* doAll(deeds: readonly Deed[], world: Execution, reports: string[]): Run<undefined> {
  for (const [at, deed] of deeds.entries()) {
    const result = yield* doDeed(deed, world);
    const instead = typeof result === "string" ? null : namedInstead(result);
    const results = instead === null ? [result] : [result, yield* look(deed.name, { path: instead }, world)];
    reports[at] = results.map((one) => (typeof one === "string" ? one : tell(one, deeds.length > 3))).join(" ");
  }
  return undefined;
}

// ── One call ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const MAY_PASS = /^(?:stale-path|io-error)$/;
const SETTLED = /^(?:not-found|is-directory|not-directory|too-large|person-declined|recently-denied|stale-path|io-error)$/;

/** One call as it is, if its tool is offered. */
function* callOnce(name: string, input: Values, { tools }: Execution): Run<CallOutcome> {
  return tools.has(name) ? yield { name, input } : refusal("unknown-tool");
}

/** Make a call. A refusal that says how to ask is followed, and the call made once more; a fault that may pass is tried again once. */
function* attempt(name: string, input: Values, world: Execution): Run<CallOutcome> {
  let askCount = 0;
  for (let mayRetry = name !== "bash" && name !== "spawn_agent"; ;) {
    const outcome = yield* callOnce(name, input, world);
    if (outcome.ok) return outcome;
    const ask = askIn(outcome.hint);
    if (mayRetry && MAY_PASS.test(outcome.code)) mayRetry = false;
    else if (ask === null || askCount === 2 || SETTLED.test(outcome.code) || !world.tools.has("request_read_access")) return outcome;
    else {
      askCount += 1;
      const named = text(input, "path");
      // What begins with dots begins in the workspace, whose name has no links: it is asked for without them.
      const answer = yield* askFor(!isAbsolute(ask) ? named || ask : named.startsWith("../") ? withoutDots(ask) : ask, "", world);
      if (!answer.ok && answer.code !== "already-in-scope") return answer;
    }
  }
}

/** A relative path is asked for by its absolute name, so the workspace's own name is looked up first. */
function* askFor(path: string, reason: string, world: Execution): Run<CallOutcome> {
  const workspace = isAbsolute(path) ? "" : text(valuesOf(yield* callOnce("list_dir", { path: "." }, world)), "path");
  if (!isAbsolute(path) && !workspace.startsWith("/")) return refusal("out-of-scope");
  const absolute = workspace === "" ? path : withoutDots(`${workspace}/${path}`);
  const earlierAnswer = world.answers.get(absolute);
  if (earlierAnswer !== undefined) return earlierAnswer.ok ? STILL_REFUSED : earlierAnswer;
  const request = world.request.replaceAll(/\s+/g, " ").trim();
  const why = `You asked: "${request.length > 250 ? `${request.slice(0, 250)}…` : request}". For that I need to read ${path || "it"}.`;
  const outcome = yield* callOnce("request_read_access", { path: absolute, reason: (reason || why).slice(0, 500) }, world);
  const answer = answerIn(outcome);
  world.answers.set(absolute, "root" in answer ? outcome : answer);
  return "root" in answer ? outcome : answer;
}

/** A call about a path; where nothing has that name, the one that is most likely meant is taken. */
function* look(name: string, input: Values, world: Execution): Run<CallReport> {
  const outcome = yield* attempt(name, input, world);
  const named = text(input, "path");
  const near = nearIn(outcome);
  const path = near.length === 0 ? otherPathFor(name, named, world) : named.replace(/[^/]*\/?$/, () => near[0] ?? "");
  if (outcome.ok || outcome.code !== "not-found" || near.length > 1) return { name, input, outcome };
  if (path === "") return yield* readElsewhere({ name, input, outcome }, world);
  const second = { name, input: { ...input, path }, named, outcome: yield* attempt(name, { ...input, path }, world) };
  const isThere = second.outcome.ok || !NOTHING_THERE.test(second.outcome.code);
  return near.length === 1 || isThere ? second : yield* readElsewhere({ name, input, outcome }, world);
}

/** A file that was named without its directory is the one of that name in the workspace; where there are several, they are told. */
function* readElsewhere(missing: CallReport, world: Execution): Run<CallReport> {
  const { name, input } = missing;
  const named = text(input, "path");
  if (name !== "read_file" || named.includes("/") || !looksLikeFile(named)) return missing;
  const found = texts(valuesOf(yield* callOnce("find_files", { path: ".", pattern: named }, world)), "files");
  const paths = found.filter((path) => path.endsWith(`/${named}`));
  const [path] = paths;
  if (path === undefined) return missing;
  if (paths.length === 1) return { name, input: { ...input, path }, named, outcome: yield* attempt(name, { ...input, path }, world) };
  const hint = `Did you mean ${paths
    .slice(0, 5)
    .map((one) => `\`${show(one)}\``)
    .join(", ")}?`;
  return { ...missing, outcome: refusal("not-found", hint) };
}

const NOTHING_THERE =
  /^(?:not-found|not-directory|out-of-scope|out-of-whitelist|no-grant-root|root-too-broad|no-prompt-channel|unknown-tool)$/;

/** "LIST SRC" means `src`; "peek into api" and "go.mod from api" may mean a repository next door. */
function otherPathFor(name: string, path: string, { request }: AgentSurroundings): string {
  if (path !== path.toLowerCase() && request.includes(path)) return path.toLowerCase();
  const isSpoken = path.includes("/") ? !request.includes(path) : name !== "read_file" || request.includes(`the ${path}`);
  return isSpoken && /^[a-z][\w-]*(?:\/|$)/.test(path) ? `../${path}` : "";
}

/** A file, by lines where it is too large to be read at once; a directory of that name is listed. */
function* readFile({ last, ...input }: Values, world: Execution): Run<CallReport> {
  const isPart = last !== undefined || input["limit"] !== undefined;
  // The last lines are known once it is known how many there are.
  let result = yield* look("read_file", last === undefined ? input : { ...input, offset: 1, limit: 1 }, world);
  if (isRefused(result, "is-directory"))
    return { ...(yield* look("list_dir", { path: result.input["path"] }, world)), named: result.named };
  const readPart = function* (window: Values): Run<CallReport> {
    const part = { ...result.input, ...window };
    return { ...result, input: part, outcome: yield* attempt("read_file", part, world) };
  };
  if (typeof last === "number" && result.outcome.ok)
    result = yield* readPart({ offset: Math.max(1, totalOf(valuesOf(result.outcome)) - last + 1), limit: last });
  for (const limit of [200, 20, 1]) {
    if (result.outcome.ok ? !wasCut(result.outcome.output) : result.outcome.code !== "too-large")
      return { ...result, isRequestedPart: isPart };
    result = yield* readPart({ offset: result.input["offset"] ?? 1, limit });
  }
  return result;
}

const isRefused = ({ outcome }: CallReport, reason: string): boolean => !outcome.ok && outcome.code === reason;

// ── One deed ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The result of the last call, or the text to report. */
function* doDeed({ name, input }: Deed, world: Execution): Run<CallReport | string> {
  if (name === "task" || name in lookups) return yield* lookUp(name, input, world);
  switch (name) {
    case "read_file":
      return yield* readFile(input, world);
    case "list_dir": {
      const listing = yield* look(name, input, world);
      return isRefused(listing, "not-directory") ? yield* look("read_file", { path: listing.input["path"] }, world) : listing;
    }
    case "compare":
      return tellComparison([yield* readFile({ path: input["path"] }, world), yield* readFile({ path: input["with"] }, world)]);
    case "bash": {
      const { done, ...toolInput } = input;
      const result = yield* look(name, toolInput, world);
      const output = valuesOf(result.outcome);
      if (typeof done !== "string" || output["exit_code"] !== 0) return result;
      const changedNothing = / -nv /.test(text(toolInput, "command")) && text(output, "stdout") === "";
      return changedNothing ? "Nothing was changed: something of that name is there already." : done;
    }
    case "find_files":
      return yield* findInAnyCase(input, world);
    case "create":
    case "append":
      return yield* writeAfterLook(name === "create", input, world);
    case "write_file":
      return yield* write(input, world);
    case "request_read_access": {
      const answer = answerIn(yield* askFor(text(input, "path"), text(input, "reason"), world));
      return "root" in answer ? `I may now read ${code(answer.root)}, for reading only.` : { name, input, outcome: answer };
    }
    default:
      return yield* look(name, input, world);
  }
}

/** `*license*` stands for a word that was said, so LICENSE is meant as well. */
function* findInAnyCase(input: Values, world: Execution): Run<CallReport> {
  const name = "find_files";
  const found = yield* look(name, input, world);
  const word = /^\*(\p{Ll}+)\*$/u.exec(text(input, "pattern"))?.[1];
  if (word === undefined) return found;
  for (const other of [word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)]) {
    if (!found.outcome.ok || texts(valuesOf(found.outcome), "files").length > 0) break;
    const again = yield* look(name, { ...found.input, pattern: `*${other}*` }, world);
    if (texts(valuesOf(again.outcome), "files").length > 0) return again;
  }
  return found;
}

/** What is answered from the files of a directory, or done by the command that is usual for them. */
function* lookUp(name: string, input: Values, world: Execution): Run<CallReport | string> {
  const listed = yield* look("list_dir", { path: text(input, "path") || "." }, world);
  if (!listed.outcome.ok) return listed;
  const entries = entriesIn(valuesOf(listed.outcome));
  const lookup = lookups[name];
  if (lookup === undefined) {
    const command = commandFor(text(input, "task"), entries);
    if (command === "") return "I do not know how this project does that. Say the command, for example: run `make`.";
    return yield* look("bash", { command }, world);
  }
  const looks: CallReport[] = [];
  for (const file of lookup.files(entries)) looks.push(yield* look("read_file", { path: joined(text(listed.input, "path"), file) }, world));
  const [first] = looks;
  if (first === undefined) return lookup.nothing;
  const manifest = manifestOf(first.outcome);
  const fact = Object.keys(manifest).length === 0 ? null : lookup.fact?.(manifest, text(input, "of"));
  return fact ?? looks.map((one) => tell(one)).join("\n\n");
}

/** Missing directories are made, once. */
function* write(requested: Values, world: Execution): Run<CallReport> {
  const name = "write_file";
  const outcome = yield* attempt(name, requested, world);
  if (outcome.ok || outcome.code !== "not-found" || !/create_parents/.test(outcome.hint)) return { name, input: requested, outcome };
  const input = { ...requested, create_parents: true };
  return { name, input, outcome: yield* attempt(name, input, world) };
}

/** A look at the very file that was named first, without asking for it: what is there is not overwritten by "create", and kept by "append". */
function* writeAfterLook(isNew: boolean, input: Values, world: Execution): Run<CallReport | string> {
  const path = text(input, "path");
  const existing = yield* callOnce("read_file", { path, ...(isNew ? { offset: 1, limit: 1 } : {}) }, world);
  const existingValues = valuesOf(existing);
  const isThere = existing.ok || /^(?:is-directory|binary-file|too-large)$/.test(existing.code);
  if (isNew && isThere) return `${code(path)} is there already, so I left it as it is. Say “write "…" to ${path}” to replace it.`;
  if (isNew) return yield* write(input, world);
  if (isThere && (!isWhole(existingValues) || typeof existingValues["content"] !== "string"))
    return `${code(path)} is too large for me to add to.`;
  if (!existing.ok && existing.code !== "not-found") return { name: "read_file", input: { path }, outcome: existing };
  const old = text(existingValues, "content");
  const added = `${text(input, "content")}\n`;
  const content = input["first"] === true ? added + old : `${old}${old === "" || old.endsWith("\n") ? "" : "\n"}${added}`;
  const written = yield* write({ path, content }, world);
  const now = valuesOf(written.outcome);
  if (!written.outcome.ok || now["created"] === true) return written;
  return `I added it to ${code(path)}, which now has ${count(number(now, "bytes_written"), "byte")}.`;
}

/** A path in the note of a denied look, if there is exactly one and it is not the one that was denied. */
function namedInstead({ name, outcome, input }: CallReport): string | null {
  const isLook = name === "read_file" || name === "list_dir";
  const note = (isLook && !outcome.ok && outcome.code === "person-declined" && noteIn(outcome.hint)) || "";
  // "not …" and "don't …" name what to leave alone.
  if (/\b(?:not|don't|do not|never|except|instead of)\b/i.test(note) && !/\binstead\b(?! of)/i.test(note)) return null;
  const paths = mask(note.slice(0, 2_000)).things.flatMap(({ kind, text: path }) =>
    path !== input["path"] && (kind === "path" || (/^(?:code|quote)$/.test(kind) && /^\S*[./]\S*$/.test(path))) ? [path] : [],
  );
  return new Set(paths).size === 1 ? (paths[0] ?? null) : null;
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
