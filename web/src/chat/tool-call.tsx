// A tool call: one line with its verdict and reason; its output folded beneath.

import { clsx } from "clsx";
import ChevronRight from "lucide-react/icons/chevron-right";
import { useMemo, useState } from "react";
import type { WireCall } from "../../../src/wire/values.ts";
import { Button } from "../parts/button.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { Shown, ShortPath } from "../parts/shown.tsx";
import { Verdict } from "../parts/verdict.tsx";
import { shownText } from "../words/shown-text.ts";
import { callWords } from "./call-words.ts";
import { MountRefused } from "./mount-refused.tsx";
import { outputWords } from "./output-words.ts";
import { UndoChange } from "./undo-change.tsx";

const SHOWN_OBJECT = 96;
const SHOWN_LINES = 20;
const SHOWN_CHARACTERS = 4000;

export interface ToolCallProps {
  readonly call: WireCall;
  readonly chat: string;
  /** Whose mounts may be changed for it, and in which it may be undone; null where it has ended. */
  readonly session: string | null;
}

export function ToolCall({ call, chat, session }: ToolCallProps) {
  const { verb, object, mark, word, reason, code, diff, mounting } = callWords(call);
  const outcome = call.state.at === "done" ? call.state.outcome : null;
  return (
    <div className="rounded-lg border border-line bg-surface text-sm">
      <details className="group" open={diff !== null && mark === "allow" ? true : undefined}>
        <summary className="flex min-h-9 list-none items-center gap-x-2 gap-y-0.5 rounded-lg px-2.5 py-1 hover:bg-raised [&::-webkit-details-marker]:hidden">
          <ChevronRight size={15} aria-hidden="true" className="shrink-0 text-faint transition-transform group-open:rotate-90" />
          <span className="min-w-0 grow">
            <Shown text={verb} className="font-medium" />{" "}
            {object !== null && <ShortPath path={object} width={SHOWN_OBJECT} className="text-soft" />}
            {(reason !== null || code !== null) && (
              <span className={clsx("block text-xs", mark === "deny" ? "text-deny" : mark === "ask" ? "text-ask" : "text-soft")}>
                {reason !== null && <Shown text={reason} />} {code !== null && <Shown text={code} className="font-mono text-faint" />}
              </span>
            )}
          </span>
          <Verdict mark={mark} word={word} />
        </summary>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line px-3 py-2.5">
          <p className="text-xs text-faint">
            <Shown text={call.name} className="font-mono" />
            {object !== null && object.length > SHOWN_OBJECT && (
              <>
                {" "}
                <Shown text={object} className="font-mono" />
              </>
            )}
          </p>
          {diff !== null && <DiffView diff={diff} coloured />}
          {outcome !== null && <Output output={outcome.ok ? outcome.output : outcome.hint} />}
          {outcome === null && diff === null && <p className="text-xs text-soft">No output yet.</p>}
        </div>
      </details>
      {session !== null && outcome?.ok === true && outcome.undo !== undefined && (
        <UndoChange chat={chat} call={call.id} undo={outcome.undo} />
      )}
      {mounting !== null && session !== null && <MountRefused session={session} chat={chat} {...mounting} />}
    </div>
  );
}

/** Output of a tool: the beginning, and the rest on demand. */
function Output({ output }: { readonly output: string }) {
  const [whole, setWhole] = useState(false);
  const { text, facts } = useMemo(() => outputWords(output), [output]);
  const lines = text.replace(/\n$/, "").split("\n");
  const short = lines.slice(0, SHOWN_LINES).join("\n").slice(0, SHOWN_CHARACTERS);
  const more = short.length < text.replace(/\n$/, "").length;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      {text !== "" && (
        <pre
          tabIndex={0}
          aria-label="Output"
          className="max-h-96 overflow-auto rounded-md bg-raised px-2.5 py-2 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {shownText(whole ? text : short)}
        </pre>
      )}
      {facts.length > 0 && (
        <ul className="flex flex-wrap gap-x-3 text-xs text-faint">
          {facts.map((fact) => (
            <li key={fact}>
              <Shown text={fact} width={160} />
            </li>
          ))}
        </ul>
      )}
      {more && (
        <Button weight="ghost" size="small" className="w-fit" onClick={() => setWhole(!whole)}>
          {whole ? "show less" : `show more (${lines.length} lines)`}
        </Button>
      )}
    </div>
  );
}
