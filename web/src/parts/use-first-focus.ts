// Whoever opens a page may type at once.

import { type RefObject, useEffect } from "react";

/**
 * Focuses a field when it appears, and again when `of` changes. Not on a phone, where the keyboard would cover the page; and nothing is taken
 * from whoever has the focus.
 */
export function useFirstFocus(field: RefObject<HTMLElement | null>, of: unknown = null): void {
  useEffect(() => {
    const active = document.activeElement;
    const isFree = active === null || active === document.body || active instanceof HTMLAnchorElement;
    if (isFree && matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, [field, of]);
}
