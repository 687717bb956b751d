// The frame of a page that is no chat: its head, and what scrolls beneath it.

import { clsx } from "clsx";
import type { ReactNode } from "react";
import { Problem } from "../parts/note.tsx";
import { MenuButton } from "./menu-button.tsx";

interface PageProps {
  readonly title: string;
  readonly says: string;
  /** At the end of the head. */
  readonly aside?: ReactNode;
  readonly busy?: boolean;
  readonly problem?: string | null;
  /** How wide what scrolls is, and how far its parts are from each other. */
  readonly className: string;
  readonly children: ReactNode;
}

export function Page({ title, says, aside, busy = false, problem = null, className, children }: PageProps) {
  return (
    <main className="flex min-w-0 grow flex-col" aria-busy={busy}>
      <PageHead title={title} says={says}>
        {aside}
      </PageHead>
      <div className="min-h-0 grow overflow-y-auto">
        <div className={clsx("mx-auto grid w-full grid-cols-1 px-4 py-5", className)}>
          <Problem text={problem} />
          {children}
        </div>
      </div>
    </main>
  );
}

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
