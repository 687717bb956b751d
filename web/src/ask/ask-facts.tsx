// The facts of a card, laid out: every one of them, in their order. What others wrote is escaped and set off, and what a yes opens is
// never shortened.

import ScanEye from "lucide-react/icons/scan-eye";
import type { WireAsk, WireCard } from "../../../src/wire/values.ts";
import { Button } from "../parts/button.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { AskedPath, FullPath, ShortPath, Shown } from "../parts/shown.tsx";
import { lastName } from "../words/counts.ts";
import { clockTime } from "../words/times.ts";
import { AgentWords } from "./agent-words.tsx";
import { Fact } from "./fact.tsx";

type CardFact = WireCard["facts"][number];

export interface AskFactsProps {
  readonly ask: WireAsk;
  readonly now: number;
  /** Null where there is nothing to look into. */
  readonly openXray: (() => void) | null;
}

export function AskFacts({ ask, now, openXray }: AskFactsProps) {
  return (
    <dl className="grid grid-cols-1 gap-y-1 text-sm sm:gap-y-2">
      {ask.card.facts.map((fact, index) => (
        <Fact
          key={index}
          kind={fact.kind}
          name={fact.label}
          warns={fact.weight === "warn"}
          isNeeded={fact.weight !== "may"}
          isQuote={isQuote(fact)}
        >
          <Sentence fact={fact} now={now} />
          {fact.kind === "opens" && openXray !== null && <XrayButton open={openXray} />}
        </Fact>
      ))}
      {ask.diff !== null && (
        <Fact kind="diff" name="Line by line">
          <DiffView diff={ask.diff} />
        </Fact>
      )}
      <Fact kind="workspace" name="It works in" where="phone">
        <FullPath path={ask.workspace} className="text-soft" />
      </Fact>
    </dl>
  );
}

const isQuote = ({ parts }: CardFact): boolean => parts.every(({ kind }) => kind === "words");

function Sentence({ fact, now }: { readonly fact: CardFact; readonly now: number }) {
  const look = fact.weight === "warn" ? "font-medium text-ask" : fact.weight === "may" ? "text-soft" : undefined;
  return (
    <span className={look}>
      {fact.parts.map(({ kind, text }, index) => {
        switch (kind) {
          case "text":
            return <span key={index}>{text}</span>;
          case "name":
            return <Shown key={index} text={text} className="font-medium" />;
          case "path":
            return fact.kind === "who" ? <Workspace key={index} path={text} /> : <AskedPath key={index} path={text} />;
          case "dir":
            return <FullPath key={index} path={text} className="font-semibold text-ink" />;
          case "words":
            return <AgentWords key={index} words={text} whole={fact.weight !== "may"} />;
          case "time":
            return <time key={index}>{clockTime(Number(text), now)}</time>;
        }
      })}
    </span>
  );
}

/** On a phone its last name; the whole of it stands at the end there. */
function Workspace({ path }: { readonly path: string }) {
  return (
    <>
      <FullPath path={path} className="max-sm:hidden" />
      <ShortPath path={lastName(path)} width={24} className="sm:hidden" />
    </>
  );
}

function XrayButton({ open }: { readonly open: () => void }) {
  return (
    <>
      <button
        type="button"
        className="ml-1.5 min-h-6 align-baseline font-medium text-accent underline underline-offset-2 sm:hidden"
        onClick={open}
      >
        X-ray
      </button>
      <Button size="small" className="mt-1.5 block! max-sm:hidden!" onClick={open}>
        <ScanEye size={15} aria-hidden="true" className="inline" /> X-ray: what would it see?
      </Button>
    </>
  );
}
