// The second step before something that grants more: what it means in full, a way back, and the button that does it.

import type { ReactNode } from "react";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { GrantButton } from "./grant-button.tsx";

export interface ConfirmSheetProps {
  readonly open: boolean;
  readonly title: string;
  /** What the button says. */
  readonly label: string;
  readonly busy: boolean;
  readonly seen: boolean;
  readonly close: () => void;
  readonly grant: () => void;
  readonly children: ReactNode;
}

export function ConfirmSheet({ open, title, label, busy, seen, close, grant, children }: ConfirmSheetProps) {
  const { quiet } = useApp();
  return (
    <Sheet
      open={open}
      onOpenChange={() => {
        quiet.disturb();
        close();
      }}
      title={title}
    >
      <div className="grid gap-3 p-4 text-sm">
        {children}
        <div className="flex flex-wrap gap-2">
          <Button disabled={busy} onClick={close}>
            Back
          </Button>
          <GrantButton
            busy={busy}
            seen={seen}
            main
            onGrant={() => {
              close();
              grant();
            }}
          >
            {label}
          </GrantButton>
        </div>
      </div>
    </Sheet>
  );
}
