// Type a path and see the verdict and how it came about. Beside it, while the operator's file is being changed, what the change would do.

import { useState } from "react";
import type { z } from "zod";
import { messageOf } from "../../../src/core/record.ts";
import { operationSchema, type WireDecision } from "../../../src/wire/values.ts";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Field, Select } from "../parts/field.tsx";
import { Problem, SectionHeading } from "../parts/note.tsx";
import { Shown } from "../parts/shown.tsx";
import { useDebounced } from "../parts/use-answer.ts";
import { Verdict } from "../parts/verdict.tsx";

const operations = operationSchema.options.map((one) => [one, one] as const);

export interface TesterProps {
  readonly workspace: string;
  readonly session: string | null;
  /** The operator's file as it is being written; null: as it is. */
  readonly draft: string | null;
  readonly start: string;
}

export function Tester({ workspace, session, draft, start }: TesterProps) {
  const { client } = useApp();
  const [path, setPath] = useState(start === "" ? ".env" : start);
  const [operation, setOperation] = useState<z.infer<typeof operationSchema>>("read");
  const [judged, setJudged] = useState<{ readonly now: WireDecision; readonly would: WireDecision | null } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const judge = async (signal: AbortSignal): Promise<void> => {
    if (path === "") return setJudged(null);
    const body = { workspace, path, operation, session: session ?? undefined };
    const judgedBy = (text?: string): Promise<WireDecision> => client.send(routes.tryPolicy, { body: { ...body, text }, signal });
    try {
      // A draft that cannot be read judges nothing; what is wrong with it stands beneath it.
      const [now, would] = await Promise.all([judgedBy(), draft === null ? null : judgedBy(draft).catch(() => null)]);
      if (signal.aborted) return;
      setJudged({ now, would });
      setProblem(null);
    } catch (error) {
      if (!signal.aborted) setProblem(messageOf(error));
    }
  };
  useDebounced(120, judge, [client, workspace, session, path, operation, draft]);
  const { now, would } = judged ?? { now: null, would: null };
  return (
    <section aria-label="Tester">
      <SectionHeading>Try a path</SectionHeading>
      <div className="flex flex-wrap gap-2">
        <Select label="Operation" value={operation} set={setOperation} options={operations} className="w-auto!" />
        <Field
          className="min-w-56 flex-1 font-mono"
          aria-label="Path to try"
          placeholder="a path, absolute or seen from the workspace"
          value={path}
          spellCheck={false}
          set={setPath}
        />
      </div>
      <div aria-live="polite" className="mt-3 grid gap-3">
        <Problem text={problem} />
        {now !== null && <Judged decision={now} label={draft === null ? null : "As it is"} />}
        {would !== null && now !== null && (
          <>
            <Judged decision={would} label="As your change would make it" />
            {would.verdict === now.verdict && would.reason === now.reason ? (
              <p className="text-sm text-soft">For this path nothing would change.</p>
            ) : (
              <p className="text-sm font-medium text-ask">
                Would change from {now.verdict} ({now.reason}) to {would.verdict} ({would.reason}).
              </p>
            )}
          </>
        )}
      </div>
    </section>
  );
}

function Judged({ decision, label }: { readonly decision: WireDecision; readonly label: string | null }) {
  return (
    <div className="rounded-xl border border-line bg-surface p-4">
      {label !== null && <p className="mb-1 text-2xs font-semibold tracking-wide text-faint uppercase">{label}</p>}
      <p className="flex flex-wrap items-center gap-2">
        <Verdict mark={decision.verdict} word={decision.verdict} />
        <code className="font-mono text-xs text-soft">{decision.reason}</code>
      </p>
      <p className="mt-1.5 text-sm font-medium [overflow-wrap:anywhere]">{decision.headline}</p>
      <ol className="mt-2 grid list-decimal gap-0.5 pl-5 text-sm text-soft">
        {decision.lines.map((line, index) => (
          <li key={index} className="[overflow-wrap:anywhere]">
            <Plain line={line} />
          </li>
        ))}
      </ol>
      {decision.notes.map((line, index) => (
        <p key={index} className="mt-2 text-sm text-soft [overflow-wrap:anywhere]">
          <Plain line={line} />
        </p>
      ))}
    </div>
  );
}

/** Lines of an explanation are escaped already; escaping them again would double every backslash. */
function Plain({ line }: { readonly line: string }) {
  return line === line.replaceAll(/[\u0000-\u001f]/g, "") ? line : <Shown text={line} />;
}
