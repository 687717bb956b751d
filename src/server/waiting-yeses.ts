// Yeses that were given on a machine without the files. The row is the queue: a yes is kept with its ask, as it was given, and the machine
// that has the files answers with it, by the one way in which every answer is judged and stored. A signal only says where to look; one that
// is lost is made up for by looking through all of them now and then, and when a process comes or goes.

import type { Agent } from "../agent/agent.ts";
import type { StoredGrant } from "../agent/ports.ts";
import { messageOf } from "../core/record.ts";
import { askId, type AskId } from "../core/names.ts";
import type { AppPorts } from "./ports.ts";
import { repeat } from "./repeating.ts";

interface WaitingPorts extends Pick<AppPorts, "store" | "machine" | "log" | "clock"> {
  readonly agent: Pick<Agent, "answer">;
  /** Keep a grant for the workspace, as it was asked for. */
  readonly keep: (grant: StoredGrant, workspace: string, by: string) => Promise<unknown>;
  /** Show the card of an ask that waits again: the machine that it waits for may have come or gone. */
  readonly showAgain: (ask: AskId) => void;
}

const SWEEP = 5000;

export function watchWaitingYeses({ store, agent, machine, log, clock, keep, showAgain }: WaitingPorts) {
  const underWay = new Set<string>();
  const settle = async (id: AskId): Promise<void> => {
    if (underWay.has(id)) return;
    underWay.add(id);
    try {
      const askInSession = await store.askInSession(id);
      const yes = askInSession?.ask.waitingYes;
      if (askInSession === null || askInSession.ask.state !== "open" || yes === undefined || askInSession.session.machine !== machine)
        return;
      const { by, at, opens, keeps, lasts } = yes;
      const expiry = lasts === null ? {} : { expires: clock() + lasts };
      const result = await agent.answer(askInSession, { verdict: "allow", until: "session", by, at, opens, keeps, ...expiry });
      if (keeps && result.ok === true && result.grant !== null) await keep(result.grant, askInSession.session.workspace, by);
      // It cannot be granted as it was given, and nobody said no: the question is open again.
      if (result.ok === false && result.ask?.state === "open") await store.keepYes(id, null);
    } catch (error) {
      // The files or the policy cannot be read now: it waits on.
      log.warn({ ask: id, error: messageOf(error) }, "a yes from another machine could not be judged yet");
    } finally {
      underWay.delete(id);
    }
  };
  const sweep = async (isShown: boolean): Promise<void> => {
    for (const { id } of await store.waitingYeses()) {
      if (isShown) showAgain(id);
      await settle(id);
    }
  };
  const sweeping = repeat(() => sweep(false), SWEEP, log, "yeses that wait could not be looked for");
  return {
    /** Something of this ask has changed. */
    look: (ask: string): void => void settle(askId(ask)),
    /** Something may have been missed, or a machine has come or gone. */
    lookAll(): void {
      sweep(true).catch((error: unknown) => log.warn({ error: messageOf(error) }, "yeses that wait could not be looked for"));
    },
    close: (): void => sweeping.stop(),
  };
}
