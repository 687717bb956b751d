// A command of our own chat that reaches for another repository: its system call waits, the chat shows the card, and the answer reaches the running
// program. With a scripted model, a real store and a real sandbox.

import { existsSync, rmSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../src/agent/agent.ts";
import { scriptedModel, type Script } from "../src/agent/models/scripted.ts";
import type { GivenAnswer } from "../src/agent/answering.ts";
import type { StoredAsk } from "../src/agent/ports.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { emptyPolicy } from "../src/core/policy/rule.ts";
import { createBubblewrap } from "../src/sandbox/bubblewrap.ts";
import { whyNoKeeper } from "../src/sandbox/keeper.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { createMemoryStore } from "../src/store/memory.ts";
import { tree } from "./tree.ts";

const why = (await detect()).why ?? whyNoKeeper();
// Left out on somebody's own machine, and where there is no such device at all; where every commit is tried it must work.
const asking = describe.skipIf(why !== null && (process.env["CI"] === undefined || !existsSync("/dev/fuse")));
/** For a machine on which everything runs at once. */
const WITHIN = { timeout: 60_000, interval: 10 };

async function stage(script: Script) {
  const at = tree([
    "home/code/ws/a.txt: inside",
    "home/code/lib/.git/",
    "home/code/lib/x.txt: OUTSIDE",
    "home/code/lib/.env: TOKEN",
    "home/code/other/.git/",
    "home/code/other/y.txt: ANOTHER",
  ]);
  const store = createMemoryStore();
  const policy = compilePolicy(emptyPolicy, at.path("home"));
  const sandbox = createBubblewrap();
  const agent = createAgent({ store, sandbox, model: scriptedModel(script), home: at.path("home"), policyFor: () => policy });
  onTestFinished(async () => {
    await agent.close();
    await store.close();
    at.remove();
  });
  const session = await agent.newSession({ workspace: at.path("home/code/ws") });
  const chat = await agent.newChat(session.id);
  const asks = (): Promise<readonly StoredAsk[]> => store.asks({ session: session.id });
  return {
    at,
    agent,
    store,
    session,
    chat,
    asks,
    status: async () => (await store.chat(chat.id))?.status,
    /** The one ask that is open. */
    async openAsk(): Promise<StoredAsk> {
      const open = () => store.asks({ session: session.id, state: "open" });
      await expect.poll(async () => (await open()).length, WITHIN).toBe(1);
      const [ask] = await open();
      return ask ?? expect.fail("no ask");
    },
    answer: async (ask: StoredAsk, answer: Omit<Extract<GivenAnswer, { verdict: "allow" }>, "by"> | { verdict: "deny"; stop?: boolean }) =>
      agent.answer(ask.id, { ...answer, by: "me" }),
    /** What the model is told of each of its calls. */
    async told(): Promise<readonly string[]> {
      const calls = (await store.transcript(chat.id)).flatMap((message) => (message.role === "agent" ? message.calls : []));
      return calls.map(({ state }) => (state.at !== "done" ? state.at : state.outcome.ok ? state.outcome.output : state.outcome.hint));
    },
  };
}

const bash = (command: string) => ({ calls: [{ name: "bash", input: { command } }] });
const networked = (command: string) => ({ name: "bash", input: { command, network: true } });

asking("a command of a chat that reaches for another repository", () => {
  test("waits, goes on after a yes, and the next one need not ask", { timeout: 120_000 }, async () => {
    const it = await stage([bash("cat ../lib/x.txt; cat ../lib/.env; echo y > ../lib/new"), bash("cat ../lib/x.txt"), "done"]);
    await it.agent.hear(it.chat.id, "look at the library");
    const ask = await it.openAsk();
    expect(ask).toMatchObject({
      kind: "pending_grant",
      path: it.at.path("home/code/lib/x.txt"),
      words: "cat (cat ../lib/x.txt) reached for it",
    });
    expect([await it.status(), await it.told()]).toEqual(["waiting_for_input", ["waiting"]]);
    await it.answer(ask, { verdict: "allow", until: "session" });
    await it.agent.settled();
    const [first = "", second = ""] = await it.told();
    expect(first).toContain("OUTSIDE");
    expect(first).toContain("allowed it");
    expect(first).toMatch(/\.env: Permission denied.*new: Read-only file system/);
    expect(first).not.toContain("TOKEN");
    expect(second).toContain("OUTSIDE");
    expect([await it.status(), (await it.asks()).length]).toEqual(["idle", 1]);
  });

  test("is refused after a no, and so is the next one, with one card in all", { timeout: 120_000 }, async () => {
    const it = await stage([bash("cat ../lib/x.txt; cat ../lib/x.txt; echo end"), bash("ls ../lib"), "done"]);
    await it.agent.hear(it.chat.id, "look at the library");
    await it.answer(await it.openAsk(), { verdict: "deny" });
    await it.agent.settled();
    const [first = "", second = ""] = await it.told();
    expect(first.match(/Permission denied/g)).toHaveLength(2);
    expect(first).toContain("end");
    expect(first).toContain("did not allow it");
    expect(second).toContain("Permission denied");
    expect(second).toContain(`had denied ${it.at.path("home/code/lib")} before. Nobody was asked again`);
    expect([await it.status(), (await it.asks()).length]).toEqual(["idle", 1]);
  });

  test("ends with the agent where the person says no and stop", { timeout: 120_000 }, async () => {
    const it = await stage([bash("cat ../lib/x.txt; sleep 600; touch late"), "never said"]);
    await it.agent.hear(it.chat.id, "look at the library");
    await it.answer(await it.openAsk(), { verdict: "deny", stop: true });
    await it.agent.settled();
    expect(await it.told()).toEqual([expect.stringContaining("asked you to stop")]);
    expect(await it.status()).toBe("idle");
    expect(JSON.stringify(await it.store.transcript(it.chat.id))).not.toContain("never said");
  });

  test("goes on without it where the person speaks instead of answering", { timeout: 120_000 }, async () => {
    const it = await stage([bash("cat ../lib/x.txt; echo end"), "done", "heard"]);
    await it.agent.hear(it.chat.id, "look at the library");
    const ask = await it.openAsk();
    await it.agent.hear(it.chat.id, "leave the library alone");
    await it.agent.settled();
    const [first = ""] = await it.told();
    expect(first).toMatch(/end.*Permission denied.*said something else instead of answering/);
    expect(first).not.toContain("allowed it");
    expect((await it.store.ask(ask.id))?.state).toBe("closed");
    expect(await it.status()).toBe("idle");
  });

  test("is told that nothing was granted by a yes to what has changed; a yes for once is not taken", { timeout: 120_000 }, async () => {
    const it = await stage([bash("cat ../lib/x.txt; echo end"), "done"]);
    await it.agent.hear(it.chat.id, "look at the library");
    const ask = await it.openAsk();
    expect(await it.answer(ask, { verdict: "allow", until: "call" })).toMatchObject({ ok: false, code: "bad-request" });
    expect((await it.store.ask(ask.id))?.state).toBe("open");
    rmSync(it.at.path("home/code/lib/.git"), { recursive: true });
    expect(await it.answer(ask, { verdict: "allow", until: "session" })).toMatchObject({ ok: false, code: "grant-changed" });
    await it.agent.settled();
    const [first = ""] = await it.told();
    expect(first).toMatch(/end.*Permission denied.*nothing was granted: it has changed since the question was asked/);
    expect(first).not.toContain("allowed it");
    expect(await it.store.grants(it.session.id)).toEqual([]);
  });

  test("that ends before anybody answers takes its card with it", { timeout: 120_000 }, async () => {
    const it = await stage([{ calls: [{ name: "bash", input: { command: "cat ../lib/x.txt; sleep 600", timeout: 3000 } }] }, "done"]);
    await it.agent.hear(it.chat.id, "look at the library");
    const ask = await it.openAsk();
    await it.agent.settled();
    expect((await it.store.ask(ask.id))?.state).toBe("closed");
    expect((await it.told())[0]).toContain("request_read_access");
    expect(await it.status()).toBe("idle");
  });

  test("reaches for two of them, and is asked about one after the other", { timeout: 120_000 }, async () => {
    const it = await stage([bash("cat ../lib/x.txt & cat ../other/y.txt & wait"), "done"]);
    await it.agent.hear(it.chat.id, "look at both");
    const first = await it.openAsk();
    await it.answer(first, { verdict: "allow", until: "session" });
    const second = await it.openAsk();
    await it.answer(second, { verdict: "allow", until: "session" });
    await it.agent.settled();
    expect(new Set([first.proposal?.dir, second.proposal?.dir])).toEqual(
      new Set([it.at.path("home/code/lib"), it.at.path("home/code/other")]),
    );
    const [told = ""] = await it.told();
    expect(told).toContain("OUTSIDE");
    expect(told).toContain("ANOTHER");
  });
});

const confined = describe.skipIf((await detect()).why !== null && process.env["CI"] === undefined);

confined("a command of a chat that needs the network", () => {
  test("one card for all of a turn; a no is remembered until the person speaks, and nothing has run", { timeout: 120_000 }, async () => {
    const it = await stage([
      { calls: [networked("echo one > one"), networked("echo two > two")] },
      { calls: [networked("echo three > three")] },
      "done",
      { calls: [networked("echo four > four")] },
      "done",
    ]);
    await it.agent.hear(it.chat.id, "install it");
    const ask = await it.openAsk();
    expect(ask).toMatchObject({ path: "network", offers: "session" });
    // The second call of the turn joins the card of the first.
    await expect.poll(async () => (await it.store.ask(ask.id))?.requested, WITHIN).toEqual(["echo one > one", "echo two > two"]);
    await it.answer(ask, { verdict: "deny" });
    await it.agent.settled();
    expect(await it.told()).toEqual(["denied", "denied", expect.stringContaining("the network was refused a moment ago")]);
    expect(await it.asks()).toHaveLength(1);
    await it.agent.hear(it.chat.id, "try again");
    await it.answer(await it.openAsk(), { verdict: "allow", until: "session" });
    await it.agent.settled();
    const made = ["one", "two", "three", "four"].map((name) => existsSync(it.at.path(`home/code/ws/${name}`)));
    expect(made).toEqual([false, false, false, true]);
  });

  test("a revocation ends the command that has it, and the next one asks again", { timeout: 120_000 }, async () => {
    const it = await stage([{ calls: [networked("echo > begun; sleep 60")] }, { calls: [networked("true")] }, "done"]);
    await it.agent.hear(it.chat.id, "install it");
    await it.answer(await it.openAsk(), { verdict: "allow", until: "session" });
    await expect.poll(() => existsSync(it.at.path("home/code/ws/begun")), WITHIN).toBe(true);
    const [grant] = await it.store.grants(it.session.id);
    expect(grant).toMatchObject({ path: "network", by: "me" });
    expect((await it.store.session(it.session.id))?.allowedReadPaths).toEqual([]);
    expect(await it.agent.revoke(grant?.id ?? expect.fail("no grant"), "me")).toBe(true);
    await it.openAsk();
    expect(await it.told()).toEqual([expect.stringContaining("was revoked"), "waiting"]);
  });
});
