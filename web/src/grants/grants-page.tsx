// Everything that agents may read besides their workspaces: every grant of every agent, and every rule that keeps one, with what was read
// under each, and Revoke. What a revocation came to is said at the top.

import { useCallback, useEffect, useRef, useState } from "react";
import { messageOf } from "../../../src/core/record.ts";
import { personWords, sessionName } from "../../../src/core/guard/card.ts";
import { explainRevoked, grantName } from "../../../src/core/guard/explain.ts";
import { show } from "../../../src/core/path/show.ts";
import { routes } from "../../../src/wire/http.ts";
import type { WireAfterRevoke, WireGrant, WireKeptRule } from "../../../src/wire/values.ts";
import { useApp, useStored } from "../app-context.ts";
import { Page } from "../frame/page.tsx";
import { Button } from "../parts/button.tsx";
import { Empty, RevokedNote, SectionHeading } from "../parts/note.tsx";
import { FullPath, Shown } from "../parts/shown.tsx";
import { TextLink } from "../parts/text-link.tsx";
import { Granted, GrantRow, Reads } from "../session/grant-row.tsx";
import { groupGrants } from "../state/grouping.ts";
import { clockTime, exactTime } from "../words/times.ts";

interface RevokedPath {
  readonly path: string;
  readonly after: WireAfterRevoke;
}

/** Grants fetched at a time, and at most when something has changed. */
const PAGE = 100;
const MOST = 1000;

export function GrantsPage() {
  const { client, daemon } = useApp();
  const [grants, setGrants] = useState<readonly WireGrant[] | null>(null);
  const [rules, setRules] = useState<readonly WireKeptRule[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [ended, setEnded] = useState<RevokedPath | null>(null);
  // Grants come and go with their sessions' frames.
  const sessions = useStored(({ sessions: known }) => known);
  const fail = useCallback((error: unknown) => setProblem(messageOf(error)), []);
  const limit = useRef(PAGE);
  const load = useCallback(async (): Promise<void> => {
    setGrants(await client.send(routes.listGrants, { query: { limit: limit.current } }));
    setRules(await client.send(routes.listKeptRules, {}));
  }, [client]);
  useEffect(() => void load().catch(fail), [load, sessions, fail]);
  const end = async (path: string, revoke: () => Promise<WireAfterRevoke>): Promise<void> => {
    setProblem(null);
    setEnded({ path, after: await revoke() });
    await load();
  };
  const more = async (after: string): Promise<void> => {
    const page = await client.send(routes.listGrants, { query: { after, limit: PAGE } });
    limit.current = Math.min(MOST, limit.current + PAGE);
    setGrants((old) => [...(old ?? []), ...page]);
  };
  const last = grants !== null && grants.length > 0 && grants.length % PAGE === 0 ? grants.at(-1)?.id : undefined;
  const isEmpty = grants !== null && grants.length === 0 && rules.length === 0;
  return (
    <Page
      title="Grants"
      says="what agents may use besides their workspaces, and what they read"
      problem={problem}
      className="max-w-[50rem] gap-6"
    >
      {ended !== null && <RevokedNote after={explainRevoked(ended.path, ended.after)} />}
      {isEmpty && problem === null && (
        <Empty title="No grants">Agents can read their workspaces, their mounts and what policy rules allow.</Empty>
      )}
      {groupGrants(grants ?? []).map(({ session, grants: held }) => (
        <section key={session.session} role="group" aria-label={show(sessionName(session))}>
          <SectionHeading>
            <Shown text={sessionName(session)} width={40} /> {session.machine !== null && <>on {show(session.machine)} </>}
          </SectionHeading>
          <p className="mb-2 text-xs text-faint">
            works in <FullPath path={session.workspace} /> · until its session ends, or sooner
          </p>
          <ul className="grid grid-cols-1 gap-2">
            {held.map((grant) => (
              <GrantRow key={grant.id} grant={grant} revoke={() => void end(grant.path, () => daemon.revoke(grant.id)).catch(fail)} />
            ))}
          </ul>
        </section>
      ))}
      {last !== undefined && (
        <Button className="w-fit" onClick={() => void more(last).catch(fail)}>
          More grants
        </Button>
      )}
      {rules.length > 0 && (
        <section aria-label="Kept rules">
          <SectionHeading>Kept as rules in your policy</SectionHeading>
          <ul className="grid grid-cols-1 gap-2">
            {rules.map((rule) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                revoke={() => void end(rule.path, () => client.send(routes.revokeKeptRule, { id: rule.id })).catch(fail)}
              />
            ))}
          </ul>
          <p className="mt-2 text-xs text-faint">
            For all rules, see <TextLink href="/policy">Policy</TextLink>.
          </p>
        </section>
      )}
    </Page>
  );
}

function RuleRow({ rule, revoke }: { readonly rule: WireKeptRule; readonly revoke: () => void }) {
  const { client } = useApp();
  const now = Date.now();
  return (
    <li className="rounded-lg border border-line px-3 py-2.5 text-sm">
      <div className="flex items-start gap-2">
        <Granted path={rule.path} />
        <Button size="small" weight="danger" onClick={revoke} aria-label={`Revoke ${grantName(rule.path)}`}>
          Revoke
        </Button>
      </div>
      <p className="mt-1 text-xs text-soft">
        every agent in <FullPath path={rule.workspace} /> ·{" "}
        {rule.kept === null ? (
          "written by hand"
        ) : (
          <>
            kept by <Shown text={personWords(rule.kept.by)} /> · <time title={exactTime(rule.kept.at)}>{clockTime(rule.kept.at, now)}</time>
          </>
        )}{" "}
        · <FullPath path={`${rule.at.file}:${rule.at.line}`} />
      </p>
      <Reads of={rule} isComplete={rule.complete} load={() => client.send(routes.keptRuleReads, { id: rule.id, query: { limit: 100 } })} />
    </li>
  );
}
