// How a host's shell is led into the sandbox: the file of ours that stands before its commands, and the word that names it in the host's settings. The file
// holds where everything is, so that nothing of it comes from an environment that a project may have set.

import { posix } from "node:path";
import { dataDirectory } from "../../config/own-directory.ts";
import { NODE_VARIABLES } from "../../core/node-variables.ts";
import { type HostName, hostTable } from "../hook/host-table.ts";
import { isPlainWord, shellFile } from "../hook/shell-file.ts";
import type { InstallPlace } from "./host-plan.ts";
import { pinnedWords, type Programs, quoted, socketFor } from "./programs.ts";
import type { WantedFile } from "./wanted-file.ts";

export interface ShellStart {
  readonly file: WantedFile;
  /** What the host's setting says. */
  readonly setting: string;
}

const NOT_STARTED = "hallpass: shell-failed: the sandbox could not be started; nothing was run";

/** None where this host's shell is not led there, cannot be on this machine, or where others share the settings, who have no such file. `lines`: what the host starts of ours. */
export function shellStart(host: HostName, where: InstallPlace, programs: Programs, lines: readonly string[]): readonly ShellStart[] {
  const { shell } = hostTable[host];
  if (where.isShared === true) return [];
  if (shell === undefined || shell.way === "call" || where.platform !== "linux" || programs.bash === null) return [];
  const path = shellFile(posix.normalize(dataDirectory(where)), host, where.level === "user" ? null : where.workspace);
  // Most of its ways are read as a line of words; one that would need quoting there is none that we can name.
  if (!isPlainWord(path)) return [];
  const text = shell.way === "prefix" ? prefixText(host, where, programs, lines) : startText(host, where, programs, lines);
  // A prefix is one program and no more: Claude Code starts MCP servers by it without a shell in between.
  const program = shell.way === "prefix" ? { isProgram: true as const } : {};
  return [{ file: { kind: "own", files: [path], text, mark: `hallpass install ${host}`, isOurs: true, ...program }, setting: path }];
}

/** Knows a setting of ours, of this version or another. */
export const isOurStart = (value: unknown): boolean =>
  typeof value === "string" && /\/shells\/(?:claude-code|codex|gemini)[\w%.-]*(?:;|$)/u.test(value);

const head = (host: HostName): string =>
  `# Written by hallpass install ${host}; hallpass uninstall ${host} removes it. Read by bash before a command of ${hostTable[host].title}.`;

/** The command is the one word this was started with. */
const prefixText = (host: HostName, where: InstallPlace, programs: Programs, lines: readonly string[]): string =>
  [
    `#!${programs.bash ?? "/bin/bash"} -p`,
    head(host),
    ...ownLines(lines, '"${1-}"', 'exec /bin/sh -c "$1"'),
    exportLine(host, where, programs),
    ...configuredLines(host, '"$1"', `unset ${VARIABLES}`, 'exec /bin/sh -c "$1"'),
    "BASH_EXECUTION_STRING=$1",
    "set --",
    `. ${quoted(programs.shell)}`,
    // As a hook's end this blocks.
    `echo '${NOT_STARTED}' >&2`,
    "exit 2",
    "",
  ].join("\n");

/** Read by every bash with this environment: only what was started with a command can be one of the model's. */
const startText = (host: HostName, where: InstallPlace, programs: Programs, lines: readonly string[]): string =>
  [
    head(host),
    // With it the shell's special builtins (export, unset, `.`, exec, exit) are its own, whatever functions the environment brings along.
    "POSIXLY_CORRECT=1",
    // By our hook's line it is read before a command and nowhere else: what was given none is refused further on.
    ...(hostTable[host].shell?.way === "line"
      ? []
      : ["if [[ -z ${BASH_EXECUTION_STRING+set} ]]; then unset BASH_ENV POSIXLY_CORRECT; return 0; fi"]),
    ...ownLines(lines, '"$BASH_EXECUTION_STRING"', "unset BASH_ENV POSIXLY_CORRECT; return 0"),
    exportLine(host, where, programs),
    ...configuredLines(host, '"$BASH_EXECUTION_STRING"', `unset ${VARIABLES} BASH_ENV POSIXLY_CORRECT`, "return 0"),
    `. ${quoted(programs.shell)}`,
    `echo '${NOT_STARTED}' >&2`,
    "exit 126",
    "",
  ].join("\n");

const VARIABLES = "HALLPASS_NODE HALLPASS_ENTRY HALLPASS_SHELL HALLPASS_SOCKET";

/** INVARIANT: every variable that `bin/hallpass-enter` goes by is set here, so that none of them is a project's. */
function exportLine(host: HostName, where: InstallPlace, { node, entry }: Programs): string {
  const words = pinnedWords(where);
  const values = [node, entry, JSON.stringify({ host, env: words }), socketFor(words)];
  return `export ${VARIABLES.split(" ")
    .map((name, index) => `${name}=${quoted(values[index] ?? "")}`)
    .join(" ")}`;
}

/** Our own hook goes on at once: it is started for every call. */
const ownLines = (lines: readonly string[], command: string, then: string): readonly string[] =>
  lines.length === 0
    ? []
    : [
        `case ${command} in`,
        `  ${[...new Set(lines)].map((line) => `'${line.replaceAll("'", String.raw`'\''`)}'`).join(" | ")}) ${then} ;;`,
        "esac",
      ];

/** What the host's settings start goes on as it is; the model's commands have the host's words around them. */
function configuredLines(host: HostName, command: string, ...then: readonly string[]): readonly string[] {
  const mark = hostTable[host].shell?.mark;
  if (mark === undefined) return [];
  const ask = `${NODE_VARIABLES.map((name) => `${name}= `).join("")}"$HALLPASS_NODE" "$HALLPASS_ENTRY" shell --configured -- ${command}`;
  return [
    `case ${command} in`,
    `  *${quoted(mark)}*) ;;`,
    `  *) if ${ask} </dev/null >/dev/null 2>&1; then ${then.join("; ")}; fi ;;`,
    "esac",
  ];
}
