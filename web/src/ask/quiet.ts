// Input safety: nothing that grants can be pressed for half a second after something moved under the person's hand. A card that
// appears or changes, a window that comes back to the front, a page that turns: each begins the half second again. Deny is never quiet.

export const QUIET = 500;

export interface QuietPeriod {
  /** Something moved. */
  disturb(): void;
  /** Has it been quiet long enough at this moment? */
  isArmed(): boolean;
  /** Told when it begins again, and when it is over. */
  listen(listener: () => void): () => void;
}

export interface QuietPorts {
  /** Milliseconds that never go backwards. */
  readonly now: () => number;
  readonly setTimeout: (work: () => void, milliseconds: number) => unknown;
}

export function createQuiet({ now, setTimeout }: QuietPorts): QuietPeriod {
  let disturbedAt = now();
  let timing = false;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const wait = (): void => {
    if (timing) return;
    timing = true;
    setTimeout(
      () => {
        timing = false;
        if (now() - disturbedAt < QUIET) wait();
        else tell();
      },
      Math.max(1, disturbedAt + QUIET - now()),
    );
  };
  wait();
  return {
    disturb() {
      disturbedAt = now();
      wait();
      tell();
    },
    isArmed: () => now() - disturbedAt >= QUIET,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Hear of a window that comes back, and of everything that moves what is in it. */
export function watchWindow(quiet: QuietPeriod, window: Window): void {
  // Not in the capture phase: an element that takes the focus within the window is no return of the window.
  window.addEventListener("focus", () => quiet.disturb());
  window.addEventListener("pageshow", () => quiet.disturb());
  window.addEventListener("resize", () => quiet.disturb());
  window.addEventListener("hashchange", () => quiet.disturb());
  window.document.addEventListener("visibilitychange", () => quiet.disturb());
}
