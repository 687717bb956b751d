// Who asks, and in which words: the two things on a card that come from the agent's side.

import { clsx } from "clsx";
import { useLayoutEffect, useRef, useState } from "react";
import type { WireAsk } from "../../../src/wire/values.ts";
import { FullPath, ShortPath, Shown } from "../parts/shown.tsx";
import { lastName } from "../words/counts.ts";
import { askerWords } from "./ask-words.ts";

/** The chain of who asks, outermost first, and where it works. */
export function Asker({ ask }: { readonly ask: WireAsk }) {
  return (
    <>
      {askerWords(ask.asker).map((name, index) => (
        <span key={index}>
          {index > 0 && <span className="text-faint"> › </span>}
          <Shown text={name} className="font-medium" />
        </span>
      ))}
      <span className="text-soft">
        {" "}
        in <FullPath path={ask.workspace} className="max-sm:hidden" />
        <ShortPath path={lastName(ask.workspace)} width={24} className="sm:hidden" />
      </span>
    </>
  );
}

/** The agent's words: one plain block, labelled, at most 500 characters, in which nothing is markup. On a phone its first lines. */
export function AgentWords({ words }: { readonly words: string | null }) {
  const quote = useRef<HTMLQuoteElement>(null);
  const [whole, setWhole] = useState(false);
  const [cut, setCut] = useState(false);
  useLayoutEffect(() => {
    const element = quote.current;
    if (element === null) return;
    const look = (): void => setCut(element.scrollHeight > element.clientHeight + 1);
    look();
    const sized = new ResizeObserver(look);
    sized.observe(element);
    return () => sized.disconnect();
  }, [words, whole]);
  if (words === null) return <span className="text-soft">it gave none</span>;
  return (
    <figure className="rounded-md border border-dashed border-line-strong px-2.5 py-1 sm:px-3 sm:py-1.5">
      <figcaption className="flex items-baseline justify-between gap-2 text-2xs font-semibold text-faint">
        <span className="tracking-wide uppercase">The agent says (unverified)</span>
        {cut && !whole && (
          <button type="button" className="min-h-6 text-accent underline underline-offset-2 sm:hidden" onClick={() => setWhole(true)}>
            show all
          </button>
        )}
      </figcaption>
      <blockquote
        ref={quote}
        className={clsx("sm:max-h-32 sm:overflow-y-auto", !whole && "max-sm:line-clamp-3 [@media(max-height:700px)]:max-sm:line-clamp-2")}
      >
        <Shown text={words} width={500} />
      </blockquote>
    </figure>
  );
}
