// The keeper: a process in its own namespaces, in which it mounts what a sandbox sees around its roots. It decides nothing. It mounts a directory
// only while it is still the one that was decided on, read-only and with its secrets covered, and ends with the process that started it.

import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { errnoOf } from "../core/errno.ts";
import { isStillIt } from "../core/fs/identity.ts";
import { below, isInside } from "../core/path/contain.ts";
import type { Sight } from "./doors.ts";
import type { KeeperReply, GrantMount, KeeperOpening, Staging, KeeperRequest } from "./keeper-messages.ts";
import { HeldProcesses } from "./held-processes.ts";
import { misplaced, mountIn, numberedMounts, parseTable } from "./mount-table.ts";
import { createMounting, DIRECTORY, openDir } from "./mounting.ts";
import { DoorServer } from "./served-doors.ts";

/** Where everything is mounted: a place that every machine has and no sandbox shows. Nobody else sees this mount. */
const STAGE = "/sys";
/** What lasts from one command to the next: the session's /tmp, and what its commands write in the home directory. */
const TMP = `${STAGE}/tmp`;
const PROC = `${STAGE}/proc`;
const LAYERS = { upper: `${STAGE}/home/upper`, work: `${STAGE}/home/work` } as const;
/** Milliseconds between two looks at those who wait. */
const TICK = 200;
const EMPTY = "ro,size=4k,mode=0555,nosuid,nodev";

/** What one command sees around its roots. It is mounted anew for each. */
interface Place {
  readonly base: string;
  /** The mount that is shared with the sandbox. */
  readonly at: string;
  readonly top: number;
  readonly writable: boolean;
  readonly fuse: DoorServer;
  /** Where the command sees it; null before it is known for which command it is. */
  dir: string | null;
}

interface ShownGrant {
  readonly granting: GrantMount;
  /** The grant where no sandbox sees it; null once it is shown. */
  private: string | null;
  /** The top of the mount that the sandbox sees; null until it is shown. */
  mounted: number | null;
}

const places: Place[] = [];
const grants = new Map<string, ShownGrant>();
const { mount, run, unmount, isHelper } = createMounting();
const heldProcesses = new HeldProcesses(PROC, run);
const sights = new Map<number, (answer: Sight) => void>();
const permits = new Map<number, (answer: boolean) => void>();
let lastNumber = 0;
let isSetUp = false;

const tell = (message: KeeperReply): void => void process.send?.(message);

process.on("message", (message: KeeperRequest) => void hear(message));
// INVARIANT: nothing of ours outlives whoever started us. With us our namespaces end, and all that is mounted in them.
process.on("disconnect", end);
for (const name of ["SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM"] as const) process.on(name, () => {}); // the terminal's business is the program's

/** At once: an ordinary exit waits for the thread that waits for the kernel's next question. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}

async function hear(message: KeeperRequest): Promise<void> {
  switch (message.say) {
    case "stage":
      return report(message.number, () => stage(message));
    case "open":
      return report(message.number, () => openFor(message));
    case "prepare":
      return report(message.number, () => prepare(message));
    case "show":
      return report(message.number, () => show(message.dir));
    case "hide":
      return report(message.number, () => hide(message.dir));
    case "deny":
      return placeOf(message.door)?.fuse.doors.deny(message.door, null);
    case "end":
      return report(message.number, async () => {
        for (const { fuse } of places) fuse.doors.end();
      });
    case "seen":
      return settle(sights, message.number, message.sight);
    case "may-ask":
      return settle(permits, message.number, message.may);
  }
}

async function report(number: number, work: () => Promise<readonly string[] | void>): Promise<void> {
  try {
    const made = await work();
    tell({ say: "done", number, why: null, ...(made === undefined ? {} : { places: made }) });
  } catch (error) {
    tell({ say: "done", number, why: error instanceof Error ? error.message : "a fault" });
  }
}

function settle<T>(pending: Map<number, (answer: T) => void>, number: number, answer: T): void {
  pending.get(number)?.(answer);
  pending.delete(number);
}

const see = (path: string): Promise<Sight> =>
  new Promise((resolve) => {
    lastNumber += 1;
    sights.set(lastNumber, resolve);
    tell({ say: "see", number: lastNumber, path });
  });

const mayAsk = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    lastNumber += 1;
    permits.set(lastNumber, resolve);
    tell({ say: "ask-whether", number: lastNumber, path });
  });

const reportWanted = (door: string, path: string, pid: number): void => tell({ say: "wanted", door, path, pid });

// ── What is around the roots ──

/** Places for the next command, as no command has seen them. What the session has in /tmp and in its home directory is still there. */
async function stage({ places: shape, bytes, doors }: Staging): Promise<readonly string[]> {
  if (!isSetUp) await setUp(bytes);
  isSetUp = true;
  await clear();
  // Where nobody is asked there is nothing of one command's that the next must not see.
  if (!doors) return [TMP, ...shape.map(() => LAYERS.upper)];
  for (const writable of shape) places.push(await mountPlace(writable));
  return [TMP, ...places.map(({ at }) => at)];
}

async function setUp(bytes: number): Promise<void> {
  await mount("-t", "tmpfs", "-o", `mode=0700,nosuid,nodev,size=${bytes}`, "stage", STAGE);
  for (const dir of [`${STAGE}/private`, `${STAGE}/texts`, `${STAGE}/home`, ...Object.values(LAYERS), TMP, PROC])
    mkdirSync(dir, { mode: 0o755 });
  await mount("-t", "tmpfs", "-o", `mode=0755,nosuid,nodev,size=${bytes}`, "tmp", TMP);
  setInterval(() => {
    for (const { fuse } of places) if (fuse.doors.waiting > 0) fuse.doors.tick();
  }, TICK).unref();
}

/** Take away all that the last command saw, grants and what was not shown yet included. */
async function clear(): Promise<void> {
  for (const { private: at, mounted } of grants.values()) {
    if (mounted !== null) closeSync(mounted);
    if (at !== null) await unmount(await openDir(at));
  }
  grants.clear();
  for (const { base, at, top, fuse } of places.splice(0)) {
    closeSync(top);
    const over = fuse.leave();
    await run("umount", ["-l", "-c", "-i", at, `${base}/fuse`], []);
    // INVARIANT: nobody is left who could look there. One that stays would keep a thread of ours for ever.
    await over();
  }
}

async function mountPlace(writable: boolean): Promise<Place> {
  lastNumber += 1;
  const base = `${STAGE}/${lastNumber}`;
  for (const name of ["", "/fuse", "/place"]) mkdirSync(`${base}${name}`, { mode: 0o755 });
  const at = `${base}/place`;
  // Opened here: the kernel wants it opened and mounted in the same user namespace.
  const device = openSync("/dev/fuse", "r+");
  const options = "rootmode=40000,user_id=0,group_id=0,allow_other,nodev,nosuid";
  await run("mount", ["-i", "-t", "fuse", "-o", `fd=3,${options}`, "hallpass", `${base}/fuse`], [device]);
  const fuse = new DoorServer(device, { mayAsk, wanted: reportWanted, isHelper, lost: end });
  if (writable) {
    const layers = `lowerdir=${base}/fuse,upperdir=${LAYERS.upper},workdir=${LAYERS.work},userxattr`;
    await mount("--make-shared", "-t", "overlay", "-o", `${layers},nosuid,nodev`, "hallpass", at);
  } else {
    await mount("--bind", `${base}/fuse`, at);
    await mount("--make-shared", "-o", "remount,bind,ro,nosuid,nodev", at);
  }
  return { base, at, top: await openDir(at), writable, fuse, dir: null };
}

async function openFor(opening: KeeperOpening): Promise<readonly string[]> {
  openPlaces(opening);
  return opening.holding === null ? [] : [String(await heldProcesses.firstFor(opening.holding)), PROC];
}

/** From now on the places are this command's, beside what earlier ones left running and sees them too. */
function openPlaces({ areas, fixed, patience }: KeeperOpening): void {
  for (const [index, place] of places.entries()) {
    const area = areas[index];
    if (area?.writable !== place.writable || (place.dir !== null && place.dir !== area.dir))
      throw new Error("these places are for another command");
    const inside = fixed.filter((path) => isInside(area.dir, path));
    if (place.dir === null) place.fuse.open({ top: area.dir, patience, see }, inside);
    else place.fuse.reopen({ patience, see }, inside);
    place.dir = area.dir;
  }
  const home = areas.find(({ writable }) => writable)?.dir ?? null;
  for (const path of fixed) {
    if (home !== null && path !== home && isInside(home, path)) mustLeadInto(LAYERS.upper, below(home, path));
    else if (path !== "/tmp" && isInside("/tmp", path)) mustLeadInto(TMP, below("/tmp", path));
  }
}

/**
 * INVARIANT: nothing is mounted, and no mount point made, where a link of an earlier command leads. All of them have ended or are stopped, so what is
 * looked at now stays as it is. What is not there yet is made by bubblewrap.
 */
function mustLeadInto(dir: string, way: string): void {
  let at = openSync(dir, DIRECTORY);
  try {
    for (const name of way.split("/")) {
      const next = openSync(`/proc/self/fd/${at}/${name}`, DIRECTORY);
      closeSync(at);
      at = next;
    }
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw new Error("an earlier command left something in the way of a root", { cause: error });
  } finally {
    closeSync(at);
  }
}

/** The innermost: outer ones come first. */
const placeOf = (path: string): Place | undefined => places.findLast(({ dir }) => dir !== null && isInside(dir, path));

// ── Grants ──

/** Build it where no sandbox sees it, and look whether it is what it should be. */
async function prepare(granting: GrantMount): Promise<void> {
  const { dir, covers } = granting;
  lastNumber += 1;
  const at = `${STAGE}/private/${lastNumber}`;
  mkdirSync(at);
  const from = await openDir(dir);
  try {
    if (!isStillIt(granting, fstatSync(from))) throw new Error("it is no longer the directory that was granted");
    // Mounts in it come along: the kernel does not let a part be shown that a mount covers.
    await run("mount", ["-c", "--rbind", "/proc/self/fd/3/.", at], [from]);
  } finally {
    closeSync(from);
  }
  try {
    for (const [index, cover] of covers.entries()) await lay(`${at}/${cover.path}`, cover, index);
    const inner = [...table()].filter(([point]) => isInside(at, point));
    for (const [point, { options, readOnly }] of inner)
      if (!readOnly) await mount("-o", ["remount", "bind", "ro", "nosuid", "nodev", ...optionsToKeep(options)].join(","), point);
    const now = table();
    const wrong = misplaced(
      [{ make: "read-only", path: at }, ...covers.map(({ make, path }) => ({ make, path: `${at}/${path}` }))],
      text(),
    );
    const open = [...now].find(([point, { readOnly }]) => isInside(at, point) && !readOnly);
    if (wrong !== null || open !== undefined) throw new Error("a directory was replaced while it was mounted");
    await confirm(granting, at);
  } catch (error) {
    await unmount(await openDir(at));
    throw error;
  }
  grants.set(dir, { granting, private: at, mounted: null });
}

async function lay(point: string, { make, text }: GrantMount["covers"][number], index: number): Promise<void> {
  if (make === "hidden-dir") return mount("-t", "tmpfs", "-o", EMPTY, "hallpass", point);
  const file = make === "hidden-file" ? "/dev/null" : `${STAGE}/texts/${lastNumber}-${index}`;
  if (make === "shown-file") writeFileSync(file, Buffer.from(text, "latin1"), { mode: 0o444 });
  await mount("--bind", file, point);
  return mount("-o", "remount,bind,ro,nosuid,nodev,noexec", point);
}

/**
 * Show what was prepared, as a whole: what is changed in a shared place later does not reach those who share it. Gives the groups by which
 * these mounts are known in the sandbox.
 */
async function show(dir: string): Promise<readonly string[]> {
  const grant = grants.get(dir);
  const place = placeOf(dir);
  if (grant === undefined || grant.private === null || place === undefined) throw new Error("there is nothing to show");
  await confirm(grant.granting, grant.private);
  const prepared = await openDir(grant.private);
  // INVARIANT: name by name and through no link: the command can write beside the place where this is mounted.
  const target = await walk(place, dir);
  try {
    await run("mount", ["-c", "--rbind", "/proc/self/fd/3/.", "/proc/self/fd/4/."], [prepared, target.at]);
    grant.mounted = await openDir(`/proc/self/fd/${target.above}/${target.name}`);
    await confirm(grant.granting, `/proc/self/fd/${grant.mounted}/.`);
    // RACE: it may have been taken back while it was mounted.
    if (grants.get(dir) !== grant) throw new Error("the grant was revoked");
  } catch (error) {
    grants.delete(dir);
    if (grant.mounted !== null) await unmount(grant.mounted);
    throw error;
  } finally {
    closeSync(target.at);
    closeSync(target.above);
    await unmount(prepared);
    grant.private = null;
  }
  if (grants.get(dir) !== grant) throw new Error("the grant was revoked");
  const groups = grant.mounted === null ? [] : groupsAt(grant.mounted);
  place.fuse.doors.open(grant.granting.door, dir);
  return groups;
}

/** The groups of the mount that the descriptor is the top of, and of all that is mounted in it. */
function groupsAt(descriptor: number): readonly string[] {
  const top = mountIn(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"));
  const ids = new Set<number>();
  return numberedMounts(text()).flatMap(({ id, parent, groups }) => {
    if (id !== top && !ids.has(parent)) return [];
    ids.add(id);
    return groups.map(String);
  });
}

/** Take it away from whoever sees it. */
async function hide(dir: string): Promise<void> {
  const grant = grants.get(dir);
  const place = placeOf(dir);
  grants.delete(dir);
  // Not shown yet: who is about to show it finds it gone.
  if (grant === undefined || grant.mounted === null || place === undefined) return;
  place.fuse.doors.deny(grant.granting.door, dir);
  await unmount(grant.mounted);
}

async function confirm(granting: GrantMount, at: string): Promise<void> {
  const descriptor = await openDir(at);
  try {
    if (!isStillIt(granting, fstatSync(descriptor))) throw new Error("it is no longer the directory that was granted");
  } finally {
    closeSync(descriptor);
  }
}

/** The directory that stands for `dir` in the place, and the one around it. */
async function walk(place: Place, dir: string): Promise<{ readonly at: number; readonly above: number; readonly name: string }> {
  const names = below(place.dir ?? "/", dir).split("/");
  const last = names.pop() ?? "";
  let above = await openDir(`/proc/self/fd/${place.top}/.`);
  for (const name of names) {
    const next = await openDir(`/proc/self/fd/${above}/${name}`);
    closeSync(above);
    above = next;
  }
  return { at: await openDir(`/proc/self/fd/${above}/${last}`), above, name: last };
}

// ── The table of mounts ──

const text = (): string => readFileSync("/proc/self/mountinfo", "latin1");
const table = (): ReturnType<typeof parseTable> => parseTable(text());

/** Of how something is mounted, what must be said again or would be lost; the kernel refuses to lose it. */
const optionsToKeep = (options: readonly string[]): readonly string[] =>
  options.filter((option) => option === "noexec" || option === "nosymfollow");
