// Whether the commands of a host's session run confined. The hook notes each command before it is let go, and the wrapper that the host starts in
// its shell's place reports it from where it runs. Kept in memory: what a daemon does not know counts as unverified.

import type { SessionId } from "../core/names.ts";

/** `verified`: every command that was let go has reported, and the last one runs confined. */
export type ShellState = "verified" | "unverified";

export interface ShellReports {
  /** A command is about to be let go. True where the session is verified, so that its text need not be understood. */
  begin(session: SessionId, call: string): boolean;
  /** It was refused after all. */
  drop(session: SessionId, call: string): void;
  /** It is about to run, confined or not. True where its text alone was found fit, so that it may run unconfined. */
  report(session: SessionId, call: string, isConfined: boolean): boolean;
  /** Null where no command was let go. */
  state(session: SessionId): ShellState | null;
  /** The session has ended. */
  forget(session: SessionId): void;
}

interface Shell {
  /** Commands that were let go and have not reported, with whether the session was verified then. */
  readonly silent: Map<string, boolean>;
  /** The last report; null where there was none. */
  isConfined: boolean | null;
  /** More were silent than are kept. */
  isLost: boolean;
}

/** As many silent commands of a session are kept: with one of them it is unverified. */
const SILENT = 256;

/** `changed` is told of each session whose state is another than before. */
export function createShellReports(changed: (session: SessionId) => void = () => {}): ShellReports {
  const shells = new Map<SessionId, Shell>();
  const stateOf = ({ silent, isConfined, isLost }: Shell): ShellState =>
    isConfined === true && silent.size === 0 && !isLost ? "verified" : "unverified";
  const shellOf = (session: SessionId): Shell => {
    const known = shells.get(session) ?? { silent: new Map<string, boolean>(), isConfined: null, isLost: false };
    shells.set(session, known);
    return known;
  };
  const state = (session: SessionId): ShellState | null => {
    const shell = shells.get(session);
    return shell === undefined ? null : stateOf(shell);
  };
  const telling = <T>(session: SessionId, work: () => T): T => {
    const before = state(session);
    const done = work();
    if (state(session) !== before) changed(session);
    return done;
  };
  const begin: ShellReports["begin"] = (session, call) => {
    const shell = shellOf(session);
    const isVerified = stateOf(shell) === "verified";
    // INVARIANT: noted in the same step, so that no second command is let go on the word of the first before that one has reported.
    if (shell.silent.size < SILENT) shell.silent.set(call, isVerified);
    else shell.isLost = true;
    return isVerified;
  };
  const drop: ShellReports["drop"] = (session, call) => {
    const shell = shells.get(session);
    shell?.silent.delete(call);
    if (shell !== undefined && shell.silent.size === 0 && shell.isConfined === null && !shell.isLost) shells.delete(session);
  };
  const report: ShellReports["report"] = (session, call, isConfined) => {
    const shell = shellOf(session);
    const wasVerified = shell.silent.get(call);
    shell.silent.delete(call);
    shell.isConfined = isConfined;
    return wasVerified === false;
  };
  return {
    begin: (session, call) => telling(session, () => begin(session, call)),
    drop: (session, call) => telling(session, () => drop(session, call)),
    report: (session, call, isConfined) => telling(session, () => report(session, call, isConfined)),
    state,
    forget: (session) => void shells.delete(session),
  };
}
