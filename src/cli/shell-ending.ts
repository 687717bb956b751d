// Finds the directory that a host's command ended in, for hosts that start the next command there. The command writes it into a temporary directory,
// the only one that the sandbox shows it besides its session. From there it is copied to the file that the host reads.

import { closeSync, constants, fstatSync, mkdtempSync, openSync, readSync, realpathSync, rmdirSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { randomIds } from "../core/clock.ts";
import { isInside } from "../core/path/contain.ts";
import { addRoot, listRoots, type Session } from "../core/session/session.ts";
import { quoteForShell } from "../adapters/hook/shell-quote.ts";

export interface ShellEnding {
  /** The session in which the command runs. */
  withReportDirectory(session: Session): Session;
  /** What is run: the command, and after it where it is. */
  command(framed: { readonly command: string; readonly isInputEmpty: boolean }): string;
  /** Write it for the host, if it is a directory that the session may see. */
  tell(session: Session): void;
  close(): void;
}

/** Longer than any path. */
const LONGEST = 4096;

/** A directory for what commands report. */
export const makeReportDirectory = (env: Readonly<Record<string, string | undefined>>): string =>
  realpathSync(mkdtempSync(join(env["TMPDIR"] ?? "/tmp", "hallpass-shell-")));

/** `file`: where the host looks. `dir`: as `makeReportDirectory` gives it; several commands of a session may have the same one after each other. */
export function openEnding(file: string, dir: string): ShellEnding {
  const reportFile = join(dir, `directory-${randomIds()}`);
  return {
    withReportDirectory(session) {
      const opened = addRoot(session, dir, "extend");
      return opened.ok ? opened.session : session;
    },
    command: ({ command, isInputEmpty }) =>
      `eval ${quoteForShell(command)}${isInputEmpty ? " < /dev/null" : ""} && builtin pwd -P >| ${quoteForShell(reportFile)}`,
    tell(session) {
      const path = lastDirectory(reportFile);
      if (path !== null && !isInside(dir, path) && listRoots(session).some((root) => isInside(root.dir, path))) writeOut(file, path);
    },
    close: () => remove(() => unlinkSync(reportFile)),
  };
}

/**
 * Remove the directory, if nothing else is in it. INVARIANT: one by one, and never with all that is in it: programs that commands have left may still
 * exchange names there, and what is removed by such a name could be anything of the person's.
 */
export const removeReportDirectory = (dir: string): void => remove(() => rmdirSync(dir));

function remove(work: () => void): void {
  try {
    work();
  } catch {
    // It was never made, or a command has put something else there.
  }
}

/** The command may have put anything there, and what it left running may exchange it at any time. */
function lastDirectory(reportFile: string): string | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const handle = openSync(reportFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(LONGEST + 1);
      const size = fstatSync(handle).isFile() ? readSync(handle, bytes, 0, bytes.length, 0) : bytes.length;
      const path = bytes.toString("utf8", 0, size).replace(/\n$/u, "");
      return size <= LONGEST && path.startsWith("/") && realpathSync(path) === path ? path : null;
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}

function writeOut(file: string, path: string): void {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const handle = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    writeSync(handle, `${path}\n`);
  } finally {
    closeSync(handle);
  }
}
