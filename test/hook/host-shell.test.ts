// The shell of a host whose plugin leads it into the sandbox: bash is started as opencode starts it, with what the installed plugin says of its
// environment, and a real daemon keeps the session of the hook and of the command.

import { execFile, spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { ownPrograms, pluginTextFor } from "../../src/adapters/install/index.ts";
import type { Hooks } from "../../src/adapters/opencode/host-types.ts";
import { whyNoKeeper } from "../../src/sandbox/keeper.ts";
import { detect } from "../../src/sandbox/sandbox.ts";
import { routes } from "../../src/wire/http.ts";
import { environmentOf, eventually, executable, type Stage, stage } from "../server/daemon-process.ts";
import { builtPlugin, openHost, sessionsOf, startDaemon, stateOf } from "./opencode-host.ts";

const confined = describe.skipIf((await detect()).why !== null && process.env["CI"] === undefined);
const canWait = whyNoKeeper() === null;
const WITHIN = 60_000;
const LONG = { timeout: 180_000 };

/** What our program prints; its exit code is not looked at. */
const said = (on: Stage, ...words: readonly string[]): Promise<string> =>
  new Promise((done) => {
    execFile(
      process.execPath,
      [executable, ...words],
      { cwd: on.workspace, env: { ...environmentOf(on), COLUMNS: "200" } },
      (_error, text) => done(text),
    );
  });
/** The program names what it reads; the command does not. */
const READS = `const path = ["..", "lib", "far.txt"].join("/"); console.log(require("fs").readFileSync(path, "utf8").trim());`;
const stageWithProgram = (): Stage => {
  const on = stage();
  writeFileSync(join(on.workspace, "read.cjs"), READS);
  return on;
};
const withoutSetting = ({ BASH_ENV: _gone, ...env }: Record<string, string>): Record<string, string> => env;

confined("a host's shell", () => {
  test("without a daemon its programs are confined all the same, and read the file where nothing confines them", LONG, async () => {
    const on = stageWithProgram();
    const { command } = await openHost(on);
    expect(await command("cat notes.txt; exit 3")).toEqual({ code: 3, stdout: "inside the workspace\n", stderr: "" });
    const held = await command("node read.cjs");
    expect(held).toMatchObject({ code: 1, stdout: "" });
    expect(held.stderr).toContain("ENOENT");
    expect(await command("node read.cjs", { env: withoutSetting })).toMatchObject({ code: 0, stdout: "outside the workspace\n" });
  });

  test("its programs keep the network, unless the policy shuts it", LONG, async () => {
    const on = stage();
    const server = createServer((socket) => socket.end("reached\n"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    writeFileSync(
      join(on.workspace, "reach.cjs"),
      `require("net").connect(${port}, "127.0.0.1").on("error", (e) => console.log(e.code)).pipe(process.stdout)`,
    );
    const { command } = await openHost(on);
    expect(await command("node reach.cjs")).toMatchObject({ code: 0, stdout: "reached\n" });
    mkdirSync(join(on.home, ".config/hallpass"), { recursive: true });
    writeFileSync(join(on.home, ".config/hallpass/policy.json"), JSON.stringify({ commands: { network: "none" } }));
    expect(await command("node reach.cjs")).toMatchObject({ stdout: "ECONNREFUSED\n" });
  });

  test.runIf(canWait)("a program's own open waits for the inbox, in the session of the hook", LONG, async () => {
    const on = stageWithProgram();
    const daemon = await startDaemon(on);
    // The host was started through a link: hook and command mean the same workspace all the same.
    symlinkSync(on.workspace, join(on.root, "linked"));
    const { command } = await openHost(on, join(on.root, "linked"));
    const running = command("node read.cjs");
    const ask = await eventually(async () => (await daemon.client.send(routes.listAsks, { query: { state: "open" } }))[0] ?? null, WITHIN);
    expect(JSON.stringify(ask)).toContain("node (node read.cjs) reached for it");
    await daemon.client.send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } });
    expect(await running).toEqual({ code: 0, stdout: "outside the workspace\n", stderr: "" });
    expect(await stateOf(daemon)).toEqual([["opencode", "verified"]]);
    // Granted to the session: for the next command, and for the host's other tools, which the hook judges.
    expect(await command("node read.cjs")).toMatchObject({ code: 0, stdout: "outside the workspace\n" });
    expect(await command("cat ../lib/far.txt")).toMatchObject({ code: 0, stdout: "outside the workspace\n" });
    const [grant] = await daemon.client.send(routes.listGrants, {});
    await daemon.client.send(routes.revoke, { id: grant?.id ?? "" });
    await expect(command("cat ../lib/far.txt")).rejects.toThrow(/outside/u);
    expect(await daemon.client.send(routes.listAsks, { query: {} })).toHaveLength(1);
    expect(await sessionsOf(daemon)).toHaveLength(1);
  });

  test("in a verified session a text that is not understood is no question; what is known to be outside is refused", LONG, async () => {
    const on = stageWithProgram();
    const daemon = await startDaemon(on);
    const { command } = await openHost(on);
    const strange = 'cat "$(printf %s notes.txt)"';
    await expect(command(strange)).rejects.toThrow();
    expect(await stateOf(daemon)).toEqual([["opencode", null]]);
    expect(await command("true")).toMatchObject({ code: 0 });
    expect(await stateOf(daemon)).toEqual([["opencode", "verified"]]);
    expect(await command(strange)).toMatchObject({ code: 0, stdout: "inside the workspace\n" });
    await expect(command("cat ../lib/far.txt")).rejects.toThrow(/outside/u);
    await expect(command("echo x > ../lib/far.txt")).rejects.toThrow();
    // A refused command does not run, so nobody waits for its report.
    expect(await stateOf(daemon)).toEqual([["opencode", "verified"]]);
  });

  test("a host that ignores our setting makes the session unverified, and texts are judged as before", LONG, async () => {
    const on = stageWithProgram();
    const daemon = await startDaemon(on);
    const { command } = await openHost(on);
    await command("true");
    expect(await stateOf(daemon)).toEqual([["opencode", "verified"]]);
    expect(await command("node read.cjs", { env: withoutSetting })).toMatchObject({ code: 0, stdout: "outside the workspace\n" });
    expect(await stateOf(daemon)).toEqual([["opencode", "unverified"]]);
    expect(await said(on, "sessions")).toMatch(/opencode .* unverified /u);
    expect(await said(on, "doctor", "--no-canary")).toContain("unverified, only their text is judged: opencode");
    await expect(command('cat "$(printf %s notes.txt)"')).rejects.toThrow();
    // A later command that reports does not vouch for the one that did not.
    await command("true");
    expect(await stateOf(daemon)).toEqual([["opencode", "unverified"]]);
  });

  test(
    "a host whose shell has a socket for its input makes the session unverified, where bash then reads no file of ours",
    LONG,
    async () => {
      const on = stageWithProgram();
      const daemon = await startDaemon(on);
      const { command } = await openHost(on);
      await command("true");
      expect(await stateOf(daemon)).toEqual([["opencode", "verified"]]);
      // bash takes itself for the shell of a remote login, unless another shell is above it.
      const first = ({ SHLVL: _level, ...env }: Record<string, string>): Record<string, string> => env;
      const read = await command("node read.cjs", { env: first, input: "pipe" });
      // Not every bash is built so. Where it is not, the command is confined.
      expect(await stateOf(daemon)).toEqual([["opencode", read.stdout === "" ? "verified" : "unverified"]]);
    },
  );

  test("another plugin that rewrites the command, or the shell's environment, runs nothing unconfined unnoticed", LONG, async () => {
    const on = stageWithProgram();
    const daemon = await startDaemon(on);
    const { command } = await openHost(on);
    await command("true");
    const rewritten = await command("cat notes.txt", {
      rewritten: "unset BASH_ENV; env -i /bin/bash -c 'cat /etc/shadow'",
    });
    expect(rewritten).toMatchObject({ code: 1, stdout: "" });
    expect(await stateOf(daemon)).toEqual([["opencode", "verified"]]);
    const taken = await command("cat notes.txt", { env: (env) => ({ ...env, HALLPASS_SHELL: "{}" }) });
    expect(taken.stdout).toBe("");
    expect(taken.code).not.toBe(0);
    expect(await stateOf(daemon)).toEqual([["opencode", "unverified"]]);
  });

  test("where the sandbox is gone, only what was let go for its text is run, and the session says unverified", LONG, async () => {
    const on = stageWithProgram();
    const daemon = await startDaemon(on);
    const { command } = await openHost(on);
    // The same machine without bubblewrap, and without what enters the sandbox that the daemon made.
    const masked = ["/usr/bin/bwrap", "/usr/bin/nsenter"].flatMap((program) => ["--ro-bind", "/dev/null", program]);
    const before = ["/usr/bin/bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", ...masked, "--"];
    await command("true");
    const strange = 'cat "$(printf %s notes.txt)"';
    const refused = await command(strange, { before });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("the command was not run");
    expect(await stateOf(daemon)).toEqual([["opencode", "unverified"]]);
    const plain = await command("cat notes.txt", { before });
    expect(plain).toMatchObject({ code: 0, stdout: "inside the workspace\n" });
    expect(plain.stderr).toContain("the command is not confined");
    // Another plugin made another command of it, whose text nobody has judged.
    const changed = await command("cat notes.txt", { before, rewritten: `cat notes.txt; cat ${on.library}/far.txt` });
    expect(changed).toMatchObject({ code: 1, stdout: "" });
    expect(changed.stderr).toContain("the command was not run");
    expect(await stateOf(daemon)).toEqual([["opencode", "unverified"]]);
    await daemon.stop();
    expect(await command("cat notes.txt", { before })).toMatchObject({ code: 0, stdout: "inside the workspace\n" });
  });

  test("what a person types is the person's own, and a shell without a command runs nothing", LONG, async () => {
    const on = stageWithProgram();
    const { hooks, path } = await plainPlugin(on);
    const output = { env: {} as Record<string, string> };
    await hooks["shell.env"]({ sessionID: "ses_1", callID: "typed" }, output);
    await hooks["shell.env"]({}, output);
    expect(output.env).toEqual({});
    const child = spawn("/bin/bash", [], {
      cwd: on.workspace,
      env: { BASH_ENV: path, PATH: process.env["PATH"] },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let said = "";
    child.stdout.on("data", (part: Buffer) => (said += part.toString()));
    child.stdin.on("error", () => {});
    child.stdin.end("echo ran\n");
    expect(await new Promise((done) => void child.on("close", done))).toBe(126);
    expect(said).toBe("");
  });
});

async function plainPlugin(on: Stage): Promise<{ readonly hooks: Hooks; readonly path: string }> {
  const programs = ownPrograms(import.meta.url, process.execPath, process.platform);
  const file = join(on.root, "plain-plugin.mjs");
  writeFileSync(file, pluginTextFor(builtPlugin(), programs, {}));
  const { Hallpass } = (await import(pathToFileURL(file).href)) as { readonly Hallpass: (input: unknown) => Promise<Hooks> };
  return { hooks: await Hallpass({ directory: on.workspace, client: {} }), path: programs.shell };
}
