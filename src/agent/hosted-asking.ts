// A program of somebody else's puts an access before a person. It may give up waiting and make the same call again, under another name:
// then it is the same ask while that is open, the yes that was given meanwhile, or the person's no in their own words.

import { NETWORK, type PlannedWrite } from "../core/access.ts";
import { isWithin } from "../core/clock.ts";
import { type Code, HallpassError } from "../core/errors.ts";
import type { Decision } from "../core/guard/decision.ts";
import { hint, meanings } from "../core/guard/explain.ts";
import { judgeNetwork } from "../core/guard/network.ts";
import { type CallId, callId, type SessionId } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import type { Ask, NetworkAsk } from "../core/session/ask.ts";
import { plannedWrites } from "../tools/change.ts";
import { expiry } from "./answering.ts";
import { DENIAL, raise, type PendingDecisions } from "./asking.ts";
import type { HostedSessions, HostedAccess, HostedAsk, HostedPorts } from "./hosted.ts";
import { liveSession } from "./live-session.ts";
import { STOPPED } from "./next.ts";
import {
  type ClaimableGrant,
  claimableBy,
  claimOne,
  describeAll,
  isRequest,
  openSame,
  OnceGrantConflict,
  type CallFingerprint,
} from "./once-grant.ts";
import type { SessionSettings, StoredAsk, StoredChat } from "./ports.ts";
import type { CallState, CallOutcome } from "./transcript.ts";
import { isAboutCommand, unconfinedAsk } from "./unconfined.ts";

export interface HostedAskingPorts extends HostedPorts {
  /** The session, if it has not ended. Throws `session-closed`. */
  readonly sessionNotEnded: (session: SessionId) => Promise<SessionSettings>;
  readonly chatOf: (session: SessionSettings) => Promise<StoredChat>;
  readonly undecided: PendingDecisions;
  /** Judged, and recorded unless it is to be asked; nothing is used up. */
  readonly look: (session: SessionSettings, access: HostedAccess) => Promise<Decision>;
}

type AskJudgement =
  | Pick<Extract<Decision, { readonly verdict: "allow" }>, "verdict" | "reason" | "real">
  | { readonly verdict: "ask"; readonly ask: Ask | NetworkAsk }
  | { readonly verdict: "deny"; readonly reason: Code; readonly hint: string };

/** Asks, as `Hosted` promises. Of one session one after another: see there. */
export function hostedAsking(ports: HostedAskingPorts): HostedSessions["ask"] {
  const { store, clock, askLife } = ports;

  const claimable = (
    session: SessionSettings,
    chat: StoredChat,
    call: CallId,
    wants: CallFingerprint,
    path?: string,
  ): Promise<readonly ClaimableGrant[]> =>
    claimableBy(store, session.id, { chat: chat.id, call, now: clock(), wants, ...(path === undefined ? {} : { path }) });
  /** A command that the program cannot confine: done only after a yes for this very call, or for the very same command before it. */
  const judgeCommand = async (session: SessionSettings, chat: StoredChat, access: HostedAccess): Promise<AskJudgement> => {
    const call = callId(access.call);
    const yes = (await claimable(session, chat, call, wantsOf(access))).find(({ ask }) => isAboutCommand(ask));
    if (yes !== undefined) return { verdict: "allow", reason: "answered", real: yes.ask.path };
    if (!session.attended) throw new HallpassError("no-prompt-channel", `the command ${meanings["no-prompt-channel"]}`);
    return { verdict: "ask", ask: unconfinedAsk({ session: session.id, call, command: access.path }, { id: ports.ids(), at: clock() }) };
  };
  /** A command that needs the network: the policy, the session's grants, or a yes for this very call. */
  const judgeWithNetwork = async (session: SessionSettings, chat: StoredChat, access: HostedAccess): Promise<AskJudgement> => {
    const call = callId(access.call);
    const once = async () => describeAll(await claimable(session, chat, call, wantsOf(access), NETWORK), call);
    const decision = judgeNetwork(
      { call, tool: access.tool, command: access.path, isNeeded: true },
      await liveSession(ports, session, { chat: chat.id, call, once }),
      ports,
    );
    if (decision.verdict === "allow") return { verdict: "allow", reason: decision.reason, real: NETWORK };
    return decision.verdict === "deny" ? { ...decision, hint: `the command ${meanings[decision.reason]}` } : decision;
  };
  const judgePath = async (session: SessionSettings, _chat: StoredChat, access: HostedAccess): Promise<AskJudgement> => {
    const decision = await ports.look(session, access);
    return decision.verdict === "deny" ? { ...decision, hint: hint(decision) } : decision;
  };
  /** The state of a call that was asked about before; `new` if it was not, `again` if an answer has it judged once more. */
  const stateOfCall = async (chat: StoredChat, call: CallId): Promise<HostedAsk | "new" | "again"> => {
    const storedCall = (await store.calls(chat.id, [call])).get(call);
    if (storedCall?.state.at === "done") return { state: "done", outcome: storedCall.state.outcome };
    const ask = storedCall?.state.at === "waiting" ? await store.ask(storedCall.state.ask) : null;
    if (ask !== null) return { state: "waiting", ask };
    return storedCall === undefined ? "new" : "again";
  };
  const append = (chat: StoredChat, { call, tool, path, writes }: HostedAccess, words: string | null, state: CallState): Promise<void> => {
    const input = { path, ...(words === null ? {} : { reason: words }), ...(writes === undefined ? {} : { writes }) };
    const message = { id: ports.ids(), at: clock(), text: "", usage: null, error: null };
    return store.append(chat.id, { role: "agent", ...message, calls: [{ id: callId(call), name: tool, input, state }] }, null);
  };
  /** Nobody can answer them any longer, so nobody is to wait for them. */
  const closeExpired = async (chat: StoredChat): Promise<void> => {
    if (askLife === null) return;
    for (const ask of await store.asks({ chat: chat.id, state: "open" }))
      if (!isWithin(ask.at, clock(), askLife)) await store.closeAsks(ask.session, [expiry(ask, clock())]);
  };
  /** A remembered denial, with the person's note: the call that they wrote it to may be gone. */
  const withPersonsNote = (outcome: CallOutcome, denial: StoredAsk | null): CallOutcome => {
    const answer = denial?.answer;
    if (outcome.ok || answer?.verdict !== "deny") return outcome;
    const note = answer.note === null || answer.note === "" ? "" : ` The person says: ${answer.note}`;
    return { ...outcome, hint: `${outcome.hint}${note}${answer.stop ? `\n${STOPPED}` : ""}` };
  };

  return async (id, access, words) => {
    const session = await ports.sessionNotEnded(id);
    const chat = await ports.chatOf(session);
    const call = callId(access.call);
    const callState = await stateOfCall(chat, call);
    if (callState !== "new" && callState !== "again") return callState;
    const wants = wantsOf(access);
    // INVARIANT: "granted" is said only of what passes now, whatever was answered.
    const judge = access.isUnconfined === true ? judgeCommand : access.needsNetwork === true ? judgeWithNetwork : judgePath;
    const decision = await judge(session, chat, access);
    if (decision.verdict === "allow") {
      const { reason, real } = decision;
      const claimed =
        reason === "answered" ? await claimOne(await claimable(session, chat, call, wants, real ?? ""), wants.operation, real ?? "") : null;
      if (reason === "answered" && claimed === null) throw new OnceGrantConflict();
      if (claimed?.isTransferred === true) {
        // That it was begun is on the disk before anybody goes by it, and with it whose the grant is now.
        if (callState === "new") await append(chat, access, words, { at: "started" });
        else await store.setCall(chat.id, call, ["proposed"], { at: "started" });
      }
      if (callState === "again" || claimed?.isTransferred === true) return { state: "done", outcome: { ok: true, output: "granted" } };
      const output = `\`${show(access.path)}\` ${meanings["already-in-scope"]}`;
      return { state: "done", outcome: isRequest(access) ? alreadyInScope(output) : { ok: true, output } };
    }
    if (decision.verdict === "deny") return { state: "done", outcome: { ok: false, code: decision.reason, hint: decision.hint } };
    await closeExpired(chat);
    const sameAsk = access.retriesUnderNewId === true ? await openSame(store, chat, decision.ask, wants) : null;
    // The call that asked is gone. This one waits in its place and is not put to the card, which stays as the person sees it.
    if (sameAsk !== null) {
      await ports.undecided.record(id, call, { judged: decision.ask.id, ask: sameAsk.id });
      return { state: "waiting", ask: sameAsk };
    }
    if (callState === "new") await append(chat, access, words, { at: "proposed" });
    const raised = await raise(ports, chat, clock() - DENIAL, decision.ask, words, access.content);
    if ("outcome" in raised) {
      const outcome = withPersonsNote(raised.outcome, raised.denial);
      await store.setCall(chat.id, call, ["proposed", "started"], { at: "done", outcome });
      return { state: "done", outcome };
    }
    return { state: "waiting", ask: raised.ask };
  };
}

const wantsOf = ({ tool, operation, path, isUnconfined, needsNetwork, content }: HostedAccess): CallFingerprint =>
  isUnconfined === true || needsNetwork === true
    ? { tool, operation: isUnconfined === true ? "replace" : "read", command: path, about: isUnconfined === true ? "command" : "network" }
    : { tool, operation, ...(content === undefined ? {} : { content }) };

/** What a call of another program would make of files, as it was stored with it. */
export function plannedIn(input: unknown): readonly PlannedWrite[] {
  const parsed = typeof input === "object" && input !== null && "writes" in input ? plannedWrites.safeParse(input.writes) : null;
  return parsed?.success === true ? parsed.data : [];
}

const alreadyInScope = (output: string): CallOutcome => ({ ok: false, code: "already-in-scope", hint: `${output}; read it directly` });
