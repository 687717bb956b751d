// Decides a permission request that an agent sends to its editor. Every path it names is judged. A plain read is allowed without the
// person, a request for something denied is refused, and every other goes to the person with a title that says what is really requested.

import type { Operation } from "../../core/access.ts";
import type { AgentAccess } from "./guarding.ts";
import { type NamedPaths, namedIn } from "./named-paths.ts";
import { withOwnTitle, type AskedAccess } from "./permission-title.ts";
import type { IncomingRequest, RequestOutcome } from "./requests.ts";
import { answer, type Fields, fieldsOf, type Id, listAt, textAt } from "./rpc.ts";
import { mergeFields } from "./announced-calls.ts";

export async function requestPermission({ id, params, judge, look, before }: IncomingRequest): Promise<RequestOutcome> {
  const toolCall = fieldsOf(params["toolCall"]) ?? {};
  // As the editor will show it: with what it was told of the same call before.
  const earlier = before(textAt(toolCall, "toolCallId"));
  const call = { ...toolCall, ...mergeFields(toolCall, earlier) };
  const places = placesOf(call);
  const earlierPlaces = placesOf(earlier);
  if (places === null || earlierPlaces === null) return answered(id, params, REJECT);
  const accesses = [...places.accesses, ...earlierPlaces.accesses];
  const commands = [...places.named.commands, ...earlierPlaces.named.commands];
  const { operation } = places;
  if (operation === undefined && places.named.changed.length === 0) {
    // What it will do there is not known, so the person is asked; but not about what nobody may do.
    for (const access of accesses) if ((await look(access)) === "deny") return answered(id, params, REJECT);
    return { to: "editor", params: withOwnTitle(params, call, [], commands) };
  }
  const title = textAt(call, "title")?.slice(0, 500) ?? "";
  const touched: AskedAccess[] = [];
  for (const access of accesses) {
    const judged = await judge(access, title === "" ? null : title);
    if (judged.verdict === "deny") return answered(id, params, REJECT);
    touched.push({ operation: access.operation, path: judged.real });
  }
  // INVARIANT: a yes is said for the person only to a read of which nothing but the path is said, and every path was judged. That holds
  // for what was told before, too: a call that was another one until now is the person's.
  const isPlainRead =
    accesses.length > 0 && operation === "read" && isPlain(places.named) && isPlain(earlierPlaces.named) && isSame(earlier, call);
  return isPlainRead ? answered(id, params, ["allow_once"]) : { to: "editor", params: withOwnTitle(params, call, touched, commands) };
}

interface Places {
  readonly named: NamedPaths;
  readonly operation: Operation | undefined;
  readonly accesses: readonly AgentAccess[];
}

function placesOf(call: Fields): Places | null {
  const named = namedIn(call);
  if (named === null) return null;
  const kind = textAt(call, "kind") ?? "";
  const operation = Object.hasOwn(operations, kind) ? operations[kind] : undefined;
  const tool = `agent: ${kind === "" ? "other" : kind}`;
  const accesses: readonly AgentAccess[] = [
    ...named.paths.map((path) => ({ tool, operation: operation ?? "read", path })),
    ...named.changed.map((path) => ({ tool, operation: "replace" as const, path })),
  ];
  return { named, operation, accesses };
}

const isPlain = ({ plain, changed }: NamedPaths): boolean => plain && changed.length === 0;
const isSame = (earlier: Fields, call: Fields): boolean => earlier["kind"] === undefined || earlier["kind"] === call["kind"];

const REJECT = ["reject_once", "reject_always"] as const;

const operations: Readonly<Record<string, Operation>> = {
  read: "read",
  search: "search",
  edit: "replace",
  delete: "remove",
  move: "replace",
};

/** With the first of the agent's own options that has one of these kinds. Without one a yes is the editor's to give, and a no a cancel. */
function answered(id: Id, params: Fields, kinds: readonly string[]): RequestOutcome {
  const options = listAt(params, "options").map((option) => fieldsOf(option) ?? {});
  for (const kind of kinds) {
    const optionId = textAt(options.find((option) => textAt(option, "kind") === kind) ?? {}, "optionId");
    if (optionId !== null) return { to: "agent", message: answer(id, { outcome: { outcome: "selected", optionId } }) };
  }
  return kinds === REJECT ? { to: "agent", message: answer(id, { outcome: { outcome: "cancelled" } }) } : { to: "editor", params };
}
