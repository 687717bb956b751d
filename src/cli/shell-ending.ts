// Finds the directory that a host's command ended in, for hosts that start the next command there. The command writes it into a temporary directory,
// the only one that the sandbox shows it besides its session. From there it is copied to the file that the host reads.

import { closeSync, constants, lstatSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../core/path/contain.ts";
import { addRoot, listRoots, type Session } from "../core/session/session.ts";
import { quoted } from "./commands/run.ts";

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

export function openEnding(file: string, env: Readonly<Record<string, string | undefined>>): ShellEnding {
  const dir = realpathSync(mkdtempSync(join(env["TMPDIR"] ?? "/tmp", "hallpass-shell-")));
  const reportFile = join(dir, "directory");
  return {
    withReportDirectory(session) {
      const opened = addRoot(session, dir, "extend");
      return opened.ok ? opened.session : session;
    },
    command: ({ command, isInputEmpty }) =>
      `eval ${quoted(command)}${isInputEmpty ? " < /dev/null" : ""} && builtin pwd -P >| ${quoted(reportFile)}`,
    tell(session) {
      const path = lastDirectory(reportFile);
      if (path !== null && !isInside(dir, path) && listRoots(session).some((root) => isInside(root.dir, path))) writeOut(file, path);
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** The command may have put anything there. */
function lastDirectory(reportFile: string): string | null {
  try {
    const facts = lstatSync(reportFile);
    if (!facts.isFile() || facts.size > LONGEST) return null;
    const path = readFileSync(reportFile, "utf8").replace(/\n$/u, "");
    return path.startsWith("/") && realpathSync(path) === path ? path : null;
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
