// The hook as hosts start it: a process with JSON on stdin. Faults, noise, silence and lies of whoever answers at the daemon's port,
// and a daemon killed in the middle: every end is the host's blocking words or the right ones.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { ProcessEnd } from "../../src/adapters/hook/host-call.ts";
import { type HostName, hostNames } from "../../src/adapters/hook/host-table.ts";
import { hookHosts } from "../../src/adapters/hook/hosts/all.ts";
import { NODE_VARIABLES } from "../../src/core/node-variables.ts";
import { program, repository } from "../line-process.ts";
import { tree } from "../tree.ts";
import { CUT, type SocketServer, SILENCE, startSocket } from "./socket-server.ts";
import { payloadFor } from "./host-payloads.ts";

const at = tree([
  "home/app/ok.txt: inside",
  "home/app/.env: SECRET",
  "home/lib/.git/HEAD: x",
  "home/lib/a.txt: OUTSIDE",
  "home/granted/.git/HEAD: x",
  "home/granted/a.txt: GRANTED",
]);
const home = at.path("home");
const workspace = at.path("home/app");
const data = at.path("data");
const lean = join(repository, "dist", "hook.cjs");
const shell = join(repository, "bin", "hallpass-hook");
const open: SocketServer[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
  rmSync(data, { recursive: true, force: true });
});
afterAll(() => at.remove());

type Way = "node" | "shell" | "program";
const commands: Readonly<Record<Way, readonly string[]>> = {
  node: [process.execPath, lean],
  shell: [shell],
  program: [process.execPath, program, "hook"],
};
const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home, HALLPASS_DATA: data };

interface Run extends ProcessEnd {
  readonly ms: number;
}

function run(
  way: Way,
  words: readonly string[],
  input: string | Buffer | null,
  more: { env?: object; stdout?: number; cwd?: string } = {},
): Promise<Run> {
  const [file = "", ...args] = [...commands[way], ...words];
  const began = performance.now();
  const child = spawn(file, args, {
    cwd: more.cwd ?? workspace,
    env: { ...env, ...more.env },
    stdio: [input === null ? "ignore" : "pipe", more.stdout ?? "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input ?? "");
  return new Promise((resolve) => child.on("close", (exit) => resolve({ exit, stdout, stderr, ms: performance.now() - began })));
}

const payload = (host: HostName, path: string, operation: "read" | "create" = "read"): string =>
  JSON.stringify(payloadFor(host, operation, path, workspace));
const inside = at.path("home/app/ok.txt");
const outside = at.path("home/lib/a.txt");
const secret = at.path("home/app/.env");
const granted = at.path("home/granted/a.txt");
const blocks = (host: HostName, end: ProcessEnd): boolean => hookHosts[host].blocks(end);
const socketServer = async (options: Omit<Parameters<typeof startSocket>[0], "data" | "home"> = {}): Promise<SocketServer> => {
  const server = await startSocket({ data, home, ...options });
  open.push(server);
  return server;
};

describe.each(hostNames)("%s, as a process", (host) => {
  test.each(["node", "shell", "program"] as const)(
    "by %s: inside goes on, outside and secrets are stopped, and nothing else is printed",
    async (way) => {
      const good = await run(way, [host], payload(host, inside));
      expect([good.exit, blocks(host, good), good.stderr]).toEqual([0, false, ""]);
      for (const path of [outside, secret, "/etc/passwd"]) {
        const end = await run(way, [host], payload(host, path));
        expect([path, blocks(host, end)]).toEqual([path, true]);
        expect(end.stdout.trim().split("\n")).toHaveLength(1);
        expect(end.stdout + end.stderr).not.toMatch(/OUTSIDE|SECRET/);
      }
    },
  );

  test.each<[string, string | Buffer | null, readonly string[]]>([
    ["stdin that is closed", null, []],
    ["nothing on stdin", "", []],
    ["no JSON", "hello", []],
    ["half of a JSON object", '{"tool_name":"Read"', []],
    ["JSON that is no object", "[1,2]", []],
    ["an object of something else", "{}", []],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00, 0x7b]), []],
    ["an option that is not understood", "{}", ["--frobnicate"]],
    ["seventeen megabytes", "x".repeat(17 * 1024 * 1024), []],
  ])("%s blocks", async (_name, input, words) => {
    for (const way of ["node", "shell"] as const) {
      if (way === "shell" && input !== null && input.length > 1024 * 1024) continue; // bash reads a pipe byte by byte
      const end = await run(way, [host, ...words], input);
      expect([way, end.exit, blocks(host, end), end.stdout]).toEqual([way, 2, true, ""]);
      expect(end.stderr).toMatch(/hook-failed/);
    }
  });

  test("ten megabytes in a call are judged like one", async () => {
    const big = { ...payloadFor(host, "create", inside, workspace) };
    const text = JSON.stringify(big).replace("CHANGED", "x".repeat(10 * 1024 * 1024));
    const end = await run("node", [host], text);
    // A command of that length is not read; a file of that length is none of the boundary's business.
    expect(blocks(host, end)).toBe(host === "codex");
    expect(blocks(host, await run("node", [host], text.replaceAll(inside, outside)))).toBe(true);
  });
});

describe("what goes wrong blocks", () => {
  test("a policy that is malformed, or may not be read", async () => {
    const policy = at.path("bad.json");
    writeFileSync(policy, "{ nonsense");
    expect((await run("node", ["codex", "--policy", policy], payload("codex", inside))).exit).toBe(2);
    expect((await run("node", ["codex", "--policy", at.path("missing.json")], payload("codex", inside))).exit).toBe(2);
    mkdirSync(join(home, ".config", "hallpass", "policy.json"), { recursive: true });
    const end = await run("shell", ["claude-code"], payload("claude-code", inside));
    rmSync(join(home, ".config"), { recursive: true });
    expect([end.exit, /invalid-policy|regular file/.test(end.stderr)]).toEqual([2, true]);
  });

  test("an answer that cannot be written: a full disk", async () => {
    const full = openSync("/dev/full", "w");
    for (const way of ["node", "shell"] as const)
      expect((await run(way, ["claude-code"], payload("claude-code", outside), { stdout: full })).exit).toBe(2);
  });

  test("a workspace that is none, or too broad", async () => {
    for (const where of ["/", "/nonexistent"]) {
      const end = await run("node", ["claude-code", "--workspace", where], payload("claude-code", inside));
      expect([where, end.exit]).toEqual([where, 2]);
    }
    expect((await run("node", ["claude-code"], payload("claude-code", inside), { env: { HOME: "" } })).exit).toBe(2);
  });

  test("what the environment tells Node to load or to run from a cache does not reach it", async () => {
    const told = at.path("told-node");
    writeFileSync(told, `#!/bin/sh\nprintf "${NODE_VARIABLES.map((name) => `$${name}`).join("")}|%s" "$HALLPASS_NODE" >&2\nexit 2\n`);
    chmodSync(told, 0o755);
    const words = { HALLPASS_NODE: told, ...Object.fromEntries(NODE_VARIABLES.map((name) => [name, "./evil"])) };
    // All of them at once: what ends early must not leave a word of its own behind the hook's.
    const ends = await Promise.all(
      Array.from({ length: 20 }, () => run("shell", ["claude-code"], payload("claude-code", inside), { env: words })),
    );
    expect(new Set(ends.map(({ stderr }) => stderr))).toEqual(new Set([`|${told}`]));
  });

  test.each(["hallpass-hook", "hallpass-enter", "hallpass-shell"])("bin/%s unsets each of them", (script) => {
    const [unset = ""] = /^unset .*NODE_.*$/mu.exec(readFileSync(join(repository, "bin", script), "utf8")) ?? [];
    expect(unset.split(" ").filter((word) => word !== "unset" && word !== "BASH_ENV")).toEqual([...NODE_VARIABLES]);
  });

  test("Node that is missing, and a bundle that is broken", async () => {
    const none = await run("shell", ["codex"], payload("codex", inside), { env: { HALLPASS_NODE: "/nonexistent/node" } });
    expect([none.exit, none.stderr === ""]).toEqual([2, false]);
    const place = at.path("broken");
    mkdirSync(join(place, "bin"), { recursive: true });
    mkdirSync(join(place, "dist"));
    writeFileSync(join(place, "bin", "hallpass-hook"), readFileSync(shell));
    chmodSync(join(place, "bin", "hallpass-hook"), 0o755);
    writeFileSync(join(place, "dist", "hook.cjs"), readFileSync(lean, "utf8").slice(0, 20_000));
    const child = spawn(join(place, "bin", "hallpass-hook"), ["claude-code"], { env, cwd: workspace });
    child.stdin.end(payload("claude-code", outside));
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(2);
  });

  test.concurrent.each([
    ["bash", []],
    ["bash without timeout(1), as on macOS", ["timeout"]],
    ["a plain shell alone", ["timeout", "bash"]],
  ])("a hook that judges without end, under %s: no answer is a deny, and nothing of it stays", async (_name, hidden) => {
    const stuck = at.path("stuck");
    // One long step: no clock within the process would be looked at.
    writeFileSync(stuck, `#!/bin/sh\nexec ${process.execPath} -e 'for (;;);' ${stuck}\n`);
    chmodSync(stuck, 0o755);
    const masks = hidden.flatMap((name) =>
      ["/usr/bin", "/bin", "/usr/local/bin"].flatMap((dir) =>
        existsSync(join(dir, name)) ? ["--ro-bind", "/dev/null", join(dir, name)] : [],
      ),
    );
    const words = ["--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--die-with-parent", ...masks, "/bin/sh"];
    // What still runs in there when the hook has ended is told.
    const line = '"$0" claude-code; code=$?; ps -eo args= | grep -c "[f]or (;;)" >&2; exit $code';
    const child = spawn("bwrap", [...words, "-c", line, shell], { cwd: workspace, env: { ...env, HALLPASS_NODE: stuck } });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const began = performance.now();
    child.stdin.end(payload("claude-code", inside));
    const exit = await new Promise((resolve) => child.on("close", resolve));
    expect([exit, stderr]).toEqual([2, expect.stringMatching(/no answer within 5 seconds[^]*\n0\n$/u)]);
    expect(performance.now() - began).toBeGreaterThan(4_900);
    // The host's own patience is 20 seconds.
    expect(performance.now() - began).toBeLessThan(18_000);
  });

  test("the script found through a link still finds the program", async () => {
    symlinkSync(shell, at.path("linked"));
    const child = spawn(at.path("linked"), ["claude-code"], { env, cwd: workspace });
    child.stdin.end(payload("claude-code", inside));
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  });

  test("programs of the workspace do not answer in the hook's place, whatever PATH and the environment say", async () => {
    const planted = at.path("home/app/node_modules/.bin");
    mkdirSync(planted, { recursive: true });
    for (const name of ["node", "timeout", "readlink", "cat", "printf", "bash", "rm"]) {
      writeFileSync(join(planted, name), "#!/bin/sh\nexit 0\n");
      chmodSync(join(planted, name), 0o755);
    }
    writeFileSync(at.path("home/app/first.sh"), "exit 0\n");
    const yes = "() { exit 0; }";
    const paths = [planted, "node_modules/.bin", "./node_modules/.bin"].join(":");
    const around = {
      PATH: `${paths}:${env.PATH}`,
      BASH_ENV: at.path("home/app/first.sh"),
      ENV: at.path("home/app/first.sh"),
      "BASH_FUNC_printf%%": yes,
      "BASH_FUNC_read%%": yes,
      "BASH_FUNC_echo%%": yes,
      NODE_OPTIONS: "--require ./first.sh",
    };
    const words = payload("claude-code", outside);
    expect(blocks("claude-code", await run("shell", ["claude-code"], words, { env: around }))).toBe(true);
    expect((await run("shell", ["claude-code"], payload("claude-code", inside), { env: around })).exit).toBe(0);
    // Without that care the first of them says yes.
    const child = spawn("/bin/sh", ["-c", "timeout 5 node anything"], { cwd: workspace, env: { ...env, ...around } });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    rmSync(at.path("home/app/node_modules"), { recursive: true });
  });

  test("a directory the model chose is not taken for the workspace", async () => {
    const moved = { ...payloadFor("codex", "read", "a.txt", at.path("home/lib")) };
    expect(blocks("codex", await run("node", ["codex"], JSON.stringify(moved)))).toBe(true);
    expect(blocks("codex", await run("node", ["codex"], JSON.stringify(moved), { cwd: at.path("home/lib") }))).toBe(false);
  });
});

describe("with a daemon", () => {
  test.each(["node", "shell"] as const)(
    "by %s: grants are honoured for reading, in Claude with its own allow, and never for writing",
    async (way) => {
      const server = await socketServer({ grants: [at.path("home/granted")] });
      const read = await run(way, ["claude-code"], payload("claude-code", granted));
      expect(JSON.parse(read.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "allow" } });
      expect(blocks("claude-code", await run(way, ["claude-code"], payload("claude-code", granted, "create")))).toBe(true);
      expect(blocks("codex", await run(way, ["codex"], payload("codex", granted)))).toBe(false);
      expect(blocks("codex", await run(way, ["codex"], payload("codex", granted, "create")))).toBe(true);
      expect(blocks("codex", await run(way, ["codex"], payload("codex", outside)))).toBe(true);
      expect(server.decided.length).toBeGreaterThan(0);
    },
  );

  test("the shell answers by itself, in the host's own words, where Node could not", async () => {
    await socketServer({ grants: [at.path("home/granted")] });
    const noNode = { env: { HALLPASS_NODE: "/nonexistent/node" } };
    const asked = (path: string, words: readonly string[] = []) =>
      run("shell", ["claude-code", ...words], payload("claude-code", path), noNode);
    expect(await asked(inside)).toMatchObject({ exit: 0, stdout: "", stderr: "" });
    expect(JSON.parse((await asked(granted)).stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "allow" } });
    expect(JSON.parse((await asked(outside)).stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    for (const words of [
      ["--workspace", workspace, "--unattended"],
      [`--workspace=${workspace}`, "--let", "Odd", "--let=Even*"],
    ])
      expect(await asked(inside, words)).toMatchObject({ exit: 0, stdout: "", stderr: "" });
    // What only Node understands is left to it.
    expect(await asked(inside, ["--deadline", "900"])).toMatchObject({ exit: 2 });
    expect(await run("shell", ["claude-code"], "no JSON", noNode)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("no JSON object"),
    });
  });

  test("each agent has a session of its own, below its parent's", async () => {
    const server = await socketServer();
    const call = { ...payloadFor("claude-code", "read", inside, workspace), session_id: "run-1" };
    await run("shell", ["claude-code"], JSON.stringify(call));
    await run("shell", ["claude-code"], JSON.stringify({ ...call, agent_id: "child-1", agent_type: "Explore" }));
    expect(server.registered).toMatchObject([
      { host: "claude-code", hostSession: "run-1", workspace },
      { host: "claude-code", hostSession: "run-1/child-1", label: "Explore", parent: expect.stringContaining("run-1") },
    ]);
  });

  test("--ask puts it before a person: a yes lets it go on, silence says to come back", async () => {
    const server = await socketServer({ ceilings: [home] });
    const late = await run("node", ["claude-code", "--ask"], payload("claude-code", outside).replace('"t"', '"t1"'));
    expect(JSON.parse(late.stdout)).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: expect.stringContaining("make the same call again") },
    });
    server.answer = "deny";
    expect(
      blocks("claude-code", await run("shell", ["claude-code", "--ask"], payload("claude-code", outside).replace('"t"', '"t2"'))),
    ).toBe(true);
    server.answer = "allow";
    const asked = await run("shell", ["claude-code", "--ask"], payload("claude-code", outside).replace('"t"', '"t3"'));
    expect(JSON.parse(asked.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "allow" } });
  });

  test.each<[string, NonNullable<Parameters<typeof startSocket>[0]["instead"]>]>([
    ["an impostor that says yes", () => `${"x".repeat(32)} 0 0\n`],
    ["one that sends the token back as its proof", ({ token }) => `${token} 0 0\n`],
    ["one that sends no proof", () => " 0 0\n"],
    ["an error of another protocol", () => "HTTP/1.1 500 Oops\r\ncontent-length: 4\r\nconnection: close\r\n\r\noops"],
    ["a yes of another protocol", ({ proof }) => `HTTP/1.1 200 OK\r\nx-hallpass-proof: ${proof}\r\ncontent-length: 0\r\n\r\n`],
    ["a page", () => "<html>"],
    ["an end in the middle", () => CUT],
    ["half an answer", ({ proof }) => `${proof} 0 400\n{"hookSpecificOutput":`],
    ["more than it promised", ({ proof }) => `${proof} 0 1\n{}`],
    ["a line that does not end", ({ proof }) => `${proof} 0 0`],
    ["an exit code of its own", ({ proof }) => `${proof} 1 0\n`],
    ["a refusal without words", ({ proof }) => `${proof} 2 0\n`],
    ["two proofs, the first one wrong", ({ proof }) => `x ${proof} 0 0\n`],
    ["the proof after a line", ({ proof }) => `\n${proof} 0 0\n`],
    ["a length in other words", ({ proof }) => `${proof} 0 00\n`],
    ["a length that is none", ({ proof }) => `${proof} 0 NaN\n`],
    ["another protocol", () => "220 mail.example ESMTP\r\n"],
    ["silence", () => SILENCE],
  ])("%s at its port: the hook judges for itself, more strictly", async (name, instead) => {
    await socketServer({ grants: [at.path("home/granted")], instead });
    for (const way of ["node", "shell"] as const) {
      const words = name === "silence" ? ["--deadline", "1500"] : [];
      const [bad, good] = await Promise.all([
        run(way, ["codex", ...words], payload("codex", granted)),
        run(way, ["codex", ...words], payload("codex", inside)),
      ]);
      expect([way, blocks("codex", bad), blocks("codex", good)]).toEqual([way, true, false]);
      expect(bad.ms).toBeLessThan(10_000);
    }
  });

  test("a daemon that says nothing is waited for once: it loses its socket file, which is nobody else's", async () => {
    await socketServer({ instead: () => SILENCE });
    const first = await run("shell", ["codex"], payload("codex", outside));
    expect([blocks("codex", first), existsSync(join(data, "hook.socket"))]).toEqual([true, false]);
    const second = await run("shell", ["codex"], payload("codex", inside));
    expect([blocks("codex", second), second.ms < 3_000]).toEqual([false, true]);
    // The daemon that came after the silent one.
    await socketServer({ grants: [at.path("home/granted")] });
    expect(blocks("codex", await run("shell", ["codex"], payload("codex", granted)))).toBe(false);
  });

  test("a socket file that others may read, or that is a link, does not count", async () => {
    const server = await socketServer({ grants: [at.path("home/granted")] });
    chmodSync(join(data, "hook.socket"), 0o644);
    expect(blocks("codex", await run("node", ["codex"], payload("codex", granted)))).toBe(true);
    writeFileSync(join(data, "hook.socket"), "nonsense\n", { mode: 0o600 });
    expect(blocks("codex", await run("shell", ["codex"], payload("codex", granted)))).toBe(true);
    expect(server.decided).toEqual([]);
  });

  // A thousand processes, half of them with Node's start: longer than other tests.
  test("a thousand calls in a row, the daemon killed half-way: each answer blocks or is right", { timeout: 240_000 }, async () => {
    const child: ChildProcess = spawn("npx", ["tsx", join(import.meta.dirname, "socket-program.ts"), data, home, at.path("home/granted")], {
      cwd: repository,
      env: { ...process.env },
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout?.once("data", () => resolve());
      child.once("close", () => reject(new Error("the daemon did not start")));
    });
    const calls = [inside, outside, secret, granted].map((path) => ({ path, text: payload("claude-code", path) }));
    const wrong: string[] = [];
    let grantedSeen = 0;
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let index = next++; index < 1000; index = next++) {
        // RACE: killed while others are under way.
        if (index === 500 && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
        const { path, text } = calls[index % calls.length] ?? { path: "", text: "" };
        // Mostly by the shell's client, which asks the daemon itself; now and then by Node.
        const end = await run(index % 10 < 9 ? "shell" : "node", ["claude-code"], text);
        const stopped = blocks("claude-code", end);
        const right =
          path === inside ? end.exit === 0 && end.stdout === "" : path === granted ? stopped || end.stdout.includes('"allow"') : stopped;
        if (path === granted && !stopped) grantedSeen += 1;
        if (!right && !stopped) wrong.push(`${index} ${path} ${JSON.stringify(end)}`);
        if (path === inside && stopped) wrong.push(`${index} inside was stopped ${JSON.stringify(end)}`);
      }
    };
    await Promise.all([lane(), lane(), lane()]);
    expect(wrong).toEqual([]);
    expect(grantedSeen).toBeGreaterThan(100);
    expect(grantedSeen).toBeLessThan(200);
  });
});

describe("the canary", () => {
  test.each(hostNames)("%s: says armed of a hook that works, and not of one that does not", async (host) => {
    const good = await run("node", ["--canary", host, "--", shell, host], null);
    expect([good.exit, good.stdout]).toEqual([0, `armed: ${host}: a secret is stopped, a file in the workspace is not\n`]);
    for (const command of ["true", "exit 1", "echo noise", "/nonexistent/hallpass-hook"]) {
      const bad = await run("node", ["--canary", host, "--", command], null);
      // A command that fails denies everything in Copilot, and one that is missing does in Gemini: stopped, and still not armed.
      expect([command, bad.exit, bad.stderr.startsWith("not armed: ")]).toEqual([command, 2, true]);
    }
  });
});
