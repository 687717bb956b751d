// Where programs that judge for an agent keep what they decided, until the daemon adds it to the record (take-spool.ts): a hook that no daemon
// answered, and an MCP server, whose answers wait for no other process. A file that is only added to, a line a call, each with a checksum.
// Promise: `spoolCall` returns only when the line is in the file, before its seal; so what was not recorded is not told to the agent.

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  type Stats,
  writeSync,
} from "node:fs";
import type { AuditEvent } from "../../core/audit.ts";
import { errnoOf } from "../../core/errno.ts";
import { HallpassError } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import { isRecord, parseJson } from "../../core/record.ts";
import { isPrivate } from "./disk.ts";
import type { HostName } from "./host-table.ts";

/** A decision as the record has it. */
export type DecisionEvent = Extract<AuditEvent, { readonly kind: "decision" }>;

/** One call of a tool, decided by a hook without the daemon: who made it, and what was decided about each access. */
export interface HookSpooledCall {
  readonly host: HostName;
  readonly workspace: string;
  /** The host's names for the session and the agent below its first one. */
  readonly sessionId: string;
  readonly agentId: string | null;
  readonly events: readonly DecisionEvent[];
}

/** What a program decided in a session of the daemon's, with what the daemon had told it. */
export interface SessionSpooledCall {
  /** The daemon's id of the session. */
  readonly session: string;
  readonly events: readonly SpooledEvent[];
}

export type SpooledCall = HookSpooledCall | SessionSpooledCall;
export type SpooledEvent = Extract<AuditEvent, { readonly kind: "decision" | "open-failed" }>;

/** In the data directory. */
export const SPOOL = { dir: "hook", file: "spool", taken: "spool-taken-" } as const;
/** About a hundred thousand decisions. What does not fit is not decided. */
export const SPOOL_BYTES = 64 * 1024 * 1024;
/** One call names no more than this. */
export const LINE_BYTES = 1024 * 1024;

export interface SpoolOptions {
  /** The most bytes that the file may have. */
  readonly most?: number;
  /** Is the line on the disk when it is kept? Else it is in the file, and whoever keeps it brings it to the disk soon, as the store does with notes. */
  readonly isOnDisk?: boolean;
}

/** Keep a call. Throws `hook-failed` where it cannot be kept, and says what to do. */
export function spoolCall(data: string, call: SpooledCall, { most = SPOOL_BYTES, isOnDisk = true }: SpoolOptions = {}): void {
  const file = `${data}/${SPOOL.dir}/${SPOOL.file}`;
  const text = spoolLine(call);
  if (text.length > LINE_BYTES) throw notRecorded("the call names more paths than one line of the record can hold");
  try {
    for (let time = 0; time < TRIES; time += 1) if (append(data, text, most, isOnDisk)) return;
  } catch (error) {
    if (error instanceof HallpassError) throw error;
    const code = errnoOf(error);
    throw notRecorded(
      code === "ENOSPC" || code === "EDQUOT"
        ? `the disk that \`${show(file)}\` is on is full: free some space, or start the daemon with \`hallpass serve\``
        : `\`${show(file)}\` cannot be written (${code || "unknown"}): see that this user may write there, or start the daemon with \`hallpass serve\``,
    );
  }
  throw notRecorded(`\`${show(file)}\` was taken away again and again: make the same call again`);
}

/** Each time the daemon has taken the file away at that very moment. */
const TRIES = 5;

/** False where the line came after the seal, and so will not be read. */
function append(data: string, text: Buffer, most: number, isOnDisk: boolean): boolean {
  const dir = `${data}/${SPOOL.dir}`;
  const file = `${dir}/${SPOOL.file}`;
  const handle = openSpool(dir, file);
  try {
    const before = fstatSync(handle);
    // Taken away, read and removed since it was opened: the next one is another file.
    if (before.nlink === 0) return false;
    if (!isOurs(before)) throw notRecorded(`\`${show(file)}\` is not a file of this user alone: remove it`);
    if (before.size + text.length > most)
      throw notRecorded(
        `\`${show(file)}\` is full (${Math.round(most / 1024)} KiB): start the daemon with \`hallpass serve\`, which adds it to the record`,
      );
    if (writeSync(handle, text) !== text.length) throw notRecorded(`the disk that \`${show(file)}\` is on is full: free some space`);
    if (isOnDisk) {
      fdatasyncSync(handle);
      if (before.size === 0) syncDirectory(dir);
    }
    // RACE: the daemon moves the file away, reads it and then adds the seal. Still in its place, it has no seal yet, and our line is before it.
    // Moved away, the file itself tells: what is added to a file has one order for everybody.
    const current = lstatSync(file, { throwIfNoEntry: false });
    return (current?.ino === before.ino && current.dev === before.dev) || isBeforeSeal(handle, text);
  } finally {
    closeSync(handle);
  }
}

function isBeforeSeal(handle: number, text: Buffer): boolean {
  const content = Buffer.alloc(fstatSync(handle).size);
  let read = 0;
  for (let more = 1; more > 0 && read < content.length; read += more) more = readSync(handle, content, read, content.length - read, read);
  const seal = content.subarray(0, read).indexOf(SEAL);
  // No seal yet: it will come after our line.
  return seal === -1 || content.subarray(0, seal).includes(text);
}

/** A line of its own whatever stands before it: what a full disk cut short must not spoil the next one. */
export function spoolLine(call: SpooledCall | typeof SEALED): Buffer {
  const json = Buffer.from(JSON.stringify(call));
  return Buffer.concat([NEWLINE, Buffer.from(`${checksum(json)} `), json, NEWLINE]);
}
const NEWLINE = Buffer.from("\n");
const SEALED = { sealed: true } as const;

/** The call that a line holds, without its newlines; or that it is the seal. Null where the line is damaged. */
export function readSpoolLine(line: Buffer): SpooledCall | "sealed" | null {
  const json = line.subarray(SUM + 1);
  if (line.toString("latin1", 0, SUM + 1) !== `${checksum(json)} `) return null;
  const value = parseJson(json.toString("utf8"));
  if (isRecord(value) && value["sealed"] === true) return "sealed";
  return isSpooled(value) ? value : null;
}

/** FNV-1a, in eight digits: it finds what a disk or a crash did. Whoever may write here may write the store too. */
function checksum(bytes: Uint8Array): string {
  let sum = 0x811c9dc5;
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193);
  return (sum >>> 0).toString(16).padStart(SUM, "0");
}
const SUM = 8;

function openSpool(dir: string, file: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return openSync(file, flags, 0o600);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return openSync(file, flags, 0o600);
  }
}

/** What the daemon adds when it has read all: nothing behind it is read. */
export const SEAL = spoolLine(SEALED);

/** A regular file of ours, under this name alone, that nobody else reads. */
export const isOurs = (stats: Stats): boolean => stats.isFile() && stats.nlink === 1 && isPrivate(stats);

function syncDirectory(dir: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(dir, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const notRecorded = (why: string): HallpassError => new HallpassError("hook-failed", `the decision cannot be recorded: ${why}`);

function isSpooled(value: unknown): value is SpooledCall {
  if (!isRecord(value) || !Array.isArray(value["events"])) return false;
  const { session, host, workspace, sessionId, agentId, events } = value;
  if (typeof session === "string") return events.every((event) => isDecision(event) || isOpenFailed(event));
  return areTexts([host, workspace, sessionId]) && isTextOrNull(agentId) && events.every(isDecision);
}

function isOpenFailed(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, at, session, call, requested, code } = value;
  return kind === "open-failed" && typeof at === "number" && areTexts([session, call, requested, code]);
}

function isDecision(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, at, session, call, tool, operation, requested, real, verdict, reason, rule, root, grant, ask, fault } = value;
  return (
    kind === "decision" &&
    typeof at === "number" &&
    areTexts([session, call, tool, operation, requested, reason]) &&
    (verdict === "allow" || verdict === "ask" || verdict === "deny") &&
    [real, rule, root, grant, ask, fault].every(isTextOrNull)
  );
}

const areTexts = (values: readonly unknown[]): boolean => values.every((value) => typeof value === "string");
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";
