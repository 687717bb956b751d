// hallpass backup DIR|FILE and hallpass restore FILE: a copy of the SQLite store while the daemon runs, and the way back. PostgreSQL has
// its own programs for that.

import { existsSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../../core/clock.ts";
import { HallpassError } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import { makeDir, type DaemonPlace, placeOf } from "../../server/daemon-place.ts";
import { headFile } from "../../server/record-head.ts";
import { takeLock } from "../../server/lock.ts";
import { backupSqlite, restoreSqlite } from "../../store/backup.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, placeOptions, UsageError } from "../host.ts";

export async function backup(call: Call<"backup">, host: Host): Promise<number> {
  const { name, place } = readArguments(call, host);
  const namedPath = resolve(host.cwd, name);
  const to = existsSync(namedPath) && statSync(namedPath).isDirectory() ? join(namedPath, `hallpass-${stamp()}.db`) : namedPath;
  const size = existsSync(place.store) ? statSync(place.store).size : 0;
  // SQLite does not say how far it is; some fifty megabytes take a second.
  if (size > 50_000_000) host.errors.write(`copying ${Math.round(size / 1_000_000)} MB …\n`);
  backupSqlite({ file: place.store, to });
  host.output.write(`${to}\n`);
  return exitCodes.done;
}

export async function restore(call: Call<"restore">, host: Host): Promise<number> {
  const { name, place } = readArguments(call, host);
  const from = resolve(host.cwd, name);
  makeDir(place);
  const lock = takeLock(place.lock);
  if (lock === null)
    throw new HallpassError("bad-request", `a daemon is using the store in \`${show(place.dir)}\`: stop it first (\`hallpass stop\`)`);
  try {
    if (existsSync(from) && statSync(from).size > 50_000_000) host.errors.write("checking the copy and putting it in place …\n");
    const { kept: previousFile } = await restoreSqlite({ from, file: place.store, keepAs: `${place.store}.before-${stamp()}` });
    // The person did it: an older copy has a shorter record.
    rmSync(headFile(place), { force: true });
    host.output.write(`restored ${show(place.store)}\n${previousFile === null ? "" : `what was there is kept as ${show(previousFile)}\n`}`);
    return exitCodes.done;
  } finally {
    lock.release();
  }
}

/** 20261115T131500123: the time in a file's name, different for each millisecond. */
const stamp = (): string => new Date(systemClock()).toISOString().replaceAll(/[-:.Z]/g, "");

function readArguments({ values, words: [name = ""] }: Call<"backup">, host: Host): { readonly name: string; readonly place: DaemonPlace } {
  if (host.env["HALLPASS_DATABASE_URL"] !== undefined)
    throw new UsageError("the store is in PostgreSQL (HALLPASS_DATABASE_URL is set): use pg_dump and pg_restore");
  return { name, place: placeOf(placeOptions(values, host)) };
}
