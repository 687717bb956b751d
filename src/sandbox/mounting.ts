// Mounting, for the keeper: with the system's own programs, and through descriptors where a path could have been replaced by then.

import { spawn } from "node:child_process";
import { closeSync, open } from "node:fs";

const O_PATH = 0o10000000;
export const DIRECTORY = O_PATH | 0o200000 | 0o400000; // O_DIRECTORY | O_NOFOLLOW

/** Held, and not through a link. Never at once: it is we who answer the kernel's questions about these directories. */
export function openDir(path: string): Promise<number> {
  return new Promise((resolve, reject) =>
    open(path, DIRECTORY, (error, descriptor) => (error === null ? resolve(descriptor) : reject(error))),
  );
}

export interface Mounter {
  /** `args`: bytes, one character each, where they are paths. Throws what the program complains of. */
  mount(...args: readonly string[]): Promise<void>;
  /** The same with descriptors, from 3 on. */
  run(program: "mount" | "umount" | "nsenter", args: readonly string[], descriptors: readonly number[]): Promise<void>;
  /** All that is mounted at the top of which this is the descriptor; closes it. */
  unmount(descriptor: number): Promise<void>;
  /** Is it a process that was started here, and runs? */
  isHelper(pid: number): boolean;
}

export function createMounting(): Mounter {
  const helpers = new Set<number>();
  const run: Mounter["run"] = (program, args, descriptors) =>
    new Promise((resolve, reject) => {
      const stdio = ["ignore", "ignore", "pipe", ...descriptors] as const;
      const utf8Args = args.map((arg) => Buffer.from(arg, "latin1").toString("utf8"));
      const child = spawn(`/usr/bin/${program}`, utf8Args, { env: { LC_ALL: "C" }, cwd: "/", stdio: [...stdio] });
      if (child.pid !== undefined) helpers.add(child.pid);
      let stderrText = "";
      child.stderr?.on("data", (part: Buffer) => (stderrText += part.toString("latin1")));
      child.on("error", reject);
      child.on("close", (code) => {
        if (child.pid !== undefined) helpers.delete(child.pid);
        if (code === 0) resolve();
        else reject(new Error(stderrText.split("\n")[0] ?? `${program} failed`));
      });
    });
  return {
    run,
    mount: (...args) => run("mount", args, []),
    async unmount(descriptor) {
      try {
        await run("umount", ["-l", "-c", "-i", "/proc/self/fd/3"], [descriptor]);
      } finally {
        closeSync(descriptor);
      }
    },
    isHelper: (pid) => helpers.has(pid),
  };
}
