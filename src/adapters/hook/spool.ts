// Where a hook keeps what it decided while no daemon answered: a file that is only added to, a line a call, each with a checksum. The
// daemon adds the lines to the record later (take-spool.ts). Promise: `spoolCall` returns only when the line is on the disk, in a file that
// the daemon has not read yet; so what was not recorded is not told to the host.

import { closeSync, constants, fdatasyncSync, fstatSync, fsyncSync, lstatSync, mkdirSync, openSync, type Stats, writeSync } from "node:fs";
import type { AuditEvent } from "../../core/audit.ts";
import { errnoOf } from "../../core/errno.ts";
import { HallpassError } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import type { HostName } from "./host-table.ts";

/** A decision as the record has it. */
export type DecisionEvent = Extract<AuditEvent, { readonly kind: "decision" }>;

/** One call of a tool, decided by a hook itself: who made it, and what was decided about each access. */
export interface SpooledCall {
  readonly host: HostName;
  readonly workspace: string;
  /** The host's names for the session and the agent below its first one. */
  readonly sessionId: string;
  readonly agentId: string | null;
  readonly events: readonly DecisionEvent[];
}

/** In the data directory. */
export const SPOOL = { dir: "hook", file: "spool", taken: "spool-taken-" } as const;
/** About a hundred thousand decisions. What does not fit is not decided. */
export const SPOOL_BYTES = 64 * 1024 * 1024;
/** One call names no more than this. */
export const LINE_BYTES = 1024 * 1024;

/** Keep a call. Throws `hook-failed` where it cannot be kept, and says what to do. */
export function spoolCall(data: string, call: SpooledCall, most = SPOOL_BYTES): void {
  const dir = `${data}/${SPOOL.dir}`;
  const file = `${dir}/${SPOOL.file}`;
  const text = spoolLine(call);
  if (text.length > LINE_BYTES) throw unkept("the call names more paths than one line of the record can hold");
  try {
    const handle = openSpool(dir, file);
    try {
      const before = fstatSync(handle);
      if (!isOurs(before)) throw unkept(`\`${show(file)}\` is not a file of this user alone: remove it`);
      if (before.size + text.length > most)
        throw unkept(
          `\`${show(file)}\` is full (${Math.round(most / 1024)} KiB): start the daemon with \`hallpass serve\`, which adds it to the record`,
        );
      if (writeSync(handle, text) !== text.length) throw unkept(`the disk that \`${show(file)}\` is on is full: make room there`);
      fdatasyncSync(handle);
      if (before.size === 0) syncDirectory(dir);
      // RACE: the daemon moves the file away before it reads it. Still there, it was not read before our line was in it; gone, it may have been.
      const now = lstatSync(file, { throwIfNoEntry: false });
      if (now?.ino !== before.ino || now.dev !== before.dev) throw unkept("the daemon has just come back: make the same call again");
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (error instanceof HallpassError) throw error;
    const code = errnoOf(error);
    throw unkept(
      code === "ENOSPC" || code === "EDQUOT"
        ? `the disk that \`${show(file)}\` is on is full: make room there, or start the daemon with \`hallpass serve\``
        : `\`${show(file)}\` cannot be written (${code || "unknown"}): see that this user may write there, or start the daemon with \`hallpass serve\``,
    );
  }
}

/** A line of its own whatever stands before it: what a full disk cut short must not spoil the next one. */
export function spoolLine(call: SpooledCall): Buffer {
  const json = Buffer.from(JSON.stringify(call));
  return Buffer.concat([NEWLINE, Buffer.from(`${checksum(json)} `), json, NEWLINE]);
}
const NEWLINE = Buffer.from("\n");

/** The call that a line holds, without its newlines; null where the line is damaged. */
export function readSpoolLine(line: Buffer): SpooledCall | null {
  const json = line.subarray(SUM + 1);
  if (line.toString("latin1", 0, SUM + 1) !== `${checksum(json)} `) return null;
  try {
    const value: unknown = JSON.parse(json.toString("utf8"));
    return isSpooled(value) ? value : null;
  } catch {
    return null;
  }
}

/** FNV-1a, in eight digits: it finds what a disk or a crash did. Whoever may write here may write the store too. */
function checksum(bytes: Uint8Array): string {
  let sum = 0x811c9dc5;
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193);
  return (sum >>> 0).toString(16).padStart(SUM, "0");
}
const SUM = 8;

function openSpool(dir: string, file: string): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return openSync(file, flags, 0o600);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return openSync(file, flags, 0o600);
  }
}

/** A regular file of ours, under this name alone, that nobody else reads. */
export function isOurs({ mode, uid, nlink }: Stats): boolean {
  if ((mode & constants.S_IFMT) !== constants.S_IFREG || nlink !== 1) return false;
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}

function syncDirectory(dir: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(dir, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const unkept = (why: string): HallpassError => new HallpassError("hook-failed", `the decision cannot be recorded: ${why}`);

function isSpooled(value: unknown): value is SpooledCall {
  if (!isObject(value) || !Array.isArray(value["events"])) return false;
  const { host, workspace, sessionId, agentId, events } = value;
  return areTexts([host, workspace, sessionId]) && isTextOrNull(agentId) && events.every(isDecision);
}

function isDecision(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { kind, at, session, call, tool, operation, requested, real, verdict, reason, rule, root, grant, ask, fault } = value;
  return (
    kind === "decision" &&
    typeof at === "number" &&
    areTexts([session, call, tool, operation, requested, reason]) &&
    (verdict === "allow" || verdict === "ask" || verdict === "deny") &&
    [real, rule, root, grant, ask, fault].every(isTextOrNull)
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;
const areTexts = (values: readonly unknown[]): boolean => values.every((value) => typeof value === "string");
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";
