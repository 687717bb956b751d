// An ask in a client's or an editor's own dialog: which choices it offers, and when its yes counts. A yes counts only after a person has
// had time to read the question: a host that is set to say yes by itself answers at once.

import type { AnswerBody } from "../../wire/http.ts";
import type { WireAsk } from "../../wire/values.ts";

/** What is kept for good is given where it can be confirmed, so it is not among them. */
export const oneStepChoices = ({ card }: WireAsk): WireAsk["card"]["choices"] =>
  card.choices.filter(({ answer }) => answer.keep === undefined);

/**
 * The answer to a card by the id of a choice. What is none of its choices is a no: nothing that is not a clear yes opens anything. A yes is to
 * what was shown; a no is to whatever it is now.
 */
export function answerTo(ask: WireAsk, choice: unknown): AnswerBody {
  const chosen = oneStepChoices(ask).find(({ id }) => id === choice);
  if (chosen?.grants === true) return { ...chosen.answer, digest: ask.digest };
  return { decision: chosen?.answer.decision === "deny_and_stop" ? "deny_and_stop" : "deny" };
}

/** Nobody has read a card sooner than this after it was shown, in milliseconds. */
export const READABLE = 500;

/** What came of a dialog that said yes at once. */
export const TOO_SOON = "the client's dialog said yes sooner than a person can read it, so the answer does not count";

/** INVARIANT: as on our own card, nothing that grants counts before it can have been read. A no counts at once. */
export function isTooSoon({ decision }: Pick<AnswerBody, "decision">, elapsed: number, readable: number = READABLE): boolean {
  return decision !== "deny" && decision !== "deny_and_stop" && !(elapsed >= readable);
}

/** How often a watch looks, and the most that one look counts for, in milliseconds. */
const STEP = 25;
const MOMENT = 200;

/**
 * What a dialog said, and how long its person had, in milliseconds. What this process spent on something else while the answer lay there
 * counts for a moment only: else whoever keeps it busy makes an answer that came at once look late.
 */
export async function timed<T>(dialog: () => Promise<T>): Promise<{ readonly reply: T; readonly elapsed: number }> {
  let elapsed = 0;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    elapsed += Math.min(now - last, MOMENT);
    last = now;
  };
  const looking = setInterval(look, STEP);
  try {
    const reply = await dialog();
    look();
    return { reply, elapsed };
  } finally {
    clearInterval(looking);
  }
}

/** For the model: the dialog was none, for the reason given, and there is no inbox either. */
export function nobodyToAsk(why: string): string {
  return (
    `there is nobody to ask: ${why}, and no Hallpass daemon is running whose inbox a person could answer in. ` +
    "Go on without it, and tell the person that `hallpass serve` opens an inbox."
  );
}
