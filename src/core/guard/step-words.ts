// The steps of a judgement in words for a person, with the place of each rule that spoke. Pure.

import { show } from "../path/show.ts";
import type { Source } from "../policy/rule.ts";
import type { NoProposal } from "../session/propose.ts";
import type { Root } from "../session/root.ts";
import type { Step } from "./decision.ts";

/** One fact, without a full stop. */
export function wordStep(step: Step): string {
  switch (step.at) {
    case "resolve":
      if (step.onTheWay === true) return `the path passes through ${show(step.real)}${throughLinks(step.links)} and leaves it again by ..`;
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
        ? "it is outside the session's scope: not in the workspace, a mount or a granted directory"
        : `it is in ${rootWords(step.root)}`;
    case "setting":
      return `${step.name === "gitignored" ? "git ignores it" : "it has several names (hard links)"}, and the policy says ${step.verdict}`;
    case "propose":
      return step.proposal === null
        ? `nothing can be granted: ${notGranted(step.refused ?? "no-grant-root")}`
        : `a yes would grant reading ${show(step.proposal.dir)} (${step.proposal.because === "project" ? "a registered project" : `it has ${step.proposal.because}`})`;
    case "fault":
      return `the guard failed: ${show(step.message)}`;
  }
}

/** In other words than the refusal's own, which stand above it already. */
function notGranted(code: NoProposal): string {
  switch (code) {
    case "out-of-whitelist":
      return "it is not below any ceiling";
    case "no-grant-root":
      return "no directory around it is a repository or a registered project";
    case "root-too-broad":
      return "the repository or project around it is too broad to grant, for example because it holds your home directory, a ceiling or the workspace";
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
