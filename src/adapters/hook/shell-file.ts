// The file of ours that a host's shell reads first, and the line that names it where nothing but the call itself can: our hook puts it before the command.
// bash carries out the first line before it reads on, and the file never comes back from it. A file that is gone ends the shell there (`set -e`).

import { lstatSync } from "node:fs";
import { realOf } from "./disk.ts";
import type { HostCall } from "./host-call.ts";
import { type HostName, hostTable } from "./host-table.ts";

/** Where it is; `workspace` null for the one that serves all of a person's projects. */
export function shellFile(data: string, host: HostName, workspace: string | null): string {
  return `${data}/shells/${workspace === null ? host : `${host}-${encodeURIComponent(workspace).slice(-180)}`}`;
}

/** A path that a shell reads as one word, whatever is around it. */
export const isPlainWord = (path: string): boolean => /^[\w/.@%+-]+$/u.test(path);

interface ShellPlace {
  readonly data: string;
  readonly workspace: string;
}

/** The line to put before this host's commands, by what is installed; null where none is. */
export function startLine(host: HostName, place: ShellPlace): string | null {
  if (hostTable[host].shell?.way !== "line") return null;
  const file = installedFile(host, place);
  return file === undefined ? null : `set -e; . ${file}`;
}

/** Is the file there that leads this host's shell into the sandbox? Where it is gone, bash reads nothing, says nothing and runs the command. */
export function isShellLed(host: HostName, place: ShellPlace): boolean {
  const way = hostTable[host].shell?.way;
  return way === "call" || (way !== undefined && installedFile(host, place) !== undefined);
}

/** The workspace may be told through a link; the file goes by its own name. */
const installedFile = (host: HostName, { data, workspace }: ShellPlace): string | undefined =>
  [realOf(workspace) ?? workspace, null].map((of) => shellFile(data, host, of)).find((path) => isPlainWord(path) && isFile(path));

/** The call as the model meant it: one that has seen the line in its earlier calls may write it too. */
export function withoutStart(call: HostCall, key: string | undefined, line: string | null): HostCall {
  const command = key === undefined ? undefined : call.input[key];
  if (key === undefined || line === null || typeof command !== "string" || !command.startsWith(`${line}\n`)) return call;
  return { ...call, input: { ...call.input, [key]: command.slice(line.length + 1) } };
}

/** Behind the line, in what a shell was told to run; null where there is none. */
export function behindStart(host: HostName, text: string): string | null {
  const [line] = /^set -e; \. [\w/.@%+-]+\n/u.exec(text) ?? [];
  return line?.includes(`/shells/${host}`) === true ? text.slice(line.length) : null;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
