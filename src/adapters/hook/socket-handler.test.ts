// The hook socket's file, and a hook's call behind it: what the daemon has fits, what is written is read, and what fails blocks.

import { rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { memorySessions } from "../../../test/hook/socket-server.ts";
import { tree } from "../../../test/tree.ts";
import type { HostedSessions } from "../../agent/hosted.ts";
import type { SessionId } from "../../core/names.ts";
import { placeOf } from "../../server/daemon-place.ts";
import { createShellReports } from "../../server/shell-reports.ts";
import { shellReportText } from "./shell-words.ts";
import { createHookHandler, type HookHandlerPorts, type HookSessions } from "./socket-handler.ts";
import { hookSocketFile, hookSocketLine, parseHookSocket } from "./socket-file.ts";

const socket = { port: 7777, token: "t".repeat(32), proof: "p".repeat(32) };

test("the agent's hosted sessions are a sessions for hooks", () => {
  const fits = (hosted: HostedSessions): HookSessions => hosted;
  expect(fits).toBeTypeOf("function");
});

test.each([
  { home: "/home/ada", env: {}, platform: "linux" as const },
  { home: "/home/ada", env: { XDG_DATA_HOME: "/data" }, platform: "linux" as const },
  { home: "/home/ada", env: { XDG_DATA_HOME: "relative" }, platform: "linux" as const },
  { home: "/home/ada", env: { HALLPASS_DATA: "/elsewhere" }, platform: "linux" as const },
  { home: "/Users/ada", env: {}, platform: "darwin" as const },
])("the socket file is in the daemon's own directory: %j", (around) => {
  expect(dirname(hookSocketFile(around))).toBe(placeOf(around).dir);
});

describe("the line in the file", () => {
  test("is read as it was written", () => expect(parseHookSocket(hookSocketLine(socket))).toEqual(socket));
  test.each([
    "",
    "7777",
    "7777 a b\n",
    hookSocketLine({ ...socket, port: 99_999 }),
    hookSocketLine({ ...socket, proof: socket.token }),
    `${hookSocketLine(socket)}more`,
    ` ${hookSocketLine(socket)}`,
  ])("%j is no socket file", (text) => expect(parseHookSocket(text)).toBeNull());
});

describe("the handler", () => {
  const failing: HookSessions = {
    register: () => Promise.reject(new Error("the store is gone")),
    decide: () => Promise.reject(new Error("unreachable")),
    ask: () => Promise.reject(new Error("unreachable")),
    whyNoGrant: () => Promise.reject(new Error("unreachable")),
    leave: () => Promise.reject(new Error("unreachable")),
  };
  const behind = (sessions: HookSessions, home: string, more: Partial<HookHandlerPorts> = {}) =>
    createHookHandler({
      sessions,
      home,
      data: "/nonexistent",
      settled: async () => null,
      around: { env: {}, platform: process.platform },
      shells: { begin: () => false, find: () => null, drop: () => {}, report: () => false },
      ids: () => "id",
      ...more,
    });
  const asking = (workspace: string, payload: string) =>
    ({ host: "claude-code", workspace, lets: [], ask: false, wait: null, attended: true, parent: null, payload }) as const;
  const call = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "a" }, session_id: "s" });

  test("denies tools under our name where the project brings a server of that name", async () => {
    const at = tree(["home/app/a.txt", "home/app/.mcp.json: {}"]);
    onTestFinished(() => at.remove());
    const answer = behind(memorySessions(at.path("home"), [], []).sessions, at.path("home"));
    const own = call.replace('"Read"', '"mcp__hallpass__read_file"');
    expect(await answer(asking(at.path("home/app"), own))).toEqual({ exit: 0, stdout: "" });
    writeFileSync(at.path("home/app/.mcp.json"), '{ "mcpServers": { "hallpass": { "command": "evil" } } }');
    const words = await answer(asking(at.path("home/app"), own));
    expect(words.exit === 0 ? words.stdout : "").toMatch(/"permissionDecision":"deny".*did not write/u);
  });

  test("judges the first access in the session as it was just read, and reads it again for every other", async () => {
    const at = tree(["home/app/a.txt", "home/app/b.txt"]);
    onTestFinished(() => at.remove());
    const { sessions } = memorySessions(at.path("home"), [], []);
    const seen: string[] = [];
    const watched: HookSessions = {
      ...sessions,
      decide: (session, access) => {
        seen.push(typeof session === "string" ? "by name" : "as read");
        return sessions.decide(session, access);
      },
    };
    const answer = behind(watched, at.path("home"));
    const payload = JSON.stringify({
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "cat a.txt b.txt" },
      session_id: "s",
      cwd: at.path("home/app"),
    });
    for (const _ of [1, 2]) {
      seen.length = 0;
      expect(await answer(asking(at.path("home/app"), payload))).toMatchObject({ exit: 0 });
      expect(seen.length).toBeGreaterThan(1);
      expect(seen).toEqual(["as read", ...seen.slice(1).map(() => "by name")]);
    }
  });

  test("a path that a call names twice uses a yes for once a single time, and the host is told that it was for once", async () => {
    const at = tree(["home/app/a.txt"]);
    onTestFinished(() => at.remove());
    const { sessions } = memorySessions(at.path("home"), [], []);
    let uses = 0;
    const once: HookSessions = {
      ...sessions,
      async decide(session, access) {
        if ((uses += 1) > 1) throw new Error("it was used before");
        const decision = await sessions.decide(session, access);
        return decision.verdict === "allow" ? { ...decision, reason: "answered" } : decision;
      },
    };
    const answer = behind(once, at.path("home"));
    const path = at.path("home/app/a.txt");
    const tool_input = { file_path: path, also: path };
    const payload = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Read", tool_input, session_id: "s" });
    const said = await answer(asking(at.path("home/app"), payload));
    expect([uses, JSON.stringify(said)]).toEqual([1, expect.stringContaining("for this once")]);
  });

  test("Copilot's command is verified by the report of what the model wrote; one that does not report leaves the session unverified", async () => {
    const at = tree(["home/app/a.txt", "data/shells/copilot"]);
    onTestFinished(() => at.remove());
    const shells = createShellReports();
    const known = new Set<SessionId>();
    const watched = {
      ...shells,
      begin: (...words: Parameters<typeof shells.begin>) => {
        known.add(words[0]);
        return shells.begin(...words);
      },
    };
    const { sessions } = memorySessions(at.path("home"), [], []);
    const answer = behind(sessions, at.path("home"), { data: at.path("data"), shells: watched });
    const say = (payload: string) => answer({ ...asking(at.path("home/app"), payload), host: "copilot" });
    const bash = (command: string): string =>
      JSON.stringify({ sessionId: "s", timestamp: 0, cwd: at.path("home/app"), toolName: "bash", toolArgs: { command } });
    const state = () => [...known].map((session) => shells.state(session));
    const words = await say(bash("cat a.txt"));
    const line = `set -e; . ${at.path("data/shells/copilot")}`;
    expect(words.exit === 0 ? JSON.parse(words.stdout) : words).toEqual({ modifiedArgs: { command: `${line}\ncat a.txt` } });
    expect(state()).toEqual(["unverified"]);
    await say(shellReportText({ sessionId: null, agentId: null, call: null, command: "cat a.txt", isConfined: true }));
    expect(state()).toEqual(["verified"]);
    // The host, or another hook behind ours, drops the line: it runs as it was written, and nothing reports.
    await say(bash("cat  a.txt"));
    expect(state()).toEqual(["unverified"]);
    // Or it changes the words: what reports is not what was noted.
    await say(shellReportText({ sessionId: null, agentId: null, call: null, command: "cat b.txt", isConfined: true }));
    expect(state()).toEqual(["unverified"]);
  });

  test("in a verified session the text of a command is judged as well once the file is gone that leads it into the sandbox", async () => {
    const at = tree(["home/app/a.txt", "data/shells/gemini"]);
    onTestFinished(() => at.remove());
    const { sessions } = memorySessions(at.path("home"), [], []);
    const answer = behind(sessions, at.path("home"), { data: at.path("data"), shells: createShellReports() });
    const say = (payload: string) => answer({ ...asking(at.path("home/app"), payload), host: "gemini" });
    const run = async (command: string): Promise<string> => {
      const tool = { tool_name: "run_shell_command", tool_input: { command } };
      const words = await say(JSON.stringify({ hook_event_name: "BeforeTool", session_id: "s", cwd: at.path("home/app"), ...tool }));
      await say(shellReportText({ sessionId: "s", agentId: null, call: null, command, isConfined: true }));
      return JSON.stringify(words);
    };
    const strange = 'cat "$(printf %s a.txt)"';
    await run("cat a.txt");
    expect(await run(strange)).not.toContain("deny");
    rmSync(at.path("data/shells/gemini"));
    expect(await run(strange)).toContain("deny");
  });

  test("what a search found goes on without the lines of secrets, and a policy that cannot be read lets nothing go on", async () => {
    const at = tree(["home/app/a.txt", "home/app/.env", "home/app/keys/x.pem", "home/.config/hallpass/policy.json: {}"]);
    onTestFinished(() => at.remove());
    const { sessions } = memorySessions(at.path("home"), [], []);
    const recorded: string[] = [];
    const watched: HookSessions = {
      ...sessions,
      decide: (session, access) => {
        recorded.push(access.path);
        return sessions.decide(session, access);
      },
    };
    const answer = behind(watched, at.path("home"));
    const text = "./.env:1:K=2\n./a.txt:1:K=1\n./keys/x.pem:1:K=3";
    const found = (toolName: string): string =>
      JSON.stringify({
        sessionId: "s",
        timestamp: 0,
        cwd: at.path("home/app"),
        toolName,
        toolArgs: { pattern: "K" },
        toolResult: { resultType: "success", textResultForLlm: text },
      });
    const say = async (tool: string): Promise<string> => {
      const words = await answer({ ...asking(at.path("home/app"), found(tool)), host: "copilot" });
      return words.exit === 0 ? words.stdout : words.stderr;
    };
    expect(JSON.parse(await say("grep"))).toEqual({ modifiedResult: { resultType: "success", textResultForLlm: "./a.txt:1:K=1" } });
    expect(recorded).toEqual([".env", "keys/x.pem"].map((name) => `${at.path("home/app")}/./${name}`));
    // Of other tools nothing is touched.
    expect(await say("view")).toBe("");
    writeFileSync(at.path("home/.config/hallpass/policy.json"), "no JSON");
    expect(JSON.parse(await say("grep"))).toMatchObject({ modifiedResult: { textResultForLlm: expect.stringContaining("withheld") } });
  });

  test("blocks in the host's own way when anything behind it fails", async () => {
    for (const payload of [call, "not JSON", "{}"]) {
      const words = await behind(failing, "/home/ada")(asking("/home/ada/app", payload));
      expect(words).toMatchObject({ exit: 2, stderr: expect.stringContaining("hook-failed") });
    }
  });
});
