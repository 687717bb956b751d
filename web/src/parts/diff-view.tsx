// A unified diff: signs and colours. Plain text; a long one is folded.

import { lazy, Suspense, useMemo, useState } from "react";
import { shownText } from "../words/shown-text.ts";
import { Button } from "./button.tsx";
import { DiffLines } from "./diff-lines.tsx";

const ColouredDiff = lazy(() => import("./coloured-code.tsx").then(({ ColouredDiff }) => ({ default: ColouredDiff })));

const FOLDED = 24;

/** The name of a file stands in the two lines below these as well. Lines of a file begin with a sign or a space. */
const isContent = (line: string): boolean => !/^(?:Index: .*|=+)$/.test(line);

/** `coloured`: with the colours of the language. Not on a card, on which nothing should change while it is read. */
export function DiffView({ diff, coloured = false }: { readonly diff: string; readonly coloured?: boolean }) {
  const [whole, setWhole] = useState(false);
  const lines = useMemo(() => diff.replace(/\n$/, "").split("\n").filter(isContent).map(shownText), [diff]);
  const visible = useMemo(() => (whole ? lines : lines.slice(0, FOLDED)), [whole, lines]);
  const plain = <DiffLines lines={visible} />;
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <pre tabIndex={0} aria-label="The change, line by line" className="max-h-96 overflow-auto font-mono text-xs leading-5">
        {coloured ? (
          <Suspense fallback={plain}>
            <ColouredDiff lines={visible} />
          </Suspense>
        ) : (
          plain
        )}
      </pre>
      {lines.length > visible.length && (
        <Button weight="ghost" size="small" className="w-full rounded-none!" onClick={() => setWhole(true)}>
          show {lines.length - visible.length} more lines
        </Button>
      )}
    </div>
  );
}
