// How much of the record stays in the store, by age or by size: once for `store archive`, every hour for `serve`.

import { existsSync } from "node:fs";
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
}

const EVERY = 3_600_000;

/** Throws where `keep` cannot be read, or the directory does not exist. */
export function requireRetention({ keep, dir }: Pick<RetentionPlan, "keep" | "dir">): void {
  if (retentionIn(keep, 0) === null) throw new HallpassError("bad-request", "--keep takes an age or a size: 90d, 12h, 500MB or 2GB");
  if (!existsSync(dir)) throw new HallpassError("not-found", `there is no directory \`${show(dir)}\``);
}

/** Archive what is too old or too much, now and every hour, until stopped. */
export function keepRecord(plan: RetentionPlan): RepeatedWork {
  const { log } = plan;
  const failed = "what is to leave the record could not be archived";
  void archiveOnce(plan).catch((error: unknown) => log.warn({ error: error instanceof Error ? error.message : "unknown" }, failed));
  return repeat(() => archiveOnce(plan), EVERY, log, failed);
}

/** Archive once. Gives how many records left the store. */
export async function archiveOnce({ keep, dir, databaseUrl, file, log }: RetentionPlan): Promise<number> {
  const [{ openBackend }, { archiveRecords }] = await Promise.all([import("../store/open.ts"), import("../store/archive.ts")]);
  const now = systemClock();
  const retention = retentionIn(keep, now);
  if (retention === null) return 0;
  const backend = await openBackend({ databaseUrl, file });
  try {
    const part = await archiveRecords(backend, retention, { dir, by: `hallpass (keeps ${keep})`, now, progress: () => {} });
    if (part === null) return 0;
    log.info({ ...part }, "the oldest part of the record was archived");
    return part.last - part.first + 1;
  } finally {
    await backend.close();
  }
}
