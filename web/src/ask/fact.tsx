// One fact of a card: its name and what it is.

import { clsx } from "clsx";
import type { ReactNode } from "react";

export interface FactProps {
  readonly kind: string;
  readonly name: string;
  readonly where?: "everywhere" | "phone";
  readonly warns?: boolean;
  /** Must it have been on the screen before anything can be allowed? */
  readonly isNeeded?: boolean;
  /** Does it name itself? Then a phone leaves the name out. */
  readonly isQuote?: boolean;
  readonly children: ReactNode;
}

/** What can wait, on a phone, until the rest has been read. */
const LAST: ReadonlySet<string> = new Set(["holds", "why", "workspace"]);

/** A fact and its name: side by side where there is room, one after the other in the same line on a phone. */
export function Fact({ kind, name, where = "everywhere", warns = false, isNeeded = false, isQuote = false, children }: FactProps) {
  return (
    <div
      data-fact={kind}
      data-needed={isNeeded || undefined}
      className={clsx(
        "sm:grid-cols-[8.5rem_minmax(0,1fr)] sm:gap-x-4",
        where === "phone" ? "sm:hidden" : "sm:grid",
        LAST.has(kind) && "max-sm:order-1",
      )}
    >
      <dt
        className={clsx(
          "text-xs font-medium sm:pt-px sm:text-right",
          warns ? "text-ask" : "text-faint",
          isQuote ? "max-sm:sr-only" : "max-sm:mr-1.5 max-sm:inline max-sm:whitespace-nowrap",
        )}
      >
        {name}
      </dt>
      <dd className="min-w-0 max-sm:inline">{children}</dd>
    </div>
  );
}
