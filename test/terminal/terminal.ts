// A terminal with a program in it: a real pty, and a screen that understands what is written to it. Everything the program wrote is
// kept as it was, for tests that look at bytes.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pty from "@lydell/node-pty";
import xterm from "@xterm/headless";

export const program = process.env["HALLPASS_PROGRAM"] ?? join(import.meta.dirname, "..", "..", "bin", "hallpass.js");

export interface Terminal {
  /** Everything written so far, byte for byte. */
  readonly raw: string;
  readonly pid: number;
  /** What is on the screen, line by line, without the spaces at their ends. */
  screen(): readonly string[];
  /** The screen and everything that has scrolled away. */
  all(): string;
  type(text: string): void;
  /** Waits until the screen, or what scrolled away, shows it. */
  sees(what: string | RegExp, within?: number): Promise<void>;
  /** Waits until the screen shows it now: what scrolled away does not count. */
  shows(what: string | RegExp, within?: number): Promise<void>;
  /** Waits until the screen no longer shows it. */
  loses(what: string | RegExp, within?: number): Promise<void>;
  resize(cols: number, rows: number): void;
  readonly ended: Promise<number>;
  readonly buffer: InstanceType<typeof xterm.Terminal>["buffer"];
  close(): Promise<void>;
}

export const keys = {
  enter: "\r",
  escape: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  interrupt: "\u0003",
  endOfInput: "\u0004",
  redraw: "\u000c",
  suspend: "\u001a",
  newline: "\n",
  pasteStart: "\u001b[200~",
  pasteEnd: "\u001b[201~",
} as const;

export interface TerminalOptions {
  readonly cwd: string;
  readonly home: string;
  readonly cols?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Another program and its words, in place of ours. */
  readonly command?: readonly [string, ...string[]];
  /** Run as this user, where we may choose. */
  readonly uid?: number;
}

/** A user whom the system refuses something; undefined where we are one already. */
export const plainUser = process.getuid?.() === 0 ? 65_534 : undefined;

export const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** Starts the program in a terminal. Nothing of this process's environment reaches it but the path. */
export function startTerminal(
  words: readonly string[],
  { cwd, home, cols = 80, rows = 24, env = {}, uid, command = [process.execPath, program] }: TerminalOptions,
): Terminal {
  const [file, ...first] = command;
  const process_ = pty.spawn(file, [...first, ...words], {
    name: env["TERM"] ?? "xterm-256color",
    cols,
    rows,
    cwd,
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8", ...env },
  });
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 5000, allowProposedApi: true });
  let raw = "";
  process_.onData((data) => {
    raw += data;
    terminal.write(data);
  });
  const ended = new Promise<number>((resolve) => {
    process_.onExit(({ exitCode }) => resolve(exitCode));
  });
  const lines = (from: number, to: number): string[] => {
    const buffer = terminal.buffer.active;
    return Array.from({ length: to - from }, (_, at) => buffer.getLine(from + at)?.translateToString(true) ?? "");
  };
  const screen = (): string[] => lines(terminal.buffer.active.baseY, terminal.buffer.active.baseY + terminal.rows);
  const all = (): string => lines(0, terminal.buffer.active.baseY + terminal.rows).join("\n");
  const contains = (text: string, what: string | RegExp): boolean => (typeof what === "string" ? text.includes(what) : what.test(text));
  const until = async (met: () => boolean, what: string, within: number): Promise<void> => {
    const end = Date.now() + within;
    while (!met()) {
      if (Date.now() > end) throw new Error(`${what} within ${within} ms; the screen:\n${screen().join("\n")}`);
      await pause(15);
    }
  };
  return {
    get raw() {
      return raw;
    },
    pid: process_.pid,
    screen,
    all,
    type: (text) => process_.write(text),
    sees: (what, within = 30_000) => until(() => contains(all(), what), `${String(what)} was not seen`, within),
    shows: (what, within = 30_000) => until(() => contains(screen().join("\n"), what), `${String(what)} was not on the screen`, within),
    loses: (what, within = 30_000) => until(() => !contains(screen().join("\n"), what), `${String(what)} was still seen`, within),
    resize(newCols, newRows) {
      terminal.resize(newCols, newRows);
      process_.resize(newCols, newRows);
    },
    ended,
    get buffer() {
      return terminal.buffer;
    },
    async close() {
      process_.kill("SIGKILL");
      await ended;
      terminal.dispose();
    },
  };
}

/** A clock of the program's that a test can hold still: the machine's, except while a file is there. */
export interface HeldClock {
  /** What the program must have in its environment. */
  readonly env: Readonly<Record<string, string>>;
  hold(): void;
  release(): void;
}

export function heldClock(at: Place): HeldClock {
  const file = join(at.root, "clock-is-held");
  const module = at.file(
    "held-clock.cjs",
    `const { existsSync } = require("node:fs");
    for (const [clock, read] of [[Date, Date.now], [performance, performance.now.bind(performance)]]) {
      let held = null;
      const now = () => {
        held = existsSync(${JSON.stringify(file)}) ? (held ?? read()) : null;
        return held ?? read();
      };
      Object.defineProperty(clock, "now", { configurable: true, writable: true, value: now });
    }`,
  );
  return {
    env: { NODE_OPTIONS: `--require ${JSON.stringify(module)}` },
    hold: () => writeFileSync(file, ""),
    release: () => rmSync(file),
  };
}

/** A home with a workspace and other repositories in it, removed afterwards. */
export interface Place {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  file(path: string, text: string | Uint8Array): string;
  /** Everything in it belongs to this user from now on. */
  give(uid: number): void;
  remove(): void;
}

export function makePlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-terminal-")));
  const file = (path: string, text: string | Uint8Array): string => {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  mkdirSync(join(root, "home", "code", "app", ".git"), { recursive: true });
  return {
    root,
    home: join(root, "home"),
    workspace: join(root, "home", "code", "app"),
    file,
    give: (uid) => void execFileSync("chown", ["-hR", `${uid}:${uid}`, root]),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
