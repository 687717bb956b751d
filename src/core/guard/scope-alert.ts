// The scope alert: what a model is told when a tool points outside scope, with the remedies that can work. Pure text and its bookkeeping:
// one alert per tool and path, three turns long, not kept when a transcript is compacted.

import type { Right } from "../access.ts";
import type { Code, RemedyKind } from "../errors.ts";
import { parent } from "../path/contain.ts";
import { parsePath } from "../path/parse.ts";
import { show } from "../path/show.ts";
import { isTooBroadForRoot, type Session } from "../session/session.ts";
import { quoteJson } from "./hint.ts";

/** What the model is told about an access outside its workspace. */
export interface ScopeAlert {
  readonly id: string;
  /** A second alert with this key replaces the first. */
  readonly dedupeKey: string;
  readonly turns: 3;
  readonly keptOnCompaction: false;
  readonly body: string;
}

/** The refusals that come with one: the path is outside. */
export const alerting: ReadonlySet<string> = new Set<Code>([
  "out-of-scope",
  "write-out-of-scope",
  "grant-stale",
  "out-of-whitelist",
  "no-grant-root",
  "root-too-broad",
]);

/** What can be done about it. */
export interface Remedies {
  readonly ways: RemedyKind;
  readonly right: Right;
  /** The agent has `spawn_agent`. */
  readonly spawns?: true;
}

/** `session` is null where it is not known which roots there are: then they are left out, and the path must be absolute. */
export function scopeAlert(tool: string, path: string, reason: string, session: Session | null, remedies: Remedies): ScopeAlert {
  const key = `scope-alert:${tool}:${fingerprint(path)}`;
  const body = [
    "<scope-alert>",
    `The call of ${show(tool)} points at \`${show(path)}\`, which is outside this session's scope (${show(reason)}).`,
    "",
    ...(session === null ? [] : [...rootLines(session), ""]),
    ...wayLines(absoluteOf(path, session), remedies, session?.home ?? "/"),
    "</scope-alert>",
  ].join("\n");
  return { id: key, dedupeKey: key, turns: 3, keptOnCompaction: false, body };
}

function wayLines(path: string, { ways, right, spawns }: Remedies, home: string): readonly string[] {
  if (ways === "none") return ["You cannot open it. Go on without it, or tell the person what you need."];
  const isAsked = ways === "ask";
  const last = isAsked
    ? "Pick one, or tell the person what you need."
    : "You cannot do any of these yourself: tell the person what you need.";
  const ask = `  - ask: request_read_access({"path": ${quoteJson(path)}, "reason": "<why>"}) asks a person to let you read it`;
  const explain = right === "read" ? "hallpass explain PATH" : "hallpass explain --operation replace PATH";
  const rule = `  - rule: the person adds a rule to their policy; \`${explain}\` says which`;
  const [place, holder] = [plainPath(path), parent(plainPath(path))];
  if (isTooBroadForRoot(place, home)) return ["Options:", isAsked ? ask : rule, "", last];
  const isHolderTooBroad = isTooBroadForRoot(holder, home);
  const dir = isHolderTooBroad
    ? `the path itself, if it is a directory; ${show(holder)} cannot be opened as a whole`
    : "the directory that holds it";
  return [
    `Options (DIR is ${dir}):`,
    ...(isAsked ? [ask] : isHolderTooBroad ? [rule] : []),
    ...(isAsked && spawns === true
      ? ['  - fork: spawn_agent({"path": "DIR", "task": "<what to do>"}) lets another agent work there, if the person says yes']
      : []),
    "  - add_root: the person mounts it: `/mount DIR` in a chat of this session, `/mount DIR extend` to let it be written",
    "  - reanchor: the person works there instead: `hallpass chat --workspace DIR`",
    ...(isAsked && spawns === true ? [] : ["  - fork: the person starts another agent there, beside this one, in the same way"]),
    "",
    last,
  ];
}

/** The path without `.` and `..`, by its text alone: links are not followed. */
function plainPath(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/** As it was asked for, seen from the workspace: what request_read_access takes. */
function absoluteOf(path: string, session: Session | null): string {
  if (session === null) return path;
  const parsed = parsePath(path, session.workspace.dir, session.home);
  return parsed.ok ? parsed.path : path;
}

function rootLines({ workspace, mounts }: Session): readonly string[] {
  const mounted = mounts.map((mount) => `  - ${show(mount.dir)} (mode: ${mount.mode})`);
  return [`Workspace: ${show(workspace.dir)}`, "Mounted roots:", ...(mounted.length === 0 ? ["  (none)"] : mounted)];
}

/** Short, stable, and enough to tell paths apart within a session (FNV-1a, twice over). Not a secret and not for security. */
function fingerprint(text: string): string {
  const hash = (seed: number): string => {
    let value = seed;
    for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
    return (value >>> 0).toString(16).padStart(8, "0");
  };
  return hash(0x811c9dc5) + hash(0x9747b28c).slice(0, 4);
}
