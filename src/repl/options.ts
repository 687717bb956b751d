// What a person may answer to an ask, in the words of the card. The words say what is read and until when; none of them says "access".

import { show } from "../core/path/show.ts";
import type { AnswerBody } from "../wire/http.ts";
import type { WireAsk } from "../wire/values.ts";
import { cutMiddle } from "./columns.ts";

export interface Option {
  readonly label: string;
  /** Does it open anything? Such an option is never chosen beforehand and does nothing in the first moments. */
  readonly grants: boolean;
  /** What is sent; a text is asked for first where it says so. */
  readonly does:
    | { readonly do: "answer"; readonly answer: AnswerBody }
    | { readonly do: "write"; readonly as: "note" | "reply" }
    | { readonly do: "more" };
}

/** The options of an ask, in their order, and which of them is chosen beforehand: never one that grants. */
export function optionsFor(ask: WireAsk, more: boolean): { readonly options: readonly Option[]; readonly chosen: number } {
  const { digest } = ask;
  if (ask.kind === "pending_question") {
    const given = ask.options.map((text): Option => ({
      label: show(text),
      grants: false,
      does: { do: "answer", answer: { decision: "reply", digest, text } },
    }));
    return {
      options: [
        ...given,
        { label: "Write an answer…", grants: false, does: { do: "write", as: "reply" } },
        { label: "Do not answer", grants: false, does: { do: "answer", answer: { decision: "deny", digest } } },
      ],
      chosen: given.length,
    };
  }
  const session = ask.offers === "session" && ask.proposal !== null ? ask.proposal : null;
  // Enough of it to know it by; the card has the whole of it above.
  const name = session === null ? "" : cutMiddle(nameOf(session.dir), LONGEST_NAME);
  const options: Option[] = [];
  if (session !== null)
    options.push({
      label: `Allow reading ${name} for this session`,
      grants: true,
      does: { do: "answer", answer: { decision: "allow", digest } },
    });
  options.push({
    label: onceLabel(ask, session !== null),
    grants: true,
    does: { do: "answer", answer: { decision: "allow_once", digest } },
  });
  const chosen = options.length;
  options.push({ label: "Deny", grants: false, does: { do: "answer", answer: { decision: "deny", digest } } });
  options.push({ label: "Deny and tell the agent…", grants: false, does: { do: "write", as: "note" } });
  if (!more) return { options: [...options, { label: "More…", grants: false, does: { do: "more" } }], chosen };
  if (session !== null)
    options.push({
      label: `Allow reading ${name} for one hour`,
      grants: true,
      does: { do: "answer", answer: { decision: "allow", digest, minutes: 60 } },
    });
  options.push({ label: "Deny and stop the agent", grants: false, does: { do: "answer", answer: { decision: "deny_and_stop", digest } } });
  return { options, chosen };
}

const LONGEST_NAME = 36;

function onceLabel(ask: WireAsk, narrower: boolean): string {
  if (ask.tool === "bash") return "Allow this command, once";
  const many = ask.requested.length > 1;
  if (ask.right === "write") return many ? "Allow writing these files, once" : "Allow writing this file, once";
  const what = many ? "these files" : "this file";
  return narrower ? `Allow only ${what}, once` : `Allow reading ${what}, once`;
}

/** The last part of a directory's path, to call it by. */
export function nameOf(dir: string): string {
  const name = dir.replace(/\/+$/u, "");
  return show(name.slice(name.lastIndexOf("/") + 1) || dir);
}
