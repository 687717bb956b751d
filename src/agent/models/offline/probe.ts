// One thing tried with one tool, and how it goes on after each outcome. Every way on is taken once at the most, so a probe always
// comes to an end: by a finding, or by a refusal that is accepted.
//
//   try ──▶ found, refused, missing                       settled
//    │ ▲
//    │ └── granted: once more        not found, one near name: that one        a directory: listed        too large: by lines
//    ▼
//   ask ──▶ denied, cannot be asked                       settled
//    ▲
//   locate: a relative path is asked for by its absolute name, so the workspace's own name is looked up first

import type { Outcome } from "../../transcript.ts";
import { answerIn, askIn, type Finding, foundBy, nearIn, noteIn, pathIn, wasCut } from "./finding.ts";
import type { Lines } from "./wish.ts";

export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Probe {
  readonly tool: string;
  /** Without the path. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Null for what has no path. */
  readonly path: string | null;
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
export type Way = "asked" | "again" | "near" | "other-tool" | "parents" | "window" | "smaller" | "smallest";

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

const WINDOW = 200;
const FRUGAL_WINDOW = 60;

export function newProbe(
  tool: string,
  path: string | null,
  input: Probe["input"] = {},
  more: Partial<Pick<Probe, "otherwise" | "lines">> = {},
): Probe {
  return { tool, path, input, otherwise: [], lines: null, next: "try", askFor: null, taken: new Set(), finding: null, ...more };
}

/** The call it needs next; null when it is settled. */
export function callOf(probe: Probe, world: World): Call | null {
  if (probe.finding !== null) return null;
  if (probe.next === "locate") return { name: "list_dir", input: { path: "." } };
  if (probe.next === "ask") return { name: "request_read_access", input: { path: probe.askFor, reason: reasonFor(probe, world) } };
  return { name: probe.tool, input: { ...(probe.path === null ? {} : { path: probe.path }), ...probe.input, ...windowOf(probe, world) } };
}

/** At most 500 characters, on one line. */
function reasonFor({ path, askFor, input }: Probe, { request }: World): string {
  const given = input["reason"];
  if (typeof given === "string") return given.slice(0, 500);
  const words = request.replaceAll(/\s+/g, " ").trim();
  const asked = words.length > 250 ? `${words.slice(0, 250)}…` : words;
  return `You asked: "${asked}". For that I need to read ${path ?? askFor ?? "it"}.`.slice(0, 500);
}

function windowOf({ tool, lines, taken }: Probe, { frugal }: World): Probe["input"] {
  if (tool !== "read_file" && tool !== "view_file") return {};
  const most = taken.has("smallest") ? 1 : taken.has("smaller") ? 20 : frugal ? FRUGAL_WINDOW : WINDOW;
  if (lines === null) return taken.has("window") || frugal ? { offset: 1, limit: most } : {};
  // The last lines are known once it is known how many there are.
  if ("last" in lines) return { offset: 1, limit: 1 };
  return { offset: lines.from, limit: Math.min(lines.to - lines.from + 1, taken.has("smaller") ? most : 2_000) };
}

/** The probe after its call came to this. */
export function learn(probe: Probe, outcome: Outcome, world: World): Probe {
  if (probe.next === "locate") return located(probe, outcome);
  if (probe.next === "ask") return answered(probe, outcome);
  return outcome.ok ? done(probe, outcome.output) : failed(probe, outcome, world);
}

const settle = (probe: Probe, finding: Finding): Probe => ({ ...probe, finding });
const take = (probe: Probe, way: Way, change: Partial<Probe> = {}): Probe => ({
  ...probe,
  ...change,
  taken: new Set([...probe.taken, way]),
});

function done(probe: Probe, output: string): Probe {
  const { tool, lines, taken } = probe;
  const isRead = tool === "read_file" || tool === "view_file";
  if (isRead && wasCut(output) && !taken.has("smallest")) return smaller(probe);
  const finding = foundBy(tool, output);
  if (finding.kind === "file" && lines !== null && "last" in lines) {
    const last = Math.min(lines.last, 2_000);
    return { ...probe, lines: { from: Math.max(1, finding.total - last + 1), to: Math.max(1, finding.total) } };
  }
  return settle(probe, finding);
}

/** Fewer lines at once: two hundred, then twenty, then one. */
function smaller(probe: Probe): Probe {
  const way: Way = !probe.taken.has("window") && probe.lines === null ? "window" : probe.taken.has("smaller") ? "smallest" : "smaller";
  return take(probe, way);
}

function failed(probe: Probe, outcome: Extract<Outcome, { ok: false }>, { tools, workspace }: World): Probe {
  const { code, hint } = outcome;
  const { taken, tool, path } = probe;
  const refused = settle(probe, { kind: "refused", code, hint });
  switch (code) {
    case "not-found":
      return missing(probe, hint);
    case "is-directory":
      return taken.has("other-tool") || !tools.has("list_dir") || !/^(?:read|view)_file$/.test(tool)
        ? refused
        : take(probe, "other-tool", { tool: "list_dir", lines: null });
    case "not-directory":
      return taken.has("other-tool") || !tools.has("read_file") || tool !== "list_dir"
        ? refused
        : take(probe, "other-tool", { tool: "read_file" });
    case "too-large":
      return /^(?:read|view)_file$/.test(tool) && !taken.has("smallest") ? smaller(probe) : refused;
    case "stale-path":
    case "io-error":
      return taken.has("again") || tool === "bash" || tool === "spawn_agent" ? refused : take(probe, "again");
    case "person-declined":
    case "recently-denied":
      return settle(probe, { kind: "denied", note: noteIn(hint), before: code === "recently-denied" });
    default:
      break;
  }
  // A refusal that says how to ask is followed once; any other is accepted.
  const ask = askIn(hint);
  if (ask === null || taken.has("asked") || !tools.has("request_read_access")) return refused;
  const absolute = isAbsolute(ask) ? ask : absoluteOf(path ?? ask, workspace);
  if (absolute !== null) return { ...probe, next: "ask", askFor: absolute };
  return tools.has("list_dir") ? { ...probe, next: "locate" } : refused;
}

function missing(probe: Probe, hint: string): Probe {
  const near = nearIn(hint);
  const [only] = near;
  const [other, ...otherwise] = probe.otherwise;
  if (probe.tool === "write_file" && /create_parents/.test(hint) && !probe.taken.has("parents"))
    return take(probe, "parents", { input: { ...probe.input, create_parents: true } });
  if (near.length === 1 && only !== undefined && !probe.taken.has("near"))
    return take(probe, "near", { path: beside(probe.path ?? "", only), otherwise: [] });
  if (other !== undefined) return { ...probe, path: other, otherwise };
  return settle(probe, { kind: "missing", near: near.map((name) => beside(probe.path ?? "", name)) });
}

function answered(probe: Probe, outcome: Outcome): Probe {
  const asked = take(probe, "asked", { next: "try" });
  const answer = answerIn(outcome);
  // Who asked for nothing but the access has what they wanted.
  if (answer.kind === "granted") return probe.tool === "request_read_access" ? settle(asked, answer) : asked;
  if (answer.kind === "refused" && answer.code === "already-in-scope" && probe.tool !== "request_read_access") return asked;
  return settle(asked, answer);
}

function located(probe: Probe, outcome: Outcome): Probe {
  const workspace = outcome.ok ? workspaceIn(outcome.output) : null;
  const askFor = absoluteOf(probe.path ?? "", workspace);
  return askFor === null ? settle(probe, { kind: "refused", code: "out-of-scope", hint: "" }) : { ...probe, next: "ask", askFor };
}

/** Another's ask has been answered, and this probe would have asked for much the same. */
export function overheard(probe: Probe, outcome: Outcome): Probe {
  const answer = answerIn(outcome);
  if (answer.kind === "denied") return settle(take(probe, "asked", { next: "try" }), answer);
  return { ...probe, next: "try" };
}

/** The real path of the workspace, from a listing of it. */
export function workspaceIn(output: string): string | null {
  const path = pathIn(output);
  return path?.startsWith("/") === true ? path : null;
}

const isAbsolute = (path: string): boolean => path.startsWith("/") || path === "~" || path.startsWith("~/");

/** `path` seen from the workspace. */
function absoluteOf(path: string, workspace: string | null): string | null {
  if (isAbsolute(path)) return path;
  return workspace === null ? null : withoutDots(`${workspace}/${path}`);
}

/** Dots worked out as they are written. For a guess at what lies together; what a path really is, the guard says. */
export function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

/** The name, in the directory of `path`. */
function beside(path: string, name: string): string {
  const slash = path.replace(/\/+$/, "").lastIndexOf("/");
  return slash === -1 ? name : `${path.slice(0, slash + 1)}${name}`;
}
