// The choices of a card for a dialog of one step, as clients and editors have it.

import type { WireAsk } from "../../wire/values.ts";

/** What is kept for good is given where it can be confirmed, so it is not among them. */
export const oneStepChoices = ({ card }: WireAsk): WireAsk["card"]["choices"] =>
  card.choices.filter(({ answer }) => answer.keep === undefined);
