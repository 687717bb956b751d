// The operator's own policy file: its text, what is wrong with it as it is typed, and saving, which the daemon refuses if the text is
// malformed or the file is no longer what was read.

import { useState } from "react";
import type { z } from "zod";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { fieldClass } from "../parts/field.tsx";
import { Note, SectionHeading, WorkNote } from "../parts/note.tsx";
import { FullPath, Shown } from "../parts/shown.tsx";
import { useDebounced } from "../parts/use-answer.ts";
import { useWork } from "../parts/use-work.ts";
import type { ShownPolicy } from "./policy-page.tsx";

type Finding = z.infer<(typeof routes)["lintPolicy"]["answer"]>["findings"][number];

export interface OperatorFileProps {
  readonly policy: ShownPolicy;
  readonly draft: string | null;
  readonly setDraft: (text: string | null) => void;
  readonly saved: () => void;
}

const FRESH = '{\n  // read and write take a verdict, or patterns with verdicts\n  "read": {},\n  "write": {}\n}\n';

export function OperatorFile({ policy, draft, setDraft, saved }: OperatorFileProps) {
  const { client } = useApp();
  const layer = policy.layers.find(({ author }) => author === "operator");
  const [found, setFound] = useState<readonly Finding[]>([]);
  const { message, say, during } = useWork();
  const text = draft ?? layer?.text ?? "";
  const lint = async (signal: AbortSignal): Promise<void> => {
    if (draft === null) return setFound([]);
    const answer = await client.send(routes.lintPolicy, { body: { text: draft }, signal }).catch(() => null);
    if (answer !== null) setFound(answer.findings);
  };
  useDebounced(200, lint, [client, draft]);
  const findings = draft === null ? policy.findings : found;
  const save = async (): Promise<void> => {
    if (draft === null) return;
    await client.send(routes.savePolicy, { body: { text: draft, before: layer?.text ?? null } });
    say({ text: "Saved; applies to the next access.", bad: false });
    setDraft(null);
    saved();
  };
  const broken = findings.some(({ severity }) => severity === "error");
  return (
    <section aria-label="Your policy file">
      <SectionHeading aside={layer?.file !== undefined && layer.file !== null && <FullPath path={layer.file} className="text-faint" />}>
        Your policy file
      </SectionHeading>
      {draft === null && (layer?.text ?? null) === null ? (
        <Button onClick={() => setDraft(FRESH)}>Create one</Button>
      ) : (
        <div className="grid gap-2.5">
          <textarea
            aria-label="Text of your policy file"
            className={`${fieldClass} field-sizing-content max-h-[28rem] min-h-40 py-2.5 font-mono text-[0.82rem]! leading-5`}
            spellCheck={false}
            value={text}
            onChange={({ target }) => {
              say(null);
              setDraft(target.value === (layer?.text ?? "") ? null : target.value);
            }}
          />
          <div className="flex flex-wrap items-center gap-2">
            <Button weight="solid" disabled={draft === null || broken} onClick={() => void during(save)}>
              Save
            </Button>
            <Button disabled={draft === null} onClick={() => setDraft(null)}>
              Undo changes
            </Button>
            <span className="text-xs text-faint">{draft === null ? "Saved" : "Unsaved changes"}</span>
          </div>
        </div>
      )}
      <div aria-live="polite" className="mt-2.5 grid gap-1.5">
        <WorkNote message={message} />
        {findings.map((finding, index) => (
          <Note key={index} kind={finding.severity === "error" ? "problem" : "info"}>
            {finding.line !== null && (
              <code className="font-mono text-xs">{`line ${finding.line}${finding.column === null ? "" : `:${finding.column}`} `}</code>
            )}
            <Shown text={finding.message} />
          </Note>
        ))}
        {findings.length === 0 && (layer?.text ?? draft) !== null && <p className="text-xs text-faint">No errors or warnings.</p>}
      </div>
    </section>
  );
}
