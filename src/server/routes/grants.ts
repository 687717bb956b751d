// Grants and kept rules: shown with who gave them and what was read under each, ended one by one or all at once, kept for good by a rule.

import { NETWORK } from "../../core/access.ts";
import { defined } from "../../core/defined.ts";
import { compilePolicy } from "../../core/policy/compile.ts";
import { evaluate } from "../../core/policy/evaluate.ts";
import { openRules } from "../../core/policy/open-rules.ts";
import { emptyPolicy } from "../../core/policy/rule.ts";
import { isInside } from "../../core/path/contain.ts";
import { show } from "../../core/path/show.ts";
import { callId, type GrantId, grantId, sessionId } from "../../core/names.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { liveSession } from "../../agent/live-session.ts";
import { isUnspent } from "../../agent/once-grant.ts";
import type { StoredSession } from "../../agent/ports.ts";
import type { WireAfterRevoke, WireAfterRevokeAll } from "../../wire/values.ts";
import { wireGrants } from "../views/grant.ts";
import type { AppPorts } from "../ports.ts";
import { notFound, Refusal } from "../problem.ts";
import { findGrant, findSession } from "./find-rows.ts";
import type { Handlers } from "./handler.ts";
import { forgetRule, keepAndRecord } from "./keep-grant.ts";
import { dirOf, findKeptRule, keptRules, readsBy, wireKeptRules } from "./kept-rules.ts";
import { policyChanged } from "./operator-file.ts";

const LISTED = 200;

type GrantRoute = "listGrants" | "grantReads" | "revoke" | "revokeAll" | "keepGrant" | "listKeptRules" | "keptRuleReads" | "revokeKeptRule";

export function grantRoutes(ports: AppPorts): Pick<Handlers, GrantRoute> {
  const { store, agent, hub } = ports;
  const viewPorts = { ...ports, policy: compilePolicy(emptyPolicy, ports.home) };
  const viewGrant = async (id: GrantId) => {
    const grant = await store.grant(id);
    const [view] = grant === null ? [] : await wireGrants(viewPorts, [grant]);
    if (view === undefined) throw notFound();
    return view;
  };
  /** Take a rule out of the operator's file, and say so in the record. */
  const forget = async (keys: readonly string[], by: string): Promise<void> => {
    const changed = forgetRule(ports, keys);
    if (changed !== null) await store.record([policyChanged({ ...changed, by, at: ports.clock() })]);
  };
  /** Take the rules out that keep this directory for the session's workspace. What keeps it elsewhere is not ours to change. */
  const forgetKept = async (dir: string, { workspace, machine }: StoredSession, by: string): Promise<void> => {
    if (machine !== ports.machine) return;
    for (const rule of keptRules(ports)) if (rule.workspace === workspace && dirOf(rule) === dir) await forget(rule.keys, by);
  };
  return {
    async listGrants({ query: { session, after, limit = LISTED } }) {
      if (session !== undefined) await findSession(ports, session);
      const filter = {
        session: session === undefined ? undefined : sessionId(session),
        after: after === undefined ? undefined : grantId(after),
      };
      return wireGrants(viewPorts, await store.grantPage(defined({ ...filter, limit })));
    },

    async grantReads({ id, query: { limit = LISTED } }) {
      const grant = await findGrant(ports, id);
      const filter = { session: grant.session, kind: "decision", verdict: "allow", grant: grant.id, newestFirst: true, limit } as const;
      return (await store.audit(filter)).flatMap(({ event }) =>
        event.kind === "decision"
          ? [{ path: event.real ?? event.requested, at: event.at, tool: event.tool, operation: event.operation }]
          : [],
      );
    },

    async revoke({ id, by }) {
      const grant = await findGrant(ports, id);
      const session = await findSession(ports, grant.session);
      try {
        // The rule first: were the grant ended alone, the next read would pass by it.
        await forgetKept(grant.path, session, by);
      } finally {
        // INVARIANT: a file that cannot be changed keeps no grant alive.
        await agent.revoke(grant.id, by);
      }
      // Whoever revoked and listens, too, has heard of it when this is answered; else a page could show for a moment what has ended.
      await hub.flushed();
      return { ...(await viewGrant(grant.id)), ...(await afterRevoke(ports, grant.path, session)) };
    },

    async revokeAll({ id, by }) {
      const session = await findSession(ports, id);
      let revoked = 0;
      const grants = await store.grants(session.id);
      try {
        for (const grant of grants) await forgetKept(grant.path, session, by);
      } finally {
        for (const grant of grants) if (await agent.revoke(grant.id, by)) revoked += 1;
        // A yes for once that nobody has used yet is open too.
        const unused = (await store.onceGrants(session.id, null)).filter(isUnspent).map(({ ask }) => ask.id);
        const ended = new Set(await store.endOnceGrants(session.id, ports.clock(), by));
        revoked += unused.filter((ask) => ended.has(ask)).length;
      }
      await hub.flushed();
      return { revoked, ...(await stillOpen(ports, session)) };
    },

    async keepGrant({ id, by }) {
      const grant = await findGrant(ports, id);
      const { workspace, machine } = await findSession(ports, grant.session);
      if (machine !== ports.machine)
        throw new Refusal("files-elsewhere", `the policy that holds there is on the machine \`${show(machine)}\`: keep it there`);
      return keepAndRecord(ports, { grant, workspace }, by);
    },

    listKeptRules: async () => wireKeptRules(store, keptRules(ports)),

    keptRuleReads: async ({ id, query: { limit = LISTED } }) => readsBy(store, findKeptRule(ports, id), limit),

    async revokeKeptRule({ id, by }) {
      const rule = findKeptRule(ports, id);
      const [view] = await wireKeptRules(store, [rule]);
      if (view === undefined) throw notFound();
      await forget(rule.keys, by);
      const dir = dirOf(rule);
      let revoked = 0;
      // What was granted and then kept is shut whole: a grant for the same directory would open it still.
      for (const grant of await store.grants(null)) {
        const session = grant.path === dir ? await store.session(grant.session) : null;
        if (session?.workspace !== rule.workspace || session.machine !== ports.machine) continue;
        if (await agent.revoke(grant.id, by)) revoked += 1;
      }
      await hub.flushed();
      return { ...view, revoked, ...(dir === null ? NOTHING_OPEN : await afterRuleRevoked(ports, dir, rule.workspace)) };
    },
  };
}

const NOTHING_OPEN: WireAfterRevoke = { allowedBy: null, within: null, inside: [], partlyBy: null, unknownOn: null, others: 0 };

/** By what a directory, or some of it, may be read, or the network used, in spite of a revocation: a rule, or another root of its session. */
async function afterRevoke(ports: AppPorts, dir: string, session: StoredSession): Promise<WireAfterRevoke> {
  const roots = dir === NETWORK ? [] : await openRoots(ports, session);
  const within = roots.find((root) => isInside(root, dir)) ?? null;
  const inside = roots.filter((root) => root !== dir && isInside(dir, root));
  const others = await otherHolders(ports, dir, session.id);
  if (session.machine !== ports.machine) return { ...NOTHING_OPEN, within, inside, unknownOn: session.machine, others };
  return { ...rulesAllowing(ports, dir, session.workspace), within, inside, unknownOn: null, others };
}

/** How many sessions, but for this one, have a grant of their own that opens a directory, or the network. */
async function otherHolders({ store, clock }: AppPorts, dir: string, except: StoredSession["id"] | null): Promise<number> {
  const now = clock();
  const holding = (await store.grants(null)).filter(
    ({ session, path, expires }) =>
      session !== except &&
      (path === dir || (dir !== NETWORK && path !== NETWORK && isInside(path, dir))) &&
      (expires === null || expires > now),
  );
  return new Set(holding.map(({ session }) => session)).size;
}

/** The same after a rule was taken out that let every session of a workspace read. */
async function afterRuleRevoked(ports: AppPorts, dir: string, workspace: string): Promise<WireAfterRevoke> {
  const byRule = { ...NOTHING_OPEN, ...rulesAllowing(ports, dir, workspace), others: await otherHolders(ports, dir, null) };
  if (dir === NETWORK) return byRule;
  const sessions = (await ports.store.sessions({ archived: false })).filter(
    (session) => session.workspace === workspace && session.machine === ports.machine,
  );
  const roots = [...new Set((await Promise.all(sessions.map((session) => openRoots(ports, session)))).flat())];
  const inside = roots.filter((root) => root !== dir && isInside(dir, root));
  return { ...byRule, within: roots.find((root) => isInside(root, dir)) ?? null, inside };
}

/** The directories that are open to a session: its workspace, mounts and grants, as its next access is judged. */
async function openRoots(ports: AppPorts, session: StoredSession): Promise<readonly string[]> {
  const { id, workspace, machine, archivedAt } = session;
  if (archivedAt !== null) return [];
  if (machine === ports.machine) {
    const live = await liveSession(ports, session, null);
    const guard = createGuard({ clock: ports.clock });
    // Judged, so that one whose time is over, or in whose place another directory stands, does not count.
    const opened = [live.workspace, ...live.mounts, ...live.grants.flatMap((grant) => (grant.until === "session" ? [grant.root] : []))];
    return opened.flatMap(({ dir }) => {
      const decision = guard.judge({ call: callId("revoke"), tool: "revoke", operation: "list", path: dir }, live);
      if (decision.verdict === "allow") decision.pass.close();
      return decision.root === null ? [] : [decision.root.dir];
    });
  }
  const [mounts, grants] = await Promise.all([ports.store.mounts(id), ports.store.grants(id)]);
  const now = ports.clock();
  return [workspace, ...[...mounts, ...grants.filter(({ expires }) => expires === null || expires > now)].map(({ path }) => path)];
}

/** What a session has besides its workspace when it has no grant. */
async function stillOpen(
  ports: AppPorts,
  { id, workspace, machine, archivedAt }: StoredSession,
): Promise<Omit<WireAfterRevokeAll, "revoked">> {
  if (archivedAt !== null) return { mounts: [], rules: [], network: false, unknownOn: null };
  const mounts = (await ports.store.mounts(id)).map(({ path }) => path);
  if (machine !== ports.machine) return { mounts, rules: [], network: false, unknownOn: machine };
  const policy = ports.policyFor(workspace, []);
  const rules = openRules(policy, ports.home, null).flatMap(({ glob, source }) =>
    source === null ? [] : [{ pattern: glob, file: source.file, line: source.line }],
  );
  return { mounts, rules, network: policy.policy.commands.network === "host", unknownOn: null };
}

/** The rule by which all in a directory may be read from a workspace, and else one by which some of it may. */
function rulesAllowing({ policyFor, home }: AppPorts, dir: string, workspace: string): Pick<WireAfterRevoke, "allowedBy" | "partlyBy"> {
  const policy = policyFor(workspace, []);
  if (dir === NETWORK) {
    const { network, source } = policy.policy.commands;
    return { allowedBy: network === "host" ? placeOf(source) : null, partlyBy: null };
  }
  const place = { root: null, outsideWorkspace: true, outsideScope: true };
  const { strictest } = evaluate(policy, `${dir}/a`, "read", place);
  if (strictest?.verdict === "allow" && strictest.source !== null) return { allowedBy: placeOf(strictest.source), partlyBy: null };
  return { allowedBy: null, partlyBy: placeOf(openRules(policy, home, dir)[0]?.source ?? null) };
}

const placeOf = (source: { readonly file: string; readonly line: number } | null): { file: string; line: number } | null =>
  source === null ? null : { file: source.file, line: source.line };
