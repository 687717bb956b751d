// One place that words a decision: a hint for the model, lines for a person, one line for a log. Web, terminal and tools all speak
// from here. Pure. A refusal says what was asked, why not and what to do next, and no more about what is denied than that it is.

import { needs } from "../access.ts";
import type { Code } from "../errors.ts";
import { hasForeignLetters, show } from "../path/show.ts";
import type { Source } from "../policy/rule.ts";
import type { Root } from "../session/root.ts";
import type { AllowReason, Decision, DenyReason, Step } from "./decision.ts";

/**
 * What each refusal means, in a sentence without its subject: "`path` …". None of them uses a word that could be the name of a
 * directory next door; what a refusal says must not be mistaken for something that was found.
 */
export const meanings: Record<Code, string> = {
  "invalid-path": "is not a path that can be used",
  "not-found": "does not exist",
  "is-directory": "is a directory",
  "not-directory": "is not a directory",
  "symlink-loop": "leads round in a circle of links",
  "os-denied": "cannot be opened: the operating system denies it",
  "io-error": "could not be read or written: the system reported an error",
  "too-large": "is larger than may be read at once",
  "binary-file": "is not a text file",
  timeout: "took too long",
  "output-truncated": "gave more output than is shown",
  "out-of-scope": "is not in the workspace, a mount or anything granted",
  "write-out-of-scope": "is not in the workspace; nothing is written there",
  "read-only-grant": "lies in a directory that was granted for reading only",
  "read-only-mount": "lies in a directory that is mounted for reading only",
  "secret-file": "is on the list of secrets, which stay shut under every root",
  "protected-path": "runs on this machine later (git, editor, shell or agent configuration), so it is not written",
  "policy-deny": "is denied by a rule of the policy",
  "policy-ask": "needs a person's yes, says the policy",
  "not-regular-file": "is not a regular file",
  "virtual-fs": "is part of the system's own state, which is never readable",
  "stale-path": "was replaced while it was looked at; try again",
  "unresolvable-path": "cannot be followed to its end",
  "symlink-write": "is a link; nothing is written through links",
  "root-moved": "lies in a mounted directory that is no longer the one it was",
  "spans-roots": "is used together with a path in another root, which a sandboxed root does not allow",
  "guard-fault": "could not be judged, and what cannot be judged is denied",
  "out-of-whitelist": "is in no place from which anything may be granted",
  "no-grant-root": "is in no project or repository that could be granted",
  "root-too-broad": "could only be granted together with far too much",
  "already-in-scope": "is in scope already; nobody needs to be asked",
  "grant-changed": "is no longer what was shown when the question was asked",
  "grant-stale": "was granted, but another directory stands in its place now",
  "grant-expired": "was granted for a time that is over",
  "grant-revoked": "was granted, and the grant has been revoked",
  "person-declined": "was refused by the person asked",
  "request-closed": "was answered already",
  "recently-denied": "was refused a moment ago; do not ask again until the person speaks",
  "no-prompt-channel": "would need a person's yes, and nobody is there to ask",
  "rate-limited": "came with too many others at once",
  unauthenticated: "came without a valid credential",
  forbidden: "is not for this credential",
  "wrong-session": "belongs to another session",
  "session-closed": "belongs to a session that has ended",
  "bad-host": "came to a name this server does not answer to",
  "bad-origin": "came from a page this server does not trust",
  "bad-content-type": "was not sent as JSON",
  "method-not-allowed": "does not take this method",
  "bad-request": "was not understood",
  "invalid-policy": "cannot be judged: the policy is malformed, and everything is denied until it is mended",
  "unknown-tool": "names no tool",
  "hook-failed": "could not be judged by the hook",
  "sandbox-unavailable": "needs a sandbox, and there is none on this machine",
};

const allowed: Record<AllowReason, string> = {
  "in-workspace": "is in the workspace",
  "in-mount": "is in a mounted directory",
  "in-grant": "is in a directory that was granted for reading",
  "policy-allow": "is allowed by a rule of the policy",
  answered: "was allowed by a person, for this call",
};

/** What a model should do next. Names the ask with its arguments where asking can help; several lines at the most. */
export function hint(decision: Decision): string {
  const path = `\`${show(String(decision.access.path))}\``;
  if (decision.verdict === "allow") return `${path} ${allowed[decision.reason]}`;
  const why = `${path} ${meanings[decision.reason]}`;
  if (decision.verdict === "ask") {
    if (decision.ask.right === "write") return `${why}. A person is asked before it is written.`;
    const once = decision.ask.offers === "once" ? "for this file, once" : "for this session";
    return `${why}. Use request_read_access(path, reason) to ask for reading it ${once}:\nrequest_read_access({"path": ${quoted(absolutePath(decision))}, "reason": "<why you need it>"})`;
  }
  return `${why}. ${nextStep(decision.reason, needs[decision.access.operation])}`;
}

/** The text as a JSON string that a model can copy, with what `show` would escape written as JSON escapes. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/[^\\]/gu, (one) => (show(one) === one ? one : escapedUnits(one)));
}

function escapedUnits(text: string): string {
  return text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** The path to ask with, which must be absolute: as it was asked for, seen from the workspace. */
function absolutePath({ access, trace }: Decision): string {
  const [first] = trace;
  return first.at === "resolve" ? first.absolute : access.path;
}

function nextStep(reason: DenyReason, right: "read" | "write"): string {
  switch (reason) {
    case "secret-file":
    case "protected-path":
    case "policy-deny":
    case "virtual-fs":
      return "Do not try other spellings or ways around; go on without it, or tell the person what you need.";
    case "write-out-of-scope":
    case "read-only-grant":
    case "read-only-mount":
      return "Write inside the workspace instead.";
    case "symlink-write":
      return "Write to the file it leads to, by its own path, if that is inside the workspace.";
    case "out-of-whitelist":
    case "no-grant-root":
    case "root-too-broad":
      return "It cannot be asked for; go on without it, or tell the person what you need.";
    case "no-prompt-channel":
      return "Go on without it.";
    case "person-declined":
    case "recently-denied":
      return "Do not ask again; go on without it.";
    case "invalid-path":
      return "Give one path as a plain string, absolute or relative to the workspace.";
    case "not-regular-file":
      return right === "read" ? "Only regular files are read." : "Only regular files are written.";
    case "stale-path":
    case "io-error":
    case "timeout":
      return "Try again.";
    case "is-directory":
      return "Use list_dir for directories.";
    default:
      return "Check the path.";
  }
}

/** One line for a log, with every unusual character escaped. */
export function logLine(decision: Decision): string {
  const { access, verdict, reason, real } = decision;
  const place = real === null || real === access.path ? "" : ` (${show(real)})`;
  return `${verdict} ${reason} ${access.operation} ${show(String(access.path))}${place}`;
}

/** What a person reads: the verdict first, then why, step by step, then what can be done. Plain text, one fact a line. */
export interface Explanation {
  readonly verdict: "allow" | "ask" | "deny";
  readonly headline: string;
  readonly steps: readonly string[];
  readonly next: readonly string[];
}

export function explain(decision: Decision): Explanation {
  const path = show(String(decision.access.path));
  const why = decision.verdict === "allow" ? allowed[decision.reason] : meanings[decision.reason];
  return {
    verdict: decision.verdict,
    headline: `${verb(decision)} ${path}: it ${wayTo(decision)}${why}.`,
    steps: decision.trace.map(wordStep),
    next: nextForPerson(decision),
  };
}

/** What the reason is about: the path itself, what its links lead to, or a link on the way. */
function wayTo({ trace }: Decision): string {
  const [first] = trace;
  if (first.at !== "resolve" || first.links.length === 0) return "";
  const { absolute, real, links } = first;
  const about = namedIn(trace) ?? real;
  if (about === absolute) return "";
  return links.includes(about) ? `goes through ${show(about)}, and that ` : `leads to ${show(about)}, and that `;
}

/** The name that a list speaks about, where one does. */
function namedIn(trace: readonly Step[]): string | null {
  const step = trace.find(({ at }) => at === "secret" || at === "protected");
  return step !== undefined && "path" in step ? step.path : null;
}

function verb({ access, verdict }: Decision): string {
  const action = { read: "reading", list: "listing", search: "searching", create: "creating", replace: "writing", remove: "removing" }[
    access.operation
  ];
  return verdict === "allow"
    ? `${action} is allowed for`
    : verdict === "ask"
      ? `a person is asked before ${action}`
      : `${action} is denied for`;
}

function wordStep(step: Step): string {
  switch (step.at) {
    case "resolve":
      return step.requested === step.real
        ? `the path is ${show(step.real)}, without links`
        : `the path leads to ${show(step.real)}${throughLinks(step.links)}`;
    case "unresolved":
      return `the path cannot be used: ${step.why}`;
    case "secret":
      return `${show(step.path)} matches the secret pattern ${show(step.pattern)}; only the operator's secrets.except lifts it`;
    case "protected":
      return `${show(step.path)} matches the protected pattern ${show(step.pattern)}; only the operator's protected.except lifts it`;
    case "system-place":
      return `${show(step.path)} is a system place; nothing opens those`;
    case "layer": {
      const rule = step.byDefault
        ? `the last word of the ${step.layer}'s policy, \`*\`,`
        : `the ${step.layer}'s rule \`${show(step.glob)}\``;
      return `${rule} says ${step.verdict}${at(step.source)}${step.why === null ? "" : `: ${show(step.why)}`}`;
    }
    case "scope":
      return step.root === null
        ? "it is in no root of the session: not in the workspace, a mount or a granted directory"
        : `it is in ${rootWords(step.root)}`;
    case "setting":
      return `${step.name === "gitignored" ? "git ignores it" : "it has several names (hard links)"}, and the policy says ${step.verdict}`;
    case "propose":
      return step.proposal === null
        ? `nothing can be granted: ${notGranted(step.refused ?? "no-grant-root")}`
        : `a yes would grant reading ${show(step.proposal.dir)} (${step.proposal.because === "project" ? "a registered project" : `it holds ${step.proposal.because}`})`;
    case "fault":
      return `the guard met a fault: ${show(step.message)}`;
  }
}

/** In other words than the refusal's own, which stand above it already. */
function notGranted(code: Code): string {
  switch (code) {
    case "out-of-whitelist":
      return "it lies below none of the ceilings";
    case "no-grant-root":
      return "no directory around it is a repository or a registered project";
    case "root-too-broad":
      return "the repository or project around it holds far more: a home directory, a ceiling or the workspace itself";
    default:
      return `it ${meanings[code]}`;
  }
}

function throughLinks(links: readonly string[]): string {
  const named = links.map((link) => (link === "/proc/self" ? "/proc/self (the program that asks)" : show(link)));
  return links.length === 0 ? "" : ` through ${links.length === 1 ? "the link" : "the links"} ${named.join(", ")}`;
}

function rootWords(root: Root): string {
  const dir = show(root.dir);
  if (root.from === "workspace") return `the workspace ${dir}`;
  return root.from === "mount" ? `the mount ${dir} (${root.mode})` : `the granted directory ${dir} (reading only)`;
}

const at = (source: Source | null): string => (source === null ? "" : ` (${show(source.file)}:${source.line}:${source.column})`);

function nextForPerson(decision: Decision): readonly string[] {
  const lines: string[] = [];
  if (hasForeignLetters(String(decision.access.path))) lines.push("the path holds characters outside ASCII; look twice");
  if (decision.verdict === "deny") {
    const remedy = remedies[decision.reason];
    const named = namedIn(decision.trace);
    return remedy === undefined ? lines : [...lines, named === null ? remedy : remedy.replace("name it", `name ${show(named)}`)];
  }
  if (decision.verdict === "allow") return lines;
  const { ask } = decision;
  if (ask.offers === "once")
    return [...lines, `a yes covers ${ask.right === "read" ? "reading" : "writing"} this path, for this call, once`];
  const { survey, proposal } = ask;
  lines.push(
    `a yes for the session opens ${show(proposal.dir)} and all below it, for reading only, until the session ends or it is revoked`,
    "a yes for once opens this path alone, for one call",
  );
  if (survey === null) return lines;
  const least = survey.complete ? "" : "at least ";
  if (survey.secrets > 0) lines.push(`${least}${count(survey.secrets, "secret")} in it stay${survey.secrets === 1 ? "s" : ""} withheld`);
  if (survey.repositories > 0)
    lines.push(`it holds ${least}${count(survey.repositories, "other repository", "other repositories")}, which a yes opens too`);
  if (survey.worktree) lines.push("it is a linked worktree; only this directory is granted");
  if (survey.submodule) lines.push("it is a submodule; only this directory is granted");
  return lines;
}

/** What whoever owns the machine can do about a refusal, where something can be done. */
const remedies: Partial<Record<DenyReason, string>> = {
  "secret-file": "if it holds no secret, name it under secrets.except in your policy",
  "protected-path": "if agents may write it, name it under protected.except in your policy",
  "policy-deny": "the rule that denies it is named above, with its place; change it there",
  "out-of-whitelist":
    "to allow it, add a read rule to your policy; agents can ask only for repositories and projects below your ceilings (your home directory and /opt, unless ceilings in your policy or PROJECT_ROOT_WHITELIST say others)",
  "no-grant-root": "to let agents ask for it, list its directory under projects in your policy; to allow it at once, add a read rule",
  "root-too-broad":
    "to let agents ask for it, put it into a repository of its own, or list a directory nearer to it under projects in your policy",
  "write-out-of-scope": "to let agents write there, mount it with mode extend, or add a write rule to your policy",
  "read-only-grant": "to let agents write there, mount it with mode extend; a grant never writes",
  "read-only-mount": "to let agents write there, mount it with mode extend instead",
  "no-prompt-channel": "where somebody is there to ask, it would be asked about",
};

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;
