// The end of a session, in two presses: it cannot be taken back, and its grants end with it.

import { useState } from "react";
import type { WireSession } from "../../../src/wire/values.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Note } from "../parts/note.tsx";
import { count } from "../words/counts.ts";

/** `quiet`: in a list of many. */
export function EndSession({ session, quiet = false }: { readonly session: WireSession; readonly quiet?: boolean }) {
  const { daemon } = useApp();
  const [sure, setSure] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const grants = session.allowed_read_paths.length;
  const end = async (): Promise<void> => {
    setBusy(true);
    try {
      await daemon.endSession(session.id);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
      setSure(false);
    }
  };
  return (
    <div className="grid gap-1.5">
      {problem !== null && <Note kind="problem">{problem}</Note>}
      {sure ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button size="small" weight="danger" disabled={busy} onClick={() => void end()}>
            {grants === 0 ? "Yes, end it" : `Yes, end it and ${count(grants, "grant")}`}
          </Button>
          <Button size="small" onClick={() => setSure(false)}>
            Keep it
          </Button>
        </div>
      ) : (
        <Button
          size="small"
          weight={quiet ? "ghost" : "outline"}
          className={quiet ? "w-fit pointer-fine:min-h-6 px-0! text-2xs!" : "w-fit"}
          onClick={() => setSure(true)}
        >
          End session
        </Button>
      )}
    </div>
  );
}
