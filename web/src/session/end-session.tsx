// The end of a session, in two presses: it cannot be taken back, and its grants end with it.

import { useState } from "react";
import { routes } from "../../../src/wire/http.ts";
import type { WireSession } from "../../../src/wire/values.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Problem } from "../parts/note.tsx";
import { useWork } from "../parts/use-work.ts";
import { count } from "../words/counts.ts";

/** `quiet`: in a list of many. */
export function EndSession({ session, quiet = false }: { readonly session: WireSession; readonly quiet?: boolean }) {
  const { client, daemon } = useApp();
  const [sure, setSure] = useState(false);
  const { busy, problem, during } = useWork();
  // The network is in no list of directories, so the grants themselves are counted.
  const [grants, setGrants] = useState(0);
  const confirm = (): void => {
    setSure(true);
    client.send(routes.listGrants, { query: { session: session.id, limit: 1000 } }).then(
      (all) => setGrants(all.filter(({ live }) => live).length),
      () => {},
    );
  };
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
          onClick={confirm}
        >
          End session
        </Button>
      )}
    </div>
  );
}
