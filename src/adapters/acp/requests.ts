// Handles each request of an agent to its editor that concerns files: forward it to the editor, answer it here, or refuse it. Nothing the
// agent says is trusted: a path may be oddly spelled, a change may be called a read, a variable may alter our own program.

import { child } from "../../core/path/contain.ts";
import { show } from "../../core/path/show.ts";
import type { HostSession } from "../host-session/host-session.ts";
import { requestPermission } from "./agent-permission.ts";
import type { EditorDialogs, PlainQuestion } from "./dialogs.ts";
import { foreignRequest, meaningOf } from "./foreign-methods.ts";
import type { AgentAccess, JudgedRequest } from "./guarding.ts";
import { answer, type Fields, fieldsOf, type Id, refusal, textAt } from "./rpc.ts";
import { isAfterCreate } from "./terminals.ts";

/** A file in a granted or mounted directory, read through the guard under the call it was judged as. Of `line`, from 1, and `limit` null is all. */
export type ReadFile = (
  hostSession: HostSession,
  file: { readonly call: string; readonly path: string; readonly line: number | null; readonly limit: number | null },
) => Promise<string>;

/** A command as it runs confined to the workspace. */
export type CommandConfiner = (workspace: string, cwd: string, command: readonly string[]) => readonly string[];

export interface IncomingRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: Fields;
  readonly hostSession: HostSession;
  /** As the editor spells it. */
  readonly workspace: string;
  readonly judge: (access: AgentAccess, reason?: string | null) => Promise<JudgedRequest>;
  /** The verdict alone; nobody is asked. */
  readonly look: (access: AgentAccess) => Promise<"allow" | "ask" | "deny">;
  /** A question of ours to the person, about no access. */
  readonly confirm: (question: PlainQuestion) => ReturnType<EditorDialogs["confirm"]>;
  /** What the agent told its editor of a call before. */
  readonly before: (toolCallId: string | null) => Fields;
  readonly read: ReadFile;
  /** Null where nothing here can confine a command. */
  readonly confined: CommandConfiner | null;
}
export type RequestOutcome = { readonly to: "editor"; readonly params: Fields } | { readonly to: "agent"; readonly message: Fields };
type Handler = (request: IncomingRequest) => Promise<RequestOutcome>;

/** Who handles a method, in a session that there is; `unknown` where it has to do with files or commands and we do not know it; null where it is no business of ours. */
export function handlerOf(method: string, params: Fields, session: string | null): Handler | "unknown" | null {
  const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
  if (handler !== undefined) return handler;
  if (isAfterCreate(method)) return useTerminal;
  const meaning = meaningOf(method, params, session);
  return meaning === "passes" ? null : meaning === "judged" ? foreignRequest : "unknown";
}

const toAgent = (message: Fields): RequestOutcome => ({ to: "agent", message });
const refuse = (id: Id, code: string, text: string): RequestOutcome => toAgent(refusal(id, code, text));

/** Which terminals are the agent's is told before. */
const useTerminal: Handler = ({ params: { sessionId, terminalId } }) =>
  Promise.resolve({ to: "editor", params: { sessionId, terminalId } });

const handlers: Readonly<Record<string, Handler>> = {
  async "fs/read_text_file"({ id, params, hostSession, workspace, judge, read }) {
    const path = textAt(params, "path") ?? "";
    const [line, limit] = [lineAt(params, "line"), lineAt(params, "limit")];
    if (line === undefined || limit === undefined) return refuse(id, "bad-request", "`line` and `limit` are whole numbers from 1 on");
    const judged = await judge({ tool: "fs/read_text_file", operation: "read", path, isReadHere: true });
    if (judged.verdict === "deny") return refuse(id, judged.code, judged.text);
    // In the workspace the editor knows better: it has what is not saved yet.
    // INVARIANT: nothing of the agent's goes with it but what was judged.
    if (judged.inWorkspace !== null) {
      const lines = { ...(line === null ? {} : { line }), ...(limit === null ? {} : { limit }) };
      return { to: "editor", params: { sessionId: params["sessionId"], path: spelled(workspace, judged.inWorkspace), ...lines } };
    }
    return toAgent(answer(id, { content: await read(hostSession, { call: judged.call, path, line, limit }) }));
  },

  async "fs/write_text_file"({ id, params, workspace, judge }) {
    const path = textAt(params, "path") ?? "";
    const content = textAt(params, "content");
    if (content === null) return refuse(id, "bad-request", "`content` is the text to write");
    const judged = await judge({ tool: "fs/write_text_file", operation: "replace", path, writes: [{ what: "whole", path, content }] });
    if (judged.verdict === "deny") return refuse(id, judged.code, judged.text);
    const place = judged.inWorkspace === null ? judged.real : spelled(workspace, judged.inWorkspace);
    return { to: "editor", params: { sessionId: params["sessionId"], path: place, content } };
  },

  async "terminal/create"({ id, params, workspace, judge, confined }) {
    const command = textAt(params, "command") ?? "";
    const [args, env] = [textsIn(params["args"]), variablesIn(params["env"])];
    if (args === null || env === null || command === "")
      return refuse(id, "bad-request", "a command, its `args` as strings, its `env` as names and values");
    const cwd = textAt(params, "cwd") ?? workspace;
    const judged = await judge({ tool: "terminal/create", operation: "replace", path: cwd });
    if (judged.verdict === "deny") return refuse(id, judged.code, judged.text);
    if (confined === null)
      return refuse(id, "sandbox-unavailable", `\`${show(command)}\` was not run: nothing here can confine it (see \`hallpass doctor\`)`);
    // INVARIANT: the agent's variables are the confined command's alone. The editor starts our own program, outside the sandbox, and one
    // with `NODE_OPTIONS` or `LD_PRELOAD` of the agent's would run the agent's code there.
    const argv = env.length === 0 ? [command, ...args] : ["env", ...env, command, ...args];
    const [program = "", ...rest] = confined(workspace, judged.real, argv);
    const byteLimit = params["outputByteLimit"];
    const limit = typeof byteLimit === "number" ? { outputByteLimit: byteLimit } : {};
    return { to: "editor", params: { sessionId: params["sessionId"], command: program, args: rest, env: [], cwd: workspace, ...limit } };
  },

  "session/request_permission": requestPermission,
};

/**
 * The path as the editor is to have it: below the workspace in the editor's own spelling, without links, dots or anything else that one
 * program reads like this and another like that.
 */
function spelled(workspace: string, inWorkspace: string): string {
  const dir = workspace.replace(/\/+$/u, "") || "/";
  return inWorkspace === "" ? dir : child(dir, inWorkspace);
}

/** Undefined where it is there and no number of a line. */
function lineAt(params: Fields, key: string): number | null | undefined {
  const value = params[key];
  if (value === undefined || value === null) return null;
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

function textsIn(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : null;
}

function variablesIn(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return null;
  const pairs = value.map((variable) => {
    const fields = fieldsOf(variable) ?? {};
    const [name, text] = [textAt(fields, "name"), textAt(fields, "value")];
    return name === null || text === null || !/^[A-Za-z_]\w*$/u.test(name) ? null : `${name}=${text}`;
  });
  return pairs.every((pair) => pair !== null) ? pairs : null;
}
