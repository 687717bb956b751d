// Processes that are stopped for a moment: all of them, only those that ran, and what a person told them meanwhile still counts.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { pause, wake } from "./pause.ts";
import { bornAt, type ProcessId, signal } from "./processes.ts";

const onLinux = test.skipIf(process.platform !== "linux");

/** A shell with these lines, in a group of its own, once it has said that it is ready. */
async function shell(lines: string): Promise<{ readonly child: ChildProcess; readonly first: ProcessId }> {
  const child = spawn("bash", ["-c", lines], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const pid = child.pid ?? 0;
  onTestFinished(() => void signal(-pid, "SIGKILL"));
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  return { child, first: { pid, born: bornAt(pid) ?? "" } };
}

const stateOf = (pid: number): string => /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "";
const childOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ")[0]);
const untilState = (pid: number, state: RegExp) => expect.poll(() => stateOf(pid)).toMatch(state);

onLinux("all that descends from the first is stopped, and goes on afterwards", async () => {
  const { first } = await shell("(while :; do :; done) & (sleep 100 & wait) & echo ready; wait");
  const paused = await pause([first]);
  expect([stateOf(first.pid), stateOf(childOf(first.pid)), paused?.holds()]).toEqual(["T", "T", true]);
  paused?.end();
  await untilState(childOf(first.pid), /R/);
  expect(paused?.holds()).toBe(false);
});

onLinux("what the person had stopped stays stopped", async () => {
  const { first } = await shell("sleep 100 & echo ready; wait");
  const inner = childOf(first.pid);
  process.kill(inner, "SIGSTOP");
  await untilState(inner, /T/);
  (await pause([first]))?.end();
  await untilState(first.pid, /S/);
  expect(stateOf(inner)).toBe("T");
});

onLinux("what the person stops meanwhile is stopped afterwards, and goes on when the person says so", async () => {
  // A job of a shell's: what has no shell to let it go on is not stopped by a terminal.
  const { first } = await shell("set -m; sleep 100 & echo ready; exec sleep 100");
  // A shell that becomes another program ends the jobs that are stopped.
  await expect.poll(() => readFileSync(`/proc/${first.pid}/comm`, "latin1")).toBe("sleep\n");
  const inner = childOf(first.pid);
  onTestFinished(() => void signal(inner, "SIGKILL"));
  const paused = await pause([first]);
  process.kill(inner, "SIGTSTP");
  paused?.end();
  await untilState(first.pid, /S/);
  await untilState(inner, /T/);
  process.kill(inner, "SIGCONT");
  await untilState(inner, /S/);
});

onLinux("it does not hold once somebody else lets them go on, for however short", async () => {
  const { first } = await shell("while :; do :; done & echo ready; wait");
  const inner = childOf(first.pid);
  const paused = await pause([first]);
  expect(paused?.holds()).toBe(true);
  process.kill(inner, "SIGCONT");
  await untilState(inner, /R/);
  process.kill(inner, "SIGSTOP");
  await untilState(inner, /T/);
  expect(paused?.holds()).toBe(false);
  paused?.end();
});

onLinux("what ends meanwhile, and a number that another process has, are nobody to stop", async () => {
  const { child, first } = await shell("echo ready; sleep 100");
  const none = await pause([{ ...first, born: "1" }]);
  expect([none?.holds(), stateOf(first.pid) === "T"]).toEqual([true, false]);
  none?.end();
  const paused = await pause([first]);
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  expect(paused?.holds()).toBe(false);
  paused?.end();
  (await pause([first]))?.end();
});

onLinux("what nobody is left to let go on is let go on", async () => {
  const { first } = await shell("sleep 100 & echo ready; wait");
  const inner = childOf(first.pid);
  await pause([first]);
  wake({ ...first, born: "1" });
  expect([stateOf(first.pid), stateOf(inner)]).toEqual(["T", "T"]);
  wake(first);
  await untilState(first.pid, /S/);
  await untilState(inner, /S/);
});

onLinux("a shell with jobs of its own does not take it for the person's wish", async () => {
  const { first, child } = await shell("set -m; echo ready; sleep 2; jobs; echo over; sleep 100");
  let said = "";
  child.stdout?.on("data", (text: Buffer) => (said += text.toString()));
  for (let left = 20; left > 0; left -= 1) (await pause([first]))?.end();
  await expect.poll(() => said).toBe("over\n");
});
