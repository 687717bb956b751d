// The head of a page that is no chat.

import type { ReactNode } from "react";
import { MenuButton } from "./menu-button.tsx";

export function PageHead({ title, says, children }: { readonly title: string; readonly says: string; readonly children?: ReactNode }) {
  return (
    <header className="flex min-h-14 items-center gap-3 border-b border-line bg-surface px-3 sm:px-4">
      <MenuButton />
      <div className="min-w-0 grow">
        <h1 className="text-[0.95rem] leading-5 font-semibold">{title}</h1>
        <p className="truncate text-xs text-faint">{says}</p>
      </div>
      {children}
    </header>
  );
}
