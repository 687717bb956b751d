// The facts of an ask: who, what, where really, what a yes opens and for how long, why it was stopped, the agent's own words.
// INVARIANT: the path as asked, the real path where it is another, and the directory a yes opens are shown; the directory is never
// shortened. What a person needs to decide comes first, so that it is on the screen of a phone without scrolling.

import ScanEye from "lucide-react/icons/scan-eye";
import type { WireAsk } from "../../../src/wire/values.ts";
import { Button } from "../parts/button.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { AskedPath, FullPath, Shown } from "../parts/shown.tsx";
import { count } from "../words/counts.ts";
import { looksUnusual } from "../words/shown-pieces.ts";
import { clockTime, span } from "../words/times.ts";
import { machineWords, reasonWords, rootReason, surveyWords, triedWords } from "./ask-words.ts";
import { AgentWords, Asker } from "./asker.tsx";
import { Fact } from "./fact.tsx";

export interface AskFactsProps {
  readonly ask: WireAsk;
  readonly now: number;
  readonly openXray: () => void;
}

export function AskFacts({ ask, now, openXray }: AskFactsProps) {
  const [first] = ask.requested;
  const plain = ask.requested.length === 1 && first === ask.path;
  const elsewhere = ask.path !== null && !ask.requested.includes(ask.path);
  const unusual = [...ask.requested, ask.path ?? "", ask.proposal?.dir ?? ""].some(looksUnusual);
  return (
    <dl className="grid grid-cols-1 gap-y-1.5 text-sm sm:gap-y-2">
      <Fact name="Who asks">
        <Asker ask={ask} />
      </Fact>
      <Fact name="As asked" short={sentence(triedWords(ask))}>
        <span className="text-soft max-sm:hidden">{triedWords(ask)} </span>
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
        <span className="block text-xs text-faint max-sm:hidden">
          with <Shown text={ask.tool} className="font-mono" />
          {plain && " · this is its real path"}
        </span>
      </Fact>
      {ask.path !== null && !plain && (
        <Fact name="Really" short={elsewhere ? "But really" : "Really"} warns={elsewhere}>
          <AskedPath path={ask.path} />
          {elsewhere && <span className="block text-xs font-medium text-ask max-sm:hidden">not the path as it was asked for</span>}
        </Fact>
      )}
      {unusual && (
        <Fact name="Look twice">
          <span className="text-ask">these paths hold unusual characters; they are marked and written out</span>
        </Fact>
      )}
      {ask.proposal !== null && <Opens ask={ask} dir={ask.proposal.dir} because={ask.proposal.because} openXray={openXray} />}
      {ask.proposal === null && ask.path !== null && (
        <Fact name="A yes covers">{ask.right === "write" ? "writing" : "reading"} this one path, for this call, once</Fact>
      )}
      <Fact name="How long">
        {ask.proposal === null ? (
          "this call"
        ) : (
          <>
            <span className="sm:hidden">this session; you can revoke it</span>
            <span className="max-sm:hidden">until this session ends, or you revoke it</span>
          </>
        )}
        {ask.expires !== null && <span className="text-soft"> · the question itself is open for {span(ask.expires - now)} more</span>}
      </Fact>
      <Fact name="Its reason" short="">
        <AgentWords words={ask.words} />
      </Fact>
      {ask.diff !== null && (
        <Fact name="The change">
          <DiffView diff={ask.diff} />
        </Fact>
      )}
      {ask.earlier.length > 0 && (
        <Fact name="Before">
          <ul className="inline text-soft sm:block">
            {ask.earlier.slice(0, 3).map(({ verdict, by, at }, index) => (
              <li key={index} className={index === 0 ? "inline sm:list-item sm:list-none" : undefined}>
                {verdict === "allow" ? "allowed" : "denied"} by <Shown text={by} /> at {clockTime(at, now)}
              </li>
            ))}
            {ask.earlier.length > 3 && <li>and {count(ask.earlier.length - 3, "earlier answer")}</li>}
          </ul>
        </Fact>
      )}
      <Fact name="Why it stopped">
        <span className="text-soft">
          <Shown text={reasonWords(ask)} /> <code className="font-mono text-xs">({ask.reason})</code>
        </span>
      </Fact>
      {machineWords(ask) !== null && (
        <Fact name="Files on">
          <Shown text={machineWords(ask) ?? ""} className="text-soft" />
        </Fact>
      )}
      <Fact name="It works in" where="phone">
        <FullPath path={ask.workspace} className="text-soft" />
        <span className="text-soft"> and uses </span>
        <Shown text={ask.tool} className="font-mono text-[0.86em] text-soft" />
      </Fact>
    </dl>
  );
}

interface OpensProps {
  readonly ask: WireAsk;
  readonly dir: string;
  readonly because: string;
  readonly openXray: () => void;
}

/** What a yes opens: the directory in full, why that one, and how much is in it. */
function Opens({ ask, dir, because, openXray }: OpensProps) {
  return (
    <Fact name="A yes opens">
      <FullPath path={dir} className="font-semibold" />
      <span className="text-soft sm:block">
        <span className="sm:hidden"> and below, read only</span>
        <span className="max-sm:hidden"> and all below it, for reading only</span> (<Shown text={rootReason(because)} />)
      </span>
      <ul className="text-soft">
        {surveyWords(ask).map((line, index) => (
          <li key={line} className="inline">
            {index > 0 && <span className="text-faint"> · </span>}
            {line}
          </li>
        ))}
        <li className="inline sm:hidden">
          <span className="text-faint"> · </span>
          <button type="button" className="min-h-6 font-medium text-accent underline underline-offset-2" onClick={openXray}>
            X-ray
          </button>
        </li>
      </ul>
      <Button size="small" className="mt-1.5 max-sm:hidden" onClick={openXray}>
        <ScanEye size={15} aria-hidden="true" /> X-ray: what would it see?
      </Button>
    </Fact>
  );
}

const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
