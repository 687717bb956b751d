// The end of an ask in the store in memory, and what becomes of the calls that waited for it.

import type { Store, StoredAsk } from "../agent/ports.ts";
import { HallpassError } from "../core/errors.ts";
import type { AskId } from "../core/names.ts";
import { callsIn, putCall } from "./memory-calls.ts";
import type { Memory } from "./memory-rows.ts";

type Changes = Parameters<Store["closeAsk"]>[1];

/** Throws where a call would wait for an ask that is over. To be asked before the first change. */
export function refuseWaiting(changes: Changes): void {
  if (changes.some(({ to }) => to.at === "waiting")) throw new HallpassError("bad-request", "an ask is over: its calls cannot wait on");
}

/** Every call that waits for the ask goes on as `changes` says; one that it does not name is proposed again. */
export function settle(memory: Memory, ask: StoredAsk, changes: Changes): void {
  const calls = (memory.transcripts.get(ask.chat) ?? []).flatMap(callsIn);
  for (const call of calls.filter(({ state }) => state.at === "waiting" && state.ask === ask.id))
    putCall(memory, ask.chat, call.id, changes.find((change) => change.call === call.id)?.to ?? { at: "proposed" });
}

/** Close those of the asks that are open, all or none; gives them. One that is named twice is closed as it is named first. */
export function closeAll(memory: Memory, closing: Parameters<Store["closeAsks"]>[1]): readonly AskId[] {
  const { asks } = memory;
  const open = closing.filter(({ ask }, at) => asks.get(ask)?.state === "open" && closing.findIndex((one) => one.ask === ask) === at);
  for (const { calls } of open) refuseWaiting(calls);
  for (const { ask: id, calls } of open) {
    const ask = asks.get(id);
    if (ask === undefined) continue;
    asks.set(id, { ...ask, state: "closed" });
    settle(memory, ask, calls);
  }
  return open.map(({ ask }) => ask);
}
