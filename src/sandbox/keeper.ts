// The client side of a keeper: starts it, sends it what to mount, receives its messages, and ends it. It serves one command after another of one
// session, and what these leave in /tmp and in their home directory lasts as long as the keeper.

import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { isTrusted } from "./machine.ts";
import type { KeeperReply, GrantMount, KeeperOpening, KeeperRequest } from "./keeper-messages.ts";
import type { Sight } from "./doors.ts";
import { type ProcessId, processOf } from "./processes.ts";

export interface KeeperPorts {
  see(path: string): Sight;
  mayAsk(path: string): boolean;
  /** A program waits for the directory `door`, since it reached for `path` in it. */
  wanted(door: string, path: string, pid: number): void;
  /** It has ended, and nobody told it to. */
  lost(): void;
}

/** Processes of a session that last from one command to the next. */
export interface SessionProcesses {
  /** It takes in whatever a command leaves, and all of them end with it. */
  readonly first: ProcessId;
  /** Where the kernel's view of them is mounted, in the keeper's namespaces. */
  readonly proc: string;
}

/** A keeper while it serves one command. */
export interface Keeper {
  /** Its process, in whose namespaces the sandbox is set up. */
  readonly pid: number;
  /** Where the session's /tmp is, in those namespaces, and where each area is. */
  readonly tmp: string;
  readonly places: readonly string[];
  /** The session's processes, which the command joins; null where it has its own. */
  readonly processes: SessionProcesses | null;
  /** Build a grant where nobody sees it. Throws where it is not what was granted, or cannot be covered. */
  prepare(granting: GrantMount): Promise<void>;
  /** Show what was prepared. Gives the groups by which its mounts are known in the sandbox. Throws as `prepare` does. */
  show(dir: string): Promise<readonly number[]>;
  hide(dir: string): Promise<void>;
  deny(door: string): void;
  /** Nobody waits any longer, and nobody is asked. If it does not do so at once it is killed, since what waits for it cannot be. Done when it has, or has ended. */
  letGo(): Promise<void>;
  /** The command has ended. `stays`: processes of the session go on, and see these places. */
  leave(stays: boolean): void;
}

/** A keeper between two commands. */
export interface Room {
  /** Has it ended? */
  isGone(): boolean;
  /** It serves this command from now on, until that leaves. Throws where it cannot. */
  open(opening: KeeperOpening, doors: boolean, ports: KeeperPorts): Promise<Keeper>;
  /** It ends, with all that is mounted and written there. */
  close(): Promise<void>;
}

export const UNSHARE = "/usr/bin/unshare";
export const NSENTER = "/usr/bin/nsenter";
const SETPRIV = "/usr/bin/setpriv";
const PROGRAMS = [UNSHARE, NSENTER, "/usr/bin/mount", "/usr/bin/umount"];
/** Of memory, where nothing is written. */
const TRIAL_BYTES = 1024 * 1024;
/** Milliseconds for one thing that it is told to do. It is killed then: whoever waits for it would wait for ever, even a program that is killed itself. */
const PATIENCE = 20_000;
/** The same for what takes it no time, and keeps a grant in sight or a program from ending meanwhile. */
const SHORT_PATIENCE = 2_000;

/** Why programs cannot be made to wait here, in a sentence without a full stop; null where they can, as far as can be told without trying. */
export function whyNoKeeper(device = "/dev/fuse"): string | null {
  const why = whyNoRoom();
  if (why !== null) return why;
  try {
    accessSync(device, constants.R_OK | constants.W_OK);
    return null;
  } catch {
    return `${device} cannot be opened (as root: modprobe fuse, chmod 0666 ${device})`;
  }
}

/** The same, found out by trying: a keeper is started, and mounts a place where programs would wait. */
export async function tryKeeper(device?: string): Promise<string | null> {
  const why = whyNoKeeper(device);
  if (why !== null) return why;
  const room = startRoom(TRIAL_BYTES);
  if (typeof room === "string") return room;
  try {
    await room.open({ areas: [{ dir: "/home", writable: true }], fixed: [], patience: 0, holding: null, beside: false }, true, NOBODY);
    return null;
  } catch (error) {
    return `they could not be made to: ${error instanceof Error ? error.message : "a fault"}`;
  } finally {
    await room.close();
  }
}

/** Why there can be no keeper at all, in a sentence without a full stop; null where there can. */
function whyNoRoom(): string | null {
  const missing = PROGRAMS.find((path) => !isTrusted(path));
  if (missing === undefined) return null;
  return `${missing} is missing or can be changed by others (on Debian and Ubuntu it is part of util-linux and mount)`;
}

/** Start one. It keeps no program from ending. A sentence where it cannot be done. `bytes`: as `Staging` has it. `file`: its program; for tests that end it at each of its steps. */
export function startRoom(bytes: number, file = keeperFile()): Room | string {
  const why = whyNoRoom();
  if (why !== null) return why;
  // It ends by itself when we do. If it is stopped then, only the kernel can end it.
  const ending = isTrusted(SETPRIV) ? [SETPRIV, "--pdeathsig", "KILL", "--"] : [];
  const args = ["--user", "--map-root-user", "--mount", "--propagation", "private", "--", ...ending, process.execPath, file];
  // No descriptor of ours but the channel; its complaints go nowhere, since it says them by the channel.
  const keeperProcess = spawn(UNSHARE, args, { cwd: "/", env: {}, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const talk = new KeeperConversation(keeperProcess);
  /** `dirs`: what the places stand for, once a command has them. */
  let staged: { readonly shape: string; readonly places: Promise<readonly string[]>; dirs: string | null } | null = null;
  const stage = (places: readonly boolean[], doors: boolean): Promise<readonly string[]> => {
    const made = talk.ask({ say: "stage", places, doors, bytes });
    staged = { shape: shapeOf(places, doors), places: made, dirs: null };
    made.catch(() => void talk.close());
    return made;
  };
  const rest = (): void => {
    // What goes on after its command may not ask: there is nobody who would be told what came of it.
    talk.serve({ ...NOBODY, wanted: (door) => talk.orders().deny(door) });
    keeperProcess.unref();
    keeperProcess.channel?.unref();
  };
  return {
    isGone: () => talk.isGone,
    async open(opening, doors, ports) {
      keeperProcess.ref();
      keeperProcess.channel?.ref();
      try {
        const writableAreas = opening.areas.map(({ writable }) => writable);
        const dirs = JSON.stringify(opening.areas.map(({ dir }) => dir));
        const isNew = staged === null || staged.dirs === null;
        const isKept = staged?.shape === shapeOf(writableAreas, doors) && (isNew || opening.beside);
        // It ends, and so do the processes that see other places than these.
        if (opening.beside && staged !== null && (!isKept || (!isNew && staged.dirs !== dirs)))
          throw new Error("the places are others than before");
        const [tmp = "", ...places] = await (isKept && staged !== null ? staged.places : stage(writableAreas, doors));
        const { pid } = keeperProcess;
        if (pid === undefined) throw new Error("it did not start");
        if (doors && staged !== null) staged.dirs = dirs;
        const [pidOfFirst, proc = ""] = await talk.ask({ say: "open", ...opening });
        const first = pidOfFirst === undefined ? null : processOf(Number(pidOfFirst));
        const processes = first === null ? null : { first, proc };
        if (opening.holding !== null && processes === null) throw new Error("the session's processes have ended");
        // Not sooner: if it turns out to have ended meanwhile, another may serve the command.
        talk.serve(ports);
        const leave = (stays: boolean): void => {
          rest();
          // Now, and not when the next command waits for it.
          if (doors && !stays) void stage(writableAreas, doors).catch(() => {});
        };
        return { pid, tmp, places, processes, ...talk.orders(), leave };
      } catch (error) {
        rest();
        throw error;
      }
    },
    close() {
      // It is killed, and whoever waits for that may have nothing else that keeps the program going.
      keeperProcess.ref();
      return talk.close();
    },
  };
}

const shapeOf = (places: readonly boolean[], doors: boolean): string => `${doors} ${places.join()}`;

type KeeperRequestBody<M> = M extends { readonly number: number } ? Omit<M, "number"> : never;

class KeeperConversation {
  readonly #keeperProcess: ChildProcess;
  #ports: KeeperPorts = NOBODY;
  readonly #waiting = new Map<number, (answer: Extract<KeeperReply, { say: "done" }>) => void>();
  readonly #gone: Promise<void>;
  #count = 0;
  #closed = false;

  constructor(keeperProcess: ChildProcess) {
    this.#keeperProcess = keeperProcess;
    keeperProcess.on("message", (message: KeeperReply) => this.#hear(message));
    this.#gone = new Promise((resolve) => {
      const end = (): void => {
        for (const [number, settle] of this.#waiting) settle({ say: "done", number, why: "the keeper has ended" });
        this.#waiting.clear();
        const wasOurs = this.#closed;
        this.#closed = true;
        if (!wasOurs) this.#ports.lost();
        resolve();
      };
      keeperProcess.once("exit", end);
      keeperProcess.once("error", end);
    });
  }

  get isGone(): boolean {
    return this.#closed;
  }

  /** Whose command it is. */
  serve(ports: KeeperPorts): void {
    this.#ports = ports;
  }

  /** Gives the places that it tells of. Throws what it complains of. */
  ask(message: KeeperRequestBody<KeeperRequest>, patience = PATIENCE): Promise<readonly string[]> {
    this.#count += 1;
    const number = this.#count;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error("the keeper has ended"));
      const timer = setTimeout(() => this.#keeperProcess.kill("SIGKILL"), patience);
      this.#waiting.set(number, ({ why, places = [] }) => {
        clearTimeout(timer);
        if (why === null) resolve(places);
        else reject(new Error(why));
      });
      this.#say({ ...message, number });
    });
  }

  orders(): Omit<Keeper, "pid" | "tmp" | "places" | "processes" | "leave"> {
    return {
      prepare: async (granting) => void (await this.ask({ say: "prepare", ...granting })),
      show: async (dir) => (await this.ask({ say: "show", dir })).map(Number),
      hide: async (dir) => void (await this.ask({ say: "hide", dir }, SHORT_PATIENCE)),
      deny: (door) => this.#say({ say: "deny", door }),
      letGo: async () => void (await this.ask({ say: "end" }, SHORT_PATIENCE).catch(() => {})),
    };
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#keeperProcess.kill("SIGKILL");
    return this.#gone;
  }

  #hear(message: KeeperReply): void {
    switch (message.say) {
      case "done":
        this.#waiting.get(message.number)?.(message);
        this.#waiting.delete(message.number);
        return;
      case "see":
        return this.#say({ say: "seen", number: message.number, sight: tryLook(() => this.#ports.see(message.path), "nothing") });
      case "ask-whether":
        return this.#say({ say: "may-ask", number: message.number, may: tryLook(() => this.#ports.mayAsk(message.path), false) });
      case "wanted":
        return this.#ports.wanted(message.door, message.path, message.pid);
    }
  }

  #say(message: KeeperRequest): void {
    // It may end in this very moment; then there is nobody to be told.
    if (this.#keeperProcess.connected) this.#keeperProcess.send(message, () => {});
  }
}

/** While it is nobody's there is nothing to see. */
const NOBODY: KeeperPorts = { see: () => "nothing", mayAsk: () => false, wanted: () => {}, lost: () => {} };

/** INVARIANT: a fault shows nothing. */
function tryLook<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

/** In the sources it is the one that was built. */
function keeperFile(): string {
  const url = import.meta.url.endsWith(".ts") ? new URL("../../dist/keeper.js", import.meta.url) : new URL("./keeper.js", import.meta.url);
  return decodeURIComponent(url.pathname);
}
