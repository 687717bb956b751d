// One tool call → one answer. Everything the call names is judged by the guard; the strictest word stands. Promise: a deny of the
// guard is a deny here, what cannot be told is asked or denied, and an explicit allow is only ever given for reading under a grant.

import { needs, type Operation } from "../../core/access.ts";
import { waysOn } from "../../core/errors.ts";
import type { Decision } from "../../core/guard/decision.ts";
import { hint, meanings } from "../../core/guard/explain.ts";
import { VIOLATION_PREFIX } from "../../core/guard/path-scope.ts";
import { alerting, scopeAlert } from "../../core/guard/scope-alert.ts";
import { show } from "../../core/path/show.ts";
import type { Session } from "../../core/session/session.ts";
import type { HookAnswer, HookHost, HostCall } from "./host-call.ts";
import type { HostName } from "./host-table.ts";
import { type HookEnvironment, type Wanted, planAccesses, whole } from "./wanted.ts";

/** The guard's word on one access, as far as a hook needs it. */
export interface JudgedAccess {
  readonly verdict: "allow" | "ask" | "deny";
  readonly reason: string;
  /** What holds the path. */
  readonly root: "workspace" | "mount" | "grant" | null;
  /** The directory of a sandboxed mount that holds it, which nothing else may be used together with. */
  readonly sandboxedMount: string | null;
  readonly hint: string;
}

interface NamedAccess {
  readonly tool: string;
  readonly operation: Operation;
  readonly path: string;
}

export interface HookJudgePorts extends HookEnvironment {
  readonly judge: (access: NamedAccess) => JudgedAccess | Promise<JudgedAccess>;
  /** Will the command run in the sandbox, as far as its session has reported? Then a text that is not understood is no doubt. */
  readonly isConfined?: boolean;
  /** Why tools under our own name are not ours in this project; null where they are. */
  readonly foreignServer: (host: HostName) => string | null | Promise<string | null>;
  /** For the alert's list of roots; null where it is not known here. */
  readonly session: Session | null;
  /** Put an access before a person and wait for the answer a while; null where nobody can be asked that way. */
  readonly ask: ((access: NamedAccess) => Promise<AskReply>) | null;
}

/** Answered with yes, or what to tell the model. */
export type AskReply = { readonly granted: true } | { readonly granted: false; readonly text: string; readonly isDeclined: boolean };

export const NO_WALL =
  "Reading a command as text is no wall. Hallpass's own bash tool (`hallpass mcp`) and `hallpass run` confine commands, and need no such question.";

const GRANTED = "a person granted this directory for reading";
const ONCE = "a person allowed this path to be read, for this once";

const PASS: HookAnswer = { verdict: "pass", reason: "", alert: null };

/** Is it called like a tool of our own MCP server? Those are guarded where they run. */
export function isOwnTool(tool: string): boolean {
  // The first regular expression of a process takes longer than judging, and most tools are nobody's server's.
  if (!tool.startsWith("mcp_") && !tool.startsWith("hallpass")) return false;
  return /^(?:mcp__(?:plugin_hallpass_[A-Za-z0-9-]+|hallpass)__|mcp_hallpass_|hallpass[-/])[a-z_]+$/u.test(tool);
}

export async function judgeCall(host: HookHost, call: HostCall, ports: HookJudgePorts): Promise<HookAnswer> {
  if (isOwnTool(call.tool)) {
    const why = await ports.foreignServer(host.name);
    return why === null ? PASS : { verdict: "deny", reason: `${VIOLATION_PREFIX}${why}`, alert: null };
  }
  const wants = await planAccesses(call, host, ports);
  const isConfined = ports.isConfined === true && wants.command;
  let asking: HookAnswer | null = null;
  let granted = false;
  let once = false;
  const sandboxedMounts = new Set<string>();
  for (const wanted of isConfined ? wants.accesses.filter(isKnownOutside) : wants.accesses) {
    const reached = wants.command ? await withoutMissing(wanted) : wanted;
    const judged = await judgeWanted(call, reached, ports);
    if (judged.verdict === "deny") return refusal(call, wanted, judged, ports);
    if (judged.verdict === "ask") {
      // Where there is no inbox, what a rule asks about is the host's own question; what lies outside needs a grant, which no host gives.
      if (ports.ask === null && judged.reason === "policy-ask")
        asking ??= { verdict: "ask", reason: `${VIOLATION_PREFIX}\`${show(wanted.path)}\` ${meanings["policy-ask"]}.`, alert: null };
      else {
        const asked = await askFor(call, reached, judged, ports);
        if (asked.refused !== null) return asked.refused;
        granted = true;
        once ||= asked.once;
      }
    }
    granted ||= judged.root === "grant" || judged.reason === "answered";
    once ||= judged.reason === "answered";
    sandboxedMounts.add(judged.sandboxedMount ?? "");
    if (sandboxedMounts.size > 1) {
      return { verdict: "deny", reason: `${VIOLATION_PREFIX}\`${show(wanted.path)}\` ${meanings["spans-roots"]}`, alert: null };
    }
  }
  const doubts = isConfined ? wants.doubts : [...wants.doubts, ...wants.unread];
  if (doubts.length > 0) {
    const reason = `${VIOLATION_PREFIX}${doubts.join("; ")}.${wants.command ? ` ${NO_WALL}` : ""}`;
    return orDeny(host, call, { verdict: "ask", reason, alert: null });
  }
  if (asking !== null) return orDeny(host, call, asking);
  return granted && wants.reads ? { verdict: "allow", reason: once ? ONCE : GRANTED, alert: null } : PASS;
}

/**
 * Is it worth refusing before a confined command runs? Not what it is unsure of, and not what the sandbox has of its own: the kernel judges
 * both when they are opened.
 */
function isKnownOutside({ operation, path, isUnsure }: Wanted): boolean {
  if (isUnsure === true) return false;
  return !OWN_TMP.test(path) && !(needs[operation] === "read" && SYSTEM_PROGRAMS.test(path));
}

/**
 * `mkdir build && cd build && cmake ..`: where there is no `build` yet, what is above it is told by its name. That an earlier part makes a link of
 * it is a doubt of its own.
 */
async function withoutMissing(wanted: Wanted): Promise<Wanted> {
  const { from, path } = wanted;
  const climbs = /^\.\.(?:\/+(.*))?$/su.exec(path);
  if (from === null || climbs === null) return wanted;
  const { isNamed } = await import("./disk.ts");
  // INVARIANT: only a directory that is not there is left by its name. What stands behind it may be a link.
  return isNamed(from) ? wanted : withoutMissing({ ...wanted, path: climbs[1] || ".", from: from.slice(0, from.lastIndexOf("/")) || "/" });
}

/** As a command of the sandbox finds them (docs/sandbox.md). */
const OWN_TMP = /^\/tmp(?:\/(?!(?:.*\/)?\.\.(?:\/|$))|$)/u;
const SYSTEM_PROGRAMS = /^\/(?:usr|s?bin|lib(?:32|64|x32)?)(?:\/(?!(?:.*\/)?\.\.(?:\/|$))|$)/u;

async function judgeWanted(call: HostCall, { operation, path, from, mayWrite }: Wanted, { judge }: HookJudgePorts): Promise<JudgedAccess> {
  const access = { tool: call.tool, operation, path: whole(path, from) };
  const judged = await judge(access);
  if (mayWrite !== true || judged.verdict !== "allow" || judged.root === "workspace") return judged;
  return judge({ ...access, operation: "replace" });
}

/** `refused` is null where it was granted just now; `once`: for this call alone. */
async function askFor(
  call: HostCall,
  wanted: Wanted,
  judged: JudgedAccess,
  ports: HookJudgePorts,
): Promise<{ readonly refused: HookAnswer | null; readonly once: boolean }> {
  if (ports.ask === null) return { refused: refusal(call, wanted, judged, ports), once: false };
  const asked = await ports.ask({ tool: call.tool, operation: wanted.operation, path: whole(wanted.path, wanted.from) });
  if (asked.granted) {
    const again = await judgeWanted(call, wanted, ports);
    return { refused: again.verdict === "allow" ? null : refusal(call, wanted, again, ports), once: again.reason === "answered" };
  }
  const refused = { ...refusal(call, wanted, judged, ports), reason: `${VIOLATION_PREFIX}${asked.text}` };
  // After a person's no there is no way on to be told of.
  return { refused: asked.isDeclined ? { ...refused, alert: null } : refused, once: false };
}

function refusal(call: HostCall, wanted: Wanted, judged: JudgedAccess, { session }: HookJudgePorts): HookAnswer {
  const path = whole(wanted.path, wanted.from);
  const right = needs[wanted.operation];
  const { reason } = judged;
  const alert = alerting.has(reason) ? scopeAlert(call.tool, path, reason, session, { ways: waysOn(reason, right), right }).body : null;
  return {
    verdict: "deny",
    reason: `${VIOLATION_PREFIX}${asWritten(judged.hint, path, wanted.path)}`,
    alert: alert === null ? null : asWritten(alert, path, wanted.path),
  };
}

/** The same text with a path as its caller wrote it, where it was judged by a longer name. What a model is to copy stays absolute. */
export function asWritten(text: string, judged: string, written: string): string {
  return judged === written ? text : text.replaceAll(`\`${show(judged)}\``, `\`${show(written)}\``);
}

/** A host that cannot ask, or has nobody to ask, denies. */
function orDeny(host: HookHost, call: HostCall, answer: HookAnswer): HookAnswer {
  return host.canAsk(call) ? answer : { ...answer, verdict: "deny" };
}

/** A decision as a hook needs it. An allow's pass is closed: the host opens for itself, which is why a hook is no wall. */
export function judgedOf(decision: Decision): JudgedAccess {
  if (decision.verdict === "allow") decision.pass.close();
  const { verdict, reason, root } = decision;
  return {
    verdict,
    reason,
    root: root?.from ?? null,
    sandboxedMount: root?.from === "mount" && root.mode === "sandboxed" ? root.dir : null,
    // Words are made for whoever says them: an allow is not spoken of.
    get hint() {
      return hint(decision);
    },
  };
}
