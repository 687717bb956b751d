// A program gives up a call that nobody answers in time, and makes it again under another name: the yes for once that came meanwhile is
// passed on to one such call and to nothing else, and whoever was told of a yes keeps it.

import { expect, onTestFinished, test } from "vitest";
import { decision, grantAsk, yes } from "../../test/store-conformance/values.ts";
import { tree } from "../../test/tree.ts";
import { compilePolicy } from "../core/policy/compile.ts";
import { emptyPolicy } from "../core/policy/rule.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createAgent } from "./agent.ts";
import type { GivenAnswer } from "./answering.ts";
import type { HostedAccess } from "./hosted.ts";
import { scriptedModel } from "./models/scripted.ts";
import { isOnceUse, recordOnceUse, TRANSFERABLE } from "./once-grant.ts";

const granted = { state: "done", outcome: { ok: true, output: "granted" } };

async function desk({ offer = "session", askLife = null }: { readonly offer?: "once" | "session"; readonly askLife?: number | null } = {}) {
  const at = tree(["ws/a: A", "r/.git/", "r/x: X", "r/y: Y", "r/d/in: D"]);
  const store = createMemoryStore();
  const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root], asks: { ...emptyPolicy.asks, offer } }, "/home/nobody-here");
  const time = { now: 1_763_200_000_000 };
  const agent = createAgent({
    store,
    model: scriptedModel([]),
    home: "/home/nobody-here",
    policyFor: () => policy,
    clock: () => (time.now += 1),
    askLife,
  });
  onTestFinished(async () => {
    await agent.close();
    at.remove();
  });
  const { hosted } = agent;
  const register = async (hostSession: string) =>
    (await hosted.register({ host: "host", hostSession, workspace: at.path("ws") })).session.id;
  const session = await register("s1");
  const read = (call: string, path = "r/x"): HostedAccess => ({ call, tool: "Read", operation: "read", path: at.path(path) });
  const asked = async (access: HostedAccess) => {
    const its = await hosted.ask(session, access, null);
    if (its.state !== "waiting") throw new Error("nobody was asked");
    return its.ask;
  };
  /** A person answers what a call asks for; the call itself never comes back. */
  const answered = async (access: HostedAccess, answer: Partial<GivenAnswer> = {}) => {
    const ask = await asked(access);
    const given = { verdict: "allow", until: "call", by: "me", ...answer } as GivenAnswer;
    expect(await agent.answer(ask.id, given)).toMatchObject({ ok: true });
    return ask;
  };
  const verdict = async (access: HostedAccess, of = session) => (await hosted.decide(of, access)).verdict;
  return { at, store, agent, hosted, time, session, register, read, asked, answered, verdict };
}

test("a yes to a call that was given up serves the same call made again, once; the first is told where it went", async () => {
  const { hosted, store, session, read, answered, verdict } = await desk();
  await answered(read("c1"));
  expect([await verdict(read("c2")), await verdict(read("c2")), await verdict(read("c3")), await verdict(read("c1"))]).toEqual([
    "allow",
    "ask",
    "ask",
    "ask",
  ]);
  expect(await hosted.ask(session, read("c1"), null)).toMatchObject({ state: "done", outcome: { ok: false, code: "request-closed" } });
  expect(await store.audit({ reason: "answered" })).toHaveLength(1);
  expect(await store.verifyAudit()).toBeNull();
});

test("it serves no other path, tool, operation, session or agent below", async () => {
  const { at, hosted, session, register, answered, verdict } = await desk();
  const look = (more: Partial<HostedAccess>): HostedAccess => ({
    call: "c2",
    tool: "Look",
    operation: "list",
    path: at.path("r/d"),
    ...more,
  });
  await answered(look({ call: "c1" }));
  const below = await hosted.register({ host: "host", hostSession: "s1/helper", workspace: at.path("ws"), parent: session });
  expect([
    await verdict(look({ path: at.path("r") })),
    await verdict(look({ path: at.path("r/d/in") })),
    await verdict(look({ tool: "Search" })),
    await verdict(look({ operation: "search" })),
    await verdict(look({ operation: "read" })),
    await verdict(look({}), await register("s2")),
    await verdict(look({}), below.session.id),
  ]).toEqual(Array.from({ length: 7 }, () => "ask"));
  expect(await verdict(look({ operation: "remove" }))).toBe("deny");
  expect(await verdict(look({}))).toBe("allow");
});

test("which operation a yes was for is what was judged, also where a call of that name has asked for another before", async () => {
  const { at, answered, verdict } = await desk({ offer: "once" });
  const look = (call: string, operation: "list" | "search"): HostedAccess => ({ call, tool: "Look", operation, path: at.path("r/d") });
  await answered(look("c1", "search"));
  expect(await verdict(look("c1", "search"))).toBe("allow");
  await answered(look("c1", "list"));
  expect([await verdict(look("c2", "search")), await verdict(look("c2", "list"))]).toEqual(["ask", "allow"]);
});

test("of many that make the same call again at once, one is let through", async () => {
  const { read, answered, verdict } = await desk();
  await answered(read("c1"));
  const verdicts = await Promise.all(Array.from({ length: 12 }, (_, number) => verdict(read(`again-${number}`))));
  expect(verdicts.toSorted()).toEqual(["allow", ...Array.from({ length: 11 }, () => "ask")]);
});

test("an hour after the answer it is passed on no longer, nor after the time a person set, nor once the roots have changed", async () => {
  for (const [late, verdicts] of [
    [TRANSFERABLE - 1_000, "allow"],
    [TRANSFERABLE + 1_000, "ask"],
  ] as const) {
    const { time, read, answered, verdict } = await desk();
    await answered(read("c1"));
    time.now += late;
    expect(await verdict(read("c2"))).toBe(verdicts);
  }
  const short = await desk();
  await short.answered(short.read("c1"), { expires: short.time.now + 60_000 });
  short.time.now += 61_000;
  expect(await short.verdict(short.read("c2"))).toBe("ask");
  const moved = await desk();
  await moved.answered(moved.read("c1"));
  await moved.store.endOnceGrants(moved.session, moved.time.now, null);
  expect(await moved.verdict(moved.read("c2"))).toBe("ask");
});

test("a call that was told of its yes keeps it, however it was told", async () => {
  const told = await desk();
  await told.answered(told.read("c1"));
  expect((await told.hosted.state(told.session, "c1")).once).toHaveLength(1);
  expect([await told.verdict(told.read("c2")), await told.verdict(told.read("c1"))]).toEqual(["ask", "allow"]);
  const asked = await desk();
  await asked.answered(asked.read("c1"));
  expect(await asked.hosted.ask(asked.session, asked.read("c1"), null)).toEqual(granted);
  expect([await asked.verdict(asked.read("c2")), await asked.verdict(asked.read("c1"))]).toEqual(["ask", "allow"]);
});

test("a program that judges for itself is given the yes by asking, under the new name, and nobody else is", async () => {
  const { hosted, session, read, answered, verdict } = await desk();
  await answered(read("c1"));
  const once = async (call: string) => (await hosted.state(session, call)).once.map(({ call: whose }) => whose);
  expect(await once("c2")).toEqual([]);
  const both = await Promise.all([hosted.ask(session, read("c2"), null), hosted.ask(session, read("c3"), null)]);
  expect(both).toMatchObject([granted, { state: "waiting" }]);
  expect([await once("c2"), await once("c3"), await once("c1")]).toEqual([["c2"], [], []]);
  // Asked again it is still told so, and another way of using it is not in it.
  expect(await hosted.ask(session, read("c2"), null)).toEqual(granted);
  expect(await verdict({ ...read("c2"), operation: "search" })).toBe("ask");
  expect([await verdict(read("c2")), await verdict(read("c2"))]).toEqual(["allow", "ask"]);
  expect(await once("c2")).toEqual([]);
});

test("asking again for what a request was allowed uses nothing up; what is read by it does, by whatever name", async () => {
  const { hosted, session, read, answered, verdict } = await desk();
  const request = (call: string): HostedAccess => ({ ...read(call), tool: "request_read_access" });
  await answered(request("c1"));
  expect([await verdict(request("c2")), await verdict(request("c3"))]).toEqual(["allow", "allow"]);
  expect(await hosted.ask(session, request("c4"), null)).toMatchObject({ outcome: { code: "already-in-scope" } });
  expect([await verdict(read("c1")), await verdict(read("c5")), await verdict(request("c6"))]).toEqual(["allow", "ask", "ask"]);
  await answered(request("c7"));
  expect([await verdict(read("c8")), await verdict(read("c7"))]).toEqual(["allow", "ask"]);
});

test("a command that nothing confines is passed its yes only where all of its text is the same", async () => {
  const { hosted, session, answered, asked, verdict } = await desk();
  const run = (call: string, path: string): HostedAccess => ({ call, tool: "bash", operation: "replace", path, isUnconfined: true });
  await answered(run("c1", "make all"));
  expect((await asked(run("c2", "make all "))).state).toBe("open");
  // By its field alone: the same words without it are an access to a path.
  expect(await verdict({ call: "c3", tool: "bash", operation: "replace", path: "/" })).toBe("deny");
  expect(await hosted.ask(session, run("c4", "make all"), null)).toEqual(granted);
  expect((await hosted.state(session, "c4")).once).toMatchObject([{ right: "write", path: "/" }]);
  expect((await asked(run("c5", "make all"))).state).toBe("open");
});

test("of a program that waits briefly, the same call made again is the same ask on the same card; another access is not", async () => {
  for (const offer of ["once", "session"] as const) {
    const { at, store, read, asked } = await desk({ offer });
    const brief = (call: string, more: Partial<HostedAccess> = {}): HostedAccess => ({ ...read(call), ...more, retriesUnderNewId: true });
    const first = await asked(brief("c1"));
    for (const call of ["c2", "c3"]) expect(await asked(brief(call))).toEqual(first);
    expect(await store.ask(first.id)).toEqual(first);
    expect(await store.asks({ state: "open" })).toEqual([first]);
    // Elsewhere under the same root it is put to the card where that offers the root, and is a card of its own otherwise.
    const other = await asked(brief("c4", { path: at.path("r/y") }));
    expect(other.id === first.id).toBe(offer === "session");
  }
});

test("a card that nobody can answer any longer is not waited for", async () => {
  const { time, store, read, asked } = await desk({ askLife: 60_000 });
  const first = await asked({ ...read("c1"), retriesUnderNewId: true });
  time.now += 61_000;
  const second = await asked({ ...read("c2"), retriesUnderNewId: true });
  expect([second.id === first.id, (await store.ask(first.id))?.state]).toEqual([false, "closed"]);
});

test("after the clock is set back no card, yes or no that is from later by it is gone by: the person is asked", async () => {
  const { time, store, read, asked, answered, verdict } = await desk({ offer: "once", askLife: 60_000 });
  await answered(read("c1"));
  await answered(read("d1", "r/y"), { verdict: "deny" });
  const open = await asked({ ...read("e1", "r/d/in"), retriesUnderNewId: true });
  time.now -= 3 * TRANSFERABLE;
  expect(await verdict(read("c2"))).toBe("ask");
  expect(await asked(read("d2", "r/y"))).toMatchObject({ state: "open" });
  const again = await asked({ ...read("e2", "r/d/in"), retriesUnderNewId: true });
  expect([again.id === open.id, (await store.ask(open.id))?.state]).toEqual([false, "closed"]);
});

test("a no that came after the call was given up is told in the person's words, and nobody is asked again for a while", async () => {
  const { time, hosted, store, session, read, answered } = await desk();
  await answered(read("c1"), { verdict: "deny", note: "use the copy", stop: true });
  const again = await hosted.ask(session, read("c2"), null);
  expect(again).toMatchObject({ state: "done", outcome: { ok: false, code: "recently-denied" } });
  expect(JSON.stringify(again)).toContain("The person says: use the copy");
  expect(JSON.stringify(again)).toContain("asked you to stop here");
  expect(await store.asks({ state: "open" })).toEqual([]);
  time.now += 5 * 60_000;
  expect(await hosted.ask(session, read("c3"), null)).toMatchObject({ state: "waiting" });
});

test("a yes to start an agent lets its call list the directory, and read nothing in its place", async () => {
  const path = "/home/me/src/library";
  const about = { what: "agent", task: "look", survey: null, wasReadOnly: false } as const;
  const ask = grantAsk(1, {
    tool: "spawn_agent",
    operation: "replace",
    right: "write",
    offers: "once",
    path,
    about,
    answer: { ...yes, until: "call" },
  });
  const recorded: unknown[] = [];
  const store = {
    onceGrants: async () => [{ ask, claimedBy: null, usedBy: null }],
    useOnce: async () => true,
    record: async (events: readonly unknown[]) => void recorded.push(...events),
  };
  const useTo = async (operation: "list" | "read" | "search"): Promise<boolean> => {
    const use = decision(1, { tool: "spawn_agent", operation, real: path, verdict: "allow", reason: "answered" });
    if (!isOnceUse(use)) throw new Error("it is the use of a yes for once");
    return recordOnceUse(store, use, false);
  };
  expect([await useTo("list"), await useTo("read"), await useTo("search")]).toEqual([true, false, false]);
  expect(recorded).toMatchObject([
    { verdict: "deny", operation: "read" },
    { verdict: "deny", operation: "search" },
  ]);
});
