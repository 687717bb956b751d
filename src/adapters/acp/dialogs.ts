// The proxy's own questions to the editor. An ask becomes one permission request, however many calls wait for it, and is withdrawn when
// the last of them is gone. Any answer that is not a clear yes is a no. A yes that comes sooner than a person can read does not count.

import type { Ids } from "../../core/clock.ts";
import type { WireAsk } from "../../wire/values.ts";
import type { HostSession } from "../host-session/host-session.ts";
import { isTooSoon, timed } from "../host-session/dialog.ts";
import { answerOf, permissionRequest, plainRequest, YES } from "./permission.ts";
import { type Fields, fieldsOf, type Id, textAt } from "./rpc.ts";

/** Answered, whatever the answer; nobody was asked; or a yes sooner than anybody can read. */
export type DialogOutcome = "answered" | "nothing" | "too-soon";

/** A question that is about no access: what is asked, in our words. */
export interface PlainQuestion {
  readonly title: string;
  readonly lines: readonly string[];
  readonly yes: string;
}

type Confirmation = "yes" | "no" | Exclude<DialogOutcome, "answered">;

export interface EditorDialogs {
  /** Settles when the person answered, when the editor would not ask them, or when `gone`. */
  put(session: string, hostSession: HostSession, ask: WireAsk, gone: AbortSignal): Promise<DialogOutcome>;
  /**
   * A yes for this once, a no, or none of them. Grants nothing. One question at a time, and a no to one of them holds for its method until the
   * person speaks again, so that an agent cannot wear its person down with them.
   */
  confirm(about: { readonly session: string; readonly method: string }, question: PlainQuestion, gone: AbortSignal): Promise<Confirmation>;
  /** The person said something in this session. */
  spoken(session: string): void;
  /** Is it the id of a request of ours, or of a call that we show? It is not the agent's to use. */
  isOurs(id: Id): boolean;
  /** The editor's answer. Only the first to each of ours is heard. */
  settle(id: Id, result: Fields | null): void;
  close(): void;
}

const OURS = "hallpass-";

interface OpenDialog {
  callers: number;
  readonly stop: AbortController;
  readonly done: Promise<DialogOutcome>;
}

interface Outcome {
  /** The protocol's word, and the option that was chosen. */
  readonly kind: string | null;
  readonly option: string;
  /** How long the person had, in milliseconds. */
  readonly elapsed: number;
}

export function createDialogs(toEditor: (line: string) => void, ids: Ids): EditorDialogs {
  const waiting = new Map<Id, { readonly settle: (result: Fields | null) => void; readonly abort: () => void }>();
  const openDialogs = new Map<string, OpenDialog>();
  /** By session: the methods that were not said yes to, and how. */
  const refused = new Map<string, Map<string, Confirmation>>();
  let confirming: Promise<unknown> = Promise.resolve();

  /** Ask the editor. Null where it refused, or when `gone`. */
  const request = (method: string, params: Fields, gone: AbortSignal): Promise<Fields | null> =>
    new Promise((resolve) => {
      // Between two cards of one ask: nobody would hear of the end of the second.
      if (gone.aborted) return resolve(null);
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
      waiting.set(id, { settle, abort });
      gone.addEventListener("abort", abort, { once: true });
      toEditor(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });

  const ask = async (params: Fields, gone: AbortSignal): Promise<Outcome | null> => {
    const { reply, elapsed } = await timed(() => request("session/request_permission", params, gone));
    const outcome = reply === null ? null : fieldsOf(reply["outcome"]);
    if (outcome === null || gone.aborted) return null;
    return { kind: textAt(outcome, "outcome"), option: textAt(outcome, "optionId") ?? "", elapsed };
  };
  // INVARIANT: nobody can guess what a card of ours is called, so no agent can tell the editor that it says something else.
  const callId = (): string => `${OURS}${ids()}`;

  const show = async (session: string, hostSession: HostSession, first: WireAsk, gone: AbortSignal): Promise<DialogOutcome> => {
    for (let card = first; ;) {
      const outcome = await ask({ ...permissionRequest(session, card, callId()) }, gone);
      if (outcome === null) return "nothing";
      const { kind, option, elapsed } = outcome;
      if (kind === "cancelled") {
        await hostSession.cancel(card.id);
        return "answered";
      }
      const chosen = answerOf(card, { outcome: "selected", optionId: kind === "selected" ? option : "" });
      if (chosen !== null && isTooSoon(chosen, elapsed)) return "too-soon";
      const after = chosen === null ? card : await hostSession.answer(card.id, chosen);
      // Not taken, and still open: the card has changed since it was shown (another path was put to it), so it is shown as it is now.
      if (after.state !== "open" || after.digest === card.digest) return "answered";
      card = after;
    }
  };

  return {
    async put(session, hostSession, ask, gone) {
      let dialog = openDialogs.get(ask.id);
      if (dialog === undefined) {
        const stop = new AbortController();
        const done = show(session, hostSession, ask, stop.signal).finally(() => openDialogs.delete(ask.id));
        dialog = { callers: 0, stop, done };
        openDialogs.set(ask.id, dialog);
      }
      dialog.callers += 1;
      try {
        return await Promise.race([dialog.done, aborted(gone)]);
      } finally {
        dialog.callers -= 1;
        if (dialog.callers === 0) dialog.stop.abort();
      }
    },
    confirm({ session, method }, question, gone) {
      const confirmed = confirming.then(async () => {
        const known = gone.aborted ? "nothing" : refused.get(session)?.get(method);
        if (known !== undefined) return known;
        const confirmation = confirmedBy(await ask({ ...plainRequest(session, question, callId()) }, gone));
        if (confirmation !== "yes" && !gone.aborted)
          refused.set(session, (refused.get(session) ?? new Map<string, Confirmation>()).set(method, confirmation));
        return confirmation;
      });
      confirming = confirmed.catch(() => {});
      return confirmed;
    },
    spoken: (session) => void refused.delete(session),
    isOurs: (id) => typeof id === "string" && id.startsWith(OURS),
    settle: (id, result) => waiting.get(id)?.settle(result),
    close() {
      for (const { abort } of waiting.values()) abort();
    },
  };
}

function confirmedBy(outcome: Outcome | null): Confirmation {
  if (outcome === null) return "nothing";
  if (outcome.kind !== "selected" || outcome.option !== YES) return "no";
  return isTooSoon({ decision: "allow_once" }, outcome.elapsed) ? "too-soon" : "yes";
}

function aborted(signal: AbortSignal): Promise<"nothing"> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve("nothing");
    signal.addEventListener("abort", () => resolve("nothing"), { once: true });
  });
}
