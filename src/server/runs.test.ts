import { expect, test } from "vitest";
import type { Agent } from "../agent/agent.ts";
import type { Store } from "../agent/ports.ts";
import type { Sandbox } from "../sandbox/port.ts";
import type { Signal } from "../store/signals.ts";
import type { Leases } from "./leases.ts";
import { silentLog } from "./log.ts";
import { sharedRuns } from "./runs.ts";

/** Runs on a store of two chats of this machine; what is done with them, and what others are told. */
function shared() {
  const done: string[] = [];
  const sent: Signal[] = [];
  const chats = ["one", "stop one"];
  const store: Pick<Store, "chat" | "session" | "chats" | "said"> = {
    chat: (id) => Promise.resolve(chats.includes(id) ? ({ id, session: "s" } as never) : null),
    session: () => Promise.resolve({ machine: "here" } as never),
    chats: () => Promise.resolve([]),
    said: () => Promise.resolve([]),
  };
  const agent: Pick<Agent, "interrupt" | "wake" | "takeUp"> = {
    interrupt: (chat) => void done.push(`interrupt ${chat}`),
    wake: (chat) => Promise.resolve(void done.push(`wake ${chat}`)),
    takeUp: () => Promise.resolve(),
  };
  const leases: Leases = {
    take: () => Promise.resolve(null),
    wait: () => Promise.resolve(null as never),
    whose: () => Promise.resolve("nobody's"),
    isThere: () => false,
    clock: () => 0,
    onChange() {},
    close: () => Promise.resolve(),
  };
  const signals = {
    send: (signal: Signal) => Promise.resolve(void sent.push(signal)),
    listen: () => ({ close: async () => {} }),
    close: async () => {},
  };
  const runs = sharedRuns({
    store: store as Store,
    leases,
    signals,
    machine: "here",
    sandbox: {} as Sandbox,
    log: silentLog,
  });
  runs.start(agent as Agent);
  return { runs, done, sent };
}

test("what another process says about a chat is told by its kind, whatever the chat is called", async () => {
  const { runs, done } = shared();
  runs.onSignal("chat", "stop one");
  await expect.poll(() => done).toEqual(["wake stop one"]);
  runs.onSignal("stop", "one");
  expect(done).toEqual(["wake stop one", "interrupt one"]);
  await runs.close();
});

test("to stop a chat the others are told so, and to run it they are told to look", async () => {
  const { runs, sent } = shared();
  await runs.lease?.("one", "stop");
  await runs.lease?.("one", "run");
  expect(sent).toEqual([
    { kind: "stop", id: "one" },
    { kind: "chat", id: "one" },
  ]);
  await runs.close();
});
