// Which process drives which chat. Alone on a store: this one, always. On a shared store: one process per chat, on the machine that has the
// chat's files. It holds a lock that ends with its connection; a process that cannot drive a chat signals those that can.
//
// There is no queue. Whether a chat has something to do is in its rows, where an answer puts it in the same transaction; a signal only
// says where to look, and a signal that is lost is made up for by looking (`takeUp`) when a process dies or the connection was gone.

import type { Agent, AgentPorts, Lease } from "../agent/agent.ts";
import type { Store } from "../agent/ports.ts";
import { messageOf } from "../core/record.ts";
import { sessionId } from "../core/names.ts";
import type { Sandbox } from "../sandbox/port.ts";
import type { Leases } from "./leases.ts";
import type { Log, Signals } from "./ports.ts";

export interface ChatRuns extends Required<Pick<AgentPorts, "fault">>, Pick<AgentPorts, "lease"> {
  /** Begin with unfinished chats; from here on chats are driven. */
  start(agent: Agent): void;
  /** Another process says that something of a chat or session changed, or that a chat is to stop. */
  onSignal(what: "chat" | "stop" | "session", id: string): void;
  /** Signals may have been missed. */
  gap(): void;
  close(): Promise<void>;
}

export interface SharedPorts {
  readonly store: Store;
  readonly leases: Leases;
  readonly signals: Signals;
  readonly machine: string;
  readonly sandbox: Sandbox;
  readonly log: Log;
}

/** Pauses before a chat whose run failed without a trace is tried again, in milliseconds. */
const PAUSES = [250, 500, 1000, 2000, 5000, 10_000];
/** So many of a session's revocations are looked at: those that may have been under way. By number, since clocks differ. */
const RECENT = 200;
/** So often in a row; then it is left until somebody speaks or the daemon starts again. */
const TRIES = 40;
/** Milliseconds between two looks for chats that nobody drives. */
const SWEEP = 5000;
const REMEMBERED = 10_000;

/** Alone on its store. */
export function ownRuns(log: Log): ChatRuns {
  const retry = retries(log);
  return {
    fault: (chat, error) => retry.later(chat, error),
    start(agent) {
      retry.start(agent);
      background(log, agent.takeUp());
    },
    onSignal() {},
    gap() {},
    close: () => Promise.resolve(retry.close()),
  };
}

export function sharedRuns({ store, leases, signals, machine, sandbox, log }: SharedPorts): ChatRuns {
  const retry = retries(log);
  const machines = new Map<string, string>();
  let agent: Agent | null = null;

  /** The machine with the files of a chat; it never changes. Null: no such chat. */
  const machineOf = async (chat: string): Promise<string | null> => {
    const cached = machines.get(chat);
    if (cached !== undefined) return cached;
    const stored = await store.chat(chat);
    const session = stored === null ? null : await store.session(stored.session);
    if (session === null) return null;
    if (machines.size >= REMEMBERED) machines.clear();
    machines.set(chat, session.machine);
    return session.machine;
  };
  const tell = (id: string): void => {
    signals.send({ kind: "chat", id }).catch((error: unknown) => retry.later(id, error));
  };
  const lease = async (chat: string, purpose: "run" | "stop"): Promise<Lease | null> => {
    if (purpose === "stop") await signals.send({ kind: "stop", id: chat });
    if (purpose !== "run") return leases.wait(chat);
    const chatLease = (await machineOf(chat)) === machine ? await leases.take(chat) : null;
    // RACE: whoever has it may have looked for the last time before our rows were there; told now, it looks again or begins anew.
    if (chatLease === null) tell(chat);
    return chatLease;
  };
  const takeUp = (): void => {
    if (agent !== null) background(log, agent.takeUp());
  };
  /** End the commands here that see what was revoked elsewhere. The record says which grants; ending one twice is nothing. */
  const endRevoked = async (id: string): Promise<void> => {
    for (const kind of ["revocation", "grant-ended"] as const)
      for (const { event } of await store.audit({ session: sessionId(id), kind, newestFirst: true, limit: RECENT }))
        if (event.kind === kind) sandbox.revoke(event.grant);
    const ended = (await store.session(sessionId(id)))?.archivedAt ?? null;
    if (ended === null) return;
    sandbox.endSession(sessionId(id));
    for (const { id: chat } of await store.chats(sessionId(id))) agent?.interrupt(chat);
  };
  const wakeOwn = async (chat: string): Promise<void> => {
    if ((await machineOf(chat)) !== machine || agent === null || (await leases.whose(chat)) === "another's") return;
    await agent.wake(chat);
  };
  /** Chats that run, or have something to hear, and that nobody drives: whoever did is gone, and we were not told. */
  const sweep = async (): Promise<void> => {
    const abandoned = new Set((await store.chats(null, ["running"])).map(({ id }) => id));
    for (const { chat } of await store.said(null)) if ((await store.chat(chat))?.status !== "waiting_for_input") abandoned.add(chat);
    for (const id of abandoned)
      if ((await machineOf(id)) === machine && (await leases.whose(id)) === "nobody's" && agent !== null) background(log, agent.wake(id));
  };
  const sweeping = setInterval(() => background(log, sweep()), SWEEP);
  sweeping.unref();
  return {
    lease,
    fault: (chat, error) => retry.later(chat, error),
    start(started) {
      agent = started;
      retry.start(started);
      leases.onChange(takeUp);
      takeUp();
    },
    onSignal(what, id) {
      if (id === "" || agent === null) return;
      if (what === "session") return background(log, endRevoked(id));
      if (what === "stop") return agent.interrupt(id);
      background(log, wakeOwn(id));
    },
    gap: takeUp,
    async close() {
      clearInterval(sweeping);
      retry.close();
      await leases.close();
    },
  };
}

/** Chats to be woken again after a fault, each with a growing pause. */
function retries(log: Log) {
  const timers = new Map<string, NodeJS.Timeout>();
  const faults = new Map<string, number>();
  let agent: Agent | null = null;
  let closed = false;
  return {
    start(started: Agent): void {
      agent = started;
    },
    later(chat: string, error: unknown): void {
      if (closed || timers.has(chat)) return;
      const count = faults.get(chat) ?? 0;
      if (count >= TRIES) return log.error({ chat, error: messageOf(error) }, "a chat's run failed for good");
      if (faults.size > REMEMBERED) faults.clear();
      faults.set(chat, count + 1);
      log.warn({ chat, count, error: messageOf(error) }, "a chat's run failed; trying again soon");
      const timer = setTimeout(
        () => {
          timers.delete(chat);
          if (agent !== null) background(log, agent.wake(chat));
        },
        PAUSES[Math.min(count, PAUSES.length - 1)],
      );
      timers.set(chat, timer.unref());
    },
    close(): void {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

function background(log: Log, work: Promise<unknown>): void {
  work.catch((error: unknown) => log.warn({ error: messageOf(error) }, "resuming chats failed"));
}
