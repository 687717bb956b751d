// The plugin for opencode, as it is installed, under plain Node with opencode's own words: it throws on what is refused and on every fault.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { ownPrograms, pluginTextFor, type Programs } from "../../src/adapters/install/index.ts";
import type { Hooks, OpencodeToolContext } from "../../src/adapters/opencode/host-types.ts";
import { grow } from "../scene.ts";

const programs = ownPrograms(import.meta.url, process.execPath, process.platform);
let built = "";
beforeAll(() => {
  built = readFileSync(resolve(import.meta.dirname, "../../dist/opencode-plugin.js"), "utf8");
});

async function plugin(spec: readonly string[] = [], change: Partial<Programs> = {}, client: unknown = {}) {
  const { path } = grow([
    "home/ws/a.txt: inside",
    "home/ws/.env: KEY=1",
    "home/other/.git/",
    "home/other/b.txt: outside",
    "home/other/.env: KEY=2",
    ...spec,
  ]);
  const file = path("plugin.mjs");
  writeFileSync(file, pluginTextFor(built, { ...programs, ...change }, {}));
  process.env["HOME"] = path("home");
  const module = (await import(pathToFileURL(file).href)) as { readonly Hallpass: (input: unknown) => Promise<Hooks> };
  expect(Object.keys(module)).toEqual(["Hallpass"]);
  const hooks = await module.Hallpass({ directory: path("home/ws"), worktree: path("home/ws"), client });
  const call = (tool: string, args: unknown, sessionID = "s1", callID = "c1") =>
    hooks["tool.execute.before"]({ tool, sessionID, callID }, { args });
  return { path, hooks, call };
}

test("what is inside passes, what is outside, secret or linked is thrown, with a way on", async () => {
  const { path, call } = await plugin(["home/ws/link => $ROOT/home/other"]);
  await call("read", { filePath: path("home/ws/a.txt") });
  await call("read", { filePath: "a.txt" });
  await call("grep", { pattern: "x" });
  await call("write", { filePath: path("home/ws/new.txt"), content: "/etc/passwd" });
  await call("bash", { command: "cat a.txt", description: "x" });
  await call("todowrite", { todos: [] });
  await call("hallpass_read_file", { path: "/anywhere" });
  await expect(call("read", { filePath: path("home/other/b.txt") })).rejects.toThrow("request_read_access");
  await expect(call("read", { filePath: path("home/ws/link/b.txt") })).rejects.toThrow(/outside/u);
  await expect(call("read", { filePath: path("home/ws/.env") })).rejects.toThrow(/secret/u);
  await expect(call("grep", { pattern: "x", path: "../other" })).rejects.toThrow();
  await expect(call("grep", { pattern: "x", include: "../other/*" })).rejects.toThrow();
  await expect(call("glob", { pattern: `${path("home/other")}/*` })).rejects.toThrow();
  await expect(call("list", { path: path("home/other") })).rejects.toThrow();
  await expect(call("write", { filePath: path("home/other/new.txt"), content: "x" })).rejects.toThrow();
  await expect(call("edit", { filePath: path("home/other/b.txt"), oldString: "o", newString: "n" })).rejects.toThrow();
  await expect(
    call("apply_patch", { patchText: `*** Begin Patch\n*** Update File: ${path("home/other/b.txt")}\n*** End Patch` }),
  ).rejects.toThrow();
  await expect(call("bash", { command: `cat ${path("home/other/b.txt")}` })).rejects.toThrow();
  await expect(call("bash", { command: "cat b.txt", workdir: path("home/other") })).rejects.toThrow();
  await expect(call("bash", { command: "cat $X" })).rejects.toThrow();
  await expect(call("somebody_elses_tool", { path: "a.txt" })).rejects.toThrow(/no tool this hook knows/u);
  // Without the guard the file is simply read.
  expect(readFileSync(path("home/other/b.txt"), "utf8")).toBe("outside");
});

test("every fault is thrown: no hook, a broken one, a silent one, a wrong word, arguments that are none", async () => {
  const inside = { filePath: "a.txt" };
  const { call: gone } = await plugin([], { hook: "/nowhere/hook.cjs" });
  await expect(gone("read", inside)).rejects.toThrow();
  const { call: noNode } = await plugin([], { node: "/nowhere/node" });
  await expect(noNode("read", inside)).rejects.toThrow(/hook-failed/u);
  const answers = [
    "",
    "process.exit(1)",
    "console.log('yes')",
    "console.log('{}')",
    "console.log(JSON.stringify({ decision: 'ask' }))",
    "process.kill(process.pid, 'SIGKILL')",
    "console.log(JSON.stringify({ decision: 'pass' })); process.exit(3)",
  ];
  for (const text of answers) {
    const { path, call } = await plugin([`hook.cjs: ${text}`]);
    const { call: told } = await plugin([], { hook: path("hook.cjs") });
    await expect(told("read", inside), text).rejects.toThrow();
    await call("read", inside);
  }
  const { call } = await plugin();
  await expect(call("read", "a.txt")).rejects.toThrow();
  await expect(call("read", { filePath: 7 })).rejects.toThrow();
  const bare = await import(`data:text/javascript,${encodeURIComponent(built)}`).then((module: unknown) =>
    (module as { Hallpass: (input: unknown) => Promise<Hooks> }).Hallpass({ directory: "/" }),
  );
  await expect(bare["tool.execute.before"]({ tool: "read", sessionID: "s", callID: "c" }, { args: inside })).rejects.toThrow(
    /install opencode/u,
  );
});

/** A dialog of opencode: shown after a moment, answered after `wait` milliseconds. */
function dialog(hooks: Hooks, word: "once" | "always" | "reject", wait: number, shows = true): OpencodeToolContext {
  return {
    sessionID: "s1",
    callID: "ask-1",
    ask: async ({ metadata, patterns, always }) => {
      expect(always).toEqual([]);
      expect(patterns).toHaveLength(1);
      if (shows)
        await hooks.event({
          event: { type: "permission.asked", properties: { id: "per_1", sessionID: "s1", permission: "external_directory", metadata } },
        });
      await new Promise((done) => setTimeout(done, wait));
      if (shows)
        await hooks.event({ event: { type: "permission.replied", properties: { sessionID: "s1", requestID: "per_1", reply: word } } });
      if (word === "reject") throw new Error("rejected");
    },
  };
}

test("a person's yes opens the repository for reading, in this session, and nothing for writing", async () => {
  const replies: unknown[] = [];
  const { path, hooks, call } = await plugin([], {}, { permission: { reply: (input: unknown) => void replies.push(input) } });
  const args = { path: path("home/other/b.txt"), reason: "to compare" };
  const said = await hooks.tool["request_read_access"]?.execute(args, dialog(hooks, "once", 600));
  expect(said).toContain(`You may read in ${path("home/other")}`);
  await call("read", { filePath: path("home/other/b.txt") }, "s1", "c9");
  const asked = (callID: string, permission = "external_directory") =>
    hooks.event({
      event: { type: "permission.asked", properties: { id: "per_9", sessionID: "s1", permission, metadata: {}, tool: { callID } } },
    });
  await asked("c9");
  expect(replies).toEqual([{ requestID: "per_9", reply: "once", directory: path("home/ws") }]);
  // Once for this call, and not for calls that were not just judged, nor for anything but reading.
  await asked("c9");
  await asked("c8");
  await asked("c9", "edit");
  expect(replies).toHaveLength(1);
  await expect(call("read", { filePath: path("home/other/b.txt") }, "s2")).rejects.toThrow();
  await expect(call("read", { filePath: path("home/other/.env") })).rejects.toThrow(/secret/u);
  await expect(call("write", { filePath: path("home/other/b.txt"), content: "x" })).rejects.toThrow();
  // A directory that is another one by now is not the one that was granted.
  renameSync(path("home/other"), path("home/moved"));
  mkdirSync(path("home/other"));
  writeFileSync(path("home/other/b.txt"), "another");
  await expect(call("read", { filePath: path("home/other/b.txt") })).rejects.toThrow();
});

test("a no, a rule that allows, and an answer nobody could have given so fast are no yes", async () => {
  const { path, hooks, call } = await plugin();
  const args = { path: path("home/other/b.txt"), reason: "x" };
  for (const context of [dialog(hooks, "reject", 600), dialog(hooks, "once", 600, false), dialog(hooks, "once", 0)])
    expect(await hooks.tool["request_read_access"]?.execute(args, context)).toContain("did not say yes");
  expect(
    await hooks.tool["request_read_access"]?.execute({ path: path("home/ws/.env"), reason: "x" }, dialog(hooks, "once", 600)),
  ).toContain("nobody can be asked");
  await expect(call("read", { filePath: path("home/other/b.txt") })).rejects.toThrow();
});

test("a session that was deleted has none of its grants any more", async () => {
  const { path, hooks, call } = await plugin();
  await hooks.tool["request_read_access"]?.execute({ path: path("home/other"), reason: "x" }, dialog(hooks, "once", 600));
  await call("read", { filePath: path("home/other/b.txt") });
  await hooks.event({ event: { type: "session.deleted", properties: { info: { id: "s1" } } } });
  await expect(call("read", { filePath: path("home/other/b.txt") })).rejects.toThrow();
});

test("a child agent has none of its parent's grants", async () => {
  const { path, hooks, call } = await plugin();
  await hooks.tool["request_read_access"]?.execute({ path: path("home/other"), reason: "x" }, dialog(hooks, "once", 600));
  await hooks.event({ event: { type: "session.created", properties: { info: { id: "child", parentID: "s1" } } } });
  await call("read", { filePath: path("home/other/b.txt") });
  await expect(call("read", { filePath: path("home/other/b.txt") }, "child")).rejects.toThrow();
});
