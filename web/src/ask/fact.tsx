// One fact of a card: its name and what it is.

import { clsx } from "clsx";
import type { ReactNode } from "react";

export interface FactProps {
  readonly name: string;
  /** Its name on a phone, where that is another; empty: what follows says it itself. */
  readonly short?: string;
  readonly where?: "everywhere" | "phone";
  readonly warns?: boolean;
  readonly children: ReactNode;
}

/** A fact and its name: side by side where there is room, one after the other in the same line on a phone. */
export function Fact({ name, short = name, where = "everywhere", warns = false, children }: FactProps) {
  return (
    <div data-fact={name} className={clsx("sm:grid-cols-[7.5rem_minmax(0,1fr)] sm:gap-x-4", where === "phone" ? "sm:hidden" : "sm:grid")}>
      <dt
        className={clsx(
          "text-xs font-medium text-faint sm:pt-px sm:text-right",
          short === "" ? "max-sm:sr-only" : "max-sm:mr-1.5 max-sm:inline max-sm:whitespace-nowrap",
        )}
      >
        {short === name || short === "" ? (
          name
        ) : (
          <>
            <span className={clsx("sm:hidden", warns && "text-ask")}>{short}</span>
            <span className="max-sm:hidden">{name}</span>
          </>
        )}
      </dt>
      <dd className="min-w-0 max-sm:inline">{children}</dd>
    </div>
  );
}
