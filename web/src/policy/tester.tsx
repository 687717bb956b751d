// Type a path and see the verdict and how it came about. Beside it, while the operator's file is being changed, what the change would do.

import { useEffect, useState } from "react";
import { operationSchema, type WireDecision } from "../../../src/wire/values.ts";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { fieldClass, Note, SectionHeading } from "../parts/note.tsx";
import { Shown } from "../parts/shown.tsx";
import { Verdict } from "../parts/verdict.tsx";

const operations = operationSchema.options;

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
  const [operation, setOperation] = useState<(typeof operations)[number]>("read");
  const [now, setNow] = useState<WireDecision | null>(null);
  const [then, setThen] = useState<WireDecision | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (path === "") {
      setNow(null);
      setThen(null);
      return;
    }
    const given = new AbortController();
    const judge = async (): Promise<void> => {
      const body = { workspace, path, operation, ...(session === null ? {} : { session }) };
      const judged = (text: string | null): Promise<WireDecision> =>
        client.send(routes.tryPolicy, { body: text === null ? body : { ...body, text }, signal: given.signal });
      try {
        // A draft that cannot be read judges nothing; what is wrong with it stands beneath it.
        const [as, would] = await Promise.all([judged(null), draft === null ? null : judged(draft).catch(() => null)]);
        if (given.signal.aborted) return;
        setNow(as);
        setThen(would);
        setProblem(null);
      } catch (error) {
        if (!given.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      }
    };
    const timer = setTimeout(() => void judge(), 120);
    return () => {
      clearTimeout(timer);
      given.abort();
    };
  }, [client, workspace, session, path, operation, draft]);
  return (
    <section aria-label="Tester">
      <SectionHeading>Try a path</SectionHeading>
      <div className="flex flex-wrap gap-2">
        <select
          className={`${fieldClass} w-auto!`}
          aria-label="Operation"
          value={operation}
          onChange={({ target }) => setOperation(operations.find((one) => one === target.value) ?? "read")}
        >
          {operations.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <input
          className={`${fieldClass} min-w-56 flex-1 font-mono`}
          aria-label="Path to try"
          placeholder="a path, absolute or seen from the workspace"
          value={path}
          spellCheck={false}
          onChange={({ target }) => setPath(target.value)}
        />
      </div>
      <div aria-live="polite" className="mt-3 grid gap-3">
        {problem !== null && <Note kind="problem">{problem}</Note>}
        {now !== null && <Judged decision={now} label={draft === null ? null : "As it is"} />}
        {then !== null && now !== null && (
          <>
            <Judged decision={then} label="As your change would make it" />
            {then.verdict === now.verdict && then.reason === now.reason ? (
              <p className="text-sm text-soft">For this path nothing would change.</p>
            ) : (
              <p className="text-sm font-medium text-ask">
                Would change from {now.verdict} ({now.reason}) to {then.verdict} ({then.reason}).
              </p>
            )}
          </>
        )}
      </div>
    </section>
  );
}

const words = { allow: "allow", ask: "ask", deny: "deny" } as const;

function Judged({ decision, label }: { readonly decision: WireDecision; readonly label: string | null }) {
  return (
    <div className="rounded-xl border border-line bg-surface p-4">
      {label !== null && <p className="mb-1 text-2xs font-semibold tracking-wide text-faint uppercase">{label}</p>}
      <p className="flex flex-wrap items-center gap-2">
        <Verdict mark={decision.verdict} word={words[decision.verdict]} />
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
