// The daemon's side of the spool: what was decided elsewhere is added to the record, in the order in which it was kept; what hooks decided
// without the daemon is marked late. Promise: each line once, whenever this is ended, and the file is removed only after all of it is recorded.
// The file is moved away before it is read, so that the next line begins another, and sealed when it has been read: whoever has added a line
// meanwhile sees whether it stands before the seal. A batch and the note of how far it reaches are recorded in one transaction.

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { AuditEvent } from "../../core/audit.ts";
import { errnoOf } from "../../core/errno.ts";
import { HallpassError } from "../../core/errors.ts";
import { type SessionId, sessionId } from "../../core/names.ts";
import { hostSessionOf } from "./socket-handler.ts";
import { type HookSpooledCall, isOurs, LINE_BYTES, readSpoolLine, SEAL, SPOOL } from "./spool.ts";

/** What the daemon lends. */
export interface SpoolPorts {
  readonly record: (events: readonly AuditEvent[]) => Promise<void>;
  readonly audit: (filter: {
    readonly session: SessionId;
    readonly newestFirst: true;
    readonly limit: number;
  }) => Promise<readonly { readonly event: AuditEvent }[]>;
  readonly sessionOfHost: (host: string, hostSession: string, workspace: string) => Promise<{ readonly id: SessionId } | null>;
  readonly clock: () => number;
  /** A line of this file, which ends there, could not be read; or, at 0, the file is not ours. */
  readonly damaged: (file: string, end: number) => void;
}

/** So many decisions are recorded at a time; others have their turn in between. */
const BATCH = 100;
const PIECE = 64 * 1024;

/** Add to the record what lies in the spool of a data directory. Gives how many decisions of hooks, made without the daemon, it added. */
export async function takeSpool(data: string, ports: SpoolPorts): Promise<number> {
  const dir = join(data, SPOOL.dir);
  let late = 0;
  const takeMoved = async (): Promise<void> => {
    const names = (await nullIfMissing(readdir(dir))) ?? [];
    for (const name of names.filter((file) => file.startsWith(SPOOL.taken))) late += await takeFile(dir, name, ports);
  };
  // What an earlier daemon had begun with comes first, and there is one such file at the most: no clock has to tell which is older.
  await takeMoved();
  await nullIfMissing(rename(join(dir, SPOOL.file), join(dir, `${SPOOL.taken}${randomUUID()}`)));
  await takeMoved();
  return late;
}

async function takeFile(dir: string, name: string, ports: SpoolPorts): Promise<number> {
  const file = join(dir, name);
  const handle = await openOwnFile(file);
  if (handle === null) {
    // Left for a person to look at, under a name that is not taken again.
    ports.damaged(file, 0);
    await rename(file, join(dir, `not-ours-${name}`));
    return 0;
  }
  try {
    const late = await takeLines(handle, { file, session: sessionId(name) }, ports);
    await rm(file, { force: true });
    return late;
  } finally {
    await handle.close();
  }
}

/** INVARIANT: `until` of the last note is where the recorded lines end, so that nothing is recorded twice and nothing passed over. */
async function takeLines(
  handle: FileHandle,
  { file, session }: { readonly file: string; readonly session: SessionId },
  ports: SpoolPorts,
): Promise<number> {
  const [last] = await ports.audit({ session, newestFirst: true, limit: 1 });
  let until = last?.event.kind === "spool-taken" ? last.event.until : 0;
  const sessions = new Map<string, SessionId>();
  let [events, damaged, readUntil, late]: [AuditEvent[], number, number, number] = [[], 0, until, 0];
  // Whatever the clock of the program that decided says: nothing was decided after now.
  const notAfterNow = ({ at }: { readonly at: number }) => ({ at: Math.min(at, ports.clock()) });
  const recordBatch = async (): Promise<void> => {
    if (readUntil === until) return;
    const lateOnes = events.filter((event) => event.kind === "decision" && event.late !== undefined).length;
    const taken = { until: readUntil, count: events.length, late: lateOnes, damaged };
    await ports.record([...events, { kind: "spool-taken", at: ports.clock(), session, ...taken }]);
    [until, events, damaged] = [readUntil, [], 0];
    await turn();
  };
  for await (const { line, end } of linesOf(handle, until)) {
    const call = line === null ? null : readSpoolLine(line);
    if (call === "sealed") break;
    if (call === null) {
      damaged += 1;
      ports.damaged(file, end);
    } else if ("session" in call) {
      for (const event of call.events) events.push({ ...event, ...notAfterNow(event), session: sessionId(call.session) });
    } else {
      const id = await sessionOf(call, sessions, ports);
      // No ask was opened, so there is none to point to.
      const { host, workspace } = call;
      for (const event of call.events)
        events.push({ ...event, ...notAfterNow(event), session: id, ask: null, late: ports.clock(), host, workspace });
      late += call.events.length;
    }
    readUntil = end;
    if (events.length >= BATCH) await recordBatch();
  }
  await recordBatch();
  return late;
}

/** The session that the daemon has for the agent, if it has one; no session is made for what is over. */
async function sessionOf(call: HookSpooledCall, known: Map<string, SessionId>, ports: SpoolPorts): Promise<SessionId> {
  const hostSession = hostSessionOf(call, call.workspace);
  const key = JSON.stringify([call.host, hostSession, call.workspace]);
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const session = await ports.sessionOfHost(call.host, hostSession, call.workspace);
  const id = session?.id ?? sessionId(`${call.host}:${hostSession}`);
  if (known.size >= BATCH) known.clear();
  known.set(key, id);
  return id;
}

/** The lines from a place on that are not empty, and where each ends; null for one that is too long to be ours. At its end the file is sealed. */
async function* linesOf(handle: FileHandle, from: number): AsyncGenerator<{ readonly line: Buffer | null; readonly end: number }> {
  let [at, size, isLong]: [number, number, boolean] = [from, 0, false];
  let pieces: Buffer[] = [];
  const takeLine = (end: number) => {
    const line = isLong ? null : Buffer.concat(pieces);
    [pieces, size, isLong] = [[], 0, false];
    return { line, end };
  };
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(PIECE), 0, PIECE, at);
    if (bytesRead === 0) {
      const { bytesWritten } = await handle.write(SEAL);
      if (bytesWritten !== SEAL.length) throw new HallpassError("io-error", "the disk that the spool is on is full: free some space");
      continue;
    }
    let begin = 0;
    while (begin < bytesRead) {
      const newline = buffer.indexOf(0x0a, begin);
      const end = newline === -1 || newline >= bytesRead ? bytesRead : newline;
      size += end - begin;
      isLong ||= size > LINE_BYTES;
      if (!isLong) pieces.push(buffer.subarray(begin, end));
      if (end === bytesRead) break;
      if (size > 0) yield takeLine(at + end + 1);
      begin = end + 1;
    }
    at += bytesRead;
  }
}

async function openOwnFile(file: string): Promise<FileHandle | null> {
  const handle = await open(file, constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)).catch(
    () => null,
  );
  if (handle === null || isOurs(await handle.stat())) return handle;
  await handle.close();
  return null;
}

async function nullIfMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}
