// The proxy between an editor and somebody else's agent: each request of the agent's is judged before the editor hears of it. Without the
// proxy the same requests reach the editor as they are.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProxy } from "../../src/adapters/acp/proxy.ts";
import { openApp } from "../../src/server/open-app.ts";
import { openHostSession } from "../../src/adapters/host-session/open.ts";
import { createPolicyFor } from "../../src/config/policy-for.ts";
import { randomIds, systemClock } from "../../src/core/clock.ts";
import { detect } from "../../src/sandbox/sandbox.ts";
import { expected, GUARDED, shapes, soil, spellings, targets } from "../escapes.ts";
import { tree, type Tree } from "../tree.ts";
import { choose, type Editor, type EditorPlan, withEditor } from "./editor.ts";

const foreign = join(import.meta.dirname, "foreign-agent.mjs");
const { why } = await detect();

function grown(): { readonly at: Tree; readonly plan: EditorPlan } {
  const at = tree([
    "home/ws/a.txt: inside",
    "home/ws/.env: KEY=0",
    "home/ws/out => ../lib/b.txt",
    "home/other/c.txt: C",
    "home/lib/.git/",
    "home/lib/b.txt: one\ntwo\nthree\n",
    "home/lib/.env: KEY=1",
  ]);
  onTestFinished(() => at.remove());
  return { at, plan: { words: ["--", process.execPath, foreign], home: at.path("home"), cwd: at.path("home/ws") } };
}

async function ask(editor: Editor, at: Tree, requests: readonly object[]): Promise<readonly Record<string, unknown>[]> {
  const session = await editor.newSession(at.path("home/ws"));
  await editor.prompt(session, requests.map((request) => JSON.stringify(request)).join("\n"));
  return editor
    .text()
    .trim()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));
}

const read = (path: string) => ({ method: "fs/read_text_file", path });

test("inside the workspace the editor answers; secrets and what is not granted it never hears of", async () => {
  const { at, plan } = grown();
  await withEditor(plan, async (editor) => {
    const got = await ask(editor, at, [
      read(at.path("home/ws/a.txt")),
      read(at.path("home/ws/.env")),
      read(at.path("home/ws/out")),
      read(at.path("home/lib/b.txt")),
    ]);
    expect(got).toMatchObject([
      { content: `the editor's ${at.path("home/ws/a.txt")}` },
      { code: "secret-file" },
      { code: "person-declined" },
      { code: "recently-denied" },
    ]);
    expect(editor.touched.length).toBe(1);
    expect(editor.asked.length).toBe(1);
  });
});

test("a yes in the editor opens the repository: the proxy reads it through the guard, and writing there stays refused", async () => {
  const { at, plan } = grown();
  await withEditor({ ...plan, answer: choose("session") }, async (editor) => {
    const got = await ask(editor, at, [
      read(at.path("home/lib/b.txt")),
      { ...read(at.path("home/lib/b.txt")), line: 2, limit: 1 },
      read(at.path("home/lib/.env")),
      { method: "fs/write_text_file", path: at.path("home/lib/b.txt"), content: "x" },
      { method: "fs/write_text_file", path: at.path("home/ws/new.txt"), content: "x" },
    ]);
    expect(got).toMatchObject([
      { content: "one\ntwo\nthree\n" },
      { content: "two\n" },
      { code: "secret-file" },
      { code: "read-only-grant" },
      {},
    ]);
    expect(editor.touched).toMatchObject([{ method: "write", params: { path: at.path("home/ws/new.txt") } }]);
  });
});

test("permissions for what is granted need no question, what is denied is rejected, and the rest is asked by us", async () => {
  const { at, plan } = grown();
  const options = [
    { optionId: "y", name: "yes", kind: "allow_once" },
    { optionId: "always", name: "always", kind: "allow_always" },
    { optionId: "n", name: "no", kind: "reject_once" },
  ];
  const permit = (kind: string, path: string) => ({
    method: "session/request_permission",
    toolCall: { toolCallId: "x", title: "read it", kind, locations: [{ path }] },
    options,
  });
  await withEditor(
    { ...plan, answer: (request) => choose(request.options.some(({ optionId }) => optionId === "session") ? "session" : "y")(request) },
    async (editor) => {
      const got = await ask(editor, at, [
        permit("read", at.path("home/ws/a.txt")),
        permit("read", at.path("home/ws/.env")),
        permit("read", at.path("home/lib/b.txt")),
        permit("edit", at.path("home/lib/b.txt")),
        permit("edit", at.path("home/ws/a.txt")),
      ]);
      expect(got.map(({ outcome }) => outcome)).toMatchObject([
        { optionId: "y" },
        { optionId: "n" },
        { optionId: "y" },
        { optionId: "n" },
        { optionId: "y" },
      ]);
      // Ours for the library, and the agent's own for a change in the workspace.
      expect(editor.asked.length).toBe(2);
    },
  );
});

test.skipIf(why !== null && process.env["CI"] === undefined)("a terminal is started confined to the workspace, or not at all", async () => {
  const { at, plan } = grown();
  await withEditor(plan, async (editor) => {
    const terminal = (cwd: string) => ({ method: "terminal/create", command: "cat", args: [at.path("home/other/c.txt")], cwd });
    const got = await ask(editor, at, [terminal(at.path("home/ws")), terminal(at.path("home/other"))]);
    expect(got).toMatchObject([{ terminalId: "t1" }, { code: "write-out-of-scope" }]);
    expect(editor.touched).toMatchObject([{ params: { args: expect.arrayContaining(["run", "--network=none", "--", "cat"]) } }]);
  });
});

test("cancelling in the middle of an ask closes it, and the agent's read is refused", async () => {
  const { at, plan } = grown();
  // What an editor answers to a permission request of a turn that was cancelled.
  await withEditor({ ...plan, answer: () => ({ outcome: { outcome: "cancelled" } }) }, async (editor) => {
    const got = await ask(editor, at, [read(at.path("home/lib/b.txt")), read(at.path("home/ws/a.txt"))]);
    expect(got[0]?.["refused"]).toBeDefined();
    expect(got[1]).toMatchObject({ content: expect.stringContaining("the editor's") });
    expect(editor.asked.length).toBe(1);
  });
});

test("the agent is offered our tools, and a session nobody opened has nothing in scope", async () => {
  const { at, plan } = grown();
  await withEditor(plan, async (editor) => {
    const made = await editor.agent.request("session/new", { cwd: at.path("home/ws"), mcpServers: [] });
    expect(made).toMatchObject({ _meta: { servers: ["hallpass"] } });
    const got = await ask(editor, at, [{ ...read(at.path("home/ws/a.txt")), sessionId: "another" }]);
    expect(got).toMatchObject([{ code: "wrong-session" }]);
  });
});

test("only this file, once: the proxy reads it under that call, and the next read asks again", async () => {
  const { at, plan } = grown();
  await withEditor({ ...plan, answer: choose("once") }, async (editor) => {
    const path = at.path("home/lib/b.txt");
    expect(await ask(editor, at, [read(path), read(path)])).toMatchObject([
      { content: "one\ntwo\nthree\n" },
      { content: "one\ntwo\nthree\n" },
    ]);
    expect(editor.asked.length).toBe(2);
  });
});

test("the editor is given a path that can be read in one way only", async () => {
  const { at, plan } = grown();
  await withEditor(plan, async (editor) => {
    const ws = at.path("home/ws");
    const odd = [
      `${ws}/../ws/a.txt`,
      `${ws}/./a.txt`,
      `${ws}//a.txt`,
      "a.txt",
      `file://${at.path("home/lib/b.txt")}`,
      `${ws}/%2e%2e/lib/b.txt`,
    ];
    await ask(editor, at, [...odd, `${ws}/a\0b`, ""].map(read));
    const [a, uri, percent] = [`${ws}/a.txt`, `${ws}/file:${at.path("home/lib/b.txt")}`, `${ws}/%2e%2e/lib/b.txt`];
    expect(editor.touched.map(({ params }) => (params as { path: string }).path)).toEqual([a, a, a, a, uri, percent]);
    expect(editor.asked).toEqual([]);
  });
});

test.skipIf(why !== null && process.env["CI"] === undefined)(
  "the agent's variables reach its command, and never our own program",
  async () => {
    const { at, plan } = grown();
    await withEditor(plan, async (editor) => {
      const env = [{ name: "NODE_OPTIONS", value: `--require=${at.path("home/ws/evil.cjs")}` }];
      const create = { method: "terminal/create", command: "printenv", args: ["NODE_OPTIONS"] };
      const got = await ask(editor, at, [
        { ...create, env },
        { ...create, env: [{ name: "A B", value: "" }] },
        { ...create, args: [1] },
        { ...create, shell: true },
      ]);
      expect(got).toMatchObject([{ terminalId: "t1" }, { code: "bad-request" }, { code: "bad-request" }, { terminalId: "t1" }]);
      const started = editor.touched.map(({ params }) => params as { command: string; args: string[]; env: unknown; cwd: string });
      expect(started.map((one) => one.env)).toEqual([[], []]);
      for (const one of started) expect(Object.keys(one).toSorted()).toEqual(["args", "command", "cwd", "env", "sessionId"]);
      // As the editor would start it: the command has the variable, and nothing ran before the sandbox.
      writeFileSync(at.path("home/ws/evil.cjs"), `require("node:fs").writeFileSync(${JSON.stringify(at.path("home/escaped"))}, "")`);
      const run = (environment: object) =>
        execFileSync(started[0]?.command ?? "", started[0]?.args ?? [], {
          cwd: at.path("home/ws"),
          env: { PATH: process.env["PATH"], HOME: at.path("home"), ...environment },
        });
      expect(run({}).toString()).toContain("--require=");
      expect(existsSync(at.path("home/escaped"))).toBe(false);
      // With the same variable in the hands of the editor it does the harm.
      run({ NODE_OPTIONS: env[0]?.value });
      expect(existsSync(at.path("home/escaped"))).toBe(true);
    });
  },
);

const rows = targets.flatMap((target) => shapes.map((shape) => ({ name: `${shape.name} to ${target.name}`, target, shape })));

test.each(rows)("the table of escapes: $name", async ({ target, shape }) => {
  const at = tree([...soil, ...shape.links(target.path)]);
  onTestFinished(() => at.remove());
  const ports = {
    home: "/home/nobody-here",
    env: { PROJECT_ROOT_WHITELIST: at.root },
    platform: "linux",
    clock: systemClock,
    ids: randomIds,
  } as const;
  const own = await openApp({ ...ports, via: "acp" });
  onTestFinished(() => own.close());
  const policyFor = createPolicyFor(ports);
  const heard: { readonly to: "agent" | "editor"; readonly message: Record<string, unknown> }[] = [];
  let wake: () => void = () => {};
  const proxy = createProxy({
    ...ports,
    openHostSession: (workspace, hostSession) =>
      openHostSession({ ...ports, connection: own, policyFor, identity: { host: "acp", hostSession, workspace } }),
    toAgent: (line) => take("agent", line),
    toEditor: (line) => take("editor", line),
    read: async () => "read through the guard",
    confined: null,
    mcpServer: null,
    patience: 5000,
  });
  onTestFinished(() => proxy.close());
  function take(to: "agent" | "editor", line: string): void {
    const message: Record<string, unknown> = JSON.parse(line);
    // Whatever is asked, the person says no.
    if (message["method"] === "session/request_permission")
      return proxy.fromEditor(JSON.stringify({ id: message["id"], result: { outcome: { outcome: "selected", optionId: "deny" } } }));
    heard.push({ to, message });
    wake();
  }
  proxy.fromEditor(JSON.stringify({ id: 0, method: "session/new", params: { cwd: at.path("ws"), mcpServers: [] } }));
  proxy.fromAgent(JSON.stringify({ id: 0, result: { sessionId: "s" } }));
  heard.splice(0);
  const before = JSON.stringify(texts(at));
  let id = 0;
  for (const { name, spell } of spellings) {
    const path = spell(shape.path(target.path), at.path("ws"));
    for (const [method, operation] of [
      ["fs/read_text_file", "read"],
      ["fs/write_text_file", "replace"],
    ] as const) {
      const done = new Promise<void>((resolve) => {
        wake = resolve;
      });
      proxy.fromAgent(JSON.stringify({ id: ++id, method, params: { sessionId: "s", path, content: "CHANGED" } }));
      await done;
      const [last] = heard.splice(0);
      const passed = last?.to === "editor" || (last?.message["result"] !== undefined && last.to === "agent");
      expect([name, operation, passed]).toEqual([name, operation, expected(target, shape, operation).startsWith("allow")]);
      expect(GUARDED.test(JSON.stringify(last).replaceAll(at.root, ""))).toBe(false);
    }
  }
  expect(JSON.stringify(texts(at))).toBe(before);
});

function texts(at: Tree): readonly string[] {
  return soil.filter((line) => GUARDED.test(line)).map((line) => readFileSync(at.path(line.slice(0, line.indexOf(": "))), "utf8"));
}
