// Checks of the machine: Node, what confines commands, what searches may use, and whether the kernel does what the boundary relies on.

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGuard } from "../../core/guard/guard.ts";
import { callId } from "../../core/names.ts";
import { show } from "../../core/path/show.ts";
import { openSession } from "../../core/session/session.ts";
import { type AbilityOptions, lookForAbility } from "../../sandbox/ability.ts";
import { tryKeeper } from "../../sandbox/keeper.ts";
import { type DoctorFinding, noted, well, wrong } from "./finding.ts";

const LEAST: readonly [number, number] = [20, 19];

export function checkNode(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.replace(/^v/u, "").split(".").map(Number);
  const enough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  if (enough) return well("node", version);
  return wrong("node", `${version} is too old`, `install Node ${LEAST.join(".")} or newer from nodejs.org`);
}

/** Bubblewrap: is it there, does it work, and can a program in it be made to wait? */
export async function checkSandbox(options: AbilityOptions = {}): Promise<readonly DoctorFinding[]> {
  const found = await lookForAbility(options);
  const commands = "until then agents' commands are asked about each time, or judged by their text alone";
  if (typeof found === "string") {
    const [says, remedy] = /not installed/u.test(found)
      ? ["is not installed", `install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap); ${commands}`]
      : /user namespaces/u.test(found)
        ? [found, `allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap); ${commands}`]
        : [found, `fix that, or install bubblewrap from your distribution; ${commands}`];
    const part = /user namespaces/u.test(found) ? "user namespaces" : "bubblewrap";
    return process.platform === "linux" ? [wrong(part, says, remedy)] : [noted(part, found, null)];
  }
  const version = await versionOf(found.bwrap);
  return [
    well("bubblewrap", `${version ?? "of unknown version"} at ${show(found.bwrap)}`),
    well("user namespaces", "work: a command ran confined"),
    ...(found.filter === null ? [noted("seccomp", "system calls cannot be filtered here", null)] : []),
    await checkAsking(),
  ];
}

/** Which of the two ways there is for a confined program that reaches for another repository. */
async function checkAsking(): Promise<DoctorFinding> {
  const part = "a command that reaches out";
  const why = await tryKeeper();
  return why === null
    ? well(part, "waits in its own system call while you are asked; a yes reaches the running program")
    : noted(part, `finds nothing there, and its agent is told afterwards how to ask: ${why}`, "fix that, and it waits while you are asked");
}

/** Optional: our own search needs it not. */
export async function checkRipgrep(program: string | null): Promise<DoctorFinding> {
  const version = program === null ? null : await versionOf(program);
  if (version !== null) return well("ripgrep", version);
  return noted("ripgrep", "is not installed; Hallpass does not need it, but agents' commands may use it", null);
}

/** A judgement and a read in a directory of our own, with the one attack everything else rests on: a link that leads out. */
export function checkProc(proc: () => string | null = selfTest): DoctorFinding {
  const fault = proc();
  const name = process.platform === "linux" ? "/proc" : "the boundary";
  if (fault === null) return well(name, "what is judged is what is opened; a link that leads out is caught");
  return wrong(name, fault, "mount /proc in this container or namespace; until then everything is denied");
}

function selfTest(): string | null {
  if (process.platform === "linux" && !existsSync("/proc/self/fd")) return "is not mounted, and everything is opened through /proc/self/fd";
  let root: string | null = null;
  try {
    root = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-doctor-")));
    const workspace = mkdtempSync(join(root, "ws-"));
    writeFileSync(join(workspace, "inside.txt"), "inside");
    writeFileSync(join(root, "outside.txt"), "outside");
    symlinkSync(join(root, "outside.txt"), join(workspace, "link.txt"));
    const opened = openSession({ workspace, home: root, attended: false });
    if (!opened.ok) return `a session cannot be opened: ${opened.message}`;
    const verdict = (path: string): string => {
      const decision = createGuard().judge({ call: callId("doctor"), tool: "doctor", operation: "read", path }, opened.session);
      if (decision.verdict === "allow") decision.pass.close();
      return decision.verdict;
    };
    if (verdict("inside.txt") !== "allow") return "a file in a workspace cannot be read";
    return verdict("link.txt") === "allow" ? "a link out of a workspace is followed" : null;
  } catch (error) {
    return show(error instanceof Error ? error.message : "it could not be tried");
  } finally {
    if (root !== null) rmSync(root, { recursive: true, force: true });
  }
}

function versionOf(program: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, ["--version"], { timeout: 5000 }, (error, stdout) => {
      // The program's own name is in front of the line already.
      const [line = ""] = stdout.split("\n");
      resolve(error === null ? show(line.replace(/^\S+ (?=\d)/u, "")).slice(0, 60) : null);
    });
  });
}
