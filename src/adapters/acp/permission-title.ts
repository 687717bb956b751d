// The title that a person sees when their agent asks for permission. The agent writes its own title, which may be wrong. If paths were
// judged or the input holds a command, our title says that first; the agent's own title follows, marked as such.

import type { Operation } from "../../core/access.ts";
import { shorten, show } from "../../core/path/show.ts";
import { type Fields, fieldsOf, textAt } from "./rpc.ts";

export interface AskedAccess {
  readonly operation: Operation;
  /** The judged path; as the agent wrote it only where nothing was found out. */
  readonly path: string;
}

const WIDTH = 300;
const MAX_LISTED = 5;

/** The agent's `params` with a title of ours where its own does not say plainly what is asked. `call` is all that was said of the call. */
export function withOwnTitle(params: Fields, call: Fields, touched: readonly AskedAccess[], commands: readonly string[]): Fields {
  const title = textAt(call, "title") ?? "";
  const unquotedCommands = [...new Set(commands)].filter((command) => !isQuoted(title, command));
  if (unquotedCommands.length === 0 && (touched.length === 0 || saysPlainly(title, touched))) return params;
  const actions = [
    ...[...new Set(commands)].slice(0, MAX_LISTED).map((command) => `Run ${shorten(show(command), WIDTH)}`),
    ...changesOf(touched).map((line) => shorten(line, WIDTH)),
  ];
  const agentTitle = title === "" ? "" : ` — the agent says (unverified): ${shorten(show(title), WIDTH)}`;
  return { ...params, toolCall: { ...fieldsOf(params["toolCall"]), title: `${actions.join("; ")}${agentTitle}` } };
}

function changesOf(touched: readonly AskedAccess[]): readonly string[] {
  return verbs.flatMap(([verb, operations]) => {
    const places = [...new Set(touched.filter(({ operation }) => operations.includes(operation)).map(({ path }) => show(path)))];
    if (places.length === 0) return [];
    const more = places.length > MAX_LISTED ? ` and ${places.length - MAX_LISTED} more` : "";
    return [`${verb} ${places.slice(0, MAX_LISTED).join(", ")}${more}`];
  });
}

const verbs: readonly (readonly [string, readonly Operation[]])[] = [
  ["Delete", ["remove"]],
  ["Change", ["replace", "create"]],
  ["Search", ["search"]],
  ["Read", ["read", "list"]],
];

/** One verb that fits the operation, and the one path or the end of it: then nothing is gained by saying it twice. */
function saysPlainly(title: string, touched: readonly AskedAccess[]): boolean {
  const [first] = touched;
  if (first === undefined || touched.some(({ operation, path }) => operation !== first.operation || path !== first.path)) return false;
  const titleParts = /^(?<verb>\p{L}+)(?: file)?:? [`"']?(?<path>[^`"'\s]+)[`"']?$/iu.exec(title)?.groups;
  const path = titleParts?.["path"] ?? "";
  const names = path !== "" && (first.path === path || first.path.endsWith(`/${path}`));
  return names && (plainVerbs[first.operation] ?? []).includes((titleParts?.["verb"] ?? "").toLowerCase());
}

const plainVerbs: Partial<Readonly<Record<Operation, readonly string[]>>> = {
  read: ["read", "view", "open"],
  search: ["search", "grep", "find"],
  replace: ["edit", "write", "change", "update"],
  remove: ["delete", "remove"],
};

/** Is the title the command, and nothing else but marks around it? */
const isQuoted = (title: string, command: string): boolean => title.replaceAll("`", "").trim() === command.replaceAll("`", "").trim();
