// A unified diff: signs, colours and numbers of lines. Plain text; a long one is folded.

import { clsx } from "clsx";
import { useState } from "react";
import { shownText } from "../words/shown-text.ts";
import { Button } from "./button.tsx";

const FOLDED = 24;

const look = (line: string): string =>
  line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")
    ? "text-faint"
    : line.startsWith("+")
      ? "bg-allow-ground text-allow"
      : line.startsWith("-")
        ? "bg-deny-ground text-deny"
        : "text-soft";

export function DiffView({ diff }: { readonly diff: string }) {
  const [whole, setWhole] = useState(false);
  const lines = diff.replace(/\n$/, "").split("\n");
  const shown = whole ? lines : lines.slice(0, FOLDED);
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <pre tabIndex={0} aria-label="The change, line by line" className="max-h-96 overflow-auto font-mono text-xs leading-5">
        {shown.map((line, index) => (
          <div key={index} className={clsx("min-w-fit px-2 whitespace-pre", look(line))}>
            {shownText(line)}
          </div>
        ))}
      </pre>
      {lines.length > shown.length && (
        <Button weight="ghost" size="small" className="w-full rounded-none!" onClick={() => setWhole(true)}>
          show {lines.length - shown.length} more lines
        </Button>
      )}
    </div>
  );
}
