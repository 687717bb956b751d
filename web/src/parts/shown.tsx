// Text that came from an agent or from the disk, as plain text: escapes and letters outside ASCII are set off, nothing is markup.

import { clsx } from "clsx";
import { Fragment, useState } from "react";
import { show } from "../../../src/core/path/show.ts";
import { shownPieces } from "../words/shown-pieces.ts";

const look = {
  plain: undefined,
  mark: "text-soft",
  cut: "text-soft",
  escape: "rounded-sm bg-deny-ground text-deny px-0.5 font-semibold",
  foreign: "rounded-sm bg-ask-ground text-ask underline decoration-dotted underline-offset-2",
};

export interface ShownProps {
  readonly text: string;
  /** Cut in the middle to so many characters; never for a directory that would be granted. */
  readonly width?: number;
  /** Where it must be broken, break it behind a slash. */
  readonly path?: boolean;
  readonly className?: string;
}

export function Shown({ text, width, path = false, className }: ShownProps) {
  return (
    <span className={clsx("[overflow-wrap:anywhere]", className)} dir="ltr">
      {shownPieces(text, width).map(({ kind, text: piece }, index) =>
        kind === "plain" ? (
          path ? (
            <Breakable key={index} text={piece} />
          ) : (
            piece
          )
        ) : (
          <span key={index} className={look[kind]} title={kind === "foreign" ? "letters outside ASCII: check them closely" : undefined}>
            {piece}
          </span>
        ),
      )}
    </span>
  );
}

/** The same text, with places where a line may end. */
function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?<=\/)/).map((part, index) => (
    <Fragment key={index}>
      {part}
      {part.endsWith("/") && <wbr />}
    </Fragment>
  ));
}

/** A path in full, however long; it wraps and is never cut. */
export function FullPath({ path, className }: { readonly path: string; readonly className?: string }) {
  return (
    <code className={clsx("font-mono text-[0.86em]", className)}>
      <Shown text={path} path />
    </code>
  );
}

/** A path where there is little room: cut in the middle, head and tail stay, the whole of it on hovering. */
export function ShortPath({
  path,
  width = 64,
  className,
}: {
  readonly path: string;
  readonly width?: number;
  readonly className?: string;
}) {
  return (
    <code className={clsx("font-mono text-[0.86em]", className)} title={show(path)}>
      <Shown text={path} width={width} path />
    </code>
  );
}

/** A path an agent wrote, which may be longer than any screen: head and tail, and the whole of it when asked for. */
export function AskedPath({ path }: { readonly path: string }) {
  const [whole, setWhole] = useState(false);
  const printable = show(path);
  if (printable.length <= LONG || whole) return <FullPath path={path} />;
  return (
    <span>
      <ShortPath path={path} width={LONG} />{" "}
      <button type="button" className="text-xs font-medium whitespace-nowrap text-accent underline" onClick={() => setWhole(true)}>
        show all {printable.length} characters
      </button>
    </span>
  );
}

const LONG = 240;
