// Runs a command that may be hostile, with nothing but the scratch tree in its reach, and gives all it said.

import { spawnSync } from "node:child_process";

/** What the runner needs of a scene. */
export interface ConfinedScene {
  readonly at: { readonly root: string };
  readonly workspace: string;
  readonly home: string;
}

/**
 * INVARIANT: whatever the hook says of it, a command made at random changes nothing but the scratch tree, whoever runs this: everything
 * else is read-only for it, it has devices and processes of its own, no network, and writes no large file. Ended after `timeout` milliseconds.
 */
export function runConfined({ at: { root }, workspace, home }: ConfinedScene, shell: string, command: string, timeout = 60_000): string {
  const confined = [
    ["--ro-bind", "/", "/"],
    ["--dev", "/dev"],
    ["--proc", "/proc"],
    ["--tmpfs", "/dev/shm"],
    ["--bind", root, root],
    ["--unshare-all", "--die-with-parent", "--chdir", workspace],
  ].flat();
  const small = 'ulimit -f 2048; exec "$0" -c "$1"';
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home };
  const options = { cwd: workspace, env, encoding: "utf8", input: "cat ../out/s\n", timeout, maxBuffer: 262_144 } as const;
  const { stdout, stderr, error } = spawnSync("bwrap", [...confined, "bash", "-c", small, shell, command], options);
  if (error !== undefined && "code" in error && error.code === "ENOENT") throw new Error("bubblewrap is needed to run what passes");
  return `${stdout}${stderr}`;
}
