// The quiet, for components: is it over, and a guard for what is pressed.

import { type KeyboardEvent, type MouseEvent, useRef, useSyncExternalStore } from "react";
import { useApp } from "../app-context.ts";

export function useArmed(): boolean {
  const { quiet } = useApp();
  return useSyncExternalStore(quiet.listen, quiet.isArmed);
}

/** A key that is held down presses once, and not again and again: what comes under the focus meanwhile was not meant. */
export function ignoreHeld(event: KeyboardEvent): void {
  if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
}

export interface PressHandlers {
  readonly onPointerDown: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onClick: (event: MouseEvent) => void;
}

/**
 * Handlers for something that grants. INVARIANT: both ends of the press lie in quiet time, on this very element: a press that began
 * elsewhere, before the card was there, or with a key that was held down, does nothing. A click with neither pointer nor key before it is
 * that of an assistive program, which presses in one go.
 */
export function usePressing(act: () => void): PressHandlers {
  const { quiet } = useApp();
  const began = useRef<boolean | null>(null);
  return {
    onPointerDown: () => {
      began.current = quiet.isArmed();
    },
    onKeyDown: (event) => {
      if (event.key === "Enter" || event.key === " ") began.current = quiet.isArmed() && !event.repeat;
      ignoreHeld(event);
    },
    onClick: (event) => {
      const whole = (began.current ?? event.detail === 0) && quiet.isArmed();
      began.current = null;
      if (whole) act();
    },
  };
}
