// The sandbox as the bash tool sees it: a command goes in, what it did comes out, or why it was not run or not finished;
// `sandbox.ts` says which one this machine has.

import { show } from "../core/path/show.ts";
import type { Child, ChildProgram } from "./child.ts";
import type { Code } from "../core/errors.ts";
import type { GrantId, RealPath, SessionId } from "../core/names.ts";
import type { GrantLoss, NetworkGrant } from "../core/session/grant.ts";
import type { Session } from "../core/session/session.ts";

export interface RunOptions {
  /** Its scope is what the command sees. */
  readonly session: Session;
  /** Where the command starts: a real directory in a root that gives writing. The caller had it judged. */
  readonly cwd: RealPath;
  /** `none`: not even this machine's own services. `host`: as any program of the user. */
  readonly network: "none" | "host";
  /** By which grant it has the network: it is stopped when that ends. Missing where it has none, or has it otherwise. */
  readonly networkGrant?: Pick<NetworkGrant, "id" | "expires"> & Partial<Pick<NetworkGrant, "call">>;
  /** Milliseconds until it is stopped; null: it may take its time. */
  readonly time: number | null;
  /** What is kept of each of its two outputs: the beginning and the end. */
  readonly outputBytes: number;
  /** Stops it, with the code `session-closed`. */
  readonly signal?: AbortSignal;
  /**
   * The caller's own input, outputs and terminal are the command's, with these variables beside the usual ones. What it prints is not
   * kept. For a program a person works with; the bash tool never does it.
   */
  readonly attached?: TerminalOptions;
  /**
   * A program that reaches for a directory which could be granted waits, and a person is asked through this. Without it, or where
   * the machine does not let a program wait, such directories are not there.
   */
  readonly asking?: CommandAsking;
  /** Told every second while the command cannot begin yet: why; null when that is over. */
  readonly delayed?: (delay: Delay | null) => void;
}

/** Why a command has not begun: its roots are looked through, or another command that can write to the same directories has to end first. */
export type Delay = { readonly for: "look"; readonly directories: number } | { readonly for: "turn" };

export interface CommandAsking {
  /** Milliseconds for which one lookup waits; then it is refused, and a later yes serves the next. */
  readonly patience: number;
  /** Is nothing to be run where programs cannot be made to wait? Otherwise it runs without, and the result says so (`notAsked`). */
  readonly required?: true;
  /** Put it before a person. The session with what was granted; null where nothing was. Called once for each directory. */
  ask(reached: ReachedPath): Promise<Session | null>;
}

/** What a program reached for. */
export interface ReachedPath {
  readonly path: string;
  readonly operation: "list" | "read";
  /** The program, in words for people: its name and its command line. */
  readonly who: string;
}

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>;
  /** The PATH that goes with it; by default that of the sandbox. */
  readonly path?: string;
  /**
   * Starts bubblewrap in the caller's place, where the input and outputs are those of another process than this one. The session lasts then as it does for
   * commands that are not attached, and such commands take turns with those of their own session alone.
   */
  readonly start?: (program: ChildProgram) => Child;
  /** Is all that it leaves running to be ended with it, where it could go on? */
  readonly leavesNothing?: boolean;
  /** Told, before the command starts, of what an earlier one had left and was set aside now. It is in the result as well. */
  readonly told?: (left: readonly RenamedEntry[]) => void;
  /** Called when all has been looked through, right before the command starts, with the directories that are hidden as a whole. */
  readonly starts?: (hiddenDirs: readonly string[]) => void;
}

/** Why a command was not run, or not let finish. */
export type StopCode = Extract<
  Code,
  | "sandbox-unavailable"
  | "timeout"
  | "output-truncated"
  | "grant-revoked"
  | "grant-expired"
  | "session-closed"
  | "stale-path"
  | "root-moved"
  | "protected-path"
  | "not-found"
  | "os-denied"
  | "too-large"
>;

export interface CommandResult {
  readonly ok: true;
  /** As a shell tells it: 128 and the signal where a signal ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Was more printed than is kept? */
  readonly truncated: boolean;
  /** Names that execute later, which this command or one before it made and which were renamed so that they do not. Old name and new, as real paths. */
  readonly setAside: readonly RenamedEntry[];
  /** Grants and mounts that were not there any more, and so were not shown to the command. */
  readonly leftOut: readonly string[];
  /** Directories that were hidden with all that is in them, since they hold more than can be covered one by one; missing where there are none. */
  readonly hiddenDirs?: readonly string[];
  /** Programs that go on, in words for people: until the session ends, or they are ended for one of the reasons in `docs/sandbox.md`. Missing where there are none. */
  readonly left?: readonly string[];
  /** Why programs that earlier commands had left were ended since: sentences without a full stop. Missing where none were. */
  readonly ended?: readonly string[];
  /** Somebody could be asked, and programs could not be made to wait for it: why, in a sentence without a full stop. */
  readonly notAsked?: string;
}

export interface RenamedEntry {
  readonly from: string;
  /** Null where the system did not let it be renamed. */
  readonly to: string | null;
  /** An earlier command made it, and the program that ran it was killed before it could look. */
  readonly left?: true;
}

export interface CommandStop {
  readonly ok: false;
  readonly code: StopCode;
  /** A sentence for people and models, without a full stop. */
  readonly why: string;
  /** The end of what it had printed, where that may be told: not once a secret may have been in sight. */
  readonly printed: string;
  readonly setAside: readonly RenamedEntry[];
}

export type CommandOutcome = CommandResult | CommandStop;

/** Runs commands so that they see what the session may see. */
export interface Sandbox {
  readonly name: "bubblewrap" | "none";
  /** Null where commands can be confined; else a sentence why not, without a full stop. Looked up once. */
  ready(): Promise<string | null>;
  /**
   * Run `command` with bash, confined to the session's scope. Confined or not at all: where that cannot be done, nothing is run and
   * the code says so. What the command leaves running goes on only where the sandbox lasts and the result says so (`left`). Never throws.
   */
  run(command: string, options: RunOptions): Promise<CommandOutcome>;
  /** Stop the commands that see this grant, with the code `grant-revoked`. `how`: whoever keeps the grant cannot be reached, so that nobody could revoke it. */
  revoke(grant: GrantId, how?: GrantLoss): void;
  /** Stop the commands of this session, which has ended, with the code `session-closed`, and end what they left running. */
  endSession(session: SessionId): void;
}

export const stopped = (code: StopCode, why: string): CommandStop => ({ ok: false, code, why, printed: "", setAside: [] });

/** Which directories are hidden as a whole, and why: the first of them, in a sentence without a full stop. */
export function hiddenInWords(dirs: readonly string[]): string {
  const more = dirs.length > SHOWN ? `, and ${dirs.length - SHOWN} more` : "";
  return `hidden as a whole, since they hold more secrets and protected names than can be covered one by one: ${dirs.slice(0, SHOWN).map(show).join(", ")}${more}`;
}

const SHOWN = 20;

/** The end of both outputs of a command that was stopped for its time or its output alone. */
export function endOf({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  return `${stdout}${stdout === "" || stdout.endsWith("\n") ? "" : "\n"}${stderr}`.slice(-END);
}

const END = 2000;
