// One place that words a decision: a hint for the model, lines for a person, one line for a log. Web, terminal and tools all speak
// from here. Pure. A refusal says what was asked, why not and what to do next, and no more about what is denied than that it is.

import { NETWORK } from "../access.ts";
import { isCode } from "../errors.ts";
import { hasForeignLetters, show } from "../path/show.ts";
import type { Decision, DenyReason, Step } from "./decision.ts";
import { reachOf, verbOf } from "./card-ask.ts";
import { allowances, meanings } from "./meanings.ts";
import { wordStep } from "./step-words.ts";

export { hint, isRequestable } from "./hint.ts";
export { meanings } from "./meanings.ts";

/** What a code means, as it came over a wire: one of a newer version is told as it is. */
export const meaningOf = (code: string): string => (isCode(code) ? meanings[code] : `was refused (${code})`);

/** What a person reads: the verdict first, then why, step by step, then what can be done. Plain text, one fact a line. */
export interface Explanation {
  readonly verdict: "allow" | "ask" | "deny";
  readonly headline: string;
  readonly steps: readonly string[];
  readonly next: readonly string[];
}

/** A decision in words: what was decided, why, and what to do next. */
export function explain(decision: Decision): Explanation {
  const path = show(String(decision.access.path));
  const why = decision.verdict === "allow" ? allowances[decision.reason] : meanings[decision.reason];
  return {
    verdict: decision.verdict,
    headline: `${verb(decision)} ${path}: it ${wayTo(decision)}${why}.`,
    steps: decision.trace.map(wordStep),
    next: nextForPerson(decision),
  };
}

/** Does a grant, a kept rule or an ask of this path mean the network? */
export const isNetwork = (path: string | null): boolean => path === NETWORK;

/** What a grant or a kept rule opens, to call it by. */
export const grantName = (path: string): string => (isNetwork(path) ? "the network, for commands" : show(path));

/** What may still be read after a revocation, and by what. */
export interface AfterRevoke {
  readonly allowedBy: RuleAt | null;
  readonly within: string | null;
  readonly inside: readonly string[];
  readonly partlyBy: RuleAt | null;
  readonly unknownOn: string | null;
  /** How many other sessions have a grant of their own that opens it. */
  readonly others: number;
}

interface RuleAt {
  readonly file: string;
  readonly line: number;
}

const placeOf = ({ file, line }: RuleAt): string => `${show(file)}:${line}`;

/** What a revocation came to, for a person: that it is shut, or by what it, or some of it, may still be read. */
export function explainRevoked(
  path: string,
  { allowedBy, within, inside, partlyBy, unknownOn, others }: AfterRevoke,
): { readonly isShut: boolean; readonly text: string } {
  const name = grantName(path);
  const used = isNetwork(path) ? "is still open" : "can still be read";
  const still = (what: string) => ({ isShut: false, text: `${name} was revoked, ${what}` });
  if (allowedBy !== null) return still(`and ${used}: a rule of the policy allows it, ${placeOf(allowedBy)}`);
  if (within !== null) return still(`and ${used}: it is part of ${show(within)}, which the session may read`);
  const parts = [
    ...(inside.length === 0 ? [] : [`${inside.map(show).join(", ")} in it ${inside.length === 1 ? "is" : "are"} open separately`]),
    ...(partlyBy === null ? [] : [`a rule of the policy may allow it, ${placeOf(partlyBy)}`]),
  ];
  if (parts.length > 0) return still(`and some of it can still be read: ${parts.join("; ")}`);
  if (unknownOn !== null) return still(`and whether a rule still allows it is in the policy of the machine ${show(unknownOn)}`);
  if (others === 0) return { isShut: true, text: `${name} is shut again` };
  const whose = others === 1 ? "1 other session with a grant of its own" : `${others} other sessions with grants of their own`;
  return { isShut: false, text: `${name} is shut again, but for ${whose}` };
}

/** What a session may read after all its grants were revoked, besides its workspace. */
export interface AfterRevokeAll {
  readonly revoked: number;
  readonly mounts: readonly string[];
  readonly rules: readonly (RuleAt & { readonly pattern: string })[];
  readonly network: boolean;
  readonly unknownOn: string | null;
}

/** The same of all grants of a session. */
export function explainRevokedAll({ revoked, mounts, rules, network, unknownOn }: AfterRevokeAll): {
  readonly isShut: boolean;
  readonly text: string;
} {
  const did = revoked === 0 ? "there was nothing to revoke" : `revoked ${count(revoked, "grant")}`;
  const named = rules.slice(0, NAMED_RULES).map((rule) => `${show(rule.pattern)} (${placeOf(rule)})`);
  const more = rules.length > NAMED_RULES ? [count(rules.length - NAMED_RULES, "more rule")] : [];
  const open = [
    ...(mounts.length === 0 ? [] : [`mounted: ${mounts.map(show).join(", ")}`]),
    ...(rules.length === 0 ? [] : [`allowed by rules of the policy: ${[...named, ...more].join(", ")}`]),
    ...(network ? ["the network, for commands, by the policy"] : []),
    ...(unknownOn === null ? [] : [`what the policy of the machine ${show(unknownOn)} allows`]),
  ];
  if (open.length === 0) return { isShut: true, text: `${did}; only the workspace is open now` };
  return { isShut: false, text: `${did}; besides the workspace, still open: ${open.join("; ")}` };
}

/** So many rules are named. */
const NAMED_RULES = 5;

/** One line for a log, with every unusual character escaped. */
export function logLine(decision: Decision): string {
  const { access, verdict, reason, real } = decision;
  const place = real === null || real === access.path ? "" : ` (${show(real)})`;
  return `${verdict} ${reason} ${access.operation} ${show(String(access.path))}${place}`;
}

/** What the reason is about: the path itself, what its links lead to, or a link on the way. */
function wayTo({ trace }: Decision): string {
  const [first] = trace;
  if (first.at === "resolve" && first.onTheWay === true) return `passes through ${show(first.real)}, and that `;
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

function nextForPerson(decision: Decision): readonly string[] {
  const lines: string[] = [];
  if (hasForeignLetters(String(decision.access.path))) lines.push("the path contains characters outside ASCII; check it closely");
  if (decision.verdict === "deny") {
    const setting = decision.trace.find((step) => step.at === "setting");
    if (decision.reason === "policy-deny" && setting !== undefined)
      return [...lines, `the setting ${setting.name} in your policy denies it; change it there`];
    const remedy = remedies[decision.reason];
    const named = namedIn(decision.trace);
    return remedy === undefined ? lines : [...lines, named === null ? remedy : remedy.replace("name it", `name ${show(named)}`)];
  }
  if (decision.verdict === "allow") return lines;
  const { ask } = decision;
  const once = ask.right === "write" ? "write this path" : `${verbOf(ask)} this path${reachOf(ask)}`;
  if (ask.offers === "once") return [...lines, `a yes for once lets it ${once}`];
  const { survey, proposal } = ask;
  lines.push(
    `a yes for the session opens ${show(proposal.dir)} and all below it, for reading only, until the session ends or it is revoked`,
    `a yes for once lets it ${once}`,
  );
  if (survey === null) return lines;
  const least = survey.complete ? "" : "at least ";
  if (survey.secrets > 0) lines.push(`${least}${count(survey.secrets, "secret file")} in it stay${survey.secrets === 1 ? "s" : ""} hidden`);
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
    "to allow it, or to let agents ask for it once at a time, add a read rule to your policy. Without one, agents can ask only for repositories and projects below your ceilings (your home directory and /opt, unless ceilings in your policy or PROJECT_ROOT_WHITELIST name others)",
  "no-grant-root": "to let agents ask for it, list its directory under projects in your policy; to allow it at once, add a read rule",
  "root-too-broad":
    "to let agents ask for it, put it into a repository of its own, or list a directory nearer to it under projects in your policy",
  "write-out-of-scope": "to let agents write there, mount it with mode extend, or add a write rule to your policy",
  "read-only-grant": "to let agents write there, mount it with mode extend; a grant never writes",
  "read-only-mount": "to let agents write there, mount it with mode extend instead",
  "root-moved": "another directory is in the place of the one that was mounted; if that is intended, mount it again",
  "no-prompt-channel": "where somebody can answer, a person is asked",
};

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;
