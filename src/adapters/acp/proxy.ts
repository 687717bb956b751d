// A guard between an editor and any agent that speaks the Agent Client Protocol: `editor ⇄ proxy ⇄ agent`. What the agent asks the editor
// for (files, terminals, permissions) is judged here first; what is no message at all goes no further. What the agent does by itself,
// without asking its editor, does not pass here: for that the agent is started confined.

import type { AuditEvent } from "../../core/audit.ts";
import type { Clock, Ids } from "../../core/clock.ts";
import { createGuard } from "../../core/guard/guard.ts";
import type { HostSession } from "../host-session/host-session.ts";
import { createDialogs } from "./dialogs.ts";
import { faulty, type GuardingPorts, judgeAccess, lookAt } from "./guarding.ts";
import { createPlaces } from "./places.ts";
import { type IncomingRequest, type CommandConfiner, handlerOf, type ReadFile } from "./requests.ts";
import { type Fields, type Id, type RpcMessage, readMessage, refusal, textAt } from "./rpc.ts";
import { createTerminals } from "./terminals.ts";
import { callIn, createAnnouncedCalls } from "./announced-calls.ts";

export interface ProxyPorts {
  /** A host session for the agent in this workspace. `session` is the editor's name for it. */
  readonly openHostSession: (workspace: string, session: string) => Promise<HostSession>;
  readonly toEditor: (line: string) => void;
  readonly toAgent: (line: string) => void;
  /** Editors refuse what is not in their project, so what was granted is read here. */
  readonly read: ReadFile;
  readonly confined: CommandConfiner | null;
  /** Our own tools for the agent: an MCP server's entry for a workspace; null to offer none. */
  readonly mcpServer: ((workspace: string) => Fields) | null;
  /** Told of lines of the agent's that went no further. */
  readonly dropped?: (why: string) => void;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly patience: number;
}

export interface Proxy {
  fromEditor(line: string): void;
  fromAgent(line: string): void;
  /** The editor or the agent is gone: what is asked is withdrawn, and nothing more is judged. */
  close(): Promise<void>;
}

interface PendingRequest {
  readonly session: string;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export function createProxy(ports: ProxyPorts): Proxy {
  const { toEditor, toAgent, clock, ids, dropped = () => {} } = ports;
  const decided: AuditEvent[] = [];
  const guard = createGuard({ audit: (event) => decided.push(event), clock, ids });
  const dialogs = createDialogs(toEditor, ids);
  const places = createPlaces(ports);
  const terminals = createTerminals();
  const calls = createAnnouncedCalls();
  /** The agent's requests that are being judged. */
  const pending = new Map<Id, PendingRequest>();
  let closed = false;

  const stopAll = (session: string | null): void => {
    for (const request of pending.values()) if (session === null || request.session === session) request.stop.abort();
  };

  const handlerFor = (method: string, params: Fields): ReturnType<typeof handlerOf> => {
    const session = places.sessionOf(params);
    return handlerOf(method, params, places.of(session) === undefined ? null : session);
  };

  /** A request of the agent's that has to do with files: what becomes of it. */
  const guardRequest = async ({ id, method, params, whole }: Request, stop: AbortSignal): Promise<void> => {
    try {
      const session = places.sessionOf(params);
      const place = places.of(session);
      if (place === undefined)
        return toAgent(JSON.stringify(refusal(id, "wrong-session", "there is no such session, so nothing is in scope")));
      const handler = handlerFor(method, params);
      if (handler === "unknown" || handler === null)
        return toAgent(JSON.stringify(refusal(id, "bad-request", "this method is not known here, so what it opens cannot be judged")));
      const hostSession = await place.hostSession;
      const guarding: GuardingPorts = {
        ...ports,
        hostSession,
        guard,
        decided,
        put: (ask, gone) => dialogs.put(session, hostSession, ask, gone),
      };
      const judge: IncomingRequest["judge"] = (access, reason = null) => judgeAccess(guarding, access, reason, stop);
      const look: IncomingRequest["look"] = (access) => lookAt(guarding, access);
      const { read, confined } = ports;
      const confirm: IncomingRequest["confirm"] = (question) => dialogs.confirm({ session, method }, question, stop);
      const before: IncomingRequest["before"] = (call) => calls.before(session, call);
      const incoming = { id, method, params, hostSession, workspace: place.workspace, judge, look, confirm, before, read, confined };
      const outcome = await handler(incoming);
      if (outcome.to === "agent") return toAgent(JSON.stringify(outcome.message));
      if (!stop.aborted) {
        if (method === "terminal/create") terminals.forwarded(id);
        return toEditor(JSON.stringify({ ...whole, params: outcome.params }));
      }
      toAgent(JSON.stringify(refusal(id, "request-closed", "the call was cancelled")));
    } catch (error) {
      // INVARIANT: a fault refuses.
      const { code, text } = faulty(error);
      toAgent(JSON.stringify(refusal(id, code, text)));
    }
  };

  const begin = (message: Request): void => {
    const { id, params } = message;
    if (pending.has(id)) return toAgent(JSON.stringify(refusal(id, "bad-request", "a request of this id is under way")));
    const stop = new AbortController();
    const done = guardRequest(message, stop.signal).finally(() => pending.delete(id));
    pending.set(id, { session: places.sessionOf(params), stop, done });
  };

  let ending: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    stopAll(null);
    dialogs.close();
    await Promise.allSettled([...pending.values()].map(({ done }) => done));
    await places.close();
  };

  /** On to the editor in our own words: of a message with a key twice, two programs might read two different things. */
  const pass = (whole: Fields): void => toEditor(JSON.stringify(whole));

  const onAgentMessage = (message: RpcMessage): void => {
    switch (message.kind) {
      case "other":
        return dropped("it is not a message of the protocol");
      case "response":
        return dialogs.isOurs(message.id) ? dropped("nobody has asked for it") : pass(places.toEditor(message));
      case "notification": {
        const { method, params } = message;
        if (isOurCall(params)) return dropped("it is about a card of ours");
        if (handlerFor(method, params) !== null) return dropped(`\`${method}\` is not known to only tell something, or must be a request`);
        if (method === "session/update") calls.announce(params);
        const requestId = method === "$/cancel_request" ? params["requestId"] : null;
        const cancelledId = typeof requestId === "string" || typeof requestId === "number" ? requestId : null;
        if (cancelledId !== null && dialogs.isOurs(cancelledId)) return dropped("it would cancel a question of ours");
        const cancelled = cancelledId === null ? undefined : pending.get(cancelledId);
        return cancelled === undefined ? pass(message.whole) : cancelled.stop.abort();
      }
      case "request": {
        const { id, method, params } = message;
        if (dialogs.isOurs(id) || isOurCall(params))
          return toAgent(JSON.stringify(refusal(id, "bad-request", "ids like this are not the agent's")));
        if (!terminals.mayUse(method, params))
          return toAgent(JSON.stringify(refusal(id, "wrong-session", "no such terminal was started through here")));
        return handlerFor(method, params) === null ? pass(message.whole) : begin(message);
      }
    }
  };

  const isOurCall = (params: Fields): boolean => {
    const call = callIn(params);
    return call !== null && dialogs.isOurs(call);
  };

  return {
    fromEditor(line) {
      if (closed) return;
      const message = readMessage(line);
      if (message.kind === "response") {
        if (dialogs.isOurs(message.id)) return dialogs.settle(message.id, message.result);
        terminals.answered(message.id, message.result);
      }
      // A turn that is called off asks nothing more.
      if (message.kind === "notification" && message.method === "session/cancel") stopAll(textAt(message.params, "sessionId") ?? "");
      if (message.kind !== "request") return toAgent(line);
      if (message.method === "session/prompt") dialogs.spoken(textAt(message.params, "sessionId") ?? "");
      toAgent(places.toAgent(line, message));
    },

    fromAgent(line) {
      if (closed) return;
      try {
        onAgentMessage(readMessage(line));
      } catch {
        dropped("it cannot be passed on");
      }
    },

    close() {
      closed = true;
      return (ending ??= end());
    },
  };
}

type Request = Extract<RpcMessage, { kind: "request" }>;
