// What becomes of each request an agent makes of its editor that has to do with files: on to the editor, answered here, or refused. An
// agent may say anything: a path in an odd spelling, a change that it calls a read, an environment that changes our own program.

import type { Operation } from "../../core/access.ts";
import { child } from "../../core/path/contain.ts";
import { show } from "../../core/path/show.ts";
import type { Desk } from "../desk/desk.ts";
import type { AgentAccess, Judged } from "./guarding.ts";
import { namedIn } from "./named-paths.ts";
import { answer, type Fields, fieldsOf, type Id, listAt, refusal, textAt } from "./rpc.ts";

/** A file in a granted or mounted directory, read through the guard under the call it was judged as. */
export type ReadFile = (
  desk: Desk,
  file: { readonly call: string; readonly path: string; readonly line: number | null; readonly limit: number | null },
) => Promise<string>;

/** A command as it runs confined to the workspace. */
export type Confine = (workspace: string, cwd: string, command: readonly string[]) => readonly string[];

export interface Asked {
  readonly id: Id;
  readonly params: Fields;
  readonly desk: Desk;
  /** As the editor spells it. */
  readonly workspace: string;
  readonly judge: (access: AgentAccess, words?: string | null) => Promise<Judged>;
  /** The verdict alone; nobody is asked. */
  readonly look: (access: AgentAccess) => Promise<"allow" | "ask" | "deny">;
  readonly read: ReadFile;
  /** Null where nothing here can confine a command. */
  readonly confined: Confine | null;
}
export type Done = { readonly to: "editor"; readonly params: Fields } | { readonly to: "agent"; readonly message: Fields };
type Handler = (asked: Asked) => Promise<Done>;

/** Who handles a method; `unknown` where it has to do with files or commands and we do not know it; null where it is no business of ours. */
export function handlerOf(method: string): Handler | "unknown" | null {
  const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
  if (handler !== undefined) return handler;
  return /^(?:fs|terminal)\//iu.test(method) && !AFTER_CREATE.has(method) ? "unknown" : null;
}

/** Of a terminal that was started through here. */
const AFTER_CREATE: ReadonlySet<string> = new Set(["terminal/output", "terminal/release", "terminal/wait_for_exit", "terminal/kill"]);

const toAgent = (message: Fields): Done => ({ to: "agent", message });
const refuse = (id: Id, code: string, text: string): Done => toAgent(refusal(id, code, text));

const handlers: Readonly<Record<string, Handler>> = {
  async "fs/read_text_file"({ id, params, desk, workspace, judge, read }) {
    const path = textAt(params, "path") ?? "";
    const [line, limit] = [lineAt(params, "line"), lineAt(params, "limit")];
    if (line === undefined || limit === undefined) return refuse(id, "bad-request", "`line` and `limit` are whole numbers from 1 on");
    const judged = await judge({ tool: "fs/read_text_file", operation: "read", path, isReadHere: true });
    if (judged.verdict === "deny") return refuse(id, judged.code, judged.text);
    // In the workspace the editor knows better: it has what is not saved yet.
    if (judged.inWorkspace !== null) return { to: "editor", params: { ...params, path: spelled(workspace, judged.inWorkspace) } };
    return toAgent(answer(id, { content: await read(desk, { call: judged.call, path, line, limit }) }));
  },

  async "fs/write_text_file"({ id, params, workspace, judge }) {
    const path = textAt(params, "path") ?? "";
    const judged = await judge({ tool: "fs/write_text_file", operation: "replace", path });
    if (judged.verdict === "deny") return refuse(id, judged.code, judged.text);
    const place = judged.inWorkspace === null ? judged.real : spelled(workspace, judged.inWorkspace);
    return { to: "editor", params: { ...params, path: place } };
  },

  async "terminal/create"({ id, params, workspace, judge, confined }) {
    const command = textAt(params, "command") ?? "";
    const [args, env] = [textsIn(params["args"]), variablesIn(params["env"])];
    if (args === null || env === null || command === "")
      return refuse(id, "bad-request", "a command, its `args` as texts, its `env` as names and values");
    const cwd = textAt(params, "cwd") ?? workspace;
    const judged = await judge({ tool: "terminal/create", operation: "replace", path: cwd });
    if (judged.verdict === "deny") return refuse(id, judged.code, judged.text);
    if (confined === null)
      return refuse(id, "sandbox-unavailable", `\`${show(command)}\` was not run: nothing here can confine it (see \`hallpass doctor\`)`);
    // INVARIANT: the agent's variables are the confined command's alone. The editor starts our own program, outside the sandbox, and one
    // with `NODE_OPTIONS` or `LD_PRELOAD` of the agent's would run the agent's code there.
    const words = env.length === 0 ? [command, ...args] : ["env", ...env, command, ...args];
    const [program = "", ...rest] = confined(workspace, judged.real, words);
    const most = params["outputByteLimit"];
    const limit = typeof most === "number" ? { outputByteLimit: most } : {};
    return { to: "editor", params: { sessionId: params["sessionId"], command: program, args: rest, env: [], cwd: workspace, ...limit } };
  },

  async "session/request_permission"({ id, params, judge, look }) {
    const call = fieldsOf(params["toolCall"]) ?? {};
    const kind = textAt(call, "kind") ?? "";
    const operation = Object.hasOwn(operations, kind) ? operations[kind] : undefined;
    const named = namedIn(call);
    if (named === null) return answered(id, params, REJECT);
    const { paths, changed, plain } = named;
    const tool = `agent: ${kind === "" ? "other" : kind}`;
    const accesses: AgentAccess[] = [
      ...paths.map((path) => ({ tool, operation: operation ?? "read", path })),
      ...changed.map((path) => ({ tool, operation: "replace" as const, path })),
    ];
    if (accesses.length === 0) return { to: "editor", params };
    if (operation === undefined && changed.length === 0) {
      // What it will do there is not known, so the person is asked as the agent words it; but not about what nobody may do.
      for (const access of accesses) if ((await look(access)) === "deny") return answered(id, params, REJECT);
      return { to: "editor", params };
    }
    const words = textAt(call, "title")?.slice(0, 500) ?? "";
    for (const access of accesses)
      if ((await judge(access, words === "" ? null : words)).verdict === "deny") return answered(id, params, REJECT);
    // INVARIANT: a yes is said for the person only to a read of which nothing but the path is said, and every path was judged.
    const isPlainRead = operation === "read" && plain && changed.length === 0;
    return isPlainRead ? answered(id, params, ["allow_once"]) : { to: "editor", params };
  },
};

const REJECT = ["reject_once", "reject_always"] as const;

const operations: Readonly<Record<string, Operation>> = {
  read: "read",
  search: "search",
  edit: "replace",
  delete: "remove",
  move: "replace",
};

/** With the first of the agent's own options that has one of these kinds. Without one a yes is the editor's to give, and a no a cancel. */
function answered(id: Id, params: Fields, kinds: readonly string[]): Done {
  const options = listAt(params, "options").map((option) => fieldsOf(option) ?? {});
  for (const kind of kinds) {
    const optionId = textAt(options.find((option) => textAt(option, "kind") === kind) ?? {}, "optionId");
    if (optionId !== null) return toAgent(answer(id, { outcome: { outcome: "selected", optionId } }));
  }
  return kinds === REJECT ? toAgent(answer(id, { outcome: { outcome: "cancelled" } })) : { to: "editor", params };
}

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
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : null;
}

function variablesIn(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return null;
  const pairs = value.map((one) => {
    const fields = fieldsOf(one) ?? {};
    const [name, text] = [textAt(fields, "name"), textAt(fields, "value")];
    return name === null || text === null || !/^[A-Za-z_]\w*$/u.test(name) ? null : `${name}=${text}`;
  });
  return pairs.every((pair) => pair !== null) ? pairs : null;
}
