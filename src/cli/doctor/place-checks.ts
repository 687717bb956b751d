// Checks of the data directory, its lock, the daemon and the database. They create and repair nothing.

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { SPOOL, SPOOL_BYTES } from "../../adapters/hook/spool.ts";
import { untrustedLocations } from "../../config/untrusted-locations.ts";
import { show } from "../../core/path/show.ts";
import { type DaemonPlace, placeOf, readDaemonFile } from "../../server/daemon-place.ts";
import { checkHead, headFault, headRemedy } from "../../server/record-head.ts";
import { routes } from "../../wire/http.ts";
import type { WireSession } from "../../wire/values.ts";
import { reachDaemon } from "../daemon-connection.ts";
import type { Host } from "../host.ts";
import { type DoctorFinding, noted, well, wrong } from "./finding.ts";

export async function checkPlaces(host: Host): Promise<readonly DoctorFinding[]> {
  const place = placeOf(host);
  const [untrusted] = untrustedLocations({ home: host.home, env: host.env, platform: host.platform, workspace: host.cwd }).filter(
    ({ what }) => what === "data",
  );
  // What is in there may be a repository's, a daemon's address too: none of it is looked at.
  if (untrusted !== undefined)
    return [wrong("data directory", untrusted.says, `${untrusted.remedy}; until then everything is denied here`)];
  const dir = checkDirectory(place);
  if (dir.state !== "well") return [dir, noted("daemon", "does not run", START), noted("database", "there is none yet", null)];
  const [daemon, ...sessions] = await checkDaemon(place, host);
  return [
    dir,
    ...(await checkLock(place, daemon.state === "well")),
    daemon,
    ...sessions,
    await checkDatabase(place, host),
    ...checkSpool(place),
  ];
}

const START = "start it with `hallpass serve`; until then each chat keeps its own grants and forgets them";

function checkDirectory({ dir }: DaemonPlace): DoctorFinding {
  const part = "data directory";
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (stat === undefined) return noted(part, `${show(dir)} does not exist yet`, "the daemon creates it when it first starts");
  if (!stat.isDirectory())
    return wrong(part, `${show(dir)} is not a directory`, "move that file away, or choose another place with HALLPASS_DATA");
  if (process.getuid !== undefined && stat.uid !== process.getuid())
    return wrong(part, `${show(dir)} belongs to somebody else`, `change its owner (chown), or choose another place with HALLPASS_DATA`);
  if (process.platform !== "win32" && (stat.mode & 0o022) !== 0)
    return wrong(part, `others may write to ${show(dir)}`, `chmod go-w ${show(dir)}`);
  try {
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return wrong(part, `${show(dir)} is not writable`, `chmod u+rwx ${show(dir)}`);
  }
  return well(part, show(dir));
}

/** Nothing where there is none. A daemon that runs empties it within seconds. */
function checkSpool({ dir }: DaemonPlace): readonly DoctorFinding[] {
  const size = statSync(join(dir, SPOOL.dir, SPOOL.file), { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return [];
  const message = `decisions wait to be recorded: ${Math.ceil(size / 1024)} of ${SPOOL_BYTES / 1024} KiB`;
  const remedy =
    "the daemon records them within seconds; start it with `hallpass serve`. When there is no more room, hooks and MCP servers deny";
  return [size > SPOOL_BYTES / 2 ? wrong("spool", message, remedy) : noted("spool", message, remedy)];
}

/** Held while a daemon runs, free while none does. */
async function checkLock({ lock }: DaemonPlace, runs: boolean): Promise<readonly DoctorFinding[]> {
  if (!existsSync(lock))
    return runs ? [wrong("lock", "the daemon runs without its lock", "stop it and start it again with `hallpass serve`")] : [];
  try {
    const { takeLock } = await import("../../server/lock.ts");
    const acquired = takeLock(lock);
    acquired?.release();
    if ((acquired === null) === runs) return [well("lock", runs ? "held by the daemon" : "free")];
    return runs
      ? [wrong("lock", "the daemon runs without its lock", "stop it and start it again with `hallpass serve`")]
      : [
          wrong(
            "lock",
            "some process holds it, and no daemon answers",
            "it may be starting or stuck: wait, or end it (`hallpass serve` names it)",
          ),
        ];
  } catch (error) {
    return [wrong("lock", `${show(lock)} cannot be used: ${sentence(error)}`, "remove that file while no daemon is running")];
  }
}

type DaemonFindings = readonly [DoctorFinding, ...DoctorFinding[]];

async function checkDaemon(place: DaemonPlace, host: Host): Promise<DaemonFindings> {
  const file = readDaemonFile(place);
  try {
    const daemon = await reachDaemon(host, "doctor");
    if (daemon !== null) {
      try {
        const { version, store, openAsks, model } = await daemon.client.send(routes.health, {});
        const says = `${version} at ${show(daemon.client.address)}, ${store}, ${show(model)}, ${openAsks} ${openAsks === 1 ? "ask" : "asks"} open`;
        const sessions = await daemon.client.send(routes.listSessions, { query: { archived: "false" } });
        return [well("daemon", says), ...checkShells(sessions)];
      } finally {
        await daemon.close();
      }
    }
  } catch (error) {
    return [wrong("daemon", `answers, but not correctly: ${sentence(error)}`, "stop it and start it again with `hallpass serve`")];
  }
  if (file === null) return [noted("daemon", "does not run", START)];
  return [
    wrong("daemon", `process ${file.pid} should answer at ${show(file.address)} and does not`, "start it again with `hallpass serve`"),
  ];
}

/** Do the commands of the hosts' sessions report from the sandbox? */
function checkShells(sessions: readonly WireSession[]): readonly DoctorFinding[] {
  const part = "commands";
  const named = (state: WireSession["shell"]): string =>
    [...new Set(sessions.filter(({ shell }) => shell === state).map(({ label, host }) => show(label ?? host ?? "")))].join(", ");
  const [verified, unverified] = [named("verified"), named("unverified")];
  return [
    ...(verified === "" ? [] : [well(part, `verified, each runs in the sandbox: ${verified}`)]),
    ...(unverified === ""
      ? []
      : [noted(part, `unverified, only their text is judged: ${unverified}`, "run the whole agent in the sandbox: hallpass run -- AGENT")]),
  ];
}

async function checkDatabase(place: DaemonPlace, { env }: Host): Promise<DoctorFinding> {
  const file = place.store;
  const part = "database";
  const databaseUrl = env["HALLPASS_DATABASE_URL"] ?? null;
  if (databaseUrl === null && !existsSync(file)) return noted(part, "there is none yet", "it is created when the daemon first starts");
  try {
    const [{ openStore }, { examineStore }, { isReadOnly }] = await Promise.all([
      import("../../store/open.ts"),
      import("../../store/examine.ts"),
      import("../../store/read-only.ts"),
    ]);
    const store = await openStore({ databaseUrl, file, mayBeReadOnly: true });
    try {
      const damage = await examineStore(store, databaseUrl === null ? file : null);
      if (damage.length > 0) return wrong(part, `is damaged: ${damage.slice(0, SHOWN).join("; ")}${more(damage.length - SHOWN)}`, MEND);
      const broken = await store.verifyAudit();
      if (broken !== null)
        return wrong(part, `the record's chain breaks at ${broken}`, "somebody changed it: run `hallpass audit verify`, and keep a copy");
      const check = await checkHead(store, place);
      const fault = headFault(check, place);
      if (fault !== null) return wrong(part, fault, headRemedy(place));
      if (databaseUrl === null && isReadOnly(file))
        return wrong(part, "is whole and read-only: no daemon starts with it", `chmod u+w ${show(file)}`);
      return well(part, `${databaseUrl === null ? show(file) : "PostgreSQL"}, the record's chain holds`);
    } finally {
      await store.close();
    }
  } catch (error) {
    return wrong(
      part,
      `cannot be opened: ${sentence(error)}`,
      `move ${databaseUrl === null ? show(file) : "it"} aside, or put back a copy`,
    );
  }
}

/** How many damaged items are listed. */
const SHOWN = 10;
const more = (count: number): string => (count > 0 ? `; and ${count} more` : "");
const MEND =
  "keep a copy of the file, stop the daemon and restore a backup with `hallpass restore`; without one the rest stays in use, and what is named is left out";

const sentence = (error: unknown): string => (error instanceof Error ? show(error.message).slice(0, 200) : "unknown");
