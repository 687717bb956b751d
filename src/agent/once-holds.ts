// Yeses for once in sessions that other programs drive. Such a program gives up a call that nobody answers in time and makes the same call
// again later, under another name: a yes that came in between is passed on to it. Promise: to one call, of the same session, tool,
// operation and path, within an hour of the answer; and whoever was told of a yes keeps it, so that nobody else goes by it too.

import { needs, type Operation, type Right } from "../core/access.ts";
import type { AskId, CallId, SessionId } from "../core/names.ts";
import type { StoredOnce } from "../core/session/grant.ts";
import { eventsFor, isEnded, isGoodFor, isOnce, isRequest, isUsedBy, type OnceAsk, type OnceUse, storedOnce } from "./once-yes.ts";
import type { Store, StoredAsk, StoredChat } from "./ports.ts";
import type { CallState, ToolCall } from "./transcript.ts";
import { allowsUnconfined } from "./unconfined.ts";

/** How long after it was given a yes is passed on. Whoever comes later asks again: much else may have changed by then. */
export const PASSED_ON_FOR = 60 * 60_000;

/** What must be the same for two calls to be the same call, beside the path. */
export interface Wants {
  readonly tool: string;
  readonly operation: Operation;
  /** For a command that nothing confines: its whole text. */
  readonly command?: string;
}

/** A call whose name is of its program's own choosing. `wants` is null where only the name is known. */
export interface ForeignCall {
  /** Null: in any chat of the session. */
  readonly chat: string | null;
  readonly call: CallId;
  readonly now: number;
  readonly wants: Wants | null;
}

/** A yes for once that a call may go by. */
export interface Hold {
  readonly ask: OnceAsk;
  /** The call it is used as: the one it was given to, or, given to a request, whichever comes. */
  readonly as: CallId;
  /** Was it given to another call? */
  readonly isPassedOn: boolean;
  /** Make it this call's own. Compare-and-set, between processes too: false where another call was quicker. */
  take(): Promise<boolean>;
}

/** Every yes that this call may go by; those that nobody else may go by come first. */
export async function holdsOf(store: Store, session: SessionId, foreign: ForeignCall): Promise<readonly Hold[]> {
  const { chat, call, now, wants } = foreign;
  const yeses = (await store.asks({ session, ...(chat === null ? {} : { chat }), state: "answered" })).filter(isOnce);
  if (yeses.length === 0) return [];
  const events = await eventsFor(store, session, Math.min(...yeses.map(({ answer }) => answer.at)));
  const left = yeses.filter((ask) => !isEnded(ask, events) && !isUsedBy(ask, call, events));
  const requests = left.filter((ask) => isRequest(ask) && isGoodFor(ask, call, events));
  const given = left.filter((ask) => {
    const first = ask.calls[0];
    if (isRequest(ask) || first === undefined) return false;
    return first === call || (isYoung(ask, now) && isOfTool(ask, wants) && !isUsedBy(ask, first, events));
  });
  const rowOf = await rowsOf(store, given);
  const isSame = wants === null ? () => true : await sameness(store, session, given, wants);
  const own: Hold[] = [];
  const free: Hold[] = [];
  for (const ask of given) {
    const row = rowOf(ask);
    if (row === null) continue;
    const hold = { ask, as: row.id, isPassedOn: row.id !== call };
    const move = (from: readonly CallState["at"][], to: CallState) => () => store.setCall(ask.chat, row.id, from, to);
    // INVARIANT: where the call that it was given to stands tells whose it is. Proposed, it is whoever's comes first; started, that call's
    // own; done, the one's that it was passed on to. Each step starts from the state before, so of all who would take it one does.
    if (row.id === call) {
      if (row.state.at === "started") own.push({ ...hold, take: taken });
      else if (row.state.at === "proposed") own.push({ ...hold, take: move(["proposed", "started"], { at: "started" }) });
    } else if (isSame(ask)) {
      if (isPassedTo(row, call)) own.push({ ...hold, take: taken });
      else if (wants !== null && row.state.at === "proposed") free.push({ ...hold, take: move(["proposed"], passedTo(call)) });
    }
  }
  return [...own, ...requests.map((ask) => ({ ask, as: call, isPassedOn: false, take: taken })), ...free];
}

/** What is told of them to whoever judges for itself. */
export const toldOf = (holds: readonly Hold[], call: CallId): readonly StoredOnce[] => holds.map(({ ask }) => storedOnce(ask, call));

/** Make one of them this call's own that lets it do this. Null where none is left, since another call was quicker. */
export async function keepOne(holds: readonly Hold[], right: Right, path: string): Promise<Hold | null> {
  for (const hold of holds) if (hold.ask.right === right && hold.ask.path === path && (await hold.take())) return hold;
  return null;
}

/** As `recordOnceUse`, for a call of another program's. */
export async function recordHeldUse(store: Store, use: OnceUse, now: number): Promise<boolean> {
  const { call, tool, operation, real } = use;
  const holds = await holdsOf(store, use.session, { chat: null, call, now, wants: { tool, operation } });
  for (const hold of holds)
    if ((await keepOne([hold], needs[operation], real)) !== null && (await store.useOnce(hold.ask.id, hold.as, use))) return true;
  await store.record([{ ...use, verdict: "deny", reason: "request-closed" }]);
  return false;
}

/** An open ask of the chat about the very same thing. */
export async function openSame(
  store: Store,
  { id: chat, session }: StoredChat,
  { path, right }: { readonly path: string; readonly right: Right },
  wants: Wants,
): Promise<StoredAsk | null> {
  const open = (await store.asks({ session, chat, state: "open" })).filter(
    (ask) => ask.kind === "pending_grant" && ask.path === path && ask.right === right && isOfTool(ask, wants),
  );
  const isSame = await sameness(store, session, open, wants);
  return open.find(isSame) ?? null;
}

const taken = (): Promise<boolean> => Promise.resolve(true);
const isYoung = ({ answer: { at, expires } }: OnceAsk, now: number): boolean =>
  now <= at + PASSED_ON_FOR && (expires === null || now < expires);
const isOfTool = ({ tool }: StoredAsk, wants: Wants | null): boolean =>
  wants === null || wants.command !== undefined || tool === wants.tool;

/** Was it asked for the same operation, as the guard judged it then? A command is the same if all of its text is. */
async function sameness(
  store: Store,
  session: SessionId,
  asks: readonly StoredAsk[],
  { operation, command }: Wants,
): Promise<(ask: StoredAsk) => boolean> {
  if (asks.length === 0) return () => false;
  if (command !== undefined) return (ask) => allowsUnconfined(ask) && ask.requested[0] === command;
  const since = Math.min(...asks.map(({ at }) => at));
  const raised = new Set<AskId | null>();
  for (const { event } of await store.audit({ session, kind: "decision", verdict: "ask", since }))
    if (event.kind === "decision" && event.operation === operation) raised.add(event.ask);
  return ({ id }) => raised.has(id);
}

/** The call that each of them was given to, as it stands. */
async function rowsOf(store: Store, asks: readonly StoredAsk[]): Promise<(ask: StoredAsk) => ToolCall | null> {
  const rows = new Map<string, readonly ToolCall[]>();
  for (const chat of new Set(asks.map((ask) => ask.chat)))
    rows.set(
      chat,
      (await store.transcript(chat)).flatMap((message) => (message.role === "agent" ? message.calls : [])),
    );
  return ({ chat, calls: [first] }) => rows.get(chat)?.find(({ id }) => id === first) ?? null;
}

/** What becomes of a call whose yes was passed on. No path or note of anybody's can read so to the last sign. */
const hintFor = (call: CallId): string => `the yes went to the same call, made again as ${JSON.stringify(call)}`;
const passedTo = (call: CallId): CallState => ({ at: "done", outcome: { ok: false, code: "request-closed", hint: hintFor(call) } });

function isPassedTo({ state }: ToolCall, call: CallId): boolean {
  return state.at === "done" && !state.outcome.ok && state.outcome.code === "request-closed" && state.outcome.hint === hintFor(call);
}
