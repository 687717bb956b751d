// A guard between an editor and any agent that speaks the Agent Client Protocol: `editor ⇄ proxy ⇄ agent`. What the agent asks the editor
// for (files, terminals, permissions) is judged here first; everything else goes through untouched. What the agent does by itself, without
// asking its editor, does not pass here: for that the agent is started confined.

import type { Operation } from "../../core/access.ts";
import type { AuditEvent } from "../../core/audit.ts";
import type { Clock, Ids } from "../../core/clock.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { show } from "../../core/path/show.ts";
import type { Desk } from "../desk/desk.ts";
import { type GuardingPorts, type Judged, judgeAccess } from "./guarding.ts";
import { answerOf, permissionRequest } from "./permission.ts";
import { answer, type Fields, fieldsOf, type Id, listAt, type Message, readMessage, refusal, textAt } from "./rpc.ts";

export interface ProxyPorts {
  /** A desk for the agent in this workspace. `session` is the editor's name for it. */
  readonly openDesk: (workspace: string, session: string) => Promise<Desk>;
  readonly toEditor: (line: string) => void;
  readonly toAgent: (line: string) => void;
  /** A file in a granted or mounted directory, read through the guard; editors refuse what is not in their project. */
  readonly read: (desk: Desk, params: { path: string; line: number | null; limit: number | null }) => Promise<string>;
  /** A command as it runs confined to the workspace; null where nothing here can confine it. */
  readonly confined: ((workspace: string, cwd: string, command: readonly string[]) => readonly string[]) | null;
  /** Our own tools for the agent: an MCP server's entry for a workspace; null to offer none. */
  readonly mcpServer: ((workspace: string) => Fields) | null;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly patience: number;
}

export interface Proxy {
  fromEditor(line: string): void;
  fromAgent(line: string): void;
  close(): Promise<void>;
}

/** Requests of ours to the editor: their answers are not the agent's. */
const OURS = "hallpass-";

export function createProxy(ports: ProxyPorts): Proxy {
  const { toEditor, toAgent, clock, ids } = ports;
  const decided: AuditEvent[] = [];
  const guard = createGuard({ audit: (event) => decided.push(event), clock, ids });
  /** By the editor's session: the workspace, and the desk once it stands. */
  const desks = new Map<string, Promise<Desk>>();
  const workspaces = new Map<string, string>();
  const opening = new Map<Id, string>();
  const waiting = new Map<string, (result: Fields | null) => void>();
  const open = (session: string, workspace: string): void => {
    workspaces.set(session, workspace);
    const desk = ports.openDesk(workspace, session);
    // A desk that cannot be opened refuses at each use; until then nobody listens.
    desk.catch(() => {});
    desks.set(session, desk);
  };

  /** Ask the editor something of our own. Null where it refused, or when `gone`. */
  const request = (method: string, params: Fields, gone: AbortSignal): Promise<Fields | null> =>
    new Promise((resolve) => {
      const id = `${OURS}${ids()}`;
      const settle = (result: Fields | null): void => {
        waiting.delete(id);
        gone.removeEventListener("abort", abort);
        resolve(result);
      };
      const abort = (): void => {
        toEditor(JSON.stringify({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: id } }));
        settle(null);
      };
      waiting.set(id, settle);
      gone.addEventListener("abort", abort, { once: true });
      toEditor(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });

  const guarding = (session: string, desk: Desk): GuardingPorts => ({
    ...ports,
    desk,
    guard,
    decided,
    async put(ask, gone) {
      const said = await request("session/request_permission", { ...permissionRequest(session, ask) }, gone);
      const outcome = said === null ? null : fieldsOf(said["outcome"]);
      if (outcome === null || gone.aborted) return;
      const word = textAt(outcome, "outcome");
      if (word === "cancelled") {
        await desk.cancel(ask.id);
        return;
      }
      const chosen = answerOf(ask, { outcome: "selected", optionId: word === "selected" ? (textAt(outcome, "optionId") ?? "") : "" });
      if (chosen !== null) await desk.answer(ask.id, chosen);
    },
  });

  const deskOf = async (params: Fields): Promise<{ readonly desk: Desk; readonly session: string } | null> => {
    const session = textAt(params, "sessionId");
    const desk = session === null ? undefined : desks.get(session);
    return session === null || desk === undefined ? null : { desk: await desk, session };
  };

  /** A request of the agent's that has to do with files: what becomes of it. */
  const guardRequest = async (message: Extract<Message, { kind: "request" }>, judgeIt: Handler): Promise<void> => {
    const { id, params } = message;
    try {
      const at = await deskOf(params);
      if (at === null) return toAgent(JSON.stringify(refusal(id, "wrong-session", "there is no such session, so nothing is in scope")));
      const workspace = workspaces.get(at.session) ?? "";
      const judge = (tool: string, operation: Operation, path: string, words: string | null = null): Promise<Judged> =>
        judgeAccess(guarding(at.session, at.desk), tool, operation, path, words);
      const done = await judgeIt({ params, id, desk: at.desk, workspace, judge, ports });
      if (done.to === "editor") toEditor(JSON.stringify({ ...message.whole, params: done.params }));
      else toAgent(JSON.stringify(done.message));
    } catch {
      // INVARIANT: a fault refuses.
      toAgent(JSON.stringify(refusal(id, "guard-fault", "it could not be judged, and what cannot be judged is denied")));
    }
  };

  return {
    fromEditor(line) {
      const message = readMessage(line);
      if (message.kind === "response" && typeof message.id === "string" && message.id.startsWith(OURS)) {
        waiting.get(message.id)?.(message.result);
        return;
      }
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
      const message = readMessage(line);
      if (message.kind === "response") {
        const workspace = opening.get(message.id);
        opening.delete(message.id);
        const session = message.result === null ? null : textAt(message.result, "sessionId");
        if (workspace !== undefined && session !== null) open(session, workspace);
        return toEditor(line);
      }
      const handler = message.kind === "request" && Object.hasOwn(handlers, message.method) ? handlers[message.method] : undefined;
      if (message.kind !== "request" || handler === undefined) return toEditor(line);
      void guardRequest(message, handler);
    },

    async close() {
      for (const settle of waiting.values()) settle(null);
      for (const desk of desks.values()) await desk.then((one) => one.close()).catch(() => {});
    },
  };
}

const OPENING: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume"]);

interface Asked {
  readonly id: Id;
  readonly params: Fields;
  readonly desk: Desk;
  readonly workspace: string;
  readonly judge: (tool: string, operation: Operation, path: string, words?: string | null) => Promise<Judged>;
  readonly ports: ProxyPorts;
}
type Done = { readonly to: "editor"; readonly params: Fields } | { readonly to: "agent"; readonly message: Fields };
type Handler = (asked: Asked) => Promise<Done>;

const toAgentSay = (message: Fields): Done => ({ to: "agent", message });
const refuse = (id: Id, { code, text }: Judged): Done => toAgentSay(refusal(id, code, text));

const handlers: Readonly<Record<string, Handler>> = {
  async "fs/read_text_file"({ id, params, desk, judge, ports }) {
    const path = textAt(params, "path") ?? "";
    const judged = await judge("fs/read_text_file", "read", path);
    if (judged.verdict === "deny") return refuse(id, judged);
    // In the workspace the editor knows better: it has what is not saved yet.
    if (judged.inWorkspace) return { to: "editor", params };
    const [line, limit] = ["line", "limit"].map((key) => (typeof params[key] === "number" ? params[key] : null));
    return toAgentSay(answer(id, { content: await ports.read(desk, { path, line: line ?? null, limit: limit ?? null }) }));
  },

  async "fs/write_text_file"({ id, params, judge }) {
    const judged = await judge("fs/write_text_file", "replace", textAt(params, "path") ?? "");
    return judged.verdict === "deny" ? refuse(id, judged) : { to: "editor", params };
  },

  async "terminal/create"({ id, params, workspace, judge, ports }) {
    const command = textAt(params, "command") ?? "";
    const args = listAt(params, "args").filter((one) => typeof one === "string");
    const cwd = textAt(params, "cwd") ?? workspace;
    const judged = await judge("terminal/create", "replace", cwd);
    if (judged.verdict === "deny") return refuse(id, judged);
    if (ports.confined === null)
      return toAgentSay(
        refusal(id, "sandbox-unavailable", `\`${show(command)}\` was not run: nothing here can confine it (see \`hallpass doctor\`)`),
      );
    const [program = "", ...words] = ports.confined(workspace, cwd, [command, ...args]);
    return { to: "editor", params: { ...params, command: program, args: words } };
  },

  async "session/request_permission"({ id, params, judge }) {
    const call = fieldsOf(params["toolCall"]) ?? {};
    const paths = listAt(call, "locations").flatMap((place) => textAt(fieldsOf(place) ?? {}, "path") ?? []);
    const kind = textAt(call, "kind");
    const operation = kind === null ? undefined : operations[kind];
    if (operation === undefined || paths.length === 0) return { to: "editor", params };
    const verdicts: Judged[] = [];
    for (const path of paths) verdicts.push(await judge(`agent: ${kind}`, operation, path, textAt(call, "title")?.slice(0, 500) ?? null));
    const no = verdicts.some(({ verdict }) => verdict === "deny");
    // A change inside the workspace stays the editor's question; what is only read there, or was granted, needs none.
    if (!no && operation !== "read") return { to: "editor", params };
    const option = optionOf(params, no ? ["reject_once", "reject_always"] : ["allow_once"]);
    return option === null && !no
      ? { to: "editor", params }
      : toAgentSay(answer(id, { outcome: option === null ? { outcome: "cancelled" } : { outcome: "selected", optionId: option } }));
  },
};

const operations: Readonly<Record<string, Operation>> = {
  read: "read",
  search: "search",
  edit: "replace",
  delete: "remove",
  move: "replace",
};

function optionOf(params: Fields, kinds: readonly string[]): string | null {
  for (const kind of kinds) {
    const found = listAt(params, "options").find((option) => textAt(fieldsOf(option) ?? {}, "kind") === kind);
    const id = textAt(fieldsOf(found) ?? {}, "optionId");
    if (id !== null) return id;
  }
  return null;
}
