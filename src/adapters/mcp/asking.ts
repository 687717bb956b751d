// Putting an ask before a person and waiting for their answer: in the client's own dialog where it has one, in our inbox always, and
// whichever comes first counts. Our card is the authority: a client that declines by itself has only failed to show its dialog, and one
// that says yes sooner than anybody can read has not asked anybody.

import type { LookupEnd } from "../../tools/bash-reaches.ts";
import { toolNamed } from "../../tools/registry.ts";
import { HallpassError, isCode } from "../../core/errors.ts";
import type { WireAsk } from "../../wire/values.ts";
import type { AnswerBody } from "../../wire/http.ts";
import type { HostSession, HostAccess } from "../host-session/host-session.ts";
import { isTooSoon, nobodyToAsk, READABLE, TOO_SOON } from "../host-session/dialog.ts";
import { answerOf, type DialogReply } from "./card.ts";

/** The client on whose behalf a call is made, as far as asking goes. */
export interface McpCaller {
  /** Aborts when the client no longer wants the call. */
  readonly signal: AbortSignal;
  /** What its dialogs can do; null where it has none. */
  readonly dialog: "form" | "url" | null;
  /** Can we put a dialog to it in the middle of a call? Else the call ends and is made again with what was said. */
  readonly put: ((ask: WireAsk, signal: AbortSignal) => Promise<DialogReply>) | null;
  /** Told while a person is waited for. */
  progress(message: string): void;
}

/** How long a call waits for a person, and how often its client hears of it. */
export interface AskTimeouts {
  /** How long a call waits for a person, in milliseconds. */
  readonly deadline: number;
  /** How often the client is told that it still waits. */
  readonly progressEvery: number;
  /** A decline sooner than this was nobody's. */
  readonly automatic: number;
  /** Nor was a yes sooner than this: nobody has read the card by then. */
  readonly readable: number;
}

/** The timeouts unless told otherwise. */
export const patience: AskTimeouts = { deadline: 5 * 60_000, progressEvery: 5_000, automatic: 1_000, readable: READABLE };

export interface Question {
  readonly hostSession: HostSession;
  readonly access: HostAccess;
  readonly reason: string | null;
  readonly caller: McpCaller;
  readonly patience: AskTimeouts;
}

export interface AskOutcome {
  readonly ok: boolean;
  readonly code: string | null;
  readonly text: string;
}

/** Wait for the end of an ask, with the client's dialog beside our inbox. */
export async function waitFor(question: Question, ask: WireAsk): Promise<AskOutcome> {
  const { caller } = question;
  return waitForEnd(question, ask, caller.dialog !== null && caller.put !== null);
}

/** Resume an ask whose dialog the client has shown; `reply` is its answer, `elapsed` how long it took. */
export async function resumeAsk(question: Question, ask: WireAsk, reply: DialogReply | null, elapsed: number): Promise<AskOutcome> {
  const { hostSession, caller, patience: bounds } = question;
  const outcome = reply === null ? "nothing" : interpretReply(reply, elapsed, ask, caller, bounds);
  const current = typeof outcome === "string" || ask.state !== "open" ? ask : await hostSession.answer(ask.id, outcome);
  return current.state === "open" ? waitForEnd(question, current, false, outcome === "too-soon") : outcomeOf(question, current);
}

/** What a dialog's end means: an answer; or that nobody was asked there, or was said to have been sooner than they could read. */
function interpretReply(
  reply: DialogReply,
  elapsed: number,
  ask: WireAsk,
  { dialog }: McpCaller,
  { automatic, readable }: AskTimeouts,
): ReplyOutcome {
  // Opening a page is not an answer, nor is not opening it: the page is where it is given.
  if (dialog === "url") return "nothing";
  if (reply.action !== "accept") return reply.action === "decline" && elapsed >= automatic ? { decision: "deny" } : "nothing";
  const answer = answerOf(reply, ask);
  return isTooSoon(answer, elapsed, readable) ? "too-soon" : answer;
}

type ReplyOutcome = AnswerBody | "nothing" | "too-soon";

/** `tooSoon`: the client's dialog has said yes already, sooner than anybody could. */
async function waitForEnd(question: Question, ask: WireAsk, withDialog: boolean, tooSoon = false): Promise<AskOutcome> {
  const { hostSession, caller, patience: bounds } = question;
  if (!withDialog && !hostSession.shared) return denyUnasked(question, ask, tooSoon);
  const over = new AbortController();
  const signal = AbortSignal.any([caller.signal, over.signal]);
  let wasTooSoon = tooSoon;
  const reportProgress = (): void =>
    caller.progress(
      wasTooSoon
        ? `${TOO_SOON}; waiting for a person to answer in the inbox`
        : `waiting for a person to answer in ${withDialog ? "the dialog or " : ""}the inbox`,
    );
  reportProgress();
  const progressTimer = setInterval(reportProgress, bounds.progressEvery);
  try {
    const inbox = hostSession.wait(ask.id, bounds.deadline, signal);
    const noteTooSoon = (): void => {
      wasTooSoon = true;
      reportProgress();
    };
    const dialogEnd = withDialog ? askInDialog(question, ask, signal, inbox, noteTooSoon) : inbox;
    const end = await Promise.race([inbox, dialogEnd]);
    if (caller.signal.aborted) return await withdrawAsk(question, ask);
    if (end === null) return await denyUnasked(question, ask, wasTooSoon);
    return end.state === "open" ? await describeOpenAsk(question, end, wasTooSoon) : await outcomeOf(question, end);
  } finally {
    clearInterval(progressTimer);
    if (!caller.signal.aborted) hostSession.leave(ask.id, question.access.call);
    // Whatever is still shown or waited for is no longer of use.
    over.abort();
  }
}

/** The ask as a dialog's answer left it; null where the dialog was none and nobody else can answer. */
async function askInDialog(
  { hostSession, caller, patience: bounds }: Question,
  ask: WireAsk,
  signal: AbortSignal,
  inbox: Promise<WireAsk>,
  noteTooSoon: () => void,
): Promise<WireAsk | null> {
  let card = ask;
  for (;;) {
    const shownAt = performance.now();
    const reply: DialogReply = await (caller.put?.(card, signal) ?? Promise.reject(new Error("no dialog"))).catch(() => ({
      action: "cancel",
    }));
    if (signal.aborted) return inbox;
    const outcome = interpretReply(reply, performance.now() - shownAt, card, caller, bounds);
    if (outcome === "too-soon") noteTooSoon();
    if (typeof outcome === "string") return hostSession.shared ? inbox : null;
    const after = await hostSession.answer(card.id, outcome);
    // Not taken, and still open: the card has changed since it was shown, so it is shown again as it is now.
    if (after.state !== "open" || after.digest === card.digest) return after.state === "open" ? inbox : after;
    card = after;
  }
}

/** How it ended, in the words the host session has for it: "granted" only if the access passes now. */
async function outcomeOf({ hostSession, access, reason: words }: Question, ask: WireAsk): Promise<AskOutcome> {
  const after = await hostSession.ask(access, words);
  if (after.state === "done") return after;
  throw new HallpassError("request-closed", `the ask ${ask.id} was settled, and the call still waits`);
}

/** The client no longer wants it: the ask is closed, unless another call waits for it. */
async function withdrawAsk({ hostSession, access }: Question, ask: WireAsk): Promise<AskOutcome> {
  await hostSession.withdraw(ask.id, access.call);
  return { ok: false, code: "request-closed", text: "the call was cancelled, and its ask is closed" };
}

async function denyUnasked({ hostSession }: Question, ask: WireAsk, tooSoon: boolean): Promise<AskOutcome> {
  await hostSession.cancel(ask.id);
  const text = nobodyToAsk(tooSoon ? TOO_SOON : "this client gave no answer to our question");
  return { ok: false, code: "no-prompt-channel", text };
}

async function describeOpenAsk({ hostSession, access, patience: bounds }: Question, ask: WireAsk, tooSoon: boolean): Promise<AskOutcome> {
  const waited = `${tooSoon ? `${TOO_SOON}, and ` : ""}nobody has answered within ${Math.round(bounds.deadline / 1000)} seconds.`;
  if (!hostSession.shared) {
    await hostSession.cancel(ask.id);
    return { ok: false, code: "timeout", text: `${waited} Go on without it; ask again when the person is there.` };
  }
  const page = hostSession.addressOf(ask.id);
  const place = page === null ? "in the inbox" : `in the inbox, ${page}`;
  const again =
    toolNamed(access.tool)?.asks === "access"
      ? "Call request_read_access again with the same path to go on waiting"
      : "Make the same call again to go on waiting";
  return { ok: false, code: "timeout", text: `${waited} The ask is still open ${place}. ${again}, or go on without it.` };
}

/** What a lookup came to that was not granted, by the code its ask ended with. */
export function refusedLookup(code: string | null, wasAsked: boolean): LookupEnd {
  const came = refusedEnds[code ?? "person-declined"];
  if (came !== undefined) return { came };
  if (code === null || !isCode(code)) return { came: "failed" };
  return { came: wasAsked && code !== "no-prompt-channel" ? "not-granted" : "not-asked", code };
}

const refusedEnds: Readonly<Record<string, "denied" | "denied-before" | "withdrawn" | "closed" | "unanswered">> = {
  "person-declined": "denied",
  "recently-denied": "denied-before",
  "request-withdrawn": "withdrawn",
  "request-closed": "closed",
  "grant-expired": "unanswered",
  timeout: "unanswered",
};
