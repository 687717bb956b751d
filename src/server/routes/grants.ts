// Grants: shown with who gave them and what was read under each, ended one by one or all at once, kept for good by a rule.

import { compilePolicy } from "../../core/policy/compile.ts";
import { evaluate } from "../../core/policy/evaluate.ts";
import { emptyPolicy } from "../../core/policy/rule.ts";
import { type GrantId, sessionId } from "../../core/names.ts";
import { type GrantViewPorts, wireGrants } from "../views/grant.ts";
import type { AppPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { foundGrant, foundSession } from "./found.ts";
import type { Handlers } from "./handler.ts";
import { forgetKept, keepForWorkspace, type Keeping } from "./keep-grant.ts";
import { policyChanged } from "./operator-file.ts";

const LISTED = 200;

type Served = "listGrants" | "grantReads" | "revoke" | "revokeAll" | "keepGrant";

export function grantRoutes(ports: AppPorts): Pick<Handlers, Served> {
  const { store, agent, hub } = ports;
  const shown = grantViewPorts(ports);
  const one = async (id: GrantId) => {
    const grant = await store.grant(id);
    const [view] = grant === null ? [] : await wireGrants(shown, [grant]);
    if (view === undefined) throw notFound();
    return view;
  };
  const keeping = async (id: string): Promise<Keeping> => {
    const grant = await foundGrant(ports, id);
    return { grant, workspace: (await foundSession(ports, grant.session)).workspace };
  };
  /** Take the rule out that kept it, and say so in the record. */
  const forget = async (kept: Keeping, by: string): Promise<void> => {
    const changed = forgetKept(ports, kept);
    if (changed !== null) await store.record([policyChanged({ ...changed, by, at: ports.clock() })]);
  };
  return {
    async listGrants({ query: { session } }) {
      if (session !== undefined) await foundSession(ports, session);
      return wireGrants(shown, await store.grants(session === undefined ? null : sessionId(session)));
    },

    async grantReads({ id, query: { limit = LISTED } }) {
      const grant = await foundGrant(ports, id);
      const filter = { session: grant.session, kind: "decision", verdict: "allow", grant: grant.id, newestFirst: true, limit } as const;
      return (await store.audit(filter)).flatMap(({ event }) =>
        // An answer is tried before it is given; nothing is read by that.
        event.kind === "decision" && event.tool !== "answer"
          ? [{ path: event.real ?? event.requested, at: event.at, tool: event.tool, operation: event.operation }]
          : [],
      );
    },

    async revoke({ id, by }) {
      const kept = await keeping(id);
      const { grant } = kept;
      try {
        // The rule first: were the grant ended alone, the next read would pass by it.
        await forget(kept, by);
      } finally {
        // INVARIANT: a file that cannot be changed keeps no grant alive.
        if (await agent.revoke(grant.id, by)) hub.sessionChanged(grant.session);
      }
      // Whoever revoked and listens, too, has heard of it when this is answered; else a page could show for a moment what has ended.
      await hub.said();
      return { ...(await one(grant.id)), allowedBy: allowedBy(ports, kept) };
    },

    async revokeAll({ id, by }) {
      const session = await foundSession(ports, id);
      let revoked = 0;
      const grants = await store.grants(session.id);
      try {
        for (const grant of grants) await forget({ grant, workspace: session.workspace }, by);
      } finally {
        for (const grant of grants) if (await agent.revoke(grant.id, by)) revoked += 1;
        // A yes for once that nobody has used yet is open too. One for a command or an agent is its call's alone, and spent with it.
        const unused = (await store.onceYeses(session.id, null)).filter(({ ask }) => ask.about === undefined).map(({ ask }) => ask.id);
        const ended = new Set(await store.endOnceYeses(session.id, ports.clock(), by));
        revoked += unused.filter((ask) => ended.has(ask)).length;
        if (revoked > 0) hub.sessionChanged(session.id);
      }
      await hub.said();
      return { revoked };
    },

    async keepGrant({ id, by }) {
      const kept = await keeping(id);
      const { file, line, changed } = keepForWorkspace(ports, kept);
      const { path, session, id: grant } = kept.grant;
      const at = ports.clock();
      if (changed !== null)
        await store.record([{ kind: "rule-kept", at, session, grant, path, file, line, by }, policyChanged({ file, ...changed, by, at })]);
      return { file, line };
    },
  };
}

/** The rule by which what was granted may be read in spite of a revocation; null where there is none. */
function allowedBy({ policyFor }: AppPorts, { grant, workspace }: Keeping): { file: string; line: number } | null {
  const place = { root: null, outsideWorkspace: true, outsideScope: true };
  const { strictest } = evaluate(policyFor(workspace, []), `${grant.path}/a`, "read", place);
  if (strictest?.verdict !== "allow" || strictest.source === null) return null;
  const { file, line } = strictest.source;
  return { file, line };
}

export function grantViewPorts({ store, home, clock }: AppPorts): GrantViewPorts {
  return { store, home, clock, policy: compilePolicy(emptyPolicy, home) };
}
