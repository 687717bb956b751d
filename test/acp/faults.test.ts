// Lines that are none, ids that are somebody else's, and either end gone in the middle of a question: nothing hangs, and nothing is
// allowed. The editor is the official client, or raw bytes where no client would send them.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { methods } from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { tree, type Tree } from "../tree.ts";
import { choose, type Editor, type EditorPlan, program, withEditor } from "./editor.ts";

const raw = join(import.meta.dirname, "raw-agent.mjs");

function grown(mode?: string): { readonly at: Tree; readonly plan: EditorPlan } {
  const at = tree(["home/ws/a.txt: inside", "home/lib/.git/", "home/lib/b.txt: from the library"]);
  onTestFinished(() => at.remove());
  const words = mode === undefined ? [] : ["--", process.execPath, raw, mode, at.path("home/lib/b.txt"), at.path("end")];
  return { at, plan: { words, home: at.path("home"), cwd: at.path("home/ws") } };
}

const started = async (editor: Editor, at: Tree, text: string) => {
  const sessionId = await editor.newSession(at.path("home/ws"));
  const turn = editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  // It may end with the connection.
  turn.catch(() => {});
  return { sessionId, turn };
};

test("noise, answers nobody asked for, ids that are used twice and a line of ten megabytes: what is asked after them is judged", async () => {
  const { at, plan } = grown("noise");
  await withEditor({ ...plan, answer: choose("deny") }, async (editor) => {
    const { turn } = await started(editor, at, "go");
    await turn;
    await expect.poll(() => editor.text().trim().split("\n").length).toBe(3);
    const got = editor
      .text()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number; error?: string });
    expect(got.map(({ id }) => id).toSorted((one, other) => one - other)).toEqual([1, 1, 2]);
    expect(got.every(({ error }) => error !== undefined)).toBe(true);
    expect(editor.text()).not.toContain("from the library");
    expect(editor.touched).toEqual([]);
  });
});

/** An editor in raw lines: it has opened a session and said something. `heard` resolves once a line holds the words. */
function opened(at: Tree, words: readonly string[], text: string) {
  const env = { PATH: process.env["PATH"], HOME: at.path("home"), PROJECT_ROOT_WHITELIST: at.path("home") };
  const child = spawn(process.execPath, [program, "acp", "--alone", ...words], {
    cwd: at.path("home/ws"),
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
  child.stdin.on("error", () => {});
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const heard = async (part: string): Promise<string> => {
    await expect.poll(() => said.some((line) => line.includes(part))).toBe(true);
    return said.find((line) => line.includes(part)) ?? "";
  };
  const begin = async (): Promise<void> => {
    send({ id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true } } } });
    await heard('"protocolVersion"');
    send({ id: 1, method: "session/new", params: { cwd: at.path("home/ws"), mcpServers: [] } });
    const { result } = JSON.parse(await heard('"sessionId"')) as { result: { sessionId: string } };
    send({ id: 2, method: "session/prompt", params: { sessionId: result.sessionId, prompt: [{ type: "text", text }] } });
  };
  const gone = once(child, "exit").then(([code]: unknown[]) => ({ code }));
  return { child, said, heard, begin, gone };
}

test("an agent that stops in the middle of a line is gone, and so are we", async () => {
  const { at, plan } = grown("endless");
  const { begin, gone, said } = opened(at, plan.words, "go");
  await begin();
  expect(await gone).toMatchObject({ code: 3 });
  expect(said.join("")).not.toContain("read_text_file");
});

test("an agent that dies in the middle of an ask takes its question with it", async () => {
  const { at, plan } = grown("dies");
  const { begin, heard, gone, said } = opened(at, plan.words, "go");
  await begin();
  const { id } = JSON.parse(await heard("session/request_permission")) as { id: string };
  writeFileSync(at.path("end"), "");
  expect(await gone).toMatchObject({ code: 3 });
  expect(said.some((line) => line.includes("$/cancel_request") && line.includes(id))).toBe(true);
  expect(said.join("")).not.toContain("from the library");
});

test("a turn that is cancelled in the middle of an ask: the agent hears no, and a yes that comes after it opens nothing", async () => {
  const { at, plan } = grown("asks");
  let say: (optionId: string) => void = () => {};
  let asked = 0;
  const answer: EditorPlan["answer"] = (request) =>
    (asked += 1) === 1 ? new Promise((resolve) => (say = (option) => resolve(choose(option)(request)))) : choose("deny")(request);
  await withEditor({ ...plan, answer }, async (editor) => {
    const { sessionId } = await started(editor, at, "go");
    await expect.poll(() => editor.asked.length).toBe(1);
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    await expect.poll(() => editor.text()).toContain("request-closed");
    say("session");
    // What came before it has been taken by the time that the next question is settled: it is a question again, so nothing was opened.
    await started(editor, at, "go");
    await expect.poll(() => editor.text()).toContain("person-declined");
    expect(editor.asked.length).toBe(2);
    expect(editor.text()).not.toContain("from the library");
  });
});

test.each(["asks", undefined])("an editor that goes in the middle of an ask: we go too (%s)", async (mode) => {
  const { at, plan } = grown(mode);
  const { begin, heard, gone, child } = opened(at, plan.words, `read ${at.path("home/lib/b.txt")}`);
  await begin();
  await heard("session/request_permission");
  child.stdin.destroy();
  child.stdout.destroy();
  await gone;
});

test("an agent that stays after its editor is gone is ended, whatever it listens to", async () => {
  const { at, plan } = grown("stubborn");
  const { begin, heard, gone, child } = opened(at, plan.words, "go");
  await begin();
  await heard("session/request_permission");
  child.stdin.end();
  await gone;
});

/** Raw lines to a program of ours, and what it said to them. */
async function lines(words: readonly string[], at: Tree, sent: readonly string[], until: (said: string) => boolean) {
  const env = { PATH: process.env["PATH"], HOME: at.path("home"), PROJECT_ROOT_WHITELIST: at.path("home") };
  const child = spawn(process.execPath, [program, "acp", "--alone", ...words], {
    cwd: at.path("home/ws"),
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  let said = "";
  child.stdout.on("data", (part: Buffer) => (said += part.toString()));
  child.stdin.on("error", () => {});
  for (const line of sent) child.stdin.write(line);
  await expect.poll(() => until(said)).toBe(true);
  child.stdin.end();
  const [code] = (await once(child, "exit")) as [number | null];
  return { said, code };
}

const greet = (version = 1) =>
  `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: version, clientCapabilities: {} } })}\n`;

test("our agent: noise and a line of ten megabytes from the editor, and it still answers", async () => {
  const { at } = grown();
  const long = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/prompt", params: { sessionId: "x".repeat(10 * 1024 * 1024), prompt: [] } })}\n`;
  const noise = ["{\n", "null\n", '{"jsonrpc":"2.0","id":"nobody-asked","result":{}}\n', long];
  const { said, code } = await lines([], at, [...noise, greet()], (text) => text.includes('"protocolVersion":1'));
  expect(said).not.toContain('"sessionId"');
  expect(code).toBe(0);
});

test("only the version that can be guarded is spoken: a newer editor is held to it, and a newer agent refused", async () => {
  const { at } = grown();
  const older = await lines(["--", process.execPath, raw, "asks"], at, [greet(2)], (text) => text.includes("\n"));
  expect(JSON.parse(older.said.trim())).toMatchObject({ id: 0, result: { protocolVersion: 1, _meta: { asked: 1 } } });
  const newer = await lines(["--", process.execPath, raw, "newer"], at, [greet(2)], (text) => text.includes("\n"));
  expect(JSON.parse(newer.said.trim())).toMatchObject({ id: 0, error: { data: { code: "bad-request" } } });
});
