// One tool call → one answer. The guard judges everything the call names, and the strictest verdict counts. Promise: a deny of the guard
// is a deny here, what cannot be determined is asked or denied, and an explicit allow is given only for reading under a grant.

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
import { type HookEnvironment, type WantedAccess, planAccesses, whole } from "./wanted.ts";

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
  "Judging a command by its text is no boundary. Hallpass's own bash tool (`hallpass mcp`) and `hallpass run` confine commands, and need no such question.";

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
  const plan = await planAccesses(call, host, ports);
  const isConfined = ports.isConfined === true && plan.command;
  let asking: HookAnswer | null = null;
  let granted = false;
  let once = false;
  const sandboxedMounts = new Set<string>();
  for (const access of isConfined ? plan.accesses.filter(isKnownOutside) : plan.accesses) {
    const located = plan.command ? await withoutMissing(access) : access;
    const judged = await judgeWanted(call, located, ports);
    if (judged.verdict === "deny") return refusal(call, access, judged, ports);
    if (judged.verdict === "ask") {
      // Where there is no inbox, what a rule asks about is the host's own question; what lies outside needs a grant, which no host gives.
      if (ports.ask === null && judged.reason === "policy-ask")
        asking ??= { verdict: "ask", reason: `${VIOLATION_PREFIX}\`${show(access.path)}\` ${meanings["policy-ask"]}.`, alert: null };
      else {
        const askOutcome = await askFor(call, located, judged, ports);
        if (askOutcome.refused !== null) return askOutcome.refused;
        granted = true;
        once ||= askOutcome.once;
      }
    }
    granted ||= judged.root === "grant" || judged.reason === "answered";
    once ||= judged.reason === "answered";
    sandboxedMounts.add(judged.sandboxedMount ?? "");
    if (sandboxedMounts.size > 1) {
      return { verdict: "deny", reason: `${VIOLATION_PREFIX}\`${show(access.path)}\` ${meanings["spans-roots"]}`, alert: null };
    }
  }
  const doubts = isConfined ? plan.doubts : [...plan.doubts, ...plan.unread];
  if (doubts.length > 0) {
    const reason = `${VIOLATION_PREFIX}${doubts.join("; ")}.${plan.command ? ` ${NO_WALL}` : ""}`;
    return askOrDeny(host, call, { verdict: "ask", reason, alert: null });
  }
  if (asking !== null) return askOrDeny(host, call, asking);
  return granted && plan.reads ? { verdict: "allow", reason: once ? ONCE : GRANTED, alert: null } : PASS;
}

/**
 * Is it worth refusing before a confined command runs? Not what it is unsure of, and not what the sandbox has of its own: the kernel judges
 * both when they are opened.
 */
function isKnownOutside({ operation, path, isUnsure }: WantedAccess): boolean {
  if (isUnsure === true) return false;
  return !OWN_TMP.test(path) && !(needs[operation] === "read" && SYSTEM_PROGRAMS.test(path));
}

/**
 * `mkdir build && cd build && cmake ..`: where there is no `build` yet, what is above it is told by its name. That an earlier part makes a link of
 * it is a doubt of its own.
 */
async function withoutMissing(access: WantedAccess): Promise<WantedAccess> {
  const { from, path } = access;
  const climbs = /^\.\.(?:\/+(.*))?$/su.exec(path);
  if (from === null || climbs === null) return access;
  const { isNamed } = await import("./disk.ts");
  // INVARIANT: only a directory that is not there is left by its name. What stands behind it may be a link.
  return isNamed(from) ? access : withoutMissing({ ...access, path: climbs[1] || ".", from: from.slice(0, from.lastIndexOf("/")) || "/" });
}

/** As a command of the sandbox finds them (docs/sandbox.md). */
const OWN_TMP = /^\/tmp(?:\/(?!(?:.*\/)?\.\.(?:\/|$))|$)/u;
const SYSTEM_PROGRAMS = /^\/(?:usr|s?bin|lib(?:32|64|x32)?)(?:\/(?!(?:.*\/)?\.\.(?:\/|$))|$)/u;

async function judgeWanted(
  call: HostCall,
  { operation, path, from, mayWrite }: WantedAccess,
  { judge }: HookJudgePorts,
): Promise<JudgedAccess> {
  const access = { tool: call.tool, operation, path: whole(path, from) };
  const judged = await judge(access);
  if (mayWrite !== true || judged.verdict !== "allow" || judged.root === "workspace") return judged;
  return judge({ ...access, operation: "replace" });
}

/** `refused` is null where it was granted just now; `once`: for this call alone. */
async function askFor(
  call: HostCall,
  access: WantedAccess,
  judged: JudgedAccess,
  ports: HookJudgePorts,
): Promise<{ readonly refused: HookAnswer | null; readonly once: boolean }> {
  if (ports.ask === null) return { refused: refusal(call, access, judged, ports), once: false };
  const reply = await ports.ask({ tool: call.tool, operation: access.operation, path: whole(access.path, access.from) });
  if (reply.granted) {
    const again = await judgeWanted(call, access, ports);
    return { refused: again.verdict === "allow" ? null : refusal(call, access, again, ports), once: again.reason === "answered" };
  }
  const refused = { ...refusal(call, access, judged, ports), reason: `${VIOLATION_PREFIX}${reply.text}` };
  // After a person's no there is no way on to be told of.
  return { refused: reply.isDeclined ? { ...refused, alert: null } : refused, once: false };
}

function refusal(call: HostCall, access: WantedAccess, judged: JudgedAccess, { session }: HookJudgePorts): HookAnswer {
  const path = whole(access.path, access.from);
  const right = needs[access.operation];
  const { reason } = judged;
  const alert = alerting.has(reason) ? scopeAlert(call.tool, path, reason, session, { ways: waysOn(reason, right), right }).body : null;
  return {
    verdict: "deny",
    reason: `${VIOLATION_PREFIX}${asWritten(judged.hint, path, access.path)}`,
    alert: alert === null ? null : asWritten(alert, path, access.path),
  };
}

/** The same text with a path as its caller wrote it, where it was judged by a longer name. What a model is to copy stays absolute. */
export function asWritten(text: string, judged: string, original: string): string {
  return judged === original ? text : text.replaceAll(`\`${show(judged)}\``, `\`${show(original)}\``);
}

/** A host that cannot ask, or has nobody to ask, denies. */
function askOrDeny(host: HookHost, call: HostCall, answer: HookAnswer): HookAnswer {
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
