// An ask as an editor's permission request, and the editor's answer as ours. The editor shows a title and a few options, so both hold
// everything a person must know: what was asked for, what it really is, and what a yes opens. An outcome we do not know is a no.

import type { PermissionOption, RequestPermissionOutcome, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { cardLines, shownDiff } from "../../core/guard/card.ts";
import { show } from "../../core/path/show.ts";
import type { AnswerBody } from "../../wire/http.ts";
import { answerTo, oneStepChoices } from "../host-session/dialog.ts";
import type { WireAsk } from "../../wire/values.ts";

/** The id of the plain no. Kinds are the protocol's four and no others: strict editors break on more. */
const DENY = "deny";

export const YES = "yes";

/** `toolCallId`: what the editor knows the card by. An agent that could guess it could tell the editor to show something else. */
export function permissionRequest(sessionId: string, ask: WireAsk, toolCallId = `ask-${ask.id}`): RequestPermissionRequest {
  const [requested = ""] = ask.requested;
  const isNetwork = ask.about?.what === "network";
  return {
    sessionId,
    toolCall: {
      toolCallId,
      title: titleOf(ask),
      kind: isNetwork ? "execute" : ask.right === "read" ? "read" : "edit",
      status: "pending",
      locations: ask.path === null || isNetwork ? [] : [{ path: ask.path }],
      rawInput: { requested, path: ask.path, opens: ask.proposal?.dir ?? null },
      content: [{ type: "content", content: { type: "text", text: textOf(ask) } }],
    },
    options: optionsOf(ask),
  };
}

/** A question of ours that is about no access: yes for this once, or no. */
export function plainRequest(
  sessionId: string,
  { title, lines, yes }: { readonly title: string; readonly lines: readonly string[]; readonly yes: string },
  toolCallId: string,
): RequestPermissionRequest {
  const content = [{ type: "content" as const, content: { type: "text" as const, text: lines.join("\n") } }];
  return {
    sessionId,
    toolCall: { toolCallId, title, kind: "other", status: "pending", content },
    options: [
      { optionId: DENY, name: "Deny", kind: "reject_once" },
      { optionId: YES, name: yes, kind: "allow_once" },
    ],
  };
}

/** Some editors show no more than the title: so it names in full what a yes opens, and for what. */
function titleOf({ card, proposal, path, requested: [first = ""] }: WireAsk): string {
  const place = show(path ?? first);
  return `${card.title} ${proposal === null ? place : `${show(proposal.dir)}, for ${place}`}`;
}

/** Plain text, a line a fact; everything of the agent's is escaped and on one line. */
function textOf({ card, diff }: WireAsk): string {
  return [...cardLines(card).slice(1), ...(diff === null ? [] : [shownDiff(diff)])].join("\n");
}

/** A no first. The protocol's word for each: it tells editors how to draw it, and our ids what was chosen. */
function optionsOf(ask: WireAsk): PermissionOption[] {
  const options = oneStepChoices(ask).map(({ id, label, grants, answer }): PermissionOption => {
    const lasts = answer.decision === "allow" || answer.decision === "deny_and_stop";
    return { optionId: id, name: label, kind: grants ? (lasts ? "allow_always" : "allow_once") : lasts ? "reject_always" : "reject_once" };
  });
  return [...options.filter(({ optionId }) => optionId === DENY), ...options.filter(({ optionId }) => optionId !== DENY)];
}

/** What the person chose; null where the editor called the whole turn off. */
export function answerOf(ask: WireAsk, outcome: RequestPermissionOutcome): AnswerBody | null {
  if (outcome.outcome === "cancelled") return null;
  return answerTo(ask, outcome.outcome === "selected" ? outcome.optionId : null);
}
