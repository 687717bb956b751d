// Yeses for once in sessions that other programs drive. Such a program gives up a call that nobody answers in time and makes the same call
// again later, under another name: a yes that came in between is passed on to it. Promise: to one call, of the same session, tool,
// operation, path and, for a write, content, within an hour of the answer; and whoever was told of a yes keeps it, so that nobody else goes
// by it too.

import { needs, type Operation, type Right } from "../core/access.ts";
import type { CallId, SessionId } from "../core/names.ts";
import type { StoredOnce } from "../core/session/grant.ts";
import { isOnce, isRequest, mayUse, type OnceAsk, type OnceUse, storedOnce } from "./once-yes.ts";
import type { Store, StoredAsk, StoredChat } from "./ports.ts";
import type { CallState } from "./transcript.ts";
import { isAboutCommand } from "./unconfined.ts";

/** How long after it was given a yes is passed on. Whoever comes later asks again: much else may have changed by then. */
export const PASSED_ON_FOR = 60 * 60_000;

/** What must be the same for two calls to be the same call, beside the path. */
export interface Wants {
  readonly tool: string;
  readonly operation: Operation;
  /** For a command that nothing confines: its whole text. */
  readonly command?: string;
  /** For a write: a digest of what the call would write. */
  readonly content?: string;
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
  /** Was it given to another call? */
  readonly isPassedOn: boolean;
  /** Make it this call's own. Compare-and-set, between processes too: false where another call was quicker. */
  take(): Promise<boolean>;
}

/** Every yes that this call may go by; those that nobody else may go by come first. */
export async function holdsOf(store: Store, session: SessionId, foreign: ForeignCall): Promise<readonly Hold[]> {
  const { chat, call, now, wants } = foreign;
  const own: Hold[] = [];
  const requests: Hold[] = [];
  const free: Hold[] = [];
  for (const yes of await store.onceYeses(session, null)) {
    const { ask, keptBy } = yes;
    if (!isOnce(ask) || (chat !== null && ask.chat !== chat)) continue;
    const [first] = ask.calls;
    const keep = () => store.keepOnce(ask.id, call);
    const moveFirst = async (to: CallState): Promise<true> => {
      // For people, who see the call in its chat. Whose the yes is stands in its own row.
      if (first !== undefined) await store.setCall(ask.chat, first, ["proposed"], to);
      return true;
    };
    if (mayUse(yes, call)) {
      const isPassedOn = !isRequest(ask) && first !== call;
      // INVARIANT: a yes is to the content that was shown, also where the program gives another call the same name. A program that judges
      // for itself says what it asked about, and not once more what it does.
      const content = wants?.content ?? ask.content;
      if (content !== ask.content) continue;
      if (isPassedOn && wants !== null && !isSame(ask, { ...wants, ...(content === undefined ? {} : { content }) })) continue;
      if (keptBy === call) own.push({ ask, isPassedOn, take: taken });
      // It stays whoever's uses it first: a program that is told of it may want it for something else.
      else if (isRequest(ask)) requests.push({ ask, isPassedOn, take: taken });
      else own.push({ ask, isPassedOn, take: async () => (await keep()) && moveFirst({ at: "started" }) });
    } else if (keptBy === null && wants !== null && isYoung(ask, now) && isSame(ask, wants))
      free.push({ ask, isPassedOn: true, take: async () => (await keep()) && moveFirst(passedOn) });
  }
  return [...own, ...requests, ...free];
}

/** What is told of them to whoever judges for itself. */
export const toldOf = (holds: readonly Hold[], call: CallId): readonly StoredOnce[] => holds.map(({ ask }) => storedOnce(ask, call));

/** Make one of them this call's own that lets it do this. Null where none is left, since another call was quicker. */
export async function keepOne(holds: readonly Hold[], right: Right, path: string): Promise<Hold | null> {
  for (const hold of holds) if (hold.ask.right === right && hold.ask.path === path && (await hold.take())) return hold;
  return null;
}

/** As `recordOnceUse`, for a call of another program's. The same name twice is two calls: the program chose it. */
export async function recordHeldUse(store: Store, use: OnceUse, now: number, content?: string): Promise<boolean> {
  const { call, tool, operation, real } = use;
  const wants = { tool, operation, ...(content === undefined ? {} : { content }) };
  const holds = await holdsOf(store, use.session, { chat: null, call, now, wants });
  for (const hold of holds)
    if ((await keepOne([hold], needs[operation], real)) !== null && (await store.useOnce(hold.ask.id, call, use, false))) return true;
  await store.record([{ ...use, verdict: "deny", reason: "request-closed" }]);
  return false;
}

/** A program that judges for itself says that it went by a yes it was told of. It did, so it is recorded as it was, whatever the yes is now. */
export async function recordToldUse(store: Store, use: OnceUse): Promise<void> {
  for (const yes of await store.onceYeses(use.session, null))
    if (yes.ask.path === use.real && mayUse(yes, use.call) && (await store.useOnce(yes.ask.id, use.call, use, false))) return;
  await store.record([use]);
}

/** An open ask of the chat about the very same thing. */
export async function openSame(
  store: Store,
  { id: chat, session }: StoredChat,
  { path, right }: { readonly path: string; readonly right: Right },
  wants: Wants,
): Promise<StoredAsk | null> {
  const open = await store.asks({ session, chat, state: "open" });
  return open.find((ask) => ask.kind === "pending_grant" && ask.path === path && ask.right === right && isSame(ask, wants)) ?? null;
}

const taken = (): Promise<boolean> => Promise.resolve(true);
const isYoung = ({ answer: { at, expires } }: OnceAsk, now: number): boolean =>
  now <= at + PASSED_ON_FOR && (expires === null || now < expires);

/**
 * Was it asked for the same tool and operation, as the guard judged it then? A command is the same if all of its text is, a write if all of
 * its content is.
 */
function isSame(ask: StoredAsk, { tool, operation, command, content }: Wants): boolean {
  if (command !== undefined || isAboutCommand(ask)) return isAboutCommand(ask) && ask.requested[0] === command;
  return ask.tool === tool && ask.operation === operation && ask.content === content;
}

/** What becomes of a call whose yes was passed on. */
const passedOn: CallState = {
  at: "done",
  outcome: { ok: false, code: "request-closed", hint: "the yes went to the same call, made again under another name" },
};
