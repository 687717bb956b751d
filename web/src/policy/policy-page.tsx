// The policy: what holds, layer by layer, with file and line; a tester that judges a path as it is typed; the operator's own file to
// change, with what is wrong with it and what would change.

import { useCallback, useEffect, useMemo, useState } from "react";
import type { z } from "zod";
import { routes } from "../../../src/wire/http.ts";
import { useApp, useStored } from "../app-context.ts";
import { PageHead } from "../frame/page-head.tsx";
import { fieldClass, Note } from "../parts/note.tsx";
import { show } from "../../../src/core/path/show.ts";
import { Layers } from "./layers.tsx";
import { OperatorFile } from "./operator-file.tsx";
import { Tester } from "./tester.tsx";
import { WouldChange } from "./would-change.tsx";

export type ShownPolicy = z.infer<(typeof routes)["policy"]["answer"]>;

export function PolicyPage({ path }: { readonly path: string }) {
  const { client } = useApp();
  const sessions = useStored(({ sessions }) => sessions);
  const workspaces = useMemo(
    () => [
      ...new Set(
        Object.values(sessions)
          .sort((a, b) => b.at - a.at)
          .map(({ workspace }) => workspace),
      ),
    ],
    [sessions],
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const [policy, setPolicy] = useState<ShownPolicy | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [draft, setDraft] = useState<string | null>(null);
  const workspace = chosen ?? workspaces[0] ?? null;
  const session = useMemo(
    () =>
      Object.values(sessions)
        .sort((a, b) => b.at - a.at)
        .find((one) => one.workspace === workspace)?.id ?? null,
    [sessions, workspace],
  );
  const load = useCallback(async () => {
    try {
      setPolicy(await client.send(routes.policy, { query: workspace === null ? {} : { workspace } }));
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, [client, workspace]);
  useEffect(() => void load(), [load]);
  return (
    <main className="flex min-w-0 grow flex-col">
      <PageHead title="Policy" says="what is allowed, asked about and denied, and who says so">
        {workspaces.length > 1 && (
          <select
            className={`${fieldClass} w-auto! max-w-[45%]`}
            aria-label="Workspace"
            value={workspace ?? ""}
            onChange={({ target }) => setChosen(target.value)}
          >
            {workspaces.map((one) => (
              <option key={one} value={one}>
                {show(one)}
              </option>
            ))}
          </select>
        )}
      </PageHead>
      <div className="min-h-0 grow overflow-y-auto">
        <div className="mx-auto grid max-w-4xl gap-8 px-4 py-5">
          {problem !== null && <Note kind="problem">{problem}</Note>}
          {workspace === null ? (
            <Note>Begin a session to try paths: rules are judged from a workspace.</Note>
          ) : (
            <Tester workspace={workspace} session={session} draft={draft} start={path} />
          )}
          {policy !== null && (
            <>
              <div className="grid grid-cols-1 gap-3">
                <OperatorFile policy={policy} draft={draft} setDraft={setDraft} saved={() => void load()} />
                {draft !== null && workspace !== null && <WouldChange workspace={workspace} session={session} draft={draft} />}
              </div>
              <Layers policy={policy} />
            </>
          )}
        </div>
      </div>
    </main>
  );
}
