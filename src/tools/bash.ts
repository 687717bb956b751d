// bash: a command, confined to the session's scope. Judged as writing in the directory it starts in. Where nothing can confine it a
// person is asked, each time, and told why; the command is never looked at to decide whether it is harmless.

import { z } from "zod";
import { systemClock } from "../core/clock.ts";
import { defined } from "../core/defined.ts";
import type { Code } from "../core/errors.ts";
import { meanings } from "../core/guard/explain.ts";
import { LONGEST_COMMAND } from "../core/access.ts";
import type { RealPath } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import { filesystemRoot, runUnconfined } from "../sandbox/none.ts";
import {
  type CommandResult,
  hiddenInWords,
  type CommandOutcome,
  type RunOptions,
  type RenamedEntry,
  type CommandStop,
} from "../sandbox/port.ts";
import { askFirst, isAnswered } from "./ask-first.ts";
import { openReaches, outOfReach } from "./bash-reaches.ts";
import { failsForNetwork } from "./network-failures.ts";
import { pathInput } from "./path-input.ts";
import { badInput, denied, done, failed, type Failure, refused, type ToolResult } from "./result.ts";
import { defineTool, type ToolContext } from "./tool.ts";

/** A longer command does not fit the system's limit for one argument. */
const COMMAND_BYTES = 120_000;

export const bash = defineTool({
  name: "bash",
  title: "Run a command, confined",
  verb: "run",
  kind: "execute",
  gives: "command",
  description:
    "Run a command with bash. It sees the workspace, which it may change; granted and mounted directories, read-only unless they are mounted for writing; " +
    "the system's programs; a home directory and a /tmp of its own, empty at first, in which files usually last until the next call. Nothing else of the disk is there. " +
    "There is no network, and no localhost but the session's own, unless a person allows it: a command that needs it is called with network: true, and a person is asked, usually once for the session. " +
    "Where this machine allows it, a program that reaches for another repository waits while a person is asked: after a yes it can read it, after a no it is refused. " +
    "Secrets cannot be read, and git hooks and configuration, editor, shell and agent settings cannot be changed: do not look for ways around. " +
    "Each call starts afresh in cwd, without input. What it leaves running in the background, such as a server on localhost, usually goes on for the next calls, and notes say so; redirect its output to a file. " +
    "An exit code other than 0 is the command's own answer.",
  writes: true,
  input: z.strictObject({
    command: z.string().min(1),
    cwd: pathInput.default(".").describe("Where it starts: a directory in the workspace, absolute or relative to it"),
    network: z
      .boolean()
      .optional()
      .describe(
        "true: it needs the network, and a person is asked unless it is open already. false: it runs without, though it may be open",
      ),
    timeout: z.int().min(1).optional().describe("Milliseconds until it is stopped; 120000 unless given"),
  }),
  async run({ command, cwd, network: asksForNetwork, timeout }, context) {
    if (command.includes("\0") || !command.isWellFormed())
      return badInput("bad-request", "bash: `command`: holds a character no command can");
    if (Buffer.byteLength(command) > COMMAND_BYTES)
      return badInput("bad-request", `bash: \`command\`: may have at most ${COMMAND_BYTES} bytes; write a script to a file and run that`);
    const place = judgeCwd(cwd, context);
    if (typeof place !== "string") return place;
    const { sandbox, limits, session, signal } = context;
    const why = sandbox === undefined ? "no sandbox was set up for this agent" : await sandbox.ready();
    // What nothing confines has the network anyway, and its card says so.
    const network = why === null ? openNetwork(command, asksForNetwork, context) : { network: "none" as const };
    if ("ok" in network) return network;
    const time = Math.min(timeout ?? limits.commandTime, limits.commandTimeMost);
    const reaches = context.ask === undefined ? null : openReaches(context.ask, time);
    const turn = openTurn(context);
    const options: RunOptions = {
      session,
      cwd: place,
      ...network,
      time,
      outputBytes: limits.commandOutputBytes,
      ...defined({ asking: reaches?.asking, signal }),
      delayed: turn.delayed,
    };
    if (sandbox === undefined || why !== null) return withoutSandbox(command, why ?? "", options, context);
    const ran = await sandbox.run(command, options);
    const waited = reaches !== null && !(ran.ok && ran.notAsked !== undefined);
    const notes = waited ? reaches.notes() : session.attended ? outOfReach(session, place, `${command}\n${textOf(ran)}`) : [];
    const allNotes = [...turn.notes(), ...notes, ...networkNote(ran, options, context)];
    return ran.ok ? finishedResult(ran, context, allNotes) : stoppedResult(ran, allNotes);
  },
});

/** That the command waits for its turn, for the model too: screens are told at once, and it with the result. */
function openTurn({ delayed }: ToolContext): Required<Pick<RunOptions, "delayed">> & { notes(): readonly string[] } {
  const startedAt = systemClock();
  let isWaiting = false;
  let seconds: number | null = null;
  return {
    delayed(delay) {
      if (isWaiting && delay?.for !== "turn") seconds ??= Math.round((systemClock() - startedAt) / 1000);
      isWaiting = delay?.for === "turn";
      delayed?.(delay);
    },
    notes: () =>
      seconds === null
        ? []
        : [
            `The command began ${seconds} seconds after it was called: another command that can write to the same directories had to end first, and may have waited for a person's answer.`,
          ],
  };
}

/** What the command has of the network, and by which grant; or why it is not run. */
function openNetwork(
  command: string,
  asksForNetwork: boolean | undefined,
  { guard, session, call, network }: ToolContext,
): Pick<RunOptions, "network" | "networkGrant"> | Failure {
  if (asksForNetwork === false) return { network: "none" };
  if (network !== undefined) return { network };
  const isTooLong = command.length > LONGEST_COMMAND;
  const decision = guard.connect({ call, tool: "bash", command, isNeeded: asksForNetwork === true && !isTooLong }, session);
  if (decision.verdict === "allow") return { network: "host", ...(decision.grant === null ? {} : { networkGrant: decision.grant }) };
  if (asksForNetwork !== true) return { network: "none" };
  if (isTooLong)
    return badInput(
      "bad-request",
      `bash: \`command\`: one that asks for the network may have at most ${LONGEST_COMMAND} characters; write a script to a file and run that`,
    );
  const { reason } = decision;
  if (decision.verdict === "deny") return denied(reason, `The command was not run: it ${meanings[reason]}. ${WITHOUT}`);
  return { ...denied(reason, `The command was not run yet: it ${meanings[reason]}.`), verdict: "ask", ask: decision.ask };
}

const WITHOUT = "Run it without network: true if it can do without, or go on without it.";

/** How to ask for the network, where a command looks as if it had failed for want of it. It is told, and decides nothing. */
function networkNote(ran: CommandOutcome, { network }: RunOptions, { session }: ToolContext): readonly string[] {
  if (network === "host" || (ran.ok && ran.exitCode === 0)) return [];
  if (!failsForNetwork(ran.ok ? `${ran.stderr}\n${ran.stdout}` : ran.printed)) return [];
  const reason = session.policy.policy.commands.network === "none" ? "policy-deny" : session.attended ? null : "no-prompt-channel";
  if (reason !== null) return [`The command had no network: it ${meanings[reason]}.`];
  return ["The command had no network. If it needs it, call bash again with network: true; a person is asked where it is not open yet."];
}

/** What it complained of, in which it may have said what it did not find. */
const textOf = (ran: CommandOutcome): string => (ran.ok ? ran.stderr : ran.printed);

/** The real directory the command starts in, or why it may not. It must be in a root that gives writing. */
function judgeCwd(cwd: string, { guard, session, call }: ToolContext): RealPath | Failure {
  const listing = guard.judge({ call, tool: "bash", operation: "list", path: cwd }, session);
  if (listing.verdict !== "allow") {
    const outside = listing.root === null && (listing.verdict === "ask" || outsideCodes.has(listing.reason));
    return outside ? outOfScope(cwd) : refused(listing);
  }
  const opening = guard.open(listing.pass);
  if (!opening.ok) return failed(opening.code, cwd);
  const real = opening.opened.path;
  opening.opened.close();
  const writing = guard.judge({ call, tool: "bash", operation: "replace", path: real }, session);
  if (writing.verdict !== "allow") return writing.reason === "write-out-of-scope" ? outOfScope(cwd) : refused(writing);
  writing.pass.close();
  return real;
}

/** Refusals that mean no more than that the directory is in no root. */
const outsideCodes: ReadonlySet<Code> = new Set<Code>([
  "out-of-scope",
  "out-of-whitelist",
  "no-grant-root",
  "root-too-broad",
  "no-prompt-channel",
]);

function outOfScope(cwd: string): Failure {
  return { ...failed("out-of-scope", cwd, "Start commands in the workspace; read elsewhere with the file tools."), verdict: "deny" };
}

/** Nothing confines commands here: ask, each time; or, after a yes to exactly this call, run it and say how. */
async function withoutSandbox(command: string, why: string, options: RunOptions, context: ToolContext): Promise<ToolResult> {
  const path = filesystemRoot();
  if (isAnswered(path, context)) {
    const ran = await runUnconfined(command, options);
    return ran.ok
      ? finishedResult(ran, context, [`The command ran without any sandbox, as the person allowed: ${why}.`])
      : stoppedResult(ran);
  }
  const unconfined = `Commands cannot be confined on this machine: ${why}.`;
  if (!context.session.attended || path === null)
    return denied(
      "sandbox-unavailable",
      `${unconfined} The command was not run. Go on with the file tools, or tell the person what you need.`,
    );
  const hint = `${unconfined} A person is asked before each one, since it could read and change everything the person can.`;
  // For writing anywhere: that is what an unconfined command can do.
  return askFirst("sandbox-unavailable", hint, context, {
    tool: "bash",
    requested: command,
    path,
    reason: "policy-ask",
    about: { what: "command" },
  });
}

function finishedResult(
  { exitCode, stdout, stderr, truncated, setAside, leftOut, hiddenDirs = [], left = [], ended = [] }: CommandResult,
  context: ToolContext,
  said: readonly string[],
): ToolResult {
  const { commandShown } = context.limits;
  const long = [stdout, stderr].some((text) => text.length > commandShown);
  const notes = [
    ...said,
    ...asideNote(setAside),
    ...leftOutNote(leftOut),
    ...hiddenNote(hiddenDirs),
    ...endedNote(ended),
    ...leftNote(left),
  ];
  return done({
    exit_code: exitCode,
    stdout: shorten(stdout, commandShown),
    stderr: shorten(stderr, commandShown),
    truncated: truncated || long,
    ...(long ? { handle: context.outputs.keep(`${stdout}\n${stderr}`) } : {}),
    ...(notes.length === 0 ? {} : { notes }),
  });
}

/** The beginning and the end, where the whole is too long to show at once. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out; view_truncated_output shows them …]\n${text.slice(-half)}`;
}

function stoppedResult({ code, why, printed, setAside }: CommandStop, notes: readonly string[] = []): Failure {
  const sentence = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  const before = printed === "" ? [] : [`It had printed:\n${printed}`];
  return {
    ...failed(code, ""),
    hint: [sentence, ...notes, ...asideNote(setAside), ...before].join(" "),
    verdict: code === "timeout" || code === "output-truncated" ? "allow" : "deny",
  };
}

function asideNote(setAside: readonly RenamedEntry[]): readonly string[] {
  const left = setAside.filter((one) => one.left === true);
  const made = setAside.filter((one) => one.left !== true);
  return [...renamedNote("The command", made), ...renamedNote("An earlier command, which nobody could look after,", left)];
}

function renamedNote(who: string, setAside: readonly RenamedEntry[]): readonly string[] {
  if (setAside.length === 0) return [];
  const shown = setAside
    .slice(0, 20)
    .map(({ from, to }) => `${show(from)} ${to === null ? "could not be renamed: tell the person" : `is now ${show(to)}`}`);
  const more = setAside.length > shown.length ? `, and ${setAside.length - shown.length} more` : "";
  return [`${who} made names that git, editors, shells or agents execute later; they were renamed: ${shown.join(", ")}${more}.`];
}

function leftNote(left: readonly string[]): readonly string[] {
  if (left.length === 0) return [];
  const more = left.length > LEFT_SHOWN ? `, and ${left.length - LEFT_SHOWN} more` : "";
  return [`Still running, for the next commands, until the session ends: ${left.slice(0, LEFT_SHOWN).map(show).join(", ")}${more}.`];
}

const LEFT_SHOWN = 5;

function endedNote(ended: readonly string[]): readonly string[] {
  return ended.map((why) => `What earlier commands had left running was ended: ${why}. Start it again if you need it.`);
}

function leftOutNote(leftOut: readonly string[]): readonly string[] {
  return leftOut.length === 0
    ? []
    : [`Not shown to the command, since it is no longer the directory it was: ${leftOut.map(show).join(", ")}.`];
}

function hiddenNote(hiddenDirs: readonly string[]): readonly string[] {
  return hiddenDirs.length === 0
    ? []
    : [`From the command these were ${hiddenInWords(hiddenDirs)}. The file tools read what is no secret in them.`];
}
