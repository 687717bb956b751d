// Our own policy and data in a place that an agent may write: a mount that holds them, by whichever word of the environment. No door lets
// them be changed or read, no exception lifts that, and no command moves them away. Where the same words do not lead there, the same
// calls are done.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { keepingOwn, ownFilesOf } from "../src/config/own-files.ts";
import { emptyPolicy } from "../src/core/policy/rule.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { routes } from "../src/wire/http.ts";
import { type Answer, program, startHallpass } from "./line-process.ts";
import { stage, startProgram } from "./server/daemon-process.ts";
import { tree, type Tree } from "./tree.ts";

const RULES = '{"write": {"x": "deny"}}';

function scene(): Tree {
  const at = tree({
    "home/": {},
    "ws/": {},
    "m/cfg/hallpass/policy.json": RULES,
    "m/data/token": "TOKEN",
    "m/free": "free",
  });
  onTestFinished(() => at.remove());
  return at;
}

const leading = (at: Tree): Readonly<Record<string, string>> => ({
  HOME: at.path("home"),
  XDG_CONFIG_HOME: at.path("m/cfg"),
  HALLPASS_DATA: at.path("m/data"),
});

/** One call of a tool, with the directory mounted for writing. */
async function call(at: Tree, env: Readonly<Record<string, string>>, tool: string, input: object, policy: object = {}): Promise<Answer> {
  const lines = startHallpass("tool", { env });
  try {
    const mounts = [{ path: at.path("m"), mode: "extend" }];
    return (await lines.ask({ workspace: at.path("ws"), mounts, policy, tool, input }, 120_000)).answer;
  } finally {
    await lines.stop();
  }
}

/** A policy that lifts all that is shut there by its name. */
const LIFTED = { protected: { except: ["**/cfg/**", "**/policy.json*"] }, secrets: { except: ["**/data/**", "**/token"] } };

test.each([
  ["as it is", {}],
  ["with exceptions for all of it", LIFTED],
])("tool --stdin writes no policy of ours and reads no token in a mount, %s", async (_name, policy) => {
  const at = scene();
  const write = { path: at.path("m/cfg/hallpass/policy.json"), content: "{}" };
  const read = { path: at.path("m/data/token") };
  expect(await call(at, leading(at), "write_file", write, policy)).toMatchObject({ ok: false });
  expect(await call(at, leading(at), "write_file", { ...write, path: `${write.path}c` }, policy)).toMatchObject({ ok: false });
  expect(await call(at, leading(at), "read_file", read, policy)).toMatchObject({ ok: false });
  expect(readFileSync(write.path, "utf8")).toBe(RULES);
  expect(await call(at, leading(at), "read_file", { path: at.path("m/free") }, policy)).toMatchObject({ ok: true });
  // Where the words lead elsewhere these are files like any others.
  const plain = { HOME: at.path("home") };
  expect(await call(at, plain, "read_file", read, policy)).toMatchObject({ ok: true, output: { content: "TOKEN" } });
  expect(await call(at, plain, "write_file", write, policy)).toMatchObject({ ok: true });
});

test.skipIf(process.platform !== "linux").each([
  ["as it is", {}],
  ["with exceptions for all of it", LIFTED],
])("a command neither changes the policy nor moves it away with the directory around it, %s", async (_name, policy) => {
  const at = scene();
  const [cfg, old] = [at.path("m/cfg"), `${at.path("m")}/old`];
  const command = `echo {} > ${cfg}/hallpass/policy.json; mv ${cfg} ${old}; cat ${at.path("m/data")}/token; mv ${at.path("m/data")} ${old}-data; true`;
  const said = await call(at, leading(at), "bash", { command }, policy);
  expect(said).toMatchObject({ ok: true, output: { exit_code: 0 } });
  expect(JSON.stringify(said)).not.toContain("TOKEN");
  expect(readFileSync(`${cfg}/hallpass/policy.json`, "utf8")).toBe(RULES);
  expect(existsSync(at.path("m/data/token"))).toBe(true);
  // The same command where the words lead elsewhere.
  expect(JSON.stringify(await call(at, { HOME: at.path("home") }, "bash", { command }, policy))).toContain("TOKEN");
  expect(readFileSync(`${old}/hallpass/policy.json`, "utf8")).toBe("{}\n");
});

test.skipIf(process.platform !== "linux")(
  "keys that a person entered are read by no tool and no command; without the guard anything reads them",
  async () => {
    const at = scene();
    const file = at.path("m/data/models.json");
    writeFileSync(file, '{"model":null,"providers":{"openai":{"address":"https://api.openai.com/v1","keyIn":"file","key":"sk-SECRET"}}}', {
      mode: 0o600,
    });
    const usual = `${at.path("home")}/.local/share/hallpass`;
    mkdirSync(usual, { recursive: true });
    copyFileSync(file, `${usual}/models.json`);
    for (const path of [file, `${usual}/models.json`]) {
      expect(await call(at, leading(at), "read_file", { path }, LIFTED)).toMatchObject({ ok: false });
      const command = `cat ${path}; true`;
      const said = await call(at, leading(at), "bash", { command });
      expect(JSON.stringify(said)).not.toContain("sk-SECRET");
      // Without the guard, by the same hand.
      expect(spawnSync("sh", ["-c", command], { encoding: "utf8" }).stdout).toContain("sk-SECRET");
    }
  },
);

test("check and run refuse a mount for writing that holds our own files, and not one for reading", () => {
  const at = scene();
  const started = (words: readonly string[], env: object) =>
    spawnSync(process.execPath, [program, ...words], {
      cwd: at.path("ws"),
      env: { PATH: process.env["PATH"], ...leading(at), ...env },
      encoding: "utf8",
    });
  for (const words of [
    ["check", "--mount", `${at.path("m")}:extend`, at.path("m/free")],
    ["run", "-q", "--mount", `${at.path("m")}:sandboxed`, "--", "true"],
  ])
    for (const env of [{ XDG_CONFIG_HOME: "" }, { HALLPASS_DATA: "" }])
      expect([words[0], started(words, env).stderr]).toEqual([words[0], expect.stringMatching(/lies in a mount that agents may write/u)]);
  const free = ["check", "--mount", `${at.path("m")}:read_only`, at.path("m/free")];
  expect(started(free, {}).stdout).toContain('"allow"');
  expect(
    started(["check", "--mount", `${at.path("m")}:extend`, at.path("m/free")], { XDG_CONFIG_HOME: "", HALLPASS_DATA: "" }).status,
  ).toBe(0);
});

test("a daemon mounts nothing for writing that holds its policy or its data, and the same for reading", async () => {
  const at = stage();
  const config = `${at.library}/cfg`;
  mkdirSync(config);
  const daemon = await startProgram(at, { data: at.data(), env: { XDG_CONFIG_HOME: config } });
  const { id } = await daemon.client.send(routes.addSession, { body: { workspace: at.workspace } });
  const mount = (mode: "extend" | "read_only") => daemon.client.send(routes.addMount, { id, body: { path: at.library, mode } });
  await expect(mount("extend")).rejects.toThrow(/lies in a mount that agents may write/u);
  await expect(mount("read_only")).resolves.toMatchObject({ mounts: [{ path: at.library, mode: "read_only" }] });
});

test("a data directory that a link leads away from its usual place is shut where it really is", () => {
  const at = scene();
  mkdirSync(`${at.path("home")}/.local/share`, { recursive: true });
  const around = { home: at.path("home"), env: {}, workspace: null, platform: "linux" } as const;
  const shut = (): string | null =>
    compilePolicy(keepingOwn(emptyPolicy, ownFilesOf(around)), around.home).secrets.find(at.path("m/data/token"));
  expect(shut()).toBeNull();
  symlinkSync(at.path("m/data"), `${at.path("home")}/.local/share/hallpass`);
  expect(shut()).toBe(at.path("m/data"));
});
