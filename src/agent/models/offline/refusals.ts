// Words for what was not done: denied, refused, not there. Each with its reason, and none with a way around.

import { meanings } from "../../../core/guard/explain.ts";
import type { Finding } from "./finding.ts";
import type { Probe } from "./probe.ts";
import { clip, code, joinWords, quote } from "./words.ts";

type Of<K extends Finding["kind"]> = Extract<Finding, { kind: K }>;

/** Why something was not done. */
export function refusalWords(finding: Of<"denied" | "missing" | "refused" | "no-tool">, probe: Probe): string {
  const name = code(nameOf(probe));
  switch (finding.kind) {
    case "denied": {
      const said = noteWords(finding);
      return finding.before
        ? `${name} was refused a moment ago, so I did not ask again.`
        : `You said no to ${name}, so I leave it alone.${said}`;
    }
    case "missing":
      return finding.near.length === 0
        ? `There is no ${name}.`
        : `There is no ${name}. Names near to it: ${joinWords(finding.near.map(code))}. Say which one you mean.`;
    case "no-tool":
      return `I have no tool for that here (${code(finding.tool)} is not offered).`;
    case "refused":
      return refusedWords(finding, probe, name);
  }
}

/** What was tried, by its path or its command. */
export function nameOf({ path, askFor, input }: Probe): string {
  const command = input["command"];
  return path ?? askFor ?? (typeof command === "string" ? clip(command, 80) : "it");
}

export const noteWords = ({ note }: Of<"denied">): string => (note === null ? "" : ` You wrote: ${quote(note)}.`);

function refusedWords({ code: reason, hint }: Of<"refused">, { tool, taken }: Probe, name: string): string {
  const told = clip(hint.split("\n")[0] ?? "", 400);
  if (tool === "bash" || reason === "bad-request" || reason === "invalid-path" || reason === "unknown-tool")
    return `That did not work: ${told === "" ? meanings[reason] : told}`;
  const why = `${name} ${meanings[reason]}.`;
  switch (reason) {
    case "secret-file":
    case "protected-path":
    case "policy-deny":
    case "virtual-fs":
      return `${why} I leave it at that and look for no other way.`;
    case "out-of-whitelist":
    case "no-grant-root":
    case "root-too-broad":
      return `${why} So I cannot ask you for it either; mount it, or start me there, if I am to see it.`;
    case "no-prompt-channel":
      return `${why} So I leave it.`;
    case "out-of-scope":
      return taken.has("asked") ? `${why} You allowed it, and it is still refused; it may have changed or been taken back.` : why;
    case "write-out-of-scope":
    case "read-only-grant":
    case "read-only-mount":
      return `${why} I write inside the workspace only.`;
    case "already-in-scope":
      return `${name} is in scope already; just say what you want to see there.`;
    case "too-large":
      return `${why} Even single lines of it are too long to show.`;
    default:
      return why;
  }
}
