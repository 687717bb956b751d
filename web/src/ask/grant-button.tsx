// The only things that grant: a button, and an item of a menu. They look and are inert while the quiet lasts, and they can be focused
// meanwhile, so that nothing jumps.

import { clsx } from "clsx";
import { DropdownMenu } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { buttonClass } from "../parts/button.tsx";
import { useArmed, usePressing } from "./use-armed.ts";

/**
 * On a phone the answers are lower than a finger is wide, so that what a yes opens has room; what takes the finger reaches into the gaps
 * between them, and is 44 pixels high.
 */
export const finger = {
  high: "max-sm:relative max-sm:after:absolute max-sm:after:inset-x-0 max-sm:after:-inset-y-[3px] max-sm:after:content-['']",
  low: "max-sm:relative max-sm:after:absolute max-sm:after:inset-x-0 max-sm:after:-top-[4px] max-sm:after:-bottom-[10px] max-sm:after:content-['']",
};

export interface GrantButtonProps {
  readonly onGrant: () => void;
  readonly busy: boolean;
  /** Was what it opens on the screen? Until then it is as inert as while the quiet lasts. */
  readonly seen?: boolean;
  readonly main?: boolean;
  /** Across the whole card, on a phone. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function GrantButton({ onGrant, busy, seen = true, main = false, wide = false, children }: GrantButtonProps) {
  const armed = useArmed() && seen;
  const pressing = usePressing(() => seen && onGrant());
  return (
    <button
      type="button"
      disabled={busy}
      aria-disabled={!armed}
      data-grants="true"
      title={
        armed
          ? undefined
          : seen
            ? "Ready in a moment. A card that has just appeared ignores clicks, since they may have been meant for something else"
            : "Scroll down first to see what a yes opens"
      }
      className={clsx(
        buttonClass("outline"),
        main && "border-accent! text-accent! hover:bg-accent-ground",
        finger.high,
        "max-sm:min-h-10! max-sm:leading-tight max-sm:[overflow-wrap:anywhere] max-sm:whitespace-normal",
        wide && "max-sm:col-span-2",
      )}
      {...pressing}
    >
      {children}
    </button>
  );
}

export interface GrantItemProps {
  readonly onGrant: () => void;
  readonly seen: boolean;
  readonly className: string;
  readonly children: ReactNode;
}

/**
 * An item of a menu that grants. INVARIANT: it is pressed like a button, from beginning to end: a key that is held down since the menu
 * was opened, and a pointer that is only let go over it, grant nothing.
 */
export function GrantItem({ onGrant, seen, className, children }: GrantItemProps) {
  const armed = useArmed() && seen;
  const { onPointerDown, onKeyDown, onClick } = usePressing(() => seen && onGrant());
  const down = useRef(false);
  return (
    <DropdownMenu.Item
      className={clsx(className, !armed && "opacity-60")}
      aria-disabled={!armed}
      data-grants="true"
      onPointerDown={() => {
        down.current = true;
        onPointerDown();
      }}
      onPointerUp={(event) => {
        // A menu takes a pointer that went down elsewhere and is let go here for a click; what grants does not.
        if (!down.current) event.preventDefault();
        down.current = false;
      }}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {children}
    </DropdownMenu.Item>
  );
}
