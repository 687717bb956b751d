// The hook and the real daemon: grants that a person gave count at once and end when they are revoked, asks come to the inbox, and a
// daemon that is killed leaves answers that block or are right.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { environmentOf, executable, type Stage, stage, startProgram } from "../server/daemon-process.ts";

const script = join(import.meta.dirname, "../../bin/hallpass-hook");

interface Said {
  readonly exit: number | null;
  readonly decision: string | null;
  readonly text: string;
}

/** Claude Code's hook, as it starts it, for one call. */
function hook(
  on: Stage,
  tool: string,
  input: object,
  words: readonly string[] = [],
  node = process.execPath,
  differs: object = {},
  more: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const env = { ...environmentOf(on, more), HALLPASS_DATA: on.data(), HALLPASS_NODE: node, CLAUDE_PROJECT_DIR: on.workspace };
  const child = spawn(script, ["claude-code", ...words], { cwd: on.workspace, env });
  let said = "";
  let errors = "";
  child.stdout.on("data", (piece: Buffer) => (said += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (errors += piece.toString()));
  const call = { session_id: "s1", hook_event_name: "PreToolUse", tool_name: tool, tool_input: input, cwd: on.workspace };
  child.stdin.end(
    JSON.stringify({ ...call, tool_use_id: `t-${Math.random()}`, permission_mode: "default", transcript_path: "/dev/null", ...differs }),
  );
  return new Promise((resolve) => {
    child.on("close", (exit) => {
      const decision = /"permissionDecision":"(\w+)"/.exec(said)?.[1] ?? null;
      resolve({ exit, decision, text: said + errors });
    });
  });
}

const read = (on: Stage, name: string) => hook(on, "Read", { file_path: join(on.library, name) });

test("a grant given in the inbox is honoured by the next call, for reading alone, until it is revoked", async () => {
  const on = stage();
  const { client } = await startProgram(on, { data: on.data() });
  expect(statSync(join(on.data(), "hook.socket")).mode & 0o777).toBe(0o600);
  expect((await hook(on, "Read", { file_path: join(on.workspace, "notes.txt") })).decision).not.toBe("deny");
  const refused = await read(on, "far.txt");
  expect(refused).toMatchObject({ decision: "deny", exit: 0 });
  expect(refused.text).toContain("request_read_access");
  const [session] = await client.send(routes.listSessions, {});
  expect(session).toMatchObject({ host: "claude-code", workspace: on.workspace });
  // The hook waits for the inbox where it is told to.
  const asked = hook(on, "Read", { file_path: join(on.library, "far.txt") }, ["--ask"]);
  const ask = await soon(async () => (await client.send(routes.listAsks, { query: { state: "open" } }))[0]);
  await client.send(routes.answer, { id: ask.id, body: { decision: "allow" } });
  expect((await asked).decision).toBe("allow");
  expect((await read(on, "far.txt")).decision).toBe("allow");
  expect((await hook(on, "Write", { file_path: join(on.library, "far.txt"), content: "x" })).decision).toBe("deny");
  const [grant] = await client.send(routes.listGrants, {});
  await client.send(routes.revoke, { id: grant?.id ?? "" });
  expect((await read(on, "far.txt")).decision).toBe("deny");
});

test("a workspace that is told through a link is the one that it leads to", async () => {
  const on = stage();
  const { client } = await startProgram(on, { data: on.data() });
  const link = `${on.workspace}-link`;
  symlinkSync(on.workspace, link);
  const file = { file_path: join(link, "notes.txt") };
  for (const workspace of [link, on.workspace]) expect((await hook({ ...on, workspace }, "Read", file)).decision).not.toBe("deny");
  expect(await client.send(routes.listSessions, {})).toMatchObject([{ host: "claude-code", workspace: on.workspace }]);
});

test("an agent that leaves ends its session, through the shell and without a daemon without a word", async () => {
  const on = stage();
  const over = (node: string) => hook(on, "", {}, [], node, { hook_event_name: "SessionEnd", reason: "prompt_input_exit" });
  expect(await over(process.execPath)).toEqual({ exit: 0, decision: null, text: "" });
  const { client } = await startProgram(on, { data: on.data() });
  await read(on, "far.txt");
  const open = () => client.send(routes.listSessions, { query: { archived: "false" } });
  expect(await open()).toHaveLength(1);
  expect(await over("/nonexistent/node")).toEqual({ exit: 0, decision: null, text: "" });
  expect(await open()).toEqual([]);
}, 60_000);

test.runIf(process.platform === "linux").each([
  ["the shell's hook", '"$0" claude-code'],
  ["the Node hook", '"$HALLPASS_NODE" "${0%/bin/*}/dist/hook.cjs" claude-code'],
])(
  "a host whose process is gone takes its sessions with it, and no other's: %s",
  async (_name, line) => {
    const on = stage();
    const { client } = await startProgram(on, { data: on.data() });
    const env = { ...environmentOf(on), HALLPASS_DATA: on.data(), HALLPASS_NODE: process.execPath, CLAUDE_PROJECT_DIR: on.workspace };
    const payload = JSON.stringify({
      session_id: "gone",
      hook_event_name: "PreToolUse",
      tool_name: "Read",
      tool_input: { file_path: join(on.workspace, "notes.txt") },
    });
    // A host that starts its hook by a shell, as hosts do, and then lives on.
    const run = `const hook = require("node:child_process").spawn("/bin/sh", ["-c", ${JSON.stringify(`${line} || exit 2`)}, ${JSON.stringify(script)}]);
      hook.stdin.end(${JSON.stringify(payload)}); setInterval(() => {}, 1000);`;
    const host = spawn(process.execPath, ["-e", run], { cwd: on.workspace, env, stdio: "ignore" });
    onTestFinished(() => void host.kill("SIGKILL"));
    await hook(on, "Read", { file_path: join(on.workspace, "notes.txt") });
    const open = () => client.send(routes.listSessions, { query: { archived: "false" } });
    await vi.waitFor(async () => expect(await open()).toHaveLength(2), { timeout: 60_000 });
    host.kill("SIGKILL");
    await vi.waitFor(async () => expect(await open()).toHaveLength(1), { timeout: 60_000 });
    const { records } = await client.send(routes.audit, { query: { kind: "session-ended" } });
    expect(records).toMatchObject([{ event: { by: "claude-code", why: "agent-left" } }]);
    // This process is the other one's host.
    expect((await hook(on, "Read", { file_path: join(on.workspace, "notes.txt") })).exit).toBe(0);
    expect(await open()).toHaveLength(1);
  },
  180_000,
);

test("the shell's part understands the daemon by itself: no Node is started for what either of them can say", async () => {
  const on = stage();
  await startProgram(on, { data: on.data() });
  const ask = (path: string): Promise<Said> => hook(on, "Read", { file_path: path }, [], "/nonexistent/node");
  expect(await ask(join(on.workspace, "notes.txt"))).toEqual({ exit: 0, decision: null, text: "" });
  expect(await ask(join(on.library, "far.txt"))).toMatchObject({ exit: 0, decision: "deny" });
  // What is no call at all is the daemon's own words on stderr.
  const nothing = await hook(on, "", {}, [], "/nonexistent/node");
  expect([nothing.exit, nothing.text.includes("/nonexistent/node")]).toEqual([2, false]);
});

test("a daemon that stops removes its socket file, and the hook judges by itself: stricter, without grants", async () => {
  const on = stage();
  const daemon = await startProgram(on, { data: on.data() });
  await daemon.stop();
  expect(existsSync(join(on.data(), "hook.socket"))).toBe(false);
  expect((await read(on, "far.txt")).decision).toBe("deny");
});

test("the daemon is killed between calls: every answer blocks or is right", async () => {
  const on = stage();
  const daemon = await startProgram(on, { data: on.data() });
  const calls = Array.from({ length: 40 }, (_, number) => number);
  for (const number of calls) {
    if (number === 20) await daemon.kill();
    const inside = number % 2 === 0;
    const said = inside ? await hook(on, "Read", { file_path: join(on.workspace, "notes.txt") }) : await read(on, "far.txt");
    if (inside) expect([number, said.exit === 2 || said.decision !== "deny"]).toEqual([number, true]);
    else expect([number, said.exit === 2 || said.decision === "deny"]).toEqual([number, true]);
  }
});

async function soon<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let left = 1200; left > 0; left -= 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("nothing came");
}

/** `hallpass mcp` as a host starts it; gives what `read_file` says of a path. */
function startMcp(
  on: Stage,
  workspace: string,
  [program, ...words]: readonly [string, ...string[]],
  { flags = [], env: more = {} }: { readonly flags?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
) {
  const env = { ...environmentOf(on, more), HALLPASS_DATA: on.data() };
  const child = spawn(program, [...words, "mcp", "--workspace", workspace, "--inbox", ...flags], { cwd: workspace, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (piece: Buffer) => (said += piece.toString()));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answerTo = (id: number) => soon(async () => said.split("\n").find((line) => line.includes(`"id":${id}`) && line.endsWith("}")));
  const clientInfo = { name: "test", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  let next = 2;
  return async (path: string): Promise<string> => {
    await answerTo(1);
    const id = next++;
    if (id === 2) send({ method: "notifications/initialized" });
    send({ id, method: "tools/call", params: { name: "read_file", arguments: { path } } });
    return answerTo(id);
  };
}

test.runIf(process.platform === "linux")(
  "the MCP server that a host starts is in the session of its hook, by the host's own process, and no other's is",
  async () => {
    const on = stage();
    const { client } = await startProgram(on, { data: on.data() });
    const file = join(on.library, "far.txt");
    const asked = hook(on, "Read", { file_path: file }, ["--ask"]);
    const ask = await soon(async () => (await client.send(routes.listAsks, { query: { state: "open" } }))[0]);
    await client.send(routes.answer, { id: ask.id, body: { decision: "allow" } });
    expect((await asked).decision).toBe("allow");
    const sessions = () => client.send(routes.listSessions, { query: { archived: "false" } });
    // This process is the host.
    const own = startMcp(on, on.workspace, [process.execPath, executable]);
    expect(await own(file)).toContain("outside the workspace");
    expect(await sessions()).toHaveLength(1);
    // A process of another name stands between, so that it is another program's. And another workspace is another session.
    const between =
      "const { spawn } = require('node:child_process'); spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' });";
    const foreign = startMcp(on, on.workspace, [process.execPath, "-e", between, executable]);
    expect(await foreign(file)).toContain("request_read_access");
    mkdirSync(join(on.root, "other"));
    const elsewhere = startMcp(on, join(on.root, "other"), [process.execPath, executable]);
    expect(await elsewhere(file)).toContain("request_read_access");
    // The agent leaves, and another comes: the server goes on in the session that is there then, without the grant.
    await hook(on, "", {}, [], process.execPath, { hook_event_name: "SessionEnd", reason: "clear" });
    await hook(on, "Read", { file_path: join(on.workspace, "notes.txt") }, [], process.execPath, { session_id: "s2" });
    expect(await own(file)).toContain("request_read_access");
    expect((await sessions()).filter(({ host }) => host === "claude-code")).toHaveLength(1);
  },
  60_000,
);

test("a hook that was installed starts the daemon where none runs, once, and not after it was stopped, in CI or out of a workspace", async () => {
  const on = stage();
  const data = on.data();
  mkdirSync(data, { mode: 0o700 });
  const [tried, address] = [join(data, "start-tried"), join(data, "daemon.json")];
  const program = (...words: string[]) =>
    spawnSync(process.execPath, [executable, ...words], { env: { ...environmentOf(on), HALLPASS_DATA: data }, encoding: "utf8" });
  onTestFinished(() => void program("stop"));
  const call = async (env: Readonly<Record<string, string>>, workspace = on.workspace, words = ["--start"]): Promise<void> => {
    const said = await hook({ ...on, workspace }, "Read", { file_path: join(workspace, "package.json") }, words, process.execPath, {}, env);
    expect(said.exit).toBe(0);
  };
  await call({ CI: "1" });
  await call({ CI: "", HALLPASS_START: "never" });
  await call({ CI: "" }, on.workspace, []);
  // The program itself is part of this workspace, whose agent could have changed it.
  await call({ CI: "" }, join(import.meta.dirname, "../.."));
  expect(existsSync(tried)).toBe(false);
  await Promise.all([1, 2, 3].map(() => call({ CI: "", HALLPASS_MODEL: "none/of-a-project" })));
  await vi.waitFor(() => expect(existsSync(address)).toBe(true), { timeout: 60_000 });
  await vi.waitFor(() => expect(program("status", "--json").status).toBe(0), { timeout: 60_000 });
  // One daemon, which was not told what the host's environment says.
  const log = readFileSync(join(data, "daemon.log"), "utf8");
  expect([log.match(/^hallpass \d/gmu)?.length, log.includes("of-a-project")]).toEqual([1, false]);
  expect(statSync(join(data, "daemon.log")).mode & 0o777).toBe(0o600);
  await call({});
  expect(JSON.parse(program("sessions", "--json").stdout)).toMatchObject([{ host: "claude-code" }]);
  expect(program("stop").status).toBe(0);
  rmSync(tried);
  await call({ CI: "" });
  expect(existsSync(tried)).toBe(false);
  // The MCP server of a host does the same.
  rmSync(join(data, "stopped"));
  const read = startMcp(on, on.workspace, [process.execPath, executable], { flags: ["--start"], env: { CI: "" } });
  expect(await read("notes.txt")).toContain("inside the workspace");
  expect(program("status", "--json").status).toBe(0);
}, 120_000);
