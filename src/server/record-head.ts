// Where the record ended, noted outside of the database: in the data directory and in the log. Whoever cuts the end off the record and moves
// its head back leaves a chain that holds; the note tells. Noted late, so that a note is never ahead of what a loss of power leaves.

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Store } from "../agent/ports.ts";
import { messageOf } from "../core/record.ts";
import type { Clock } from "../core/clock.ts";
import { errnoOf } from "../core/errno.ts";
import { show } from "../core/path/show.ts";
import { type Link, START } from "../store/chain.ts";
import type { DaemonPlace } from "./daemon-place.ts";
import type { Log } from "./ports.ts";
import { repeat } from "./repeating.ts";

const notedSchema = z.strictObject({ sequence: z.number().int().min(0), hash: z.string(), at: z.number() });
export type NotedHead = z.infer<typeof notedSchema>;

/** What a look at the note came to. `last` is the number of the last record there is. */
export type HeadCheck =
  | { readonly state: "none" }
  | { readonly state: "unreadable" }
  | { readonly state: "holds"; readonly noted: NotedHead }
  /** The records after `last`, up to the noted one at least, are gone. */
  | { readonly state: "cut"; readonly noted: NotedHead; readonly last: number }
  /** There is a record of the noted number, and it is another one. */
  | { readonly state: "replaced"; readonly noted: NotedHead };

export const headFile = ({ dir }: Pick<DaemonPlace, "dir">): string => join(dir, "audit-head.json");

export function readHead(place: Pick<DaemonPlace, "dir">): NotedHead | "none" | "unreadable" {
  try {
    const read = notedSchema.safeParse(JSON.parse(readFileSync(headFile(place), "utf8")));
    return read.success ? read.data : "unreadable";
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? "none" : "unreadable";
  }
}

/** Whole or not at all, 0600, and on the disk when this returns. */
function writeHead(place: Pick<DaemonPlace, "dir">, noted: NotedHead): void {
  const file = headFile(place);
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify(noted)}\n`, { flag: "wx", mode: 0o600, flush: true });
  renameSync(temporary, file);
}

/** A note against a record: what it begins after, its last number, and its hash at a number. What was archived is not there to be compared. */
export function compareHead(
  noted: ReturnType<typeof readHead>,
  base: Link,
  last: number,
  hashAt: (sequence: number) => string | null,
): HeadCheck {
  if (noted === "none" || noted === "unreadable") return { state: noted };
  if (noted.sequence > last) return { state: "cut", noted, last };
  if (noted.sequence < base.sequence) return { state: "holds", noted };
  const hash = noted.sequence === base.sequence ? base.hash : hashAt(noted.sequence);
  return hash === noted.hash ? { state: "holds", noted } : { state: "replaced", noted };
}

type Records = Pick<Store, "audit" | "auditBase">;

export async function checkHead(store: Records, place: Pick<DaemonPlace, "dir">): Promise<HeadCheck> {
  const noted = readHead(place);
  const { sequence } = await endOf(store);
  const at = typeof noted === "string" ? 0 : noted.sequence;
  const [record] = at === 0 ? [] : await store.audit({ after: at - 1, limit: 1 });
  return compareHead(noted, await store.auditBase(), sequence, (number) => (record?.sequence === number ? record.hash : null));
}

async function endOf(store: Records): Promise<Link> {
  const [last] = await store.audit({ newestFirst: true, limit: 1 });
  return last ?? START;
}

/** What is wrong, in a sentence; null where nothing is. */
export function headFault(check: HeadCheck, place: Pick<DaemonPlace, "dir">): string | null {
  switch (check.state) {
    case "none":
    case "holds":
      return null;
    case "unreadable":
      return `\`${show(headFile(place))}\`, which notes where the record ended, cannot be read`;
    case "cut": {
      const { noted, last } = check;
      const missingRecords = noted.sequence === last + 1 ? `record ${noted.sequence} is` : `records ${last + 1} to ${noted.sequence} are`;
      return `the end of the record was cut off: ${missingRecords} gone (record ${noted.sequence} was noted at ${timeOf(noted)})`;
    }
    case "replaced":
      return `the record was replaced: record ${check.noted.sequence} is not the one that was noted at ${timeOf(check.noted)}`;
  }
}

/** What to do about it. */
export const headRemedy = (place: Pick<DaemonPlace, "dir">): string =>
  `keep a copy and find out who did; if it was you (another store, an older copy), remove ${show(headFile(place))}`;

const timeOf = ({ at }: NotedHead): string => new Date(at).toISOString();

export interface HeadPorts {
  readonly store: Records;
  readonly place: Pick<DaemonPlace, "dir">;
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds between two notes. */
  readonly every?: number;
}

export interface HeadNotes {
  /** Read the end while the store is open. What it gives writes the note, once the store is closed and all of it is on the disk. */
  ending(): Promise<() => void>;
  stop(): void;
}

const EVERY = 5 * 60_000;
const UNNOTED = "the end of the record could not be noted";

/** Compare now, then note now and then. A note that does not fit stays as it is, and nothing more is noted: it is what there is to show. */
export async function noteHeads({ store, place, log, clock, every = EVERY }: HeadPorts): Promise<HeadNotes> {
  let hasFault = false;
  const isSound = async (): Promise<boolean> => {
    const fault = headFault(await checkHead(store, place), place);
    if (fault !== null && !hasFault) log.error({ remedy: headRemedy(place) }, fault);
    hasFault ||= fault !== null;
    return !hasFault;
  };
  const write = ({ sequence, hash }: Link): void => {
    writeHead(place, { sequence, hash, at: clock() });
    log.info({ sequence, hash }, "the end of the record is noted");
  };
  const logFailure = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log.warn({ error: messageOf(error) }, UNNOTED);
    }
  };
  let noted: Link = START;
  let pending: Link = START;
  const note = async (end: Link): Promise<void> => {
    if (end.sequence === noted.sequence && end.hash === noted.hash) return;
    write(end);
    noted = end;
  };
  await logFailure(async () => {
    if (!(await isSound())) return;
    pending = await endOf(store);
    await note(pending);
  });
  const noteLater = async (): Promise<void> => {
    if (!(await isSound())) return;
    // What ended the record one interval ago is on the disk by now.
    await note(pending);
    pending = await endOf(store);
  };
  const repeating = repeat(noteLater, every, log, UNNOTED);
  return {
    async ending() {
      repeating.stop();
      let end: Link | null = null;
      await logFailure(async () => void (end = (await isSound()) ? await endOf(store) : null));
      return () => void logFailure(async () => void (end !== null && (await note(end))));
    },
    stop: () => repeating.stop(),
  };
}
