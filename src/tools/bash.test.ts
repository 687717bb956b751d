// bash: where it may start, what it gives back, and that nothing runs unconfined without a person's yes to exactly that call.

import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NOW, nothingStaysPinned, scene, type ScenePlan } from "../../test/scene.ts";
import { searcherOf } from "../../test/toolbox.ts";
import { askId, callId, grantId } from "../core/names.ts";
import { meanings } from "../core/guard/explain.ts";
import type { Session } from "../core/session/session.ts";
import { createNone, runUnconfined } from "../sandbox/none.ts";
import type { CommandOutcome, RunOptions, Sandbox } from "../sandbox/port.ts";
import { stopped } from "../sandbox/port.ts";
import { defaultLimits } from "./limits.ts";
import { createOutputs } from "./outputs.ts";
import type { Failure, ToolResult } from "./result.ts";
import { runTool } from "./run.ts";
import type { ToolContext } from "./tool.ts";

nothingStaysPinned();
const searcher = searcherOf();

interface Stage {
  readonly ws: string;
  readonly path: (name: string) => string;
  readonly session: Session;
  readonly calls: { readonly command: string; readonly options: RunOptions }[];
  call(input: unknown, session?: Session, ask?: ToolContext["ask"]): Promise<ToolResult>;
  refuse(input: unknown, session?: Session): Promise<Failure>;
}

const finished: CommandOutcome = { ok: true, exitCode: 3, stdout: "out", stderr: "err", truncated: false, setAside: [], leftOut: [] };

/** A scene with a sandbox that runs nothing and answers `ran`; or with the sandbox given. */
function stage(spec: readonly string[], ran: CommandOutcome | Sandbox | null = finished, plan: ScenePlan = {}): Stage {
  const it = scene(spec, plan);
  const calls: Stage["calls"] = [];
  const scripted: Sandbox = {
    name: "bubblewrap",
    ready: () => Promise.resolve(null),
    run(command, options) {
      calls.push({ command, options });
      return Promise.resolve(ran === null || "ready" in ran ? finished : ran);
    },
    revoke() {},
    endSession() {},
  };
  const sandbox = ran === null ? undefined : "ready" in ran ? ran : scripted;
  const outputs = createOutputs(() => "handle-1");
  const call: Stage["call"] = (input, session = it.session, ask) =>
    runTool("bash", input, {
      guard: it.guard,
      session,
      call: callId("call-1"),
      limits: { ...defaultLimits, commandShown: 20, commandTimeMost: 5000 },
      searcher: searcher(),
      outputs,
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(ask === undefined ? {} : { ask }),
    });
  return {
    ws: it.path("ws"),
    path: it.path,
    session: it.session,
    calls,
    call,
    async refuse(input, session) {
      const result = await call(input, session);
      if (result.ok) throw new Error(`done: ${JSON.stringify(result.output)}`);
      return result;
    },
  };
}

describe("a call", () => {
  test("gives exit code and outputs; a failed command is no failed call", async () => {
    const it = stage(["ws/a"]);
    expect(await it.call({ command: "false" })).toEqual({
      ok: true,
      output: { exit_code: 3, stdout: "out", stderr: "err", truncated: false },
    });
    expect(it.calls).toEqual([
      {
        command: "false",
        options: {
          session: it.session,
          cwd: it.ws,
          network: "none",
          time: 5000,
          outputBytes: defaultLimits.commandOutputBytes,
          delayed: expect.any(Function),
        },
      },
    ]);
  });

  test.each<readonly [string, Parameters<NonNullable<RunOptions["delayed"]>>[0], object]>([
    [
      "had to wait for another command",
      { for: "turn" },
      { notes: [expect.stringMatching(/^The command began \d+ seconds after it was called: another command/)] },
    ],
    ["only looked for secrets", { for: "look", directories: 9 }, {}],
  ])("says so where it %s", async (_why, delay, noted) => {
    const waits: Sandbox = {
      ...createNone("nothing"),
      ready: () => Promise.resolve(null),
      run(_command, { delayed }) {
        delayed?.(delay);
        delayed?.(null);
        return Promise.resolve(finished);
      },
    };
    expect(await stage(["ws/a"], waits).call({ command: "true" })).toEqual({
      ok: true,
      output: { exit_code: 3, stdout: "out", stderr: "err", truncated: false, ...noted },
    });
  });

  test("has the network where the policy opens it", async () => {
    for (const [policy, network] of [
      [{}, "none"],
      [{ commands: { network: "host" } }, "host"],
    ] as const) {
      const it = stage(["ws/a"], finished, { policy });
      await it.call({ command: "true" });
      expect(it.calls.map(({ options }) => options.network)).toEqual([network]);
    }
  });

  test("asks for the network where it needs it, and has it by a yes to this call or for the session", async () => {
    const it = stage(["ws/a"]);
    const needs = { command: "npm ci", network: true };
    const { ask, ...refusal } = await it.refuse(needs);
    expect(refusal).toMatchObject({ code: "no-network", verdict: "ask", category: null });
    expect(ask).toMatchObject({ path: "network", requested: "npm ci", offers: "session", about: { what: "network" } });
    const given = { id: grantId("g"), answers: askId("a"), by: "ada", at: NOW, expires: null };
    const session = { ...it.session, network: [{ ...given, call: null }] };
    const once = { ...it.session, network: [{ ...given, call: callId("call-1") }] };
    const another = { ...it.session, network: [{ ...given, call: callId("call-2") }] };
    const over = { ...it.session, network: [{ ...given, call: null, expires: NOW }] };
    for (const [input, its] of [
      [needs, session],
      [{ command: "true" }, session],
      [{ ...needs, network: false }, session],
      [needs, once],
      [{ command: "true" }, another],
      [{ command: "true" }, over],
    ] as const)
      await it.call(input, its);
    expect(it.calls.map(({ options }) => [options.network, options.networkGrant?.id])).toEqual([
      ["host", "g"],
      ["host", "g"],
      ["none", undefined],
      ["host", undefined],
      ["none", undefined],
      ["none", undefined],
    ]);
    for (const its of [another, over]) expect(await it.refuse(needs, its)).toMatchObject({ verdict: "ask" });
    // Nobody is asked about what the policy has decided, what nobody can answer, or what no card shows whole.
    expect(await it.refuse(needs, { ...session, attended: false, network: [] })).toMatchObject({ code: "no-prompt-channel", ask: null });
    expect(await it.refuse({ ...needs, command: "#".repeat(5000) })).toMatchObject({ code: "bad-request", ask: null });
    const shut = stage(["ws/a"], finished, { policy: { commands: { network: "none" } } });
    expect(await shut.refuse(needs)).toMatchObject({ code: "policy-deny", ask: null });
    expect(await shut.refuse(needs, { ...shut.session, network: session.network })).toMatchObject({ code: "policy-deny" });
    expect(shut.calls).toEqual([]);
  });

  test("says how to ask for the network where a command seems to have failed for want of it", async () => {
    const said = [
      "npm error request to https://registry.npmjs.org/x failed: cache mode is 'only-if-cached'",
      "curl: (6) Could not resolve host: example.com",
      "ssh: Could not resolve hostname github.com: Temporary failure in name resolution",
      "ERROR: No matching distribution found for requests",
      "As a reminder, you're using offline mode (--offline)",
      "go: module lookup disabled by GOPROXY=off",
      "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server",
      "Error: connect ECONNREFUSED 127.0.0.1:5432",
    ];
    const notesOf = async (ran: CommandOutcome, plan: ScenePlan = {}, attended = true): Promise<unknown> => {
      const it = stage(["ws/a"], ran, plan);
      const result = await it.call({ command: "x" }, { ...it.session, attended });
      return result.ok ? (result.output as { notes?: unknown }).notes : result.hint;
    };
    const how = "call bash again with network: true";
    for (const stderr of said) expect(await notesOf({ ...finished, stderr }), stderr).toEqual([expect.stringContaining(how)]);
    expect(await notesOf({ ...finished, stderr: "make: *** [all] Error 2" })).toBe(undefined);
    expect(await notesOf({ ...finished, exitCode: 0, stderr: said[1] ?? "" })).toBe(undefined);
    expect(await notesOf({ ...stopped("timeout", "it took too long"), printed: said[1] ?? "" })).toContain(how);
    const shut = await notesOf({ ...finished, stderr: said[1] ?? "" }, { policy: { commands: { network: "none" } } });
    expect(shut).toEqual([`The command had no network: it ${meanings["policy-deny"]}.`]);
    expect(await notesOf({ ...finished, stderr: said[1] ?? "" }, {}, false)).toEqual([
      `The command had no network: it ${meanings["no-prompt-channel"]}.`,
    ]);
  });

  test("starts where it says, by the real name of that place, for as long as it says", async () => {
    const it = stage(["ws/a/b/", "ws/l => a/b"]);
    for (const cwd of ["a/b", "l", "./a/../a/b/"]) await it.call({ command: "pwd", cwd, timeout: 70 });
    expect(it.calls.map(({ options }) => [options.cwd, options.time])).toEqual(Array.from({ length: 3 }, () => [it.path("ws/a/b"), 70]));
  });

  test.each([
    ["nothing", {}],
    ["an empty command", { command: "" }],
    ["a NUL", { command: "a\0b" }],
    ["half a character", { command: "\ud800" }],
    ["more than fits", { command: "x".repeat(120_001) }],
    ["a key that means nothing", { command: "true", port: 80 }],
    ["a network that is no yes or no", { command: "true", network: "host" }],
    ["no time", { command: "true", timeout: 0 }],
  ])("is not understood with %s", async (_what, input) => {
    const it = stage(["ws/a"]);
    expect(await it.refuse(input)).toMatchObject({ code: "bad-request", verdict: null });
    expect(it.calls).toEqual([]);
  });

  test("shows the beginning and the end of what is long, and keeps the rest for asking", async () => {
    const it = stage([], { ...finished, stdout: "x".repeat(30) });
    const result = await it.call({ command: "true" });
    expect(result).toMatchObject({ ok: true, output: { truncated: true, handle: "handle-1" } });
    expect(JSON.stringify(result)).toContain("10 characters left out");
  });

  test("tells what was set aside and what was left out", async () => {
    const aside = [
      { from: "/w/.git", to: "/w/.git.set-aside" },
      { from: "/w/.idea", to: null },
    ];
    const it = stage([], { ...finished, setAside: aside, leftOut: ["/lib"] });
    expect(JSON.stringify(await it.call({ command: "true" }))).toMatch(
      /\.git is now \/w\/\.git\.set-aside, \/w\/\.idea could not be renamed.*\/lib/,
    );
  });

  test("does not put on this command what an earlier one had made", async () => {
    const it = stage([], { ...finished, setAside: [{ from: "/w/.idea", to: "/w/.idea.set-aside", left: true }] });
    const result = JSON.stringify(await it.call({ command: "true" }));
    expect(result).toContain("An earlier command, which nobody could look after, made names");
    expect(result).not.toContain("The command made");
  });
});

describe("what a command reaches for", () => {
  const spec = ["home/ws/a", "home/lib/.git/", "home/lib/x: 1", "home/plain/y: 1", "home/.ssh/id_rsa: K"];
  const plan: ScenePlan = { workspace: "home/ws", home: "home" };

  test("is put before a person through the port, for most of the command's time, and the model is told what came of it", async () => {
    const it = stage(spec, finished, plan);
    const ask = () => Promise.resolve({ came: "allowed", session: it.session } as const);
    const result = await it.call({ command: "true", timeout: 3000 }, it.session, ask);
    expect(JSON.stringify(result)).not.toContain("notes");
    const { asking } = it.calls[0]?.options ?? {};
    expect(asking?.patience).toBe(2500);
    expect(await asking?.ask({ path: "/one", operation: "read", who: "cat" })).toBe(it.session);
  });

  test("is told afterwards where no program could wait, once for each directory, and nothing else of what is outside", async () => {
    const said = "cat: ../lib/x: No such file; see ../../out and ~/.ssh/id_rsa, ../plain/y, ../missing/z, /etc/shadow";
    const it = stage(spec, { ...finished, stderr: said, notAsked: "there is no /dev/fuse" }, plan);
    const result = await it.call({ command: "cat ../lib/x ../lib" }, it.session, () => Promise.resolve({ came: "denied" }));
    const text = JSON.stringify(result);
    expect(text).toContain(`The command cannot see ${it.path("home/lib")}. If it needs it, ask for`);
    expect(text.match(/cannot see/g)).toHaveLength(1);
  });

  test("is not told where nobody could be asked", async () => {
    const it = stage(spec, finished, plan);
    const result = await it.call({ command: "cat ../lib/x" }, { ...it.session, attended: false });
    expect(JSON.stringify(result)).not.toContain("notes");
  });
});

describe("a place to start in", () => {
  const spec = ["ws/a: 1", "ws/.aws/", "ws/.vscode/", "ws/d/", "ro/x/", "lib/y/", "$OUT/z/.git/"];
  test.each([
    ["outside every root", "$OUT/z", "out-of-scope", "deny"],
    ["outside, where nothing could be granted", "/", "out-of-scope", "deny"],
    ["above the workspace", "..", "out-of-scope", "deny"],
    ["a mount for reading", "$ROOT/ro/x", "read-only-mount", "deny"],
    ["a secret", ".aws", "secret-file", "deny"],
    ["what executes later", ".vscode", "protected-path", "deny"],
    ["a file", "a", "not-directory", "allow"],
    ["nothing", "missing", "not-found", "allow"],
    ["kernel state", "/proc/self", "virtual-fs", "deny"],
  ])("is not %s", async (_what, cwd, code, verdict) => {
    const it = stage(spec, finished, { mounts: [{ path: "ro", mode: "read_only" }] });
    expect(await it.refuse({ command: "pwd", cwd: it.path(cwd) === cwd ? cwd : cwd.startsWith("$") ? it.path(cwd) : cwd })).toMatchObject({
      code,
      verdict,
    });
    expect(it.calls).toEqual([]);
  });

  test("may need a yes, where a rule about writing says so", async () => {
    const it = stage(["ws/d/"], finished, { policy: { write: { d: "ask", "e/**": "deny" } } });
    expect(await it.refuse({ command: "pwd", cwd: "d" })).toMatchObject({
      code: "policy-ask",
      verdict: "ask",
      ask: { path: it.path("ws/d"), right: "write" },
    });
  });
});

describe("a command that was stopped", () => {
  test.each([
    ["timeout", "allow", "read-failed"],
    ["grant-revoked", "deny", "denied-by-policy"],
    ["stale-path", "deny", "read-failed"],
    ["protected-path", "deny", "denied-by-policy"],
  ] as const)("%s", async (code, verdict, category) => {
    const it = stage([], {
      ...stopped(code, "it was so"),
      printed: code === "timeout" ? "half\n" : "",
      setAside: [{ from: "/w/.git", to: "/w/g" }],
    });
    const failure = await it.refuse({ command: "true" });
    expect(failure).toMatchObject({ code, verdict, category });
    expect(failure.hint).toContain("It was so.");
    expect(failure.hint).toContain("/w/.git is now /w/g");
    expect(failure.hint.includes("half")).toBe(code === "timeout");
  });
});

describe("without a sandbox", () => {
  const none = createNone("there is none on this machine");

  test.each([
    ["one that never runs", none],
    ["none given at all", null],
  ])("a person is asked each time, with the reason and the command: %s", async (_what, sandbox) => {
    const it = stage(["ws/a"], sandbox);
    for (let time = 0; time < 2; time += 1) {
      const failure = await it.refuse({ command: "echo ran > ran" });
      expect(failure).toMatchObject({
        code: "sandbox-unavailable",
        verdict: "ask",
        category: null,
        ask: { tool: "bash", requested: "echo ran > ran", path: "/", right: "write", offers: "once" },
      });
      expect(failure.hint).toMatch(/cannot be confined on this machine: (there is none|no sandbox)/);
    }
    expect(fs.existsSync(join(it.ws, "ran"))).toBe(false);
    expect(meanings["sandbox-unavailable"]).toContain("sandbox");
  });

  test("nobody there to ask: it is not run", async () => {
    const it = stage(["ws/a"], none, { attended: false });
    expect(await it.refuse({ command: "echo ran > ran" })).toMatchObject({ code: "sandbox-unavailable", verdict: "deny", ask: null });
    expect(fs.existsSync(join(it.ws, "ran"))).toBe(false);
  });

  test("unconfined, what leaves the command behind does not hold up its result", async () => {
    const it = scene(["ws/a"]);
    const options = { session: it.session, cwd: it.session.workspace.dir, network: "none", time: 20_000, outputBytes: 999 } as const;
    const ran = await runUnconfined("setsid sleep 1000 & echo $!; sleep 0.1", options);
    expect(ran).toMatchObject({ ok: true, exitCode: 0 });
    if (ran.ok) process.kill(Number(ran.stdout), "SIGKILL");
    expect(await runUnconfined("echo begun; sleep 9", { ...options, time: 200 })).toMatchObject({
      ok: false,
      code: "timeout",
      printed: "begun\n",
    });
    expect(await runUnconfined("yes", options)).toMatchObject({ ok: false, code: "output-truncated" });
    expect(await runUnconfined("sleep 9", { ...options, signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      code: "session-closed",
    });
  });

  test("a yes to exactly this call runs it once, unconfined, and says so", async () => {
    const it = scene(["ws/a: text"]);
    const on = stage(["ws/a"], none);
    const { ask } = await on.refuse({ command: "cat a; echo $HOME; env | wc -l" }, it.session);
    if (ask === null || !("operation" in ask)) throw new Error("nobody was asked");
    const settled = it.guard.answer(it.session, ask, { verdict: "allow", until: "call", by: "ada" });
    if (!settled.ok) throw new Error(settled.message);
    const result = await on.call({ command: "cat a; echo $HOME; env | wc -l" }, settled.session);
    expect(result).toMatchObject({ ok: true, output: { exit_code: 0, stdout: expect.stringMatching(/^text/) as string } });
    expect(JSON.stringify(result)).toContain("ran without any sandbox, as the person allowed: there is none on this machine");
    expect(settled.grant).toMatchObject({ at: NOW });
    // Another call, another yes.
    const other = {
      ...settled.session,
      grants: settled.session.grants.map((grant) => (grant.until === "call" ? { ...grant, call: callId("call-2") } : grant)),
    };
    expect(await on.refuse({ command: "cat a" }, other)).toMatchObject({ verdict: "ask" });
    // A yes to writing in the workspace is none to running unconfined.
    const narrow = {
      ...settled.session,
      grants: settled.session.grants.map((grant) => (grant.until === "call" ? { ...grant, path: it.session.workspace.dir } : grant)),
    };
    expect(await on.refuse({ command: "cat a" }, narrow)).toMatchObject({ verdict: "ask" });
  });
});
