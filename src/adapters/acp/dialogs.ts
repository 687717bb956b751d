// The proxy's own questions to the editor: an ask as a permission request, shown once however many calls wait for it, taken away when the
// last of them is gone. Whatever the editor answers that is no clear yes is a no.

import type { Ids } from "../../core/clock.ts";
import type { WireAsk } from "../../wire/values.ts";
import type { Desk } from "../desk/desk.ts";
import { answerOf, permissionRequest } from "./permission.ts";
import { type Fields, fieldsOf, type Id, textAt } from "./rpc.ts";

export interface Dialogs {
  /** Settles when the person answered, when the editor would not ask them, or when `gone`. */
  put(session: string, desk: Desk, ask: WireAsk, gone: AbortSignal): Promise<void>;
  /** Is it the id of a request of ours? Its answer is not the agent's. */
  isOurs(id: Id): boolean;
  /** The editor's answer. Only the first to each of ours is heard. */
  heard(id: Id, result: Fields | null): void;
  close(): void;
}

const OURS = "hallpass-";

interface Shown {
  callers: number;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export function createDialogs(toEditor: (line: string) => void, ids: Ids): Dialogs {
  const waiting = new Map<Id, (result: Fields | null) => void>();
  const shown = new Map<string, Shown>();

  /** Ask the editor. Null where it refused, or when `gone`. */
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

  const show = async (session: string, desk: Desk, ask: WireAsk, gone: AbortSignal): Promise<void> => {
    for (let card = ask; ;) {
      const said = await request("session/request_permission", { ...permissionRequest(session, card) }, gone);
      const outcome = said === null ? null : fieldsOf(said["outcome"]);
      if (outcome === null || gone.aborted) return;
      const word = textAt(outcome, "outcome");
      if (word === "cancelled") return desk.cancel(card.id);
      const chosen = answerOf(card, { outcome: "selected", optionId: word === "selected" ? (textAt(outcome, "optionId") ?? "") : "" });
      const after = chosen === null ? card : await desk.answer(card.id, chosen);
      // Not taken, and still open: the card has changed since it was shown (another path was put to it), so it is shown as it is now.
      if (after.state !== "open" || after.digest === card.digest) return;
      card = after;
    }
  };

  return {
    async put(session, desk, ask, gone) {
      let one = shown.get(ask.id);
      if (one === undefined) {
        const stop = new AbortController();
        const done = show(session, desk, ask, stop.signal).finally(() => shown.delete(ask.id));
        one = { callers: 0, stop, done };
        shown.set(ask.id, one);
      }
      one.callers += 1;
      try {
        await Promise.race([one.done, aborted(gone)]);
      } finally {
        one.callers -= 1;
        if (one.callers === 0) one.stop.abort();
      }
    },
    isOurs: (id) => typeof id === "string" && id.startsWith(OURS),
    heard: (id, result) => waiting.get(id)?.(result),
    close() {
      for (const settle of waiting.values()) settle(null);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
