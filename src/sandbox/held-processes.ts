// Holds a session's processes from one command to the next: a process and a network namespace, and in them bubblewrap's own first process, which
// adopts whatever a command leaves running. For the keeper, with which they end: the kernel ends them with their parents, even if they are stopped.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ProcessHolderPlan } from "./keeper-messages.ts";
import type { Mounter } from "./mounting.ts";

interface ProcessHolder extends Pick<ProcessHolderPlan, "network"> {
  readonly holder: ChildProcess;
  readonly first: number;
}

export class HeldProcesses {
  readonly #proc: string;
  readonly #run: Mounter["run"];
  #current: ProcessHolder | null = null;

  /** `proc`: an empty directory, on which the kernel's view of these processes is mounted. */
  constructor(proc: string, run: Mounter["run"]) {
    this.#proc = proc;
    this.#run = run;
  }

  /** The first of them, for a command with this of the network. Those with another end; where none are left, new namespaces are made. Throws why not. */
  async firstFor(holding: ProcessHolderPlan): Promise<number> {
    if (this.#current !== null && (this.#current.network !== holding.network || isOver(this.#current.holder)))
      await this.#end(this.#current);
    return (this.#current ??= await this.#start(holding)).first;
  }

  async #end({ holder }: ProcessHolder): Promise<void> {
    this.#current = null;
    if (!isOver(holder)) {
      const ended = new Promise((resolve) => holder.once("exit", resolve));
      holder.kill("SIGKILL");
      await ended;
    }
    await this.#run("umount", ["-l", "-c", "-i", this.#proc], []);
  }

  async #start({ bwrap, bash, network, machine }: ProcessHolderPlan): Promise<ProcessHolder> {
    const args = ["--unshare-pid", ...(network === "none" ? ["--unshare-net"] : []), "--die-with-parent", "--cap-drop", "ALL", ...machine];
    // Its one program says that it is there, and waits for the end of its input, which is ours. What a terminal tells our group is none of its business.
    const holder = spawn(bwrap, [...args, "--", bash, "-c", "echo; read"], {
      cwd: "/",
      env: {},
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    await new Promise<void>((resolve, reject) => {
      holder.once("error", reject);
      holder.once("exit", () => reject(new Error("there is nothing to hold the session's processes")));
      holder.stdout.once("data", () => resolve());
    });
    const first = Number(readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, "latin1"));
    try {
      if (!Number.isInteger(first) || first < 1) throw new Error("the first of the session's processes was not found");
      await this.#run(
        "nsenter",
        [`--pid=/proc/${first}/ns/pid`, "--", "/usr/bin/mount", "-t", "proc", "-o", "nosuid,nodev,noexec", "proc", this.#proc],
        [],
      );
    } catch (error) {
      holder.kill("SIGKILL");
      throw error;
    }
    return { holder, first, network };
  }
}

const isOver = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
