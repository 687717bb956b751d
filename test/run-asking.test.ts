// `hallpass run --ask` with a daemon: the program's own system call waits, the inbox shows the card, and the answer reaches the running program.

import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { whyNoKeeper } from "../src/sandbox/keeper.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { routes } from "../src/wire/http.ts";
import type { WireAsk } from "../src/wire/values.ts";
import { environmentOf, eventually, executable, stage, startProgram, type Program, type Stage } from "./server/daemon-process.ts";

const why = (await detect()).why ?? whyNoKeeper();
// Left out on somebody's own machine, and where there is no such device at all; where every commit is tried it must work.
const asking = describe.skipIf(why !== null && (process.env["CI"] === undefined || !existsSync("/dev/fuse")));
/** For a machine on which everything runs at once. */
const WITHIN = 60_000;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(on: Stage, words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [executable, "run", "-q", "--network", "none", ...words],
      { cwd: on.workspace, env: environmentOf(on) },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin?.end();
  });
}

const startDaemon = (on: Stage): Promise<Program> => startProgram(on, { data: join(on.home, ".local/share/hallpass") });

const openAsk = (daemon: Program): Promise<WireAsk> =>
  eventually(async () => (await daemon.client.send(routes.listAsks, { query: { state: "open" } }))[0] ?? null, WITHIN);

asking("hallpass run", () => {
  test("a yes in the inbox reaches the running program, and a revocation takes it away again", { timeout: 180_000 }, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const steps = "cat ../lib/far.txt; touch read; while [ -e ../lib/far.txt ]; do sleep 0.05; done; cat ../lib/far.txt; echo end";
    const running = run(on, ["--ask", "--", "bash", "-c", steps]);
    const ask = await openAsk(daemon);
    expect(ask).toMatchObject({ tool: "run", path: join(on.library, "far.txt"), proposal: { dir: on.library } });
    expect(JSON.stringify(ask)).toContain("cat (cat ../lib/far.txt) reached for it");
    await daemon.client.send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } });
    await eventually(async () => (existsSync(join(on.workspace, "read")) ? true : null), WITHIN);
    const grants = await daemon.client.send(routes.listGrants, { query: { session: ask.session } });
    expect(grants.map(({ path }) => path)).toEqual([on.library]);
    await daemon.client.send(routes.revoke, { id: grants[0]?.id ?? "" });
    const { code, stdout, stderr } = await running;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "outside the workspace\nend\n" });
    expect(stderr).toMatch(/far\.txt: Permission denied/);
  });

  test("a no refuses, and the card is the only one", { timeout: 180_000 }, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const running = run(on, ["--ask", "--", "bash", "-c", "ls ../lib; cat ../lib/far.txt; ls ../lib; echo end"]);
    const ask = await openAsk(daemon);
    await daemon.client.send(routes.answer, { id: ask.id, body: { decision: "deny", digest: ask.digest } });
    const { stdout, stderr } = await running;
    expect(stdout).toBe("end\n");
    expect(stderr.match(/Permission denied/g)).toHaveLength(3);
    expect(await daemon.client.send(routes.listAsks, { query: {} })).toHaveLength(1);
  });

  test.each(["goes on", "is stopped"])(
    "nothing is left of it when it is killed and its keeper %s",
    { timeout: 180_000 },
    async (keeper) => {
      const on = stage();
      const daemon = await startDaemon(on);
      const words = ["run", "-q", "--ask", "--", "bash", "-c", "cat ../lib/far.txt"];
      const child = spawn(process.execPath, [executable, ...words], { cwd: on.workspace, env: environmentOf(on), stdio: "ignore" });
      await openAsk(daemon);
      const inside = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "latin1").split(" ").filter(Boolean);
      expect(inside).toHaveLength(2);
      const keepers = inside.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("keeper.js"));
      if (keeper === "is stopped") for (const pid of keepers) process.kill(Number(pid), "SIGSTOP");
      expect(keepers).toHaveLength(1);
      child.kill("SIGKILL");
      await eventually(async () => (inside.some((pid) => existsSync(`/proc/${pid}`)) ? null : true), WITHIN);
    },
  );

  test("a program that gives up before anybody answers ends, and its card is closed", { timeout: 180_000 }, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const running = run(on, ["--", "bash", "-c", "timeout -s KILL 3 cat ../lib/far.txt; echo $?"]);
    await openAsk(daemon);
    expect(await running).toMatchObject({ code: 0, stdout: "137\n" });
    expect(await daemon.client.send(routes.listAsks, { query: { state: "open" } })).toEqual([]);
  });

  test.each(["SIGKILL", "SIGSTOP"] as const)(
    "it ends while its card waits at a daemon that got a %s",
    { timeout: 180_000 },
    async (signal) => {
      const on = stage();
      const daemon = await startDaemon(on);
      const running = run(on, ["--", "bash", "-c", "timeout -s KILL 3 cat ../lib/far.txt; echo $?"]);
      await openAsk(daemon);
      daemon.child.kill(signal);
      onTestFinished(() => void daemon.child.kill("SIGKILL"));
      const { code, stdout } = await running;
      expect(code).toBe(0);
      // It is refused at once where the daemon went before it was known that the question is open.
      expect(["137\n", "1\n"]).toContain(stdout);
    },
  );

  test("a daemon that is killed leaves no grant open in a program that runs", { timeout: 180_000 }, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const steps = "cat ../lib/far.txt; touch read; while [ -e ../lib/far.txt ]; do sleep 0.05; done; cat ../lib/far.txt; echo end";
    const running = run(on, ["--", "bash", "-c", steps]);
    const ask = await openAsk(daemon);
    await daemon.client.send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } });
    await eventually(async () => (existsSync(join(on.workspace, "read")) ? true : null), WITHIN);
    await daemon.kill();
    const { code, stdout, stderr } = await running;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "outside the workspace\nend\n" });
    expect(stderr).toMatch(/far\.txt: Permission denied/);
  });

  test("a program that uses the grant then is ended, and told why", { timeout: 180_000 }, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const running = run(on, ["--", "bash", "-c", "exec 5< ../lib/far.txt; touch read; sleep 600"]);
    const ask = await openAsk(daemon);
    await daemon.client.send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } });
    await eventually(async () => (existsSync(join(on.workspace, "read")) ? true : null), WITHIN);
    await daemon.kill();
    const { code, stderr } = await running;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("grant-revoked: the daemon that could revoke") as string });
  });

  test("it asks without the flag, and not with --no-ask", { timeout: 180_000 }, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const shut = await run(on, ["--no-ask", "--", "cat", "../lib/far.txt"]);
    expect(shut.stderr).toMatch(/No such file/);
    const running = run(on, ["--", "cat", "../lib/far.txt"]);
    const ask = await openAsk(daemon);
    await daemon.client.send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } });
    expect((await running).stdout).toBe("outside the workspace\n");
    expect(await daemon.client.send(routes.listAsks, { query: {} })).toHaveLength(1);
  });

  test("without a daemon and without the flag it runs as before", { timeout: 120_000 }, async () => {
    const { code, stdout } = await run(stage(), ["--", "bash", "-c", "ls ../lib || echo nothing there"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "nothing there\n" });
  });

  test("with --ask and without a daemon nothing is started", { timeout: 120_000 }, async () => {
    const { code, stderr, stdout } = await run(stage(), ["--ask", "--", "echo", "started"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("no daemon is running");
  });
});
