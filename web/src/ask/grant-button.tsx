// The only button that grants. It looks and is inert while the quiet lasts, and it can be focused meanwhile, so that nothing jumps.

import { clsx } from "clsx";
import type { ReactNode } from "react";
import { buttonClass } from "../parts/button.tsx";
import { useArmed, usePressing } from "./use-armed.ts";

export interface GrantButtonProps {
  readonly onGrant: () => void;
  readonly busy: boolean;
  readonly main?: boolean;
  readonly children: ReactNode;
}

export function GrantButton({ onGrant, busy, main = false, children }: GrantButtonProps) {
  const armed = useArmed();
  const pressing = usePressing(onGrant);
  return (
    <button
      type="button"
      disabled={busy}
      aria-disabled={!armed}
      data-grants="true"
      title={armed ? undefined : "Ready in a moment: cards cannot be answered by a click that was meant for something else"}
      className={clsx(buttonClass("outline"), main && "border-accent! text-accent! hover:bg-accent-ground")}
      {...pressing}
    >
      {children}
    </button>
  );
}
