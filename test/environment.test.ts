// A repository that sets the environment of what guards it: hosts hand a workspace's `.env` to hooks and servers. Whatever word leads into
// the workspace, every way in denies and says why; the same policy where its operator keeps it is obeyed.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { answerText } from "../src/adapters/hook/socket-protocol.ts";
import { hookSocketName, hookSocketLine } from "../src/adapters/hook/socket-file.ts";
import { openApp } from "../src/server/open-app.ts";
import { routes } from "../src/wire/http.ts";
import { program, repository } from "./line-process.ts";
import { stage, startProgram } from "./server/daemon-process.ts";
import { tree, type Tree } from "./tree.ts";

const OPEN = JSON.stringify({ read: { "**/*": "allow" }, secrets: { except: ["**/.env"] }, preset: "open-read" });

function scene(): Tree {
  const at = tree({
    "home/": {},
    "lib/s": "OUTSIDE",
    "ws/.env": "KEY=INSIDE",
    "ws/cfg/hallpass/policy.json": OPEN,
    "ws/.config/hallpass/policy.json": OPEN,
    "ws/x/": {},
    "mine/hallpass/policy.json": OPEN,
  });
  onTestFinished(() => at.remove());
  return at;
}

/** Words that lead into the workspace; a host starts us there. */
const words = (at: Tree): readonly Readonly<Record<string, string>>[] => [
  { XDG_CONFIG_HOME: "/proc/self/cwd/cfg" },
  { XDG_CONFIG_HOME: at.path("ws/cfg") },
  { HOME: "/proc/self/cwd" },
  { HOME: at.path("ws") },
  { HALLPASS_DATA: "/proc/self/cwd/x" },
  { XDG_DATA_HOME: at.path("ws/x") },
];
const about = (at: Tree, more: object): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: at.path("home"), ...more });

const ways = {
  node: [process.execPath, join(repository, "dist", "hook.cjs")],
  shell: [join(repository, "bin", "hallpass-hook")],
} as const;

/** Not `spawnSync` where somebody in this process is to answer. */
function hook(
  at: Tree,
  way: keyof typeof ways,
  env: object,
  path = ".env",
): Promise<{ readonly exit: number | null; readonly text: string }> {
  const [file, ...rest] = ways[way];
  const payload = {
    hook_event_name: "PreToolUse",
    session_id: "s",
    cwd: at.path("ws"),
    tool_name: "Read",
    tool_input: { file_path: path },
  };
  const child = spawn(file, [...rest, "claude-code"], { cwd: at.path("ws"), env: about(at, env) });
  let text = "";
  child.stdout.on("data", (part: Buffer) => (text += part.toString()));
  child.stderr.on("data", (part: Buffer) => (text += part.toString()));
  child.stdin.end(JSON.stringify(payload));
  return new Promise((resolve) => child.on("close", (exit) => resolve({ exit, text })));
}

const REFUSED = /lies in the workspace or is reached through it/u;

test.each(["node", "shell"] as const)("the hook (%s) denies, and obeys the same policy where its operator keeps it", async (way) => {
  const at = scene();
  for (const env of words(at)) expect([env, await hook(at, way, env)]).toEqual([env, { exit: 2, text: expect.stringMatching(REFUSED) }]);
  expect(await hook(at, way, { XDG_CONFIG_HOME: at.path("mine") })).toEqual({ exit: 0, text: "" });
  expect((await hook(at, way, {})).text).toContain('"deny"');
});

test.each(["node", "shell"] as const)(
  "PROJECT_ROOT_WHITELIST widens nothing where a host starts the hook (%s), and counts where the operator starts us",
  async (way) => {
    const at = scene();
    mkdirSync(join(at.root, "lib", ".git"));
    const [file, widened] = [at.path("lib/s"), { PROJECT_ROOT_WHITELIST: at.root }];
    const plain = await hook(at, way, {}, file);
    expect(plain.text).toContain("cannot be opened by an answer, only by a rule of the policy");
    expect(await hook(at, way, widened, file)).toEqual(plain);
    const check = spawnSync(process.execPath, [program, "check", file], { cwd: at.path("ws"), env: about(at, widened), encoding: "utf8" });
    expect([check.status, check.stdout]).toEqual([10, expect.stringContaining('"ask"')]);
  },
);

test.each(["node", "shell"] as const)("a socket file of the repository's own is not used (%s)", async (way) => {
  const at = scene();
  const proof = "p".repeat(32);
  const knocks: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (piece) => {
      knocks.push(piece.toString().split("|")[2] ?? "");
      socket.end(answerText({ exit: 0, stdout: "" }, proof));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const line = hookSocketLine({ port: (server.address() as AddressInfo).port, token: "t".repeat(32), proof });
  for (const dir of ["ws/x", "mine"]) writeFileSync(join(at.path(dir), hookSocketName), line, { mode: 0o600 });
  for (const HALLPASS_DATA of ["/proc/self/cwd/x", at.path("ws/x"), `${at.path("mine")}/../ws/x`, `${at.path("ws")}/./x`])
    expect(await hook(at, way, { HALLPASS_DATA })).toEqual({ exit: 2, text: expect.stringMatching(REFUSED) });
  expect(knocks).toEqual([]);
  // Elsewhere whoever holds the socket is believed: its proof stands in the same file.
  expect(await hook(at, way, { HALLPASS_DATA: at.path("mine") })).toEqual({ exit: 0, text: "" });
  expect(knocks).toEqual(["claude-code"]);
});

interface Talk {
  readonly ask: (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>;
  readonly heard: readonly string[];
  readonly child: ChildProcess;
}

/** JSON-RPC, line by line, with a program of ours. */
function talk(at: Tree, command: readonly string[], env: object): Talk {
  const child = spawn(process.execPath, [program, ...command], {
    cwd: at.path("ws"),
    env: about(at, env),
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const heard: string[] = [];
  const waiting = new Map<unknown, (line: Readonly<Record<string, unknown>>) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    heard.push(line);
    const said = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (said["method"] === undefined) waiting.get(said["id"])?.(said);
  });
  const ask: Talk["ask"] = (method, params) =>
    new Promise((resolve) => {
      const id = waiting.size + 1;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  return { ask, heard, child };
}

async function readByMcp(at: Tree, env: object): Promise<string> {
  const { ask } = talk(at, ["mcp", "--alone"], env);
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } });
  return JSON.stringify(await ask("tools/call", { name: "read_file", arguments: { path: ".env" } }));
}

async function readByAcp(at: Tree, env: object): Promise<string> {
  const { ask, heard } = talk(at, ["acp", "--alone"], env);
  await ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const opened = await ask("session/new", { cwd: at.path("ws"), mcpServers: [] });
  const sessionId = (opened["result"] as { readonly sessionId?: string } | undefined)?.sessionId;
  if (sessionId !== undefined) await ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "read .env" }] });
  return heard.join("\n");
}

test.each([
  ["mcp", readByMcp],
  ["acp", readByAcp],
] as const)("hallpass %s hands nothing out, and obeys the same policy where its operator keeps it", async (_name, read) => {
  const at = scene();
  for (const env of words(at).filter((_env, index) => index % 2 === 0)) {
    const said = await read(at, env);
    expect([env, said]).toEqual([env, expect.stringMatching(/invalid-policy|lies in the workspace/u)]);
    expect(said).not.toContain("KEY=INSIDE");
  }
  expect(await read(at, { XDG_CONFIG_HOME: at.path("mine") })).toContain("KEY=INSIDE");
});

test("hallpass run, check and explain refuse as well", () => {
  const at = scene();
  const started = (command: readonly string[], env: object) =>
    spawnSync(process.execPath, [program, ...command], { cwd: at.path("ws"), env: about(at, env), encoding: "utf8" });
  for (const command of [
    ["run", "-q", "--", "cat", ".env"],
    ["check", ".env"],
    ["explain", ".env"],
  ]) {
    const refused = started(command, { XDG_CONFIG_HOME: "/proc/self/cwd/cfg" });
    expect([command, refused.status, refused.stdout, refused.stderr]).toEqual([command, 2, "", expect.stringMatching(REFUSED)]);
    expect(started(command, { XDG_CONFIG_HOME: at.path("mine") }).stderr).not.toMatch(REFUSED);
  }
  expect(started(["check", ".env"], { XDG_CONFIG_HOME: at.path("mine") }).stdout).toContain('"allow"');
});

test("a chat in this process opens no session in a workspace that speaks for the operator", async () => {
  const at = scene();
  const open = async (env: Readonly<Record<string, string>>) => {
    const app = await openApp({ home: at.path("home"), env, platform: process.platform, via: "test" });
    onTestFinished(() => app.close());
    return app.client.send(routes.addSession, { body: { workspace: at.path("ws") } });
  };
  await expect(open({ XDG_CONFIG_HOME: at.path("ws/cfg") })).rejects.toThrow(REFUSED);
  await expect(open({ XDG_CONFIG_HOME: at.path("mine") })).resolves.toMatchObject({ workspace: at.path("ws") });
});

test("a daemon that was started with such words denies in that workspace, and works in others", async () => {
  const at = stage();
  mkdirSync(join(at.workspace, "cfg", "hallpass"), { recursive: true });
  writeFileSync(join(at.workspace, "cfg", "hallpass", "policy.json"), OPEN);
  const daemon = await startProgram(at, { data: at.data(), env: { XDG_CONFIG_HOME: join(at.workspace, "cfg") } });
  const open = (workspace: string) => daemon.client.send(routes.addSession, { body: { workspace } });
  await expect(open(at.workspace)).rejects.toThrow(REFUSED);
  await expect(open(at.library)).resolves.toMatchObject({ workspace: at.library });
});

test("doctor says so plainly, of the policy and of the data directory", () => {
  const at = scene();
  const doctor = (env: object): string =>
    spawnSync(process.execPath, [program, "doctor", "--no-canary", "--json"], { cwd: at.path("ws"), env: about(at, env), encoding: "utf8" })
      .stdout;
  const wrong = (env: object): readonly string[] =>
    (JSON.parse(doctor(env)) as { readonly findings: readonly { part: string; state: string; says: string }[] }).findings
      .filter(({ state, says }) => state === "wrong" && REFUSED.test(says))
      .map(({ part }) => part);
  expect(wrong({ XDG_CONFIG_HOME: "/proc/self/cwd/cfg" })).toEqual(["policy (operator)"]);
  expect(wrong({ HALLPASS_DATA: at.path("ws/x") })).toEqual(["data directory"]);
  expect(wrong({ XDG_CONFIG_HOME: at.path("mine") })).toEqual([]);
});

test("install, uninstall and sync write nothing by such words", () => {
  const at = scene();
  for (const command of ["install", "uninstall", "sync"]) {
    const env = about(at, { HALLPASS_DATA: at.path("ws/x") });
    const said = spawnSync(process.execPath, [program, command, "codex", "--yes"], { cwd: at.path("ws"), env, encoding: "utf8" });
    expect([command, said.status, said.stderr]).toEqual([command, 1, expect.stringMatching(REFUSED)]);
  }
});
