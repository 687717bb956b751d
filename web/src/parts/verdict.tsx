// A verdict as a mark: colour, shape and word together, so that none of them has to be seen for the other two to be understood.

import { clsx } from "clsx";
import Ban from "lucide-react/icons/ban";
import CircleCheck from "lucide-react/icons/circle-check";
import CircleDashed from "lucide-react/icons/circle-dashed";
import Hand from "lucide-react/icons/hand";

export type Mark = "allow" | "ask" | "deny" | "none";

const marks = {
  allow: { Icon: CircleCheck, className: "bg-allow-ground text-allow", word: "allowed" },
  ask: { Icon: Hand, className: "bg-ask-ground text-ask", word: "asked" },
  deny: { Icon: Ban, className: "bg-deny-ground text-deny", word: "denied" },
  none: { Icon: CircleDashed, className: "bg-raised text-soft", word: "running" },
};

export function Verdict({ mark, word, className }: { readonly mark: Mark; readonly word?: string; readonly className?: string }) {
  const { Icon, className: look, word: usual } = marks[mark];
  return (
    <span
      className={clsx(
        "inline-flex shrink-0 items-center gap-1 rounded-full px-2 py-0.5 text-xs font-semibold whitespace-nowrap",
        look,
        className,
      )}
    >
      <Icon size={13} aria-hidden="true" />
      {word ?? usual}
    </span>
  );
}
