// Which sessions exist and which workspace each has, learned from the editor's requests and never from the agent alone. Also holds the two
// to the one protocol version that we can read.

import type { HostSession } from "../host-session/host-session.ts";
import { type Fields, type Id, listAt, type RpcMessage, refusal, textAt } from "./rpc.ts";

export interface EditorPlace {
  /** As the editor spells it. */
  readonly workspace: string;
  readonly hostSession: Promise<HostSession>;
}

export interface EditorPlaces {
  of(session: string): EditorPlace | undefined;
  /** The session a message is about. An extension may name none; where there is but one it is meant. */
  sessionOf(params: Fields): string;
  /** A request of the editor's as the agent is to have it: in the version we know, and with our tools. */
  toAgent(line: string, request: Extract<RpcMessage, { kind: "request" }>): string;
  /** A response of the agent's as the editor is to have it. */
  toEditor(response: Extract<RpcMessage, { kind: "response" }>): Fields;
  close(): Promise<void>;
}

export interface PlacesPorts {
  readonly openHostSession: (workspace: string, session: string) => Promise<HostSession>;
  readonly mcpServer: ((workspace: string) => Fields) | null;
}

/** The version of the protocol that is read here. */
const VERSION = 1;
const OPENING: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume", "session/fork"]);

export function createPlaces({ openHostSession, mcpServer }: PlacesPorts): EditorPlaces {
  const places = new Map<string, EditorPlace>();
  /** Requests of the editor's whose answer names a session, and the workspace it is to have. */
  const opening = new Map<Id, string>();
  /** The editor's first words, which say the version that is spoken. */
  const greetings = new Set<Id>();

  const open = (session: string, workspace: string): void => {
    if (places.get(session)?.workspace === workspace) return;
    const hostSession = openHostSession(workspace, session);
    // A host session that cannot be opened refuses at each use; until then nobody listens.
    hostSession.catch(() => {});
    places.set(session, { workspace, hostSession });
  };

  return {
    of: (session) => places.get(session),
    sessionOf: (params) => textAt(params, "sessionId") ?? (places.size === 1 ? ([...places.keys()][0] ?? "") : ""),

    toAgent(line, { id, method, params, whole }) {
      if (method === "initialize") {
        greetings.add(id);
        const version = params["protocolVersion"];
        if (typeof version !== "number" || version <= VERSION) return line;
        return JSON.stringify({ ...whole, params: { ...params, protocolVersion: VERSION } });
      }
      const workspace = OPENING.has(method) ? textAt(params, "cwd") : null;
      if (workspace === null) return line;
      const session = textAt(params, "sessionId");
      // A fork leaves the session it names where it is; the new one's name comes with the answer.
      if (session === null || method === "session/fork") opening.set(id, workspace);
      else open(session, workspace);
      if (mcpServer === null) return line;
      const mcpServers = [...listAt(params, "mcpServers"), mcpServer(workspace)];
      return JSON.stringify({ ...whole, params: { ...params, mcpServers } });
    },

    toEditor({ id, result, whole }) {
      const workspace = opening.get(id);
      opening.delete(id);
      const session = result === null ? null : textAt(result, "sessionId");
      // INVARIANT: an agent's word never moves a session that is there to another workspace.
      if (workspace !== undefined && session !== null && !places.has(session)) open(session, workspace);
      // INVARIANT: only what we can read is spoken. In another version permissions and files look different, and would pass unjudged.
      const isGreeting = greetings.delete(id) && result !== null;
      return isGreeting && result["protocolVersion"] !== VERSION
        ? refusal(id, "bad-request", `only version ${VERSION} of the protocol can be guarded`)
        : whole;
    },

    async close() {
      for (const { hostSession } of places.values()) await hostSession.then((opened) => opened.close()).catch(() => {});
    },
  };
}
