// An agent's own words, on a card.

import { clsx } from "clsx";
import { useLayoutEffect, useRef, useState } from "react";
import { AGENT_SAYS } from "../../../src/core/guard/card.ts";
import { Shown } from "../parts/shown.tsx";

export interface AgentWordsProps {
  readonly words: string;
  /** Is what they say what a yes lets happen? Then nothing of them is left out. */
  readonly whole: boolean;
}

/** One plain block, labelled, in which nothing is markup. A reason is at most 500 characters, and on a phone its first lines. */
export function AgentWords({ words, whole: isWhole }: AgentWordsProps) {
  const quote = useRef<HTMLQuoteElement>(null);
  const [whole, setWhole] = useState(isWhole);
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
  return (
    <figure className="rounded-md font-normal text-ink border border-dashed border-line-strong px-2.5 py-1 sm:px-3 sm:py-1.5">
      <figcaption className="flex items-baseline justify-between gap-2 text-2xs font-semibold text-faint">
        <span className="tracking-wide uppercase">{AGENT_SAYS}</span>
        {cut && !whole && (
          <button type="button" className="min-h-6 text-accent underline underline-offset-2 sm:hidden" onClick={() => setWhole(true)}>
            show all
          </button>
        )}
      </figcaption>
      <blockquote
        ref={quote}
        className={clsx(
          !isWhole && "sm:max-h-32 sm:overflow-y-auto",
          !whole && "max-sm:line-clamp-3 [@media(max-height:700px)]:max-sm:line-clamp-2",
        )}
      >
        <Shown text={words} {...(isWhole ? {} : { width: 500 })} />
      </blockquote>
    </figure>
  );
}
