// The record: what was decided, answered, granted and revoked, newest first; filters, a picture of it over time, and all of it as a file.

import Download from "lucide-react/icons/download";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import type { z } from "zod";
import { show } from "../../../src/core/path/show.ts";
import { messageOf } from "../../../src/core/record.ts";
import { auditKinds } from "../../../src/wire/audit-routes.ts";
import { routes } from "../../../src/wire/http.ts";
import { saveFile } from "../parts/save-file.ts";
import { useApp, useStored } from "../app-context.ts";
import { Page } from "../frame/page.tsx";
import { Button } from "../parts/button.tsx";
import { Field, Select } from "../parts/field.tsx";
import { Empty } from "../parts/note.tsx";
import { lastName } from "../words/counts.ts";
import { RecordRow } from "./record-row.tsx";

const Plot = lazy(() => import("./plot.tsx").then(({ Plot }) => ({ default: Plot })));

type Answer = z.infer<(typeof routes)["audit"]["answer"]>;
export type ShownRecord = Answer["records"][number];

const verdicts = ["allow", "ask", "deny"] as const;
const spans: Readonly<Record<string, number>> = { "the last hour": 3_600_000, today: 86_400_000, "the last week": 604_800_000 };
const PAGE = 200;
/** For a path an answer may have nothing and not be the last: so many are asked for before a person is asked whether to go on. */
const LOOKS = 50;

export function AuditPage() {
  const { client } = useApp();
  const sessions = useStored(({ sessions }) => sessions);
  const [records, setRecords] = useState<readonly ShownRecord[] | null>(null);
  const [next, setNext] = useState<number | null>(null);
  const turn = useRef(0);
  const [session, setSession] = useState("");
  const [kind, setKind] = useState("");
  const [verdict, setVerdict] = useState("");
  const [since, setSince] = useState("");
  const [path, setPath] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const load = useCallback(
    async (before: number | null) => {
      turn.current += 1;
      const mine = turn.current;
      const chosen = verdicts.find((one) => one === verdict);
      const long = spans[since];
      try {
        const query = {
          limit: PAGE,
          ...(path === "" ? {} : { path }),
          ...(session === "" ? {} : { session }),
          ...(kind === "" ? {} : { kind }),
          ...(chosen === undefined ? {} : { verdict: chosen }),
          ...(long === undefined ? {} : { since: Date.now() - long }),
        };
        const found: ShownRecord[] = [];
        let from = before;
        for (let looks = 0; looks === 0 || (from !== null && found.length === 0 && looks < LOOKS); looks += 1) {
          const answer: Answer = await client.send(routes.audit, { query: { ...query, ...(from === null ? {} : { before: from }) } });
          // Somebody typed on: what was looked for is no longer wanted.
          if (mine !== turn.current) return;
          found.push(...answer.records);
          from = answer.next;
        }
        setRecords((old) => (before === null ? found : [...(old ?? []), ...found]));
        setNext(from);
        setProblem(null);
      } catch (error) {
        setProblem(messageOf(error));
      }
    },
    [client, session, kind, verdict, since, path],
  );
  useEffect(() => void load(null), [load]);
  const filtered = [session, kind, verdict, since, path].some((one) => one !== "");
  const save = (): void =>
    void saveFile("hallpass-audit.jsonl", client.lines(routes.exportAudit, {})).catch((error: unknown) => setProblem(messageOf(error)));
  const own = Object.values(sessions)
    .sort((a, b) => b.at - a.at)
    .map(({ id, workspace, label }) => [id, `${show(label ?? lastName(workspace))} · ${id.slice(0, 6)}`] as const);
  const filters = [
    ["Session", session, setSession, "every session", own],
    ["Kind", kind, setKind, "every kind", auditKinds.map(optionNamed)],
    ["Verdict", verdict, setVerdict, "every verdict", verdicts.map(optionNamed)],
    ["Time", since, setSince, "all time", Object.keys(spans).map(optionNamed)],
  ] as const;
  return (
    <Page
      title="Audit"
      says="every decision, who made it and why; never what is in a file"
      aside={
        <Button size="small" onClick={save}>
          <Download size={14} aria-hidden="true" /> Export
        </Button>
      }
      problem={problem}
      className="max-w-5xl gap-4"
    >
      <div className="flex flex-wrap gap-2" role="group" aria-label="Filters">
        {filters.map(([label, value, set, any, options]) => (
          <Select key={label} label={label} value={value} set={set} options={[["", any], ...options]} className="w-auto!" />
        ))}
        <Field
          type="search"
          className="w-auto! grow"
          aria-label="Path"
          placeholder="part of a path"
          value={path}
          spellCheck={false}
          set={setPath}
        />
      </div>
      <div className="min-h-52">
        {records !== null && records.length > 0 && (
          <Suspense fallback={null}>
            <Plot records={records} />
          </Suspense>
        )}
        {records?.length === 0 &&
          (filtered ? (
            <Empty title="No matching records">Try a wider filter.</Empty>
          ) : (
            <Empty title="Nothing recorded">Decisions appear here as soon as an agent touches a file.</Empty>
          ))}
      </div>
      <ol aria-label="Timeline" className="overflow-hidden rounded-xl border border-line bg-surface empty:hidden">
        {(records ?? []).map((record) => (
          <RecordRow key={record.sequence} record={record} />
        ))}
      </ol>
      {next !== null && (
        <Button className="w-fit" onClick={() => void load(next)}>
          Earlier
        </Button>
      )}
    </Page>
  );
}

/** For a list in which each is called by its name. */
const optionNamed = (one: string): readonly [string, string] => [one, one];
