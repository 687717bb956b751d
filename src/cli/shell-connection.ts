// The conversation with a host's shell that enters the sandbox (`bin/hallpass-enter`). The shell starts what it is told, so that the command has the host's
// input, outputs and terminal; this process prepares it, watches it and says when it may begin. All that the shell is to start and to hand on lies in files
// without a name, which it opens through this process's descriptors.

import { closeSync, openSync, readFileSync, readlinkSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { randomIds } from "../core/clock.ts";
import type { Child, ChildExit, ChildProgram } from "../sandbox/child.ts";
import { firstProcess, isGone, isThere, parentOf, type ProcessId, processOf, signal } from "../sandbox/processes.ts";

/** The shell's end of a connection on this machine. */
export interface ShellSocket extends Duplex {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

export interface ShellConnection {
  /** Aborts when the shell is gone. */
  readonly gone: AbortSignal;
  /** Have it start a program, which has the shell's input and outputs. One at a time. */
  start(program: ChildProgram): Child;
  /** It is to confine the command by itself; where something of it may have run, it ends. */
  turnAway(): void;
  /** The command is over, or was not run: how the shell ends, and what it says on standard error first. */
  end(code: number, text: string): void;
}

/** Milliseconds between two signs that somebody is there. The shell gives up after a few seconds of silence. */
const KEEPALIVE_EVERY = 1_500;
/** Milliseconds for the shell to say what it started, and how that ended once it is gone. */
const PATIENCE = 5_000;

/**
 * Is this connection held by this process, and is that one of ours? Whoever knows the token could name any other. INVARIANT: told by the kernel, and never by
 * whoever is connected.
 */
export function isHeldBy(pid: number, { localPort, remotePort }: ShellSocket): boolean {
  try {
    const port = (number = 0): string => `0100007F:${number.toString(16).toUpperCase().padStart(4, "0")}`;
    const ends = [port(remotePort), port(localPort)].join(" ");
    const line = readFileSync("/proc/net/tcp", "latin1")
      .split("\n")
      .find((row) => row.includes(ends));
    const inode = line?.trim().split(/\s+/u)[9];
    return readlinkSync(`/proc/${pid}/fd/3`) === `socket:[${inode}]` && statSync(`/proc/${pid}`).uid === process.geteuid?.();
  } catch {
    return false;
  }
}

/** Is one of its input and outputs a directory? Whoever is given one reaches all that is below it, and above. Yes, where that cannot be told. */
export function hasDirectory(pid: number): boolean {
  try {
    return [0, 1, 2].some((number) => statSync(`/proc/${pid}/fd/${number}`, { throwIfNoEntry: false })?.isDirectory() === true);
  } catch {
    return true;
  }
}

/** `dir`: a directory that nobody else reads. */
export function openShellConnection(socket: ShellSocket, proof: string, shell: ProcessId, dir: string): ShellConnection {
  const gone = new AbortController();
  let started: StartedProgram | null = null;
  let isBegun = false;
  let received = "";
  const say = (words: string): void => void (socket.writable && socket.write(`${proof} ${words}`));
  // While something is started the connection is its own: what it reads there is the word to begin.
  const keepalive = setInterval(() => {
    if (started === null) say("wait\n");
  }, KEEPALIVE_EVERY);
  const close = (): void => {
    clearInterval(keepalive);
    started?.lose();
    gone.abort();
  };
  socket.on("error", () => socket.destroy());
  socket.on("close", close);
  socket.on("end", close);
  socket.on("data", (part: Buffer) => {
    received += part.toString("latin1");
    for (let at = received.indexOf("\n"); at !== -1; at = received.indexOf("\n")) {
      const line = received.slice(0, at);
      received = received.slice(at + 1);
      // It has nothing to say but about what it started.
      if (started === null || !started.hear(line)) socket.destroy();
      isBegun ||= started?.isBegun === true;
      if (started?.isOver === true) started = null;
    }
    if (received.length > LONGEST_LINE) socket.destroy();
  });
  const finish = (words: string): void => {
    clearInterval(keepalive);
    say(words);
    socket.end();
  };
  const end = (code: number, text: string): void => finish(`end ${code} ${Buffer.byteLength(text)}\n${text}`);
  return {
    gone: gone.signal,
    start(program) {
      const count = program.inputs.length + program.descriptors.length;
      if (started !== null || Object.keys(program.env).length > 0 || count > mostDescriptors(shell.pid) - SPARE)
        throw new Error("the shell cannot start this");
      const files = [[program.file, ...program.args].map((word) => `${word}\0`).join(""), ...program.inputs].map((text) => hold(dir, text));
      const [words = -1, ...inputs] = files;
      started = new StartedProgram(socket, shell, files);
      say(`start ${process.pid} ${[words, ...inputs, ...program.descriptors].join(" ")}\n`);
      if (gone.signal.aborted) started.lose();
      return started;
    },
    // INVARIANT: no command is run twice, and none that has begun goes on elsewhere.
    turnAway: () => (isBegun || started !== null ? end(FAULT, LOST_COMMAND) : finish("node\n")),
    end,
  };
}

const FAULT = 126;
const LOST_COMMAND =
  "hallpass: shell-failed: something went wrong in the daemon while the command ran; what came of the command is not known\n";

/** Longer than any line of a table of mounts. */
const LONGEST_LINE = 1024 * 1024;

/** What the shell has started. It tells its process, then the program tells what it likes (the prelude: its mounts), then the shell tells its exit code. */
class StartedProgram implements Child {
  pid: number | null = null;
  isOver = false;
  /** Was it told to begin, so that the command may have run? */
  isBegun = false;
  readonly channels: readonly Duplex[];
  readonly ended: Promise<ChildExit>;
  readonly #shell: ProcessId;
  readonly #channel: Duplex;
  readonly #socket: ShellSocket;
  #process: ProcessId | null = null;
  #isTold = false;
  #isKilled = false;
  #settle: (exitCode: number) => void = () => {};

  constructor(socket: ShellSocket, shell: ProcessId, files: readonly number[]) {
    this.#socket = socket;
    this.#shell = shell;
    this.#channel = new Duplex({
      read() {},
      write: (part: Buffer, _encoding, done) => {
        this.isBegun = true;
        if (socket.writable) socket.write(part, () => done());
        else done();
      },
    });
    this.channels = [this.#channel];
    this.ended = new Promise((resolve) => {
      this.#settle = (exitCode) => {
        if (this.isOver) return;
        this.isOver = true;
        for (const file of files) closeSync(file);
        this.#channel.destroy();
        resolve({ exitCode, stdout: "", stderr: "", truncated: false, endless: false });
      };
    });
  }

  /** False where this is not what the shell may say now. */
  hear(line: string): boolean {
    const [, said, number] = /^(pid|exit) (\d{1,10})$/u.exec(line) ?? [];
    if (said === "exit") {
      this.#settle(Number(number));
      return true;
    }
    if (this.#isTold) return this.#channel.push(`${line}\n`, "latin1") || true;
    if (said !== "pid") return false;
    this.#isTold = true;
    const started = processOf(Number(number));
    // It has ended by now.
    if (started === null) return true;
    // INVARIANT: nothing is watched, stopped or ended but what this shell started.
    if (parentOf(started.pid) !== this.#shell.pid || !isThere(this.#shell)) return false;
    this.#process = started;
    this.pid = started.pid;
    if (this.#isKilled) this.kill();
    return true;
  }

  /** The shell is gone, and with it what it started. */
  lose(): void {
    this.kill();
    this.#settle(LOST);
  }

  readonly kill = (): void => {
    if (this.isOver) return;
    this.#isKilled = true;
    const [socket, started] = [this.#socket, this.#process];
    if (started === null) {
      // It has not said yet what it started.
      setTimeout(() => {
        if (!this.isOver) socket.destroy();
      }, PATIENCE).unref();
      return;
    }
    // RACE: killed in its very first moments, bubblewrap leaves behind a child that nobody would wake.
    const inside = firstProcess(started.pid);
    if (isThere(started)) signal(started.pid, "SIGKILL");
    if (inside !== null && isThere(inside)) signal(inside.pid, "SIGKILL");
    // The shell says so, unless it is stopped itself.
    void isGone(started).then(() => setTimeout(() => this.#settle(LOST), PATIENCE).unref());
  };
}

/** Descriptors that a shell and bubblewrap need beside those that are handed on. */
const SPARE = 64;

/** How many a process may have open; none, where that cannot be told. */
function mostDescriptors(pid: number): number {
  try {
    const limit = /^Max open files\s+(\d+|unlimited)/mu.exec(readFileSync(`/proc/${pid}/limits`, "latin1"))?.[1];
    return limit === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(limit ?? 0);
  } catch {
    return 0;
  }
}

/** As a shell tells that a program was killed. */
const LOST = 137;

/** A file without a name that holds the text: its descriptor. */
function hold(dir: string, text: Buffer | string): number {
  const path = join(dir, `.enter-${randomIds()}`);
  const file = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  writeFileSync(file, text);
  return file;
}
