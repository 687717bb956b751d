// The lines of a unified diff, with the ground that tells what comes and what goes.

import { clsx } from "clsx";
import type { ReactNode } from "react";

const look = (line: string, isCode: boolean): string =>
  line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")
    ? "text-faint"
    : line.startsWith("+")
      ? clsx("bg-allow-ground", isCode ? "text-ink" : "text-allow")
      : line.startsWith("-")
        ? clsx("bg-deny-ground", isCode ? "text-ink" : "text-deny")
        : "text-soft";

/** `children` gives what stands behind the sign of a line; null where the line is shown as it is. */
export function DiffLines({
  lines,
  children,
}: {
  readonly lines: readonly string[];
  readonly children?: (line: string, at: number) => ReactNode;
}) {
  return lines.map((line, at) => {
    const code = children?.(line, at) ?? null;
    return (
      <div key={at} className={clsx("min-w-fit px-2 whitespace-pre", look(line, code !== null))}>
        {code === null ? line : line.charAt(0)}
        {code}
      </div>
    );
  });
}
