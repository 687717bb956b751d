// `hallpass run -- <agent command>`: any agent inside the sandbox that confines our own commands. For hosts whose hooks cannot see what
// is read: here the system call itself fails. Says first, in a few lines, what the program can reach.

import { fstatSync } from "node:fs";
import { resolve } from "node:path";
import { explain } from "../../core/guard/explain.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { randomIds } from "../../core/clock.ts";
import { callId, type RealPath } from "../../core/names.ts";
import { show } from "../../core/path/show.ts";
import { gives } from "../../core/session/root.ts";
import { listRoots, type Session } from "../../core/session/session.ts";
import { type Delay, hiddenInWords, type CommandOutcome, type RunOptions, type Sandbox, type RenamedEntry } from "../../sandbox/port.ts";
import { readGiven } from "../../adapters/acp/inert-words.ts";
import { quoteForShell } from "../../adapters/hook/shell-quote.ts";
import { exitCodes } from "../exit-codes.ts";
import { findAgentFiles, createAgentFiles, type AgentFiles } from "../agent-files.ts";
import type { Call } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { mountsOf, openPlace } from "../judge-flags.ts";
import { outOfReach } from "../../tools/bash-reaches.ts";
import { openRunAsking, type RunAsking } from "../run-asking.ts";
import { delayWords } from "../../wire/delay-words.ts";

/** What a program at a terminal needs to know of it, and nothing that could be a secret. */
const USUAL = ["TERM", "COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TZ"];

export async function run(call: Call<"run">, host: Host): Promise<number> {
  const { values, command } = startOf(call);
  requireNoDirectory();
  const network = values.network ?? "host";
  if (network !== "host" && network !== "none") throw new UsageError(`--network is host or none; found ${show(network)}`);
  // What an editor's agent starts is not what a person typed.
  const own =
    values["no-own"] === true || values.given !== undefined ? null : findAgentFiles(command[0] ?? "", host, mountsOf(values, host));
  if (own !== null) createAgentFiles(own);
  const session = await openPlace(values, host, { own });
  const { createSandbox } = await import("../../sandbox/sandbox.ts");
  const { whyNoKeeper } = await import("../../sandbox/keeper.ts");
  const { processOf } = await import("../../sandbox/processes.ts");
  const { desktopSockets } = await import("../../sandbox/desktop-sockets.ts");
  const { shutsAbstractSockets } = await import("../../sandbox/abstract-sockets.ts");
  const path = host.env["PATH"];
  const sandbox = createSandbox(path === undefined ? {} : { path });
  const unable = await sandbox.ready();
  if (unable !== null) {
    host.errors.write(
      `hallpass: sandbox-unavailable: ${unable}\nNothing was started: without a sandbox it would reach everything you can.\n`,
    );
    return exitCodes.fault;
  }
  // An editor's agent has a session of its own, which these commands would not be a part of.
  const mayAsk = values["no-ask"] !== true && session.attended && (values.given === undefined || values.ask === true);
  const unableToAsk = mayAsk ? whyNoKeeper() : null;
  if (values.ask === true && unableToAsk !== null) {
    host.errors.write(
      `hallpass: sandbox-unavailable: programs cannot be made to wait here: ${unableToAsk}\nNothing was started; it runs without --ask.\n`,
    );
    return exitCodes.fault;
  }
  const env = { ...own?.env, ...environment(host.env, values.env ?? []) };
  const cwd = startIn(session, values.cwd, host);
  const starter = processOf(process.ppid);
  const startedBy = starter === null ? {} : { startedBy: starter };
  const visitor = {
    via: "run",
    hostSession: randomIds(),
    workspace: session.workspace.dir,
    label: labelOf(command),
    leaves: true,
    ...startedBy,
  };
  const live =
    mayAsk && unableToAsk === null
      ? await openRunAsking(host, visitor, sandbox, ({ id, projects, grants }) => ({
          ...session,
          id,
          projects: [...session.projects, ...projects],
          grants: [...session.grants, ...grants],
        }))
      : null;
  if (values.ask === true && live === null) {
    host.errors.write("hallpass: --ask: no daemon is running, so nobody can be asked; start one with hallpass serve\n");
    return exitCodes.fault;
  }
  if (values.quiet !== true) {
    const shutsAbstract = network === "none" || (await shutsAbstractSockets()) !== null;
    const asks = live !== null ? "asks" : mayAsk ? (unableToAsk ?? "no daemon is running; start one with hallpass serve") : "off";
    const variableNames = [...new Set([...Object.keys(own?.env ?? {}), ...(values.env ?? [])])];
    host.errors.write(describe(session, describeNetwork(network, shutsAbstract), variableNames, { asks, own }));
    if (!shutsAbstract) host.errors.write(warning(desktopSockets()));
  }
  const askOptions =
    live === null ? {} : { session: live.session, asking: { ...live.asking, ...(values.ask === true ? { required: true as const } : {}) } };
  const attached = { env, live, isQuiet: values.quiet === true, plan: async () => ({ session, cwd, network, ...askOptions }) as const };
  return runAttached(sandbox, command.map(quoteForShell).join(" "), attached, host);
}

export interface AttachedCommand {
  readonly env: Readonly<Record<string, string>>;
  /** Closed when the command is over, however it ends. */
  readonly live: Pick<RunAsking, "close"> | null;
  readonly plan: () => Promise<Pick<RunOptions, "session" | "cwd" | "network" | "asking">>;
  /** Say nothing of how long it takes to look through the workspace. */
  readonly isQuiet?: boolean;
  /** Called with that plan when the command has ended. Gives what else there is to say. */
  readonly ended?: (plan: Pick<RunOptions, "session" | "cwd">, ran: CommandOutcome) => string;
}

/** Run a command at the person's terminal and say what was set aside. Gives its exit code. */
export async function runAttached(
  sandbox: Sandbox,
  command: string,
  { env, live, plan, isQuiet, ended }: AttachedCommand,
  host: Host,
): Promise<number> {
  const signals = listenToSignals();
  // A terminal that was closed cannot be told anything, which must not keep us from what is left to do.
  host.errors.on("error", () => {});
  const showsDelays = isQuiet !== true && host.errors.isTTY === true;
  let delayReports = 0;
  const delayed = (delay: Delay | null): void => {
    if (delay === null || !showsDelays) return;
    if (delayReports % 5 === 0) host.errors.write(`hallpass: ${delayWords(delay)}\n`);
    delayReports += 1;
  };
  try {
    const starts = (hiddenDirs: readonly string[]): void => {
      host.errors.write(hiddenText(hiddenDirs));
    };
    const attached = { env, told: (left: readonly RenamedEntry[]) => host.errors.write(asideText(left)), starts };
    const runPlan = await plan();
    const ran = await sandbox.run(command, { ...runPlan, time: null, outputBytes: 0, signal: signals.ending, attached, delayed });
    // What was left by another was told before the program started.
    host.errors.write(asideText(ran.setAside.filter(({ left }) => left !== true)));
    const more = ended?.(runPlan, ran) ?? "";
    const { code, text } = endOfRun(ran);
    if (signals.exitCode() === null) host.errors.write(`${more}${text}`);
    return signals.exitCode() ?? code;
  } finally {
    await live?.close();
    signals.close();
  }
}

/** Throws where a program that has our input and outputs would be given a directory by them: it would reach all that is below it, and above. */
export function requireNoDirectory(): void {
  if ([0, 1, 2].some(isDirectory)) throw new UsageError("the input or an output is a directory, which would be open to the program");
}

function isDirectory(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isDirectory();
  } catch {
    return false;
  }
}

/** As much of a command as a session keeps for its name. */
const labelOf = (command: readonly string[]): string => show(command.join(" ")).slice(0, 120);

interface Signals {
  /** Ends the program. */
  readonly ending: AbortSignal;
  /** As a shell tells it, where a signal ended us; null where none did. */
  exitCode(): number | null;
  close(): void;
}

/**
 * The terminal sends its interrupt to everybody in front of it; what it means is the program's business. A closed terminal or a word to end
 * ends the program, and after it us: what it made must be looked through first.
 */
function listenToSignals(): Signals {
  const ending = new AbortController();
  let exitCode: number | null = null;
  const end = (number: number) => (): void => {
    exitCode ??= 128 + number;
    ending.abort();
  };
  const ignore = (): void => {};
  const signalHandlers = [
    ["SIGINT", ignore],
    ["SIGQUIT", ignore],
    ["SIGHUP", end(1)],
    ["SIGTERM", end(15)],
  ] as const;
  for (const [signal, act] of signalHandlers) process.on(signal, act);
  return {
    ending: ending.signal,
    exitCode: () => exitCode,
    close: () => {
      for (const [signal, act] of signalHandlers) process.off(signal, act);
    },
  };
}

/** Where the program starts: the workspace, or a directory in what it may change. */
export function startIn(session: Session, cwd: string | undefined, host: Pick<Host, "cwd">): RealPath {
  if (cwd === undefined) return session.workspace.dir;
  const guard = createGuard();
  const access = { call: callId("run"), tool: "run", path: resolve(host.cwd, cwd) };
  const listing = guard.judge({ ...access, operation: "list" }, session);
  if (listing.verdict !== "allow") throw new UsageError(`--cwd: ${explain(listing).headline}`);
  const opening = guard.open(listing.pass);
  if (!opening.ok) throw new UsageError(`--cwd ${show(cwd)}: ${opening.code}`);
  const { path } = opening.opened;
  opening.opened.close();
  const writing = guard.judge({ ...access, operation: "replace", path }, session);
  if (writing.verdict !== "allow") throw new UsageError(`--cwd must be in what the program may change; found ${show(path)}`);
  writing.pass.close();
  return path;
}

/** The command to start, and where: what follows `--`, or what `--given` holds. */
function startOf({ values, words, rest }: Call<"run">) {
  if (words.length === 0 && rest !== null && rest.length > 0) return { values, command: rest };
  if (words.length > 0 || rest !== null || values.given === undefined)
    throw new UsageError("name the program: hallpass run [flags] -- <command> [its arguments]");
  const commandLine = readGiven(values.given);
  if (commandLine === null) throw new UsageError("--given holds no command");
  return { values: { ...values, cwd: commandLine.cwd }, command: commandLine.words };
}

function environment(all: Host["env"], named: readonly string[]): Readonly<Record<string, string>> {
  const odd = named.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (odd !== undefined) throw new UsageError(`--env takes the name of a variable; found \`${show(odd)}\``);
  return Object.fromEntries(
    [...USUAL, ...named].flatMap((name) => {
      const value = all[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** `asks`: "asks", "off", or why nobody can be asked. */
function wordsForAsking(asks: string): string {
  if (asks === "asks") return "When it reaches for another repository it waits, and you are asked in the inbox.";
  return `A grant given meanwhile holds after a restart.${asks === "off" ? "" : ` You cannot be asked while it runs: ${asks}.`}`;
}

interface ConfinementSummary {
  readonly asks: string;
  readonly own: AgentFiles | null;
}

function describe(session: Session, network: string, variableNames: readonly string[], { asks, own }: ConfinementSummary): string {
  const lines = listRoots(session).map((root) => `  ${gives(root, "write") ? "reads and writes" : "reads           "}  ${show(root.dir)}`);
  return [
    "hallpass: the program is confined by the operating system. It",
    ...lines,
    "and nothing else of your files. Secrets in these directories stay hidden, and what executes later (.git/hooks, editor settings) cannot be changed.",
    `The network is ${network}.${variableNames.length === 0 ? "" : ` It is given ${variableNames.map(show).join(", ")}.`}`,
    wordsForAsking(asks),
    own === null ? "To let it keep its own settings: --mount ~/.its-directory:extend" : wordsForOwn(own),
    "",
  ].join("\n");
}

function wordsForOwn({ title, mounts, login, executes }: AgentFiles): string {
  const where = mounts.map(({ path }) => show(path)).join(" and ");
  const loginNote = login.length === 0 ? "" : " Its login is there for it, and so for every command it starts.";
  const protectedNote = executes.length === 0 ? "" : " Settings, hooks and programs there cannot be changed.";
  return `${title} finds its own files in ${where}.${loginNote}${protectedNote} --no-own leaves them out.`;
}

function describeNetwork(network: "none" | "host", shutsAbstract: boolean): string {
  if (network === "none") return "shut";
  const sockets = shutsAbstract
    ? "services of this machine too, but no abstract sockets"
    : "services of this machine and abstract sockets too";
  return `open, as for any program of yours: ${sockets} (--network none shuts it)`;
}

function warning(sockets: readonly string[]): string {
  if (sockets.length === 0) return "";
  return `hallpass: warning: your desktop listens on ${sockets.map(show).join(", ")}; with the network open the program may be able to type into your windows or start programs outside the sandbox\n`;
}

/** Which directories are hidden as a whole, for standard error. */
export const hiddenText = (hiddenDirs: readonly string[]): string =>
  hiddenDirs.length === 0 ? "" : `hallpass: ${hiddenInWords(hiddenDirs)}\n`;

/** For the agent whose host runs the command, where programs cannot be made to wait: what of the paths that its text names could be asked for. */
export function reachText(ran: CommandOutcome, { session, cwd }: Pick<RunOptions, "session" | "cwd">, text: string): string {
  if (!ran.ok || ran.notAsked === undefined || !session.attended) return "";
  return outOfReach(session, cwd, text)
    .map((line) => `hallpass: ${line}\n`)
    .join("");
}

/** Which names were set aside, for standard error. */
export function asideText(setAside: readonly RenamedEntry[]): string {
  const lines = setAside.map(({ from, to, left }) => {
    const whose = left === true ? " (left by a command that was cut off)" : "";
    const where = to === null ? " — that failed; look at it" : ` to ${show(to)}`;
    return `hallpass: ${show(from)}${whose} executes later, so it was renamed${where}\n`;
  });
  return lines.join("");
}

/** The program's exit code, and why it was stopped if it was. */
export function endOfRun(ran: CommandOutcome): { readonly code: number; readonly text: string } {
  return ran.ok ? { code: ran.exitCode, text: "" } : { code: exitCodes.fault, text: `hallpass: ${ran.code}: ${ran.why}\n` };
}
