// A dialog over the page: in the middle, or as a sheet from a side. The backdrop is our own: the package's would write a style element,
// which the page's policy forbids.

import { clsx } from "clsx";
import X from "lucide-react/icons/x";
import { Dialog } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { IconButton } from "./icon-button.tsx";

export interface SheetProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly side?: "middle" | "left" | "right";
  readonly wide?: boolean;
  readonly children: ReactNode;
}

const places = {
  middle: "inset-x-3 top-[6vh] mx-auto max-h-[88vh] max-w-xl rounded-2xl",
  left: "inset-y-0 left-0 w-[19rem] max-w-[88vw]",
  right: "inset-y-0 right-0 w-[26rem] max-w-full",
};

export function Sheet({ open, onOpenChange, title, side = "middle", wide = false, children }: SheetProps) {
  const opener = useRef<Element | null>(null);
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <div className="fixed inset-0 z-40 bg-shade" aria-hidden="true" />
        <Dialog.Content
          aria-describedby={undefined}
          className={clsx("fixed z-50 flex flex-col border border-line bg-surface shadow-lift", places[side], wide && "max-w-3xl!")}
          onOpenAutoFocus={(event) => {
            // The focus goes to the sheet, not to the first thing in it: nothing is pressed by a key that was meant for elsewhere.
            event.preventDefault();
            opener.current = document.activeElement;
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
          }}
          onCloseAutoFocus={(event) => {
            // Back to what opened it. The package knows only triggers of its own, and would leave the focus nowhere.
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true });
          }}
        >
          <div className="flex items-center gap-3 border-b border-line px-4 py-2.5">
            <Dialog.Title className="grow text-[0.95rem] font-semibold">{title}</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton label="Close" Icon={X} sign={18} />
            </Dialog.Close>
          </div>
          <div className="min-h-0 grow overflow-y-auto">{children}</div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
