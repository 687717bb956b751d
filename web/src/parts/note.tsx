// Small things every page uses: a notice with a sign, an empty page, a heading of a section, a label with its value.

import { clsx } from "clsx";
import CircleAlert from "lucide-react/icons/circle-alert";
import Info from "lucide-react/icons/info";
import type { ReactNode } from "react";
import type { explainRevoked } from "../../../src/core/guard/explain.ts";
import type { WorkMessage } from "./use-work.ts";

export function Note({ kind = "info", children }: { readonly kind?: "info" | "problem"; readonly children: ReactNode }) {
  const Icon = kind === "problem" ? CircleAlert : Info;
  return (
    <p
      role={kind === "problem" ? "alert" : undefined}
      className={clsx(
        "flex items-start gap-2 rounded-lg px-3 py-2 text-sm",
        kind === "problem" ? "bg-deny-ground text-deny" : "bg-raised text-soft",
      )}
    >
      <Icon size={16} aria-hidden="true" className="mt-0.5 shrink-0" />
      <span className="min-w-0">{children}</span>
    </p>
  );
}

/** What went wrong; nothing where it is null. */
export function Problem({ text }: { readonly text: string | null }) {
  return text === null ? null : <Note kind="problem">{text}</Note>;
}

/** The message of an action; nothing where it is null. */
export function WorkNote({ message }: { readonly message: WorkMessage | null }) {
  return message === null ? null : <Note kind={message.bad ? "problem" : "info"}>{message.text}</Note>;
}

/** What a revocation came to: that it is shut, or by what it may still be read. */
export function RevokedNote({ after: { isShut, text } }: { readonly after: ReturnType<typeof explainRevoked> }) {
  return isShut ? <Note>{text}</Note> : <Note kind="problem">{text}</Note>;
}

export function Empty({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="mx-auto max-w-md px-6 py-16 text-center">
      <h2 className="mb-1.5 text-lg font-semibold">{title}</h2>
      <div className="text-sm text-soft">{children}</div>
    </div>
  );
}

export function SectionHeading({ children, aside }: { readonly children: ReactNode; readonly aside?: ReactNode }) {
  return (
    <div className="mb-2 flex min-h-8 flex-wrap items-center gap-x-2">
      <h2 className="grow text-xs font-semibold tracking-wide text-faint uppercase">{children}</h2>
      {aside}
    </div>
  );
}
