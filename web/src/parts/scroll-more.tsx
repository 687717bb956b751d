// A part of a page that scrolls by itself, and says so: while there is more below, the end fades and a button leads there. The button
// lies over the text, so that nothing moves when it comes and goes.

import ArrowDown from "lucide-react/icons/arrow-down";
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from "react";
import { clsx } from "clsx";
import { fingerClass } from "./button.tsx";

export interface ScrollMoreProps {
  readonly label: string;
  readonly className?: string;
  /** What is in it that a person must have had before their eyes, as a selector. */
  readonly needs?: string;
  /** All of that has been on the screen, down to its end. Told once. */
  readonly onSeen?: () => void;
  readonly children: ReactNode;
}

/** Less than this below the edge is not worth a word, in pixels. */
const LITTLE = 8;

/** So much of the end lies under the button, in pixels. */
const COVERED = 28;

export function ScrollMore({ label, className, needs, onSeen, children }: ScrollMoreProps) {
  const box = useRef<HTMLDivElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState(false);
  const left = useRef<Set<Element> | null>(null);
  const tell = useRef(onSeen);
  tell.current = onSeen;
  const look = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    const isMore = element.scrollHeight - element.scrollTop - element.clientHeight > LITTLE;
    setMore(isMore);
    if (needs === undefined || left.current?.size === 0) return;
    left.current ??= new Set(element.querySelectorAll(needs));
    // A list that measures its items first has not laid them out yet.
    if (element.clientHeight === 0) return;
    const end = element.getBoundingClientRect().bottom - (isMore ? COVERED : 0);
    for (const one of left.current) if (one.getBoundingClientRect().bottom <= end + 1) left.current.delete(one);
    if (left.current.size === 0) tell.current?.();
  }, [needs]);
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
            className={clsx(
              "pointer-events-auto inline-flex min-h-6 items-center gap-1 rounded-full border border-line-strong bg-surface px-2.5 text-2xs font-semibold text-soft",
              fingerClass,
            )}
            onClick={() => box.current?.scrollBy({ top: box.current.clientHeight * 0.8 })}
          >
            <ArrowDown size={12} aria-hidden="true" /> more below
          </button>
        </div>
      )}
    </div>
  );
}
