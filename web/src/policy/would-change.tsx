// What a change of the operator's file would do, told from what agents have lately touched in this workspace: each of those accesses is
// judged by the file as it is and by the file as it is being written, and those whose verdict would be another one are listed.

import { useEffect, useState } from "react";
import type { z } from "zod";
import { routes } from "../../../src/wire/http.ts";
import { operationSchema, type WireDecision } from "../../../src/wire/values.ts";
import { useApp, useStored } from "../app-context.ts";
import { ShortPath } from "../parts/shown.tsx";
import { useDebounced } from "../parts/use-answer.ts";
import { Verdict } from "../parts/verdict.tsx";
import { count } from "../words/counts.ts";

type Operation = z.infer<typeof operationSchema>;
interface Access {
  readonly operation: Operation;
  readonly path: string;
}
interface Change extends Access {
  readonly now: WireDecision;
  readonly would: WireDecision;
}

/** So many different accesses are judged: enough to see what a rule does, few enough to be judged while typing. */
const JUDGED = 20;

export interface WouldChangeProps {
  readonly workspace: string;
  readonly session: string | null;
  readonly draft: string;
}

export function WouldChange({ workspace, session, draft }: WouldChangeProps) {
  const { client } = useApp();
  const sessions = useStored(({ sessions: held }) => held);
  const [accesses, setAccesses] = useState<readonly Access[] | null>(null);
  const [changes, setChanges] = useState<readonly Change[] | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    client.send(routes.audit, { query: { limit: 500, kind: "decision" }, signal: controller.signal }).then(
      ({ records }) => setAccesses(lately(records.filter(({ event }) => sessions[String(event["session"])]?.workspace === workspace))),
      () => setAccesses([]),
    );
    return () => controller.abort();
    // What was touched is looked up when the writing begins, and not with every frame that comes.
  }, [client, workspace]);
  const judge = async (signal: AbortSignal): Promise<void> => {
    const judged = (access: Access, text?: string): Promise<WireDecision> =>
      client.send(routes.tryPolicy, { body: { workspace, ...access, session: session ?? undefined, text }, signal });
    try {
      const pairs = await Promise.all(
        (accesses ?? []).map(async (access) => ({ ...access, now: await judged(access), would: await judged(access, draft) })),
      );
      if (!signal.aborted) setChanges(pairs.filter(({ now, would }) => now.verdict !== would.verdict));
    } catch {
      // A draft that cannot be read judges nothing; what is wrong with it stands beneath it.
      if (!signal.aborted) setChanges(null);
    }
  };
  useDebounced(300, judge, [client, workspace, session, draft, accesses]);
  if (accesses === null || changes === null) return null;
  return (
    <section aria-label="What would change" aria-live="polite" className="rounded-xl border border-line bg-surface px-4 py-3 text-sm">
      <h3 className="font-medium">
        {accesses.length === 0
          ? "What would change: nothing to compare yet, since no agent has used a file in this workspace"
          : `What would change: ${count(changes.length, "verdict")} of the last ${count(accesses.length, "access", "accesses")}`}
      </h3>
      <ul className="mt-1.5 grid gap-1.5 empty:hidden">
        {changes.map(({ operation, path, now, would }) => (
          <li key={`${operation} ${path}`} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <Verdict mark={now.verdict} word={now.verdict} />
            <span className="text-faint">to</span>
            <Verdict mark={would.verdict} word={would.verdict} />
            <span className="min-w-0">
              <span className="text-soft">{operation} </span>
              <ShortPath path={path} width={80} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The last different accesses of a record, by their real paths. */
function lately(records: z.infer<(typeof routes)["audit"]["answer"]>["records"]): readonly Access[] {
  const found = new Map<string, Access>();
  for (const { event } of records) {
    const operation = operationSchema.safeParse(event["operation"]);
    const path = event["real"] ?? event["requested"];
    if (!operation.success || typeof path !== "string" || found.size >= JUDGED) continue;
    found.set(`${operation.data} ${path}`, { operation: operation.data, path });
  }
  return [...found.values()];
}
