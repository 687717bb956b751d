// The policy: what holds, layer by layer, with file and line; a tester that judges a path as it is typed; the operator's own file to
// change, with what is wrong with it and what would change.

import { useMemo, useState } from "react";
import type { z } from "zod";
import { show } from "../../../src/core/path/show.ts";
import { routes } from "../../../src/wire/http.ts";
import { useStored } from "../app-context.ts";
import { Page } from "../frame/page.tsx";
import { Select } from "../parts/field.tsx";
import { Note } from "../parts/note.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { Layers } from "./layers.tsx";
import { OperatorFile } from "./operator-file.tsx";
import { Tester } from "./tester.tsx";
import { WouldChange } from "./would-change.tsx";

export type ShownPolicy = z.infer<(typeof routes)["policy"]["answer"]>;

export function PolicyPage({ path }: { readonly path: string }) {
  const sessions = useStored(({ sessions }) => sessions);
  const newest = useMemo(() => Object.values(sessions).sort((a, b) => b.at - a.at), [sessions]);
  const workspaces = [...new Set(newest.map(({ workspace }) => workspace))];
  const [chosen, setChosen] = useState<string | null>(null);
  const [draft, setDraft] = useState<string | null>(null);
  const [saves, setSaves] = useState(0);
  const workspace = chosen ?? workspaces[0] ?? null;
  const session = newest.find((one) => one.workspace === workspace)?.id ?? null;
  const { answer: policy, problem } = useAnswer(routes.policy, { query: { workspace: workspace ?? undefined } }, saves);
  return (
    <Page
      title="Policy"
      says="what is allowed, asked about and denied, and who says so"
      aside={
        workspaces.length > 1 && (
          <Select
            label="Workspace"
            value={workspace ?? ""}
            set={setChosen}
            options={workspaces.map((one) => [one, show(one)])}
            className="w-auto! max-w-[45%]"
          />
        )
      }
      problem={problem}
      className="max-w-4xl gap-8"
    >
      {workspace === null ? (
        <Note>Start a session to try paths: what the rules do depends on the workspace.</Note>
      ) : (
        <Tester workspace={workspace} session={session} draft={draft} start={path} />
      )}
      {policy !== null && (
        <>
          <div className="grid grid-cols-1 gap-3">
            <OperatorFile policy={policy} draft={draft} setDraft={setDraft} saved={() => setSaves(saves + 1)} />
            {draft !== null && workspace !== null && <WouldChange workspace={workspace} session={session} draft={draft} />}
          </div>
          <Layers policy={policy} />
        </>
      )}
    </Page>
  );
}
