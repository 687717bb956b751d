// The facts of an ask: who, what, where really, what a yes opens and for how long, why it was stopped, the agent's own words.
// INVARIANT: the path as asked, the real path and the directory a yes opens are all three shown; the directory is never shortened.

import ScanEye from "lucide-react/icons/scan-eye";
import type { ReactNode } from "react";
import type { WireAsk } from "../../../src/wire/values.ts";
import { Button } from "../parts/button.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { AskedPath, FullPath, Shown } from "../parts/shown.tsx";
import { count } from "../words/counts.ts";
import { looksUnusual } from "../words/shown-pieces.ts";
import { clockTime, span } from "../words/times.ts";
import { askerWords, reasonWords, rootReason, surveyWords, triedWords } from "./ask-words.ts";

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="pt-px text-xs font-medium text-faint sm:text-right">{name}</dt>
      <dd className="mb-2 min-w-0 sm:mb-0">{children}</dd>
    </>
  );
}

export interface AskFactsProps {
  readonly ask: WireAsk;
  readonly now: number;
  readonly openXray: () => void;
}

export function AskFacts({ ask, now, openXray }: AskFactsProps) {
  const [first] = ask.requested;
  const unusual = [...ask.requested, ask.path ?? "", ask.proposal?.dir ?? ""].some(looksUnusual);
  return (
    <dl className="grid gap-x-4 gap-y-0.5 text-sm sm:grid-cols-[7.5rem_minmax(0,1fr)] sm:gap-y-2">
      <Fact name="Who asks">
        <Asker ask={ask} />
      </Fact>
      <Fact name="As asked">
        <span className="text-soft">{triedWords(ask)} </span>
        {ask.requested.length <= 1 ? (
          first !== undefined && <AskedPath path={first} />
        ) : (
          <ul className="mt-0.5 grid gap-0.5">
            {ask.requested.map((path, index) => (
              <li key={index}>
                <AskedPath path={path} />
              </li>
            ))}
          </ul>
        )}
        <span className="block text-xs text-faint">
          with <Shown text={ask.tool} className="font-mono" />
        </span>
      </Fact>
      {ask.path !== null && (
        <Fact name="Really">
          <AskedPath path={ask.path} />
          {first !== ask.path && <span className="block text-xs text-ask">not the path as it was asked for</span>}
        </Fact>
      )}
      {unusual && (
        <Fact name="Look twice">
          <span className="text-ask">these paths hold unusual characters; they are marked and written out</span>
        </Fact>
      )}
      {ask.proposal !== null && (
        <Fact name="A yes opens">
          <FullPath path={ask.proposal.dir} className="font-semibold" />
          <span className="block text-soft">and all below it, for reading only ({<Shown text={rootReason(ask.proposal.because)} />})</span>
          <ul className="flex flex-wrap gap-x-2 text-soft">
            {surveyWords(ask).map((line, index, all) => (
              <li key={line}>
                {line}
                {index < all.length - 1 && <span className="ml-2 text-faint">·</span>}
              </li>
            ))}
          </ul>
          <Button size="small" className="mt-1.5" onClick={openXray}>
            <ScanEye size={15} aria-hidden="true" /> X-ray: what would it see?
          </Button>
        </Fact>
      )}
      {ask.proposal === null && ask.path !== null && (
        <Fact name="A yes covers">{ask.right === "write" ? "writing" : "reading"} this one path, for this call, once</Fact>
      )}
      <Fact name="How long">
        {ask.proposal === null ? "this call" : "until this session ends, or you revoke it"}
        {ask.expires !== null && <span className="text-soft"> · the question itself is open for {span(ask.expires - now)} more</span>}
      </Fact>
      <Fact name="Why it stopped">
        <span className="text-soft">
          <Shown text={reasonWords(ask)} /> <code className="font-mono text-xs">({ask.reason})</code>
        </span>
      </Fact>
      {ask.diff !== null && (
        <Fact name="The change">
          <DiffView diff={ask.diff} />
        </Fact>
      )}
      <Fact name="Its reason">
        <AgentWords words={ask.words} />
      </Fact>
      {ask.earlier.length > 0 && (
        <Fact name="Before">
          <ul className="text-soft">
            {ask.earlier.slice(0, 3).map(({ verdict, by, at }, index) => (
              <li key={index}>
                {verdict === "allow" ? "allowed" : "denied"} by <Shown text={by} /> at {clockTime(at, now)}
              </li>
            ))}
            {ask.earlier.length > 3 && <li>and {count(ask.earlier.length - 3, "earlier answer")}</li>}
          </ul>
        </Fact>
      )}
    </dl>
  );
}

/** The chain of who asks, outermost first, and where it works. */
export function Asker({ ask }: { readonly ask: WireAsk }) {
  return (
    <>
      {askerWords(ask.asker).map((name, index) => (
        <span key={index}>
          {index > 0 && <span className="text-faint"> › </span>}
          <Shown text={name} className="font-medium" />
        </span>
      ))}
      <span className="text-soft">
        {" "}
        in <FullPath path={ask.workspace} />
      </span>
    </>
  );
}

/** The agent's words: one plain block, labelled, at most 500 characters, in which nothing is markup. */
export function AgentWords({ words }: { readonly words: string | null }) {
  if (words === null) return <span className="text-soft">it gave none</span>;
  return (
    <figure className="rounded-md border border-dashed border-line-strong px-3 py-1.5">
      <figcaption className="text-2xs font-semibold tracking-wide text-faint uppercase">The agent says (unverified)</figcaption>
      <blockquote className="max-h-32 overflow-y-auto">
        <Shown text={words} width={500} />
      </blockquote>
    </figure>
  );
}
