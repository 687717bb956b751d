// The guard as a whole: faults deny, everything is recorded once, a pass opens one thing once, and nothing stays open.

import { readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { nothingStaysPinned, NOW, openBelow, pins, scene, type Scene } from "../../../test/scene.ts";
import type { Access, Operation } from "../access.ts";
import { HallpassError } from "../errors.ts";
import { platform } from "../fs/pin.ts";
import { askId, callId, grantId, ruleId } from "../names.ts";
import type { AuditEvent } from "../audit.ts";
import type { Decision } from "./decision.ts";
import { createGuard } from "./guard.ts";
import { mintPass, spendPass } from "./pass.ts";

nothingStaysPinned();

const access = <O extends Operation>(operation: O, path: string): Access<O> => ({ call: callId("call-1"), tool: "test", operation, path });
const spec = ["ws/a: inside", "ws/d/b: 1", "ws/.env: SECRET", "lib/.git/", "lib/a: outside", "plain/a: 1"];

describe("a fault anywhere denies, and nothing stays open", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  const faulty = (message: string) => ({
    real: null,
    root: null,
    verdict: "deny",
    reason: "guard-fault",
    trace: [{ at: "fault", message }],
  });

  test("a clock that fails", () => {
    const it = scene(spec, { ports: { clock: boom } });
    for (const path of ["a", "../lib/a"])
      expect(it.judge("read", path)).toEqual({ access: access("read", path), ...faulty("guard-fault: boom") });
  });

  test("ids that fail, where an ask needs one", () => {
    const it = scene(spec, { ports: { ids: boom } });
    expect(it.judge("read", "../lib/a")).toEqual({ access: access("read", "../lib/a"), ...faulty("guard-fault: boom") });
    expect(it.events).toMatchObject([{ kind: "decision", verdict: "deny", reason: "guard-fault", fault: "guard-fault: boom", ask: null }]);
  });

  test("ids that fail, where a write needs one: nothing is written", async () => {
    const it = scene(spec, { ports: { ids: boom } });
    const used = await it.guard.use(access("replace", "a"), it.session, async (file) => file.replace(Buffer.from("changed")));
    expect(used).toMatchObject({ verdict: "allow", done: { ok: false, code: "guard-fault" } });
    expect(readFileSync(it.path("ws/a"), "utf8")).toBe("inside");
    expect(pins()).toEqual([]);
  });

  test("a record that cannot be kept: what was allowed is taken back", () => {
    const it = scene(spec, { ports: { audit: boom } });
    for (const [operation, path] of [
      ["read", "a"],
      ["replace", "a"],
      ["list", "d"],
      ["read", "../lib/a"],
      ["read", ".env"],
    ] as const)
      expect(it.judge(operation, path)).toEqual({ access: access(operation, path), ...faulty("guard-fault: boom") });
  });

  test("a fault with a code of ours keeps it in the trace, and one that is no error at all is told as text", () => {
    const throwing = (what: unknown) => scene(spec, { ports: { clock: () => thrown(what) } }).judge("read", "a").trace;
    expect(throwing(new HallpassError("invalid-policy", "broken"))).toEqual([{ at: "fault", message: "invalid-policy: broken" }]);
    expect(throwing("just text")).toEqual([{ at: "fault", message: "guard-fault: just text" }]);
  });

  test("without a guard the same file is simply read", () => {
    const it = scene(spec, { ports: { clock: boom } });
    expect(readFileSync(it.path("ws/a"), "utf8")).toBe("inside");
  });

  test("a machine that cannot hold the boundary gets no guard", () => {
    const spy = vi.spyOn(platform, "selfTest").mockReturnValue("there is no /proc");
    try {
      expect(() => createGuard()).toThrow(
        expect.objectContaining({ code: "guard-fault", message: "this machine cannot hold the boundary: there is no /proc" }) as Error,
      );
    } finally {
      spy.mockRestore();
    }
  });
});

function thrown(what: unknown): never {
  throw what;
}

describe("the record", () => {
  const decided = (it: Scene, event: object): object => ({
    kind: "decision",
    at: NOW,
    session: it.session.id,
    call: callId("call-1"),
    tool: "test",
    operation: "read",
    rule: null,
    root: null,
    grant: null,
    ask: null,
    fault: null,
    ...event,
  });

  test("every decision is in it once, whole", () => {
    const it = scene(spec, { policy: { read: { "$ROOT/plain/**": "deny" } } });
    for (const path of ["a", ".env", "../lib/a", "../plain/a", "x\0"]) it.judge("read", path);
    expect(it.events).toEqual([
      decided(it, { requested: "a", real: it.path("ws/a"), verdict: "allow", reason: "in-workspace", root: it.path("ws") }),
      decided(it, { requested: ".env", real: it.path("ws/.env"), verdict: "deny", reason: "secret-file" }),
      decided(it, { requested: "../lib/a", real: it.path("lib/a"), verdict: "ask", reason: "out-of-scope", ask: askId("id-1") }),
      decided(it, {
        requested: "../plain/a",
        real: it.path("plain/a"),
        verdict: "deny",
        reason: "policy-deny",
        rule: ruleId(`operator:read.${it.root}/plain/**`),
      }),
      decided(it, { requested: "x\0", real: null, verdict: "deny", reason: "invalid-path" }),
    ]);
  });

  test("a use is one decision; a use that cannot be opened says so as well", async () => {
    const it = scene(spec);
    await it.guard.use(access("read", "a"), it.session, (file) => file.bytes(100));
    await it.guard.use(access("read", ".env"), it.session, async () => "never");
    await it.guard.use(access("read", "d"), it.session, async () => "never");
    expect(it.events.map(({ kind }) => kind)).toEqual(["decision", "decision", "decision", "open-failed"]);
    expect(it.events[3]).toEqual({
      kind: "open-failed",
      at: NOW,
      session: it.session.id,
      call: callId("call-1"),
      requested: "d",
      code: "is-directory",
    });
  });

  test("answers, grants, refused grants and revocations, with who and why", () => {
    const it = scene(spec);
    const ask = asked(it.judge("read", "../lib/a"));
    it.events.length = 0;
    const common = { at: NOW, session: it.session.id };
    const about = { ask: ask.id, path: it.path("lib/a") };
    const yes = { until: "session", expires: null, stop: false };
    const no = { until: null, expires: null, stop: false };
    it.guard.answer(it.session, ask, { verdict: "deny", by: "ada", note: "not now" });
    it.guard.answer(it.session, ask, { verdict: "deny", by: "ada", stop: true });
    const settled = it.guard.answer(it.session, ask, { verdict: "allow", until: "session", by: "bob" });
    if (!settled.ok) throw new Error(settled.message);
    it.guard.answer(it.session, ask, { verdict: "allow", until: "call", by: "bob" });
    rmSync(it.path("lib/.git"), { recursive: true });
    it.guard.answer(it.session, ask, { verdict: "allow", until: "session", by: "eve" });
    expect(it.guard.revoke(settled.session, settled.grant.id, "bob").grants).toEqual([]);
    expect(it.events).toEqual([
      { ...common, kind: "answer", ...about, verdict: "deny", ...no, by: "ada", note: "not now" },
      { ...common, kind: "answer", ...about, verdict: "deny", ...no, stop: true, by: "ada", note: null },
      { ...common, kind: "answer", ...about, verdict: "allow", ...yes, by: "bob", note: null },
      { ...common, kind: "grant", grant: grantId("id-2"), ask: ask.id, until: "session", expires: null, path: it.path("lib"), by: "bob" },
      { ...common, kind: "answer", ...about, verdict: "allow", ...yes, until: "call", by: "bob", note: null },
      { ...common, kind: "grant", grant: grantId("id-3"), ask: ask.id, until: "call", expires: null, path: it.path("lib/a"), by: "bob" },
      { ...common, kind: "answer", ...about, verdict: "allow", ...yes, by: "eve", note: null },
      { ...common, kind: "grant-refused", ...about, code: "grant-changed" },
      { ...common, kind: "revocation", grant: grantId("id-2"), path: it.path("lib"), ask: ask.id, by: "bob" },
    ]);
  });

  test.each(["ask", "deny"] as const)(
    "what git ignores stays on %s after a yes to its repository, which is granted as shown",
    (gitignored) => {
      const it = scene([...spec, "lib/.gitignore: *.log\n", "lib/x.log: 1"], { policy: { gitignored } });
      const ask = asked(it.judge("read", "../lib/x.log"));
      expect(ask.offers === "session" && ask.survey?.gitignored).toBe(gitignored);
      const settled = it.guard.answer(it.session, ask, { verdict: "allow", until: "session", by: "ada" });
      if (!settled.ok) throw new Error(settled.message);
      expect(["../lib/x.log", "../lib/a"].map((path) => it.judge("read", path, settled.session).verdict)).toEqual([gitignored, "allow"]);
    },
  );

  test("a read under a grant names the grant", () => {
    const it = scene(spec);
    const settled = it.guard.answer(it.session, asked(it.judge("read", "../lib/a")), { verdict: "allow", until: "session", by: "ada" });
    if (!settled.ok) throw new Error(settled.message);
    it.events.length = 0;
    it.judge("read", "../lib/a", settled.session);
    expect(it.events).toEqual([
      decided(it, {
        requested: "../lib/a",
        real: it.path("lib/a"),
        verdict: "allow",
        reason: "in-grant",
        root: it.path("lib"),
        grant: settled.grant.id,
      }),
    ]);
  });

  test("a guard without a record, clock or ids of its own judges all the same", () => {
    const it = scene(spec);
    const guard = createGuard();
    const decision = guard.judge(access("read", "../lib/a"), it.session);
    const allowed = guard.judge(access("read", "a"), it.session);
    if (allowed.verdict === "allow") allowed.pass.close();
    expect([decision.verdict, allowed.verdict]).toEqual(["ask", "allow"]);
    expect(asked(decision).id).toMatch(/^[0-9a-f-]{36}$/);
    expect(Math.abs(asked(decision).at - Date.now())).toBeLessThan(60_000);
    expect(guard.answer(it.session, asked(decision), { verdict: "deny", by: "ada" }).ok).toBe(false);
    expect(guard.revoke(it.session, grantId("x"), "ada")).toEqual(it.session);
  });
});

function asked(decision: Decision) {
  if (decision.verdict !== "ask") throw new Error(decision.reason);
  return decision.ask;
}

describe("a pass", () => {
  test("opens one thing, once", async () => {
    const it = scene(spec);
    const decision = it.guard.judge(access("read", "a"), it.session);
    if (decision.verdict !== "allow") throw new Error(decision.reason);
    const opening = it.guard.open(decision.pass);
    if (!opening.ok) throw new Error(opening.code);
    expect(await opening.opened.bytes(100)).toEqual({ ok: true, value: Uint8Array.from(Buffer.from("inside")) });
    opening.opened.close();
    expect(() => it.guard.open(decision.pass)).toThrow("a pass opens one thing, once");
    decision.pass.close();
  });

  test("that was let go opens nothing", () => {
    const it = scene(spec);
    const decision = it.guard.judge(access("read", "a"), it.session);
    if (decision.verdict !== "allow") throw new Error(decision.reason);
    decision.pass.close();
    decision.pass.close();
    expect(() => it.guard.open(decision.pass)).toThrow("a pass opens one thing, once");
  });

  test("holds what was judged: another file under the name since then is not what is opened", async () => {
    const it = scene(spec);
    const decision = it.guard.judge(access("read", "a"), it.session);
    if (decision.verdict !== "allow") throw new Error(decision.reason);
    unlinkSync(it.path("ws/a"));
    symlinkSync(it.path("lib/a"), it.path("ws/a"));
    const opening = it.guard.open(decision.pass);
    if (!opening.ok) throw new Error(opening.code);
    expect(await opening.opened.lend(100, String)).toEqual({ ok: true, value: "inside" });
    opening.opened.close();
    expect(readFileSync(it.path("ws/a"), "utf8")).toBe("outside");
  });

  test("cannot be written by hand, stored or copied", () => {
    const it = scene(spec);
    const decision = it.guard.judge(access("read", "a"), it.session);
    if (decision.verdict !== "allow") throw new Error(decision.reason);
    expect(JSON.stringify(decision.pass)).toBe('{"operation":"read"}');
    const forged = { operation: "read" } as unknown as typeof decision.pass;
    const copied = Object.assign(Object.create(Object.getPrototypeOf(decision.pass) as object) as typeof decision.pass, decision.pass);
    for (const pass of [forged, copied]) expect(() => it.guard.open(pass)).toThrow(TypeError);
    decision.pass.close();
  });

  test("is spent before anything is opened", () => {
    const pass = mintPass("read", {} as never);
    expect(spendPass(pass)).toEqual({});
    expect(() => spendPass(pass)).toThrow(expect.objectContaining({ code: "guard-fault" }) as Error);
  });
});

describe("using", () => {
  test("gives the work what was opened, and its value back, with the whole decision", async () => {
    const it = scene(spec);
    expect(await it.guard.use(access("read", "a"), it.session, async (file) => file.path)).toEqual({
      access: access("read", "a"),
      real: it.path("ws/a"),
      root: it.session.workspace,
      verdict: "allow",
      reason: "in-workspace",
      trace: [
        { at: "resolve", requested: "a", absolute: `${it.path("ws")}/a`, real: it.path("ws/a"), links: [] },
        { at: "scope", root: it.session.workspace },
      ],
      done: { ok: true, value: it.path("ws/a") },
    });
  });

  test("does not begin what was not allowed", async () => {
    const it = scene(spec);
    const work = vi.fn<() => Promise<void>>();
    expect(await it.guard.use(access("read", ".env"), it.session, work)).toMatchObject({ verdict: "deny", reason: "secret-file" });
    expect(await it.guard.use(access("read", "../lib/a"), it.session, work)).toMatchObject({ verdict: "ask" });
    expect(await it.guard.use(access("read", "missing"), it.session, work)).toMatchObject({ done: { ok: false, code: "not-found" } });
    expect(work).not.toHaveBeenCalled();
  });

  test.each(["read", "list", "search", "create", "replace", "remove"] as const)(
    "closes after %s, whatever the work throws",
    async (operation) => {
      const it = scene(spec);
      const path = operation === "list" ? "d" : "a";
      const failing = [() => thrown(new Error("at once")), () => Promise.reject(new Error("later"))];
      for (const work of failing) {
        await expect(it.guard.use(access(operation, path), it.session, work)).rejects.toThrow(/at once|later/);
        expect(openBelow(it.root)).toEqual([]);
      }
      expect(readFileSync(it.path("ws/a"), "utf8")).toBe("inside");
    },
  );

  test("closes when the work is over, and not before", async () => {
    const it = scene(spec);
    const read = await it.guard.use(access("read", "a"), it.session, (file) => file.lend(100, String));
    expect([read, openBelow(it.root)]).toMatchObject([{ verdict: "allow", done: { ok: true, value: { ok: true, value: "inside" } } }, []]);
    expect(await it.guard.use(access("read", ".env"), it.session, async () => "never")).toMatchObject({
      verdict: "deny",
      reason: "secret-file",
    });
    expect(await it.guard.use(access("read", "d"), it.session, async () => "never")).toMatchObject({
      done: { ok: false, code: "is-directory" },
    });
    // Whatever can be awaited is: nothing is closed while it is under way.
    const works: ((size: number) => PromiseLike<number>)[] = [
      async (size) => size,
      // oxlint-disable-next-line unicorn/no-thenable -- as some libraries' values are
      (size) => ({ then: (resolve) => Promise.resolve(size).then(resolve) }),
    ];
    for (const work of works) {
      const later = it.guard.use(access("read", "a"), it.session, (file): Promise<number> => work(file.size) as Promise<number>);
      expect([later instanceof Promise, openBelow(it.root).length]).toEqual([true, 1]);
      expect([await later, openBelow(it.root)]).toMatchObject([{ done: { ok: true, value: 6 } }, []]);
    }
  });

  test("a failure comes by the promise: of the work, and of a record that does not take what could not be opened", async () => {
    const it = scene(spec);
    const failing = it.guard.use(access("read", "a"), it.session, () => thrown(new Error("at once")));
    await expect(failing).rejects.toThrow("at once");
    const guard = createGuard({ audit: ({ kind }) => kind === "open-failed" && thrown(new Error("full")) });
    const unrecorded = guard.use(access("read", "d"), it.session, async () => "never");
    await expect(unrecorded).rejects.toThrow("full");
    expect(openBelow(it.root)).toEqual([]);
  });

  test("what was lent after closing gives nothing", async () => {
    const it = scene(spec);
    const used = await it.guard.use(access("read", "a"), it.session, async (file) => file);
    if (used.verdict !== "allow" || !used.done.ok) throw new Error("not opened");
    expect(await used.done.value.bytes(100)).toEqual({ ok: false, code: "io-error" });
  });
});

test("over thousands of mixed calls no descriptor is left open", async () => {
  const it = scene([...spec, "ws/loop => loop", "ws/out => ../lib/a", "ws/deep/er/f: 1"], {
    policy: { gitignored: "ask", hardlinks: "ask" },
  });
  const operations = ["read", "list", "search", "create", "replace", "remove"] as const;
  const paths = [
    "a",
    "d",
    ".env",
    "loop",
    "out",
    "missing",
    "no/dir/x",
    "../lib/a",
    "../plain/a",
    "x\0",
    "deep/er/f",
    "/proc/self/fd",
    "/dev/null",
    ".",
    "a/x",
  ];
  const failing = createGuard({ clock: () => (Math.floor(performance.now() * 1000) % 2 === 0 ? thrown(new Error("now and then")) : NOW) });
  const round = async (): Promise<void> => {
    for (const operation of operations) {
      for (const path of paths) {
        it.judge(operation, path);
        const decision = failing.judge(access(operation, path), it.session);
        if (decision.verdict === "allow") decision.pass.close();
        if (operation !== "remove") await it.guard.use(access(operation, path), it.session, async (opened) => opened.path);
      }
    }
  };
  await round();
  const before = readdirSync("/proc/self/fd").length;
  for (let count = 0; count < 15; count += 1) await round();
  expect(readdirSync("/proc/self/fd").length).toBe(before);
  expect(it.events.length).toBeGreaterThan(2500);
});

test("what is recorded of a decision holds nothing of a file's content", async () => {
  const it = scene(spec);
  const events: AuditEvent[] = [];
  const guard = createGuard({ audit: (event) => void events.push(event), clock: () => NOW });
  await guard.use(access("read", "a"), it.session, (file) => file.bytes(100));
  expect(JSON.stringify(events)).not.toContain("inside");
});
