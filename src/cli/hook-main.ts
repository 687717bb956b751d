// `hallpass hook <host>`: the host's JSON on stdin, the host's own words on stdout or stderr, exit 0 or 2. The entry of the lean bundle
// (dist/hook.cjs): nothing is loaded that a plain call does not need, and nothing but the one answer is ever printed.

import { readvSync, writeSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { hookSocketFile, PAYLOAD_BYTES, readHookSocket } from "../adapters/hook/socket-file.ts";
import { blocked, CANARY, type HookHost, parseRecord, type Words } from "../adapters/hook/host-call.ts";
import { hostNames, isHostName, toldWorkspace, WAIT_MARGIN } from "../adapters/hook/host-table.ts";
import { hookHosts } from "../adapters/hook/hosts/all.ts";
import { judgeInProcess, mustNotBeMisled } from "../adapters/hook/in-process.ts";
import { type HookOptions, readOptions } from "../adapters/hook/options.ts";
import { startLine, withoutStart } from "../adapters/hook/shell-file.ts";
import { toolIn } from "../adapters/hook/wanted.ts";
import { show } from "../core/path/show.ts";

/** More is no tool call. */
const STDIN_BYTES = 16 * 1024 * 1024;

/** Everything, from the arguments after `hook` to the exit code. Never rejects. */
export async function hookMain(words: readonly string[]): Promise<void> {
  const after: (() => Promise<unknown>)[] = [];
  const code = printAnswer(await answerTo(words, (work) => void after.push(work)));
  for (const work of after) await work().catch(() => undefined);
  end(code);
}

/** Takes work to do once the host has its answer. */
type DeferWork = (work: () => Promise<unknown>) => void;

async function answerTo(words: readonly string[], later: DeferWork): Promise<Words> {
  try {
    if (words[0] === "--canary") return await canary(words.slice(1));
    const name = words[0];
    if (!isHostName(name)) return blocked(`there is no host \`${show(name ?? "")}\` (known: ${hostNames.join(", ")})`);
    const options = readOptions(words.slice(1));
    if (!options.ok) return blocked(options.why);
    return await answerFor(hookHosts[name], options.options, later);
  } catch (error) {
    return blocked(show(error instanceof Error ? error.message : String(error)));
  }
}

async function answerFor(host: HookHost, options: HookOptions, later: DeferWork): Promise<Words> {
  const began = Date.now();
  const payload = readInput();
  if (payload === null) return blocked("there is more on stdin than any tool call holds");
  const record = parseRecord(payload);
  if (record === null) return blocked("stdin holds no JSON object");
  const isNoCall = (host.ended?.(record) ?? host.prompted?.(record) ?? null) !== null;
  const output = isNoCall ? null : (host.output?.(record) ?? null);
  const decoded = isNoCall || output !== null ? null : host.decode(record);
  if (decoded?.ok === false) return blocked(decoded.why);
  const { env, platform } = process;
  const home = homeOf(env);
  const workspace = workspaceOf(host, options, env);
  const { lets, grants, attended, ask } = options;
  const wait = ask ? options.wait : null;
  const place = hookSocketFile({ home, env, platform });
  const judgeHere = async (): Promise<Words> => {
    const call = decoded?.call ?? output?.call;
    // An agent that leaves asks for nothing, nor does a person's message; and without a daemon nobody keeps a session of its.
    if (call === undefined) return { exit: 0, stdout: "" };
    const { operatorFile } = options;
    // Another build of this program may understand a policy otherwise; the bundler puts its name here.
    const policyCache = { file: policyCacheFile(place, workspace), version: process.env["HALLPASS_BUILD"] ?? "source", clock: Date.now };
    const isRecorded = call.sessionId !== CANARY;
    const surroundings = {
      workspace,
      home,
      env,
      platform,
      lets,
      grants,
      attended,
      kept: policyCache,
      isRecorded,
      ...(operatorFile === null ? {} : { operatorFile }),
    };
    if (output !== null) {
      const { openSieve, siftOutput } = await import("../adapters/hook/sift-output.ts");
      return siftOutput(host, output, () => openSieve(host, call, surroundings));
    }
    const line = startLine(host.name, { data: dirname(place), workspace });
    const judgedCall = line === null ? call : withoutStart(call, toolIn(host.tools, call.tool)?.command, line);
    const answer = await judgeInProcess(host, judgedCall, surroundings);
    // What leads to our own files was looked at by now.
    if (options.start && isRecorded)
      later(async () => {
        const { startDaemon } = await import("./start-daemon.ts");
        startDaemon({ data: dirname(place), home, env, platform, workspace, from: process.argv[1] ?? "" });
      });
    return host.encode(answer, judgedCall, line);
  };
  const hookSocket = isLong(payload) ? null : readHookSocket(place);
  // Nothing is waited for here, so there is nothing a clock could cut short; and setting one takes longer than judging.
  if (hookSocket === null) return judgeHere();
  // A socket file that the workspace put there would answer what it likes.
  await mustNotBeMisled({ home, env, workspace, platform });
  const askFirst = async (): Promise<Words> => {
    const { askDaemon } = await import("../adapters/hook/ask-daemon.ts");
    // Half the time is kept for judging here, should the daemon be silent; when it asks a person it may have more.
    const milliseconds = Math.max(100, options.milliseconds * (ask ? 0.85 : 0.5) - (Date.now() - began));
    const parent = process.ppid;
    const request = { host: host.name, payload, workspace, lets, ask, wait, attended, parent };
    const reply = await askDaemon(hookSocket, request, milliseconds, () => process.ppid !== parent || isGone(env["HALLPASS_PARENT"]));
    return reply ?? judgeHere();
  };
  // While a person is waited for, the daemon says that it is there, and its silence ends the waiting.
  return withDeadline(options.milliseconds + (wait === null ? 0 : (wait + WAIT_MARGIN / 2) * 1000), askFirst());
}

/** All of stdin, read at once: a stream would cost more than everything else here. Null where it is too much. */
function readInput(): string | null {
  const parts: Uint8Array[] = [];
  for (let size = 0; size <= STDIN_BYTES;) {
    // Most calls are short; fresh memory costs its pages.
    const part = new Uint8Array(size === 0 ? 8_192 : 65_536);
    let count = 0;
    try {
      count = readvSync(0, [part]);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : "";
      if (code === "EAGAIN") {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
        continue;
      }
      if (code !== "EOF") throw error;
    }
    if (count === 0) return textOf(parts);
    size += count;
    parts.push(part.subarray(0, count));
    // A host that keeps stdin open after its object is not waited for.
    const last = part[count - 1];
    if (last === CLOSING || last === NEWLINE) {
      const text = textOf(parts);
      if (parseRecord(text) !== null) return text;
    }
  }
  return null;
}
const textOf = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString("utf8");

/** Too long for the daemon's hook socket? A character is three bytes at the most. */
const isLong = (payload: string): boolean => payload.length * 3 > PAYLOAD_BYTES && Buffer.byteLength(payload) > PAYLOAD_BYTES;
const CLOSING = 0x7d;
const NEWLINE = 0x0a;

/**
 * INVARIANT: never from the payload, in which a model may have chosen the directory. As the operator says, else as the host tells its
 * hooks, else where the host started us.
 */
function workspaceOf(host: HookHost, options: HookOptions, env: NodeJS.ProcessEnv): string {
  const named = options.workspace ?? toldWorkspace(host.name, env) ?? "";
  const here = process.cwd();
  return named === "" ? here : isAbsolute(named) ? named : join(here, named);
}

/** One file for each workspace, named by its FNV-1a hash; the file says which workspace it is. */
function policyCacheFile(socketFile: string, workspace: string): string {
  let name = 0x811c9dc5;
  for (let at = 0; at < workspace.length; at += 1) name = Math.imul(name ^ workspace.charCodeAt(at), 0x01000193);
  return join(dirname(socketFile), "hook", `policy-${(name >>> 0).toString(16)}.json`);
}

function homeOf(env: NodeJS.ProcessEnv): string {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  if (!isAbsolute(home)) throw new Error("there is no home directory, so no policy can be looked for");
  return home;
}

/** Is the process gone that started `bin/hallpass-hook`, which started us? That one waits for us, whoever waits for it. */
function isGone(starter: string | undefined): boolean {
  if (starter === undefined) return false;
  try {
    process.kill(Number(starter), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/** Our own end comes before the host's, which would let the call go. */
async function withDeadline(milliseconds: number, work: Promise<Words>): Promise<Words> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Words>((resolve) => {
    timer = setTimeout(() => resolve(blocked("the answer took too long")), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function canary(words: readonly string[]): Promise<Words> {
  const { runCanary } = await import("../adapters/hook/canary.ts");
  return runCanary(words, {
    cwd: process.cwd(),
    env: process.env,
    self: [process.execPath, ...process.argv.slice(1, process.argv[2] === "hook" ? 3 : 2)],
  });
}

/** Print the answer; returns the exit code. */
function printAnswer(answer: Words): 0 | 2 {
  try {
    write(answer.exit === 0 ? 1 : 2, answer.exit === 0 ? answer.stdout : answer.stderr);
    return answer.exit;
  } catch {
    try {
      write(2, "hallpass: hook-failed: the answer could not be written\n");
    } catch {
      // There is nobody to tell; exit 2 says it.
    }
    return 2;
  }
}

/** Everything is written by now, so nothing is waited for; `exit` looks around first, which takes a fiftieth of Node's start. */
function end(code: 0 | 2): void {
  if (process.listenerCount("exit") === 0 && "reallyExit" in process && typeof process.reallyExit === "function")
    Reflect.apply(process.reallyExit, process, [code]);
  process.exit(code);
}

function write(descriptor: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}
