// What an ask card says, in words. Pure, so that the words can be held by a table; the same ones as the terminal's where both say them.

import { meanings } from "../../../src/core/guard/explain.ts";
import type { WireAsk, WireAnswer } from "../../../src/wire/values.ts";
import { count } from "../words/counts.ts";

/** Who asks, outermost first: the program, the agents above, the agent. */
export function askerWords({ host, label, parents }: WireAsk["asker"]): readonly string[] {
  const program = host === null ? "Hallpass chat" : host;
  return [program, ...parents, ...(label === null ? [parents.length === 0 ? "agent" : "sub-agent"] : [label])];
}

const TRIED: Readonly<Record<string, string>> = {
  read_file: "tried to read",
  list_dir: "tried to list",
  find_files: "tried to search",
  grep: "tried to search",
  request_read_access: "asks to read",
  write_file: "wants to write",
  edit_file: "wants to change",
  apply_patch: "wants to change",
  bash: "wants to run a command that touches",
};

/** What it tried, as a verb; the path follows it. */
export function triedWords({ tool, right }: WireAsk): string {
  return TRIED[tool] ?? (right === "write" ? "wants to write" : "tried to read");
}

/** The heading of the card: an open question. */
export function headingWords(ask: WireAsk): string {
  if (ask.kind === "pending_question") return "The agent has a question";
  if (ask.right === "write") return "May it write this file?";
  return ask.offers === "session" ? "May it read this directory?" : "May it read this file?";
}

/** Why that directory: in the same words as `hallpass explain`. */
export function rootReason(because: string): string {
  if (because === "project") return "a registered project";
  return /^\S+$/.test(because) ? `it holds ${because}` : because;
}

/** What a yes covers beyond the directory's name, one fact a line. */
export function surveyWords({ survey, proposal }: WireAsk): readonly string[] {
  if (survey === null || proposal === null) return [];
  const least = survey.complete ? "" : "at least ";
  const lines = [`${least}${count(survey.files, "file")}`];
  lines.push(
    survey.secrets === 0
      ? survey.complete
        ? "no secrets seen in it; any that appear stay withheld"
        : "no secrets seen so far; any in it stay withheld"
      : `${least}${count(survey.secrets, "secret")} stay${survey.secrets === 1 && survey.complete ? "s" : ""} withheld`,
  );
  if (survey.repositories > 0)
    lines.push(`${least}${count(survey.repositories, "other repository", "other repositories")} inside, opened too`);
  if (survey.worktree) lines.push("a linked worktree; only this directory is granted");
  if (survey.submodule) lines.push("a submodule; only this directory is granted");
  return lines;
}

/** The machine that has the files, where somebody gave it a name; else it has a random one, which tells nobody anything. */
export function machineWords({ machine }: Pick<WireAsk, "machine">): string | null {
  return machine === "local" || machine === "" || /^[0-9a-f]{24}$/.test(machine) ? null : machine;
}

/** The boundary's code in a sentence. */
export function reasonWords(ask: WireAsk): string {
  if (ask.because !== "") return ask.because;
  const known: Readonly<Record<string, string>> = meanings;
  return known[ask.reason] ?? ask.reason;
}

export interface Settled {
  readonly verdict: "allow" | "refused" | "deny" | "reply" | "closed";
  readonly headline: string;
  readonly by: string | null;
  readonly at: number | null;
}

const CLOSED: Readonly<Record<NonNullable<WireAsk["closed"]>, string>> = {
  withdrawn: "Withdrawn: you said something else instead",
  stopped: "Closed: you stopped the agent",
  expired: "Closed: nobody answered in time",
  "session-ended": "Closed: its session has ended",
  "agent-left": "Closed: its agent has left",
  "not-needed": "Closed without an answer: it is no longer needed",
};

/** A card that was answered: what was said, by whom, when. */
export function settledWords(ask: WireAsk): Settled {
  const { answer } = ask;
  if (answer === null) return { verdict: "closed", headline: CLOSED[ask.closed ?? "not-needed"], by: null, at: null };
  const { by, at } = answer;
  if (ask.refused !== null)
    return { verdict: "refused", headline: "Allowed, but nothing was granted: what it would open had changed", by, at };
  return { verdict: answer.verdict, headline: answerWords(ask, answer), by, at };
}

function answerWords(ask: WireAsk, answer: WireAnswer): string {
  const doing = ask.right === "write" ? "writing" : "reading";
  if (answer.verdict === "reply") return "Answered";
  if (answer.verdict === "deny") return answer.stop ? `Denied ${doing}, and stopped the agent` : `Denied ${doing}`;
  if (answer.until === "call") return `Allowed ${doing} this file, once`;
  return answer.expires === null ? "Allowed reading for this session" : "Allowed reading for a time";
}
