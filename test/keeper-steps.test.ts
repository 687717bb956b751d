// The keeper is killed, or stopped, at every step of its life: nothing is seen that was not granted, the command ends in its time, the session's next one runs,
// and nothing stays mounted or running.

import * as fs from "node:fs";
import { describe, expect, test } from "vitest";
import { sessionId } from "../src/core/names.ts";
import { reopenGrants } from "../src/core/session/grant.ts";
import type { Session } from "../src/core/session/session.ts";
import { createBubblewrap } from "../src/sandbox/bubblewrap.ts";
import { whyNoKeeper } from "../src/sandbox/keeper.ts";
import type { CommandOutcome } from "../src/sandbox/port.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { counter, scene } from "./scene.ts";
import { keepers } from "./support/keepers.ts";
import { steppingKeeper } from "./support/stepping-keeper.ts";

const why = (await detect()).why ?? whyNoKeeper();
// Left out on somebody's own machine, and where there is no such device at all; where every commit is tried it must work.
const asking = describe.skipIf(why !== null && (process.env["CI"] === undefined || !fs.existsSync("/dev/fuse")));

/** Milliseconds that a command has whose keeper stands still, and one whose keeper does not; and that all of it may take beyond that on a machine on which everything runs at once. */
const SHORT = 3_000;
const AMPLE = 60_000;
const BEYOND = 12_000;
const LONG = { timeout: 600_000 };

const SPEC = [
  "home/code/ws/a.txt: INSIDE",
  "home/code/library/.git/HEAD: ref: refs/heads/main",
  "home/code/library/README: OUTSIDE",
  "home/code/library/.env: TOKEN",
  "home/code/other/.git/HEAD: ref: refs/heads/main",
  "home/code/other/README: ELSEWHERE",
  "home/.ssh/id_rsa: KEY",
  "steps/",
];
const COMMAND = [
  "cat ../library/README ../library/.env",
  "touch read",
  "while [ -e ../library/README ]; do sleep 0.02; done",
  "echo; cat ../library/README ../other/README ~/.ssh/id_rsa",
  "echo end",
].join("; ");

/** What a command may end with whose keeper ends, or stands still until its time is over. */
const ENDS = ["sandbox-unavailable", "timeout", "grant-revoked"];

interface Life {
  readonly steps: readonly string[];
  readonly ran: CommandOutcome;
}

/** A whole life of a session: a command that is granted a repository, from which that is taken, another command, and one that finds whatever is left. */
async function live(at: number, signal: "SIGKILL" | "SIGSTOP", lasting: boolean): Promise<Life> {
  const it = scene(SPEC, { workspace: "home/code/ws", home: "home" });
  const keeper = steppingKeeper(it.path("steps"), at, signal);
  const sandbox = createBubblewrap({ lasting, startRoom: (bytes) => keeper.start(bytes) });
  const session: Session = { ...it.session, id: sessionId(`steps-${at}`) };
  const granted = reopenGrants(session, [it.path("home/code/library")], { clock: Date.now, ids: counter() }).session;
  const ask = ({ path }: { readonly path: string }) => Promise.resolve(path.includes("library") ? granted : null);
  const options = { session, cwd: session.workspace.dir, network: "none", outputBytes: 65_536, asking: { patience: 5_000, ask } } as const;
  const time = signal === "SIGSTOP" && at > 0 ? SHORT : AMPLE;
  const over = new AbortController();
  const revoked = (async () => {
    while (!over.signal.aborted && !fs.existsSync(it.path("home/code/ws/read"))) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const { id } of granted.grants) sandbox.revoke(id);
  })();
  const since = performance.now();
  const ran = await sandbox.run(COMMAND, { ...options, time });
  const took = performance.now() - since;
  over.abort();
  await revoked;
  const next = await sandbox.run("cat a.txt; cat ../other/README", { ...options, time });
  const last = await sandbox.run("cat a.txt", { ...options, time: AMPLE });
  sandbox.endSession(session.id);
  const steps = keeper.steps();
  const where = `${signal} at step ${at}: ${steps[at - 1] ?? "none"}`;
  expect(took, where).toBeLessThan(time + BEYOND);
  if (!next.ok) expect(ENDS, where).toContain(next.code);
  expect(last, where).toMatchObject({ ok: true, stdout: "INSIDE" });
  if (!ran.ok) expect(ENDS, where).toContain(ran.code);
  const printed = ran.ok ? `${ran.stdout}${ran.stderr}` : ran.printed;
  expect(printed, where).not.toMatch(/TOKEN|KEY|ELSEWHERE/u);
  expect(printed.match(/OUTSIDE/gu)?.length ?? 0, where).toBeLessThan(2);
  await expect.poll(() => [...keepers(), ...processesIn(it.root)], { timeout: BEYOND, message: where }).toEqual([]);
  return { steps, ran };
}

/** Processes that have something of the directory mounted, or were started with it. */
function processesIn(root: string): readonly string[] {
  return fs.readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/u.test(pid) || Number(pid) === process.pid) return [];
    try {
      const line = fs.readFileSync(`/proc/${pid}/cmdline`, "latin1");
      const isIn = line.includes(root) || fs.readFileSync(`/proc/${pid}/mountinfo`, "latin1").includes(root);
      return isIn ? [`${pid} ${line}`] : [];
    } catch {
      return [];
    }
  });
}

asking("the keeper of a session", () => {
  test("left alone, shows what was granted until it is revoked", LONG, async () => {
    const { steps, ran } = await live(0, "SIGKILL", true);
    expect(ran).toMatchObject({ ok: true, stdout: "OUTSIDE\nend\n" });
    expect(steps.length).toBeGreaterThan(14);
  });

  test.each(["a session that lasts", "one command"])("killed at each of its steps, for %s", LONG, async (whose) => {
    const lasting = whose === "a session that lasts";
    const { steps } = await live(0, "SIGKILL", lasting);
    for (let at = 1; at <= steps.length; at += 1) await live(at, "SIGKILL", lasting);
    console.log(`killed at each of ${steps.length} steps`);
  });

  test.each(["starts /usr/bin/mount", "starts /usr/bin/nsenter", "hears seen", "says wanted", "hears prepare", "hears show", "hears hide"])(
    "stopped when it %s",
    LONG,
    async (which) => {
      const { steps } = await live(0, "SIGSTOP", true);
      expect(steps).toContain(which);
      const { ran } = await live(steps.indexOf(which) + 1, "SIGSTOP", true);
      expect(ran).toMatchObject({ ok: false });
    },
  );
});
