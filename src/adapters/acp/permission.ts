// An ask as an editor's permission request, and the editor's answer as ours. The editor shows a title and a few options, so both hold
// everything a person must know: what was asked for, what it really is, and what a yes opens. An outcome we do not know is a no.

import type { PermissionOption, RequestPermissionOutcome, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { show } from "../../core/path/show.ts";
import type { AnswerBody } from "../../wire/http.ts";
import type { WireAsk } from "../../wire/values.ts";

/** The options' ids. Kinds are the protocol's four and no others: strict editors break on more. */
const SESSION = "session";
const ONCE = "once";
const DENY = "deny";
const STOP = "stop";

export const YES = "yes";

/** `toolCallId`: what the editor knows the card by. An agent that could guess it could tell the editor to show something else. */
export function permissionRequest(sessionId: string, ask: WireAsk, toolCallId = `ask-${ask.id}`): RequestPermissionRequest {
  const [requested = ""] = ask.requested;
  return {
    sessionId,
    toolCall: {
      toolCallId,
      title: titleOf(ask),
      kind: ask.right === "read" ? "read" : "edit",
      status: "pending",
      locations: ask.path === null ? [] : [{ path: ask.path }],
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

/** By what the path really is; as the agent wrote it only where that is not known. */
function titleOf(ask: WireAsk): string {
  const [requested = ""] = ask.requested;
  const place = show(ask.path ?? requested);
  const more = ask.requested.length > 1 ? ` and ${ask.requested.length - 1} more` : "";
  return ask.proposal === null ? `${verb(ask)} ${place}${more}?` : `Read ${show(ask.proposal.dir)}, for ${place}${more}?`;
}

const verb = (ask: WireAsk): string => (ask.right === "read" ? "Read" : "Change");

/** Plain text; everything of the agent's is escaped and on one line. */
function textOf(ask: WireAsk): string {
  const lines = [`Asked for: ${ask.requested.map(show).join(", ")}`];
  if (ask.path !== null && ask.path !== ask.requested[0]) lines.push(`Really: ${show(ask.path)}`);
  if (ask.proposal !== null)
    lines.push(`A yes for the session opens, for reading only: ${show(ask.proposal.dir)} (${show(ask.proposal.because)})`);
  if (ask.survey !== null) {
    const { files, secrets, repositories, complete } = ask.survey;
    const least = complete ? "" : "at least ";
    lines.push(`In it: ${least}${files} files, ${secrets} secrets that stay shut, ${repositories} other repositories`);
  }
  lines.push(`Why it is asked: ${show(ask.because)}`);
  if (ask.words !== null) lines.push(`The agent says (unverified): ${show(ask.words)}`);
  return lines.join("\n");
}

function optionsOf(ask: WireAsk): PermissionOption[] {
  const options: PermissionOption[] = [{ optionId: DENY, name: "Deny", kind: "reject_once" }];
  options.push({ optionId: ONCE, name: ask.right === "read" ? "Only this file, once" : "Only this change, once", kind: "allow_once" });
  if (ask.proposal !== null)
    options.push({ optionId: SESSION, name: `Allow reading ${show(ask.proposal.dir)} for this session`, kind: "allow_always" });
  options.push({ optionId: STOP, name: "Deny and stop", kind: "reject_always" });
  return options;
}

/** What the person chose; null where the editor called the whole turn off. A yes is to what was shown; a no is to whatever it is now. */
export function answerOf(ask: WireAsk, outcome: RequestPermissionOutcome): AnswerBody | null {
  const { digest } = ask;
  if (outcome.outcome === "cancelled") return null;
  if (outcome.outcome !== "selected") return { decision: "deny" };
  switch (outcome.optionId) {
    case SESSION:
      return ask.proposal === null ? { decision: "deny" } : { decision: "allow", digest };
    case ONCE:
      return { decision: "allow_once", digest };
    case STOP:
      return { decision: "deny_and_stop" };
    default:
      return { decision: "deny" };
  }
}
