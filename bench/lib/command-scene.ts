// What the suites about commands share: directories with a few files, a session on them, and a
// bare bash beside it. The goals are sums and the harness knows ratios, so a limit is a variant:
// bare, and so many milliseconds later.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reopenGrants } from "../../src/core/session/grant.ts";
import { openSession } from "../../src/core/session/session.ts";
import type { Session, SessionPlan } from "../../src/core/session/session.ts";

export const ANCHOR = "bash -c true";
export const limit = (milliseconds: number) => `${ANCHOR}, and ${milliseconds} ms`;

export function plant(scene: string, name: string, files: readonly string[]): string {
  const root = join(scene, name);
  for (const file of files) {
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), "SECRET-OR-NOT");
  }
  return root;
}

export function sessionOn(workspace: string, grants: readonly string[], home = "/nonexistent", plan: Partial<SessionPlan> = {}): Session {
  const opened = openSession({ workspace, home, ...plan });
  if (!opened.ok) throw new Error(opened.message);
  return granted(opened.session, grants);
}

/** The session with these directories for reading. */
export function granted(session: Session, grants: readonly string[]): Session {
  let count = 0;
  const ids = () => `id-${(count += 1)}`;
  return reopenGrants(session, grants, { clock: Date.now, ids }).session;
}

export function options(session: Session) {
  return { session, cwd: session.workspace.dir, network: "none", time: 60_000, outputBytes: 65_536 } as const;
}

export function start(file: string, args: readonly string[], cwd = "/", env: NodeJS.ProcessEnv = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], env, cwd });
    let said = "";
    for (const output of [child.stdout, child.stderr]) output.on("data", (part: Buffer) => (said += part.toString()));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}: ${said}`))));
  });
}

export function bare(): Promise<void> {
  return start("/bin/bash", ["-c", "true"]);
}

/** A timer for most of it, and the rest by looking at the clock: a timer alone is a millisecond late. */
export async function bareAndLater(milliseconds: number): Promise<void> {
  await bare();
  const end = performance.now() + milliseconds;
  await new Promise((resolve) => setTimeout(resolve, milliseconds - 2));
  while (performance.now() < end);
}
