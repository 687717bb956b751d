// A verdict as a mark: colour, shape and word together, so that none of them has to be seen for the other two to be understood.

import { clsx } from "clsx";
import Ban from "lucide-react/icons/ban";
import CircleCheck from "lucide-react/icons/circle-check";
import CircleDashed from "lucide-react/icons/circle-dashed";
import Hand from "lucide-react/icons/hand";

export type Mark = "allow" | "ask" | "deny" | "none";

const marks = {
  allow: { Icon: CircleCheck, className: "bg-allow-ground text-allow" },
  ask: { Icon: Hand, className: "bg-ask-ground text-ask" },
  deny: { Icon: Ban, className: "bg-deny-ground text-deny" },
  none: { Icon: CircleDashed, className: "bg-raised text-soft" },
};

/** The mark of a verdict; of anything else, none. */
export const markOf = (verdict: string): Mark => (verdict === "allow" || verdict === "ask" || verdict === "deny" ? verdict : "none");

export function Verdict({ mark, word }: { readonly mark: Mark; readonly word: string }) {
  const { Icon, className } = marks[mark];
  return (
    <span
      className={clsx(
        "inline-flex shrink-0 items-center gap-1 rounded-full px-2 py-0.5 text-xs font-semibold whitespace-nowrap",
        className,
      )}
    >
      <Icon size={13} aria-hidden="true" />
      {word}
    </span>
  );
}
