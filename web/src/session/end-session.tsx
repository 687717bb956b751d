// The end of a session, in two presses: it cannot be taken back, and its grants end with it.

import { useState } from "react";
import type { WireSession } from "../../../src/wire/values.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Problem } from "../parts/note.tsx";
import { useWork } from "../parts/use-work.ts";
import { count } from "../words/counts.ts";

/** `quiet`: in a list of many. */
export function EndSession({ session, quiet = false }: { readonly session: WireSession; readonly quiet?: boolean }) {
  const { daemon } = useApp();
  const [sure, setSure] = useState(false);
  const { busy, problem, during } = useWork();
  const grants = session.allowed_read_paths.length;
  const end = (): void => void during(() => daemon.endSession(session.id)).finally(() => setSure(false));
  return (
    <div className="grid gap-1.5">
      <Problem text={problem} />
      {sure ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button size="small" weight="danger" disabled={busy} onClick={end}>
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
