// What a person is shown of a call that their agent asks permission for. The agent words its own title, and may word it wrongly: where we
// know better, because paths were judged or a command stands in the input, the title says that first, and the agent's words after it,
// marked as such.

import type { Operation } from "../../core/access.ts";
import { shorten, show } from "../../core/path/show.ts";
import { type Fields, fieldsOf, textAt } from "./rpc.ts";

export interface Touched {
  readonly operation: Operation;
  /** The judged path; as the agent wrote it only where nothing was found out. */
  readonly path: string;
}

const WIDTH = 300;
const MOST = 5;

/** The agent's `params` with a title of ours where its own does not say plainly what is asked. `call` is all that was said of the call. */
export function withOwnTitle(params: Fields, call: Fields, touched: readonly Touched[], commands: readonly string[]): Fields {
  const title = textAt(call, "title") ?? "";
  const command = [...new Set(commands)].filter((one) => !isQuoted(title, one));
  if (command.length === 0 && (touched.length === 0 || saysPlainly(title, touched))) return params;
  const words = [
    ...[...new Set(commands)].slice(0, MOST).map((one) => `Run ${shorten(show(one), WIDTH)}`),
    ...changesOf(touched).map((line) => shorten(line, WIDTH)),
  ];
  const agents = title === "" ? "" : ` — the agent says (unverified): ${shorten(show(title), WIDTH)}`;
  return { ...params, toolCall: { ...fieldsOf(params["toolCall"]), title: `${words.join("; ")}${agents}` } };
}

function changesOf(touched: readonly Touched[]): readonly string[] {
  return verbs.flatMap(([verb, operations]) => {
    const places = [...new Set(touched.filter(({ operation }) => operations.includes(operation)).map(({ path }) => show(path)))];
    if (places.length === 0) return [];
    const more = places.length > MOST ? ` and ${places.length - MOST} more` : "";
    return [`${verb} ${places.slice(0, MOST).join(", ")}${more}`];
  });
}

const verbs: readonly (readonly [string, readonly Operation[]])[] = [
  ["Delete", ["remove"]],
  ["Change", ["replace", "create"]],
  ["Search", ["search"]],
  ["Read", ["read", "list"]],
];

/** One verb that fits the operation, and the one path or the end of it: then nothing is gained by saying it twice. */
function saysPlainly(title: string, touched: readonly Touched[]): boolean {
  const [first] = touched;
  if (first === undefined || touched.some(({ operation, path }) => operation !== first.operation || path !== first.path)) return false;
  const said = /^(?<verb>\p{L}+)(?: file)?:? [`"']?(?<path>[^`"'\s]+)[`"']?$/iu.exec(title)?.groups;
  const path = said?.["path"] ?? "";
  const names = path !== "" && (first.path === path || first.path.endsWith(`/${path}`));
  return names && (plainVerbs[first.operation] ?? []).includes((said?.["verb"] ?? "").toLowerCase());
}

const plainVerbs: Partial<Readonly<Record<Operation, readonly string[]>>> = {
  read: ["read", "view", "open"],
  search: ["search", "grep", "find"],
  replace: ["edit", "write", "change", "update"],
  remove: ["delete", "remove"],
};

/** Is the title the command, and nothing else but marks around it? */
const isQuoted = (title: string, command: string): boolean => title.replaceAll("`", "").trim() === command.replaceAll("`", "").trim();
