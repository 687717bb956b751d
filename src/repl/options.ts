// What a person may answer to an ask: the choices of its card, and what can be written.

import { show } from "../core/path/show.ts";
import type { AnswerBody } from "../wire/http.ts";
import type { WireAsk, WireCard } from "../wire/values.ts";

export interface Option {
  readonly label: string;
  /** Does it open anything? Such an option is never chosen beforehand and does nothing in the first moments. */
  readonly grants: boolean;
  /** Shown whole, however long it is. */
  readonly isWhole?: true;
  /** What is sent; a text is asked for first where it says so. */
  readonly does:
    | { readonly do: "answer"; readonly answer: AnswerBody }
    | { readonly do: "write"; readonly as: "note" | "reply" }
    /** Show the further choices, or go back from them. */
    | { readonly do: "more"; readonly open: boolean }
    /** It opens more, or for longer, than was proposed: ask once more. */
    | { readonly do: "confirm"; readonly choice: Choice };
}

type Choice = WireCard["choices"][number];

/** The options of an ask, in their order, and which of them is chosen beforehand: never one that grants. */
export function optionsFor(ask: WireAsk, more: boolean): { readonly options: readonly Option[]; readonly chosen: number } {
  const { digest, card } = ask;
  if (ask.kind === "pending_question") {
    const offered = ask.options.map((text): Option => ({
      label: show(text),
      grants: false,
      does: { do: "answer", answer: { decision: "reply", digest, text } },
    }));
    return {
      options: [
        ...offered,
        { label: "Write an answer…", grants: false, does: { do: "write", as: "reply" } },
        { label: "Do not answer", grants: false, does: { do: "answer", answer: { decision: "deny", digest } } },
      ],
      chosen: offered.length,
    };
  }
  const optionOf = (choice: Choice): Option => {
    const { label, grants, answer, confirm } = choice;
    if (confirm !== null) return { label: `${label}…`, grants, does: { do: "confirm", choice } };
    return { label, grants, does: { do: "answer", answer: { ...answer, digest } } };
  };
  const first = card.choices.filter(({ place }) => place === "first").map(optionOf);
  const options: Option[] = [...first, { label: "Deny and tell the agent…", grants: false, does: { do: "write", as: "note" } }];
  const chosen = first.findIndex(({ grants }) => !grants);
  if (!more) return { options: [...options, { label: "More…", grants: false, does: { do: "more", open: true } }], chosen };
  // In the place of the first ones: a window has only so many lines.
  const deny = first.filter(({ grants }) => !grants);
  const further = card.choices.filter(({ place }) => place === "more").map(optionOf);
  return { options: [...deny, ...further, { label: "Back", grants: false, does: { do: "more", open: false } }], chosen: 0 };
}

/** The second step of a choice: Back, which is chosen beforehand, and the choice with what it means. */
export function confirmOptions(
  { digest }: WireAsk,
  { label, confirm, answer }: Choice,
): { readonly options: readonly Option[]; readonly chosen: number } {
  return {
    options: [
      { label: "Back", grants: false, does: { do: "more", open: true } },
      { label: `${label}. ${confirm ?? ""}`, grants: true, isWhole: true, does: { do: "answer", answer: { ...answer, digest } } },
    ],
    chosen: 0,
  };
}
