// How much of the record stays in the store, by age or by size: once for `store archive`, every hour for `serve`.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { z } from "zod";
import { systemClock } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import type { Log } from "../server/ports.ts";
import { repeat, type RepeatedWork } from "../server/repeating.ts";
import type { Retention } from "../store/archive.ts";

/** `90d`, `12h`, `500MB` or `2GB`; null for anything else. */
export function retentionIn(text: string, now: number): Retention | null {
  const [, amount = "", unit = ""] = /^(\d+)(d|h|MB|GB)$/u.exec(text) ?? [];
  const ages: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000 };
  const sizes: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9 };
  const [age, size] = [ages[unit], sizes[unit]];
  if (age !== undefined) return { olderThan: now - Number(amount) * age };
  return size === undefined ? null : { largerThan: Number(amount) * size };
}

export interface RetentionPlan {
  /** As `retentionIn` reads it. */
  readonly keep: string;
  /** Where the rest goes. */
  readonly dir: string;
  readonly databaseUrl: string | null;
  readonly file: string;
  readonly log: Log;
  /** Counts the bytes of the record; missing: this process does. */
  readonly countBytes?: () => Promise<number>;
}

/**
 * The bytes of the record of the SQLite store in this directory, counted by a process of its own: it goes through every page of the file, and who serves
 * would serve nobody meanwhile. `entry`: our program.
 */
export async function countRecordBytes(entry: string, data: string): Promise<number> {
  const counting = promisify(execFile)(process.execPath, [entry, "store", "stats", "--json", "--data", data], { env: {}, cwd: "/" });
  const { stdout } = await counting;
  const { tables } = statsSchema.parse(JSON.parse(stdout));
  return tables.find(({ table }) => table === "audit")?.bytes ?? 0;
}

const statsSchema = z.object({ tables: z.array(z.object({ table: z.string(), bytes: z.number() })) });

const EVERY = 3_600_000;

/** Throws where `keep` cannot be read, or the directory does not exist. */
export function requireRetention({ keep, dir }: Pick<RetentionPlan, "keep" | "dir">): void {
  if (retentionIn(keep, 0) === null) throw new HallpassError("bad-request", "--keep takes an age or a size: 90d, 12h, 500MB or 2GB");
  if (!existsSync(dir)) throw new HallpassError("not-found", `there is no directory \`${show(dir)}\``);
}

/** Archive what is too old or too much, now and every hour, until stopped. */
export function keepRecord(plan: RetentionPlan): RepeatedWork {
  const { log } = plan;
  const failed = "archiving old records failed";
  void archiveOnce(plan).catch((error: unknown) => log.warn({ error: error instanceof Error ? error.message : "unknown" }, failed));
  return repeat(() => archiveOnce(plan), EVERY, log, failed);
}

/** Archive once. Gives how many records left the store. */
export async function archiveOnce({ keep, dir, databaseUrl, file, log, countBytes }: RetentionPlan): Promise<number> {
  const [{ openBackend }, { archiveRecords }] = await Promise.all([import("../store/open.ts"), import("../store/archive.ts")]);
  const now = systemClock();
  const retention = retentionIn(keep, now);
  if (retention === null) return 0;
  const counted = "largerThan" in retention && countBytes !== undefined ? { recordBytes: await countBytes() } : {};
  const backend = await openBackend({ databaseUrl, file });
  try {
    const part = await archiveRecords(backend, retention, { dir, by: `hallpass (keeps ${keep})`, now, progress: () => {}, ...counted });
    if (part === null) return 0;
    log.info({ ...part }, "the oldest part of the record was archived");
    return part.last - part.first + 1;
  } finally {
    await backend.close();
  }
}
