// A guard between an editor and any agent that speaks the Agent Client Protocol: `editor ⇄ proxy ⇄ agent`. What the agent asks the editor
// for (files, terminals, permissions) is judged here first; what is no message at all goes no further. What the agent does by itself,
// without asking its editor, does not pass here: for that the agent is started confined.

import type { AuditEvent } from "../../core/audit.ts";
import type { Clock, Ids } from "../../core/clock.ts";
import { createGuard } from "../../core/guard/guard.ts";
import type { Desk } from "../desk/desk.ts";
import { createDialogs } from "./dialogs.ts";
import { faulty, type GuardingPorts, judgeAccess, lookAt } from "./guarding.ts";
import { type Asked, type Confine, handlerOf, type ReadFile } from "./requests.ts";
import { type Fields, type Id, listAt, type Message, readMessage, refusal, textAt } from "./rpc.ts";

export interface ProxyPorts {
  /** A desk for the agent in this workspace. `session` is the editor's name for it. */
  readonly openDesk: (workspace: string, session: string) => Promise<Desk>;
  readonly toEditor: (line: string) => void;
  readonly toAgent: (line: string) => void;
  /** Editors refuse what is not in their project, so what was granted is read here. */
  readonly read: ReadFile;
  readonly confined: Confine | null;
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

interface Under {
  readonly session: string | null;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export function createProxy(ports: ProxyPorts): Proxy {
  const { toEditor, toAgent, clock, ids, dropped = () => {} } = ports;
  const decided: AuditEvent[] = [];
  const guard = createGuard({ audit: (event) => decided.push(event), clock, ids });
  const dialogs = createDialogs(toEditor, ids);
  /** By the editor's session: the workspace, and its desk. */
  const places = new Map<string, { readonly workspace: string; readonly desk: Promise<Desk> }>();
  const opening = new Map<Id, string>();
  /** The agent's requests that are being judged. */
  const under = new Map<Id, Under>();
  let closed = false;

  const open = (session: string, workspace: string): void => {
    if (places.get(session)?.workspace === workspace) return;
    const desk = ports.openDesk(workspace, session);
    // A desk that cannot be opened refuses at each use; until then nobody listens.
    desk.catch(() => {});
    places.set(session, { workspace, desk });
  };
  const stopAll = (session: string | null): void => {
    for (const one of under.values()) if (session === null || one.session === session) one.stop.abort();
  };

  /** A request of the agent's that has to do with files: what becomes of it. */
  const guardRequest = async ({ id, method, params, whole }: Request, stop: AbortSignal): Promise<void> => {
    try {
      const session = textAt(params, "sessionId") ?? "";
      const place = places.get(session);
      if (place === undefined)
        return toAgent(JSON.stringify(refusal(id, "wrong-session", "there is no such session, so nothing is in scope")));
      const handler = handlerOf(method);
      if (handler === "unknown" || handler === null)
        return toAgent(JSON.stringify(refusal(id, "bad-request", "this method is not known here, so what it opens cannot be judged")));
      const desk = await place.desk;
      const guarding: GuardingPorts = { ...ports, desk, guard, decided, put: (ask, gone) => dialogs.put(session, desk, ask, gone) };
      const judge: Asked["judge"] = (access, words = null) => judgeAccess(guarding, access, words, stop);
      const look: Asked["look"] = (access) => lookAt(guarding, access);
      const { read, confined } = ports;
      const done = await handler({ id, params, desk, workspace: place.workspace, judge, look, read, confined });
      if (done.to === "agent") return toAgent(JSON.stringify(done.message));
      if (!stop.aborted) return toEditor(JSON.stringify({ ...whole, params: done.params }));
      toAgent(JSON.stringify(refusal(id, "request-closed", "the call was cancelled")));
    } catch (error) {
      // INVARIANT: a fault refuses.
      const { code, text } = faulty(error);
      toAgent(JSON.stringify(refusal(id, code, text)));
    }
  };

  const begin = (message: Request): void => {
    const { id, params } = message;
    if (under.has(id)) return toAgent(JSON.stringify(refusal(id, "bad-request", "a request of this id is under way")));
    const stop = new AbortController();
    const done = guardRequest(message, stop.signal).finally(() => under.delete(id));
    under.set(id, { session: textAt(params, "sessionId"), stop, done });
  };

  let ending: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    stopAll(null);
    dialogs.close();
    await Promise.allSettled([...under.values()].map(({ done }) => done));
    for (const { desk } of places.values()) await desk.then((one) => one.close()).catch(() => {});
  };

  /** On to the editor in our own words: of a message with a key twice, two programs might read two different things. */
  const pass = (whole: Fields): void => toEditor(JSON.stringify(whole));

  const heardOfAgent = (message: Message): void => {
    switch (message.kind) {
      case "other":
        return dropped("it is no message of the protocol");
      case "response": {
        const workspace = opening.get(message.id);
        opening.delete(message.id);
        const session = message.result === null ? null : textAt(message.result, "sessionId");
        // INVARIANT: an agent's word never moves a session that is there to another workspace.
        if (workspace !== undefined && session !== null && !places.has(session)) open(session, workspace);
        return pass(message.whole);
      }
      case "notification": {
        if (handlerOf(message.method) !== null) return dropped(`\`${message.method}\` must be a request`);
        const taken = message.method === "$/cancel_request" ? message.params["requestId"] : null;
        const one = typeof taken === "string" || typeof taken === "number" ? under.get(taken) : undefined;
        return one === undefined ? pass(message.whole) : one.stop.abort();
      }
      case "request":
        if (dialogs.isOurs(message.id))
          return toAgent(JSON.stringify(refusal(message.id, "bad-request", "ids like this are not the agent's")));
        return handlerOf(message.method) === null ? pass(message.whole) : begin(message);
    }
  };

  return {
    fromEditor(line) {
      if (closed) return;
      const message = readMessage(line);
      if (message.kind === "response" && dialogs.isOurs(message.id)) return dialogs.heard(message.id, message.result);
      // A turn that is called off asks nothing more.
      if (message.kind === "notification" && message.method === "session/cancel") stopAll(textAt(message.params, "sessionId") ?? "");
      if (message.kind !== "request" || !OPENING.has(message.method)) return toAgent(line);
      const workspace = textAt(message.params, "cwd");
      const session = textAt(message.params, "sessionId");
      if (workspace === null) return toAgent(line);
      if (session === null) opening.set(message.id, workspace);
      else open(session, workspace);
      if (ports.mcpServer === null) return toAgent(line);
      const mcpServers = [...listAt(message.params, "mcpServers"), ports.mcpServer(workspace)];
      toAgent(JSON.stringify({ ...message.whole, params: { ...message.params, mcpServers } }));
    },

    fromAgent(line) {
      if (closed) return;
      try {
        heardOfAgent(readMessage(line));
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

type Request = Extract<Message, { kind: "request" }>;

const OPENING: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume"]);
