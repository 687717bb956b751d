// Commands of an agent behind the proxy: where they start, what they are given, and that no editor runs a word of theirs outside the
// sandbox. And what an agent may try with sessions, modes and versions. The same commands do harm where nobody stands between.

import { execFileSync, type ExecFileSyncOptions } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commandWords, readGiven } from "../../src/adapters/acp/inert-words.ts";
import { detect } from "../../src/sandbox/sandbox.ts";
import { tree, type Tree } from "../tree.ts";
import { choose, type EditorPlan, withEditor } from "./editor.ts";

const foreign = join(import.meta.dirname, "foreign-agent.mjs");
const { why } = await detect();
const confines = test.skipIf(why !== null && process.env["CI"] === undefined);

function grown(): { readonly at: Tree; readonly plan: EditorPlan } {
  const at = tree(["home/ws/a.txt: inside", "home/ws/out => ../other", "home/other/c.txt: C", "home/lib/.git/", "home/lib/b.txt: outside"]);
  onTestFinished(() => at.remove());
  return { at, plan: { words: ["--", process.execPath, foreign], home: at.path("home"), cwd: at.path("home/ws") } };
}

interface Started {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly cwd?: string;
}

/** What the editor was asked to start, and what the agent heard. */
async function started(at: Tree, plan: EditorPlan, requests: readonly object[]) {
  const editors: Started[] = [];
  let text = "";
  await withEditor(plan, async (editor) => {
    const session = await editor.newSession(at.path("home/ws"));
    await editor.prompt(session, requests.map((one) => JSON.stringify({ method: "terminal/create", ...one })).join("\n"));
    editors.push(...editor.touched.map(({ params }) => params as Started));
    text = editor.text().trim();
  });
  return { editors, got: text.split("\n").map((line): Record<string, unknown> => JSON.parse(line)) };
}

/** As an editor starts a terminal that puts the words together for a shell and does not quote them. */
function runJoined(at: Tree, { command, args = [], env = [], cwd }: Started): string {
  const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const options = {
    cwd: cwd ?? at.path("home/ws"),
    env: { PATH: process.env["PATH"], HOME: at.path("home"), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  } satisfies ExecFileSyncOptions;
  try {
    return execFileSync("bash", ["-c", [command, ...args].join(" ")], options).toString();
  } catch (error) {
    return String(error);
  }
}

confines("no word of the agent's is read by the editor's shell, wherever it stands", async () => {
  const { at, plan } = grown();
  const escaped = at.path("home/escaped");
  const odd = `d;touch ${escaped.replaceAll("/", "\u2215")}`;
  mkdirSync(at.path(`home/ws/${odd}`));
  const hostile: readonly object[] = [
    { command: "echo", args: ["x", ";", "touch", escaped] },
    { command: "echo", args: [`$(touch ${escaped})`] },
    { command: `true;touch ${escaped};true`, args: ["x"] },
    { command: "echo", args: ["x\ntouch", escaped] },
    { command: "echo", args: ["x"], env: [{ name: "A", value: `x;touch ${escaped};` }] },
    { command: "echo", args: ["x", `>${escaped}`] },
  ];
  const { editors } = await started(at, plan, [...hostile, { command: "echo", cwd: at.path(`home/ws/${odd}`) }]);
  expect(editors.length).toBe(7);
  for (const one of editors) {
    for (const word of one.args ?? []) expect(word.replaceAll(at.path("home"), "")).toMatch(/^[\w@+=:,./-]*$/u);
    runJoined(at, one);
    expect(existsSync(escaped)).toBe(false);
  }
  // What was quoted nowhere still runs as it was meant.
  expect(runJoined(at, editors[0] ?? { command: "false" })).toContain(`x ; touch ${escaped}`);
  // With nobody between the agent and such an editor it does the harm.
  const bare = await started(at, { ...plan, bare: [foreign] }, hostile.slice(0, 1));
  for (const one of bare.editors) runJoined(at, one);
  expect(existsSync(escaped)).toBe(true);
});

test("plain words stay as they are, so that a person can read them; the others come back as they were", () => {
  expect(commandWords({ cwd: "/w", words: ["npm", "run", "build:all", "--x=1"] })).toEqual([
    "--cwd=/w",
    "--",
    "npm",
    "run",
    "build:all",
    "--x=1",
  ]);
  for (const given of [
    { cwd: "/w", words: ["echo", ""] },
    { cwd: "/w", words: ["=ls"] },
    { cwd: "/w", words: ["echo", "ü\n\u0000'\"$(x)"] },
    { cwd: "/w x", words: ["ls"] },
    { cwd: "/w", words: ["~root"] },
  ]) {
    const [flag = "", ...none] = commandWords(given);
    expect(none).toEqual([]);
    expect(flag).toMatch(/^--given=[\w-]+$/u);
    expect(readGiven(flag.slice("--given=".length))).toEqual(given);
  }
  for (const text of [
    "",
    "x",
    "bnVsbA",
    Buffer.from('{"cwd":"/","words":[]}').toString("base64url"),
    "a b",
    Buffer.from('{"cwd":"/","words":[1]}').toString("base64url"),
  ])
    expect(readGiven(text)).toBe(null);
});

confines("a command starts in what may be changed, or not at all", async () => {
  const { at, plan } = grown();
  const cwds = ["home/other", "home/ws/../other", "home/ws/out", "home/lib", "", "home/ws/nowhere/../../other"].map((path) =>
    at.path(path),
  );
  const { editors, got } = await started(
    at,
    plan,
    [...cwds, "out", "..", "/", "~"].map((cwd) => ({ command: "ls", cwd })),
  );
  expect(editors).toEqual([]);
  expect(got.map(({ terminalId }) => terminalId)).toEqual(Array.from({ length: 10 }));
});

confines("variables that make programs run something make it run in the sandbox alone", async () => {
  const { at, plan } = grown();
  const escaped = at.path("home/escaped");
  writeFileSync(at.path("home/ws/evil.sh"), `touch ${escaped}\necho ran\n`, { mode: 0o755 });
  const names = ["BASH_ENV", "LD_PRELOAD", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "NODE_OPTIONS", "PATH", "HOME", "HALLPASS_POLICY"];
  const request = {
    command: "bash",
    args: ["-c", "true"],
    env: names.map((name) => ({ name, value: name === "BASH_ENV" ? at.path("home/ws/evil.sh") : "/x" })),
  };
  const { editors } = await started(at, plan, [request, { ...request, env: request.env.slice(0, 1) }]);
  // The editor starts our own program, and gives it nothing of the agent's.
  expect(editors.map(({ env }) => env)).toEqual([[], []]);
  expect(runJoined(at, editors[1] ?? { command: "false" })).toContain("ran");
  expect(existsSync(escaped)).toBe(false);
  const bare = await started(at, { ...plan, bare: [foreign] }, [{ ...request, args: ["-c", "true"], env: request.env.slice(0, 1) }]);
  for (const one of bare.editors) runJoined(at, one);
  expect(existsSync(escaped)).toBe(true);
});

test("an agent opens no session, and a mode that asks for nothing changes nothing here", async () => {
  const { at, plan } = grown();
  await withEditor({ ...plan, answer: choose("deny"), extensions: ["session/new", "session/load", "session/set_mode"] }, async (editor) => {
    const sessionId = await editor.newSession(at.path("home/ws"));
    await editor.agent.request("session/set_mode", { sessionId, modeId: "bypassPermissions" });
    const evil = [{ name: "x", command: "touch", args: [at.path("home/escaped")], env: [] }];
    const requests = [
      { method: "session/new", cwd: at.path("home/lib"), mcpServers: evil },
      { method: "session/new", cwd: at.path("home/ws"), mcpServers: evil },
      { method: "session/new", cwd: at.path("home/ws"), mcpServers: [{ name: "x", command: "reboot", args: [], env: [] }] },
      { method: "session/load", with: { sessionId: "foreign-1", cwd: "/" } },
      { notify: "session/update", update: { sessionUpdate: "current_mode_update", currentModeId: "bypassPermissions" } },
      { method: "fs/read_text_file", path: at.path("home/lib/b.txt") },
      { method: "fs/write_text_file", path: at.path("home/other/c.txt"), content: "x" },
    ];
    await editor.prompt(sessionId, requests.map((one) => JSON.stringify(one)).join("\n"));
    const got = editor
      .text()
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
    const codes = [
      "write-out-of-scope",
      "write-out-of-scope",
      "person-declined",
      expect.any(String),
      "person-declined",
      "write-out-of-scope",
    ];
    expect(got.map(({ code }) => code)).toEqual(codes);
    expect(editor.touched).toEqual([]);
  });
});
