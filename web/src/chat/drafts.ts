// What was typed and not sent, kept in the browser for each chat, so that a look at another page loses nothing.

const LONGEST = 100_000;
const nameOf = (place: string): string => `hallpass-draft-${place}`;

/** Empty where there is none. A browser that keeps nothing gives none. */
export function readDraft(storage: Storage, place: string): string {
  try {
    return storage.getItem(nameOf(place)) ?? "";
  } catch {
    return "";
  }
}

export function keepDraft(storage: Storage, place: string, text: string): void {
  try {
    if (text === "") storage.removeItem(nameOf(place));
    else storage.setItem(nameOf(place), text.slice(0, LONGEST));
  } catch {
    // Full, or forbidden: then it lives as long as the page.
  }
}

/** A position in the history, newest first. */
export interface Recall {
  /** How far back; -1: at what is being typed. */
  readonly at: number;
  /** What is shown there. */
  readonly text: string;
}

/** One step back (`by` 1) or forward (-1) in the history; null past its end. Forward past the newest is what was typed: `own`. */
export function recall(history: readonly string[], at: number, by: 1 | -1, own: string): Recall | null {
  const next = at + by;
  if (next === -1) return { at: -1, text: own };
  const text = history.at(-1 - next);
  return next < 0 || next >= history.length || text === undefined ? null : { at: next, text };
}
