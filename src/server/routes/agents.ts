// Agents from elsewhere: registered and judged for by the program that runs them, then on their own credential. An agent asks and uses; its session is
// the credential's, whatever else a request says, and another session's asks are not there.

import type { AuditEvent } from "../../core/audit.ts";
import { defined } from "../../core/defined.ts";
import { meanings } from "../../core/guard/explain.ts";
import { askId, type SessionId, sessionId } from "../../core/names.ts";
import { show } from "../../core/path/show.ts";
import { isOnceUse, recordToldUse } from "../../agent/once-grant.ts";
import type { StoredAsk } from "../../agent/ports.ts";
import { digestOf } from "../auth.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import { agentAsk, agentDecision } from "../views/agent-view.ts";
import { wireChat, wireSession } from "../views/views.ts";
import { rowOf, findOpenSession, viewSession } from "./find-rows.ts";
import type { Handlers } from "./handler.ts";
import { agentEvents } from "./agent-events.ts";
import { openRoots } from "./sessions.ts";

type AgentRoute = "register" | "agentState" | "agentSession" | "decide" | "agentAsk" | "agentWait" | "agentCancel" | "agentRecord";

export function agentRoutes(ports: AppPorts): Pick<Handlers, AgentRoute> {
  const { store, agent, hub, clock, ids } = ports;
  const { hosted } = agent;
  const ownAsk = (session: SessionId, id: string): Promise<StoredAsk> => rowOf(hosted.find(session, askId(id)));
  return {
    async register({ body: { host, hostSession, workspace, label, parent, attended, startedBy } }) {
      const parentSession = parent === undefined ? null : await findOpenSession(ports, parent);
      const roots = openRoots(ports, workspace, [], parentSession === null ? [] : [parentSession.workspace]);
      const { dir } = roots.workspace;
      const hostAgent = startedBy === undefined || parentSession !== null ? null : ports.hostAgent(startedBy, dir);
      const names = { host: hostAgent?.host ?? host, hostSession: hostAgent?.hostSession ?? hostSession, workspace: dir };
      const { session, chat } = await hosted.register(defined({ ...names, label, parent: parentSession?.id, attended }));
      // Two ids: twice the bits of one. Only the digest is kept, so it is told here and never again.
      const credential = `hallpass-agent-${ids()}${ids()}`;
      await store.addCredential({ digest: digestOf(credential), session: session.id, at: clock() });
      return { session: await viewSession(ports, session.id), chat: wireChat(chat), credential };
    },

    async agentState({ id, query: { call } }) {
      const { session, mounts, inherited, projects, grants, once } = await hosted.state(
        sessionId(id),
        call === undefined || call === "" ? null : call,
      );
      return {
        session: wireSession(session, mounts, ports),
        inherited: [...inherited],
        projects: [...projects],
        grants: grants.map((grant) => ({ ...grant })),
        once: once.map((one) => ({ ...one })),
      };
    },

    // Which machine has its files is for people.
    agentSession: async ({ caller }) => ({ session: { ...(await viewSession(ports, caller.session)), machine: null, shell: null } }),

    decide: async ({ caller, body }) => agentDecision(await hosted.decide(caller.session, requireCallName(body))),

    async agentAsk({ caller, body: { reason, unconfined, network, writes, content, ...access } }) {
      const hostedAccess = defined({ ...requireCallName(access), isUnconfined: unconfined, needsNetwork: network, writes, content });
      const result = await hosted.ask(caller.session, hostedAccess, reason);
      if (result.state === "waiting") return { state: "waiting", ask: agentAsk(result.ask) };
      const { outcome } = result;
      if (outcome.ok) return { state: "done", ok: true, code: null, text: outcome.output };
      if (outcome.code === "rate-limited") throw new Refusal("rate-limited", `\`${show(access.path)}\` ${meanings["rate-limited"]}`);
      return { state: "done", ok: false, code: outcome.code, text: outcome.hint };
    },

    async agentWait({ id, caller, query: { wait = 0 }, signal }) {
      const ask = await ownAsk(caller.session, id);
      return agentAsk(ask.state !== "open" || wait === 0 ? ask : await rowOf(hub.settled(ask.id, wait * 1000, signal())));
    },

    async agentCancel({ id, caller }) {
      const ask = await ownAsk(caller.session, id);
      await hosted.cancel(caller.session, ask.id);
      return agentAsk(await ownAsk(caller.session, id));
    },

    async agentRecord({ caller, body: { events } }) {
      const { session } = await hosted.state(caller.session, null);
      const own: AuditEvent[] = [];
      for (const event of agentEvents(events, { session: sessionId(session.id), since: session.at, now: clock() })) {
        // What is counted under a grant must be under one of this session's own.
        const grant = event.kind === "decision" && event.grant !== null ? await store.grant(event.grant) : null;
        own.push(event.kind === "decision" && grant?.session !== session.id ? { ...event, grant: null } : event);
      }
      const others = own.filter((event) => !isOnceUse(event));
      if (others.length > 0) await store.record(others);
      for (const use of own.filter(isOnceUse)) await recordToldUse(store, use);
      return { recorded: own.length };
    },
  };
}

/** A call without a name could not be told from another. */
function requireCallName<A extends { readonly call: string }>(access: A): A {
  if (access.call === "") throw new Refusal("bad-request", "`call` must name the call");
  return access;
}
