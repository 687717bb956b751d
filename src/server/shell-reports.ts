// Whether the commands of a host's session run confined. The hook notes each command before it is let go, and the wrapper that the host starts in
// its shell's place reports it from where it runs. Kept in memory: what a daemon does not know counts as unverified.

import type { SessionId } from "../core/names.ts";

/** `verified`: every command that was let go has reported, and the last one runs confined. */
export type ShellState = "verified" | "unverified";

/** A command by what its host says of it. */
export interface NotedCommand {
  readonly host: string;
  /** The host's own name for its session. */
  readonly sessionId: string;
  /** As the host's shell will have it. */
  readonly command: string;
  /** Under which names our session of it is kept. */
  readonly hostSession: string;
  readonly workspace: string;
  /** Its text must be fit though the session is verified: the model may choose another shell, which does not lead into the sandbox. */
  readonly mustBeFit: boolean;
}

/** A command that was noted, and has not reported. */
export interface FoundCommand {
  readonly session: SessionId;
  readonly call: string;
  readonly noted: NotedCommand;
  /** No other session has such a command: it is surely this one's. */
  readonly isAlone: boolean;
}

/** What a host's shell knows of a command. */
export interface SoughtCommand extends Pick<NotedCommand, "host" | "command"> {
  /** Null where the host tells its shell no session; then the workspace must be the same. */
  readonly sessionId: string | null;
  readonly workspace: string;
}

export interface ShellReports {
  /** A command is about to be let go. True where the session is verified, so that its text need not be understood. */
  begin(session: SessionId, call: string, noted: NotedCommand): boolean;
  /** The oldest such command that was noted and has not reported; null where there is none. */
  find(sought: SoughtCommand): FoundCommand | null;
  /** A shell has it, and will report it, or gives it back by what this returns. Until then no other shell finds it, and it counts as silent. */
  claim(session: SessionId, call: string): () => void;
  /** It was refused after all. */
  drop(session: SessionId, call: string): void;
  /** It is about to run, confined or not, in these words. True where these very words were found fit by themselves, so that they may run unconfined. */
  report(session: SessionId, call: string, isConfined: boolean, command: string): boolean;
  /** Null where no command was let go. */
  state(session: SessionId): ShellState | null;
  /** The session has ended. */
  forget(session: SessionId): void;
}

interface SilentCommand {
  readonly isUnread: boolean;
  readonly noted: NotedCommand;
  isClaimed: boolean;
}

interface Shell {
  /** Commands that were let go and have not reported, with whether they were let go without being understood. */
  readonly silent: Map<string, SilentCommand>;
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
    const shell: Shell = shells.get(session) ?? { silent: new Map(), isConfined: null, isLost: false };
    shells.set(session, shell);
    return shell;
  };
  const state = (session: SessionId): ShellState | null => {
    const shell = shells.get(session);
    return shell === undefined ? null : stateOf(shell);
  };
  const notifyIfChanged = <T>(session: SessionId, work: () => T): T => {
    const before = state(session);
    const result = work();
    if (state(session) !== before) changed(session);
    return result;
  };
  const begin: ShellReports["begin"] = (session, call, noted) => {
    const shell = shellOf(session);
    const isUnread = stateOf(shell) === "verified" && !noted.mustBeFit;
    // INVARIANT: noted in the same step, so that no second command is let go on the word of the first before that one has reported.
    if (shell.silent.size < SILENT) shell.silent.set(call, { isUnread, noted, isClaimed: false });
    else shell.isLost = true;
    return isUnread;
  };
  const drop: ShellReports["drop"] = (session, call) => {
    const shell = shells.get(session);
    shell?.silent.delete(call);
    if (shell !== undefined && shell.silent.size === 0 && shell.isConfined === null && !shell.isLost) shells.delete(session);
  };
  const report: ShellReports["report"] = (session, call, isConfined, command) => {
    const shell = shellOf(session);
    const earlier = shell.silent.get(call);
    shell.silent.delete(call);
    shell.isConfined = isConfined;
    // Somebody may have made another command of it since.
    return earlier?.isUnread === false && earlier.noted.command === command;
  };
  const find: ShellReports["find"] = ({ host, sessionId, workspace, command }) => {
    const matches = [...shells].flatMap(([session, { silent }]) => {
      const match = [...silent].find(
        ([, { noted, isClaimed }]) =>
          !isClaimed &&
          noted.host === host &&
          noted.command === command &&
          (sessionId === null ? noted.workspace === workspace : noted.sessionId === sessionId),
      );
      return match === undefined ? [] : [{ session, call: match[0], noted: match[1].noted }];
    });
    const [first, other] = matches;
    return first === undefined ? null : { ...first, isAlone: other === undefined };
  };
  return {
    begin: (session, call, noted) => notifyIfChanged(session, () => begin(session, call, noted)),
    find,
    claim(session, call) {
      const command = shells.get(session)?.silent.get(call);
      if (command !== undefined) command.isClaimed = true;
      return () => {
        if (command !== undefined) command.isClaimed = false;
      };
    },
    drop: (session, call) => notifyIfChanged(session, () => drop(session, call)),
    report: (...reported) => notifyIfChanged(reported[0], () => report(...reported)),
    state,
    forget: (session) => void shells.delete(session),
  };
}
