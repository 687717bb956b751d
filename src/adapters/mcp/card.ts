// An ask as a client's own dialog shows it, and what its person chose there. The dialog offers a no, which is preset, and the yeses the
// ask offers; an answer that is none of them is a no.

import { show, shorten } from "../../core/path/show.ts";
import type { AnswerBody } from "../../wire/http.ts";
import type { WireAsk } from "../../wire/values.ts";

/** What a client gives back from a dialog. */
export interface Said {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: unknown;
}

export interface FormField {
  readonly type: "string";
  readonly title: string;
  readonly [more: string]: unknown;
}
export interface Form {
  readonly type: "object";
  readonly properties: Readonly<Record<"decision" | "note", FormField>>;
  readonly required: string[];
}

const WIDTH = 300;

/** Everything a person needs to decide, in a few lines. The agent's words stand last and are marked as its own. */
export function cardText({ asker, workspace, requested, path, right, proposal, offers, because, survey, words }: WireAsk): string {
  const who = asker.label ?? asker.host ?? "an agent";
  const lines = [
    `${show(who)}, working in ${clip(workspace)}, asks to ${right === "read" ? "read" : "write"}:`,
    ...requested.slice(0, 5).map((one) => `  ${clip(one)}`),
    ...(requested.length > 5 ? [`  and ${requested.length - 5} more`] : []),
  ];
  if (path !== null && !requested.includes(path)) lines.push(`which really is ${clip(path)}`);
  lines.push(because.trim());
  if (offers === "session" && proposal !== null) {
    lines.push(`A yes for the session opens all of ${clip(proposal.dir)} for reading, nothing for writing; secrets in it stay shut.`);
    if (survey !== null) {
      const least = survey.complete ? "" : "at least ";
      lines.push(`In it: ${least}${survey.files} files, ${survey.secrets} secrets, ${survey.repositories} further repositories.`);
    }
  }
  if (words !== null) lines.push(`The agent says (unverified): ${shorten(show(words), 500)}`);
  return lines.filter((line) => line !== "").join("\n");
}

/** `titles`: choices with titles, as clients of 2025-11-25 and later know them. Before that, names beside the values. */
export function cardForm({ offers, proposal, right }: WireAsk, dialect: "titles" | "names"): Form {
  const choices = [
    { const: "deny", title: "No" },
    { const: "once", title: right === "read" ? "Yes, only this path, once" : "Yes, this once" },
    ...(offers === "session" && proposal !== null ? [{ const: "session", title: `Yes, read ${clip(proposal.dir)} for this session` }] : []),
  ];
  const one =
    dialect === "titles"
      ? { oneOf: choices, default: "deny" }
      : { enum: choices.map((choice) => choice.const), enumNames: choices.map(({ title }) => title) };
  return {
    type: "object",
    properties: {
      decision: { type: "string", title: "May it?", ...one },
      note: { type: "string", title: "A word to the agent, with a no (optional)" },
    },
    required: ["decision"],
  };
}

/**
 * What the person chose. An accept without one of the choices is a no: nothing that is not a clear yes opens anything. A yes is to what was
 * shown; a no is to whatever it is now.
 */
export function answerOf({ content }: Said, { digest, offers }: WireAsk): AnswerBody {
  const given = typeof content === "object" && content !== null ? { ...content } : {};
  const decision = "decision" in given ? given.decision : undefined;
  if (decision === "session" && offers === "session") return { decision: "allow", digest };
  if (decision === "once") return { decision: "allow_once", digest };
  const note = "note" in given && typeof given.note === "string" && given.note !== "" ? given.note.slice(0, 2000) : undefined;
  return { decision: "deny", ...(note === undefined ? {} : { note }) };
}

const clip = (text: string): string => shorten(show(text), WIDTH);
