import { statSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { createPolicyFor } from "../../config/policy-for.ts";
import { randomIds, systemClock } from "../../core/clock.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { callId, sessionId } from "../../core/names.ts";
import { connectApp } from "../../wire/connection.ts";
import { routes } from "../../wire/http.ts";
import { grow } from "../../../test/scene.ts";
import { openApp } from "../../server/open-app.ts";
import { openHostSession } from "./open.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A host session over an app in this process, in a home with a workspace and a repository beside it. */
async function scene(durable = true) {
  const at = grow(["home/ws/a.txt: INSIDE", "home/lib/.git/HEAD: x", "home/lib/go.mod: OUTSIDE", "home/lib/b.txt: OUTSIDE"]);
  const around = { home: at.path("home"), env: {}, platform: process.platform };
  const ports = { clock: systemClock, ids: randomIds };
  const own = await openApp({ ...around, ...ports, via: "test" });
  const identity = { host: "test", hostSession: "one", workspace: at.path("home/ws") };
  const hostSession = await openHostSession({
    connection: { ...own, where: "daemon", durable },
    ...ports,
    home: around.home,
    policyFor: createPolicyFor(around),
    identity,
  });
  cleanups.push(
    () => own.close(),
    () => hostSession.close(),
  );
  const path = at.path("home/lib/go.mod");
  const judge = async (call: string, which = path): Promise<string> => {
    const events: Parameters<typeof hostSession.record>[0][number][] = [];
    const guard = createGuard({ audit: (event) => void events.push(event) });
    const decision = guard.judge(
      { call: callId(call), tool: "read_file", operation: "read", path: which },
      await hostSession.session(call),
    );
    if (decision.verdict === "allow") decision.pass.close();
    await hostSession.record(events);
    return `${decision.verdict} ${decision.reason}`;
  };
  const ask = async (call: string, which = path) => {
    const asked = await hostSession.ask({ call, tool: "request_read_access", operation: "read", path: which }, "to compare");
    if (asked.state !== "waiting") throw new Error(asked.text);
    return asked.ask;
  };
  return { at, own, hostSession, judge, ask, path };
}

describe("a host session over the wire", () => {
  test("an answer counts from the next call on, and so does a revocation", async () => {
    const { own, hostSession, judge, ask } = await scene();
    expect(await judge("1")).toBe("ask out-of-scope");
    const { id, digest } = await ask("2");
    expect(await judge("3")).toBe("ask out-of-scope");
    expect(await hostSession.answer(id, { decision: "allow", digest })).toMatchObject({ state: "answered" });
    for (const call of ["4", "5", "6"]) expect(await judge(call)).toBe("allow in-grant");
    const [grant] = await own.client.send(routes.listGrants, {});
    await own.client.send(routes.revoke, { id: grant?.id ?? "" });
    expect(await judge("7")).toBe("ask out-of-scope");
  });

  test("a grant is for the directory it was given for, by its birth too", async () => {
    const { at, hostSession, ask } = await scene();
    const { id, digest } = await ask("1");
    await hostSession.answer(id, { decision: "allow", digest });
    const { dev, ino, birthtimeMs } = statSync(at.path("home/lib"));
    expect((await hostSession.session("2")).grants).toMatchObject([{ root: { dev, ino, born: birthtimeMs === 0 ? null : birthtimeMs } }]);
  });

  test("a yes for once is used up by one call, whether the record is a daemon's or not", async () => {
    for (const durable of [true, false]) {
      const { hostSession, judge, ask } = await scene(durable);
      const { id, digest } = await ask("1");
      await hostSession.answer(id, { decision: "allow_once", digest });
      expect([await judge("2"), await judge("3")]).toEqual(["allow answered", "ask out-of-scope"]);
    }
  });

  test("an answer to a card that has changed since is not taken; the ask comes back as it is now", async () => {
    const { at, hostSession, ask } = await scene();
    const first = await ask("1");
    await ask("2", at.path("home/lib/b.txt"));
    const after = await hostSession.answer(first.id, { decision: "allow", digest: first.digest });
    expect([after.state, after.requested.length, after.digest === first.digest]).toEqual(["open", 2, false]);
  });

  test("of two answers the first counts, and the other learns which", async () => {
    const { hostSession, ask } = await scene();
    const { id } = await ask("1");
    await hostSession.answer(id, { decision: "deny", note: "no" });
    expect(await hostSession.answer(id, { decision: "allow" })).toMatchObject({
      state: "answered",
      answer: { verdict: "deny", note: "no" },
    });
  });

  test("waiting ends when it is answered, when time is over, and when nobody waits any more", async () => {
    const { hostSession, ask } = await scene();
    const { id } = await ask("1");
    expect((await hostSession.wait(id, 50)).state).toBe("open");
    const stop = new AbortController();
    const waiting = hostSession.wait(id, 60_000, stop.signal);
    stop.abort();
    expect((await waiting).state).toBe("open");
    const answered = hostSession.wait(id, 60_000);
    await hostSession.answer(id, { decision: "deny" });
    expect((await answered).state).toBe("answered");
  });

  test("a policy that was saved a moment ago counts; a malformed one refuses everything", async () => {
    const { at, judge } = await scene();
    const inside = at.path("home/ws/a.txt");
    expect(await judge("1", inside)).toBe("allow in-workspace");
    const { mkdirSync, writeFileSync } = await import("node:fs");
    mkdirSync(at.path("home/ws/.hallpass"));
    writeFileSync(at.path("home/ws/.hallpass/policy.json"), JSON.stringify({ read: { "**/a.txt": "deny" } }));
    expect(await judge("2", inside)).toBe("deny policy-deny");
    writeFileSync(at.path("home/ws/.hallpass/policy.json"), "{");
    await expect(judge("3", inside)).rejects.toMatchObject({ code: "invalid-policy" });
  });

  test("a session a person has ended stays ended", async () => {
    const { own, hostSession } = await scene();
    await hostSession.session("1");
    await own.client.send(routes.archiveSession, { id: hostSession.id });
    await expect(hostSession.session("2")).rejects.toMatchObject({ code: "session-closed" });
    await expect(hostSession.session("3")).rejects.toMatchObject({ code: "session-closed" });
  });

  test("while the daemon cannot be reached everything is refused, and afterwards it goes on", async () => {
    let gone = false;
    const { at, own } = await scene();
    const around = { home: at.path("home"), env: {}, platform: process.platform };
    const reached = (request: Request) => (gone ? Promise.reject(new TypeError("gone")) : own.fetch(request));
    const hostSession = await openHostSession({
      connection: connectApp({
        ...own,
        address: own.client.address,
        token: own.client.token,
        fetch: reached,
        // The frames are gone too.
        connect: () => ({ send() {}, close() {}, addEventListener() {} }),
        via: "test",
        where: "daemon",
        durable: true,
      }),
      home: around.home,
      policyFor: createPolicyFor(around),
      clock: systemClock,
      ids: randomIds,
      identity: { host: "test", hostSession: "two", workspace: at.path("home/ws") },
    });
    const before = hostSession.id;
    gone = true;
    await expect(hostSession.session("1")).rejects.toMatchObject({ code: "io-error" });
    await expect(
      hostSession.record([{ kind: "open-failed", at: 0, session: sessionId(before), call: callId("1"), requested: "x", code: "io-error" }]),
    ).rejects.toMatchObject({ code: "io-error" });
    gone = false;
    expect((await hostSession.session("2")).id).toBe(before);
    await hostSession.close();
    await expect(hostSession.session("3")).rejects.toMatchObject({ code: "session-closed" });
  });

  test("closed while somebody waits for an answer, it does not take the closing connection for a lost daemon", async () => {
    const { at, own, ask } = await scene();
    const around = { home: at.path("home"), env: {}, platform: process.platform };
    let connections = 0;
    let registered = 0;
    let cutOff = (): void => {};
    const cut = new Promise<never>((_resolve, reject) => (cutOff = () => reject(new TypeError("socket hang up"))));
    const open = () =>
      connectApp({
        ...own,
        address: own.client.address,
        token: own.client.token,
        fetch(request: Request) {
          const path = new URL(request.url).pathname;
          if (path === routes.register.path) registered += 1;
          // The daemon answers when the ask is settled, which is never; then the connection is cut.
          return /\/asks\/[^/]+\/wait$/u.test(path) || request.url.includes("wait=") ? cut : own.fetch(request);
        },
        connect: () => ((connections += 1), { send() {}, close() {}, addEventListener() {} }),
        via: "test",
        where: "daemon",
        durable: true,
      });
    const hostSession = await openHostSession({
      connection: open(),
      reconnect: async () => open(),
      home: around.home,
      policyFor: createPolicyFor(around),
      clock: systemClock,
      ids: randomIds,
      identity: { host: "test", hostSession: "three", workspace: at.path("home/ws") },
    });
    const { id } = await ask("1");
    const waiting = hostSession.wait(id, 60_000);
    const refused = expect(waiting).rejects.toMatchObject({ code: "session-closed" });
    await hostSession.close();
    cutOff();
    await refused;
    expect({ registered, connections }).toEqual({ registered: 1, connections: 1 });
  });
});
