// How what was understood is done, one call in a turn. Doing is a generator that hands out a call and gets back what became of it. Nothing
// is kept between turns: everything is played again through the turns since the person's message, with the outcomes that are in the
// transcript, and the call it then wants is the next turn. So the same transcript always gives the same turn, in whatever process. Every
// way on is taken once at the most, so it always comes to an end.

import type { CallOutcome, ToolCall } from "../../transcript.ts";
import { mask } from "./message.ts";
import { joined } from "./names.ts";
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
  type Values,
  valuesOf,
  wasCut,
} from "./outcome.ts";
import { commandFor, lookups } from "./project.ts";
import { isWhole, type Look, STILL_REFUSED, tell, tellComparison, totalOf } from "./tell.ts";
import { code, count } from "./words.ts";

export interface World {
  /** The tools that are offered. */
  readonly tools: ReadonlySet<string>;
  /** What the person asked for, in their words. */
  readonly request: string;
}

/** What the asks of this exchange came to: none is put twice. */
type Doing = World & { readonly answers: Map<string, CallOutcome> };
/** Hands out calls and is given what became of each. */
type Run<T> = Generator<Deed, T, CallOutcome>;

export interface Plan {
  /** What is told of each deed, once everything is done. */
  readonly told: readonly string[];
  /** The next turn's call; null when everything is done. */
  readonly call: Deed | null;
  /** What happened was not what this plan would have done: somebody else's turns. */
  readonly strange: boolean;
}

/** So many turns for one message: past that it tells what it has. */
const MOST_TURNS = 16;
const UNKNOWN = refusal("request-closed");

/** Play the deeds through the turns that were made since. */
export function planAfter(deeds: readonly Deed[], turns: readonly (readonly ToolCall[])[], world: World): Plan {
  const told = deeds.map(({ input }) => `I did not get round to ${code(text(input, "path") || "it")}; say it again by itself.`);
  const run = doAll(deeds, { ...world, answers: new Map() }, told);
  let wanted = run.next().value;
  for (const [call, ...others] of turns) {
    if (call === undefined || others.length > 0 || call.name !== wanted?.name) return { told, call: null, strange: true };
    wanted = run.next(call.state.at === "done" ? call.state.outcome : UNKNOWN).value;
  }
  return { told, call: turns.length < MOST_TURNS ? (wanted ?? null) : null, strange: false };
}

function* doAll(deeds: readonly Deed[], world: Doing, told: string[]): Run<undefined> {
  for (const [at, deed] of deeds.entries()) {
    const found = yield* doing(deed, world);
    const instead = typeof found === "string" ? null : namedInstead(found);
    const looked = instead === null ? [found] : [found, yield* look(deed.name, { path: instead }, world)];
    told[at] = looked.map((one) => (typeof one === "string" ? one : tell(one, deeds.length > 3))).join(" ");
  }
  return undefined;
}

// ── One call ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const MAY_PASS = /^(?:stale-path|io-error)$/;
const SETTLED = /^(?:not-found|is-directory|not-directory|too-large|person-declined|recently-denied|stale-path|io-error)$/;

/** One call as it is, if its tool is offered. */
function* once(name: string, input: Values, { tools }: Doing): Run<CallOutcome> {
  return tools.has(name) ? yield { name, input } : refusal("unknown-tool");
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
  if (known !== undefined) return known.ok ? STILL_REFUSED : known;
  const words = world.request.replaceAll(/\s+/g, " ").trim();
  const why = `You asked: "${words.length > 250 ? `${words.slice(0, 250)}…` : words}". For that I need to read ${path || "it"}.`;
  const outcome = yield* once("request_read_access", { path: absolute, reason: (reason || why).slice(0, 500) }, world);
  const answer = answerIn(outcome);
  world.answers.set(absolute, "root" in answer ? outcome : answer);
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
function* readFile({ last, ...input }: Values, world: Doing): Run<Look> {
  const isPart = last !== undefined || input["limit"] !== undefined;
  // The last lines are known once it is known how many there are.
  let found = yield* look("read_file", last === undefined ? input : { ...input, offset: 1, limit: 1 }, world);
  if (isRefused(found, "is-directory")) return { ...(yield* look("list_dir", { path: found.input["path"] }, world)), named: found.named };
  const again = function* (window: Values): Run<Look> {
    const part = { ...found.input, ...window };
    return { ...found, input: part, outcome: yield* attempt("read_file", part, world) };
  };
  if (typeof last === "number" && found.outcome.ok)
    found = yield* again({ offset: Math.max(1, totalOf(valuesOf(found.outcome)) - last + 1), limit: last });
  for (const limit of [200, 20, 1]) {
    if (found.outcome.ok ? !wasCut(found.outcome.output) : found.outcome.code !== "too-large") return { ...found, asked: isPart };
    found = yield* again({ offset: found.input["offset"] ?? 1, limit });
  }
  return found;
}

const isRefused = ({ outcome }: Look, reason: string): boolean => !outcome.ok && outcome.code === reason;

// ── One deed ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What was found by the last call, or what is to be told. */
function* doing({ name, input }: Deed, world: Doing): Run<Look | string> {
  if (name === "task" || name in lookups) return yield* lookUp(name, input, world);
  switch (name) {
    case "read_file":
      return yield* readFile(input, world);
    case "list_dir": {
      const found = yield* look(name, input, world);
      return isRefused(found, "not-directory") ? yield* look("read_file", { path: found.input["path"] }, world) : found;
    }
    case "compare":
      return tellComparison([yield* readFile({ path: input["path"] }, world), yield* readFile({ path: input["with"] }, world)]);
    case "bash": {
      const { done, ...given } = input;
      const found = yield* look(name, given, world);
      const said = valuesOf(found.outcome);
      if (typeof done !== "string" || said["exit_code"] !== 0) return found;
      const nothing = / -nv /.test(text(given, "command")) && text(said, "stdout") === "";
      return nothing ? "Nothing was changed: something of that name is there already." : done;
    }
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

/** What is answered from the files of a directory, or done by the command that is usual for them. */
function* lookUp(name: string, input: Values, world: Doing): Run<Look | string> {
  const listed = yield* look("list_dir", { path: text(input, "path") || "." }, world);
  if (!listed.outcome.ok) return listed;
  const entries = entriesIn(valuesOf(listed.outcome));
  const lookup = lookups[name];
  if (lookup === undefined) {
    const command = commandFor(text(input, "task"), entries);
    if (command === "") return "I do not know how this project does that. Say the command, for example: run `make`.";
    return yield* look("bash", { command }, world);
  }
  const looks: Look[] = [];
  for (const file of lookup.files(entries)) looks.push(yield* look("read_file", { path: joined(text(listed.input, "path"), file) }, world));
  const [first] = looks;
  if (first === undefined) return lookup.nothing;
  const manifest = manifestOf(first.outcome);
  const fact = Object.keys(manifest).length === 0 ? null : lookup.fact?.(manifest, text(input, "of"));
  return fact ?? looks.map((one) => tell(one)).join("\n\n");
}

/** Missing directories are made, once. */
function* write(given: Values, world: Doing): Run<Look> {
  const name = "write_file";
  const outcome = yield* attempt(name, given, world);
  if (outcome.ok || outcome.code !== "not-found" || !/create_parents/.test(outcome.hint)) return { name, input: given, outcome };
  const input = { ...given, create_parents: true };
  return { name, input, outcome: yield* attempt(name, input, world) };
}

/** A look at the very file that was named first, without asking for it: what is there is not overwritten by "create", and kept by "append". */
function* writeAfterLook(isNew: boolean, input: Values, world: Doing): Run<Look | string> {
  const path = text(input, "path");
  const before = yield* once("read_file", { path, ...(isNew ? { offset: 1, limit: 1 } : {}) }, world);
  const said = valuesOf(before);
  const isThere = before.ok || /^(?:is-directory|binary-file|too-large)$/.test(before.code);
  if (isNew && isThere) return `${code(path)} is there already, so I left it as it is. Say “write "…" to ${path}” to replace it.`;
  if (isNew) return yield* write(input, world);
  if (isThere && (!isWhole(said) || typeof said["content"] !== "string")) return `${code(path)} is too large for me to add to.`;
  if (!before.ok && before.code !== "not-found") return { name: "read_file", input: { path }, outcome: before };
  const old = text(said, "content");
  const content = `${old}${old === "" || old.endsWith("\n") ? "" : "\n"}${text(input, "content")}\n`;
  const written = yield* write({ path, content }, world);
  const now = valuesOf(written.outcome);
  if (!written.outcome.ok || now["created"] === true) return written;
  return `I added it to ${code(path)}, which now has ${count(number(now, "bytes_written"), "byte")}.`;
}

/** A path in the note of a denied look, if there is exactly one and it is not the one that was denied. */
function namedInstead({ name, outcome, input }: Look): string | null {
  const isLook = name === "read_file" || name === "list_dir";
  const note = (isLook && !outcome.ok && outcome.code === "person-declined" && noteIn(outcome.hint)) || "";
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
