// A session beside its chat: the workspace, mounts, grants with who gave them and what was read, and the way to take each back.

import ScanEye from "lucide-react/icons/scan-eye";
import { useState } from "react";
import { explainRevoked, explainRevokedAll } from "../../../src/core/guard/explain.ts";
import { messageOf } from "../../../src/core/record.ts";
import { routes } from "../../../src/wire/http.ts";
import type { WireSession } from "../../../src/wire/values.ts";
import { useApp, useStored } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Problem, RevokedNote, SectionHeading } from "../parts/note.tsx";
import { FullPath } from "../parts/shown.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { EndSession } from "./end-session.tsx";
import { GrantRow } from "./grant-row.tsx";
import { Mounts } from "./mounts.tsx";
import { endedWords } from "../words/ended.ts";

/** What is known of a host's commands. */
const shellWords = {
  verified: "commands: verified, each runs in the sandbox",
  unverified: "commands: unverified, only their text is judged",
};

export function SessionPane({ session, openXray }: { readonly session: WireSession; readonly openXray: () => void }) {
  const { client, daemon } = useApp();
  const [problem, setProblem] = useState<string | null>(null);
  const [ended, setEnded] = useState<ReturnType<typeof explainRevoked> | null>(null);
  const messages = useStored(({ conversations }) => Object.values(conversations).reduce((sum, { messages: held }) => sum + held.length, 0));
  const fail = (error: unknown): void => setProblem(messageOf(error));
  // Grants change with the session; what was read under them, with what is said.
  const { answer: grants, problem: unknown } = useAnswer(
    routes.listGrants,
    { query: { session: session.id, limit: 1000 } },
    session,
    messages,
  );
  const revokeAll = async (): Promise<void> => {
    const after = explainRevokedAll(await client.send(routes.revokeAll, { id: session.id }));
    setEnded(after);
    daemon.session(await client.send(routes.session, { id: session.id }));
  };
  const live = (grants ?? []).filter(({ revokedAt, live: still }) => revokedAt === null && still);
  const past = (grants ?? []).filter((grant) => !live.includes(grant));
  return (
    <div className="grid grid-cols-1 gap-6 p-4">
      <Problem text={problem ?? unknown} />
      <section>
        <SectionHeading>Workspace</SectionHeading>
        <p className="text-sm">
          <FullPath path={session.workspace} />
          <span className="block text-xs text-faint">
            {session.archivedAt === null ? (
              <>
                reads and writes here · {session.asking === "by-model" ? "asks: by the agent" : "asks: automatically"}
                {!session.attended && " · nobody is asked"}
                {session.shell !== null && ` · ${shellWords[session.shell]}`}
              </>
            ) : (
              endedWords(session)
            )}
          </span>
        </p>
        <Button size="small" className="mt-2" onClick={openXray}>
          <ScanEye size={15} aria-hidden="true" /> X-ray: what can it see?
        </Button>
      </section>
      <Mounts session={session} fail={fail} />
      <section>
        <SectionHeading
          aside={
            live.length > 0 && (
              <Button size="small" weight="danger" onClick={() => void revokeAll().catch(fail)}>
                Revoke all
              </Button>
            )
          }
        >
          Grants
        </SectionHeading>
        {ended !== null && <RevokedNote after={ended} />}
        {grants !== null && live.length === 0 && (
          <p className="text-sm text-soft">No grants. The agent can read its workspace, its mounts and what policy rules allow.</p>
        )}
        <ul className="grid grid-cols-1 gap-2">
          {live.map((grant) => (
            <GrantRow
              key={grant.id}
              grant={grant}
              revoke={() => void daemon.revoke(grant.id).then((after) => setEnded(explainRevoked(grant.path, after)), fail)}
            />
          ))}
        </ul>
        {past.length > 0 && (
          <details className="mt-3 text-sm">
            <summary className="w-fit rounded text-xs text-soft pointer-coarse:py-3.5">{past.length} ended</summary>
            <ul className="mt-2 grid gap-2">
              {past.map((grant) => (
                <GrantRow key={grant.id} grant={grant} revoke={null} />
              ))}
            </ul>
          </details>
        )}
      </section>
      {session.archivedAt === null && (
        <section>
          <SectionHeading>End</SectionHeading>
          <p className="mb-2 text-sm text-soft">This stops its commands, closes its questions and ends its grants.</p>
          <EndSession session={session} />
        </section>
      )}
    </div>
  );
}
