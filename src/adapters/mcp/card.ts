// An ask as a client's own dialog shows it, and what its person chose there. The dialog offers a no, which is preset, and the yeses the
// ask offers; an answer that is none of them is a no.

import { cardLines, shownDiff } from "../../core/guard/card.ts";
import { isRecord, textAt } from "../../core/record.ts";
import type { AnswerBody } from "../../wire/http.ts";
import { answerTo, oneStepChoices } from "../host-session/dialog.ts";
import type { WireAsk } from "../../wire/values.ts";

/** What a client gives back from a dialog. */
export interface DialogReply {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: unknown;
}

export interface FormField {
  readonly type: "string";
  readonly title: string;
  readonly [more: string]: unknown;
}
export interface DialogForm {
  readonly type: "object";
  readonly properties: Readonly<Record<"decision" | "note", FormField>>;
  readonly required: string[];
}

/** Everything a person needs to decide, a line a fact. The agent's words stand last and are marked as its own. */
export function cardText({ card, diff }: WireAsk): string {
  return [...cardLines(card, WIDTH), ...(diff === null ? [] : [shownDiff(diff)])].join("\n");
}

const WIDTH = 500;

/** `titles`: choices with titles, as clients of 2025-11-25 and later know them. Before that, names beside the values. */
export function cardForm(ask: WireAsk, dialect: "titles" | "names"): DialogForm {
  // The no stands first, and is preset.
  const offered = oneStepChoices(ask);
  const choices = [...offered.filter(({ id }) => id === NO), ...offered.filter(({ id }) => id !== NO)];
  const choiceSchema =
    dialect === "titles"
      ? { oneOf: choices.map(({ id, label }) => ({ const: id, title: label })), default: NO }
      : { enum: choices.map(({ id }) => id), enumNames: choices.map(({ label }) => label) };
  return {
    type: "object",
    properties: {
      decision: { type: "string", title: "Your answer", ...choiceSchema },
      note: { type: "string", title: "Reason for denying (optional)" },
    },
    required: ["decision"],
  };
}

const NO = "deny";

/** What the person chose. An accept without one of the choices is a no; a note goes with a no. */
export function answerOf({ content }: DialogReply, ask: WireAsk): AnswerBody {
  const fields = isRecord(content) ? content : {};
  const answer = answerTo(ask, fields["decision"]);
  const note = textAt(fields, "note").slice(0, 2000);
  return note === "" || (answer.decision !== "deny" && answer.decision !== "deny_and_stop") ? answer : { ...answer, note };
}
