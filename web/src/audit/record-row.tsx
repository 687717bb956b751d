// One line of the record.

import { personWords } from "../../../src/core/guard/card.ts";
import { recordWords } from "../../../src/wire/record-words.ts";
import { Shown, ShortPath } from "../parts/shown.tsx";
import { markOf, Verdict } from "../parts/verdict.tsx";
import { exactTime } from "../words/times.ts";
import type { ShownRecord } from "./audit-page.tsx";

export function RecordRow({ record }: { readonly record: ShownRecord }) {
  const { verdict, kind, what, path, why, really } = recordWords(record.event, { time: exactTime, person: personWords });
  const { about } = record;
  const machine = about?.machine ?? null;
  const ask = record.event["ask"];
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-start gap-x-3 border-t border-line px-4 py-2 text-sm first:border-t-0 sm:grid-cols-[10.5rem_8.5rem_minmax(0,1fr)]">
      <time className="pt-0.5 text-xs text-faint tabular-nums max-sm:col-span-2">{exactTime(record.event.at)}</time>
      <span>
        <Verdict mark={markOf(verdict)} word={verdict === "" ? kind : verdict} />
      </span>
      <span className="min-w-0">
        <span className="text-soft">{what} </span>
        {path !== null && <ShortPath path={path} width={110} />}
        {machine !== null && (
          <span className="text-soft">
            {" on "}
            <Shown text={machine} width={30} />
          </span>
        )}
        {about !== null && (
          <span className="block text-xs text-faint">
            <Shown text={about.agent} width={60} />
            {" in "}
            <ShortPath path={about.workspace} width={80} />
          </span>
        )}
        {typeof ask === "string" && (
          <a className="text-xs font-medium text-accent underline" href={`#/asks/${encodeURIComponent(ask)}`}>
            the card
          </a>
        )}
        {why !== "" && (
          <span className="block text-xs text-faint">
            <Shown text={why} />
            {really !== null && (
              <>
                {" · actual location "}
                <ShortPath path={really} width={110} />
              </>
            )}
          </span>
        )}
      </span>
    </li>
  );
}
