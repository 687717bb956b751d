// A part of a page that scrolls by itself, and says so: while there is more below, the end fades and a button leads there. The button
// lies over the text, so that nothing moves when it comes and goes.

import ArrowDown from "lucide-react/icons/arrow-down";
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from "react";
import { clsx } from "clsx";

export interface ScrollMoreProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Less than this below the edge is not worth a word, in pixels. */
const LITTLE = 8;

export function ScrollMore({ label, className, children }: ScrollMoreProps) {
  const box = useRef<HTMLDivElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState(false);
  const look = useCallback(() => {
    const element = box.current;
    if (element !== null) setMore(element.scrollHeight - element.scrollTop - element.clientHeight > LITTLE);
  }, []);
  useLayoutEffect(() => {
    look();
    const sized = new ResizeObserver(look);
    if (box.current !== null) sized.observe(box.current);
    if (inside.current !== null) sized.observe(inside.current);
    return () => sized.disconnect();
  }, [look]);
  return (
    <div className="relative">
      <div ref={box} role="group" aria-label={label} tabIndex={0} onScroll={look} className={clsx("overflow-y-auto", className)}>
        <div ref={inside}>{children}</div>
      </div>
      {more && (
        <div className="pointer-events-none absolute inset-x-0 bottom-0 flex justify-center rounded-b-xl bg-linear-to-t from-surface from-35% to-transparent pt-6 pb-1">
          <button
            type="button"
            className="pointer-events-auto inline-flex min-h-6 items-center gap-1 rounded-full border border-line-strong bg-surface px-2.5 text-2xs font-semibold text-soft"
            onClick={() => box.current?.scrollBy({ top: box.current.clientHeight * 0.8 })}
          >
            <ArrowDown size={12} aria-hidden="true" /> more below
          </button>
        </div>
      )}
    </div>
  );
}
