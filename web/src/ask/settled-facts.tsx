// An ask that is no longer open: what was said, by whom, when and from where; and the way to take a yes back.

import { useEffect, useState } from "react";
import { personWords } from "../../../src/core/guard/card.ts";
import { explainRevoked, isNetwork } from "../../../src/core/guard/explain.ts";
import { settledWords, tooLateWords } from "../../../src/core/guard/settled-words.ts";
import { routes } from "../../../src/wire/http.ts";
import type { WireAfterRevoke, WireAsk } from "../../../src/wire/values.ts";
import { useApp, useStored } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Note, Problem, RevokedNote } from "../parts/note.tsx";
import { AskedPath, FullPath, Shown } from "../parts/shown.tsx";
import { useWork } from "../parts/use-work.ts";
import { Verdict } from "../parts/verdict.tsx";
import { clockTime, exactTime } from "../words/times.ts";
import { AskFacts } from "./ask-facts.tsx";

const WORDS = { allow: "allowed", refused: "not granted", deny: "denied", reply: "answered", closed: "closed" } as const;

export interface SettledFactsProps {
  readonly ask: WireAsk;
  readonly now: number;
  /** Where a kept grant was written. */
  readonly kept: { readonly file: string; readonly line: number } | null;
  /** Why it could not be kept, where it was to be. */
  readonly notKept: string | null;
  readonly late: boolean;
}

/** The directory that a yes opened. */
const openedDir = ({ answer, proposal, path }: WireAsk): string =>
  (answer?.verdict === "allow" ? answer.opened : undefined) ?? proposal?.dir ?? path ?? "";

export function SettledFacts({ ask, now, kept, notKept, late }: SettledFactsProps) {
  const { client, daemon } = useApp();
  const { problem, during } = useWork();
  /** Set once it was revoked: by what it may be read in spite of that, if it may. */
  const [revoked, setRevoked] = useState<WireAfterRevoke | null>(null);
  const { verdict, headline, by, at } = settledWords(ask);
  const session = useStored(({ sessions }) => sessions[ask.session]);
  const [hasNetwork, setHasNetwork] = useState(isNetwork(ask.path));
  // The network is in no list of the session's: each time that changes, the ask says whether its grant is still there.
  useEffect(() => {
    if (isNetwork(ask.path))
      client.send(routes.ask, { id: ask.id }).then(
        ({ grant }) => setHasNetwork(grant !== null),
        () => {},
      );
  }, [client, session, ask.id, ask.path]);
  const isListed = isNetwork(ask.path) ? hasNetwork : (session?.allowed_read_paths.includes(openedDir(ask)) ?? false);
  const live = ask.grant !== null && isListed && revoked === null;
  const isForSession = ask.answer?.verdict === "allow" && ask.answer.until === "session";
  const mark = verdict === "allow" ? "allow" : verdict === "deny" ? "deny" : "none";
  return (
    <div className="grid gap-1.5 text-sm">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Verdict mark={mark} word={WORDS[verdict]} />
        <span className="font-medium">{headline}</span>
        {by !== null && at !== null && (
          <span className="text-xs text-faint">
            by <Shown text={personWords(by)} /> · <time title={exactTime(at)}>{clockTime(at, now)}</time>
          </span>
        )}
        {live && ask.grant !== null && (
          <Button
            size="small"
            weight="danger"
            className="ml-auto"
            onClick={() => void during(async () => setRevoked(await daemon.revoke(ask.grant ?? "")))}
          >
            Revoke
          </Button>
        )}
        {verdict === "allow" && isForSession && !live && <span className="text-xs text-deny">no longer granted</span>}
      </div>
      <p className="min-w-0 text-soft">
        {isNetwork(ask.path) ? (
          <Shown text={ask.requested[0] ?? ""} width={200} />
        ) : verdict === "allow" && isForSession ? (
          <>
            <FullPath path={openedDir(ask)} /> and all below it
          </>
        ) : (
          (ask.path ?? ask.requested[0]) !== undefined && <AskedPath path={ask.path ?? ask.requested[0] ?? ""} />
        )}
      </p>
      {ask.question !== null && (
        <p className="text-soft">
          <Shown text={ask.question} />
        </p>
      )}
      {ask.answer?.verdict === "reply" && (
        <p>
          <Shown text={ask.answer.text} />
        </p>
      )}
      {ask.answer?.verdict === "deny" && ask.answer.note !== null && (
        <p>
          With the note: <Shown text={ask.answer.note} />
        </p>
      )}
      {ask.answer?.verdict === "allow" && ask.answer.expires !== null && (
        <p className="text-soft">until {clockTime(ask.answer.expires, now)}</p>
      )}
      {late && <Note>{tooLateWords(ask)}</Note>}
      {revoked !== null && <RevokedNote after={explainRevoked(openedDir(ask), revoked)} />}
      {kept !== null && revoked === null && (
        <Note>
          Kept: written to <FullPath path={`${kept.file}:${kept.line}`} />
        </Note>
      )}
      {notKept !== null && <Note kind="problem">Allowed for this session, but not kept: {notKept}</Note>}
      <Problem text={problem} />
      <details className="text-xs text-soft">
        <summary className="w-fit rounded py-0.5 pointer-coarse:py-3.5">What was asked</summary>
        <div className="mt-1">
          <AskFacts ask={ask} now={now} openXray={null} />
        </div>
      </details>
    </div>
  );
}
