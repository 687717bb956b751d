// Our own programs as a host is told to start them: by absolute paths, so that nothing in PATH or in a repository can stand in for them.

import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { hookWait, hostNames, isHostName } from "../hook/host-table.ts";
import { quoteForShell } from "../hook/shell-quote.ts";
import { hookSocketFile } from "../hook/socket-file.ts";
import type { Environment } from "../../config/locations.ts";
import { NODE_VARIABLES } from "../../core/node-variables.ts";
import { bytesIn } from "./disk.ts";

export interface Programs {
  readonly node: string;
  /** bin/hallpass.cjs */
  readonly entry: string;
  /** bin/hallpass-hook, the shell's client; null where there is no shell to run it. */
  readonly client: string | null;
  /** The shell that runs it without being looked for first; null where it is not in its usual place. */
  readonly bash: string | null;
  /** dist/hook.cjs */
  readonly hook: string;
  /** bin/hallpass-enter, which a host's bash reads before a command. */
  readonly shell: string;
  /** dist/opencode-plugin.js */
  readonly plugin: string;
}

const BASH = "/bin/bash";
/** As it is called in a PATH. */
export const PROGRAM = "hallpass";

/** `from` is a module's own address: in `src` or in `dist`, the package is above it. */
export function ownPrograms(from: string, node: string, platform: NodeJS.Platform): Programs {
  let base = dirname(fileURLToPath(from));
  while (!existsSync(join(base, "bin", "hallpass.cjs")) && base !== dirname(base)) base = dirname(base);
  const client = join(base, "bin", "hallpass-hook");
  return {
    node,
    entry: join(base, "bin", "hallpass.cjs"),
    client: platform !== "win32" && existsSync(client) ? client : null,
    bash: platform !== "win32" && existsSync(BASH) ? BASH : null,
    hook: join(base, "dist", "hook.cjs"),
    shell: join(base, "bin", "hallpass-enter"),
    plugin: join(base, "dist", "opencode-plugin.js"),
  };
}

/** Recognises a hook of ours in a host's file, of this version or another: by our program and the host's name after it. */
export function isOurHook(item: unknown): boolean {
  if (typeof item === "string") return OUR_HOOK.test(item);
  if (typeof item !== "object" || item === null) return false;
  const line = "command" in item && "args" in item && Array.isArray(item.args) ? `${String(item.command)} ${item.args.join(" ")}` : "";
  return OUR_HOOK.test(line) || Object.values(item).some(isOurHook);
}

/** Others have a `dist/hook.cjs` as well; what comes after it tells. */
const OUR_HOOK = new RegExp(
  String.raw`(?:bin[\\/]+hallpass-hook|dist[\\/]+hook\.cjs|(?<![\w./\\-])${PROGRAM}\s+hook)['"]*\s+['"]*(?:${hostNames.join("|")})(?![\w-])`,
  "u",
);

/** Recognises a server of ours under our name in a host's file: `… bin/hallpass.cjs mcp`, `hallpass mcp`, or `acp`. */
export function isOurServer(value: unknown): boolean {
  return /(?:bin[\\/]+hallpass\.cjs"\s*,\s*|"hallpass"\s*,\s*(?:"args"\s*:\s*\[\s*)?)"(?:mcp|acp)"/u.test(JSON.stringify(value) ?? "");
}

/** Is this the line by which a host starts our hook: the shell's client, the bundle, or `hallpass hook`, for this host? */
export function isOurHookLine(line: string, host: string): boolean {
  // Each of them is looked at: a directory may be called so too.
  const starts = line.matchAll(/(?:hallpass-hook|hook\.cjs|hallpass(?:-found|\.c?js)?['"]?\s+['"]?hook)['"]?(?=\s)/gu);
  return [...starts].some(
    ({ index, 0: start }) =>
      line
        .slice(index + start.length)
        .trim()
        .split(/\s+/u)[0]
        ?.replaceAll(/['"]/gu, "") === host,
  );
}

/**
 * With a daemon, what may be granted goes into its inbox: a grant belongs to the session that asked, and here that is the host's own. The answer is
 * waited for as long as the host is told to wait for its hook, which stands beside the line. Where there is none, the hook starts one.
 */
const ownOptions = (host: string): readonly string[] =>
  isHostName(host) ? ["--ask", `--wait=${hookWait(host)}`, "--start"] : ["--ask", "--start"];
/** Is this word of a line one that we put there, in this version or another? */
export const isOwnOption = (word: string): boolean => word === "--ask" || word === "--start" || /^--wait=\d+$/u.test(word);

export interface HookPlace {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Environment;
  readonly isShared?: boolean;
}

/**
 * The hook as one line for a shell, with the options a person added. INVARIANT: whatever goes wrong before the hook speaks (it was moved,
 * Node is gone, it may not be executed), the line ends with exit 2 and a text on stderr, which blocks in every host; most hosts let a call
 * go whose hook is missing.
 */
export function hookLine(programs: Programs, host: string, place: HookPlace, added: readonly string[] = []): string {
  const { node, client, bash, hook } = programs;
  const flags = [host, ...ownOptions(host), ...added].map(quoted).join(" ");
  if (place.isShared === true) return place.platform === "win32" ? `${PROGRAM} hook ${flags}` : `${PROGRAM} hook ${flags} ${OR_DENY}`;
  if (place.platform === "win32") return `"${node}" "${hook}" ${flags}`;
  const pinned = Object.entries(pinnedWords(place)).map(([word, value]) => `${word}=${quoted(value)} `);
  // -p: what the environment says about functions and files to read first does not count; a project may set a host's environment.
  const shell = bash === null ? "" : `${bash} -p `;
  const start =
    client === null
      ? `${NODE_VARIABLES.map((name) => `${name}='' `).join("")}${quoted(node)} ${quoted(hook)} ${flags}`
      : `HALLPASS_NODE=${quoted(node)} ${shell}${quoted(client)} ${flags}`;
  return `${pinned.join("")}${start} ${OR_DENY}`;
}

/** The same for an event that must go on whatever happens: a person's message is not ours to stop. */
export const promptLine = (programs: Programs, host: string, place: HookPlace, added: readonly string[] = []): string =>
  hookLine(programs, host, place, added).replace(OR_DENY, OR_GO_ON);
/** Such a line stops nothing, wherever it stands. */
export const isPromptLine = (line: string): boolean => line.endsWith(OR_GO_ON);

const OR_GO_ON = "|| true";

const OR_DENY = "|| { echo 'hallpass: hook-failed: the hook gave no answer; what cannot be judged is denied' >&2; exit 2; }";

/** The MCP server's words; with `starts` it starts the daemon where none runs. Only a project's installation knows the workspace; else it is where the host starts the server. */
export function mcpWords({ entry }: Programs, workspace: string | null, starts: boolean): readonly string[] {
  return [entry, "mcp", ...(starts ? ["--start"] : []), ...(workspace === null ? [] : ["--workspace", workspace])];
}

/** A word as a shell reads it back. */
export const quoted = (word: string): string => (/^[A-Za-z0-9/._=:,@+-]+$/u.test(word) ? word : quoteForShell(word));

/** What a server is told as empty. Certificates stay: an agent that speaks to a model may need them. */
export const EMPTIED = NODE_VARIABLES.filter((name) => name !== "NODE_EXTRA_CA_CERTS");

export type PinnedWords = Readonly<Record<string, string>>;

/**
 * The words of the environment that lead to our own files, as they are when we are installed. A host may take a workspace's `.env` into its
 * environment, so what it starts is told these words again, each of them: one that is not set now is told as empty, which is unset.
 */
export function pinnedWords({ home, env }: { readonly home: string; readonly env: Environment }): PinnedWords {
  const absolute = (word: string): string => (env[word]?.startsWith("/") === true ? (env[word] ?? "") : "");
  return {
    HOME: home,
    XDG_CONFIG_HOME: absolute("XDG_CONFIG_HOME"),
    XDG_DATA_HOME: absolute("XDG_DATA_HOME"),
    HALLPASS_DATA: absolute("HALLPASS_DATA"),
  };
}

/**
 * For what the host starts with Node itself: other people's code must not come in by way of the environment either. What may be asked for
 * is told as well, since a server asks for what its model wants; a hook passes that word over.
 */
export const serverWords = (surroundings: { readonly home: string; readonly env: Environment }): PinnedWords => ({
  ...pinnedWords(surroundings),
  PROJECT_ROOT_WHITELIST: surroundings.env["PROJECT_ROOT_WHITELIST"] ?? "",
  ...Object.fromEntries(EMPTIED.map((name) => [name, ""])),
});

/** The hook socket's file, as it is when we are installed. A host's shell is led into a sandbox on Linux only. */
export const socketFor = (words: PinnedWords): string =>
  posix.normalize(hookSocketFile({ home: words["HOME"] ?? "", env: words, platform: "linux" }));

/** The plugin for opencode as it is copied. The first line is ours to find again; the second is what the module looks for. */
export function pluginTextFor(built: string, { node, hook, entry, shell }: Programs, env: PinnedWords): string {
  const socket = socketFor(env);
  return `// Written by hallpass install opencode; hallpass uninstall opencode removes it.\nconst HALLPASS = ${JSON.stringify({ node, hook, entry, shell, socket, env, wait: hookWait("opencode") })};\n${built}`;
}

/** The same with the module that was built; null where none was, or it cannot be read. */
export function pluginText(programs: Programs, where: Parameters<typeof pinnedWords>[0]): string | null {
  const built = bytesIn(programs.plugin)?.toString("utf8");
  return built === undefined ? null : pluginTextFor(built, programs, pinnedWords(where));
}
